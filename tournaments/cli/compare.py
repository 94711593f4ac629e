"""`moon compare`: whether one bot is better than another, and by how much."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from referee.bots.build import build_bots
from referee.bots.contents import content_hash
from referee.bots.sandbox import Tier, check_tier, close_to_bots
from referee.bots.spec import BotSpec, is_inside, parse_bot
from referee.bots.terms import ClockTerms
from referee.errors import BotError, ConfigError, VerificationError
from referee.rules import DEFAULT_PRESETS, Rules, change_rules, parse_rules, rules_text
from referee.text import counted
from tournaments.cli.block_options import block_options
from tournaments.cli.compare_bots import (
    CompareField,
    check_differing,
    entrants_of,
    play_command,
    too_few_blocks,
    with_play,
)
from tournaments.cli.compare_early import StoppedEarlyError, stopping_early
from tournaments.cli.compare_live import CompareProgress
from tournaments.cli.options import (
    NumberRange,
    json_option,
)
from tournaments.cli.signals import INTERRUPTED, run_to_a_signal
from tournaments.cli.terminal import console, print_json
from tournaments.compare import (
    Claim,
    ClaimPlan,
    Comparison,
    Pairing,
    Plan,
    RatioPlan,
    Verdict,
    comparison_schedule,
)
from tournaments.compare.playing import ComparisonPlay
from tournaments.compare.wording import contest_document, contest_lines, plan_document
from tournaments.config import default_workers
from tournaments.evidence import EvidenceError, TwoSidedTest
from tournaments.holding import held_text, parse_limits, sandbox_of, unkept_lines
from tournaments.reports.marks import mark_lines
from tournaments.reports.words import names_text
from tournaments.runner.jobs import Job
from tournaments.schedule import EntrantId
from tournaments.store.files import is_ours

UNDECIDED = 6


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for."""

    rules: Rules
    field: CompareField
    plan: Plan
    asserted: bool
    """Whether the exit code tells if the first is better."""
    seed: str
    deals: int | None
    blocks: int
    workers: int
    job: Job
    differing: bool
    """Whether only what differs between the tables of a block is played."""

    @property
    def claim(self) -> Claim | None:
        """What the exit code tells whether it holds, if anything."""
        if isinstance(self.plan, ClaimPlan):
            return self.plan.claim
        return Claim(0.0) if self.asserted else None


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--against", metavar="BOT", help="Compare each of several bots with this one.")
@click.option("--regression", is_flag=True,
              help="Of OLD NEW: show that NEW is not worse by more than --margin.")  # fmt: skip
@click.option("--margin", type=NumberRange(0.0, min_open=True), metavar="D",
              help="For --regression, in points a deal; 0.1 if nothing is said.")  # fmt: skip
@click.option("--with", "third", metavar="BOT",
              help="Who fills the third seat; else the two do between them.")  # fmt: skip
@click.option("--bidding", is_flag=True,
              help="Compare how the bots bid: --play plays the tiles for all of them.")  # fmt: skip
@click.option("--play", metavar="BOT", help="For --bidding: who plays the tiles.")
@click.option("--differing", is_flag=True,
              help="Bid all deals, and play out only what differs; for bots that play "
              "alike.")  # fmt: skip
@click.option("--until", metavar="CLAIM",
              help="Play until 'diff>D', 'diff<-D' or '|diff|>D' (points a deal) is "
              "decided.")  # fmt: skip
@click.option("--assert", "asserted", is_flag=True,
              help="Exit with 5 unless the first bot is found better.")  # fmt: skip
@click.option("--alpha", type=NumberRange(0.0, 0.5, min_open=True, max_open=True),
              default=0.05, show_default=True,
              help="How often a bot may be called better that is not; of several with --until, "
              "what share of the claims that are said to hold may not.")  # fmt: skip
@click.option("--beta", type=NumberRange(0.0, 0.5, min_open=True, max_open=True),
              help="How often one that is better by --effect may be missed; 0.05 if nothing is "
              "said.")  # fmt: skip
@click.option("--effect", type=NumberRange(0.0, 1.0, min_open=True), metavar="T",
              help="The smallest lead that matters, in standard deviations of a block; 0.1 if "
              "nothing is said.")  # fmt: skip
@click.option("--max-blocks", type=click.IntRange(1), default=5000, show_default=True,
              help="Give up after so many for each comparison.")  # fmt: skip
