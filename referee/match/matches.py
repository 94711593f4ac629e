"""A match as a fold: deals until the target, or a fixed number of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from referee.rules import (
    SEATS,
    Choice,
    Deal,
    DealScore,
    Dealt,
    Decision,
    MatchEnd,
    Rules,
    Seat,
    View,
    deal_tiles,
    first_bidder,
    match_end,
    view,
)
from referee.rules.errors import IllegalChoiceError, OptionError
from referee.rules.options import AllPass, RedealFirstBidder

DEFAULT_MAX_DEALS = 100
"""The deals after which a match to the target ends even if nobody has reached it."""

DealSource: TypeAlias = Callable[[int], Dealt]
"""By deal number: what is dealt."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a match is played for.

    Raises:
        OptionError: if a number of deals is not positive.
    """

    rules: Rules
    deals: int | None = None
    """A fixed number of deals, those that are thrown in included; ``None`` means to the target. A
    moon that would win or lose the game outright counts its points only."""
    max_deals: int = DEFAULT_MAX_DEALS
    """The deals, those that are thrown in included, after which a match to the target ends: scores
    have no floor, and no source ends a game that nobody wins."""

    def __post_init__(self) -> None:
        """Checks the numbers."""
        for name, number in (("deals", self.deals), ("max_deals", self.max_deals)):
            if number is not None and number < 1:
                raise OptionError(name, f"a match has at least 1 deal, not {number}")


class Ending(StrEnum):
    """Why a match is over."""

    TARGET = "target"
    """A side reached the target."""
    MOON = "moon"
    """A moon won or lost the game outright."""
    DEALS = "deals"
    """The fixed number of deals was played."""
    CAP = "cap"
    """Nobody reached the target within ``max_deals``."""
    FORFEIT = "forfeit"
    """A seat had more faults than the clock allows, or its bot did not start."""


class Result(NamedTuple):
    """How a match ended."""

    ending: Ending
    scores: tuple[int, ...]
    """By side."""
    places: tuple[int, ...]
    """By side: 1 is the winner; sides that are level share the better place."""
    forfeit: int | None = None
    """The seat that forfeited."""


class FinishedDeal(NamedTuple):
    """A deal that has just ended."""

    number: int
    deal: Deal
    score: DealScore | None
    """What it was worth, or ``None`` if it was thrown in."""
    scores: tuple[int, ...]
    """By side: the match score after it."""


class Match(NamedTuple):
    """A match in some state. ``play`` returns the next one and leaves this one as it is."""

    terms: Terms
    source: DealSource
    number: int
    """The number of the open deal, from 0."""
    redeals: int
    """How many deals in a row were thrown in just before the open one."""
    scores: tuple[int, ...]
    """By side: the score before the open deal."""
    deal: Deal
    """The open deal; the last one, once the match is over."""
    finished: FinishedDeal | None = None
    """The deal that the last choice ended, or ``None``."""
    result: Result | None = None
    """How the match ended, or ``None`` while it goes on."""

    @classmethod
    def start(cls, terms: Terms, key: bytes) -> Match:
        """Returns the match with the secret *key* (32 bytes) before its first bid."""
        rules = terms.rules
        return cls.of(
            terms, lambda number: deal_tiles(key, number, rules), first_bidder(key, rules)
        )

    @classmethod
    def of(cls, terms: Terms, source: DealSource, first: Seat) -> Match:
        """Returns the match over the deals of *source*, with *first* to bid first in deal 0."""
        rules = terms.rules
        deal = Deal.start(rules, source(0), first, forced=is_forced(rules, 0))
        return cls(terms, source, 0, 0, (0,) * rules.side_count, deal)

    @property
    def decision(self) -> Decision | None:
        """The open question, or ``None`` once the match is over."""
        return None if self.result else self.deal.decision

    def play(self, choice: Choice) -> Match:
        """Returns the state after *choice*.

        Raises:
            IllegalChoiceError: if *choice* is not allowed now.
        """
        if self.result:
            raise IllegalChoiceError(f"the match is over, so nobody may {choice}")
        deal = self.deal.play(choice)
        if deal.turn is not None:
            # As the constructor would make it, which is a function in Python.
            return tuple.__new__(
                Match,
                (self.terms, self.source, self.number, self.redeals, self.scores, deal, None, None),
            )
        return self._close(deal)

    def view(self, seat: Seat, decision: Decision | None = None) -> View:
        """Returns what *seat* may know.

        Args:
            seat: Who looks.
            decision: The open question, if the caller has it at hand.
        """
        return view(
            self.deal,
            seat,
            scores=self.scores,
            deal_number=self.number,
            deals=self.terms.deals,
            decision=decision,
        )

    def forfeit(self, seat: Seat) -> Match:
        """Returns the match ended by *seat*: last, and no present for the others (by score)."""
        side = self.terms.rules.side_of(seat)
        places = _places(self.scores, winner=None, last=side)
        result = Result(Ending.FORFEIT, self.scores, places, seat)
        return self._replace(result=result, finished=None)

    def _close(self, deal: Deal) -> Match:
        rules = self.terms.rules
        if deal.is_thrown_in:
            finished = FinishedDeal(self.number, deal, None, self.scores)
            ended = self._ending(MatchEnd(False, None), None, self.scores)
        else:
            score = deal.score()
            if self.terms.deals is not None:
                score = score._replace(wins_game=None, loses_game=None)
            pairs = zip(self.scores, score.points, strict=True)
            scores = tuple([before + points for before, points in pairs])
            finished = FinishedDeal(self.number, deal, score, scores)
            assert deal.declarer is not None
            end = match_end(rules, scores, rules.side_of(deal.declarer), score)
            ended = self._ending(end, score, scores)
        if ended is not None:
            return self._replace(deal=deal, finished=finished, scores=finished.scores, result=ended)
        return self._next_deal(finished)

    def _ending(
        self, end: MatchEnd, score: DealScore | None, scores: tuple[int, ...]
    ) -> Result | None:
        dealt = self.number + 1
        if self.terms.deals is not None:
            if dealt < self.terms.deals:
                return None
            return Result(Ending.DEALS, scores, _places(scores))
        if end.is_over:
            assert score is not None
            outright = score.wins_game is not None or score.loses_game is not None
            places = _places(scores, winner=end.winner, last=score.loses_game)
            return Result(Ending.MOON if outright else Ending.TARGET, scores, places)
        if dealt >= self.terms.max_deals:
            return Result(Ending.CAP, scores, _places(scores))
        return None

    def _next_deal(self, finished: FinishedDeal) -> Match:
        rules = self.terms.rules
        number = self.number + 1
        redeals = self.redeals + 1 if finished.score is None else 0
        deal = Deal.start(
            rules,
            self.source(number),
            next_first_bidder(finished.deal),
            forced=is_forced(rules, redeals),
        )
        return Match(self.terms, self.source, number, redeals, finished.scores, deal, finished)


def is_forced(rules: Rules, redeals: int) -> bool:
    """Returns whether the last bidder must bid, after so many *redeals* in a row (B12, B15)."""
    if rules.all_pass is AllPass.FORCE_LAST:
        return True
    return 0 < rules.redeal_limit <= redeals


def next_first_bidder(deal: Deal) -> Seat:
    """Returns who bids first after *deal*, which is over (B2, B14)."""
    rules = deal.rules
    first = deal.auction.first_bidder
    if deal.is_thrown_in:
        moves = rules.redeal_first_bidder is RedealFirstBidder.ADVANCE
    else:
        moves = rules.rotate_first_bidder
    return SEATS[(first + 1) % rules.players] if moves else first


def _places(
    scores: tuple[int, ...], winner: int | None = None, last: int | None = None
) -> tuple[int, ...]:
    """Returns the place of each side: by score, but *winner* ahead of all and *last* behind all."""
    ranks = [(side != winner if winner is not None else False, side == last, -score)
             for side, score in enumerate(scores)]  # fmt: skip
    return tuple(1 + sum(other < mine for other in ranks) for mine in ranks)
