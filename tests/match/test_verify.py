"""Judging a record again: whatever in it the rules do not bear out is found, with its place."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match import (
    DealRecord,
    Ending,
    Fault,
    FaultKind,
    FaultMark,
    Match,
    MatchRecord,
    MatchReferee,
    RecordMismatchError,
    Result,
    TableTerms,
    Terms,
    finished_deals,
    match_differences,
    verify_match,
)
from referee.match.replay import Choices
from referee.rules import (
    SEATS,
    SUITS,
    TILES,
    Bid,
    Dealt,
    Trump,
    deal_tiles,
    preset_rules,
    presets,
    seed_key,
)
from tests.match.playing import KINDS, random_match

KEY = seed_key("7")
NAMES = ("tournament-3p", "tournament-4p", "domino-play-3p", "kelley-3p", "vab-3p")


def recorded(name: str, seed: object = 7, **settings: object) -> MatchRecord:
    return random_match(name, seed, **{"max_deals": 4, "faults": 0.04, **settings})  # type: ignore[arg-type]


def judge(record: MatchRecord, key: bytes = KEY) -> tuple[RecordMismatchError, ...]:
    rules = record.terms.rules
    return match_differences(record, lambda number: deal_tiles(key, number, rules), key)


def with_deal(record: MatchRecord, at: int, /, **changes: object) -> MatchRecord:
    deals = list(record.deals)
    deals[at] = replace(deals[at], **changes)  # type: ignore[arg-type]
    return replace(record, deals=tuple(deals))


# A record that was not written by the referee is found. The referee itself is the yardstick: a
# changed record may stand only if a referee who is given its choices would write that very record.


def refereed_again(record: MatchRecord, key: bytes = KEY) -> MatchRecord | None:
    """Returns what a referee writes who is given the seed, and the choices of *record*."""
    match = Match.start(record.terms, key)
    terms = TableTerms(record.strikes, record.ask_forced)
    referee = MatchReferee(record.table, match, record.seats, terms)
    for deal in record.deals:
        choices = Choices(deal, record.terms.rules.players)
        kinds = {mark.at: mark.kind for mark in deal.faults}
        number, at = match.number, 0
        while match.number == number and referee.result is None:
            decision = match.decision
            assert decision is not None
            choice = choices.next(decision)
            if len(decision.legal) == 1 and not record.ask_forced:
                choice = decision.legal[0]
            elif at in kinds:
                referee.fault(Fault(kinds[at], ""))
                choice = decision.legal[0]
            elif choice in decision.legal:
                assert choice is not None
                referee.answer(choice, 0)
            else:
                return None
            match = match.play(choice)
            at += 1
            if match.result is not None:
                break
    return referee.record() if referee.result is not None else None


def is_possible(record: MatchRecord) -> bool:
    return refereed_again(record) == record


def variants(record: MatchRecord, number: int) -> Iterator[tuple[str, object]]:
    """Yields every small change of every field of a deal: the field and its changed value."""
    deal = record.deals[number]
    rules = record.terms.rules
    flags: tuple[object, ...] = (None, True, False)
    yield from (("number", n) for n in (deal.number - 1, deal.number + 1, 10**30))
    yield "forced", not deal.forced
    yield from (("first_bidder", seat) for seat in SEATS if seat != deal.first_bidder)
    yield from (("dealt", dealt) for dealt in swapped(deal.dealt))
    yield from (("bids", bids) for bids in edited(deal.bids, Bid))
    yield from (("trump", trump) for trump in (None, *Trump) if trump != deal.trump)
    yield from (("taken", taken) for taken in flags if taken is not deal.taken)
    yield from (("discarded", tile) for tile in (None, *TILES) if tile != deal.discarded)
    yield from (("plays", plays) for plays in edited(deal.plays, TILES))
    yield from (("called", called) for called in edited(deal.called, SUITS))
    yield from (("tricks_won", won) for won in edited(deal.tricks_won, range(8)))
    yield from (("made", made) for made in flags if made is not deal.made)
    points = deal.points or (0,) * rules.side_count
    yield from (("points", p) for p in edited(points, range(-21, 22)))
    yield "points", None if deal.points else points
    yield from (("unasked", unasked) for unasked in edited(deal.unasked, range(40)))
    marks = [FaultMark(at, seat, FaultKind.START) for at in range(0, 40, 7) for seat in range(3)]
    yield from (("faults", faults) for faults in edited(deal.faults, marks))
    for seat in range(rules.players):
        moved = tuple(
            mark._replace(seat=(mark.seat + seat) % rules.players) for mark in deal.faults
        )
        if moved != deal.faults:
            yield "faults", moved


def edited(values: tuple[object, ...], others: object) -> Iterator[tuple[object, ...]]:
    """Yields *values* with one replaced, one gone, one more, or two neighbours swapped."""
    assert hasattr(others, "__iter__")
    fresh = list(others)
    for at, value in enumerate(values):
        rest = [other for other in fresh if other != value]
        yield (*values[:at], rest[at % len(rest)], *values[at + 1 :])
        yield (*values[:at], *values[at + 1 :])
        if at and values[at - 1] != value:
            yield (*values[: at - 1], value, values[at - 1], *values[at + 1 :])
    yield (*values, fresh[0])
    yield (fresh[-1], *values)


def swapped(dealt: Dealt) -> Iterator[Dealt]:
    """Yields the deal with two tiles in each other's place, and with some missing or twice."""
    hands = list(dealt.hands)
    for one in range(len(hands)):
        other = (one + 1) % len(hands)
        low, high = hands[one] & -hands[one], hands[other] & -hands[other]
        changed = list(hands)
        changed[one] ^= low | high
        changed[other] ^= low | high
        yield dealt._replace(hands=tuple(changed))
        changed[one] = hands[one] ^ low
        yield dealt._replace(hands=tuple(changed))
    if dealt.middle:
        widow = dealt.middle[0]
        low = hands[0] & -hands[0]
        tile = TILES[low.bit_length() - 1]
        other_hands = (hands[0] ^ low | 1 << widow, *hands[1:])
        yield Dealt(other_hands, (tile, *dealt.middle[1:]))
        yield dealt._replace(middle=())
        yield dealt._replace(middle=(widow, widow))
    yield dealt._replace(hands=(*dealt.hands, dealt.hands[0]))
    yield dealt._replace(hands=dealt.hands[:-1])
    yield Dealt(dealt.hands[::-1], dealt.middle)
    yield Dealt((), ())


