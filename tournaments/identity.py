"""What makes two tournaments the same, and how they differ."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from referee.bots.halves import BETWEEN
from referee.rules import RulesError, parse_rules

IDENTITY_VERSION = 1
"""The version of the form of an identity."""

UNSAID: Mapping[str, object] = {"format": "round-robin"}
"""What holds where an identity says nothing, as those of older runs do."""


def canonical(value: object) -> str:
    """Returns the one JSON text of *value*: sorted keys, no spaces, plain ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def binding(identity: Mapping[str, Any]) -> dict[str, object]:
    """Returns the part of *identity* that stored tables hold to.

    With other deals or other rules they would mean nothing beside those still to come. What else
    may change, if somebody says so: the content of a bot, the times it has, how it is called, and
    who plays how often, as long as the tables stay those of the schedule. A run in which bots are
    not held stays one: it is unrated. How luck is adjusted for is fixed before the first table.
    """
    names = ("rules", "seed", "deals", "max_deals", "ask_forced")
    strikes = {"strikes": identity["clock"]["strikes"]}
    held = identity.get("sandbox", "none") != "none"
    luck = {"luck": identity["luck"]} if "luck" in identity else {}
    return {**{name: identity[name] for name in names}, "clock": strikes, "held": held, **luck}


def differences(old: Mapping[str, object], new: Mapping[str, object]) -> tuple[str, ...]:
    """Returns what changed between two identities, one readable line each; empty if nothing.

    The seed is secret, so a line says that it changed and not into what.
    """
    lines: list[str] = []
    old, new = (_resolved(each) for each in (old, new))
    for key in dict.fromkeys([*old, *new]):
        before, after = (each.get(key, UNSAID.get(key)) for each in (old, new))
        if before == after:
            continue
        if key == "rules" and isinstance(before, str) and isinstance(after, str):
            lines += _rule_differences(before, after)
        elif key == "entrants":
            lines += _entrant_differences(_by_name(before), _by_name(after))
        elif key == "clock" and isinstance(before, dict) and isinstance(after, dict):
            lines += [f"clock.{line}" for line in differences(before, after)]
        elif key == "seed":
            lines.append("seed: another one")
        else:
            lines.append(f"{key}: {_value(before)} -> {_value(after)}")
    return tuple(lines)


_HERE = re.compile(r"(?:\./+)+(?=[^?]*(?:/|\.py(?:\?|$)))")
"""What may stand in front of a file, and of a folder in another one, and says nothing."""


def _resolved(identity: Mapping[str, object]) -> Mapping[str, object]:
    """Returns *identity* with each bot's file called what it resolves to, however it was written.

    The folder ``./greedy`` stays what it is: without the dot it is a bot that comes with moon.
    """
    entrants = identity.get("entrants")
    if not isinstance(entrants, list):
        return identity
    return {**identity, "entrants": [_with_plain_texts(entrant) for entrant in entrants]}


def _with_plain_texts(entrant: Any) -> Any:
    bots = [{**bot, "text": plain_text(str(bot["text"]))} for bot in entrant["bots"]]
    return {**entrant, "bots": bots}


def plain_text(text: str) -> str:
    """Returns the text of a bot with every file called as it is without ``./`` in front.

    >>> plain_text("./fox.py?risk=1 / .//lair/fox.py"), plain_text("./greedy")
    ('fox.py?risk=1 / lair/fox.py', './greedy')
    """
    if text.startswith("cmd:"):
        return text
    return BETWEEN.join(
        part[len(found[0]) :] if (found := _HERE.match(part)) else part
        for part in text.split(BETWEEN)
    )


def _rule_differences(old: str, new: str) -> list[str]:
    try:
        changes = parse_rules(old).differences(parse_rules(new))
    except RulesError:
        return [f"rules: {old} -> {new}"]
    return [f"rule.{name}: {before} -> {after}" for name, (before, after) in changes.items()]


def _entrant_differences(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    lines = [f"bots: {name!r} is gone" for name in old if name not in new]
    lines += [f"bots: {name!r} is new" for name in new if name not in old]
    for name in old:
        if name in new and old[name] != new[name]:
            lines.append(f"bots: {name!r} has changed: {_bot_change(old[name], new[name])}")
    return lines or ["bots: the order has changed"]


def _by_name(entrants: object) -> dict[str, object]:
    if not isinstance(entrants, list):
        return {}
    return {str(e["name"]): e["bots"] for e in entrants}


def _bot_change(old: object, new: object) -> str:
    def texts(bots: object) -> list[str]:
        return [str(bot["text"]) for bot in bots] if isinstance(bots, list) else []

    if texts(old) != texts(new):
        return f"{' + '.join(texts(old))} -> {' + '.join(texts(new))}"
    return "another content under the same name"


def _value(value: object) -> str:
    """Returns *value* as people write it; every fraction is a time in seconds."""
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}s"
    return value if isinstance(value, str) else json.dumps(value)
