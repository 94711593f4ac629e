"""The referee of a match: whom it asks what, and what becomes of a bot that does wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.match import (
    Ending,
    Fault,
    FaultKind,
    FaultMark,
    Match,
    MatchReferee,
    TableTerms,
    Terms,
    verify_match,
)
from referee.rules import (
    Bid,
    Discard,
    Exchange,
    Kind,
    MakeBid,
    NameTrump,
    Play,
    Suit,
    Tile,
    Trump,
    preset_rules,
    presets,
    seed_key,
)
from tests.match.playing import KINDS, NAMES, WRONG, ask, boss_tiles, random_match, rigged

TIMEOUT = Fault(FaultKind.TIMEOUT, "no answer within 2 s")


def table(match: Match | None = None, **terms: int | bool) -> MatchReferee:
    seats = NAMES[: (match or rigged()).terms.rules.players]
    return MatchReferee("0.0", match or rigged(), seats, TableTerms(**terms))  # type: ignore[arg-type]


def answer_first(referee: MatchReferee, times: int = 1) -> None:
    """Answers with the last legal choice (a bid, not a pass) so many times."""
    for _ in range(times):
        referee.answer(ask(referee).decision.legal[-1], 10)


def test_questions_come_to_the_seats_in_turn_with_what_they_may_know() -> None:
    referee = table(rigged(first=1))
    for seat in (1, 2, 0):
        question = ask(referee)
        assert question.seat == question.decision.seat == question.view.seat == seat
        assert question.view.hand.mask == referee.match.deal.hands[seat]
        assert question.view.decision == question.decision
        referee.answer(MakeBid(Bid.PASS), 10)


def test_the_first_question_has_number_1_and_every_choice_of_every_seat_counts() -> None:
    referee = table(rigged(deals=2))
    numbers: list[int] = []
    deals: list[int] = []
    while (question := referee.question) is not None:
        numbers.append(question.number)
        deals.append(question.match.number)
        referee.answer(question.decision.legal[-1], 10)
    record = referee.record()
    made = [len(d.bids) + 2 + len(d.plays) for d in record.deals]  # trump and discard beside
    assert numbers[0] == 1
    assert numbers == sorted(set(numbers))
    skipped = [n for n in range(1, sum(made) + 1) if n not in numbers]
    unasked = [at + 1 for at in record.deals[0].unasked]
    unasked += [made[0] + at + 1 for at in record.deals[1].unasked]
    assert skipped == unasked
    assert skipped, "the last trick at least is forced"


def test_a_number_tells_nothing_about_choices_that_were_forced_for_others() -> None:
    for ask_forced in (False, True):
        referee = table(rigged(deals=1), ask_forced=ask_forced)
        asked: dict[int, tuple[int, Kind]] = {}
        while (question := referee.question) is not None:
            asked[question.number] = (question.seat, question.decision.kind)
            referee.answer(question.decision.legal[-1], 10)
        if not ask_forced:
            kept = asked
    assert kept.items() <= asked.items(), "the same choice has the same number, asked or not"
    assert len(asked) == len(referee.times[0].micros)


def test_with_ask_forced_every_choice_is_asked_for() -> None:
    referee = table(rigged(deals=1), ask_forced=True)
    answers = 0
    while (question := referee.question) is not None:
        referee.answer(question.decision.legal[-1], 10)
        answers += 1
    [deal] = referee.record().deals
    assert deal.unasked == ()
    assert answers == len(deal.bids) + 2 + len(deal.plays)
    verify_match(referee.record())


def test_a_forced_bid_is_made_without_asking() -> None:
    match = rigged("all_pass=force_last", deals=1)
    referee = table(match)
    referee.answer(MakeBid(Bid.PASS), 10)
    referee.answer(MakeBid(Bid.PASS), 10)
    question = ask(referee)
    assert question.decision.kind is Kind.DISCARD
    assert question.match.deal.contract is Bid.FOUR
    assert question.number == 4


# Faults.


def test_a_fault_is_charged_to_the_seat_asked_and_the_first_legal_choice_stands_in() -> None:
    referee = table()
    answer_first(referee)
    question = ask(referee)
    referee.fault(TIMEOUT, 99)
    assert ask(referee).seat != question.seat or ask(referee).number > question.number
    [report] = referee.faults
    assert report.fault == TIMEOUT
    assert (report.seat, report.deal, report.decision) == (question.seat, 0, question.number)
    assert report.substitute == str(question.decision.legal[0])
    assert report.question.startswith(f"{question.decision.kind.word}; legal: ")
    for choice in question.decision.legal:
        assert str(choice) in report.question


@pytest.mark.parametrize("kind", [*KINDS, FaultKind.START])
def test_the_record_says_at_which_choice_of_the_deal_a_fault_was(kind: FaultKind) -> None:
    referee = table(rigged(deals=1))
    answer_first(referee)  # seat 0 bids 21, so the next question is its discard
    referee.fault(Fault(kind, ""), 0)
    while referee.question is not None:
        answer_first(referee)
    record = referee.record()
    assert record.deals[0].faults == (FaultMark(1, 0, kind),)
    verify_match(record)


@pytest.mark.parametrize("strikes", [0, 1, 2, 5])
def test_one_fault_more_than_the_strikes_forfeits(strikes: int) -> None:
    referee = table(strikes=strikes)
    count = 0
    while (question := referee.question) is not None:
        if question.seat == 1:
            referee.fault(TIMEOUT, 5)
            count += 1
        else:
            referee.answer(question.decision.legal[0], 5)
    assert count == strikes + 1
    assert [report.substitute == "" for report in referee.faults] == [False] * strikes + [True]
    assert referee.result is not None
    assert (referee.result.ending, referee.result.forfeit) == (Ending.FORFEIT, 1)
    assert referee.result.places[1] == 3
    verify_match(referee.record())


def test_faults_of_different_seats_are_counted_apart() -> None:
    referee = table(strikes=1)
    seats = []
    while len(seats) < 3:
        seats.append(ask(referee).seat)
        referee.fault(TIMEOUT)
    assert sorted(seats) == [0, 1, 2]
    assert referee.result is None


def test_a_bot_that_did_not_start_forfeits_at_its_first_question_and_nobody_elses_score_moves() -> (
    None
):
    referee = table(rigged(scores=(3, 8, 5)), strikes=9)
    answer_first(referee)
    referee.fault(Fault(FaultKind.START, "exited with code 3"))
    assert referee.result is not None
    assert referee.result.forfeit == 0, "seat 0 bid 21 and is asked for its discard"
    assert referee.result.scores == (3, 8, 5)
    assert referee.result.places == (3, 1, 2)
    assert referee.question is None


def test_a_forfeit_breaks_the_deal_off_and_the_record_has_what_was_played_of_it() -> None:
    referee = table(rigged(deals=2), strikes=0)
    while ask(referee).decision.kind is not Kind.PLAY or len(ask(referee).match.deal.plays) < 4:
        answer_first(referee)
    plays = referee.match.deal.plays
    referee.fault(TIMEOUT)
    record = referee.record()
    [deal] = record.deals
    assert deal.plays == plays
    assert (deal.made, deal.points) == (None, None)
    assert deal.tricks_won == referee.match.deal.tricks_won
    assert sum(deal.tricks_won) == len(plays) // 3
    assert [finished.number for finished in referee.finished] == [], "it never ended"
    verify_match(record)


def test_a_forfeit_before_the_first_choice_of_a_deal_leaves_an_empty_deal_in_the_record() -> None:
    referee = table(rigged(deals=2), strikes=0)
    while ask(referee).match.number == 0:
        answer_first(referee)
    referee.fault(TIMEOUT)
    record = referee.record()
    assert [len(deal.bids) for deal in record.deals] == [1, 0]
    verify_match(record)


# Answers that are no answers to the question.


@pytest.mark.parametrize("kind", list(Kind))
def test_an_answer_to_another_kind_of_question_is_illegal(kind: Kind) -> None:
    referee = table(rigged("exchange=optional", deals=1))
    while ask(referee).decision.kind is not kind:
        question = ask(referee)
        take = Exchange(True)
        referee.answer(take if take in question.decision.legal else question.decision.legal[-1], 1)
    question = ask(referee)
    fault = referee.answer(WRONG[kind], 7)
    assert fault is not None
    assert fault.kind is FaultKind.ILLEGAL
    assert str(WRONG[kind]) in fault.detail
    assert referee.faults[-1].substitute == str(question.decision.legal[0])


@pytest.mark.parametrize(
    "choice",
    [
        MakeBid(Bid.THREE),
        MakeBid(Bid.FOUR),
        MakeBid(Bid.DOUBLE_MOON),
        NameTrump(Trump.SIXES),
        Discard(Tile.T66),
        None,
    ],
)
def test_a_bid_that_is_not_open_is_illegal(choice: MakeBid) -> None:
    referee = table()
    assert referee.answer(MakeBid(Bid.FIVE), 1) is None
    fault = referee.answer(choice, 1)
    assert fault is not None
    assert fault.kind is FaultKind.ILLEGAL
    assert referee.match.deal.bids == (Bid.FIVE, Bid.PASS), "the first legal choice is the pass"


def test_a_tile_that_does_not_follow_is_illegal_and_the_lowest_that_does_is_played() -> None:
    dealt = boss_tiles(0, "2-1", next_hand="5-5 5-4 4-4 3-3 3-2 2-2 1-1")
    referee = table(rigged("", lambda _: dealt, deals=1))
    lead = (MakeBid(Bid.MOON), Discard(Tile.T61), NameTrump(Trump.FIVES), Play(Tile.T21))
    for choice in lead:
        assert referee.answer(choice, 1) is None
    fault = referee.answer(Play(Tile.T55), 1)
    assert fault is not None
    assert fault.detail == "seat 1 may not play 5-5; legal: play 2-2, play 3-2"
    assert referee.match.deal.plays[:2] == (Tile.T21, Tile.T22)


def test_a_suit_is_called_only_by_a_leader_and_only_where_leaders_call() -> None:
    referee = table(rigged(deals=1))
    for choice in (MakeBid(Bid.MOON), Discard(Tile.T54), NameTrump(Trump.SIXES)):
        assert referee.answer(choice, 1) is None
    fault = referee.answer(Play(Tile.T55, Suit.FIVES), 1)
    assert fault is not None
    assert fault.kind is FaultKind.ILLEGAL


def test_a_table_that_is_over_takes_no_answer_and_no_fault() -> None:
    referee = table(rigged(deals=1))
    with pytest.raises(ValueError, match="is not finished"):
        referee.record()
    while referee.question is not None:
        answer_first(referee)
    with pytest.raises(ValueError, match="asks nothing"):
        referee.answer(MakeBid(Bid.PASS), 1)
    with pytest.raises(ValueError, match="asks nothing"):
        referee.fault(TIMEOUT)


# What was measured stays beside the record.


def test_times_stand_beside_the_record_by_choice_and_only_where_a_bot_was_asked() -> None:
    referee = table(rigged(deals=2))
    charged = 0
    while (question := referee.question) is not None:
        charged += 1
        referee.answer(question.decision.legal[-1], charged)
    record = referee.record()
    seen = []
    for deal, times in zip(record.deals, referee.times, strict=True):
        assert times.number == deal.number
        assert [at for at, micros in enumerate(times.micros) if micros is None] == [*deal.unasked]
        seen += [micros for micros in times.micros if micros is not None]
    assert seen == list(range(1, charged + 1))


@pytest.mark.parametrize("name", presets())
@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**64),
    strikes=st.integers(0, 4),
    ask_forced=st.booleans(),
    faults=st.sampled_from([0.0, 0.03, 0.3]),
    deals=st.sampled_from([None, 1, 4]),
)
def test_whatever_the_bots_do_the_match_ends_and_its_record_holds(
    name: str, seed: int, strikes: int, ask_forced: bool, faults: float, deals: int | None
) -> None:
    terms = TableTerms(strikes, ask_forced)
    record = random_match(
        preset_rules(name), seed, deals=deals, max_deals=6, faults=faults, terms=terms
    )
    assert len(record.deals) <= (deals or 6)
    verify_match(record, key=seed_key(str(seed)))
    marks = [mark for deal in record.deals for mark in deal.faults]
    worst = max((sum(m.seat == seat for m in marks) for seat in range(4)), default=0)
    assert (record.result.ending is Ending.FORFEIT) == (worst > strikes)


def test_the_same_answers_give_the_same_record_whatever_was_measured() -> None:
    terms = Terms(preset_rules("tournament-3p"), deals=2)
    records = []
    for pace in (1, 1000):
        referee = MatchReferee("0.0", Match.start(terms, seed_key("x")), NAMES[:3])
        while referee.question is not None:
            referee.answer(ask(referee).decision.legal[-1], pace)
        records.append(referee.record())
    assert records[0] == records[1]
