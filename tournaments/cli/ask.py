"""`moon ask`: one question to one bot, from a state that was saved."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import click

from referee.bots.build import build_bots
from referee.bots.sandbox import Tier, check_tier, close_to_bots
from referee.bots.spec import parse_bot
from referee.bots.terms import NETWORK, ClockTerms, RemoteTerms
from referee.errors import BotError
from referee.wire.states import StoredQuestion
from tournaments.cli.options import DURATION, json_option, limit_option, sandbox_option
from tournaments.cli.remote_bots import remote_options
from tournaments.cli.signals import run_tidily
from tournaments.cli.terminal import console, print_json
from tournaments.holding import parse_limits, sandbox_of
from tournaments.kit.asking import Asked, ask_bot
from tournaments.kit.stand import StandTerms
from tournaments.kit.states import LARGEST, describe, load_state, parse_state

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])
CLOCK = ClockTerms()
STDIN = "-"


def asking_options(command: FunctionT) -> FunctionT:
    """Adds the options that say under what one question is asked."""
    options = (
        click.option("--move-time", type=DURATION, help="For the answer; as the state says if "
                     "nothing is said, and at least what the first answer of a process may take."),
        click.option("--startup", type=DURATION, default=f"{CLOCK.startup:g}s", show_default=True,
                     help="For the bot to start."),
        sandbox_option,
        limit_option,
        remote_options,
        json_option,
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.argument("bot")
@click.option("--state", required=True, metavar="FILE", help="What to ask; - is standard input.")
@asking_options
def ask(
    bot: str,
    state: str,
    move_time: float | None,
    startup: float,
    sandbox: str | None,
    limits: tuple[str, ...],
    tls: str | None,
    dial_in: str | None,
    as_json: bool,
) -> int:
    """Put one question to BOT, byte for byte as it was saved, and show answer and time.

    States are saved by `moon bot check` and `moon play --debug`, and made from records by
    `moon replay ask`. Exits with 4 if the answer is not a legal one in time.
    """
    question = (
        parse_state(sys.stdin.buffer.read(LARGEST + 1), "standard input")
        if state == STDIN
        else load_state(Path(state))
    )
    terms = stand_terms(question, move_time, startup, sandbox, limits, RemoteTerms(tls, dial_in))
    return show_answer(put(bot, question, terms), (), as_json=as_json)


def stand_terms(
    question: StoredQuestion,
    move_time: float | None,
    startup: float,
    sandbox: str | None,
    limits: tuple[str, ...],
    remote: RemoteTerms,
) -> StandTerms:
    """Returns under what *question* is put to a bot that was just started."""
    allowed = move_time or question.move_time
    first = move_time or max(question.move_time, CLOCK.first_move)
    clock = ClockTerms(allowed, None, startup, first, network=NETWORK)
    return StandTerms(clock, sandbox_of(sandbox or Tier.BASIC, parse_limits(limits)), remote)


def put(bot: str, question: StoredQuestion, terms: StandTerms) -> Asked:
    """Returns what *bot*, as it was named on the command line, answers to *question*."""
    spec = parse_bot(bot, Path())
    close_to_bots()
    tier = terms.sandbox.tier
    check_tier(tier)

    async def build_and_ask() -> Asked:
        await build_bots([spec], tier, lambda text: click.echo(f"moon: {text}", err=True))
        return await ask_bot(spec, question, terms)

    return run_tidily(build_and_ask())


def show_answer(asked: Asked, notes: Iterable[str], *, as_json: bool) -> int:
    """Writes what was *asked* and answered, with *notes* below, and returns the exit code."""
    notes = tuple(notes)
    if as_json:
        print_json("moon.ask/1", {**asked.to_json(), "notes": list(notes)})
    else:
        for line in (*describe(asked.question.view), *_answer_lines(asked), *notes):
            console().print(line, soft_wrap=True)
    return BotError.exit_code if asked.fault else 0


def _answer_lines(asked: Asked) -> list[str]:
    legal = ", ".join(map(str, asked.question.decision.legal))
    answer = json.dumps(asked.answer) if asked.answer else "nothing"
    lines = [f"legal     {legal}", f"answered  {answer}"]
    outcome = asked.choice
    if (fault := asked.fault) is not None:
        outcome = f"{fault.kind}: {fault.detail}"
        if tail := fault.stderr_tail.strip():
            lines += ["the last it wrote to standard error:", *tail.splitlines()]
    return [*lines, f"{asked.bot}: {outcome} ({1000 * asked.seconds:.1f} ms)"]
