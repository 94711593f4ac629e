"""A comparison in words, and as JSON values: every number with whose it is, and in what unit."""

from __future__ import annotations

from collections import Counter
from math import isfinite

from tournaments.compare.comparison import Comparison, Contest
from tournaments.compare.judges import ClaimJudge, ClaimPlan, RatioJudge, RatioPlan
from tournaments.compare.scoring import LeftOut
from tournaments.compare.verdicts import Verdict
from tournaments.evidence import FLOOR, holm
from tournaments.schedule import EntrantId

UNIT = "points a deal"


def verdict_text(contest: Contest) -> str:
    """Returns the verdict with the names of the two."""
    first, second = contest.pairing.first, contest.pairing.second
    within = f"{contest.judge.within(contest.tally):.2g}"
    return {
        Verdict.FIRST_BETTER: f"{first} better",
        Verdict.SECOND_BETTER: f"{second} better",
        Verdict.EQUAL: f"equal within {within} {UNIT}",
        Verdict.NOT_WORSE: f"{first} not worse than {second} by more than {within} {UNIT}",
        Verdict.NOT_DECIDED: "not decided",
    }[contest.verdict]


def estimate_text(contest: Contest) -> str:
    """Returns the difference and its interval in one line."""
    tally = contest.tally
    if not tally.blocks:
        return f"{contest.pairing}: no block yet"
    found = tally.interval()
    interval = "no interval, all blocks alike" if found is None else f"95 % {_range(*found)}"
    if tally.blocks == 1:
        interval = "no interval of one block"
    return f"{contest.pairing}: {tally.mean:+.3f} {UNIT}, {interval}"


def evidence_text(comparison: Comparison, contest: Contest) -> str:
    """Returns how far the test has come, and where it ends."""
    judge, first, second = contest.judge, contest.pairing.first, contest.pairing.second
    if isinstance(judge, RatioJudge):
        bounds = judge.test.bounds(_open(comparison))
        return (
            f"log-likelihood ratio: {first} better {judge.run.up:+.2f}, {second} better "
            f"{judge.run.down:+.2f}; bounds {bounds.lower:+.2f} and {bounds.upper:+.2f}"
        )
    assert isinstance(judge, ClaimJudge)
    interval = _range(judge.low, judge.high) if isfinite(judge.high) else f"from block {FLOOR} on"
    return f"{judge.claim}: interval that holds at every look {interval}"


def contest_lines(comparison: Comparison, contest: Contest, *, same_bot: bool) -> list[str]:
    """Returns all that is to be said of *contest*, the verdict last.

    Args:
        comparison: All contests.
        contest: One of them.
        same_bot: Whether the two are one bot.
    """
    tally = contest.tally
    lines = [estimate_text(contest)]
    low, high = contest.sequence.interval(tally)
    if isfinite(high) and isinstance(contest.judge, RatioJudge):
        lines.append(f"  95 % at every look at once: {_range(low, high)} {UNIT}")
    played = f"{_count(contest.tables, 'table')}, {_count(contest.deals, 'deal')}"
    lines.append(f"  {evidence_text(comparison, contest)}")
    lines.append(
        f"  {_count(tally.blocks, 'block')} judged, {tally.decided} of them not level; {played}"
    )
    if contest.shared:
        lines.append(f"  {_sharing_text(contest)}")
    if len(comparison.contests) > 1:
        lines.append(f"  {_family_text(comparison, contest)}")
    lines += [f"  {line}" for line in _trouble(contest)]
    if same_bot and tally.blocks:
        lines.append(f"  {_same_text(contest)}")
    return [*lines, f"verdict: {verdict_text(contest)}"]


def contest_document(
    comparison: Comparison, contest: Contest, *, same_bot: bool
) -> dict[str, object]:
    """Returns *contest* as JSON values; what is not known is null."""
    tally, judge = contest.tally, contest.judge
    low, high = tally.interval() or (None, None)
    always = contest.sequence.interval(tally)
    return {
        "a": contest.pairing.first,
        "b": contest.pairing.second,
        "verdict": contest.verdict.value,
        "within": judge.within(tally) if contest.verdict in _WITHIN else None,
        "difference": tally.mean if tally.blocks else None,
        "low": low,
        "high": high,
        "low_at_every_look": _finite(always[0]),
        "high_at_every_look": _finite(always[1]),
        "confidence": 0.95,
        "unit": UNIT,
        "blocks": tally.blocks,
        "blocks_not_level": tally.decided,
        "blocks_left_out": {reason.value: contest.left_out[reason] for reason in LeftOut},
        "blocks_forfeited": contest.forfeited_blocks,
        "tables": contest.tables,
        "deals": contest.deals,
        "deals_played_out": contest.played_out,
        "blocks_with_other_auctions": contest.differing if contest.shared else None,
        "forfeits": dict(sorted(contest.forfeits.items())),
        "faults": dict(sorted(contest.faults.items())),
        "same_bot": same_bot,
        **_test_document(comparison, contest),
    }


