"""Random play to the end of a deal, for a bot's rollouts: no state in between, only the result."""

from __future__ import annotations

from typing import Protocol

from referee.rules.bids import TRICKS
from referee.rules.deals import Deal
from referee.rules.decisions import Choice, Kind
from referee.rules.options import FirstLead, FollowRule, LedSuit, PlayOut
from referee.rules.tiles import TILES


class Random(Protocol):
    """What a playout needs of a generator such as `random.Random`."""

    def random(self) -> float:
        """Returns a number from 0 up to but not including 1."""
        ...


def playout(deal: Deal, rng: Random) -> tuple[int, ...]:
    """Returns the tricks each seat has won after every open choice was made at random.

    Each choice is drawn evenly from the legal ones, by their order, with one draw of *rng* where
    there are several and none where there is one; so the answer is that of the step-by-step
    interface with the same draws.

    Args:
        deal: A deal in any state. One that is thrown in on the way has no tricks.
        rng: Where the draws come from.
    """
    while (kind := deal.kind) is not None and kind is not Kind.PLAY:
        decision = deal.decision
        assert decision is not None
        deal = deal.play(_pick(decision.legal, rng))
    if deal.turn is None:
        return deal.tricks_won
    rules = deal.rules
    plain = (
        rules.play_out is PlayOut.ALL_SEVEN
        and rules.led_suit is LedSuit.HIGHER_END
        and rules.follow_rule is FollowRule.FOLLOW_FIRST
        and (rules.first_lead is FirstLead.ANY or deal.plays)
    )
    return _fast(deal, rng) if plain else _steps(deal, rng)


def _steps(deal: Deal, rng: Random) -> tuple[int, ...]:
    while (decision := deal.decision) is not None:
        deal = deal.play(_pick(decision.legal, rng))
    return deal.tricks_won


def _pick(legal: tuple[Choice, ...], rng: Random) -> Choice:
    return legal[int(rng.random() * len(legal))] if len(legal) > 1 else legal[0]


def _fast(deal: Deal, rng: Random) -> tuple[int, ...]:
    """Plays on by follow-first rules. Written as one loop: this is what rollouts spend time in."""
    draw = rng.random
    players = deal.rules.players
    assert deal.trump is not None
    assert deal.turn is not None
    table = deal.rules.tables[deal.trump]
    leads, follows, strengths = table.leads, table.follows, table.strength
    hands = list(deal.hands)
    won = list(deal.tricks_won)
    seat: int = deal.turn
    begun = deal.plays[(len(deal.leaders) - 1) * players :]
    follow, strength, best, winner = 0, strengths[0], -1, seat
    if begun:
        follow, strength = follows[deal.suits[-1]], strengths[deal.suits[-1]]
        best = max(strength[tile] for tile in begun)
        at = next(place for place, tile in enumerate(begun) if strength[tile] == best)
        winner = (deal.leaders[-1] + at) % players
    left = players - len(begun)
    picks = _PICKS
    for _ in range(TRICKS - len(deal.leaders) + 1):
        for place in range(left, 0, -1):
            hand = hands[seat]
            legal = hand if place == players else hand & follow or hand
            count = legal.bit_count()
            if count > 1:
                for _skip in picks[int(draw() * count)]:
                    legal &= legal - 1
            tile = (legal & -legal).bit_length() - 1
            hands[seat] = hand & ~(1 << tile)
            if place == players:
                suit = leads[tile]
                follow, strength = follows[suit], strengths[suit]
                best, winner = strength[tile], seat
            elif strength[tile] > best:
                best, winner = strength[tile], seat
            seat = seat + 1 if seat + 1 < players else 0
        won[winner] += 1
        seat = winner
        left = players
    return tuple(won)


_PICKS = tuple(range(count) for count in range(len(TILES)))
"""By index: how often the lowest tile is dropped to come to it."""
