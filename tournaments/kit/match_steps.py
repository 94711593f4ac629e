"""The later steps of a check: the bot plays whole matches, and ends."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from itertools import pairwise

from referee.bots.keeper.watch import size
from referee.bots.keeper_client import GRACE
from referee.bots.sandbox import Tier
from referee.rules import rules_text
from tournaments.kit.games import TrialMatch, fixtures, play_in_turn, play_one
from tournaments.kit.results import Failure
from tournaments.kit.stand import memory_of
from tournaments.kit.states import describe
from tournaments.kit.trial import StepFailedError, StepSkippedError, Trial, raise_fault

ROUNDS = 8
"""How often the memory is looked at, at most; in between some matches are played."""
STEADY = 1 << 20
"""Bytes that the memory may grow from one look to the next and still count as steady."""
TRIES = 3
"""How often a bot is told to end before it is not for want of a processor that it does not."""
SETTLE = 0.5
"""Seconds that what a bot has started may take to end after it."""


async def new_match(trial: Trial) -> str:
    """Plays matches in turn in one process."""
    played = await trial.run()
    assert trial.line is not None
    if trial.line.starts > 1:
        raise StepFailedError(Failure("it had to be started again between two matches"))
    count = sum(len(match.asked) for match in played)
    return f"{len(played)} matches, {count} decisions"


async def two_matches(trial: Trial) -> str:
    """Plays two matches at the same time."""
    await trial.run()
    direct = await trial.stand.direct()
    line = trial.line
    assert line is not None
    if direct.session.info.max_batch < 2:
        raise StepSkippedError("it takes one question at a time")
    wanted = fixtures(trial.rules, f"{trial.terms.seed}/two", 2)
    played = await asyncio.gather(*(play_one(trial.stand, line, each) for each in wanted))
    raise_fault(played)
    return ""


async def restart(trial: Trial) -> str:
    """Ends the process in the middle of a match, and goes on with the next one."""
    line = trial.line = trial.line or trial.stand.line()
    await line.warm_up()
    before = line.starts

    def end(count: int) -> None:
        if count == 4:
            line.restart()

    [fixture] = fixtures(trial.rules, f"{trial.terms.seed}/restart", 1)
    played = await play_one(trial.stand, line, fixture, end)
    raise_fault([played])
    if line.starts == before:
        raise StepSkippedError("the match was over before it could be restarted")
    return f"after 4 of {len(played.asked)} decisions"


async def repeats(trial: Trial) -> str:
    """Plays the same matches once more, in a new process, and compares."""
    first = await trial.run()
    second = await trial.play(trial.stand.line())
    _compare(first, second)
    return f"{sum(len(match.asked) for match in first)} decisions alike"


def _compare(first: Sequence[TrialMatch], second: Sequence[TrialMatch]) -> None:
    for one, other in zip(first, second, strict=True):
        for (question, before), (_, after) in zip(one.asked, other.asked, strict=False):
            if before != after:
                raise StepFailedError(
                    Failure(
                        "the same deals were played twice, and not alike: it first answered "
                        f"{before}, then {after}; draw from a generator that the question seeds",
                        tuple(describe(question.view)),
                        f"{before}, then {after}",
                        tuple(map(str, question.decision.legal)),
                        question.data,
                    )
                )


async def memory(trial: Trial) -> str:
    """Plays on, and looks whether the memory of the process goes on growing."""
    line = trial.stand.line()
    await line.warm_up()
    process = trial.stand.processes[-1]
    if not memory_of(process):
        raise StepSkippedError("this system does not tell what a process uses")
    count = trial.matches(18 * ROUNDS)
    seen: list[int] = []
    for turn in range(ROUNDS):
        wanted = fixtures(trial.rules, f"{trial.terms.seed}/memory/{turn}", count)
        raise_fault(await play_in_turn(trial.stand, line, wanted))
        seen.append(memory_of(process))
        grown = [after - before for before, after in pairwise(seen)]
        if len(grown) >= 3 and max(grown[-2:]) < STEADY:
            return f"{size(seen[-1])} after {count * len(seen)} matches"
    each = (seen[-1] - seen[2]) // (count * (ROUNDS - 3))
    raise StepFailedError(
        Failure(
            f"its memory went on growing, from {size(seen[0])} to {size(seen[-1])} in"
            f" {count * ROUNDS} matches, at last by {size(each)} a match"
        )
    )


async def other_game(trial: Trial) -> str:
    """Plays the other game that the bot claims to play."""
    rules = trial.other_game()
    line = trial.line = trial.line or trial.stand.line()
    wanted = fixtures(rules, f"{trial.terms.seed}/other", rules.players, deals=1)
    raise_fault(await play_in_turn(trial.stand, line, wanted))
    return rules_text(rules)


async def exits(trial: Trial) -> str:
    """Tells the bot to end, and sees whether it does, and whether it leaves something."""
    await trial.stand.close_lines()
    for _ in range(TRIES):
        seconds = await _end_once(trial)
        if seconds is not None:
            return f"{seconds:.1f} s of {GRACE:g} s"
    raise StepFailedError(
        Failure(
            f"it did not end within {GRACE:g} s of SIGTERM and was killed, {TRIES} times; end it"
            " on SIGTERM, also while it thinks"
        )
    )


async def _end_once(trial: Trial) -> float | None:
    """Returns how long the bot took to end when told to, in seconds; ``None`` if it was killed."""
    await trial.stand.direct()
    process = trial.stand.asked_process
    assert process is not None, "only bots that are started here are checked"
    clock = trial.stand.clock
    ended: list[float] = []
    process.on_exit(lambda: ended.append(clock.now()))
    began = clock.now()
    hardened = trial.terms.stand.sandbox.tier is Tier.HARDENED
    await process.stop(settle=0.0 if hardened else SETTLE)
    trial.left = process.outlived
    await trial.stand.drop()
    report = process.report
    if report is not None and report.signal == signal.SIGKILL:
        return None
    return max(0.0, ended[0] - began)


async def leaves_nothing(trial: Trial) -> str:
    """Says what the bot has left running when it ended."""
    if trial.terms.stand.sandbox.tier is Tier.HARDENED:
        return "its sandbox ends with it"
    if trial.left is None:
        raise StepSkippedError("it was not told to end")
    if trial.left:
        names = ", ".join(map(str, trial.left))
        raise StepFailedError(
            Failure(
                f"{len(trial.left)} of the processes it had started ran on after its end"
                f" (pids {names}); end them and wait for them on SIGTERM"
            )
        )
    return ""
