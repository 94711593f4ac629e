"""Late entry, withdrawal and suspension: another field from the edge of a round on.

What was played stays as it is, block by block, with its numbers and so with its deals. All else is
planned again for whoever plays from there on:

- In a round robin, a circle and a gauntlet, that is every meeting of theirs that was not played.
  Who enters late has all of them to come, who withdraws or is suspended none, and who comes back
  those that were missed. The order keeps what is left to each as even as it can.
- The other designs hold only with all their places. A newcomer takes the place of somebody who
  leaves, or else of a house bot, the last one first, so that who comes back has the old place
  again; a house bot takes a place that stays empty. When there is no place for a newcomer, the
  design is broken off, and what is left of the rounds is played in a larger one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby

from referee.errors import ConfigError
from tournaments.schedule.blocks import Block, EntrantId, Schedule
from tournaments.schedule.formats import (
    DESIGNS,
    Format,
    bases_of,
    grown,
    house_bots,
    make_schedule,
)
from tournaments.schedule.gauntlet import VERSIONS
from tournaments.schedule.plans import members, rounds_of

HOUSE = "house-"


def next_edge(schedule: Schedule, begun: int) -> int:
    """Returns how many blocks are in the rounds that the first *begun* blocks belong to."""
    edge = 0
    for blocks in rounds_of(schedule.blocks):
        if edge >= begun:
            break
        edge += len(blocks)
    return edge


def replan(
    form: Format, schedule: Schedule, edge: int, field: Sequence[EntrantId], *, rounds: int
) -> Schedule:
    """Returns *schedule* with another field from *edge* on.

    Its entrants are all who ever play, in the order in which they came, so that their results
    stay in the standings.

    Args:
        form: The format that the schedule was made for.
        schedule: What was planned.
        edge: How many blocks stay as they are; they end with a round, see `next_edge`.
        field: Who plays from there on, without house bots: those who stay in the order they have,
            and newcomers at any place.
        rounds: How often the format is played through, by the tournament file.

    Raises:
        ConfigError: if the field is too small or too large, names somebody twice, lacks a version
            that runs the gauntlet, or *edge* lies within a round.
    """
    if edge != next_edge(schedule, edge):
        raise ConfigError(None, None, f"block {edge} lies within a round; play it to its end first")
    seats = len(schedule.tables[0].seats)
    missing = house_bots(form, seats, len(field))
    if form is Format.GAUNTLET and tuple(field[:VERSIONS]) != schedule.entrants[:VERSIONS]:
        versions = " and ".join(schedule.entrants[:VERSIONS])
        raise ConfigError(None, "bots", f"without {versions} in front there is no gauntlet")
    played, planned = schedule.blocks[:edge], schedule.blocks[edge:]
    if DESIGNS[form].size is None:
        whole = make_schedule(form, field, seats=seats, rounds=rounds)
        left = _not_played(form, whole.blocks, played)
        if _keys(form, left) == _keys(form, planned):
            return schedule
        return _continued(schedule, edge, field, _evenly(left))
    if len(set(field)) < len(field):
        raise ConfigError(None, "bots", "two entrants have the same name")
    names = _renamed(schedule, planned, field)
    if names is not None:
        return _continued(schedule, edge, names.values(), planned, names)
    house = _new_house_bots(schedule, missing)
    begun = planned[0].round if planned else rounds
    whole = make_schedule(form, (*field, *house), seats=seats, rounds=max(1, rounds - begun))
    later = [Block(b.number, b.round + begun, b.cell, b.tables) for b in whole.blocks]
    return _continued(schedule, edge, (*field, *house), later)


def _keys(form: Format, blocks: Iterable[Block]) -> Counter[frozenset[object]]:
    """Returns what is played how often: the same meeting counts as played in any order."""
    if form is Format.ROUND_ROBIN:  # in which both ways round the table are wanted
        return Counter(frozenset(table.seats for table in block.tables) for block in blocks)
    return Counter(frozenset[object](members(block)) for block in blocks)


def _not_played(form: Format, wanted: Sequence[Block], played: Sequence[Block]) -> list[Block]:
    done, left = _keys(form, played), []
    for block in wanted:
        [key] = _keys(form, [block])
        if done[key]:
            done[key] -= 1
        else:
            left.append(block)
    return left


def _evenly(blocks: Sequence[Block]) -> list[Block]:
    """Returns *blocks* in an order in which those come next who have most left to play.

    Among equal ones the entrants come next who have met least since.
    """
    left = Counter(who for block in blocks for who in members(block))
    of: defaultdict[EntrantId, dict[int, Block]] = defaultdict(dict)
    for index, block in enumerate(blocks):
        for who in members(block):
            of[who][index] = block
    met: Counter[frozenset[EntrantId]] = Counter()
    order: list[Block] = []
    while len(order) < len(blocks):
        most = max(left.values())
        urgent = [who for who, count in left.items() if count == most]
        choice = {index: block for who in urgent for index, block in of[who].items()}

        def rank(index: int, choice: dict[int, Block] = choice) -> tuple[list[int], int, int]:
            playing = members(choice[index])
            return sorted(-left[who] for who in playing), met[playing], index

        index = min(choice, key=rank)
        playing = members(choice[index])
        order.append(choice[index])
        met[playing] += 1
        for who in playing:
            left[who] -= 1
            del of[who][index]
    return order


def _renamed(
    schedule: Schedule, planned: Sequence[Block], field: Sequence[EntrantId]
) -> dict[EntrantId, EntrantId] | None:
    """Returns who takes whose place in the *planned* blocks; ``None`` if there are too few."""
    seated = dict.fromkeys(
        who for who in schedule.entrants if any(who in members(b) for b in planned)
    )
    house = [who for who in seated if who.startswith(HOUSE) and who not in field]
    leaving = [who for who in seated if who not in field and who not in house]
    coming = [who for who in field if who not in seated]
    if len(coming) > len(leaving) + len(house):
        return None
    names = {who: who for who in seated}
    names.update(zip([*leaving, *reversed(house)], coming, strict=False))
    empty = leaving[len(coming) :]
    names.update(zip(empty, _new_house_bots(schedule, len(empty)), strict=True))
    return names


def _new_house_bots(schedule: Schedule, count: int) -> list[EntrantId]:
    """Returns names of house bots that nobody has."""
    names = (EntrantId(f"{HOUSE}{n + 1}") for n in range(len(schedule.entrants) + count))
    return [name for name in names if name not in schedule.entrants][:count]


def _continued(
    schedule: Schedule,
    edge: int,
    field: Iterable[EntrantId],
    blocks: Iterable[Block],
    names: dict[EntrantId, EntrantId] | None = None,
) -> Schedule:
    """Returns the first *edge* blocks of *schedule*, and *blocks* behind them.

    Args:
        schedule: What was planned.
        edge: How many of its blocks stay.
        field: Who plays from there on.
        blocks: What is played from there on.
        names: By who sits in *blocks*: who is to sit there instead.
    """
    everybody = tuple(dict.fromkeys((*schedule.entrants, *field)))
    place = {who: number for number, who in enumerate(everybody)}
    result = Schedule(everybody, schedule.blocks[:edge])
    for passage, group in groupby(blocks, key=lambda block: block.round):
        bases = [
            tuple(tuple(place[(names or {}).get(who, who)] for who in base) for base in bases_of(b))
            for b in group
        ]
        result = grown(result, bases, everybody, passage)
    return result
