"""The formats of a tournament: which design a schedule is made of.

A format here is a design: the whole schedule is known before the first deal. A format whose next
round hangs on results (Swiss, knockout, racing) gets a module of its own beside the designs; it
grows a schedule round by round with `grown`, as `tournaments.schedule.nights` does for a field that
changes, and takes its place in `Format` and `DESIGNS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from referee.errors import ConfigError
from tournaments.schedule import fours, triples
from tournaments.schedule.blocks import Block, EntrantId, Schedule, Table
from tournaments.schedule.designs import check_entrants, round_robin
from tournaments.schedule.fair_rounds import fair_sequence
from tournaments.schedule.gauntlet import gauntlet_blocks
from tournaments.schedule.starters import Round, Seating

Who = TypeVar("Who")
Bases = tuple[Seating, ...]
"""The tables of a block, one for all that differ only in how the seats are turned."""


class Format(StrEnum):
    """The name of a format, as it stands in tournament files and stores."""

    ROUND_ROBIN = "round-robin"
    MENDELSOHN = "mendelsohn"
    KIRKMAN = "kirkman"
    CIRCLE = "circle"
    WHIST = "whist"
    MIXED = "mixed"
    GAUNTLET = "gauntlet"


@dataclass(frozen=True, slots=True)
class Design:
    """What a format asks for, and what it makes of it."""

    summary: str
    """What it does, in a few words."""
    least: Mapping[int, int]
    """By the seats of a table it can be played with: how many entrants it needs."""
    size: Callable[[int], int] | None = None
    """How many places the design has for that many entrants; house bots take those left.

    ``None`` if it has a place for each and no more.
    """
    most: int | None = None
    """How many entrants it takes."""
    rounds: Callable[[int], tuple[Round, ...]] | None = None
    """The rounds for that many places, if it comes in rounds."""
    is_individual: bool = False
    """Whether four single bots sit at a table of four, in partnerships that change."""
    is_own_partner: bool = False
    """Whether these are now and then their own partners."""

    def seats_held(self, seats: int) -> int:
        """Returns how many of the *seats* of a table an entrant holds at most."""
        return 2 if seats == 4 and (self.is_own_partner or not self.is_individual) else 1


DESIGNS: Mapping[Format, Design] = {
    Format.ROUND_ROBIN: Design("everybody meets everybody, in all ways", {3: 3, 4: 2}),
    Format.MENDELSOHN: Design(
        "every two meet twice, once to the left of each other",
        {3: 3},
        size=triples.mendelsohn_size,
        rounds=triples.mendelsohn_rounds,
    ),
    Format.KIRKMAN: Design(
        "every two meet once", {3: 3}, size=triples.kirkman_size, rounds=triples.kirkman_rounds
    ),
    Format.CIRCLE: Design("every two pairs meet, in rounds", {4: 2}, rounds=fours.circle_rounds),
    Format.WHIST: Design(
        "every two are partners once and opponents twice",
        {4: 3},
        size=fours.whist_size,
        rounds=fours.whist_rounds,
        is_individual=True,
    ),
    Format.MIXED: Design(
        "every two are partners once and opponents twice, everybody is once its own partner",
        {4: 3},
        size=fours.mixed_size,
        most=fours.largest_mixed(),
        rounds=fours.mixed_rounds,
        is_individual=True,
        is_own_partner=True,
    ),
    Format.GAUNTLET: Design(
        "a new version and its predecessor meet the field on the same deals", {3: 4, 4: 3}
    ),
}


def check_format(form: Format, seats: int, count: int) -> None:
    """Refuses what *form* cannot seat.

    Args:
        form: The format.
        seats: How many sit at a table.
        count: How many entrants there are, house bots left out.

    Raises:
        ConfigError: if it does not fit the seats, or there are too few entrants, or too many.
    """
    design = DESIGNS[form]
    if seats not in design.least:
        fitting = ", ".join(f'"{f}"' for f in Format if seats in DESIGNS[f].least)
        others = " or ".join(map(str, design.least))
        raise ConfigError(
            None,
            "format",
            f'"{form}" is for {others} seats at a table, and there are {seats}; take rules for '
            f"{others} players (for a plan of so many --entrants: --seats {others}), or a format "
            f"for {seats}; these are: {fitting}",
        )
    least = design.least[seats]
    if form is not Format.ROUND_ROBIN and count < least:
        raise ConfigError(
            None, "bots", f'the format "{form}" needs at least {least} entrants, got {count}'
        )
    if design.most is not None and count > design.most:
        raise ConfigError(
            None, "bots", f'the format "{form}" takes at most {design.most} entrants, got {count}'
        )


def house_bots(form: Format, seats: int, count: int) -> int:
    """Returns how many house bots *form* needs beside *count* entrants.

    >>> house_bots(Format.MENDELSOHN, 3, 20), house_bots(Format.ROUND_ROBIN, 3, 20)
    (1, 0)

    Raises:
        ConfigError: if *form* cannot seat that many entrants.
    """
    check_format(form, seats, count)
    size = DESIGNS[form].size
    return 0 if size is None else size(count) - count


def house_names(count: int) -> tuple[EntrantId, ...]:
    """Returns the names of *count* house bots."""
    return tuple(EntrantId(f"house-{number + 1}") for number in range(count))


def make_schedule(
    form: Format, entrants: Sequence[EntrantId], *, seats: int, rounds: int = 1
) -> Schedule:
    """Returns the schedule of *form* for *entrants*, house bots among them.

    After any block no two entrants have played numbers of blocks that differ by more than one (in
    a gauntlet: no two of the field). Equal arguments give equal schedules, and the blocks of n + 1
    rounds begin with those of n.

    Args:
        form: The format.
        entrants: Everybody, in the order of their places in the design.
        seats: How many sit at a table.
        rounds: How often the design is played through; every second time the other way round the
            table.

    Raises:
        ConfigError: if there are too few entrants or two of one name, or places are left without a
            house bot.
    """
    check_format(form, seats, len(entrants))
    if form is Format.ROUND_ROBIN:
        return round_robin(entrants, seats=seats, rounds=rounds)
    check_entrants(entrants, seats=seats)
    if rounds < 1:
        raise ConfigError(None, "rounds", f"must be at least 1, got {rounds}")
    missing = house_bots(form, seats, len(entrants))
    if missing:
        raise ConfigError(
            None, "bots", f'the format "{form}" needs {missing} more entrants; add house bots'
        )
    planned = passage(form, len(entrants), seats)
    schedule = Schedule(tuple(entrants), ())
    for number in range(rounds):
        turned = [turn(bases) for bases in planned] if number % 2 else planned
        schedule = grown(schedule, turned, entrants, number)
    return schedule


def passage(form: Format, places: int, seats: int) -> tuple[Bases, ...]:
    """Returns the blocks of one passage through a design, in a fair order of play."""
    design = DESIGNS[form]
    if design.rounds is None:
        return gauntlet_blocks(places, seats)
    sequence = fair_sequence(design.rounds(places), places)
    # Pairs sit on two seats each.
    return tuple(((table * 2 if len(table) == 2 else table),) for table in sequence)


def turn(bases: Bases) -> Bases:
    """Returns the tables of a block the other way round."""
    return tuple((first, *reversed(rest)) for first, *rest in bases)


def grown(
    schedule: Schedule, blocks: Iterable[Bases], places: Sequence[EntrantId], number: int
) -> Schedule:
    """Returns *schedule* with more blocks at its end; those it has stay as they are.

    Args:
        schedule: What there is.
        blocks: The tables of each block that follows; each is played with all seats turned.
        places: By the numbers in *blocks*: who is meant.
        number: Which passage through a design the blocks belong to, from 0.
    """
    done = list(schedule.blocks)
    table_number = len(schedule.tables)
    cells = {who: index for index, who in enumerate(schedule.entrants)}
    for bases in blocks:
        seatings = [seating for base in bases for seating in rotations(base)]
        tables = []
        for lane, seating in enumerate(seatings):
            seats = tuple(places[x] for x in seating)
            tables.append(Table(table_number, len(done), lane, seats))
            table_number += 1
        cell = _cell([[cells[places[x]] for x in base] for base in bases])
        done.append(Block(len(done), number, cell, tuple(tables)))
    return Schedule(schedule.entrants, tuple(done))


def rotations(base: tuple[Who, ...]) -> tuple[tuple[Who, ...], ...]:
    """Returns the different ways to turn the seats of a table.

    >>> rotations((0, 1, 2)), rotations((0, 1, 0, 1))
    (((0, 1, 2), (1, 2, 0), (2, 0, 1)), ((0, 1, 0, 1), (1, 0, 1, 0)))
    """
    return tuple(dict.fromkeys((*base[k:], *base[:k]) for k in range(len(base))))


def bases_of(block: Block) -> tuple[tuple[EntrantId, ...], ...]:
    """Returns the tables of *block*, one for all that differ only in how the seats are turned."""
    found: list[tuple[EntrantId, ...]] = []
    known: set[tuple[EntrantId, ...]] = set()
    for table in block.tables:
        if table.seats not in known:
            known.update(rotations(table.seats))
            found.append(table.seats)
    return tuple(found)


def _cell(bases: Sequence[Sequence[int]]) -> str:
    """Returns who meets, the same for every way round the table; partners stand together."""
    first = bases[0]
    if len(first) == 4 and first[:2] != first[2:]:
        sides = sorted("+".join(map(str, sorted(side))) for side in (first[::2], first[1::2]))
        return "-".join(sides)
    return "-".join(str(x) for x in sorted({x for base in bases for x in base}))
