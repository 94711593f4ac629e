"""The referee of one match: ask, write down, apply.

It is a plain state machine without a clock, a task or a socket. Whoever drives it takes the open
`Question`, gets an answer (or a fault) from somewhere, and hands it in; a worker drives many at
once. What a bot does wrong becomes a fault in the record and a substitute choice: always the first
legal one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from referee.match.faults import Fault, FaultKind, FaultMark, FaultReport
from referee.match.matches import FinishedDeal, Match, Result, Terms
from referee.match.records import DealRecord, MatchRecord
from referee.rules import Choice, Decision, IllegalChoiceError, Seat, View


@dataclass(frozen=True, slots=True)
class TableTerms:
    """How a table treats its bots."""

    strikes: int = 2
    """How many faults of a seat get a substitute; one more forfeits the match."""
    ask_forced: bool = False
    """Whether a choice with only one legal answer is asked for too."""


class Question(NamedTuple):
    """A decision that waits for an answer."""

    seat: Seat
    number: int
    """The number of the decision in the match, from 1. It counts every choice of every seat, those
    not asked for too, so that it tells nothing about another seat's hand."""
    decision: Decision
    match: Match

    @property
    def view(self) -> View:
        """What the seat may know."""
        return self.match.view(self.seat, self.decision)


class DealTimes(NamedTuple):
    """Measured times of one deal; beside the record, never in it."""

    number: int
    micros: tuple[int | None, ...]
    """By choice of the deal: what the bot was charged, in microseconds; ``None`` if not asked."""


class MatchReferee:
    """Referees one match.

    Attributes:
        match: The match as it stands.
        question: The open question, or ``None`` once the match is over.
        faults: Every fault so far, in order.
        finished: The deals that were played to their end, in order.
        deals: The records of the deals, in order; of one that a forfeit broke off too.
        times: Measured times of the deals, in the order of the record.
    """

    def __init__(
        self,
        table: str,
        match: Match,
        seats: tuple[str, ...],
        terms: TableTerms | None = None,
    ) -> None:
        """Opens the match.

        Args:
            table: The id of the table.
            match: The match before its first bid.
            seats: By seat: the name of the bot.
            terms: How the table treats its bots.
        """
        self.table = table
        self.seats = seats
        self.match = match
        self.faults: list[FaultReport] = []
        self.finished: list[FinishedDeal] = []
        self.times: list[DealTimes] = []
        self._terms = terms or TableTerms()
        self.deals: list[DealRecord] = []
        self._micros: list[int | None] = []
        self._unasked: list[int] = []
        self._marks: list[FaultMark] = []
        self._strikes = [0] * len(seats)
        self._number = 0
        self.question: Question | None = None
        self._advance()

    @property
    def result(self) -> Result | None:
        """How the match ended, or ``None`` while it goes on."""
        return self.match.result

    @property
    def terms(self) -> Terms:
        """What the match is played for."""
        return self.match.terms

    def answer(self, choice: Choice, micros: int) -> Fault | None:
        """Applies the answer to the open question.

        Args:
            choice: What the bot chose.
            micros: What it is charged, in microseconds.

        Returns:
            The fault, when the choice was illegal and the first legal one stands in its place.
        """
        self._open()
        try:
            match = self.match.play(choice)
        except IllegalChoiceError as error:
            fault = Fault(FaultKind.ILLEGAL, str(error))
            self.fault(fault, micros)
            return fault
        self._apply(match, micros)
        return None

    def fault(self, fault: Fault, micros: int = 0) -> None:
        """Writes down what the bot asked last did wrong, and makes the first legal choice for it.

        A seat with more faults than the strikes allow, or whose bot did not start, forfeits.
        """
        question = self._open()
        seat = question.seat
        self._strikes[seat] += 1
        self._marks.append(FaultMark(len(self._micros), seat, fault.kind))
        forfeits = fault.kind is FaultKind.START or self._strikes[seat] > self._terms.strikes
        substitute = question.decision.legal[0]
        self.faults.append(
            FaultReport(
                fault,
                seat,
                self.match.number,
                question.number,
                in_words(question.decision),
                question.decision.kind,
                "" if forfeits else str(substitute),
            )
        )
        if not forfeits:
            self._apply(self.match.play(substitute), micros)
            return
        self._write_deal(self.match.number, finished=False)
        self.match = self.match.forfeit(seat)
        self.question = None

    def record(self) -> MatchRecord:
        """Returns the record of the finished match.

        Raises:
            ValueError: if the match is not over.
        """
        if self.match.result is None:
            raise ValueError(f"table {self.table} is not finished")
        return MatchRecord(
            self.table,
            self.match.terms,
            self.seats,
            self._terms.ask_forced,
            self._terms.strikes,
            tuple(self.deals),
            self.match.result,
        )

    def _open(self) -> Question:
        if self.question is None:
            raise ValueError(f"table {self.table} is finished and asks nothing")
        return self.question

    def _apply(self, match: Match, micros: int | None) -> None:
        self._micros.append(micros)
        self._step(match)
        self._advance()

    def _step(self, match: Match) -> None:
        self.match = match
        self._number += 1
        if match.finished is not None:
            self.finished.append(match.finished)
            self._write_deal(match.finished.number, finished=True)

    def _advance(self) -> None:
        """Makes the choices that need no asking, and opens the next question."""
        match, asks_forced = self.match, self._terms.ask_forced
        while (decision := match.decision) is not None:
            if len(decision.legal) > 1 or asks_forced:
                # As the constructor would make it, which is a function in Python.
                self.question = tuple.__new__(
                    Question, (decision.seat, self._number + 1, decision, match)
                )
                return
            self._unasked.append(len(self._micros))
            self._micros.append(None)
            match = match.play(decision.legal[0])
            self._step(match)
        self.question = None

    def _write_deal(self, number: int, *, finished: bool) -> None:
        done = self.match.finished if finished else None
        deal = done.deal if done else self.match.deal
        record = DealRecord.of(number, deal, done, tuple(self._unasked), tuple(self._marks))
        self.deals.append(record)
        self.times.append(DealTimes(number, tuple(self._micros)))
        self._micros, self._unasked, self._marks = [], [], []


def in_words(decision: Decision) -> str:
    """Returns the question as one line: what is asked, and what is legal."""
    return f"{decision.kind.word}; legal: {', '.join(map(str, decision.legal))}"
