"""`moon play`: one match."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click

from referee.bots.build import build_bots
from referee.bots.names import entrant_names
from referee.bots.sandbox import Tier, check_tier, close_to_bots
from referee.bots.spec import is_inside, parse_bot
from referee.bots.terms import NETWORK, CallStyle, ClockTerms, RemoteTerms
from referee.errors import BotError, ConfigError, MoonError
from referee.match import FaultMark, FinishedDeal, MatchRecord, TableTerms, load_matches
from referee.match.matches import DEFAULT_MAX_DEALS
from referee.rules import (
    DEFAULT_PRESETS,
    Rules,
    change_rules,
    parse_rules,
    rules_text,
    seed_key,
)
from tournaments.cli.debugging import debug_clock
from tournaments.cli.match_progress import MatchProgress
from tournaments.cli.options import (
    DURATION,
    DURATION_OR_NONE,
    json_option,
    limit_option,
    ponder_option,
    rule_option,
    rules_option,
    sandbox_option,
)
from tournaments.cli.outputs import unwritable, write_output
from tournaments.cli.play_words import next_steps, unheld_lines, usual_lines
from tournaments.cli.remote_bots import look_at_remotes, remote_options
from tournaments.cli.signals import run_tidily
from tournaments.cli.terminal import console, print_json
from tournaments.holding import parse_limits, sandbox_of, unkept_lines
from tournaments.kit.debugger import Debugger
from tournaments.measured import Measured
from tournaments.reports.drawing import coloured, draw_deal
from tournaments.reports.host_report import host_document, odd_lines
from tournaments.reports.marks import mark_lines
from tournaments.reports.match_report import (
    ending_line,
    fault_texts,
    match_table,
    result_document,
    winner_line,
)
from tournaments.results import TableResult
from tournaments.round_trips import ROUND_TRIP, RoundTrip
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Done, Job, TableJob
from tournaments.runner.runner import MAX_ATTEMPTS
from tournaments.timing import OverheadTimes, read_times
from tournaments.toml_reader import MOST

CLOCK = ClockTerms()


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for."""

    texts: tuple[str, ...]
    rules: Rules
    seed: str
    job: Job
    seats: tuple[str, ...]
    """By seat: the name of its bot."""
    debugger: Debugger | None = None
    """What shows every question and answer, where that is wanted."""


@click.command()
@click.argument("bots", nargs=-1, required=True)
@click.option("--seed", help="Any text; the same seed deals the same tiles.")
@rules_option
@rule_option
@click.option(
    "--deals", type=click.IntRange(1, MOST), help="Play so many deals, not to the target."
)
@click.option(
    "--max-deals", type=click.IntRange(1, MOST), default=DEFAULT_MAX_DEALS, show_default=True,
    help="End a match to the target after so many deals.",
)  # fmt: skip
@click.option("--move-time", type=DURATION, default=f"{CLOCK.move_time:g}s", show_default=True,
              help="For each decision.")  # fmt: skip
@click.option("--bank", type=DURATION_OR_NONE, default="0s", show_default=True,
              help="On top of that, for the whole match.")  # fmt: skip
@click.option("--startup", type=DURATION, default=f"{CLOCK.startup:g}s", show_default=True,
              help="For a bot to start.")  # fmt: skip
@click.option("--first-move", type=DURATION, default=f"{CLOCK.first_move:g}s", show_default=True,
              help="For the first decision of a bot, in which it may warm up.")  # fmt: skip
@click.option(
    "--strikes", type=click.IntRange(0), default=TableTerms().strikes, show_default=True,
    help="Faults that get a substitute; one more forfeits.",
)  # fmt: skip
@click.option(
    "--call", type=click.Choice([style.value for style in CallStyle]), default="auto",
    show_default=True, help="How decisions are put to the bots.",
)  # fmt: skip
@sandbox_option
@limit_option
@ponder_option
@click.option("--network", type=DURATION_OR_NONE, default=f"{NETWORK:g}s", show_default=True,
              help="What an answer of a remote bot may be late for the way.")  # fmt: skip