def plan_document(plan: object) -> dict[str, object]:
    """Returns how verdicts were come to, as JSON values."""
    if isinstance(plan, RatioPlan):
        test = plan.test
        return {
            "test": "two-sided t-value GSPRT",
            "alpha": test.alpha,
            "beta": test.beta,
            "t1": test.t1,
            "floor": test.floor,
        }
    assert isinstance(plan, ClaimPlan)
    return {"test": "confidence sequence", "alpha": plan.alpha, "claim": str(plan.claim)}


_WITHIN = (Verdict.EQUAL, Verdict.NOT_WORSE)


def _test_document(comparison: Comparison, contest: Contest) -> dict[str, object]:
    judge = contest.judge
    if isinstance(judge, RatioJudge):
        bounds = judge.test.bounds(_open(comparison))
        llr = {
            "a_better": judge.run.up,
            "b_better": judge.run.down,
            "lower": bounds.lower,
            "upper": bounds.upper,
        }
        p_values = {"p_value": judge.strength, "p_value_holm": _holm(comparison, contest)}
        return {"llr": llr, **p_values}
    assert isinstance(judge, ClaimJudge)
    ends = {"claim_low": _finite(judge.low), "claim_high": _finite(judge.high)}
    return {"log_e_value": judge.strength, **ends}


def _open(comparison: Comparison) -> int:
    """Returns among how many hypotheses the strongest of those that are open has to stand out."""
    better = (Verdict.FIRST_BETTER, Verdict.SECOND_BETTER)
    return max(1, sum(contest.verdict not in better for contest in comparison.contests))


def _holm(comparison: Comparison, contest: Contest) -> float:
    adjusted = holm([each.judge.strength for each in comparison.contests])
    return adjusted[comparison.contests.index(contest)]


def _family_text(comparison: Comparison, contest: Contest) -> str:
    count = len(comparison.contests)
    if isinstance(contest.judge, RatioJudge):
        return f"p-value {_holm(comparison, contest):.2g} among {count} comparisons (Holm)"
    return f"log e-value {contest.judge.strength:.2f} among {count} comparisons (e-BH)"


def _sharing_text(contest: Contest) -> str:
    blocks, deals, played = contest.shared, contest.deals, contest.played_out
    return (
        f"auctions differed in {contest.differing} of {_count(blocks, 'block')} "
        f"({contest.differing / blocks:.1%}); {played} of {_count(deals, 'deal')} played out, "
        f"{1.0 - played / deals if deals else 0.0:.0%} saved"
    )


def _same_text(contest: Contest) -> str:
    tally, name = contest.tally, contest.pairing.second
    if not tally.decided:
        return "the same bot twice: every block is exactly level, as it must be"
    if contest.forfeits or contest.faults:
        why = "its faults, or choices that depend on more than the question"
    else:
        why = "its choices depend on more than the question"
    return (
        f"the same bot twice, yet {tally.decided} of {_count(tally.blocks, 'block')} are not "
        f"level: {name} is not deterministic ({why})"
    )


def _trouble(contest: Contest) -> list[str]:
    lines = []
    if contest.faults:
        lines.append(f"faults: {_by_name(contest.faults)}")
    if contest.forfeited_blocks:
        lines.append(
            f"{_count(contest.forfeited_blocks, 'block')} with a forfeit (tables: "
            f"{_by_name(contest.forfeits)}); each counts against who did as if all its deals had "
            "gone as badly as the rules let them"
        )
    for reason, text in _REASONS.items():
        if contest.left_out[reason]:
            lines.append(f"{_count(contest.left_out[reason], 'block')} left out: {text}")
    return lines


_REASONS = {
    LeftOut.VOID: "a table that moon itself broke every time",
    LeftOut.THIRD: "a table that the third player forfeited",
}


def _by_name(counts: Counter[EntrantId]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def _range(low: float, high: float) -> str:
    return f"{low:+.3f} to {high:+.3f}"


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
