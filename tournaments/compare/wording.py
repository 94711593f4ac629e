"""A comparison in words, and as JSON values: every number with whose it is, and in what unit."""

from __future__ import annotations

from collections import Counter
from math import ceil, isfinite, log

from referee.text import counted
from tournaments.compare.comparison import Comparison, Contest, FaultsOfAKind
from tournaments.compare.judges import ClaimJudge, ClaimPlan, RatioJudge, RatioPlan
from tournaments.compare.scoring import LeftOut
from tournaments.compare.verdicts import Verdict
from tournaments.evidence import FLOOR, Bounds, holm
from tournaments.schedule import EntrantId
from tournaments.tracebacks import telling_lines

UNIT = "points a deal"
CONFIDENCE = 0.95
"""That of the interval of the difference, which decides nothing."""
FEW = 5
"""Blocks below which people are shown no interval: it would look surer than it is."""

FAR = 20.0
"""How many times the blocks so far are more than anybody wants to hear of."""


def verdict_text(contest: Contest) -> str:
    """Returns the verdict with the names of the two."""
    first, second = contest.pairing.first, contest.pairing.second
    within = f"{contest.judge.within(contest.tally):.2g}"
    points = f"{within} {'point' if within == '1' else 'points'} a deal"
    return {
        Verdict.FIRST_BETTER: f"{first} better",
        Verdict.SECOND_BETTER: f"{second} better",
        Verdict.EQUAL: f"equal within {points}",
        Verdict.NOT_WORSE: f"{first} not worse than {second} by more than {points}",
        Verdict.NOT_DECIDED: "not decided",
    }[contest.verdict]


def estimate_text(contest: Contest) -> str:
    """Returns the difference and its interval in one line."""
    tally = contest.tally
    if not tally.blocks:
        return f"{contest.pairing}: no block yet"
    found = tally.interval(CONFIDENCE)
    if tally.blocks < FEW:
        interval = f"no interval of {counted(tally.blocks, 'block')}"
    elif found is None:
        interval = "no interval, all blocks alike"
    else:
        interval = f"{_percent(CONFIDENCE)} {_range(*found)}"
    return f"{contest.pairing}: {tally.mean:+.3f} {UNIT}, {interval}"


def evidence_text(comparison: Comparison, contest: Contest) -> str:
    """Returns how far what decides has come, and where it ends."""
    judge, first, second = contest.judge, contest.pairing.first, contest.pairing.second
    if isinstance(judge, RatioJudge):
        bounds = _bounds(judge, contest)
        return (
            f"what decides: the evidence (log-likelihood ratio) that {first} is better, "
            f"{judge.run.up:.2f} of the {bounds.upper:.2f} needed; that {second} is, "
            f"{judge.run.down:.2f}; equal once both are below {bounds.lower:.2f}"
        )
    assert isinstance(judge, ClaimJudge)
    interval = (
        f"the interval that holds at every look at once, {_percent(1.0 - judge.alpha)}: "
        f"{_always(judge)}"
    )
    if len(comparison.contests) == 1:
        return f"what decides: {judge.claim} and {interval}"
    return (
        f"what decides: the log e-value for {judge.claim}, {judge.strength:.2f} of the "
        f"{e_value_needed(comparison, contest):.2f} needed among "
        f"{len(comparison.contests)} comparisons (e-BH); that it does not hold, {interval}"
    )


def e_value_needed(comparison: Comparison, contest: Contest) -> float:
    """Returns which log e-value is enough for the claim of *contest*, as the others stand.

    The more claims are said to hold, the less it takes.
    """
    plan, judges = comparison.plan, [each.judge for each in comparison.contests]
    rejected = plan.rejected(judges)
    held = sum(rejected) + (not rejected[comparison.contests.index(contest)])
    return log(len(judges) / (plan.alpha * held))


def short_text(contest: Contest) -> str:
    """Returns the difference, its interval, and how far what decides has come, as short as it goes.

    What matters least stands last, where a narrow terminal cuts it off.
    """
    tally, judge = contest.tally, contest.judge
    found = tally.interval(CONFIDENCE)
    give = "" if found is None else f" \N{PLUS-MINUS SIGN}{0.5 * (found[1] - found[0]):.2f}"
    if isinstance(judge, RatioJudge):
        most, bounds = max(judge.run.up, judge.run.down), _bounds(judge, contest)
        return f"{tally.mean:+.2f}{give}, evidence {most:.1f} of {bounds.upper:.1f}"
    assert isinstance(judge, ClaimJudge)
    return f"{tally.mean:+.2f}{give}, at every look {_always(judge)}"


def contest_lines(
    comparison: Comparison, contest: Contest, *, same_bot: bool, see: str = ""
) -> list[str]:
    """Returns all that is to be said of *contest*, the verdict last.

    Args:
        comparison: All contests.
        contest: One of them.
        same_bot: Whether the two are one bot.
        see: The command that shows a match of the two on other deals, where there were faults.
    """
    tally = contest.tally
    lines = [estimate_text(contest)]
    played = f"{counted(contest.tables, 'table')}, {counted(contest.deals, 'deal')}"
    lines.append(f"  {evidence_text(comparison, contest)}")
    if len(comparison.contests) > 1 and isinstance(contest.judge, RatioJudge):
        lines.append(f"  {_p_value_text(comparison, contest)}")
    lines.append(
        f"  {counted(tally.blocks, 'block')} judged, {tally.decided} of them not level; {played}"
    )
    if contest.shared:
        lines.append(f"  {_sharing_text(contest)}")
    lines += [f"  {line}" for line in _trouble(contest, see)]
    if same_bot and tally.blocks:
        lines.append(f"  {_same_text(contest)}")
    if contest.is_decided:
        return [*lines, f"verdict: {verdict_text(contest)}"]
    if tally.blocks >= FEW and _leaves_0_out(contest):
        lines.append(
            f"  {_percent(CONFIDENCE)} is for a number of blocks fixed beforehand: that it leaves "
            "0 out decides nothing"
        )
    return [*lines, f"verdict: {verdict_text(contest)}: {_open_text(comparison, contest)}"]