@block_options
@click.option("--strict", is_flag=True, help="Exit with 4 if a bot made a fault.")
@json_option
def compare(
    bots: tuple[str, ...],
    against: str | None,
    regression: bool,
    margin: float | None,
    third: str | None,
    bidding: bool,
    play: str | None,
    differing: bool,
    until: str | None,
    asserted: bool,
    alpha: float,
    beta: float | None,
    effect: float | None,
    max_blocks: int,
    rules: str | None,
    changes: tuple[str, ...],
    deals: int | None,
    seed: str | None,
    workers: int | None,
    move_time: float,
    sandbox: str | None,
    limits: tuple[str, ...],
    heartbeat: float,
    strict: bool,
    as_json: bool,
) -> int:
    """Find out whether one bot is better than another, and by how much.

    Plays blocks of equal deals with the seats turned, until the answer is sure: A is better, B is,
    or neither by more than --effect. The difference is in points a deal. A bot is written as for
    `moon play`.

    Exit codes: 0 decided (with --until, --assert or --regression: and it holds), 5 it does not
    hold, 6 not decided, 2 the command line means nothing, 4 a bot does not start (with --strict: or
    made a fault); 130, 143 or 129 stopped by Ctrl-C, SIGTERM or SIGHUP, what is known printed.
    """
    chosen = change_rules(parse_rules(rules or DEFAULT_PRESETS[3]), changes)
    if play is not None or bidding:
        bots, against = with_play(bots, against, play, bidding=bidding)
    field = entrants_of(bots, against, third, regression=regression)
    if differing:
        check_differing(field)
    plan = _plan(
        _claim(until, margin, asserted=asserted, regression=regression), alpha, beta, effect
    )
    job = Job(
        rules=rules_text(chosen),
        entrants={name: (text,) for name, text in field.texts.items()},
        base=str(Path().absolute()),
        deals=deals,
        clock=ClockTerms(move_time),
        sandbox=sandbox_of(sandbox or Tier.BASIC, parse_limits(limits)),
    )
    wish = Wish(
        chosen, field, plan, asserted, seed or secrets.token_hex(16), deals,
        max_blocks, workers or default_workers(), job, differing,
    )  # fmt: skip
    return _compare(wish, heartbeat, strict=strict, as_json=as_json)


def _claim(
    until: str | None, margin: float | None, *, asserted: bool, regression: bool
) -> Claim | None:
    """Returns the claim to be decided, if any is made."""
    made = [name for name, is_made in (
        ("--until", until is not None), ("--assert", asserted), ("--regression", regression),
    ) if is_made]  # fmt: skip
    if len(made) > 1:
        raise ConfigError(None, made[0], f"claims one thing and {made[1]} another: take one")
    if margin is not None and not regression:
        raise ConfigError(None, "--margin", "is that of --regression, which is not given")
    if regression:
        return Claim.at_least(-(0.1 if margin is None else margin))
    return None if until is None else Claim.parse(until)


def _plan(claim: Claim | None, alpha: float, beta: float | None, effect: float | None) -> Plan:
    if claim is not None:
        for name, value in (("--beta", beta), ("--effect", effect)):
            if value is not None:
                raise ConfigError(
                    None, name, f"is of no use to {claim}, which is decided by an interval"
                )
        return ClaimPlan(claim, alpha)
    test = TwoSidedTest(
        t1=0.1 if effect is None else effect, alpha=alpha, beta=0.05 if beta is None else beta
    )
    try:
        test.bounds()
    except EvidenceError as error:
        raise ConfigError(None, "--alpha", str(error)) from None
    return RatioPlan(test)


