"""What sampler makes of an auction, in worlds where every hand is known."""

from __future__ import annotations

from collections.abc import Sequence

from referee.rules import Bid, Deal, Hand, MakeBid, preset_rules
from sample_bots._auction import Auction
from sample_bots._worlds import World
from tests.sample_bots.tables import dealt, seen_by

THREE = preset_rules("tournament-3p")
STRONG = "6-6 6-5 6-4 6-3 6-2 5-5 4-4"
WEAK = "5-4 5-3 5-2 4-3 3-1 2-1 0-0"
OTHER = "6-1 5-1 4-2 4-1 3-3 2-2 1-1"


def world(hands: Sequence[str], widow: str) -> World:
    return World(tuple(Hand.parse(hand).mask for hand in hands), Hand.parse(widow).mask)


def auction(deal: Deal) -> Auction:
    assert deal.turn is not None
    return Auction(seen_by(deal, deal.turn))


def test_a_bid_fits_a_strong_hand_and_a_pass_a_weak_one() -> None:
    deal = dealt(THREE, [STRONG, OTHER, WEAK], widow="3-2")
    strong, weak = world([STRONG, OTHER, WEAK], "3-2"), world([WEAK, OTHER, STRONG], "3-2")
    bid, passed = (auction(deal.play(MakeBid(bid))) for bid in (Bid.FIVE, Bid.PASS))
    assert bid.fits(strong) > 10 * bid.fits(weak)
    assert passed.fits(weak) > 10 * passed.fits(strong)


def test_a_pass_is_worth_less_when_somebody_strong_bids_after_it() -> None:
    opened = auction(dealt(THREE, [OTHER, STRONG, WEAK], widow="3-2"))
    strong = opened.worth(world([OTHER, STRONG, WEAK], "3-2"), Bid.PASS)
    nobody = opened.worth(world([OTHER, WEAK, WEAK], "3-2"), Bid.PASS)
    assert strong < nobody


def test_a_bid_that_is_outbid_is_worth_what_a_pass_is() -> None:
    opened = auction(dealt(THREE, [OTHER, STRONG, WEAK], widow="3-2"))
    here = world([OTHER, STRONG, WEAK], "3-2")
    assert opened.worth(here, Bid.FOUR) == opened.worth(here, Bid.PASS)


def test_the_widow_counts_for_who_would_take_it() -> None:
    five_sixes, rest = "6-6 6-5 6-4 6-3 6-2 3-2 2-1", "5-5 5-4 5-3 5-2 4-4 4-3 3-1"
    opened = auction(dealt(THREE, [five_sixes, rest, OTHER], widow="0-0"))
    bad = world([five_sixes, rest, OTHER.replace("4-1", "0-0")], "4-1")
    good = world([five_sixes, rest, OTHER.replace("6-1", "0-0")], "6-1")
    assert opened.worth(bad, Bid.SIX) < opened.worth(good, Bid.SIX)