CHOSEN = {"bids", "trump", "plays", "called", "faults"}
"""Where another value can be another match that may as well have been played."""


@pytest.mark.parametrize("name", NAMES)
def test_every_single_change_to_every_deal_is_found_unless_it_is_another_possible_match(
    name: str,
) -> None:
    record = recorded(name)
    assert judge(record) == ()
    missed: set[str] = set()
    count = 0
    for number in range(len(record.deals)):
        for field, value in variants(record, number):
            changed = with_deal(record, number, **{field: value})
            found = judge(changed)
            count += 1
            if not found:
                assert is_possible(changed), f"deal {number}: {field} = {value!r}"
                missed.add(field)
            else:
                assert not is_possible(changed), found
    assert missed <= CHOSEN
    assert count > 400


def test_the_changes_tried_touch_every_field_of_a_deal() -> None:
    record = recorded("domino-play-3p", faults=0.2, terms=TableTerms(9))
    touched = {field for number in range(3) for field, _ in variants(record, number)}
    assert touched == {field.name for field in fields(DealRecord)}


@pytest.mark.parametrize("name", NAMES)
def test_every_single_change_to_the_result_is_found(name: str) -> None:
    record = recorded(name)
    scores, places = record.result.scores, record.result.places
    changes: list[tuple[str, object]] = [
        *(("scores", other) for other in edited(scores, range(50))),
        *(("places", other) for other in edited(places, range(5))),
        *(("ending", ending) for ending in Ending if ending is not record.result.ending),
        *(("forfeit", seat) for seat in (None, 0, 1, 2, 7) if seat != record.result.forfeit),
    ]
    for field, value in changes:
        result = record.result._replace(**{field: value})
        assert judge(replace(record, result=result)), (field, value)