@remote_options
@click.option("--ask-forced", is_flag=True, help="Ask for choices with one legal answer too.")
@click.option(
    "--debug", is_flag=True,
    help="No clocks; every question, every answer and what bots write to standard error is shown.",
)  # fmt: skip
@click.option("--watch", is_flag=True, help="Draw every deal when it has ended.")
@click.option(
    "--record", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write the record there, as JSON lines.",
)  # fmt: skip
@click.option(
    "--details", is_flag=True, help="Show the clock, the sandbox and the host's times too."
)
@click.option("--strict", is_flag=True, help="Exit with 4 if any bot was at fault.")
@json_option
def play(
    bots: tuple[str, ...],
    seed: str | None,
    rules: str | None,
    changes: tuple[str, ...],
    deals: int | None,
    max_deals: int,
    move_time: float,
    bank: float,
    startup: float,
    first_move: float,
    strikes: int,
    call: str,
    sandbox: str | None,
    limits: tuple[str, ...],
    ponder: bool,
    network: float,
    tls: str | None,
    dial_in: str | None,
    ask_forced: bool,
    debug: bool,
    watch: bool,
    record: str | None,
    details: bool,
    strict: bool,
    as_json: bool,
) -> int:
    """Play one match between BOTS and show who won.

    Three bots play each for himself. Four play in two pairs, seats 0 and 2 against 1 and 3; two
    bots are two pairs, each bot on both seats of its pair.

    A bot is a built-in one by name (first_legal, random, greedy, counter, sampler), a folder with a
    bot.toml, a .py file, cmd:COMMAND, grpc://HOST:PORT, dial:NAME or inproc:MODULE:CLASS, with
    parameters like counter?risk=0.3, and a name in front if you like: mine=./bot.py. Two bots with
    a slash between spaces are one: 'counter / greedy' bids as counter and plays as greedy.
    """
    chosen = _rules(bots, rules, changes)
    names = entrant_names([[parse_bot(bot, Path())] for bot in bots])
    clock = ClockTerms(move_time, bank or None, startup, first_move, network=network)
    job = Job(
        rules=rules_text(chosen),
        entrants={name: (text,) for name, text in zip(names, bots, strict=True)},
        base=str(Path().absolute()),
        deals=deals,
        max_deals=max_deals,
        clock=debug_clock(clock) if debug else clock,
        table=TableTerms(strikes, ask_forced),
        call=CallStyle(call),
        tables_in_flight=1,
        sandbox=sandbox_of(sandbox or Tier.BASIC, parse_limits(limits)),
        ponder=ponder or debug,
        remote=RemoteTerms(tls, dial_in),
    )
    seats = names * 2 if len(names) == 2 else names
    inside = [name for name, text in zip(names, bots, strict=True) if is_inside(text)]
    remote = [
        name for name, text in zip(names, bots, strict=True) if parse_bot(text, Path()).is_remote
    ]
    is_held = job.sandbox.tier is not Tier.NONE
    if seed == "":
        raise ConfigError(None, "--seed", "is empty; leave it out for a random one")
    texts = dict(zip(names, bots, strict=True))
    debugger = Debugger(seats, texts, partial(click.echo, err=True)) if debug else None
    wish = Wish(bots, chosen, seed or secrets.token_hex(16), job, seats, debugger)
    if watch and as_json:
        raise ConfigError(None, "--watch", "draws deals, and --json writes one document: take one")
    if record is not None:
        _check_writable(Path(record))
    close_to_bots()
    probe = check_tier(job.sandbox.tier)
    for line in unkept_lines(probe) if is_held else ():
        click.echo(f"moon: {line}", err=True)
    shows = _Drawer(wish.seats) if watch else None if debug else MatchProgress(deals)
    since = time.monotonic()
    result, measured, trips = run_tidily(_play(wish, shows))
    played = time.monotonic() - since
    overhead = OverheadTimes.of([read_times(result.timings)])
    [match] = load_matches(result.record.splitlines())
    unwritten = None
    try:
        if record is not None:
            write_output(Path(record), result.record)
    except ConfigError as error:
        unwritten, record = error, None
    if as_json:
        head = {
            "seed": wish.seed,
            "rated": is_held and not inside and not debug,
            "sandbox": probe.to_json(),
        }
        document = result_document(result, match)
        document |= {"record": record, "host": host_document(overhead, measured)}
        document["round_trips"] = [trip.document() for trip in trips]
        print_json("moon.play/1", {**head, **document})
    else:
        print_result(result, match)
        told = usual_lines(job, remote, overhead, measured, is_debug=debug) if details else []
        seen: dict[str, str] = {fault.entrant: texts[fault.entrant] for fault in result.faults}
        for line in (
            *next_steps(seen, result.faults, "" if debug else wish.seed),
            *(told or unheld_lines(remote)),
            *mark_lines(inside, [], is_held=is_held),
            *odd_lines(measured, played),
        ):
            console().print(line, soft_wrap=True)
        for trip in trips:
            console().print(f"{ROUND_TRIP} to {trip}", soft_wrap=True)
        kept = f"record {record}" if record else "no record kept (--record FILE keeps one)"
        console().print(f"seed {wish.seed}; {kept}", soft_wrap=True)
    if unwritten is not None:
        raise unwritten
    return BotError.exit_code if strict and result.faults else 0


