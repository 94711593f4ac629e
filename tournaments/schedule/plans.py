"""A schedule seen as a plan: its rounds, and how evenly everything is shared out.

A *round* is as many blocks, one after the other, as can be played at the same time: nobody plays
two of them. So after every round nobody has sat out more than one round more than anybody else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from tournaments.schedule.blocks import Block, EntrantId, Schedule
from tournaments.schedule.formats import Format, bases_of
from tournaments.schedule.gauntlet import VERSIONS

Meeting = tuple[EntrantId, ...]
"""Who plays a block, clockwise; fixed pairs stand there once."""


def meetings(block: Block) -> tuple[Meeting, ...]:
    """Returns the tables of *block*, one for all that differ only in how the seats are turned."""
    found = []
    for seats in bases_of(block):
        half = len(seats) // 2
        is_pairs = len(seats) == 4 and seats[:half] == seats[half:]
        found.append(seats[:half] if is_pairs else seats)
    return tuple(found)


def members(block: Block) -> frozenset[EntrantId]:
    """Returns everybody who plays *block*."""
    return frozenset(who for table in block.tables for who in table.seats)


def rounds_of(blocks: Iterable[Block]) -> tuple[tuple[Block, ...], ...]:
    """Returns *blocks* as rounds; their order stays."""
    rounds: list[list[Block]] = []
    busy: frozenset[EntrantId] = frozenset()
    for block in blocks:
        playing = members(block)
        if not rounds or busy & playing:
            rounds.append([])
            busy = frozenset()
        rounds[-1].append(block)
        busy |= playing
    return tuple(map(tuple, rounds))


def sitting_out(tables: Iterable[Block], entrants: Sequence[EntrantId]) -> tuple[EntrantId, ...]:
    """Returns who of *entrants* plays none of the blocks, in their order."""
    playing = frozenset[EntrantId]().union(*map(members, tables))
    return tuple(who for who in entrants if who not in playing)


class Spread(NamedTuple):
    """How evenly something is shared out."""

    what: str
    """What is counted."""
    whose: str
    """Of whom: ``everybody``, or in a gauntlet ``versions``, ``field``, or one against the other"""
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be played."""

    form: Format
    schedule: Schedule
    rounds: tuple[tuple[Block, ...], ...]
    balance: tuple[Spread, ...]


def make_plan(form: Format, schedule: Schedule) -> Plan:
    """Returns the plan that *schedule*, which was made for *form*, is."""
    rounds = rounds_of(schedule.blocks)
    return Plan(form, schedule, rounds, tuple(_balance(form, schedule, rounds)))


def _balance(
    form: Format, schedule: Schedule, rounds: Sequence[Sequence[Block]]
) -> Iterable[Spread]:
    counts = _Counts(schedule)
    if form is not Format.GAUNTLET:
        yield from counts.alone("everybody", schedule.entrants, rounds)
        pairs = list(combinations(schedule.entrants, 2))
        yield from counts.together("everybody", pairs)
        return
    versions, opponents = schedule.entrants[:VERSIONS], schedule.entrants[VERSIONS:]
    yield from counts.alone("versions", versions, rounds)
    yield from counts.alone("field", opponents, rounds)
    against = [(one, other) for one in versions for other in opponents]
    yield from counts.together("versions and field", against)
    if schedule.entrants and len(schedule.tables[0].seats) == 3:
        yield from counts.together("field", list(combinations(opponents, 2)))


class _Counts:
    """Everything that can be counted in a schedule."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._seats: Counter[tuple[EntrantId, int]] = Counter()
        self._left: Counter[tuple[EntrantId, EntrantId]] = Counter()
        self._met: Counter[frozenset[EntrantId]] = Counter()
        self._partners: Counter[frozenset[EntrantId]] = Counter()
        self._opponents: Counter[frozenset[EntrantId]] = Counter()
        self._is_individual = False
        for block in schedule.blocks:
            for meeting in meetings(block):
                self._meet(meeting)
            for table in block.tables:
                self._seats.update(zip(table.seats, range(len(table.seats)), strict=True))
                # The next seat clockwise is the one to the left.
                around = (*table.seats[1:], table.seats[0])
                self._left.update(set(zip(table.seats, around, strict=True)))

    def _meet(self, meeting: Meeting) -> None:
        self._met.update({frozenset(two) for two in combinations(meeting, 2)})
        if len(meeting) == 4:
            self._is_individual = True
            self._partners.update(frozenset(side) for side in (meeting[::2], meeting[1::2]))
            self._opponents.update({frozenset((a, b)) for a in meeting[::2] for b in meeting[1::2]})

    def alone(
        self, whose: str, entrants: Sequence[EntrantId], rounds: Sequence[Sequence[Block]]
    ) -> Iterable[Spread]:
        """Yields what concerns each of *entrants* by itself."""
        seats = len(self._schedule.tables[0].seats)
        played: Counter[EntrantId] = Counter()
        ahead = 0
        for block in self._schedule.blocks:
            played.update(members(block))
            now = [played[who] for who in entrants]
            ahead = max(ahead, max(now) - min(now))
        at_seats = [self._seats[who, seat] for who in entrants for seat in range(seats)]
        yield _spread("blocks of an entrant", whose, [played[who] for who in entrants])
        yield _spread("tables in a seat", whose, at_seats)
        out = Counter(who for blocks in rounds for who in sitting_out(blocks, entrants))
        yield _spread("rounds sat out", whose, [out[who] for who in entrants])
        yield Spread("blocks ahead of another, at any time", whose, 0, ahead)
        if self._is_individual:
            alone = [self._partners[frozenset((who,))] for who in entrants]
            if any(alone):
                yield _spread("meetings as its own partner", whose, alone)

    def together(
        self, whose: str, pairs: Sequence[tuple[EntrantId, EntrantId]]
    ) -> Iterable[Spread]:
        """Yields what concerns two entrants each."""
        two = [frozenset(pair) for pair in pairs]
        yield _spread("meetings of two", whose, [self._met[pair] for pair in two])
        if self._is_individual:
            yield _spread("as partners", whose, [self._partners[pair] for pair in two])
            yield _spread("as opponents", whose, [self._opponents[pair] for pair in two])
        left = [self._left[order] for a, b in pairs for order in ((a, b), (b, a))]
        yield _spread("tables to the left of another", whose, left)


def _spread(what: str, whose: str, counts: Sequence[int]) -> Spread:
    return Spread(what, whose, min(counts), max(counts))
