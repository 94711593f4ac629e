"""A cross of bidding and play halves in words, and as JSON values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from referee.text import counted
from tournaments.evidence import Tally
from tournaments.lab.cross import Cross, Untold
from tournaments.rating.student import FEW
from tournaments.reports.grids import Column, Grid
from tournaments.schedule import EntrantId
from tournaments.tracebacks import telling_lines

UNIT = "net points a deal"

_REASONS = {
    Untold.VOID: "a table that moon itself broke every time",
    Untold.RIVAL: "a table that a rival forfeited",
}


def value_grid(cross: Cross, bots: Sequence[str]) -> Grid:
    """Returns the values of all splits with the effects at the edges.

    Args:
        cross: What was found.
        bots: The names of the bots, in the order of its rows and columns.
    """
    columns = [Column(f"{name} plays") for name in bots]
    grid = Grid(Column("", is_text=True), *columns, Column("effect of bidding"))
    for name, row, effect in zip(bots, cross.values, cross.bidding, strict=True):
        grid.add_row(f"{name} bids", *map(estimate, row), estimate(effect))
    grid.add_row("effect of play", *map(estimate, cross.play), f"mean {estimate(cross.mean)}")
    return grid


def interaction_grid(cross: Cross, bots: Sequence[str]) -> Grid:
    """Returns what each split is worth beyond the mean and its two effects."""
    grid = Grid(Column("interaction", is_text=True), *(Column(f"{name} plays") for name in bots))
    for name, row in zip(bots, cross.interaction, strict=True):
        grid.add_row(f"{name} bids", *map(estimate, row))
    return grid


def estimate(tally: Tally) -> str:
    """Returns a mean with half the width of its 95 % interval.

    >>> estimate(Tally([1.0, 2.0, 3.0, 2.0, 2.0])), estimate(Tally([1.0, 2.0]))
    ('+2.000 ± 0.878', '+1.500')
    """
    found = _interval(tally)
    text = f"{tally.mean:+.3f}" if tally.blocks else "?"
    return text if found is None else f"{text} ± {0.5 * (found[1] - found[0]):.3f}"


def _interval(tally: Tally) -> tuple[float, float] | None:
    """Returns the interval; none of fewer than `FEW` blocks, or of blocks that are all alike."""
    return tally.interval() if tally.blocks >= FEW else None


def cross_lines(cross: Cross) -> list[str]:
    """Returns what the numbers rest on, and what was wrong."""
    blocks = counted(cross.blocks, "block")
    rest = f"{blocks}, {cross.asked} of {cross.deals} deals played out"
    lines = [f"{UNIT}, with the 95 % interval of each by itself; {rest}"]
    if not cross.is_over:
        lines.append(
            f"stopped after {cross.taken} of {counted(cross.wanted, 'block')}; the rest was not "
            "played, and the same command with this seed plays all"
        )
    if cross.blocks < FEW:
        lines.append(f"no ±: with fewer than {FEW} blocks nothing is known of how they vary")
    if cross.blocks and not any(tally.decided for row in cross.interaction for tally in row):
        lines.append("the effects add up exactly in every block: there is no interaction")
    lines += _fault_lines(cross)
    if cross.forfeits:
        listed = ", ".join(f"{name} {count}" for name, count in sorted(cross.forfeits.items()))
        lines.append(f"tables forfeited: {listed}")
    for reason, text in _REASONS.items():
        if count := cross.untold[reason]:
            lines.append(f"{counted(count, 'block')} left out: {text}")
    return lines


def _fault_lines(cross: Cross) -> list[str]:
    """Returns how many faults there were of each kind, and of each kind the first."""
    lines = []
    for (name, kind), count in sorted(cross.faults.items()):
        first = cross.first_faults[name, kind]
        about = "; the first" if count > 1 else ""
        lines.append(f"faults: {name} {count} {kind}{about}: {first.detail or 'no detail'}")
        lines += [f"  stderr: {line}" for line in telling_lines(first.stderr_tail)]
    return lines


def cross_document(cross: Cross, bots: Sequence[str]) -> dict[str, object]:
    """Returns *cross* as JSON values; an interval that is not known is null."""
    places = range(len(bots))
    return {
        "unit": UNIT,
        "confidence": 0.95,
        "blocks": cross.blocks,
        "blocks_asked": cross.wanted,
        "blocks_left_out": {reason.value: cross.untold[reason] for reason in Untold},
        "deals": cross.deals,
        "deals_played_out": cross.asked,
        "mean": _document(cross.mean),
        "bidding": [{"bot": bots[i], **_document(cross.bidding[i])} for i in places],
        "play": [{"bot": bots[j], **_document(cross.play[j])} for j in places],
        "splits": [
            {
                "entrant": cross.splits[i][j],
                "bids": bots[i],
                "plays": bots[j],
                **_document(cross.values[i][j]),
                "interaction": _document(cross.interaction[i][j]),
            }
            for i in places
            for j in places
        ],
        "forfeits": dict(sorted(cross.forfeits.items())),
        "faults": _fault_counts(cross),
        "faults_by_kind": [_fault_document(cross, *key) for key in sorted(cross.faults)],
    }


def _fault_counts(cross: Cross) -> dict[str, int]:
    """Returns by entrant how many faults there were."""
    counts: Counter[str] = Counter()
    for (name, _), count in sorted(cross.faults.items()):
        counts[name] += count
    return dict(counts)


def _fault_document(cross: Cross, name: EntrantId, kind: str) -> dict[str, object]:
    first = cross.first_faults[name, kind]
    return {
        "entrant": name,
        "kind": kind,
        "count": cross.faults[name, kind],
        "first": {
            "detail": first.detail,
            "question": first.question,
            "exit_status": first.exit_status or None,
            "stderr_tail": first.stderr_tail or None,
        },
    }


def _document(tally: Tally) -> dict[str, object]:
    low, high = _interval(tally) or (None, None)
    return {"value": tally.mean if tally.blocks else None, "low": low, "high": high}
