"""The pictures of a report as plain numbers: places in per cent of a picture, steps of a scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tournaments.meetings import Versus
from tournaments.pages.night import Night
from tournaments.schedule import EntrantId
from tournaments.timing import Times

HEAT_STEPS = 4
"""Into how many steps a difference is put, up and down."""
LINE_STYLES = 8
"""How many lines can be told apart by colour; more are dashed."""


class Scale(NamedTuple):
    """A range of values, drawn from 0 to 100 per cent."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Scale:
        """Returns a scale on which all of *values* have a place; there is at least one."""
        found = list(values)
        low, high = min(found), max(found)
        spare = (high - low) * 0.04 or 1.0
        return cls(low - spare, high + spare)

    def place(self, value: float) -> float:
        """Returns where *value* is, in per cent."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)

    def ticks(self, most: int = 8) -> list[float]:
        """Returns round values to be named, at most so many."""
        raw = (self.high - self.low) / most
        step = 10 ** math.floor(math.log10(raw))
        step *= next(factor for factor in (1, 2, 5, 10) if step * factor >= raw)
        first = math.ceil(self.low / step)
        return [n * step for n in range(first, math.floor(self.high / step) + 1)]


class Interval(NamedTuple):
    """A value with its interval, in per cent of a picture."""

    at: float
    low: float
    high: float


def rating_intervals(night: Night) -> dict[str, Interval]:
    """Returns the rating of everybody who played, with its interval."""
    rows = [row for row in night.standings.ranks.entrants if row.games]
    ends = [
        (row, row.mu if row.low is None else row.low, row.mu if row.high is None else row.high)
        for row in rows
    ]
    if not ends:
        return {}
    scale = Scale.of(value for row, low, high in ends for value in (row.mu, low, high))
    return {
        row.entrant: Interval(scale.place(row.mu), scale.place(low), scale.place(high))
        for row, low, high in ends
    }


@dataclass(frozen=True, slots=True)
class RatingLine:
    """The rating of one entrant over the night."""

    entrant: EntrantId
    style: int
    """Its colour, from 0."""
    is_dashed: bool
    points: str
    """The points of an SVG polyline in a picture of 100 by 100."""
    last: float
    """Its rating at the end."""


@dataclass(frozen=True, slots=True)
class RatingChart:
    """The ratings over the night."""

    lines: tuple[RatingLine, ...]
    ticks: tuple[tuple[str, float], ...]
    """Round ratings, and how far from the top they are, in per cent."""
    tables: int
    """How many tables there are at the right edge."""


def rating_chart(night: Night) -> RatingChart | None:
    """Returns the ratings over the night; ``None`` if there is nothing to draw."""
    moments = night.moments
    if len(moments) < 2:
        return None
    scale = Scale.of(value for moment in moments for value in moment.ratings.values())
    last = moments[-1].tables
    lines = []
    for number, name in enumerate(n for n in night.order if n in moments[-1].ratings):
        points = [
            f"{100 * moment.tables / last:.2f},{100 - scale.place(moment.ratings[name]):.2f}"
            for moment in moments
            if name in moment.ratings
        ]
        lines.append(
            RatingLine(
                name,
                number % LINE_STYLES,
                number >= LINE_STYLES,
                " ".join(points),
                moments[-1].ratings[name],
            )
        )
    ticks = tuple((f"{tick:g}", round(100 - scale.place(tick), 2)) for tick in scale.ticks())
    return RatingChart(tuple(lines), ticks, last)


class Heat(NamedTuple):
    """A cell of the cross table."""

    versus: Versus
    step: int
    """From `HEAT_STEPS` below zero to as many above: how far one is ahead of the other."""
    is_sure: bool
    """Whether the 95 % interval leaves out zero."""


def heat_map(night: Night) -> dict[tuple[EntrantId, EntrantId], Heat]:
    """Returns the cross table as far as two have met."""
    met = {pair: each for pair, each in night.versus.items() if each.difference is not None}
    most = max((abs(each.difference or 0.0) for each in met.values()), default=0.0)
    cells = {}
    for pair, each in met.items():
        share = (each.difference or 0.0) / most if most else 0.0
        step = math.copysign(math.ceil(abs(share) * HEAT_STEPS), share)
        is_sure = each.low is not None and each.high is not None and not each.low <= 0 <= each.high
        cells[pair] = Heat(each, int(step), is_sure)
    return cells


def shade(share: float) -> int:
    """Returns the step of a shade, 0 to 5, for a *share*: from two fifths on it is the darkest.

    >>> [shade(share) for share in (0.0, 0.01, 0.2, 0.9)]
    [0, 1, 3, 5]
    """
    return min(math.ceil(12.5 * share), 5)


def time_bars(times: Sequence[tuple[EntrantId, Times]]) -> dict[EntrantId, Interval]:
    """Returns the decision times of each entrant on one logarithmic scale.

    The value is the median, the interval goes from there to the longest; the 99th percentile is
    told in words.
    """
    known = {name: each for name, each in times if each.count}
    if not known:
        return {}
    scale = Scale.of(
        math.log(max(value or 1.0, 1.0))
        for each in known.values()
        for value in (each.percentile(0.5), float(each.longest))
    )
    bars = {}
    for name, each in known.items():
        median = scale.place(math.log(max(each.percentile(0.5) or 1.0, 1.0)))
        longest = scale.place(math.log(max(float(each.longest), 1.0)))
        bars[name] = Interval(median, median, longest)
    return bars