def _rules(bots: Sequence[str], name: str | None, changes: tuple[str, ...]) -> Rules:
    if not 2 <= len(bots) <= 4:
        raise ConfigError(None, "BOTS", f"a match has 3 or 4 bots, or 2 as pairs; got {len(bots)}")
    players = 3 if len(bots) == 3 else 4
    rules = change_rules(parse_rules(name or DEFAULT_PRESETS[players]), changes)
    if rules.players != players:
        wanted = "three bots" if rules.players == 3 else "four bots, or two for two pairs"
        raise ConfigError(None, "--rules", f"{rules_text(rules)} is for {wanted}; got {len(bots)}")
    return rules


def _check_writable(path: Path) -> None:
    """Refuses a file that cannot be written before anything is played for it; leaves no trace."""
    try:
        is_new = not path.exists()
        with path.open("a", encoding="utf-8"):
            pass
        if is_new:
            path.unlink()
    except OSError as error:
        raise unwritable(path, error) from None


class _Drawer:
    """Draws each deal when it has ended.

    Attributes:
        error: What went wrong in drawing: no fault of the table, though it ends it.
    """

    def __init__(self, seats: Sequence[str]) -> None:
        self.error: OSError | None = None
        self._seats = seats
        self._legend = True

    def __call__(self, finished: FinishedDeal, faults: Sequence[FaultMark]) -> None:
        drawn = draw_deal(finished, self._seats, faults=faults, legend=self._legend, paint=coloured)
        self._legend = False
        try:
            click.echo(drawn + "\n")
        except OSError as error:
            self.error = error
            raise


Shows: TypeAlias = _Drawer | MatchProgress
"""What is told of every deal that has ended."""


class VoidMatchError(MoonError):
    """A match that was begun again and again, and never came to its end for a fault of ours."""


async def _play(wish: Wish, watch: Shows | None) -> tuple[TableResult, Measured, list[RoundTrip]]:
    job, specs = wish.job, wish.job.specs()
    clock = job.clock
    say = console(stderr=True).print
    bots = (spec for each in specs.values() for spec in each)
    await build_bots(bots, job.sandbox.tier, lambda text: say(f"moon: {text}"))
    trips = await look_at_remotes(specs, job.remote, clock.startup, clock.network, say)
    debugger = wish.debugger
    async with AsyncExitStack() as stack:
        started = None
        if debugger is not None:
            started = (await stack.enter_async_context(debugger)).started
        arena = await stack.enter_async_context(Arena(job, started))
        await arena.start_all()
        if isinstance(watch, MatchProgress):
            await stack.enter_async_context(watch)
        outcome = await _result(arena, wish, watch, say)
        measured = arena.measured
    return outcome.result, measured, trips


async def _result(
    arena: Arena, wish: Wish, watch: Shows | None, say: Callable[[str], None]
) -> Done:
    """Returns what becomes of the match, which is played again if it is void."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        table = TableJob(0, 0, 0, wish.seats, seed_key(wish.seed).hex(), attempt)
        outcome = await arena.result(table, watch, wish.debugger)
        if watch is not None and watch.error is not None:
            raise watch.error
        if not outcome.problem:
            return outcome
        say(f"moon: the match is void, and no bot is to blame: {outcome.problem}")
    raise VoidMatchError(f"the match was void {MAX_ATTEMPTS} times; no result")


def print_result(result: TableResult, match: MatchRecord) -> None:
    """Writes the result of a match, and its faults, to standard output."""
    screen = console()
    screen.print(match_table(result, match))
    screen.print()
    for line in (
        winner_line(result, match),
        ending_line(result, match),
        *fault_texts(("", fault) for fault in result.faults),
    ):
        screen.print(line, soft_wrap=True)
