"""The result of one match, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from referee.match import Ending, FaultKind, MatchRecord
from referee.rules import rules_text
from referee.text import counted
from tournaments.figures import Contracts, sum_contracts, table_figures
from tournaments.kit.causes import cause_of_fault
from tournaments.reports.grids import Column, Grid
from tournaments.reports.numbers import millis, rounded_millis
from tournaments.reports.words import names_text, ordinal
from tournaments.results import FaultRow, TableResult
from tournaments.timing import Times, seat_times
from tournaments.tracebacks import telling_lines


@dataclass(frozen=True, slots=True)
class SideRow:
    """One side of the result."""

    place: int
    entrants: tuple[str, ...]
    score: int
    contracts: Contracts
    times: Times
    faults: Counter[str]


def side_rows(result: TableResult, match: MatchRecord) -> list[SideRow]:
    """Returns a row for each side, the winner first.

    Args:
        result: What became of the table.
        match: Its record, read.
    """
    rules = match.terms.rules
    contracts = table_figures(result.record).contracts
    times = seat_times(result.timings)
    rows = []
    for side, place in enumerate(result.places):
        seats = [seat for seat in range(rules.players) if rules.side_of(seat) == side]
        taken = Times()
        for seat in seats:
            taken.add(times[seat])
        faults = Counter(fault.kind for fault in result.faults if fault.seat in seats)
        entrants = tuple(dict.fromkeys(result.seats[seat] for seat in seats))
        played = sum_contracts(contracts[seat] for seat in seats)
        rows.append(SideRow(place, entrants, result.scores[side], played, taken, faults))
    return sorted(rows, key=lambda row: row.place)


THINKING = "thinking time, ms"


def match_table(result: TableResult, match: MatchRecord) -> Grid:
    """Returns the result of a match as a table."""
    table = Grid(
        Column("place"),
        Column("entrant", is_text=True),
        Column("score"),
        Column("contracts", spare=4),
        Column("made", spare=1),
        Column("set", spare=1),
        Column("p50", spare=3, group=THINKING),
        Column("p99", spare=2, group=THINKING),
        Column("max", spare=3, group=THINKING),
        Column("faults", is_text=True, is_list=True),
    )
    for row in side_rows(result, match):
        played = row.contracts
        table.add_row(
            str(row.place),
            " + ".join(row.entrants),
            str(row.score),
            str(played.made_count + played.set_count),
            str(played.made_count),
            str(played.set_count),
            *(millis(row.times.percentile(share)) for share in (0.5, 0.99)),
            millis(row.times.longest if row.times.count else None),
            ", ".join(f"{count} {kind}" for kind, count in sorted(row.faults.items())) or "-",
        )
    return table


def ending_line(result: TableResult, match: MatchRecord) -> str:
    """Returns how many deals were played, why the match ended, and by which rules."""
    deals = counted(len(match.deals), "deal")
    why = {
        Ending.TARGET: f"target of {match.terms.rules.target} reached",
        Ending.MOON: "ended by a moon",
        Ending.DEALS: "all played",
        Ending.CAP: f"nobody reached {match.terms.rules.target}",
        Ending.FORFEIT: f"forfeited by {result.offender}",
    }[Ending(result.ending)]
    return f"{deals}, {why}; rules {rules_text(match.terms.rules)}"


def winner_line(result: TableResult, match: MatchRecord) -> str:
    """Returns who won, or who shares the first place."""
    rows = [row for row in side_rows(result, match) if row.place == 1]
    names = [" + ".join(row.entrants) for row in rows]
    return f"{names[0]} won" if len(names) == 1 else f"{names_text(names)} share first place"


MOST_PLACES = 6
"""Places at which a fault was met again that are listed, at most."""


@dataclass(frozen=True, slots=True)
class _Met:
    """A fault, with what tells it from others of its cause."""

    where: str
    fault: FaultRow
    number: int
    """The how many-th of its seat at its table it is, from 1."""

    @property
    def place(self) -> str:
        """Where it was: the table if that is said, the deal and the decision."""
        return ", ".join(filter(None, [self.where, _place(self.fault)]))

    @property
    def forfeits(self) -> str:
        """That it ends the match, and why."""
        if self.fault.kind == FaultKind.START:
            return "forfeits the match"
        allowed = self.number - 1
        are = "is" if allowed == 1 else "are"
        return f"forfeits the match: {counted(allowed, 'strike')} {are} allowed"


def fault_texts(faults: Iterable[tuple[str, FaultRow]]) -> list[str]:
    """Returns faults in a few readable lines each; those of one cause once, with a count.

    Args:
        faults: Each with the table it was at, as ``table 17.2``; empty if only one is meant.
    """
    groups: dict[tuple[str, str], list[_Met]] = {}
    numbers: Counter[tuple[str, int]] = Counter()
    for where, fault in faults:
        numbers[where, fault.seat] += 1
        asked = fault.question.partition(";")[0]
        cause = cause_of_fault(fault.kind, fault.detail, fault.stderr_tail, asked)
        met = _Met(where, fault, numbers[where, fault.seat])
        groups.setdefault((fault.entrant, cause), []).append(met)
    return ["\n".join([*_describe(met), *_again(others)]) for met, *others in groups.values()]


def _again(met: Sequence[_Met]) -> list[str]:
    """Returns a line that says where else the same fault was met, if it was."""
    if not met:
        return []
    times = f"{len(met)} more time{'s' * (len(met) > 1)}"
    told = f"  the same {times}: {_places(met)}"
    match [each for each in met if not each.fault.substitute]:
        case []:
            return [told]
        case [one]:
            return [f"{told}; the {ordinal(one.number)}, at {_at(one)}, {one.forfeits}"]
        case several:
            return [f"{told}; {len(several)} of them forfeit the match: {_places(several)}"]


def _places(met: Sequence[_Met]) -> str:
    more = f"; and {len(met) - MOST_PLACES} more" if len(met) > MOST_PLACES else ""
    return "; ".join(each.place for each in met[:MOST_PLACES]) + more


def _at(met: _Met) -> str:
    return ", ".join(filter(None, [met.where, f"decision {met.fault.decision}"]))


def _place(fault: FaultRow) -> str:
    return f"deal {fault.deal}, decision {fault.decision}"


def _describe(met: _Met) -> list[str]:
    """Returns a fault in a few readable lines: what, where, and what the bot wrote last."""
    fault = met.fault
    text = f"{met.where}: " if met.where else ""
    text += f"fault: {fault.entrant} (seat {fault.seat}), {_place(fault)}: {fault.kind}"
    text += f": {fault.detail}" if fault.detail else ""
    text += f"; played for it: {fault.substitute}" if fault.substitute else f"; {met.forfeits}"
    return [text, *(f"  stderr: {line}" for line in telling_lines(fault.stderr_tail))]


def result_document(result: TableResult, match: MatchRecord) -> dict[str, object]:
    """Returns the result of a match as JSON values."""
    return {
        "rules": rules_text(match.terms.rules),
        "seats": list(result.seats),
        "deals": len(match.deals),
        "ending": result.ending,
        "sides": [
            {
                "place": row.place,
                "entrants": list(row.entrants),
                "score": row.score,
                "made": {str(bid): n for bid, n in sorted(row.contracts.made.items())},
                "set": {str(bid): n for bid, n in sorted(row.contracts.set.items())},
                "decisions": row.times.count,
                "p50_ms": rounded_millis(row.times.percentile(0.5)),
                "p99_ms": rounded_millis(row.times.percentile(0.99)),
                "max_ms": rounded_millis(row.times.longest if row.times.count else None),
                "faults": dict(sorted(row.faults.items())),
            }
            for row in side_rows(result, match)
        ],
        "faults": [fault_document(fault) for fault in result.faults],
    }


def fault_document(fault: FaultRow) -> dict[str, object]:
    """Returns a fault as JSON values."""
    return {
        "entrant": fault.entrant,
        "seat": fault.seat,
        "deal": fault.deal,
        "decision": fault.decision,
        "kind": fault.kind,
        "detail": fault.detail,
        "question": fault.question,
        "substitute": fault.substitute or None,
        "exit_status": fault.exit_status or None,
        "stderr_tail": fault.stderr_tail or None,
    }
