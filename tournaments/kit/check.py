"""The check of a bot: numbered steps, each tried with the real process under the real clock."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from referee.bots.sandbox import Limits, Sandbox, Tier
from referee.bots.sessions import StartError
from referee.bots.spec import BotKind, BotSpec
from referee.bots.terms import ClockTerms
from referee.errors import ConfigError, did_you_mean
from referee.rules import rules_text
from referee.wire.states import read_question
from tournaments.holding import limits_text
from tournaments.kit import first_steps, match_steps
from tournaments.kit.causes import cause_of
from tournaments.kit.results import CheckReport, Failure, StepResult, StepVerdict
from tournaments.kit.stand import Stand
from tournaments.kit.states import save_state
from tournaments.kit.trial import SEED, CheckTerms, StepFailedError, StepSkippedError, Trial

Tell: TypeAlias = Callable[[StepResult], None]
"""Is told of each step as soon as it is over."""


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One thing that a bot must do."""

    name: str
    title: str
    run: Callable[[Trial], Awaitable[str]]
    """Returns what was seen; raises `StepFailedError` or `StepSkippedError`."""
    without: str = ""
    """What is missing if it fails, so that nothing after it can be tried; empty if others can."""


STEPS = (
    CheckStep("builds", "builds", first_steps.builds, "the bot was not built"),
    CheckStep("starts", "starts within its budget", first_steps.starts, "the bot did not start"),
    CheckStep(
        "describes", "describes itself", first_steps.describes, "the bot did not say what it is"
    ),
    CheckStep("first-bid", "bids with an empty history", first_steps.first_bid),
    CheckStep("later-bids", "bids after each other bid", first_steps.later_bids),
    CheckStep("follows-suit", "follows suit", first_steps.follows_suit),
    CheckStep("forced", "makes a forced move", first_steps.forced),
    CheckStep("lead-and-last", "leads, and plays last", first_steps.lead_and_last),
    CheckStep("in-time", "answers within the move time", first_steps.in_time),
    CheckStep("batch", "answers a batch, in any order", first_steps.batch),
    CheckStep("unknown-fields", "ignores unknown fields", first_steps.unknown_fields),
    CheckStep("cancelled", "goes on after a cancelled call", first_steps.cancelled),
    CheckStep("new-match", "plays a new match without restart", match_steps.new_match),
    CheckStep("two-matches", "plays two matches at once", match_steps.two_matches),
    CheckStep("restart", "goes on after a restart in mid-match", match_steps.restart),
    CheckStep("repeats", "plays the same games twice alike", match_steps.repeats),
    CheckStep("memory", "keeps its memory over many matches", match_steps.memory),
    CheckStep("other-game", "plays both games, with 3 and with 4", match_steps.other_game),
    CheckStep("exits", "exits when told", match_steps.exits),
    CheckStep("leaves-nothing", "leaves no process behind", match_steps.leaves_nothing),
)
"""Every step, in order."""


async def check_bot(
    spec: BotSpec,
    terms: CheckTerms | None = None,
    *,
    only: Sequence[str] = (),
    states: Path | None = None,
    tell: Tell | None = None,
) -> CheckReport:
    """Tries *spec* step by step and returns what came of it; what the bot does wrong is data.

    Args:
        spec: A bot that is started here; not one that runs already, or inside this program.
        terms: Under what it is checked.
        only: The names of the steps to take; empty for all. Those that the others need are taken
            anyway.
        states: The folder in which the questions of failures are saved; ``None`` saves none.
        tell: Told of each step as soon as it is over.

    Raises:
        ConfigError: if the bot is of another kind, or there is no step of that name.
        KeeperError: if this host cannot run bots.
    """
    terms = terms or CheckTerms()
    if spec.is_remote or spec.kind is BotKind.INPROC:
        raise ConfigError(
            None,
            spec.source,
            "a check starts the bot itself; name its folder, its .py file, or cmd:PROGRAM",
        )
    steps = chosen_steps(only)
    results: list[StepResult] = []
    async with Stand(spec, terms.stand) as stand:
        trial = Trial(spec, stand, terms)
        missing = ""
        causes: dict[str, int] = {}
        for number, step in steps.items():
            result = await _take(trial, number, step, missing, states)
            if result.verdict is StepVerdict.FAILED:
                missing = step.without
            if result.failure is not None and result.failure.cause:
                first = causes.setdefault(result.failure.cause, number)
                result = replace(result, first=first if first != number else 0)
            results.append(result)
            if tell is not None:
                tell(result)
        rules = rules_text(trial.rules)
    return CheckReport(spec.name, rules, str(terms.stand.sandbox.tier), tuple(results))


