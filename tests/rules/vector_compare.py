"""Whether an expected answer and ours say the same, in whatever words the file chose."""

from __future__ import annotations

from vector_reading import Json, OneOf

_SETS = {"legal_plays", "legal_bids", "trump_choices", "discard_legal", "led_suit"}
"""The questions whose lists have no order."""

_SYNONYMS = {
    "won": "won over done closed ended complete completed finished sold contract bidder made",
    "open": "open continues continue ongoing running in_progress incomplete pending next",
    "redeal": "redeal thrown_in all_pass all_passed passed_out reshuffle",
    "illegal": "illegal illegal_bid",
    "rejected": "rejected reject refused refuse invalid impossible error illegal not_allowed",
    "ok": "ok valid allowed accepted",
    "continue": "continue continues play_on go_on goes_on playing all_seven play yes",
    "stop": "stop stops over ended decided stop_when_decided no",
}
"""By our word: the words a file may use for it."""

_SCALARS: dict[str, dict[type, tuple[str, ...]]] = {
    "auction": {str: ("status",), int: ("bidder",), type(None): ("bidder",)},
    "setup": {bool: ("valid",), str: ("status",), int: ("tiles",)},
    "hand_delta": {bool: ("made",), list: ("delta",)},
    "game_state": {bool: ("over",), list: ("scores",), int: ("winner",), type(None): ("winner",)},
    "play_out": {
        bool: ("continue",),
        str: ("status",),
        int: ("tricks_played", "remaining"),
        list: ("tricks_won",),
    },
}
"""By question and type: the facts that an expected answer without names can mean."""

_MISSING = "(no such fact)"


def agrees(question: str, expect: Json, got: Json) -> bool:
    """Whether *got*, the answer of `vector_answers`, says what *expect* says."""
    if isinstance(got, OneOf):
        return any(agrees(question, expect, way) for way in got.ways)
    if isinstance(got, dict):
        if isinstance(expect, dict):
            return bool(expect) and all(
                _same_fact(question, name, expect[name], got) for name in expect
            )
        names = _SCALARS.get(question, {}).get(type(expect), ())
        return any(_same_fact(question, name, expect, got) for name in names)
    if isinstance(expect, dict):
        # One fact under one name: {"legal": [...]}, {"winner": 1}, {"count": 7}.
        return len(expect) == 1 and agrees(question, next(iter(expect.values())), got)
    if question == "phase_order":
        return _phases(expect) == _phases(got)
    if question in _SETS and isinstance(expect, list) and isinstance(got, list):
        return len(expect) == len(got) and _sorted(expect) == _sorted(got)
    return same(expect, got)


def shown(expect: Json, got: Json) -> Json:
    """Returns the part of *got* that was asked for."""
    if isinstance(got, OneOf):
        return got.ways[0]
    if isinstance(expect, dict) and isinstance(got, dict):
        return {name: got.get(name, _MISSING) for name in expect}
    if isinstance(got, dict):
        return got.get("status") or got
    return got


def same(expect: Json, got: Json) -> bool:
    """Whether two values are equal, a number and its text being one; true and 1 are not."""
    if isinstance(expect, bool) or isinstance(got, bool) or expect is None or got is None:
        return expect is got
    if isinstance(expect, list) and isinstance(got, list):
        return len(expect) == len(got) and all(map(same, expect, got))
    if isinstance(expect, dict) and isinstance(got, dict):
        return expect.keys() <= got.keys() and all(same(expect[name], got[name]) for name in expect)
    return str(expect).lower() == str(got).lower()


def _same_fact(question: str, name: str, expect: Json, facts: dict[str, Json]) -> bool:
    if name not in facts:
        numbers = (facts.get("tricks_played"), facts.get("remaining"))
        return question == "play_out" and type(expect) is int and expect in numbers
    got = facts[name]
    if question == "setup" and name in ("has", "lacks"):
        return {str(tile) for tile in expect} <= set(got)
    if question == "setup" and got == [] and expect is None:
        return True
    if isinstance(got, str) and isinstance(expect, str) and got in _SYNONYMS:
        return _word(expect) in _SYNONYMS[got].split()
    if isinstance(expect, bool) and not isinstance(got, bool):
        return expect == (got is not None)  # "wins_game": true for "wins_game": 0
    if got is True and isinstance(expect, str):
        return bool(expect)  # "error": "a reason in other words"
    if isinstance(expect, list) and isinstance(got, list) and "legal" in name:
        return _sorted(expect) == _sorted(got)
    return same(expect, got)


def _word(text: str) -> str:
    return text.lower().replace(" ", "_").replace("-", "_")


def _sorted(values: list[Json]) -> list[str]:
    return sorted(str(value).lower() for value in values)


def _phases(names: Json) -> list[str]:
    """Returns the phases by their plain names; ``exchange`` is taking and discarding in one."""
    found: list[str] = []
    for name in names if isinstance(names, list) else []:
        for word, phases in _PHASES.items():
            if word in str(name).lower():
                found += [phase for phase in phases if phase not in found]
                break
        else:
            found.append(str(name))
    return found


_PHASES: dict[str, tuple[str, ...]] = {
    "trump": ("name_trump",),
    "exchange": ("take_middle", "discard"),
    "discard": ("discard",),
    "take": ("take_middle",),
    "middle": ("take_middle",),
    "widow": ("take_middle",),
    "auction": ("auction",),
    "bid": ("auction",),
    "lead": ("lead",),
    "play": ("lead",),
    "deal": (),
    "scor": (),
}
"""By a word in its name: the phases that are meant."""