def _compare(wish: Wish, heartbeat: float, *, strict: bool, as_json: bool) -> int:
    """Plays, says what came of it, and returns the exit code."""
    schedule = comparison_schedule(
        wish.field.pairings, blocks=wish.blocks, seats=wish.rules.players, third=wish.field.third
    )
    close_to_bots()
    specs = {name: parse_bot(text, Path()) for name, text in wish.field.texts.items()}
    same = _same_bots(wish.field.pairings, specs)
    comparison = Comparison(wish.rules, schedule, wish.field.pairings, wish.plan, deals=wish.deals)
    progress = CompareProgress(comparison, wish.blocks, heartbeat, wish.field.texts)
    stopped_by: signal.Signals | None
    try:
        with stopping_early():
            _make_ready(wish, specs, progress)
    except StoppedEarlyError as early:
        stopped_by = early.signal
    else:
        play = ComparisonPlay(
            comparison, schedule, wish.job, seed=wish.seed, workers=wish.workers,
            say=progress.say, shares=wish.differing,
        )  # fmt: skip
        play.heard = progress.hear
        with progress:
            report, stopped_by = asyncio.run(run_to_a_signal(play, progress))
        for problem in report.problems:
            progress.say(f"a fault of moon's own: {problem}")
    inside = [name for name, text in wish.field.texts.items() if is_inside(text)]
    marks = mark_lines(inside, [], is_held=wish.job.sandbox.tier is not Tier.NONE)
    if as_json:
        print_json("moon.compare/1", _document(wish, comparison, same, marks))
    else:
        _print(wish, comparison, same, marks)
    if stopped_by is not None and not comparison.is_over:
        return INTERRUPTED[stopped_by]
    faults = sum(contest.faults.total() for contest in comparison.contests)
    return BotError.exit_code if strict and faults else exit_code(comparison, wish.claim)


def _make_ready(wish: Wish, specs: dict[EntrantId, BotSpec], progress: CompareProgress) -> None:
    """Builds the bots, and says what is to be known before they play."""
    probe = check_tier(wish.job.sandbox.tier)
    asyncio.run(build_bots(specs.values(), wish.job.sandbox.tier, progress.say))
    unkept = unkept_lines(probe) if wish.job.sandbox.tier is not Tier.NONE else []
    few = too_few_blocks(wish.plan, wish.blocks, len(wish.field.pairings))
    for line in (*unkept, held_text(wish.job.sandbox, freezes=wish.job.freezes), *few):
        progress.say(line)


def _same_bots(pairings: Sequence[Pairing], specs: dict[EntrantId, BotSpec]) -> list[bool]:
    contents = {name: content_hash(spec, is_ours) for name, spec in specs.items()}
    return [contents[each.first] == contents[each.second] for each in pairings]


def exit_code(comparison: Comparison, claim: Claim | None) -> int:
    """Returns what the verdicts are to the shell.

    With several contests a claim holds if it holds for one of them.

    Args:
        comparison: All contests.
        claim: What is asked; ``None`` if only whether there are verdicts.
    """
    verdicts = [contest.verdict for contest in comparison.contests]
    if claim is None:
        return UNDECIDED if Verdict.NOT_DECIDED in verdicts else 0
    found = [claim.is_met(verdict) for verdict in verdicts]
    if True in found:
        return 0
    return UNDECIDED if None in found else VerificationError.exit_code


def _document(
    wish: Wish,
    comparison: Comparison,
    same: Sequence[bool],
    marks: Sequence[str],
) -> dict[str, object]:
    code = exit_code(comparison, wish.claim)
    return {
        "seed": wish.seed,
        "rules": rules_text(wish.rules),
        "deals": wish.deals,
        "third": wish.field.third,
        "differing": wish.differing,
        "max_blocks": wish.blocks,
        "rated": not marks,
        "plan": plan_document(wish.plan),
        "claim": None if wish.claim is None else str(wish.claim),
        "holds": None if wish.claim is None or code == UNDECIDED else code == 0,
        "stopped": not comparison.is_over,
        "contests": [
            contest_document(comparison, contest, same_bot=is_same)
            for contest, is_same in zip(comparison.contests, same, strict=True)
        ],
    }


def _print(wish: Wish, comparison: Comparison, same: Sequence[bool], marks: Sequence[str]) -> None:
    firsts = names_text([pairing.first for pairing in wish.field.pairings])
    length = "to the target" if wish.deals is None else f"of {counted(wish.deals, 'deal')}"
    third = f" with {wish.field.third}" if wish.field.third is not None else ""
    who = f"{firsts} against {wish.field.pairings[0].second}{third}"
    lines = [f"{who}: rules {rules_text(wish.rules)}, matches {length}, seed {wish.seed}"]
    for contest, is_same in zip(comparison.contests, same, strict=True):
        see = play_command(wish.field, contest.pairing, wish.job)
        lines += contest_lines(comparison, contest, same_bot=is_same, see=see)
    if wish.claim is not None:
        code = exit_code(comparison, wish.claim)
        state = {0: "holds", UNDECIDED: "not decided"}.get(code, "does not hold")
        lines.append(f"claim {wish.claim}: {state}")
    for line in (*lines, *marks):
        console().print(line, soft_wrap=True)
