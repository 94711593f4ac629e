"""Judging: in whatever order tables arrive, whoever of the two is named first."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import isfinite, log

import pytest

from referee.errors import ConfigError
from tests.compare.outcomes import (
    THREE,
    A,
    B,
    C,
    Scorer,
    judged,
    luck,
    result,
    results,
    schedule,
)
from tournaments.compare import (
    Claim,
    ClaimPlan,
    Comparison,
    Contest,
    LeftOut,
    Pairing,
    Plan,
    RatioJudge,
    RatioPlan,
    Verdict,
)
from tournaments.compare.wording import (
    contest_document,
    contest_lines,
    e_value_needed,
    evidence_text,
)
from tournaments.evidence import FLOOR, Tally, TwoSidedTest
from tournaments.results import TableResult

RATIO = RatioPlan(TwoSidedTest(t1=0.5, floor=30))
PAIRING = Pairing(A, B)
STRONG, EVEN = luck({A: 0.9, B: 0.1}), luck({A: 0.5, B: 0.5})
MIRROR = {
    Verdict.FIRST_BETTER: Verdict.SECOND_BETTER,
    Verdict.SECOND_BETTER: Verdict.FIRST_BETTER,
}


def only(comparison: Comparison) -> Contest:
    [contest] = comparison.contests
    return contest


def one(plan: Plan, scorer: Scorer, *, blocks: int = 200) -> Contest:
    return only(judged(plan, [PAIRING], scorer, blocks=blocks))


def document(comparison: Comparison) -> dict[str, object]:
    return contest_document(comparison, only(comparison), same_bot=False)


def shuffled(seed: int) -> Callable[[list[TableResult]], Sequence[TableResult]]:
    def order(tables: list[TableResult]) -> list[TableResult]:
        random.Random(seed).shuffle(tables)
        return tables

    return order


@pytest.mark.parametrize("order", [shuffled(1), shuffled(2), lambda tables: tables[::-1]])
def test_the_order_in_which_tables_arrive_changes_nothing(
    order: Callable[[list[TableResult]], Sequence[TableResult]],
) -> None:
    """Judged as they come, the quick tables would decide: those of fast, clear deals."""
    straight = document(judged(RATIO, [PAIRING], EVEN, blocks=60))
    assert document(judged(RATIO, [PAIRING], EVEN, blocks=60, order=order)) == straight
    assert straight["blocks"] >= 30


def test_swapping_the_two_turns_signs_and_nothing_else() -> None:
    plan = RatioPlan(TwoSidedTest(t1=0.5))
    for scorer in (STRONG, EVEN):
        there = document(judged(plan, [PAIRING], scorer, blocks=70))
        back = document(judged(plan, [Pairing(B, A)], scorer, blocks=70))
        turned = {
            **back,
            "a": back["b"],
            "b": back["a"],
            "verdict": MIRROR.get(Verdict(back["verdict"]), Verdict(back["verdict"])).value,
            "difference": -back["difference"],
            "low": -back["high"],
            "high": -back["low"],
            "low_at_every_look": -back["high_at_every_look"],
            "high_at_every_look": -back["low_at_every_look"],
            "llr": {
                **back["llr"],
                "a_better": back["llr"]["b_better"],
                "b_better": back["llr"]["a_better"],
            },
        }
        assert turned == there
        assert there["difference"] != 0.0


def test_the_stronger_is_found_and_what_comes_later_does_not_count() -> None:
    contest = one(RATIO, STRONG)
    assert contest.verdict is Verdict.FIRST_BETTER
    blocks = contest.tally.blocks
    assert 30 <= blocks < 100
    assert (contest.tables, contest.deals) == (6 * blocks, 6 * blocks)
    comparison = judged(RATIO, [PAIRING], STRONG, blocks=200)
    comparison.take(results(schedule(PAIRING, blocks=200), luck({A: 0.0, B: 1.0})))
    assert only(comparison).verdict is Verdict.FIRST_BETTER
    assert only(comparison).tally.blocks == blocks


def test_two_that_are_alike_are_equal_within_a_number_above_0() -> None:
    contest = one(RATIO, luck({A: 0.0, B: 0.0}))
    assert contest.verdict is Verdict.EQUAL
    assert contest.tally.decided == 0
    assert 0.0 < contest.judge.within(contest.tally) < 0.25


def test_blocks_that_run_out_leave_it_undecided_with_all_numbers() -> None:
    comparison = judged(RATIO, [PAIRING], STRONG, blocks=20)
    assert comparison.is_over
    assert only(comparison).verdict is Verdict.NOT_DECIDED
    assert only(comparison).judge.blocks_left(only(comparison).tally) >= 10
    found = document(comparison)
    assert found["blocks"] == 20
    assert found["low"] is not None
    assert found["low_at_every_look"] is None, "not before block 60"


@pytest.mark.parametrize("blocks", [1, 2])
def test_the_first_blocks_have_no_number_that_is_none(blocks: int) -> None:
    for plan in (RATIO, ClaimPlan(Claim.parse("diff>0.1"))):
        comparison = judged(plan, [PAIRING], EVEN, blocks=blocks)
        numbers = [v for v in document(comparison).values() if isinstance(v, float)]
        assert all(map(isfinite, numbers))
        assert (document(comparison)["low"] is None) == (blocks == 1)


def test_a_void_table_leaves_its_block_out_and_holds_nothing_up() -> None:
    drawn = schedule(PAIRING, blocks=3)
    comparison = Comparison(THREE, drawn, [PAIRING], RATIO, deals=1)
    first, *rest = results(drawn, EVEN)
    comparison.take(rest)
    assert only(comparison).tally.blocks == 0, "the blocks after the first wait for it"
    comparison.take((), [first])
    contest = only(comparison)
    assert contest.tally.blocks == 2
    assert contest.left_out == {LeftOut.VOID: 1}


def test_a_bot_that_forfeits_everything_has_lost() -> None:
    drawn = schedule(PAIRING, blocks=100)
    comparison = Comparison(THREE, drawn, [PAIRING], RATIO, deals=1)
    comparison.take(
        result(THREE, table, [5, 5, 5], deals=0, forfeit=table.seats.index(A))
        for table in drawn.tables
    )
    contest = only(comparison)
    assert contest.verdict is Verdict.SECOND_BETTER
    assert contest.forfeited_blocks == contest.tally.blocks
    assert contest.forfeits == {A: 6 * contest.tally.blocks}


def leading(by: int, blocks: int, plan: Plan) -> Contest:
    """Returns the contest of A with a lead of about *by* tenths of a point a deal."""
    drawn = schedule(PAIRING, blocks=blocks)
    comparison = Comparison(THREE, drawn, [PAIRING], plan, deals=10)
    noise = {
        block.number: random.Random(block.number).choice((-3, -1, 1, 3)) for block in drawn.blocks
    }
    comparison.take(
        result(
            THREE, table, [by + noise[table.block] if who == A else 0 for who in table.seats],
            deals=10,
        )
        for table in drawn.tables
    )  # fmt: skip
    return only(comparison)


@pytest.mark.parametrize(
    ("claim", "by", "verdict", "holds"),
    [
        ("diff>0", 3, Verdict.FIRST_BETTER, True),
        ("diff>0", -3, Verdict.SECOND_BETTER, False),
        ("diff>0.1", 3, Verdict.FIRST_BETTER, True),
        ("diff>0.4", 2, Verdict.EQUAL, False),
        ("diff>0.1", -3, Verdict.SECOND_BETTER, False),
        ("diff>0.1", 1, Verdict.NOT_DECIDED, None),
        ("diff<-0.1", -3, Verdict.SECOND_BETTER, True),
        ("diff<-0.1", 3, Verdict.FIRST_BETTER, False),
        ("diff<-0.4", 1, Verdict.EQUAL, False),
        ("|diff|>0.1", 3, Verdict.FIRST_BETTER, True),
        ("|diff|>0.1", -3, Verdict.SECOND_BETTER, True),
        ("|diff|>0.3", 0, Verdict.EQUAL, False),
    ],
)
def test_a_claim_is_decided_as_the_numbers_are(
    claim: str, by: int, verdict: Verdict, holds: bool | None
) -> None:
    wanted = Claim.parse(claim)
    contest = leading(by, 300, ClaimPlan(wanted))
    assert contest.verdict is verdict
    assert wanted.is_met(contest.verdict) is holds
    assert str(Claim.parse(str(wanted))) == str(wanted)


@pytest.mark.parametrize(
    ("by", "verdict", "holds"),
    [
        (0, Verdict.NOT_WORSE, True),
        (4, Verdict.FIRST_BETTER, True),
        (-4, Verdict.SECOND_BETTER, False),
        (-1, Verdict.NOT_DECIDED, None),
    ],
)
def test_a_regression_is_what_is_worse_by_more_than_the_margin(
    by: int, verdict: Verdict, holds: bool | None
) -> None:
    claim = Claim.at_least(-0.1)
    contest = leading(by, 200, ClaimPlan(claim))
    assert contest.verdict is verdict
    assert claim.is_met(contest.verdict) is holds


@pytest.mark.parametrize(
    "text",
    ["diff", "diff>", "diff>x", "points>1", "diff>-0.1", "diff<0.1", "|diff|<0.1", "|diff|>0"],
)
def test_what_claims_nothing_that_could_be_decided_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--until"):
        Claim.parse(text)


def test_candidates_share_one_alpha_and_each_stops_when_it_is_decided() -> None:
    pairings = [Pairing(A, C), Pairing(B, C)]
    plan = RatioPlan(TwoSidedTest(t1=0.3, floor=30))
    strength = {A: 0.35, B: 0.2, C: 0.1}
    comparison = judged(plan, pairings, luck(strength), blocks=300)
    alone = judged(plan, pairings[:1], luck(strength), blocks=300)
    clear, close = comparison.contests
    assert clear.verdict is Verdict.FIRST_BETTER
    assert clear.tally.blocks < close.tally.blocks
    assert isinstance(clear.judge, RatioJudge)
    judge = only(alone).judge
    assert judge.strength <= 0.05 < 2 * judge.strength, "alone it stopped as soon as it could"
    assert clear.judge.strength <= 0.025, "the first of two has to pass half of alpha"


def test_candidates_that_are_all_equal_to_the_base_are_seldom_called_better() -> None:
    """Four at once, each at 5 %, would be wrong in one comparison of five."""
    names = [*map(type(A), "defg")]
    pairings = [Pairing(name, C) for name in names]
    plan = RatioPlan(TwoSidedTest(t1=0.6, alpha=0.1, floor=30))
    wrong = 0
    for seed in range(25):
        comparison = judged(plan, pairings, luck(dict.fromkeys([*names, C], 0.5), seed), blocks=40)
        verdicts = {contest.verdict for contest in comparison.contests}
        wrong += bool(verdicts & set(MIRROR))
    assert wrong <= 0.1 * 25 + 3


def test_claims_of_several_are_weighed_by_e_bh() -> None:
    plan = ClaimPlan(Claim.parse("diff>0"))
    pairings = [Pairing(A, C), Pairing(B, C)]
    comparison = judged(plan, pairings, luck({A: 0.9, B: 0.1, C: 0.1}), blocks=200)
    first, second = comparison.contests
    assert first.verdict is Verdict.FIRST_BETTER
    assert second.verdict is Verdict.NOT_DECIDED
    assert first.judge.strength >= 3.0, "the log e-value that one of two may need"


def test_intervals_that_call_several_equal_or_worse_are_wider_than_that_of_one() -> None:
    """No e-value speaks for being equal, so alpha is shared out for that."""
    plan = ClaimPlan(Claim.parse("diff>0.5"))
    one, two = plan.judge(1.0, 1), plan.judge(1.0, 2)
    tally = Tally([0.0, 1.0, -1.0, 0.5] * 20)
    for judge in (one, two):
        judge.look(tally)
    assert two.low < one.low < one.high < two.high


def test_what_decides_is_told_with_its_level_and_from_when_on_it_is_known() -> None:
    plan = ClaimPlan(Claim.parse("diff>0.5"), alpha=0.2)
    pairings = [Pairing(A, C), Pairing(B, C)]
    early, later = (
        judged(plan, pairings, luck(dict.fromkeys((A, B, C), 0.5)), blocks=blocks)
        for blocks in (FLOOR - 1, FLOOR + 1)
    )
    level = "that it does not hold, the interval that holds at every look at once, 90 %: "
    claim = f"what decides: the log e-value for diff>0.5, 0.00 of the {log(10.0):.2f} needed among"
    text = evidence_text(early, early.contests[0])
    assert text.startswith(claim)
    assert text.endswith(f"{level}from block {FLOOR} on")
    judge = later.contests[0].judge
    assert evidence_text(later, later.contests[0]).endswith(
        f"{level}{judge.low:+.3f} to {judge.high:+.3f}"
    )
    alone = judged(plan, [PAIRING], EVEN, blocks=FLOOR)
    assert evidence_text(alone, only(alone)).startswith(
        "what decides: diff>0.5 and the interval that holds at every look at once, 80 %: "
    )


def test_what_is_needed_of_several_falls_with_each_claim_that_holds() -> None:
    """The e-value that is shown as needed is the one that decides, whatever the interval holds."""
    plan = ClaimPlan(Claim.parse("diff>0"))
    pairings = [Pairing(A, C), Pairing(B, C)]
    both = judged(plan, pairings, luck({A: 0.9, B: 0.5, C: 0.1}), blocks=400)
    assert [contest.verdict for contest in both.contests] == [Verdict.FIRST_BETTER] * 2
    one = judged(plan, pairings, luck({A: 0.9, B: 0.1, C: 0.1}), blocks=80)
    for comparison, needed in ((both, (20.0, 20.0)), (one, (40.0, 20.0))):
        for contest, least in zip(comparison.contests, needed, strict=True):
            assert e_value_needed(comparison, contest) == pytest.approx(log(least))
            is_better = contest.verdict is Verdict.FIRST_BETTER
            assert (contest.judge.strength >= log(least)) == is_better
            [last] = [x for x in said(comparison, contest) if "e-value" in x]
            assert last.startswith("  what decides: "), "one line decides, and it says so"


def said(comparison: Comparison, contest: Contest) -> list[str]:
    return contest_lines(comparison, contest, same_bot=False)


def test_no_verdict_says_why_and_how_many_blocks_it_takes() -> None:
    plan = RatioPlan(TwoSidedTest())
    few = judged(plan, [PAIRING], STRONG, blocks=70)
    assert said(few, only(few))[-1] == (
        "verdict: not decided: the 70 blocks ran out, and none could be decided before block 73; "
        "--max-blocks 73"
    )
    assert any("95 % is for a number of blocks fixed" in line for line in said(few, only(few)))
    slow = judged(plan, [PAIRING], EVEN, blocks=80)
    assert "the 80 blocks ran out before there was evidence enough" in said(slow, only(slow))[-1]
    drawn = schedule(PAIRING, blocks=50)
    played = results(drawn, EVEN)
    ended = Comparison(THREE, drawn, [PAIRING], plan, deals=1)
    assert said(ended, only(ended))[-1] == "verdict: not decided: stopped before the first block"
    ended.take(played[: 6 * 4])
    assert said(ended, only(ended))[-1] == "verdict: not decided: stopped at block 4 of 50"
    ended = Comparison(THREE, drawn, [PAIRING], plan, deals=1)
    ended.take((), played)
    assert said(ended, only(ended))[-1] == "verdict: not decided: no block was left to judge"


def test_a_p_value_is_marked_as_the_same_in_other_words() -> None:
    pairings = [Pairing(A, C), Pairing(B, C)]
    comparison = judged(RATIO, pairings, luck({A: 0.5, B: 0.5, C: 0.5}), blocks=20)
    lines = said(comparison, comparison.contests[0])
    assert lines[1].startswith("  what decides: ")
    assert lines[2].startswith(
        "  the same in a p-value against equal, which holds at every look: 1,"
    )
