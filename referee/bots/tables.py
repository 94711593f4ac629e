"""One table in play: a match, its referee, and a line for each seat, or two where halves sit.

No task of its own. The halves of an entrant are two players that share a seat, a score and its
strikes, and nothing else: each has ids, a clock and a bank of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol, TypeAlias

from referee.bots.asks import Ask, Charge, TableLine
from referee.bots.halves import Half
from referee.bots.terms import ClockTerms
from referee.match import Fault, FaultMark, FinishedDeal, MatchReferee
from referee.rules import SEATS, Bid, Choice, Kind, Seat
from referee.wire.notices import DealEnded, MatchEnded, Notice


class Tap(Protocol):
    """Is told of every question of a table, and of what becomes of it."""

    def asked(self, ask: Ask) -> None:
        """Takes note that *ask* is about to be put to the bot of its seat."""

    def applied(self, ask: Ask, outcome: Choice | Fault, charge: Charge) -> None:
        """Takes note that *outcome*, for which *charge* is taken, is what came of *ask*."""


Watch: TypeAlias = Callable[[FinishedDeal, Sequence[FaultMark]], None]
"""Is told of a deal, and of the faults in it."""

Seated: TypeAlias = TableLine | tuple[TableLine, ...]
"""The line to the bot on a seat; or two, to the bot that bids there and to the one that plays."""


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


@dataclass(slots=True)
class _Player:
    """One bot at the table."""

    line: TableLine
    bank: float | None
    """Seconds left in it, or ``None`` without a bank."""
    last: float | None = None
    """Seconds that its last answer was charged, or ``None`` before the first."""
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    """Of the match, for this bot: random, and another one for each, as it must tell nothing."""


class TableInPlay:
    """Drives a match from its first question to its result.

    Attributes:
        referee: The referee of the match.
        charged: By seat: what every answer that was asked for was charged, in microseconds.
        overhead: What each question that was asked took on its way, in order.
        stalls: For each decision during which this host stalled: its number, and the seconds.
        error: What went wrong on our side, so that the table is void; else ``None``.
        is_dropped: Whether it was ended before its match, as what was left could tell nothing.
    """

    def __init__(
        self,
        referee: MatchReferee,
        lines: Sequence[Seated],
        clock: ClockTerms,
        done: Callable[[TableInPlay], None],
        watch: Watch | None = None,
        tap: Tap | None = None,
    ) -> None:
        """Seats the bots.

        Args:
            referee: The referee of the match.
            lines: By seat: the line to its bot, or the two to its halves.
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
        self.is_dropped = False
        self._players = tuple(
            tuple(
                _Player(line, clock.bank) for line in (seat if isinstance(seat, tuple) else (seat,))
            )
            for seat in lines
        )
        self._done = done
        self._watch = watch
        self._tap = tap
        self._told = 0
        self._ask: Ask | None = None
        self._to_move: _Player | None = None
        self._applied = 0.0

    def start(self) -> None:
        """Asks the first question."""
        self._take(self._next)

    def drop(self) -> None:
        """Ends the table as it stands; no question may be out."""
        self.is_dropped = True
        self._done(self)

    def _take(self, step: Callable[..., None], *given: object) -> None:
        """Takes *step*; if it fails, that is our fault, and this table is void, no other."""
        try:
            step(*given)
        except Exception as error:  # noqa: BLE001 - one broken table must not end the others
            self.error = error
        if self.error is not None or self.referee.match.result is not None:
            self._done(self)

    def _next(self) -> None:
        referee = self.referee
        question = referee.question
        if self._told < len(referee.finished):
            self._tell_finished_deals()
        if question is None:
            self._tell_end()
            return
        self._to_move = player = self._player(question.seat, question.decision.kind)
        self._ask = ask = Ask(
            player.id,
            question,
            player.bank,
            player.last,
            self._answered,
            self._faulted,
            self._failed,
            self._applied or monotonic(),
        )
        if self._tap is not None:
            self._tap.asked(ask)
        player.line.ask(ask)

    def _player(self, seat: Seat, kind: Kind) -> _Player:
        """Returns who on *seat* makes choices of *kind*."""
        players = self._players[seat]
        return players[Half.of(kind)] if len(players) > 1 else players[0]

    def _answered(self, choice: Choice, charge: Charge) -> None:
        self._take(self._apply, choice, charge)

    def _faulted(self, fault: Fault, charge: Charge) -> None:
        self._take(self._apply, fault, charge)

    def _failed(self, error: Exception) -> None:
        self.error = error
        self._done(self)

    def _apply(self, outcome: Choice | Fault, charge: Charge) -> None:
        ask, referee = self._ask, self.referee
        assert ask is not None
        seat = ask.question.seat
        if self._tap is not None:
            self._tap.applied(ask, outcome, charge)
        micros = self._charge(seat, charge)
        if isinstance(outcome, Fault):
            referee.fault(outcome, micros)
        else:
            referee.answer(outcome, micros)
        self._applied = applied = monotonic()
        self.overhead.add(ask, applied)
        if ask.stalled:
            self.stalls.append((ask.question.number, ask.stalled))
        result = referee.match.result
        if result is not None and result.forfeit == seat:
            # What is left of a bot that forfeited may be in any state.
            for player in self._players[seat]:
                player.line.restart()
        self._next()

    def _charge(self, seat: Seat, charge: Charge) -> int:
        """Writes down what *seat* used for what it was asked, and returns it in microseconds."""
        micros = round(charge.seconds * 1e6)
        self.charged[seat].append(micros)
        player = self._to_move
        assert player is not None
        player.last = charge.seconds
        if player.bank is not None:
            player.bank = max(0.0, player.bank - charge.from_bank)
        return micros

    def _tell_finished_deals(self) -> None:
        finished, records = self.referee.finished, self.referee.deals
        while self._told < len(finished):
            deal, record = finished[self._told], records[self._told]
            self._told += 1
            if self._watch is not None:
                self._watch(deal, record.faults)
            for seat, player in self._everybody():
                if player.line.wants(DealEnded):
                    player.line.tell(_deal_notice(player.id, deal, seat))

    def _tell_end(self) -> None:
        match, records = self.referee.match, self.referee.deals
        result = match.result
        assert result is not None
        if self._watch is not None and len(records) > self._told:
            broken_off = FinishedDeal(match.number, match.deal, None, match.scores)
            self._watch(broken_off, records[-1].faults)
        for seat, player in self._everybody():
            if player.line.wants(MatchEnded):
                player.line.tell(MatchEnded(player.id, seat, result.scores, result.places))

    def _everybody(self) -> Iterator[tuple[Seat, _Player]]:
        for seat, players in zip(SEATS, self._players, strict=False):
            for player in players:
                yield seat, player


def _deal_notice(match_id: str, finished: FinishedDeal, seat: Seat) -> Notice:
    deal, score = finished.deal, finished.score
    sides = deal.rules.side_count
    return DealEnded(
        match_id,
        seat,
        finished.number,
        deal.declarer,
        deal.contract if deal.declarer is not None else Bid.PASS,
        deal.trump,
        deal.tricks_won,
        score.points if score else (0,) * sides,
        finished.scores,
    )
