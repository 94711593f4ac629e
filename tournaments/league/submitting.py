"""Takes a bot into a league: files, name, build, check, matches, and only then the register.

Everything before the last step happens in a folder of its own outside the league, which goes
whatever comes of it. So a refusal, a kill and a power cut leave the league as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from referee.bots.contents import content_hash
from referee.bots.held_build import build_held
from referee.bots.rundir import temporary_folder
from referee.bots.spec import BotKind, BotSpec, parse_bot
from referee.errors import BotError, ConfigError, MoonError, NotFoundError
from tournaments.kit.check import STEPS, check_bot, chosen_steps
from tournaments.kit.results import CheckReport, StepResult, failure_lines, repeated_lines
from tournaments.kit.stand import StandTerms
from tournaments.kit.trial import CheckTerms
from tournaments.league.entering import Candidate, EnteredAlreadyError, check_candidate, enter
from tournaments.league.entries import Entry, bot_text
from tournaments.league.folder import League
from tournaments.league.freezing import KINDS, FreezeError, freeze, freeze_built
from tournaments.league.qualifying import play_qualifiers
from tournaments.results import TableResult


class Step(StrEnum):
    """What a bot has to pass, in order."""

    FILES = "files"
    NAME = "name"
    BUILD = "build"
    CHECK = "check"
    MATCHES = "matches"
    ENTER = "enter"


_WAYS_OUT = {
    Step.FILES: "submit a folder with a bot.toml, a .py file, or a bot that comes with the program",
    Step.NAME: "",
    Step.BUILD: "a build has no network, so what it fetches has to lie in the folder already (for a"
    " bot for Node: run npm install there first); it may write to its own folder, its HOME and its"
    " TMPDIR, and has the time and the limits of the league",
    Step.CHECK: "try it with `moon bot check` until no step fails; the sandbox, the limits and the"
    " clock are those of the league",
    Step.MATCHES: "let it play with `moon play` until it does so without a fault; the sandbox, the"
    " limits and the clock are those of the league",
    Step.ENTER: "",
}


class SubmissionRefusedError(MoonError):
    """A bot is not taken in. The league is as it was.

    Attributes:
        step: What it did not pass.
    """

    def __init__(self, step: Step, text: str, cause: MoonError) -> None:
        self.step = step
        self.exit_code = cause.exit_code
        problem, _, more = str(cause).partition("\n")
        way_out = f"; {_WAYS_OUT[step]}" if _WAYS_OUT[step] else ""
        lines = [f"{text} is refused at the step {step.value!r}: {problem}", more]
        super().__init__("\n".join([*filter(None, lines), f"nothing was entered{way_out}"]))


NOT_ASKED = ("builds", "repeats", "other-game", "cancelled")
"""The steps of a check that are none of a league's: what is built was built, nobody has to play
alike twice, only one game is played, and no call is taken back while its time lasts; a bot that
thinks for most of its time could not answer the next one behind it."""
CHECKS = tuple(step.name for step in STEPS if step.name not in NOT_ASKED)
"""The steps of a check that a bot has to pass, unless it skips them for a reason."""


class CheckFailedError(BotError):
    """The bot did not pass a step of the check."""

    def __init__(self, report: CheckReport) -> None:
        lines: list[str] = []
        for step in report.failed:
            if step.first:
                continue
            lines.append(f"step {step.number}, {step.title}: {step.remark}")
            lines += [f"  {line}" for line in _shown(step)]
        lines += repeated_lines(report)
        super().__init__("\n".join([*lines, report.summary]))


@dataclass(frozen=True, slots=True)
class Submitted:
    """A bot that was taken in."""

    entry: Entry
    check: CheckReport
    results: tuple[TableResult, ...]
    """Of the matches that it had to play."""


async def submit(
    league: League,
    text: str,
    base: Path,
    *,
    name: str | None = None,
    author: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    checks: Sequence[str] = CHECKS,
) -> Submitted:
    """Takes a bot into *league*, if it passes every step.

    Args:
        league: Where.
        text: The bot, as people write it.
        base: The folder that *text* is relative to.
        name: What it is to be called; ``None`` for its own name.
        author: Whose it is; ``None`` for the author of the earlier versions.
        say: Told of each step, in words.
        checks: The steps of the check to take.

    Raises:
        SubmissionRefusedError: if it does not pass one; nothing was entered then.
        MoonError: if this host cannot hold or play it, which says nothing of the bot.
    """
    with _step(Step.FILES, text):
        spec = _submitted(text, base)
        source = content_hash(spec)
    with _step(Step.NAME, text):
        candidate = check_candidate(league, name or spec.name, author, source, spec.params)
    say(f"{candidate.name} by {candidate.author}")
    with temporary_folder() as folder:
        # What the bot may read lies in there; the names in it are no secret.
        folder.chmod(0o755)
        copy = folder / "bot"
        limits = league.config.sandbox.limits
        with _step(Step.FILES, text):
            freeze(spec, folder / "submitted", limits)
        await _build(league, folder / "submitted", copy, text, say)
        with _step(Step.CHECK, text):
            report = await _check(league, copy, candidate, checks, say)
        with _step(Step.MATCHES, text):
            results = await play_qualifiers(
                bot_text("./bot", candidate.params), folder, league.config, league.hidden(()), say
            )
        with _step(Step.ENTER, text):
            entry = enter(league, candidate, copy)
    return Submitted(entry, report, results)


_NOT_FROZEN = {
    BotKind.COMMAND: "a command has no files that can be frozen",
    BotKind.INPROC: "a class inside this program has no files that can be frozen",
    BotKind.SPLIT: "an entrant of two halves is two bots; submit one of them",
}


def _submitted(text: str, base: Path) -> BotSpec:
    spec = parse_bot(text, base)
    if spec.kind not in KINDS:
        raise ConfigError(
            None, None, _NOT_FROZEN.get(spec.kind, "a remote bot has no files that can be frozen")
        )
    return spec


async def _build(
    league: League, submitted: Path, copy: Path, text: str, say: Callable[[str], None]
) -> None:
    """Makes *copy*, the folder that is played, of what was *submitted*, with its build if any."""
    terms = league.config
    spec = parse_bot(f"./{submitted.name}", submitted.parent)

    def take(folder: Path) -> None:
        freeze_built(folder, copy, terms.sandbox.limits)

    with _step(Step.BUILD, text):
        if not spec.build:
            take(submitted)
            return
        limit, command = f"{terms.build_time:g} s", " ".join(spec.build)
        say(f"building it without a network, for at most {limit}: {command}")
        await build_held(spec, terms.sandbox, take, limit=terms.build_time)


async def _check(
    league: League,
    copy: Path,
    candidate: Candidate,
    checks: Sequence[str],
    say: Callable[[str], None],
) -> CheckReport:
    """Returns what came of the check of the bot in *copy*.

    Raises:
        CheckFailedError: if a step failed.
    """
    terms = league.config
    spec = parse_bot(bot_text(f"./{copy.name}", candidate.params), copy.parent)
    steps = len(chosen_steps(checks))
    say(f"checking it in {steps} of the {len(STEPS)} steps of moon bot check")
    stand = StandTerms(terms.clock, terms.sandbox)
    report = await check_bot(
        replace(spec, name=candidate.name), CheckTerms(stand, terms.rules), only=checks
    )
    if not report.ok:
        raise CheckFailedError(report)
    return report


def _shown(step: StepResult) -> list[str]:
    """Returns what there is to read of a failed step; how to repeat it here makes no sense."""
    assert step.failure is not None
    return failure_lines(replace(step.failure, state_file="", command=""), stderr=12)


@contextmanager
def _step(step: Step, text: str) -> Iterator[None]:
    """Has what a bot or its author did wrong in the block refused at *step*."""
    try:
        yield
    except (BotError, ConfigError, EnteredAlreadyError, FreezeError, NotFoundError) as error:
        raise SubmissionRefusedError(step, text, error) from None
