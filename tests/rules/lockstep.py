"""Plays the fast and the slow rules side by side, and translates between them."""

from __future__ import annotations

import random
from typing import Any

from referee.rules import (
    Choice,
    Deal,
    Dealt,
    Discard,
    Exchange,
    MakeBid,
    NameTrump,
    Play,
    Rules,
    Suit,
    Tile,
    Trump,
)
from referee.rules.options import option_texts
from referee.rules.tiles import tiles_in
from tests.rules import slow_rules
from tests.rules.slow_deal import SlowDeal


def pair(tile: Tile) -> tuple[int, int]:
    return tile.high, tile.low


def plain_suit(suit: Suit | Trump | None) -> int | str | None:
    if suit is None:
        return None
    return int(suit) if suit < 7 else str(suit)


def plain(choice: Choice) -> tuple[Any, ...]:
    """Returns *choice* as the slow rules write it."""
    match choice:
        case MakeBid(bid):
            return "bid", int(bid)
        case NameTrump(trump):
            return "trump", plain_suit(trump)
        case Exchange(take):
            return "exchange", take
        case Discard(tile):
            return "discard", pair(tile)
        case Play(tile, called):
            return "play", pair(tile), plain_suit(called)


def slow_of(deal: Deal) -> SlowDeal:
    """Returns the slow deal with the same tiles before the first bid."""
    return SlowDeal(
        option_texts(deal.rules),
        [{pair(tile) for tile in tiles_in(mask)} for mask in deal.dealt.hands],
        [pair(tile) for tile in deal.dealt.middle],
        deal.auction.first_bidder,
        deal.forced,
    )


def dealt(rules: Rules, rng: random.Random, *, forced: bool | None = None) -> Deal:
    """Returns a deal before its first bid, drawn by *rng* and not by the function of the seed."""
    tiles = list(rules.tiles)
    rng.shuffle(tiles)
    hands = tuple(
        sum(1 << tile for tile in tiles[7 * seat : 7 * seat + 7]) for seat in range(rules.players)
    )
    dealt = Dealt(hands, tuple(tiles[7 * rules.players :]))
    if forced is None:
        forced = rng.random() < 0.5
    return Deal.start(rules, dealt, rng.randrange(rules.players), forced=forced)


def judge(deal: Deal, rng: random.Random) -> Deal:
    """Plays *deal* at random to its end and holds every step of it against the slow rules."""
    slow = slow_of(deal)
    while (decision := deal.decision) is not None:
        assert (decision.kind.word, decision.seat) == slow.asked()
        legal = [plain(choice) for choice in decision.legal]
        assert len(legal) == len(set(legal))
        assert set(legal) == slow.legal()
        choice = decision.legal[rng.randrange(len(legal))]
        slow.choose(plain(choice))
        deal = deal.play(choice)
        assert [{pair(tile) for tile in tiles_in(mask)} for mask in deal.hands] == [
            slow.held(seat) for seat in range(slow.players)
        ]
    assert slow.asked() is None
    _compare_ends(deal, slow)
    return deal


def _compare_ends(deal: Deal, slow: SlowDeal) -> None:
    assert deal.declarer == slow.declarer
    assert list(deal.tricks_won) == slow.won
    if deal.declarer is None:
        assert deal.is_thrown_in
        return
    assert list(deal.leaders) == slow.leaders
    assert [plain_suit(suit) for suit in deal.suits] == slow.called
    score = deal.score()
    made, points = slow_rules.points(deal.declarer, slow.high, slow.won, slow.options)
    assert (score.made, list(score.points)) == (made, points)