@pytest.mark.parametrize(
    "changed",
    [
        lambda r: replace(r, deals=()),
        lambda r: replace(r, deals=r.deals[:-1]),
        lambda r: replace(r, deals=r.deals[1:]),
        lambda r: replace(r, deals=(*r.deals, r.deals[-1])),
        lambda r: replace(r, deals=(r.deals[1], r.deals[0], *r.deals[2:])),
        lambda r: replace(r, seats=r.seats[:-1]),
        lambda r: replace(r, seats=(*r.seats, "dee")),
        lambda r: replace(r, ask_forced=not r.ask_forced),
        lambda r: replace(r, terms=Terms(r.terms.rules, 2)),
        lambda r: replace(r, terms=Terms(r.terms.rules, None, 3)),
        lambda r: replace(r, terms=Terms(r.terms.rules, None, 99)),
        lambda r: replace(r, terms=Terms(r.terms.rules.change(target=1), None, 4)),
        lambda r: replace(r, terms=Terms(preset_rules("tournament-4p"), None, 4)),
        lambda r: replace(r, terms=Terms(preset_rules("wikihow-3p-no00"), None, 4)),
    ],
)
def test_a_change_to_the_match_as_a_whole_is_found(changed: object) -> None:
    record = recorded("tournament-3p", faults=0)
    assert len(record.deals) == 4
    assert callable(changed)
    assert judge(changed(record))
    assert match_differences(changed(record)), "without the seed too"


def test_a_deal_after_the_end_is_named_as_that() -> None:
    record = recorded("tournament-3p", faults=0)
    longer = replace(record, deals=(*record.deals, replace(record.deals[-1], number=4)))
    assert [str(error) for error in judge(longer)] == [
        "table 17.2, deal 4: stands after the end of the match"
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [("trump", Trump.FIVES), ("taken", True), ("discarded", TILES[5]), ("plays", TILES[:1])],
)
def test_what_stands_in_a_deal_that_was_thrown_in_is_found(field: str, value: object) -> None:
    for seed in range(50):
        record = recorded("wikihow-3p", seed, faults=0)
        at = next((d.number for d in record.deals if d.trump is None), None)
        if at is not None:
            break
    assert at is not None
    assert match_differences(record) == ()
    [error] = match_differences(with_deal(record, at, **{field: value}))
    assert error.where == f"table 17.2, deal {at}"
    assert "but by the rules it is" in str(error)


def test_a_deal_that_cannot_be_dealt_is_not_played_again() -> None:
    record = recorded("tournament-3p", faults=0)
    for changes in ({"first_bidder": 3}, {"first_bidder": -1}, {"dealt": Dealt((), ())}):
        with pytest.raises(RecordMismatchError, match=r"^table 17\.2, deal 1: "):
            list(finished_deals(with_deal(record, 1, **changes)))


# The seed.


@pytest.mark.parametrize("name", presets())
def test_a_match_of_another_seed_is_found_at_every_deal(name: str) -> None:
    record = recorded(name, faults=0)
    assert judge(record) == ()
    assert match_differences(record) == ()
    found = [str(error) for error in judge(record, seed_key("another"))]
    unlike = [line for line in found if "the tiles are not the ones the seed deals" in line]
    assert len(unlike) >= 1
    assert unlike[0].startswith("table 17.2, deal 0: ")


def test_the_lot_for_the_first_bid_is_checked_when_the_key_is_known() -> None:
    keys = [seed_key(str(number)) for number in range(20)]
    record = recorded("tournament-3p", 0, faults=0)
    verify_match(record, key=keys[0])
    found = [match_differences(record, key=key)[:1] for key in keys]
    refused = [str(error) for errors in found for error in errors]
    assert all(", deal 0: first says " in line for line in refused)
    assert 8 <= len(refused) <= 18, "about two of three keys draw another seat"


# Faults and forfeits.


def forfeited(strikes: int = 1) -> MatchRecord:
    """Returns a record that a forfeit ended in the middle of a deal."""
    for seed in range(100):
        record = recorded("tournament-3p", seed, faults=0.1, terms=TableTerms(strikes))
        if record.result.ending is Ending.FORFEIT and len(record.deals[-1].plays) > 3:
            return record
    raise AssertionError("no forfeit among them")


