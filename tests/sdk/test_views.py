"""What a bot can read off its view, and the generator that belongs to one question."""

from __future__ import annotations

import copy
import random
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from moon.v1 import bot_service_pb2 as pb

from referee.rules import SEATS, Bid, Hand, Kind, Play, Tile, Trump, preset_rules, presets
from referee.rules import View as SeatView
from referee.sdk import View
from referee.sdk.bot import AnyView
from referee.wire.packing import pack_decision
from tests.wire.walks import questions

ROOT = Path(__file__).resolve().parents[2]


def seen(preset: str, seeds: range = range(20)) -> list[AnyView]:
    return [View.of(view) for view in questions(preset_rules(preset), seeds)]


def a_view(text_hand: str, **known: object) -> AnyView:
    """Returns a view of seat 1 in the first trick, unless *known* says otherwise."""
    values: dict[str, object] = {
        "rules": preset_rules("tournament-3p"),
        "seat": SEATS[1],
        "scores": (3, -7, 12),
        "deal_number": 4,
        "deals": None,
        "forced": False,
        "hand": Hand.parse(text_hand),
        "first_bidder": SEATS[0],
        "bids": (Bid.FOUR, Bid.PASS, Bid.FIVE),
        "declarer": SEATS[2],
        "contract": Bid.FIVE,
        "trump": Trump.SIXES,
        "taken": True,
        "widow": None,
        "discarded": None,
        "plays": (),
        "leaders": (SEATS[2],),
        "called": (),
        "tricks_won": (0, 0, 0),
        "decision": None,
        **known,
    }
    return View.of(SeatView(**values))  # type: ignore[arg-type]


NATURAL = {
    Kind.BID: Bid,
    Kind.TRUMP: Trump,
    Kind.EXCHANGE: bool,
    Kind.DISCARD: Tile,
    Kind.PLAY: Tile,
}


@pytest.mark.parametrize("preset", sorted(presets()))
def test_the_legal_answers_are_plain_values_in_the_order_of_the_rules(preset: str) -> None:
    for view in seen(preset, range(4)):
        assert view.legal
        assert {type(value) for value in view.legal} == {NATURAL[view.kind]}
        assert len(set(view.legal)) == len(view.legal)
        if view.kind is not Kind.EXCHANGE:
            assert list(view.legal) == sorted(view.legal)


def test_a_tile_that_can_be_led_as_two_suits_is_legal_once_and_called_twice() -> None:
    leads = [view for view in seen("domino-play-3p") if view.calls]
    assert leads
    for view in leads:
        assert view.calls == view.choices
        assert set(view.legal) == {play.tile for play in view.calls}
        assert view.legal[0] == view.calls[0].tile
    assert any(len(view.calls) > len(view.legal) for view in leads)


def test_nobody_calls_a_suit_where_the_higher_end_leads() -> None:
    assert not any(view.calls for view in seen("tournament-3p"))


def test_a_view_cannot_be_changed() -> None:
    view = seen("tournament-3p")[0]
    for name in ("hand", "legal", "my_score", "notes"):
        with pytest.raises(AttributeError):
            setattr(view, name, 1)


def test_the_open_trick_is_read_off_the_plays() -> None:
    view = a_view("6-1 5-2", plays=(Tile.T54,), leaders=(SEATS[2],), seat=SEATS[0])
    assert view.led == 5
    assert view.winning == 2
    assert view.takes(Tile.T61), "a trump takes a plain lead"
    assert view.takes(Tile.T55)
    assert not view.takes(Tile.T52)
    assert not view.takes(Tile.T44), "another suit takes nothing"


def test_a_lead_takes_the_trick_as_it_stands_and_outside_the_tricks_nothing_does() -> None:
    assert a_view("6-1").takes(Tile.T61)
    assert a_view("6-1").winning is None
    assert not a_view("6-1", leaders=(), trump=None).takes(Tile.T61)


def test_the_seats_after_me_are_those_that_have_not_played() -> None:
    asked = [view for view in seen("tournament-4p") if view.kind is Kind.PLAY]
    for view in asked:
        assert view.trick is not None
        order = [(view.trick.leader + step) % 4 for step in range(4)]
        assert list(view.after) == order[order.index(view.seat) + 1 :]


def test_scores_and_contract_are_told_from_my_side() -> None:
    view = a_view("6-1", tricks_won=(1, 1, 2))
    assert (view.my_score, view.best_rival_score, view.target) == (-7, 12, 21)
    assert (view.is_declarer, view.is_declaring, view.high_bid) == (False, False, Bid.FIVE)
    assert (view.tricks_needed, view.tricks_left) == (3, 3)
    assert view.is_with_me(SEATS[1])
    assert not view.is_with_me(SEATS[2])


def test_a_partner_is_with_me_and_declares_with_me() -> None:
    view = a_view(
        "6-1",
        rules=preset_rules("tournament-4p"),
        seat=SEATS[1],
        scores=(5, -2),
        declarer=SEATS[3],
        tricks_won=(0, 2, 0, 3),
    )
    assert (view.is_declarer, view.is_declaring, view.partner) == (False, True, 3)
    assert view.is_with_me(SEATS[3])
    assert (view.my_score, view.best_rival_score) == (-2, 5)
    assert view.tricks_needed == 0


