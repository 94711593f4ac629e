"""One table in play: a match, its referee, and a line for each seat. No task of its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Protocol, TypeAlias

from referee.bots.asks import Ask, BotLine, Charge
from referee.bots.terms import ClockTerms
from referee.match import Fault, FaultMark, FinishedDeal, MatchReferee
from referee.rules import SEATS, Bid, Choice, Seat
from referee.wire.notices import DealEnded, MatchEnded, Notice


class Tap(Protocol):
    """Is told of every question of a table, and of what becomes of it."""

    def asked(self, ask: Ask) -> None:
        """Takes note that *ask* is about to be put to the bot of its seat."""

    def applied(self, ask: Ask, outcome: Choice | Fault, charge: Charge) -> None:
        """Takes note that *outcome*, for which *charge* is taken, is what came of *ask*."""


Watch: TypeAlias = Callable[[FinishedDeal, Sequence[FaultMark]], None]
"""Is told of a deal, and of the faults in it."""


class Overhead:
    """What questions took on their way besides the time of the bot, in microseconds, in order.

    Attributes:
        queue: From when the table asked to when the transport was handed it.
        send: From then to when the transport had written it, with all of its batch.
        receive: From when the answer arrived to when the table had applied it.
    """

    def __init__(self) -> None:
        """Makes the lists of a table that has asked nothing yet."""
        self.queue: list[int] = []
        self.send: list[int] = []
        self.receive: list[int] = []

    def add(self, ask: Ask, applied: float) -> None:
        """Takes what *ask* took, which was applied at that moment."""
        arrived = ask.arrived = ask.arrived or applied
        # What was never handed over has only waited.
        handed = ask.handed or arrived
        self.queue.append(int((handed - ask.asked) * 1e6))
        self.send.append(int((ask.written - handed) * 1e6) if ask.handed else 0)
        self.receive.append(int((applied - arrived) * 1e6))


class TableInPlay:
    """Drives a match from its first question to its result.

    Attributes:
        referee: The referee of the match.
        charged: By seat: what every answer that was asked for was charged, in microseconds.
        overhead: What each question that was asked took on its way, in order.
        stalls: For each decision during which this host stalled: its number, and the seconds.
        error: What went wrong on our side, so that the table is void; else ``None``.
    """

    def __init__(
        self,
        referee: MatchReferee,
        lines: Sequence[BotLine],
        clock: ClockTerms,
        done: Callable[[TableInPlay], None],
        watch: Watch | None = None,
        tap: Tap | None = None,
    ) -> None:
        """Seats the bots.

        Args:
            referee: The referee of the match.
            lines: By seat: the line to its bot.
            clock: What a bot may take.
            done: Called once, when the match is over or void.
            watch: Called after each deal, and with the deal that a forfeit broke off.
            tap: Told of every question, and of what becomes of it.
        """
        self.referee = referee
        self.charged: tuple[list[int], ...] = tuple([] for _ in lines)
        self.overhead = Overhead()
        self.stalls: list[tuple[int, float]] = []
        self.error: Exception | None = None
        self._lines = lines
        self._done = done
        self._watch = watch
        self._tap = tap
        # Random, and another one for each seat: an id must tell a bot nothing.
        self._ids = tuple(secrets.token_hex(8) for _ in lines)
        self._banks = [clock.bank] * len(lines)
        self._last: list[float | None] = [None] * len(lines)
        self._told = 0
        self._ask: Ask | None = None
        self._applied = 0.0

    def start(self) -> None:
        """Asks the first question."""
        self._take(self._next)

    def _take(self, step: Callable[[], None]) -> None:
        """Takes *step*; if it fails, that is our fault, and this table is void, no other."""
        try:
            step()
        except Exception as error:  # noqa: BLE001 - one broken table must not end the others
            self.error = error
        if self.error is not None or self.referee.result is not None:
            self._done(self)

    def _next(self) -> None:
        question = self.referee.question
        self._tell_finished_deals()
        if question is None:
            self._tell_end()
            return
        seat = question.seat
        self._ask = ask = Ask(
            self._ids[seat],
            question,
            self._banks[seat],
            self._last[seat],
            self._answered,
            self._faulted,
            self._failed,
            self._applied or monotonic(),
        )
        if self._tap is not None:
            self._tap.asked(ask)
        self._lines[seat].ask(ask)

    def _answered(self, choice: Choice, charge: Charge) -> None:
        self._take(lambda: self._apply(choice, charge))

    def _faulted(self, fault: Fault, charge: Charge) -> None:
        self._take(lambda: self._apply(fault, charge))

    def _failed(self, error: Exception) -> None:
        self.error = error
        self._done(self)

    def _apply(self, outcome: Choice | Fault, charge: Charge) -> None:
        ask = self._ask
        assert ask is not None
        seat = ask.question.seat
        if self._tap is not None:
            self._tap.applied(ask, outcome, charge)
        micros = self._charge(seat, charge)
        if isinstance(outcome, Fault):
            self.referee.fault(outcome, micros)
        else:
            self.referee.answer(outcome, micros)
        self._applied = applied = monotonic()
        self.overhead.add(ask, applied)
        if ask.stalled:
            self.stalls.append((ask.question.number, ask.stalled))
        result = self.referee.result
        if result is not None and result.forfeit == seat:
            # What is left of a bot that forfeited may be in any state.
            self._lines[seat].restart()
        self._next()

    def _charge(self, seat: Seat, charge: Charge) -> int:
        """Writes down what *seat* has used, and returns it in microseconds."""
        micros = round(charge.seconds * 1e6)
        self.charged[seat].append(micros)
        self._last[seat] = charge.seconds
        bank = self._banks[seat]
        if bank is not None:
            self._banks[seat] = max(0.0, bank - charge.from_bank)
        return micros

    def _tell_finished_deals(self) -> None:
        finished, records = self.referee.finished, self.referee.deals
        while self._told < len(finished):
            deal, record = finished[self._told], records[self._told]
            self._told += 1
            if self._watch is not None:
                self._watch(deal, record.faults)
            for seat, line in zip(SEATS, self._lines, strict=False):
                if line.wants(DealEnded):
                    line.tell(self._deal_notice(deal, seat))

    def _deal_notice(self, finished: FinishedDeal, seat: Seat) -> Notice:
        deal, score = finished.deal, finished.score
        sides = deal.rules.side_count
        return DealEnded(
            self._ids[seat],
            seat,
            finished.number,
            deal.declarer,
            deal.contract if deal.declarer is not None else Bid.PASS,
            deal.trump,
            deal.tricks_won,
            score.points if score else (0,) * sides,
            finished.scores,
        )

    def _tell_end(self) -> None:
        match, records = self.referee.match, self.referee.deals
        result = match.result
        assert result is not None
        if self._watch is not None and len(records) > self._told:
            broken_off = FinishedDeal(match.number, match.deal, None, match.scores)
            self._watch(broken_off, records[-1].faults)
        for seat, line in zip(SEATS, self._lines, strict=False):
            if line.wants(MatchEnded):
                line.tell(MatchEnded(self._ids[seat], seat, result.scores, result.places))