FORFEIT_CHANGES = [
    ("another seat forfeits", lambda r: replace(r, result=r.result._replace(forfeit=other(r)))),
    ("no fault ends it", lambda r: last_faults(r, r.deals[-1].faults[:-1])),
    ("the last fault twice", lambda r: last_faults(r, (*r.deals[-1].faults, last_fault(r)))),
    ("the last fault earlier", lambda r: last_mark(r, at=last_fault(r).at - 1)),
    ("the last fault later", lambda r: last_mark(r, at=last_fault(r).at + 1)),
    ("the last fault another's", lambda r: last_mark(r, seat=other(r))),
    ("one more strike allowed", lambda r: replace(r, strikes=r.strikes + 1)),
    ("no strike allowed", lambda r: replace(r, strikes=0)),
    ("it made its contract", lambda r: with_deal(r, -1, made=True)),
    ("it has points", lambda r: with_deal(r, -1, points=(0, 0, 0))),
    ("nobody is last", lambda r: replace(r, result=r.result._replace(places=(1, 1, 1)))),
    ("it reached the target", lambda r: replace(r, result=Result(Ending.TARGET, *r.result[1:3]))),
]  # fmt: skip


def other(record: MatchRecord) -> int:
    assert record.result.forfeit is not None
    return (record.result.forfeit + 1) % 3


def last_fault(record: MatchRecord) -> FaultMark:
    return record.deals[-1].faults[-1]


def last_faults(record: MatchRecord, faults: tuple[FaultMark, ...]) -> MatchRecord:
    return with_deal(record, -1, faults=faults)


def last_mark(record: MatchRecord, **changes: int) -> MatchRecord:
    *faults, mark = record.deals[-1].faults
    return last_faults(record, (*faults, mark._replace(**changes)))


@pytest.mark.parametrize(
    "changed", [change for _, change in FORFEIT_CHANGES], ids=[name for name, _ in FORFEIT_CHANGES]
)
def test_a_forfeit_that_the_faults_do_not_bear_out_is_found(changed: object) -> None:
    record = forfeited()
    verify_match(record)
    assert callable(changed)
    assert match_differences(changed(record))


def test_a_seat_that_played_on_after_its_last_strike_is_found() -> None:
    for seed in range(50):
        record = recorded("tournament-3p", seed, faults=0.1, terms=TableTerms(9))
        marks = [mark for deal in record.deals for mark in deal.faults]
        most = max(sum(mark.seat == seat for mark in marks) for seat in range(3))
        if record.result.ending is not Ending.FORFEIT and most > 1:
            break
    verify_match(record)
    found = match_differences(replace(record, strikes=most - 1))
    assert f"forfeits the match with {most - 1} allowed, but the deal goes on" in str(found[0])


def test_a_bot_that_did_not_start_but_played_on_is_found() -> None:
    record = recorded("tournament-3p", 3, faults=0.1, terms=TableTerms(9))
    number, deal = next((n, d) for n, d in enumerate(record.deals) if d.faults)
    marks = (deal.faults[0]._replace(kind=FaultKind.START), *deal.faults[1:])
    assert match_differences(with_deal(record, number, faults=marks))


def test_a_fault_where_nobody_was_asked_is_found() -> None:
    record = recorded("tournament-3p", 3, faults=0)
    deal = record.deals[0]
    at = deal.unasked[-1]
    marks = [FaultMark(at, seat, FaultKind.TIMEOUT) for seat in range(3)]
    for mark in marks:
        [error] = match_differences(with_deal(record, 0, faults=(mark,)))
        assert str(error) == (
            f"table 17.2, deal 0, choice {at}: seat {mark.seat} cannot be at fault: nobody is asked"
        )


# The words.


