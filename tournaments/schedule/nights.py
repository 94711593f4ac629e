"""A league night: rounds after each of which everybody has met everybody equally often.

A night may end after any of its rounds, so each is whole by itself: once through a design in which
every two meet equally often, every block with all its seats turned. With three seats that is
Kirkman's, if it has a place for each and no more, else Mendelsohn's, in which house bots take the
places that are left; with four seats, pairs meet in a circle. Every second round goes the other way
round the table.

Some may not share a table, such as two bots of one author. Where three would meet of whom two may
not, each two who may meet with a house bot in place of the third. So whoever may meet meets as
often as all others do; what varies is how often one plays a house bot.

The field may change between rounds. A stage is what is played with one field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from referee.errors import ConfigError
from tournaments.schedule.blocks import EntrantId, Schedule
from tournaments.schedule.formats import (
    DESIGNS,
    Bases,
    Format,
    grown,
    house_bots,
    house_names,
    passage,
    turn,
)

Pair = frozenset[EntrantId]
"""Two entrants."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What is played with one field."""

    form: Format
    field: tuple[EntrantId, ...]
    """Who plays, without house bots."""
    house: tuple[EntrantId, ...]
    """The house bots; the first of them stands in for who may not sit somewhere."""
    apart: frozenset[Pair]
    """Every two of the field who may not share a table."""
    rounds: int
    """How many rounds were begun."""

    @classmethod
    def of(
        cls, field: Sequence[EntrantId], *, seats: int, apart: frozenset[Pair] = frozenset()
    ) -> Stage:
        """Returns a stage of which no round was begun.

        Args:
            field: Who plays.
            seats: How many sit at a table.
            apart: Every two who may not share a table; names of others do not matter.

        Raises:
            ConfigError: if there are too few, or nobody may meet anybody.
        """
        names = tuple(field)
        if len(names) < 2:
            raise ConfigError(
                None, None, f"a night needs two entries that play, and there are {len(names)}"
            )
        own = frozenset(pair for pair in apart if pair <= set(names))
        if len(own) == len(names) * (len(names) - 1) // 2:
            raise ConfigError(
                None,
                None,
                f"none of {', '.join(names)} may meet another: all are of one author; "
                "let entries of one author meet (authors.may_meet), or wait for others",
            )
        form = night_format(len(names), seats)
        count = _left_places(form, seats, len(names))
        if seats == 3 and own:
            count = max(1, count)
        return cls(form, names, house_names(count), own, 0)

    def to_json(self) -> dict[str, object]:
        """Returns the stage as JSON values, as `stage_of` reads them."""
        return {
            "format": self.form.value,
            "field": list(self.field),
            "house": list(self.house),
            "apart": sorted(sorted(pair) for pair in self.apart),
            "rounds": self.rounds,
        }


def stage_of(value: Mapping[str, Any]) -> Stage:
    """Returns the stage that `Stage.to_json` made *value* of."""
    return Stage(
        Format(value["format"]),
        tuple(map(EntrantId, value["field"])),
        tuple(map(EntrantId, value["house"])),
        frozenset(frozenset(map(EntrantId, pair)) for pair in value["apart"]),
        int(value["rounds"]),
    )


def night_format(count: int, seats: int) -> Format:
    """Returns the design of a round for *count* entrants.

    >>> [str(night_format(count, 3)) for count in (2, 3, 4, 9)], str(night_format(5, 4))
    (['mendelsohn', 'kirkman', 'mendelsohn', 'kirkman'], 'circle')
    """
    if seats == 4:
        return Format.CIRCLE
    size = DESIGNS[Format.KIRKMAN].size
    assert size is not None
    return Format.KIRKMAN if size(count) == count else Format.MENDELSOHN


def night_schedule(stages: Sequence[Stage], *, seats: int) -> Schedule:
    """Returns all that is played in *stages*; `Block.round` counts the rounds of the night.

    The schedule of more rounds, or of more stages, begins with that of fewer.
    """
    everybody = tuple(
        dict.fromkeys(who for stage in stages for who in (*stage.field, *stage.house))
    )
    place = {who: number for number, who in enumerate(everybody)}
    schedule, done = Schedule(everybody, ()), 0
    for stage in stages:
        blocks = _round(stage, place, seats)
        other_way = [turn(bases) for bases in blocks]
        for number in range(stage.rounds):
            schedule = grown(schedule, other_way if number % 2 else blocks, everybody, done)
            done += 1
    return schedule


def _left_places(form: Format, seats: int, count: int) -> int:
    """Returns how many house bots fill up the design for *count* entrants, two at least."""
    few = max(0, seats - count) if seats == 3 else 0
    return few + house_bots(form, seats, count + few)


def _round(stage: Stage, place: Mapping[EntrantId, int], seats: int) -> list[Bases]:
    """Returns the blocks of one round: by place, who sits at the tables of each."""
    count = len(stage.field)
    padding = _left_places(stage.form, seats, count)
    names = (*stage.field, *stage.house[:padding])
    blocks: list[Bases] = []
    for [base] in passage(stage.form, len(names), seats):
        meeting = tuple(dict.fromkeys(base))
        for seated in _allowed([names[number] for number in meeting], stage):
            sides = tuple(place[who] for who in seated)
            blocks.append((sides if seats == 3 else sides * 2,))
    return blocks


def _allowed(meeting: Sequence[EntrantId], stage: Stage) -> Iterator[tuple[EntrantId, ...]]:
    """Yields who plays instead of *meeting*: the same, unless some of them may not meet."""
    pairs = [frozenset(pair) for pair in combinations(meeting, 2)]
    if not any(pair in stage.apart for pair in pairs):
        yield tuple(meeting)
        return
    for pair in combinations(meeting, 2):
        if frozenset(pair) not in stage.apart and not set(pair) & set(stage.house):
            yield (*pair, stage.house[0])
