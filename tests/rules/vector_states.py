"""Deals in the middle of play, built from the few facts a question names.

The questions are then answered by the step interface itself: `Deal.decision` and `Deal.play`.
"""

from __future__ import annotations

from collections.abc import Sequence

from vector_reading import LaidTrick, QuestionError

from referee.rules import (
    SEATS,
    SUITS,
    TILES,
    Bid,
    Deal,
    Dealt,
    MakeBid,
    Play,
    Rules,
    Tile,
    Trump,
    deal_tiles,
    seed_key,
)
from referee.rules.auction import Auction
from referee.rules.tiles import mask_of


def fresh_deal(rules: Rules, first: int = 0, forced: bool = False) -> Deal:
    """Returns a deal before its first bid, with tiles that do not matter."""
    return Deal.start(rules, deal_tiles(seed_key("vectors"), 0, rules), first, forced=forced)


def trick_deal(
    rules: Rules,
    trump: Trump,
    trick: LaidTrick,
    hand: Sequence[Tile] = (),
    *,
    seat: int | None = None,
    opens: bool = True,
) -> Deal:
    """Returns the deal after *trick* was laid, with *hand* in the hand of whoever plays next.

    Args:
        rules: The rules.
        trump: The trump.
        trick: What lies on the table; each of its players held that tile and no other.
        hand: What the next player holds.
        seat: Who that is, if nothing lies on the table.
        opens: Whether this is the first trick of the deal.
    """
    players = rules.players
    leader = trick.seats[0] if trick.seats else (seat or 0)
    if trick.seats != tuple((leader + place) % players for place in range(len(trick.seats))):
        raise QuestionError(f"seats {trick.seats} do not play clockwise")
    hands = [0] * players
    for place, tile in enumerate(trick.tiles):
        hands[(leader + place) % players] = mask_of([tile])
    if len(trick.tiles) < players:
        hands[(leader + len(trick.tiles)) % players] = mask_of(hand)
    past = 0 if opens else 1
    deal = Deal(
        rules,
        Dealt(tuple(hands), ()),
        False,
        Auction(SEATS[0], None, SEATS[leader], Bid.FOUR),
        (),
        tuple(hands),
        SEATS[leader],
        trump=trump,
        plays=TILES[:players] * past,
        leaders=(SEATS[leader],) * (past + 1),
        suits=SUITS[:1] * past,
        tricks_won=(past, *[0] * (players - 1)),
    )
    for place, tile in enumerate(trick.tiles):
        deal = deal.play(Play(tile, trick.called if place == 0 else None))
    return deal


def declared_deal(
    rules: Rules, seat: int = 0, hand: int | None = None, widow: Tile | None = None
) -> Deal:
    """Returns the deal just after the auction that *seat* won, with those tiles if they matter."""
    deal = fresh_deal(rules)
    hands, middle = deal.dealt
    if hand is not None:
        hands = (*hands[:seat], hand, *hands[seat + 1 :])
    if widow is not None:
        middle = (widow, *middle[1:])
    deal = Deal.start(rules, Dealt(hands, middle), seat)
    lowest = Bid(rules.min_bid)
    while deal.auction.turn is not None:
        deal = deal.play(MakeBid(lowest if deal.auction.turn == seat else Bid.PASS))
    return deal


def goes_on(rules: Rules, declarer: int, contract: Bid, tricks: Sequence[int]) -> bool:
    """Whether another trick is played once the seats have *tricks*."""
    if not any(tricks):
        return True
    players = rules.players
    last = max(range(players), key=lambda seat: tricks[seat])
    done = sum(tricks) - 1
    # The seat with the most tricks takes the last one with a tile that nothing beats.
    before = tuple(won - (seat == last) for seat, won in enumerate(tricks))
    lead, others = Tile.T66, (Tile.T21, Tile.T31, Tile.T32)
    hands = [0] * players
    for place in range(players):
        hands[(last + place) % players] = mask_of([(lead, *others)[place]])
    deal = Deal(
        rules,
        Dealt(tuple(hands), ()),
        False,
        Auction(SEATS[0], None, SEATS[declarer], contract),
        (),
        tuple(hands),
        SEATS[last],
        trump=Trump.NONE,
        plays=TILES[:players] * done,
        leaders=(SEATS[last],) * (done + 1),
        suits=SUITS[:1] * done,
        tricks_won=before,
    )
    assert deal.decision is not None
    choice = deal.decision.legal[-1]
    deal = deal.play(choice)
    for _ in range(players - 1):
        assert deal.decision is not None
        deal = deal.play(deal.decision.legal[0])
    return not deal.is_over