def contest_document(
    comparison: Comparison, contest: Contest, *, same_bot: bool
) -> dict[str, object]:
    """Returns *contest* as JSON values; what is not known is null."""
    tally, judge = contest.tally, contest.judge
    low, high = tally.interval(CONFIDENCE) or (None, None)
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
        "confidence": CONFIDENCE,
        "confidence_at_every_look": 1.0 - contest.sequence.alpha,
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
        "faults_by_kind": [_fault_document(each) for each in _kinds(contest)],
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
        bounds = _bounds(judge, contest)
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


def _bounds(judge: RatioJudge, contest: Contest) -> Bounds:
    return judge.test.bounds(contest.rivals)


def _always(judge: ClaimJudge) -> str:
    is_known = isfinite(judge.high)
    return _range(judge.low, judge.high) if is_known else f"from block {FLOOR} on"


def _leaves_0_out(contest: Contest) -> bool:
    low, high = contest.tally.interval(CONFIDENCE) or (0.0, 0.0)
    return not low <= 0.0 <= high


def _open_text(comparison: Comparison, contest: Contest) -> str:
    """Returns why there is no verdict."""
    judged, most = contest.tally.blocks, comparison.most_blocks
    seen = judged + contest.left_out.total()
    if not comparison.is_over:
        return f"stopped at block {seen} of {most}" if seen else "stopped before the first block"
    if not judged:
        return "no block was left to judge"
    end = f"the {counted(most, 'block')} ran out"
    needed = comparison.plan.blocks_needed(contest.rivals)
    if judged < needed:
        return f"{end}, and none could be decided before block {needed}; --max-blocks {needed}"
    left = contest.judge.blocks_left(contest.tally)
    if not 0.0 < left < FAR * judged:
        return f"{end} before there was evidence enough; only more blocks can decide it"
    return (
        f"{end} before there was evidence enough; about {counted(ceil(left), 'block')} more would "
        "decide it if it went on so"
    )


def _holm(comparison: Comparison, contest: Contest) -> float:
    adjusted = holm([each.judge.strength for each in comparison.contests])
    return adjusted[comparison.contests.index(contest)]


def _p_value_text(comparison: Comparison, contest: Contest) -> str:
    return (
        f"the same in a p-value against equal, which holds at every look: "
        f"{_holm(comparison, contest):.2g}, corrected for {len(comparison.contests)} comparisons "
        f"(Holm); {comparison.plan.alpha:g} or less is needed to be called better"
    )


def _sharing_text(contest: Contest) -> str:
    blocks, deals, played = contest.shared, contest.deals, contest.played_out
    return (
        f"auctions differed in {contest.differing} of {counted(blocks, 'block')} "
        f"({contest.differing / blocks:.1%}); {played} of {counted(deals, 'deal')} played out, "
        f"{1.0 - played / deals if deals else 0.0:.0%} saved"
    )


def _same_text(contest: Contest) -> str:
    tally = contest.tally
    if not tally.decided:
        return "the same bot twice: every block is exactly level, as it must be"
    if contest.forfeits or contest.faults:
        why = "its faults, or choices that depend on more than the question"
    else:
        why = "its choices depend on more than the question"
    return (
        f"the same bot twice, yet {tally.decided} of {counted(tally.blocks, 'block')} are not "
        f"level: this bot is not deterministic ({why})"
    )


def _kinds(contest: Contest) -> list[FaultsOfAKind]:
    return [kind for _, kind in sorted(contest.kinds_of_faults.items())]


def _fault_document(kind: FaultsOfAKind) -> dict[str, object]:
    first = kind.first
    return {
        "entrant": first.entrant,
        "kind": first.kind,
        "count": kind.count,
        "first": {
            "detail": first.detail,
            "question": first.question,
            "exit_status": first.exit_status or None,
            "stderr_tail": first.stderr_tail or None,
        },
    }


def _fault_lines(contest: Contest, see: str) -> list[str]:
    """Returns how many faults there were of each kind, and of each kind the first."""
    lines = []
    for kind in _kinds(contest):
        first = kind.first
        about = "; the first" if kind.count > 1 else ""
        lines.append(
            f"faults: {first.entrant} {kind.count} {first.kind}{about}: "
            f"{first.detail or 'no detail'}"
        )
        lines += [f"  stderr: {line}" for line in telling_lines(first.stderr_tail)]
    return [*lines, f"to see a match like these: {see}"] if lines and see else lines


def _trouble(contest: Contest, see: str) -> list[str]:
    lines = _fault_lines(contest, see)
    if contest.forfeited_blocks:
        lines.append(
            f"{counted(contest.forfeited_blocks, 'block')} with a forfeit (tables: "
            f"{_by_name(contest.forfeits)}); each counts against who did as if all its deals had "
            "gone as badly as the rules let them"
        )
    for reason, text in _REASONS.items():
        if contest.left_out[reason]:
            lines.append(f"{counted(contest.left_out[reason], 'block')} left out: {text}")
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


def _percent(share: float) -> str:
    return f"{100.0 * share:.4g} %"
