"""What a format promises, written down beside the rounds so that anybody can count it.

The document has the form that design checkers for tournaments read: ``kind`` says what a table is,
``rounds`` who sits at which and who sits out, ``expand`` that each table is played in all
rotations, and ``expect`` what every count must be: one number, [from, to], or a histogram. What is
expected follows from the format, the number of places and how often it is played through, and not
from the rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tournaments.schedule import fours
from tournaments.schedule.blocks import Block, EntrantId
from tournaments.schedule.formats import Format
from tournaments.schedule.gauntlet import VERSIONS
from tournaments.schedule.plans import Plan, meetings, sitting_out

Document = dict[str, object]
Expected = int | list[int] | Mapping[str, int]


def certificate(plan: Plan, name: str) -> Document:
    """Returns *plan* with what it promises, as JSON values.

    In a gauntlet of three seats there are two designs, under ``designs``: all of it, and how the
    field meets.
    """
    if plan.form is not Format.GAUNTLET:
        return _one(plan, name)
    whole = _gauntlet(plan, name)
    return {"designs": [whole, _field(plan, name)]} if whole["kind"] == "ffa3" else whole


def _one(plan: Plan, name: str) -> Document:
    places = len(plan.schedule.entrants)
    passages = plan.schedule.blocks[-1].round + 1
    size = len(meetings(plan.schedule.blocks[0])[0])
    kind = {2: "pairs", 3: "ffa3", 4: "team2v2"}[size]
    expect = promises(plan.form, places, size, passages)
    return {
        "name": name,
        "kind": kind,
        "players": list(plan.schedule.entrants),
        "expand": "rotations",
        **({"allow_self": True} if plan.form is Format.MIXED else {}),
        "expect": {
            **expect,
            "prefix_games_spread": [0, 1],
            "resolvable": True,
        },
        "rounds": [_round(blocks, plan.schedule.entrants) for blocks in plan.rounds],
    }


def promises(form: Format, places: int, size: int, passages: int) -> dict[str, Expected]:
    """Returns what must be counted in a schedule of *form*.

    Args:
        form: The format; no gauntlet.
        places: How many play, house bots among them.
        size: How many meet at a table; fixed pairs are one each.
        passages: How often the design is played through.
    """
    n, r = places, passages
    if size == 2:
        return _even(r, (n - 1) * r) | {"opponent_count": r, "left_neighbour_count": 2 * r}
    if form is Format.ROUND_ROBIN:
        met = 2 * (n - 2) * r
        promised = _even(met, (n - 1) * (n - 2) * r)
        return promised | {"left_neighbour_count": 3 * met // 2, "triple_count": 2 * r}
    if form is Format.MENDELSOHN:
        return _even(2 * r, (n - 1) * r) | {"left_neighbour_count": 3 * r}
    if form is Format.KIRKMAN:
        left = [3 * (r // 2), 3 * (r - r // 2)]
        promised = _even(r, (n - 1) // 2 * r)
        return promised | {"left_neighbour_count": left, "triple_count": r}
    together: dict[str, Expected] = {
        "partner_count": r,
        "opponent_count": 2 * r,
        "pair_count": 3 * r,
    }
    if form is Format.WHIST:
        left = [4 * r, 4 * r]
        if r % 2 and not fours.is_directed(fours.whist_rounds(n)):
            left = [4 * (r - 1), 4 * (r + 1)]
        promised = _even(3 * r, (n - 1) * r)
        return promised | together | {"left_opponent_count": left}
    # Whoever is its own partner sits at two seats, and to the left and right of both opponents.
    left = [4 * (r - r % 2), 8 * r]
    return together | {
        "self_partner_count": r,
        "games_per_player": n * r,
        "seat_count": (n + 1) * r,
        "left_opponent_count": left,
    }


def _even(met: int, games: int) -> dict[str, Expected]:
    """Returns what follows from everybody sitting in every seat of every block."""
    return {
        "pair_count": met,
        "seat_pair_count": met,
        "games_per_player": games,
        "seat_count": games,
    }


def _round(blocks: Sequence[Block], entrants: Sequence[EntrantId]) -> Document:
    tables = [list(meeting) for block in blocks for meeting in meetings(block)]
    return {"tables": tables, "byes": list(sitting_out(blocks, entrants))}


def _gauntlet(plan: Plan, name: str) -> Document:
    """Returns the design in which the versions meet the field, who are there for both of them."""
    entrants, passages = plan.schedule.entrants, plan.schedule.blocks[-1].round + 1
    field = len(entrants) - VERSIONS
    size = len(meetings(plan.schedule.blocks[0])[0])
    pairs = field * (field - 1) // 2
    # Each version meets `often` times everybody of the field, who meet each other `within` times.
    often, within = ((field - 1) * passages, 2 * passages) if size == 3 else (passages, 0)
    blocks = (pairs if size == 3 else field) * passages
    met = _histogram((often, VERSIONS * field), (within, pairs), (0, 1))
    expect: Document = {
        "rounds": blocks,
        "tables_per_round": VERSIONS,
        "pair_count": met,
        "games_per_player": _histogram((blocks, VERSIONS), (VERSIONS * often, field)),
        "seat_count": _histogram((blocks, VERSIONS * size), (VERSIONS * often, field * size)),
    }
    if size == 2:
        expect["opponent_count"] = met
    return {
        "name": name,
        "kind": "ffa3" if size == 3 else "pairs",
        "players": list(entrants),
        "expand": "rotations",
        "allow_multi": True,
        "expect": expect,
        "rounds": [_round(blocks, entrants) for blocks in plan.rounds],
    }


def _field(plan: Plan, name: str) -> Document:
    """Returns the design in which every two of the field meet: with both versions, each time."""
    entrants = plan.schedule.entrants[VERSIONS:]
    passages = plan.schedule.blocks[-1].round + 1
    rounds: list[Document] = []
    for blocks in plan.rounds:
        tables = [list(meetings(block)[0][1:]) for block in blocks]
        rounds.append({"tables": tables, "byes": list(sitting_out(blocks, entrants))})
    return {
        "name": f"{name}: the field",
        "kind": "pairs",
        "players": list(entrants),
        "expect": {
            "rounds": len(entrants) * (len(entrants) - 1) // 2 * passages,
            "opponent_count": passages,
            "left_neighbour_count": passages,
            "games_per_player": (len(entrants) - 1) * passages,
            "prefix_games_spread": [0, 1],
        },
        "rounds": rounds,
    }


def _histogram(*counts: tuple[int, int]) -> dict[str, int]:
    """Returns how often each value must be counted, from (value, how often)."""
    total: Counter[int] = Counter()
    for value, times in counts:
        total[value] += times
    return {str(value): times for value, times in total.items() if times}
