"""What was seen of a behaviour, and whether the promises of the catalogue were kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from referee.bots.sandbox.promises import TITLES
from tournaments.zoo.catalogue import OK, Behaviour, Promise


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """A fault that the referee charged to a bot of the zoo."""

    kind: str
    detail: str


@dataclass(slots=True)
class Sighting:
    """What was seen of one behaviour. Filled while it is tried."""

    faults: list[FaultSeen] = field(default_factory=list)
    """What the bots of the zoo were charged with."""
    output: bytes = b""
    """All that was kept of what they wrote."""
    harm: list[str] = field(default_factory=list)
    """What became of others who did nothing wrong."""
    left: list[str] = field(default_factory=list)
    """What was still there once the bot was ended."""
    leaked: tuple[str, ...] = ()
    """The planted secrets that stand in what it wrote."""
    seconds: float = 0.0

    @property
    def attempts(self) -> dict[str, tuple[str, ...]]:
        """What the bot says it tried, by what became of it: ``got``, ``denied``, ``tried``."""
        lines = re.findall(r"^zoo: (got|denied|tried) (.*)$", self.text, re.MULTILINE)
        return {
            end: tuple(what for seen, what in lines if seen == end)
            for end in ("got", "denied", "tried")
        }

    @property
    def text(self) -> str:
        """What the bots wrote, as text."""
        return self.output.decode(errors="backslashreplace")


class Outcome(StrEnum):
    """What became of a behaviour."""

    PREVENTED = "prevented"
    DETECTED = "detected"
    SUCCEEDED = "succeeded"
    """It works here, or is not noticed."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether the promise was kept."""

    behaviour: Behaviour
    tier: str
    promised: Promise
    outcome: Outcome
    broken: tuple[str, ...]
    """In which ways the promise was broken; empty if it was kept."""
    why: str
    """Why it is not promised here; empty if it is."""
    sighting: Sighting

    @property
    def verdict(self) -> str:
        """What the referee said of the bot."""
        kinds = dict.fromkeys(fault.kind for fault in self.sighting.faults)
        return "+".join(kinds) or OK

    def as_json(self) -> dict[str, object]:
        """Returns all of it in a form that JSON can carry."""
        seen = self.sighting
        return {
            "id": self.behaviour.id,
            "name": self.behaviour.name,
            "promised": self.promised.value,
            "seen": self.outcome.value,
            "verdict": self.verdict,
            "broken": list(self.broken),
            "attempts": {end: list(what) for end, what in seen.attempts.items()},
            "faults": [{"kind": fault.kind, "detail": fault.detail} for fault in seen.faults],
            "harm": seen.harm,
            "left": seen.left,
            "leaked": list(seen.leaked),
            "why": self.why,
            "seconds": round(seen.seconds, 3),
        }


def judge(
    behaviour: Behaviour, tier: str, sighting: Sighting, unkept: Mapping[str, str]
) -> Judgement:
    """Returns whether what was seen of *behaviour* is what *tier* promises on this host.

    Args:
        behaviour: A row of the catalogue.
        tier: The sandbox that it ran in.
        sighting: What was seen.
        unkept: By promise of the tier that this host does not keep: the reason.
    """
    promised = behaviour.promises[tier]
    why = behaviour.why if promised is Promise.NOT_PROMISED else ""
    if promised is Promise.PREVENTED:
        reasons = [f"{TITLES[key]}: {unkept[key]}" for key in behaviour.needs if key in unkept]
        if reasons:
            promised, why = Promise.NOT_PROMISED, "; ".join(reasons)
    breaches = promised is not Promise.NOT_PROMISED and _breaches(behaviour, tier, sighting)
    outcome = _outcome(sighting)
    return Judgement(behaviour, tier, promised, outcome, tuple(breaches or ()), why, sighting)


def _outcome(sighting: Sighting) -> Outcome:
    if sighting.attempts["got"] or sighting.leaked or sighting.harm or sighting.left:
        return Outcome.SUCCEEDED
    if sighting.faults:
        return Outcome.DETECTED
    return Outcome.PREVENTED if any(sighting.attempts.values()) else Outcome.SUCCEEDED


def _breaches(behaviour: Behaviour, tier: str, sighting: Sighting) -> list[str]:
    """Returns in which ways the promise, which is to prevent or to detect, was broken."""
    breaches = [f"harmed another: {what}" for what in sighting.harm]
    breaches += [f"left behind: {what}" for what in sighting.left]
    breaches += [f"told what it must not know: {what}" for what in sighting.leaked]
    expected = behaviour.verdicts[tier]
    seen = {fault.kind for fault in sighting.faults} or {OK}
    if not seen <= set(expected):
        details = "; ".join(dict.fromkeys(fault.detail for fault in sighting.faults))
        breaches.append(
            f"the verdict is {', '.join(sorted(seen))} and not {' or '.join(expected)}"
            + (f" ({details})" if details else "")
        )
    attempts = sighting.attempts
    breaches += [f"could {what}" for what in attempts["got"]]
    if behaviour.promises[tier] is Promise.PREVENTED and not any(attempts.values()):
        breaches.append("tried nothing: it wrote no line `zoo: got`, `zoo: denied` or `zoo: tried`")
    return breaches
