"""Designs: who meets whom, in which seats, in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from referee.errors import ConfigError
from tournaments.schedule.blocks import Block, EntrantId, Schedule, Table
from tournaments.schedule.fair_order import fair_order

Seatings = tuple[tuple[EntrantId, ...], ...]


def round_robin(entrants: Sequence[EntrantId], *, seats: int, rounds: int = 1) -> Schedule:
    """Returns the schedule in which everybody meets everybody, in every seat.

    Three seats: every three entrants play two blocks in each round, one for each way round the
    table, and each block holds the three cyclic seatings. Four seats: the entrants are pairs, and
    every two of them play one block, which holds both ways of sharing out the seats.

    The order is fair: after any number of blocks no two entrants have played numbers of blocks
    that differ by more than one, and pairs of entrants have met about equally often (see
    `fair_order`). With three seats a round goes twice through the triples in that order, the
    second time the other way round the table.

    Equal arguments give equal schedules, on any machine. The blocks of n + 1 rounds begin with the
    blocks of n rounds, so that a run can be made longer.

    Raises:
        ConfigError: if there are too few entrants, or two have the same name.
    """
    check_entrants(entrants, seats=seats)
    if rounds < 1:
        raise ConfigError(None, "rounds", f"must be at least 1, got {rounds}")
    one_round = tuple(_three(entrants) if seats == 3 else _four(entrants))
    blocks: list[Block] = []
    for number_of_round in range(rounds):
        for cell, seatings in one_round:
            block = len(blocks)
            tables = tuple(
                Table(block * len(seatings) + lane, block, lane, seating)
                for lane, seating in enumerate(seatings)
            )
            blocks.append(Block(block, number_of_round, cell, tables))
    return Schedule(tuple(entrants), tuple(blocks))


def check_entrants(entrants: Sequence[EntrantId], *, seats: int) -> None:
    """Refuses a list of entrants that no design can seat.

    Raises:
        ConfigError: if there are too few entrants, or two have the same name.
    """
    if seats not in (3, 4):
        raise ConfigError(None, "seats", f"a table has 3 or 4 seats, not {seats}")
    least, what = (3, "entrants") if seats == 3 else (2, "pairs")
    if len(entrants) < least:
        raise ConfigError(
            None,
            "bots",
            f"a table with {seats} seats needs at least {least} {what}, got {len(entrants)}; "
            "the same bot may be entered more than once",
        )
    twice = [name for name, count in Counter(entrants).items() if count > 1]
    if twice:
        raise ConfigError(None, "bots", f"two entrants have the name {twice[0]!r}")


def _three(entrants: Sequence[EntrantId]) -> Iterator[tuple[str, Seatings]]:
    """Yields the cell and the seatings of every block of a round with three seats."""
    triples = fair_order(len(entrants), 3)
    met: Counter[tuple[int, int]] = Counter()
    first_way: list[tuple[int, int, int]] = []
    for a, b, c in triples:
        # Of the two ways round the table the one whose neighbours have met less often.
        way = min((a, b, c), (a, c, b), key=lambda way: sum(met[pair] for pair in _neighbours(way)))
        met.update(_neighbours(way))
        first_way.append(way)
    for passage in (first_way, [(a, c, b) for a, b, c in first_way]):
        for members in passage:
            x, y, z = (entrants[i] for i in members)
            yield _cell(members), ((x, y, z), (y, z, x), (z, x, y))


def _four(entrants: Sequence[EntrantId]) -> Iterator[tuple[str, Seatings]]:
    """Yields the cell and the seatings of every block of a round with four seats."""
    for members in fair_order(len(entrants), 2):
        x, y = (entrants[i] for i in members)
        yield _cell(members), ((x, y, x, y), (y, x, y, x))


def _neighbours(way: tuple[int, int, int]) -> tuple[tuple[int, int], ...]:
    a, b, c = way
    return (a, b), (b, c), (c, a)


def _cell(members: Sequence[int]) -> str:
    return "-".join(map(str, sorted(members)))
