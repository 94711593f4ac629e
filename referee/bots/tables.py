"""One table in play: a match, its referee, and a line for each seat. No task of its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from referee.bots.asks import Ask, BotLine
from referee.bots.clock import ClockTerms
from referee.match import Fault, FinishedDeal, MatchReferee
from referee.rules import SEATS, Bid, Choice, Seat
from referee.wire.notices import DealEnded, MatchEnded, Notice


class TableInPlay:
    """Drives a match from its first question to its result.

    Attributes:
        referee: The referee of the match.
        charged: By seat: what every answer that was asked for was charged, in microseconds.
        error: What went wrong on our side, so that the table is void; else ``None``.
    """

    def __init__(
        self,
        referee: MatchReferee,
        lines: Sequence[BotLine],
        clock: ClockTerms,
        done: Callable[[TableInPlay], None],
        watch: Callable[[FinishedDeal], None] | None = None,
    ) -> None:
        """Seats the bots.

        Args:
            referee: The referee of the match.
            lines: By seat: the line to its bot.
            clock: What a bot may take.
            done: Called once, when the match is over or void.
            watch: Called after each deal that was played to its end.
        """
        self.referee = referee
        self.charged: tuple[list[int], ...] = tuple([] for _ in lines)
        self.error: Exception | None = None
        self._lines = lines
        self._clock = clock
        self._done = done
        self._watch = watch
        # Random, and another one for each seat: an id must tell a bot nothing.
        self._ids = tuple(secrets.token_hex(8) for _ in lines)
        self._banks = [clock.bank] * len(lines)
        self._last: list[float | None] = [None] * len(lines)
        self._told = 0

    def start(self) -> None:
        """Asks the first question."""
        self._guard(self._next)

    def _guard(self, step: Callable[[], None]) -> None:
        """Takes *step*; if it fails, that is our fault, and this table is void, no other."""
        try:
            step()
        except Exception as error:  # noqa: BLE001 - one broken table must not end the others
            self.error = error
            self._done(self)

    def _next(self) -> None:
        question = self.referee.question
        self._tell_finished_deals()
        if question is None:
            self._tell_end()
            self._done(self)
            return
        seat = question.seat
        self._lines[seat].ask(
            Ask(
                self._ids[seat],
                question,
                self._banks[seat],
                self._last[seat],
                self._answered,
                self._faulted,
            )
        )

    def _answered(self, choice: Choice, charged: float) -> None:
        self._guard(lambda: self._apply(choice, charged))

    def _faulted(self, fault: Fault, charged: float) -> None:
        self._guard(lambda: self._apply(fault, charged))

    def _apply(self, outcome: Choice | Fault, charged: float) -> None:
        seat = self._charge(charged)
        micros = round(charged * 1e6)
        if isinstance(outcome, Fault):
            self.referee.fault(outcome, micros)
        else:
            self.referee.answer(outcome, micros)
        result = self.referee.result
        if result is not None and result.forfeit == seat:
            # What is left of a bot that forfeited may be in any state.
            self._lines[seat].restart()
        self._next()

    def _charge(self, charged: float) -> Seat:
        """Writes down what the seat that was asked has used, and returns the seat."""
        question = self.referee.question
        assert question is not None
        seat = question.seat
        self.charged[seat].append(round(charged * 1e6))
        self._last[seat] = charged
        bank = self._banks[seat]
        if bank is not None:
            self._banks[seat] = max(0.0, bank - max(0.0, charged - self._clock.move_time))
        return seat

    def _tell_finished_deals(self) -> None:
        finished = self.referee.finished
        while self._told < len(finished):
            deal = finished[self._told]
            self._told += 1
            if self._watch is not None:
                self._watch(deal)
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
        result = self.referee.result
        assert result is not None
        for seat, line in zip(SEATS, self._lines, strict=False):
            if line.wants(MatchEnded):
                line.tell(MatchEnded(self._ids[seat], seat, result.scores, result.places))
