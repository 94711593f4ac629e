"""A view arrives as it was sent, and holds nothing that its seat may not know."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moon.v1 import table_pb2 as pb

from referee.rules import (
    SEATS,
    TILES,
    Deal,
    Dealt,
    Hand,
    Tile,
    View,
    change_rules,
    preset_rules,
    presets,
    view,
)
from referee.wire.errors import WireError
from referee.wire.packing import pack_decision, pack_view
from referee.wire.views import decode_view
from tests.wire.walks import questions, walk

PRESETS = sorted(presets())


@given(preset=st.sampled_from(PRESETS), seed=st.integers(0, 1_000_000))
def test_every_view_of_random_play_arrives_as_it_was_sent(preset: str, seed: int) -> None:
    rules = preset_rules(preset)
    for deal, _ in walk(rules, seed):
        for seat in SEATS[: rules.players]:
            sent = view(deal, seat, scores=range(rules.side_count), deal_number=3)
            message = pb.View.FromString(pack_view(sent))
            assert decode_view(message, sent.decision, View) == sent


def unseen_places(deal: Deal, seat: int) -> tuple[list[Tile], bool]:
    """Returns the tiles *seat* has not seen, and whether the widow and the discard are among them.

    Worked out from the deal itself, not with the code under test.
    """
    own_deal = deal.declarer == seat
    others = [other for other in range(deal.rules.players) if other != seat]
    hidden = [tile for other in others for tile in TILES if deal.hands[other] >> tile & 1]
    hidden += deal.dealt.middle[1:]
    if deal.dealt.middle and not deal.taken:
        hidden.append(deal.dealt.middle[0])
    if deal.discarded is not None and not own_deal:
        hidden.append(deal.discarded)
    return hidden, own_deal


def reshuffled(deal: Deal, seat: int, rng: random.Random) -> Deal:
    """Returns *deal* with everything that *seat* cannot see dealt anew among the hidden places."""
    hidden, own_deal = unseen_places(deal, seat)
    rng.shuffle(hidden)
    hands = list(deal.hands)
    for other in range(deal.rules.players):
        if other != seat:
            count = deal.hands[other].bit_count()
            hands[other] = Hand.of(hidden[:count]).mask
            del hidden[:count]
    middle = list(deal.dealt.middle)
    for place in range(1, len(middle)):
        middle[place] = hidden.pop()
    if middle and not deal.taken:
        middle[0] = hidden.pop()
    elif middle and not own_deal:
        middle[0] = rng.choice([t for t in deal.rules.tiles if not deal.hands[seat] >> t & 1])
    discarded = deal.discarded
    if discarded is not None and not own_deal:
        discarded = hidden.pop()
    assert not hidden
    # What was dealt is known only through what is held now, so any order of it will do.
    dealt = tuple(rng.sample(deal.dealt.hands, len(deal.dealt.hands)))
    return replace(deal, hands=tuple(hands), dealt=Dealt(dealt, tuple(middle)), discarded=discarded)


def sent_bytes(deal: Deal, seat: int) -> bytes:
    asked = view(deal, SEATS[seat], scores=(1,) * deal.rules.side_count)
    if asked.decision is None:
        return pack_view(asked)
    message = pack_decision(asked, match_id="m", number=7, move_time_ms=1000, bank_ms=5).decision
    return message.SerializeToString()


@given(preset=st.sampled_from(PRESETS), seed=st.integers(0, 1_000_000))
def test_what_a_seat_cannot_see_does_not_change_one_byte_sent_to_it(preset: str, seed: int) -> None:
    rules, rng = preset_rules(preset), random.Random(seed)
    for deal, _ in walk(rules, seed):
        for seat in range(rules.players):
            other = reshuffled(deal, seat, rng)
            assert sent_bytes(other, seat) == sent_bytes(deal, seat)


def test_reshuffling_does_change_what_another_seat_is_sent() -> None:
    """The guard of the test above: it must not compare a deal with itself."""
    states = [deal for deal, _ in walk(preset_rules("tournament-3p"), 3)]
    rng = random.Random(1)
    changed = [reshuffled(deal, 0, rng) for deal in states[:-3]]
    assert all(sent_bytes(a, 1) != sent_bytes(b, 1) for a, b in zip(states, changed, strict=False))


def test_rules_travel_as_a_text_that_names_the_same_rules() -> None:
    changed = change_rules(preset_rules("tournament-3p"), ["min_bid=3", "target=50"])
    [asked, *_] = questions(changed, range(1))
    message = pb.View.FromString(pack_view(asked))
    assert message.rules == "tournament-3p min_bid=3 target=50"
    assert decode_view(message, None, View).rules == changed


def unknown(field: str, number: int) -> pb.View:
    [asked, *_] = questions(preset_rules("tournament-3p"), range(1))
    message = pb.View.FromString(pack_view(asked))
    if field in ("hand", "bids", "plays", "leaders", "called_suits"):
        getattr(message, field).append(number)
    else:
        setattr(message, field, number)
    return message


FIELDS = [
    *("seat", "hand", "first_bidder", "bids", "declarer", "contract", "trump", "exchange"),
    *("widow", "discarded", "plays", "leaders", "called_suits"),
]


@pytest.mark.parametrize("number", [99, -1])
@pytest.mark.parametrize("field", FIELDS)
def test_a_number_that_stands_for_nothing_is_refused_with_its_field(
    field: str, number: int
) -> None:
    problem = rf"^view\.{field} holds {number}, which stands for nothing"
    with pytest.raises(WireError, match=problem):
        decode_view(unknown(field, number), None, View)


def test_rules_that_nobody_knows_are_refused_with_the_nearest_name() -> None:
    [asked, *_] = questions(preset_rules("tournament-3p"), range(1))
    message = pb.View.FromString(pack_view(asked))
    message.rules = "turnament-3p"
    with pytest.raises(WireError, match=r"^view\.rules .*tournament-3p"):
        decode_view(message, None, View)
