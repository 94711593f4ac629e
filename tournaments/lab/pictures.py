"""Pictures of the laboratory as SVG text, for a page: no script, and nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape

from tournaments.lab.laboratory import Figure, Laboratory
from tournaments.lab.observing import ALL

WIDTH, HEIGHT = 640, 360
"""The size of a picture, in its own units."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 150, 34, 44
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Told apart by everybody (M. Okabe and K. Ito, 2008)."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Points with intervals over a row of kinds, a series for each entrant."""

    title: str
    unit: str
    kinds: Sequence[str]
    """What stands below, from left to right."""
    rows: Sequence[Figure]
    low: float
    """What the lowest line stands for."""
    high: float
    """What the highest line stands for."""
    marks: Sequence[float] = ()
    """By kind: where a dashed line is drawn, such as the tricks that a bid asks for."""


def calibration(laboratory: Laboratory) -> str:
    """Returns the tricks that the side of each bidder took, by its bid, as SVG.

    The dashed line is where a bid takes just the tricks that it asks for.
    """
    kinds = [str(bid) for bid in laboratory.rules.bids]
    marks = [float(bid.tricks) for bid in laboratory.rules.bids]
    rows = _rows(laboratory, "contracts", "tricks")
    return draw(Chart("Tricks taken, by bid", "tricks", kinds, rows, 0.0, 7.0, marks))


def made(laboratory: Laboratory) -> str:
    """Returns the share of contracts that each bidder made, by its bid, as SVG."""
    kinds = [str(bid) for bid in laboratory.rules.bids]
    rows = _rows(laboratory, "contracts", "made")
    return draw(Chart("Contracts made, by bid", "share", kinds, rows, 0.0, 1.0))


def bids(laboratory: Laboratory) -> str:
    """Returns how often each entrant made each bid, as SVG."""
    kinds = ["pass", *(str(bid) for bid in laboratory.rules.bids)]
    rows = _rows(laboratory, "bids", "bid")
    return draw(Chart("Bids, by height", "share of turns", kinds, rows, 0.0, 1.0))


def worth(laboratory: Laboratory) -> str:
    """Returns the net points a deal that each entrant's contracts were worth, by bid, as SVG."""
    kinds = [str(bid) for bid in laboratory.rules.bids]
    rows = _rows(laboratory, "contracts", "net")
    ends = [end for row in rows for end in (row.low, row.value, row.high) if end is not None]
    bound = min(42.0, max((abs(end) for end in ends), default=1.0))
    marks = [0.0] * len(kinds)
    return draw(
        Chart("Worth of contracts, by bid", "net points", kinds, rows, -bound, bound, marks)
    )


def _rows(laboratory: Laboratory, topic: str, measure: str) -> list[Figure]:
    """Returns the numbers to draw; a laboratory that tells groups apart draws each for itself."""
    rows = laboratory.figures(topic, measure=measure)
    return [
        row if row.group == ALL else replace(row, entrant=f"{row.entrant}, {row.group}")
        for row in rows
    ]


def draw(chart: Chart) -> str:
    """Returns *chart* as SVG."""
    names = sorted({row.entrant for row in chart.rows})
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" font-size="12"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>',
        f"<title>{escape(chart.title)}</title>",
        f'<text x="{_LEFT}" y="18" font-size="14">{escape(chart.title)}</text>',
        *_frame(chart),
    ]
    for number, name in enumerate(names):
        colour = _COLOURS[number % len(_COLOURS)]
        shift = (number - (len(names) - 1) / 2) * min(9.0, 40.0 / len(names))
        parts += _points(chart, [row for row in chart.rows if row.entrant == name], colour, shift)
        y = _TOP + 12 + 18 * number
        parts.append(f'<circle cx="{WIDTH - _RIGHT + 16}" cy="{y - 4}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{WIDTH - _RIGHT + 26}" y="{y}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _frame(chart: Chart) -> Iterable[str]:
    right = WIDTH - _RIGHT
    for step in range(5):
        value = chart.low + (chart.high - chart.low) * step / 4
        y = _y(chart, value)
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>'
    for at, kind in enumerate(chart.kinds):
        x = _x(chart, at)
        yield f'<text x="{x:.1f}" y="{HEIGHT - 22}" text-anchor="middle">{escape(kind)}</text>'
    yield f'<text x="{_LEFT}" y="{HEIGHT - 6}">{escape(chart.unit)}; bars: 95 % over blocks</text>'
    if chart.marks:
        path = " ".join(
            f"{_x(chart, at):.1f},{_y(chart, mark):.1f}" for at, mark in enumerate(chart.marks)
        )
        yield f'<polyline points="{path}" fill="none" stroke="#888" stroke-dasharray="4 3"/>'


def _points(chart: Chart, rows: Sequence[Figure], colour: str, shift: float) -> Iterable[str]:
    for row in rows:
        if row.what not in chart.kinds:
            continue
        x, y = _x(chart, chart.kinds.index(row.what)) + shift, _y(chart, row.value)
        about = f"{row.entrant}, {row.what}: {row.value:.3g} {row.unit}, {row.count} observations"
        if row.low is not None and row.high is not None:
            about += f", 95 % {row.low:.3g} to {row.high:.3g} over {row.blocks} blocks"
            ends = f'y1="{_y(chart, row.low):.1f}" x2="{x:.1f}" y2="{_y(chart, row.high):.1f}"'
            yield f'<line x1="{x:.1f}" {ends} stroke="{colour}" stroke-width="1.5"/>'
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}">'
            f"<title>{escape(about)}</title></circle>"
        )


def _x(chart: Chart, at: int) -> float:
    step = (WIDTH - _LEFT - _RIGHT) / len(chart.kinds)
    return _LEFT + step * (at + 0.5)


def _y(chart: Chart, value: float) -> float:
    """Returns the height of *value*; what is beyond the frame is drawn at its edge."""
    share = (value - chart.low) / (chart.high - chart.low)
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1.0 - min(1.0, max(0.0, share)))
