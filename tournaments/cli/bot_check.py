"""`moon bot check`: tries step by step whether a bot does what it must."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from referee.bots.sandbox import Tier, check_tier, close_to_bots
from referee.bots.spec import parse_bot
from referee.bots.terms import ClockTerms
from referee.errors import BotError
from referee.rules import parse_rules
from tournaments.cli.options import (
    DURATION,
    json_option,
    limit_option,
    rules_option,
    sandbox_option,
)
from tournaments.cli.outputs import write_output
from tournaments.cli.signals import run_tidily
from tournaments.cli.terminal import console, print_json
from tournaments.holding import parse_limits, sandbox_of, unkept_lines
from tournaments.kit.check import STEPS, check_bot
from tournaments.kit.results import (
    SCHEMA,
    CheckReport,
    StepResult,
    StepVerdict,
    failure_lines,
    repeated_lines,
)
from tournaments.kit.stand import StandTerms
from tournaments.kit.trial import SEED, CheckTerms

CLOCK = ClockTerms()
WIDTH = max(len(step.title) for step in STEPS) + 3
STDERR = 12
"""How many lines of standard error are shown with each failure; JSON and JUnit have more."""
MARKS = {StepVerdict.PASSED: "ok", StepVerdict.FAILED: "FAIL", StepVerdict.SKIPPED: "skip"}
STYLES = {StepVerdict.PASSED: "green", StepVerdict.FAILED: "bold red", StepVerdict.SKIPPED: "dim"}


def _steps_text() -> str:
    """Returns the steps for the help text, each on a line of its own."""
    width = max(len(step.name) for step in STEPS)
    lines = [f"  {n:2} {step.name:{width}}  {step.title}" for n, step in enumerate(STEPS, 1)]
    return "\n".join(["\b", "Steps, by the NAME that --step takes:", *lines])


@click.command(epilog=_steps_text())
@click.argument("bot")
@click.option(
    "--step", "only", multiple=True, metavar="NAME",
    help="Only this step, of those below, and those that it needs; can be given several times.",
)  # fmt: skip
@rules_option
@click.option("--move-time", type=DURATION, default=f"{CLOCK.move_time:g}s", show_default=True,
              help="For each decision.")  # fmt: skip
@click.option("--startup", type=DURATION, default=f"{CLOCK.startup:g}s", show_default=True,
              help="For the bot to start.")  # fmt: skip
@click.option("--first-move", type=DURATION, default=f"{CLOCK.first_move:g}s", show_default=True,
              help="For the first decision of a process, in which it may warm up.")  # fmt: skip
@sandbox_option
@limit_option
@click.option("--seed", default=SEED, show_default=True, help="Another seed asks other questions.")
@click.option(
    "--states", type=click.Path(file_okay=False), default="moon-states", show_default=True,
    metavar="DIR", help="The folder in which the questions of failures are saved.",
)  # fmt: skip
@click.option("--junit", type=click.Path(dir_okay=False), metavar="FILE",
              help="Write the result there, as JUnit does.")  # fmt: skip
@json_option
def check(
    bot: str,
    only: tuple[str, ...],
    rules: str | None,
    move_time: float,
    startup: float,
    first_move: float,
    sandbox: str | None,
    limits: tuple[str, ...],
    seed: str,
    states: str,
    junit: str | None,
    as_json: bool,
) -> int:
    """Try step by step whether BOT does what it must: exits with 4 if it does not.

    BOT is a folder with a bot.toml, a .py file, cmd:COMMAND or a built-in bot by name. It runs as
    in a league, held and under the clock. A step that fails shows what was asked, what was answered
    and what would have been legal, and how to have just that again.
    """
    spec = parse_bot(bot, Path())
    terms = CheckTerms(
        StandTerms(
            ClockTerms(move_time, None, startup, first_move),
            sandbox_of(sandbox or Tier.BASIC, parse_limits(limits)),
        ),
        None if rules is None else parse_rules(rules),
        seed,
    )
    close_to_bots()
    probe = check_tier(terms.stand.sandbox.tier)
    for line in unkept_lines(probe) if terms.stand.sandbox.tier is not Tier.NONE else ():
        click.echo(f"moon: {line}", err=True)
    teller = None if as_json else _Teller()
    tell = None if teller is None else teller.tell
    report = run_tidily(check_bot(spec, terms, only=only, states=Path(states), tell=tell))
    if teller is None:
        print_json(SCHEMA, report.to_json())
    else:
        teller.end(report)
    if junit is not None:
        write_output(Path(junit), report.to_junit())
    return 0 if report.ok else BotError.exit_code


class _Teller:
    """Writes each step as soon as it is over; several skipped for one reason become one line."""

    def __init__(self) -> None:
        self._screen = console()
        self._skipped: list[StepResult] = []

    def tell(self, step: StepResult) -> None:
        """Takes what came of the next step."""
        is_skipped = step.verdict is StepVerdict.SKIPPED
        if self._skipped and not (is_skipped and step.remark == self._skipped[0].remark):
            self._tell_skipped()
        if is_skipped:
            self._skipped.append(step)
            return
        self._line(step, f"as in step {step.first}" if step.first else step.remark)
        if step.failure is not None and not step.first:
            for text in failure_lines(step.failure, STDERR):
                self._screen.print(Text(f"     {text}"), soft_wrap=True)

    def end(self, report: CheckReport) -> None:
        """Takes that the check is over."""
        if self._skipped:
            self._tell_skipped()
        for line in repeated_lines(report):
            self._screen.print(f"{line}; --step NAME shows it there", soft_wrap=True)
        where = f"{report.bot}, {report.rules}, sandbox {report.sandbox}"
        self._screen.print(f"{where}: {report.summary}", soft_wrap=True)

    def _tell_skipped(self) -> None:
        first, *others = self._skipped
        self._skipped = []
        if not others:
            self._line(first, first.remark)
            return
        text = f"   {len(others) + 1} steps skipped: {first.remark}"
        self._screen.print(Text(text), soft_wrap=True)

    def _line(self, step: StepResult, remark: str) -> None:
        line = Text(f"{step.number:2} {step.title + ' ':.<{WIDTH}} ")
        line.append(f"{MARKS[step.verdict]:4}", STYLES[step.verdict])
        line.append(f" {step.seconds:5.1f} s  {remark}".rstrip())
        self._screen.print(line, soft_wrap=True)