def chosen_steps(only: Sequence[str] = ()) -> dict[int, CheckStep]:
    """Returns the steps that are taken for those named in *only*, by number; all if it is empty.

    Raises:
        ConfigError: if there is no step of that name.
    """
    names = [step.name for step in STEPS]
    for name in only:
        if name not in names:
            raise ConfigError(
                None, "--step", f"there is no step {name!r}{did_you_mean(name, names)}"
            )
    chosen = {*(only or names), *(step.name for step in STEPS if step.without)}
    if "leaves-nothing" in chosen:
        chosen.add("exits")
    return {number: step for number, step in enumerate(STEPS, 1) if step.name in chosen}


async def _take(
    trial: Trial, number: int, step: CheckStep, missing: str, states: Path | None
) -> StepResult:
    """Returns what came of *step*, which is skipped if something is *missing* for it."""
    began = time.monotonic()
    failure: Failure | None = None
    verdict, remark = StepVerdict.PASSED, ""
    try:
        if missing:
            raise StepSkippedError(missing)
        remark = await step.run(trial)
    except StepSkippedError as skipped:
        verdict, remark = StepVerdict.SKIPPED, str(skipped)
    except StepFailedError as failed:
        verdict, failure = StepVerdict.FAILED, _explained(trial, step, failed.failure, states)
    except StartError as error:
        problem, stderr = f"could not be started again: {error}", error.report.stderr_tail
        again = Failure(problem, stderr=stderr, cause=cause_of("start", stderr))
        verdict, failure = StepVerdict.FAILED, _explained(trial, step, again, states)
    if failure is not None:
        remark = failure.problem
        await trial.stand.drop()
    seconds = time.monotonic() - began
    return StepResult(number, step.name, step.title, verdict, remark, seconds, failure)


def _explained(trial: Trial, step: CheckStep, failure: Failure, states: Path | None) -> Failure:
    """Returns *failure* with the command that repeats it, and its state saved if it has one."""
    spec, how = trial.spec, _held(trial.terms.stand.sandbox)
    # Only a single answer can be had again by asking: what a bot does over time needs the step.
    if not failure.state or states is None or step.name in _OVER_TIME:
        words = ["moon", "bot", "check", spec.source, "--step", step.name]
        failure = replace(failure, command=shlex.join([*words, *how, *_asked(trial.terms)]))
    if failure.state and states is not None:
        name = re.sub(r"[^\w.-]+", "-", spec.name).strip("-.") or "bot"
        path = states / f"{name}-{step.name}.json"
        save_state(path, read_question(failure.state))
        failure = replace(failure, state_file=str(path))
        if not failure.command:
            words = ["moon", "ask", spec.source, "--state", str(path), *how]
            failure = replace(failure, command=shlex.join(words))
    return failure


_OVER_TIME = ("batch", "cancelled", "two-matches", "restart", "repeats", "memory")


def _held(sandbox: Sandbox) -> list[str]:
    """Returns the options by which a bot is held so."""
    words = [] if sandbox.tier is Tier.BASIC else ["--sandbox", str(sandbox.tier)]
    usual = limits_text(Limits()).split()
    changed = [word for word in limits_text(sandbox.limits).split() if word not in usual]
    return [*words, *(part for word in changed for part in ("--limit", word))]


def _asked(terms: CheckTerms) -> list[str]:
    """Returns the options by which the steps are what they are."""
    clock, usual, words = terms.stand.clock, ClockTerms(), []
    for name in ("move_time", "startup", "first_move"):
        if (value := getattr(clock, name)) != getattr(usual, name):
            words += [f"--{name.replace('_', '-')}", f"{value:g}s"]
    if terms.rules is not None:
        words += ["--rules", rules_text(terms.rules)]
    return words if terms.seed == SEED else [*words, "--seed", terms.seed]
