"""Everything that is stored judged again: by the rules, by the seed, and by what stands beside it.

Each difference is one line of text that begins with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from referee.match import (
    DealRecord,
    MatchRecord,
    RecordError,
    RecordMismatchError,
    deal_states,
    match_differences,
    verify_line,
)
from referee.match.referee import in_words
from referee.match.replay import last_state
from referee.rules import Decision, deal_tiles, derive_key, rules_text, seed_key
from referee.rules.options import ExchangeRule, Rules
from tournaments.reports.reading import ChatDeal, Entry, record_of

if TYPE_CHECKING:
    from tournaments.results import FaultRow, TableResult
    from tournaments.schedule import Table
    from tournaments.store import Store


@dataclass(slots=True)
class Tally:
    """How much was judged."""

    matches: int = 0
    deals: int = 0
    """Deals of matches, and deals of chat lines."""

    def add(self, entry: Entry) -> None:
        """Counts a record."""
        if isinstance(entry, ChatDeal):
            self.deals += 1
        else:
            self.matches += 1
            self.deals += len(entry.deals)


def judge_entry(entry: Entry, source: str) -> Iterator[str]:
    """Yields what does not hold in a record of a file.

    Args:
        entry: The record.
        source: What the file is called.
    """
    if isinstance(entry, ChatDeal):
        try:
            verify_line(entry.line, entry.where)
        except RecordMismatchError as error:
            yield str(error)
        return
    for difference in match_differences(entry):
        yield f"{source}: {difference}"


class StoreJudge:
    """The tables of one store, each judged with the seed of the run."""

    def __init__(self, store: Store) -> None:
        """Reads what the run says of all its tables."""
        run = store.run
        schedule = run.schedule()
        master = seed_key(run.seed)
        self._store = store
        self._rules = run.rules
        self._tables = schedule.tables
        self._keys = {block.number: derive_key(master, block.label) for block in schedule.blocks}
        identity = run.identity
        self._terms = {
            "rules": rules_text(self._rules),
            "deals": identity["deals"],
            "max_deals": identity["max_deals"],
            "ask_forced": identity["ask_forced"],
            "strikes": identity["clock"]["strikes"],
        }

    @property
    def total(self) -> int:
        """How many tables there are to judge."""
        return self._store.counts().played

    def judge(self, tally: Tally, step: Callable[[], None] = lambda: None) -> Iterator[str]:
        """Yields what does not hold in any table, and in the file itself.

        Args:
            tally: Counts what was judged.
            step: Called after each table.
        """
        damages = self._store.damages()
        path = str(self._store.path)
        for damage in damages:
            yield damage if damage.startswith(path) else f"{path}: {damage}"
        if damages:
            yield f"{path}: is damaged, so no table of it was judged"
            return
        for result in self._store.results():
            for problem in self.judge_table(result, tally):
                yield f"{path}: table {result.id}{problem}"
            step()

    def judge_table(self, result: TableResult, tally: Tally) -> Iterator[str]:
        """Yields what does not hold in a table; each begins with what follows its id."""
        yield from map(": {}".format, self._scheduled(result))
        try:
            record = record_of(self._store, result)
        except RecordError as error:
            yield f": the record cannot be read: {error}"
            return
        tally.add(record)
        yield from map(": {}".format, self._terms_of(record))
        yield from map(": {}".format, _columns(result, record))
        key = self._keys.get(result.block)
        if key is None or record.terms.rules != self._rules:
            found = match_differences(record)
        else:
            found = match_differences(record, partial(deal_tiles, key, rules=self._rules), key)
        for difference in found:
            yield str(difference).removeprefix(f"table {record.table}")
        if not found:
            yield from map(": {}".format, _fault_differences(result, record))

    def _scheduled(self, result: TableResult) -> Iterator[str]:
        table: Table | None = None
        if 0 <= result.number < len(self._tables):
            table = self._tables[result.number]
        if table is None:
            yield f"the schedule has no table number {result.number}"
            return
        if (table.block, table.lane) != (result.block, result.lane):
            yield f"the schedule has table {table.id} as number {result.number}"
        if table.seats != result.seats:
            yield f"the schedule seats {', '.join(table.seats)}, not {', '.join(result.seats)}"

    def _terms_of(self, record: MatchRecord) -> Iterator[str]:
        terms = record.terms
        told = {
            "rules": rules_text(terms.rules),
            "deals": terms.deals,
            "max_deals": terms.max_deals,
            "ask_forced": record.ask_forced,
            "strikes": record.strikes,
        }
        for name, value in told.items():
            if value != self._terms[name]:
                yield f"the record has {name} {value}, the run has {self._terms[name]}"


def _columns(result: TableResult, record: MatchRecord) -> Iterator[str]:
    """Yields where the columns beside the record say something else than the record."""
    for name, column, recorded in (
        ("id", result.id, record.table),
        ("seats", result.seats, record.seats),
        ("ending", result.ending, record.result.ending.value),
        ("scores", result.scores, record.result.scores),
        ("places", result.places, record.result.places),
    ):
        if column != recorded:
            yield f"column {name} says {_told(column)}, but the record {_told(recorded)}"


def _told(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _fault_differences(result: TableResult, record: MatchRecord) -> Iterator[str]:
    """Yields where the stored faults are not those of the record."""
    expected = list(_faults(record))
    if len(expected) != len(result.faults):
        yield f"{len(result.faults)} faults are stored, but the record has {len(expected)}"
        return
    for number, (row, judged) in enumerate(zip(result.faults, expected, strict=True), 1):
        stored = _fault_fields(row)
        for name, value in judged.items():
            if stored[name] != value:
                yield f"fault {number}: {name} says {stored[name]}, but the record {value}"


def _fault_fields(row: FaultRow) -> dict[str, object]:
    return {
        "seat": row.seat,
        "entrant": row.entrant,
        "kind": row.kind,
        "deal": row.deal,
        "decision": row.decision,
        "question": row.question,
        "substitute": row.substitute,
    }


def _faults(record: MatchRecord) -> Iterator[dict[str, object]]:
    """Yields the faults of a record that holds, as they are stored."""
    before = 0
    for deal in record.deals:
        for mark in deal.faults:
            decision, substitute = _asked(record.terms.rules, deal, mark.at)
            yield {
                "seat": mark.seat,
                "entrant": record.seats[mark.seat],
                "kind": mark.kind.value,
                "deal": deal.number,
                "decision": before + mark.at + 1,
                "question": in_words(decision),
                "substitute": substitute,
            }
        before += _choice_count(record.terms.rules, deal)


def _asked(rules: Rules, deal: DealRecord, at: int) -> tuple[Decision, str]:
    """Returns a question of a deal, and the choice made there in words, if one was made."""
    for number, (state, choice) in enumerate(deal_states(rules, deal, "deal")):
        if number == at:
            assert state.decision is not None
            return state.decision, str(choice)
    decision = last_state(rules, deal, "deal").decision
    assert decision is not None
    return decision, ""


def _choice_count(rules: Rules, deal: DealRecord) -> int:
    """Returns how many choices were made in a deal."""
    chosen: list[object] = [deal.trump, deal.discarded]
    if rules.exchange is ExchangeRule.OPTIONAL:
        chosen.append(deal.taken)
    return len(deal.bids) + sum(choice is not None for choice in chosen) + len(deal.plays)