def test_the_same_question_gets_the_same_draws_whatever_was_drawn_before() -> None:
    first, second = seen("tournament-3p"), seen("tournament-3p")
    draws = [view.rng.random() for view in first]
    for view in reversed(second):
        for _ in range(3):
            view.rng.random()
    again = [View.of(view).rng.random() for view in reversed(second)]
    assert again[::-1] == draws


def test_different_questions_get_different_draws() -> None:
    views = {view.question: view for view in seen("tournament-3p")}
    assert len({view.rng.random() for view in views.values()}) == len(views)


def test_the_generator_of_a_question_goes_on_and_does_not_start_again() -> None:
    view = seen("tournament-3p")[0]
    assert view.rng.random() != view.rng.random()


def test_everything_in_a_view_is_in_its_question_so_that_no_two_share_their_draws() -> None:
    base = a_view("6-1")
    other: dict[str, object] = {
        "rules": preset_rules("gamerules-3p"),
        "seat": SEATS[0],
        "scores": (3, -7, 11),
        "deal_number": 5,
        "deals": 10,
        "forced": True,
        "hand": Hand.parse("6-2"),
        "first_bidder": SEATS[1],
        "bids": (Bid.PASS, Bid.PASS, Bid.FIVE),
        "declarer": SEATS[0],
        "contract": Bid.SIX,
        "trump": Trump.NONE,
        "taken": None,
        "widow": Tile.T11,
        "plays": (Tile.T55,),
        "leaders": (SEATS[0],),
        "called": (Trump.FIVES,),
        "tricks_won": (1, 0, 0),
    }
    assert set(other) | {"discarded", "decision"} == set(SeatView.__slots__)
    for name, value in other.items():
        assert a_view("6-1", **{name: value}).question != base.question, name
    laid = [a_view("6-1", widow=Tile.T11, discarded=tile) for tile in (Tile.T11, Tile.T22)]
    assert laid[0].question != laid[1].question


DRAW = """
from tests.sdk.test_views import seen
print([view.rng.randrange(1 << 30) for view in seen("tournament-3p", range(3))])
print(hash("salted"))
"""


def test_draws_are_the_same_in_every_process_whatever_its_hash_seed() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", DRAW],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("0", "1")
    ]
    (draws, salt), (other_draws, other_salt) = outputs
    assert salt != other_salt
    assert draws == other_draws


def test_the_draws_of_a_question_do_not_change_with_a_new_version() -> None:
    """Recorded matches of bots that draw are played again and compared."""
    view = a_view("6-1 5-2")
    assert view.question == (
        "tournament-3p | deal 4 | scores 3 -7 12 | seat 1 | bids from 0: 4 pass 5 | "
        "seat 2 declares 5, trump 6 | widow taken | won 0 0 0 | led 2 | plays - | hand 6-1 5-2 | "
    )
    assert view.rng.randrange(1_000_000) == 465_741


def test_a_play_of_the_rules_is_what_the_sdk_calls_a_play() -> None:
    lead = next(view for view in seen("domino-play-3p") if view.calls)
    assert isinstance(lead.calls[0], Play)


@pytest.mark.parametrize("preset", ["kelley-3p", "domino-play-3p", "tournament-4p"])
def test_a_view_from_a_message_is_the_view_that_was_sent_whatever_is_looked_at_first(
    preset: str,
) -> None:
    rng = random.Random(1)
    for sent in questions(preset_rules(preset), range(4)):
        message = pack_decision(sent, match_id="m", number=1, move_time_ms=1000).decision
        whole: AnyView = View.of(sent)
        arrived: AnyView = View.read(message)
        for name in rng.sample([field.name for field in fields(SeatView)], 5):
            assert getattr(arrived, name) == getattr(whole, name)
        assert arrived.legal == whole.legal
        assert (arrived, hash(arrived)) == (whole, hash(whole))
        assert View.read(message).question == whole.question
        assert copy.copy(View.read(message)) == whole


def test_a_view_from_a_message_can_be_kept_when_the_message_changes_hands() -> None:
    """What was looked at once is the same object ever after, and the rest is still there."""
    [sent, *_] = questions(preset_rules("tournament-3p"), range(1))
    request = pb.DecideRequest()
    request.decision.CopyFrom(
        pack_decision(sent, match_id="m", number=1, move_time_ms=1000).decision
    )
    view: AnyView = View.read(request.decision)
    hand = view.hand
    del request
    assert view.hand is hand
    assert view == View.of(sent)


def test_a_name_that_a_view_does_not_have_is_refused_as_of_any_object() -> None:
    [sent, *_] = questions(preset_rules("tournament-3p"), range(1))
    view: AnyView = View.read(
        pack_decision(sent, match_id="m", number=1, move_time_ms=1000).decision
    )
    with pytest.raises(AttributeError, match="'View' object has no attribute 'hnad'"):
        view.hnad  # noqa: B018 - the misspelt name is what is tried
    with pytest.raises(AttributeError, match="a view cannot be changed: hand"):
        view.hand = sent.hand  # type: ignore[misc]


def test_a_table_that_cannot_be_asked_yet_says_when_it_can() -> None:
    views = seen("tournament-3p", range(40))
    discards = [view for view in views if view.kind is Kind.DISCARD]
    assert discards
    for view in discards:
        with pytest.raises(ValueError, match="under these rules the discard comes before it"):
            _ = view.table
    bid = next(view for view in views if view.kind is Kind.BID)
    with pytest.raises(ValueError, match="no trump is named yet; it can be asked from then on"):
        _ = bid.table