def test_each_difference_says_where_it_is_and_what_both_sides_say() -> None:
    record = recorded("wikihow-3p", 5, faults=0)
    deal = record.deals[1]
    assert deal.points is not None
    wrong = replace(
        deal, number=9, tricks_won=(7, 7, 7), made=not deal.made, points=None, unasked=()
    )
    found = list(map(str, judge(with_deal(record, 1, **as_dict(wrong)), seed_key("5"))))
    won, points = " ".join(map(str, deal.tricks_won)), " ".join(map(str, deal.points))
    made = str(deal.made).lower()
    unmade = str(not deal.made).lower()
    unasked = " ".join(map(str, deal.unasked))
    where = "table 17.2, deal 1"
    assert found == [
        f"{where}: n says 9, but by the rules it is 1",
        f"{where}: unasked says empty, but by the rules it is {unasked}",
        f"{where}: tricks says 7 7 7, but by the rules it is {won}",
        f"{where}: made says {unmade}, but by the rules it is {made}",
        f"{where}: points says nothing, but by the rules it is {points}",
    ]


def as_dict(deal: DealRecord) -> dict[str, object]:
    return {field.name: getattr(deal, field.name) for field in fields(deal)}


def test_an_illegal_choice_is_named_with_the_legal_ones_and_ends_the_judging() -> None:
    record = recorded("wikihow-3p", 5, faults=0)
    deal = record.deals[0]
    gone = deal.plays[0]
    plays = (gone, gone, *deal.plays[2:])
    [error] = judge(with_deal(record, 0, plays=plays), seed_key("5"))
    assert error.where == f"table 17.2, deal 0, choice {len(deal.bids) + 3}"
    assert f"may not play {gone}; legal: play " in str(error)


def test_verify_match_raises_the_first_difference() -> None:
    record = with_deal(recorded("wikihow-3p", 5, faults=0), 0, number=5, made=None)
    with pytest.raises(RecordMismatchError, match="deal 0: n says 5") as caught:
        verify_match(record)
    assert caught.value.exit_code == 5


@given(seed=st.integers(0, 2**64), name=st.sampled_from(list(presets())))
def test_the_deals_of_a_record_played_again_end_as_the_record_says(seed: int, name: str) -> None:
    record = random_match(name, seed, max_deals=3, faults=0.02)
    again = list(finished_deals(record))
    assert [finished.number for finished in again] == [deal.number for deal in record.deals]
    for finished, deal in zip(again, record.deals, strict=True):
        assert finished.deal.tricks_won == deal.tricks_won
        assert (finished.score and finished.score.points) == deal.points
    assert again[-1].scores == record.result.scores


@given(seed=st.integers(0, 2**64), data=st.data())
def test_values_that_no_record_can_have_are_found_and_never_crash_the_judge(
    seed: int, data: st.DataObject
) -> None:
    rng = random.Random(seed)
    record = recorded(rng.choice(NAMES), seed % 3)
    number = rng.randrange(len(record.deals))
    field = rng.choice([field.name for field in fields(DealRecord)])
    value = data.draw(HOSTILE[field])
    for error in judge(with_deal(record, number, **{field: value}), seed_key(str(seed % 3))):
        assert str(error)


integers = st.integers() | st.sampled_from([10**300, -(10**300)])
maybe = {"flag": st.none() | st.booleans()}
HOSTILE: dict[str, st.SearchStrategy[object]] = {
    "number": integers,
    "forced": st.booleans(),
    "first_bidder": integers,
    "dealt": st.builds(
        Dealt,
        st.lists(st.integers(0, 2**28 - 1), max_size=6).map(tuple),
        st.lists(st.sampled_from(TILES), max_size=9).map(tuple),
    ),
    "bids": st.lists(st.sampled_from(Bid), max_size=40).map(tuple),
    "trump": st.none() | st.sampled_from(Trump),
    "taken": maybe["flag"],
    "discarded": st.none() | st.sampled_from(TILES),
    "plays": st.lists(st.sampled_from(TILES), max_size=40).map(tuple),
    "called": st.lists(st.sampled_from(SUITS), max_size=9).map(tuple),
    "tricks_won": st.lists(integers, max_size=5).map(tuple),
    "made": maybe["flag"],
    "points": st.none() | st.lists(integers, max_size=5).map(tuple),
    "unasked": st.lists(integers, max_size=30).map(tuple),
    "faults": st.lists(
        st.builds(FaultMark, integers, integers, st.sampled_from([*KINDS, FaultKind.START])),
        max_size=4,
    ).map(tuple),
}
