"""`moon tournament run`: plays what is missing of a tournament."""

from __future__ import annotations

import asyncio
import os
import platform
import secrets
import signal
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import click

from referee import __version__
from referee.bots.build import build_bots
from referee.bots.contents import content_hash
from referee.bots.sandbox import Tier, check_tier, close_to_bots
from referee.errors import ConfigError, StoreError
from referee.text import counted
from tournaments.cli.live import Progress
from tournaments.cli.options import (
    DURATION,
    DURATION_OR_NONE,
    format_option,
    heartbeat_option,
    json_option,
    limit_option,
    ponder_option,
    rule_option,
    rules_option,
    sandbox_option,
    workers_option,
)
from tournaments.cli.remote_bots import look_at_remotes, remote_options
from tournaments.cli.run_report import note_sandbox, reported, warn_of_crowding
from tournaments.cli.signals import INTERRUPTED, heeding
from tournaments.cli.standings import print_standings
from tournaments.cli.terminal import print_json
from tournaments.config import TournamentConfig, load_config, parse_config
from tournaments.holding import held_text, parse_limits, unkept_lines
from tournaments.results import TableResult
from tournaments.round_trips import ROUND_TRIP, RoundTrip
from tournaments.runner.flight import MOST
from tournaments.runner.jobs import job_of, table_jobs
from tournaments.runner.runner import Runner
from tournaments.schedule import Schedule
from tournaments.sealing import seal as seal_run
from tournaments.store import Store
from tournaments.store.files import is_ours

VOID_TABLES = 1


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="FILE.toml | BOT...")
@click.option("--store", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where the run is kept; by default beside the file.")  # fmt: skip
@workers_option
@click.option("--tables-in-flight", type=click.IntRange(1), metavar="N",
              help="Tables a worker plays at a time; else found out from the bots.")  # fmt: skip
@click.option("--max-batch", type=click.IntRange(1), metavar="N",
              help="Decisions that are out to one bot process at most.")  # fmt: skip
@rules_option
@rule_option
@click.option("--seed", help="Any text; leave it out for a random one that nobody can guess.")
@format_option
@click.option("--rounds", type=click.IntRange(1), help="How often everybody meets everybody.")
@click.option("--deals", type=click.IntRange(1), help="Deals of a match; else to the target.")
@click.option("--move-time", type=DURATION, help="For each decision.")
@sandbox_option
@limit_option
@ponder_option
@click.option("--network", type=DURATION_OR_NONE,
              help="What an answer of a remote bot may be late for the way.")  # fmt: skip
@remote_options
@heartbeat_option
@click.option("--accept-changes", is_flag=True,
              help="Continue although the file, a bot or moon itself has changed.")  # fmt: skip
@click.option("--seal", is_flag=True,
              help="Print a commitment to the seed, to publish, and play nothing.")  # fmt: skip
@click.option("--events", is_flag=True,
              help="Write a line of JSON for each table once it is stored.")  # fmt: skip
@json_option
def run(
    what: tuple[str, ...],
    store: Path | None,
    workers: int | None,
    tables_in_flight: int | None,
    max_batch: int | None,
    rules: str | None,
    changes: tuple[str, ...],
    seed: str | None,
    form: str | None,
    rounds: int | None,
    deals: int | None,
    move_time: float | None,
    sandbox: str | None,
    limits: tuple[str, ...],
    ponder: bool,
    network: float | None,
    tls: str | None,
    dial_in: str | None,
    heartbeat: float,
    accept_changes: bool,
    seal: bool,
    events: bool,
    as_json: bool,
) -> int:
    """Play a tournament: everybody meets everybody, in every seat.

    WHAT is a tournament file, or the bots themselves. A run is kept in one file. Run the same
    again and it continues where it stopped; when everything is played it only shows the standings.
    Ctrl-C once finishes the tables in play, twice ends at once; both keep what is finished.
    """
    times = {"move_time": move_time, "network": network}
    wishes: dict[str, object] = {
        "rules": rules,
        "seed": seed,
        "format": form,
        "rounds": rounds,
        "deals": deals,
        "workers": workers,
        "tables_in_flight": tables_in_flight,
        "max_batch": max_batch,
        "clock": {key: value for key, value in times.items() if value is not None} or None,
        "sandbox": sandbox,
        "limits": parse_limits(limits) or None,
        "ponder": ponder or None,
        "store": _absolute(store),
        "tls": _absolute(tls),
        "dial_in": _absolute(dial_in),
    }
    given = {key: value for key, value in wishes.items() if value is not None}
    config = _config(what, given, changes)
    config.check_rankable()
    close_to_bots()
    probe = check_tier(config.sandbox.tier)
    for line in unkept_lines(probe) if config.sandbox.tier is not Tier.NONE else ():
        _complain(line)
    bots = (bot for entrant in config.entrants for bot in entrant.bots)
    asyncio.run(build_bots(bots, config.sandbox.tier, _complain))
    config = config.described(lambda bot: content_hash(bot, is_ours))
    # A run that cannot begin leaves no store; one that is complete needs nobody.
    trips = None if config.store.exists() else _look_at_remotes(config)
    with _open(config, accept_changes=accept_changes) as opened:
        if seal:
            _print_seal(opened, seal_run(opened), as_json=as_json)
            return 0
        note_sandbox(opened, config, probe)
        progress = Progress(opened, config, heartbeat, events=events)
        code = _play(opened, config, progress, trips)
        if as_json or (opened.counts().played > 0 and not events):
            print_standings(opened, as_json=as_json)
    return code


def _print_seal(store: Store, commitment: str, *, as_json: bool) -> None:
    if as_json:
        print_json(
            "moon.tournament.run.seal/1", {"store": str(store.path), "commitment": commitment}
        )
    else:
        click.echo(commitment)


def _complain(text: str) -> None:
    """Writes a line that is no result."""
    click.echo(f"moon: {text}", err=True)


def _absolute(path: str | Path | None) -> str | None:
    """Returns *path* of the command line as it can be read anywhere."""
    return None if path is None else str(Path(path).absolute())


def _config(
    what: Sequence[str], wishes: dict[str, object], changes: Sequence[str]
) -> TournamentConfig:
    """Returns the tournament that the command line means."""
    files = [word for word in what if word.endswith(".toml")]
    if not files:
        return parse_config({"bots": list(what), **wishes}, changes=changes)
    if len(what) > 1:
        raise ConfigError(None, None, "give one tournament file, or bots, not both")
    return load_config(files[0], wishes, changes)


def _open(config: TournamentConfig, *, accept_changes: bool) -> Store:
    """Returns the store of the run, new or as it was left."""
    path = config.store
    if not path.exists():
        host = {
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()}",
            "cores": len(os.sched_getaffinity(0)),
        }
        drawn = config.seeded(secrets.token_hex(32))
        return Store.create(path, drawn, code_version=__version__, host=host)
    store = Store.open(path, readonly=False)
    try:
        if not accept_changes:
            _check_unchanged(store, config)
        store.accept(config, __version__)
    except BaseException:
        store.close()
        raise
    return store


def _check_unchanged(store: Store, config: TournamentConfig) -> None:
    """Refuses to continue the run as *config*, unless it is the same."""
    changes = store.changes(config, __version__)
    if changes and not store.is_longer(config, __version__):
        way_out = f"use --store {_free_name(store.path)} for a new run"
        if not store.obstacles(config):
            way_out += ", or --accept-changes to continue this one all the same"
        listed = "".join(f"\n  {line}" for line in changes)
        problem = "is a run of something else, so it cannot be continued:"
        raise ConfigError(store.path, None, f"{problem}{listed}\n{way_out}")


def _free_name(path: Path) -> Path:
    """Returns a name for another store beside *path*."""
    numbers = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return next(other for other in numbers if not other.exists())


def _play(
    store: Store, config: TournamentConfig, progress: Progress, trips: list[RoundTrip] | None
) -> int:
    """Plays what is missing; returns the exit code.

    Raises:
        StoreError: if there is no room to begin tables; what was in play is stored first.
    """
    schedule = store.run.schedule()
    pending = table_jobs(store.pending(schedule), schedule, store.run.seed, store.void_attempts())
    if not pending:
        progress.say(f"{store.path}: all {len(schedule.tables)} tables are played")
        return 0
    job = job_of(config)
    progress.say(held_text(config.sandbox, freezes=job.freezes))
    progress.say(_run_text(store, config, schedule, len(pending)))
    progress.say(_flight_text(config))

    if shortage := store.shortage():
        raise StoreError(shortage)
    warn_of_crowding(store, config.workers, progress.say)

    shortages: list[str] = []

    def keep(results: Sequence[TableResult]) -> None:
        store.add_results(results)
        progress.add(results)
        if not shortages and (shortage := store.shortage()):
            shortages.append(shortage)
            runner.drain()

    _note_trips(store, _look_at_remotes(config) if trips is None else trips, progress.say)
    runner = Runner(job, pending, workers=config.workers, on_results=keep, say=progress.say)
    with reported(store, runner.report, progress.say), progress:
        stopped_by = asyncio.run(_run(runner, progress))
    report = runner.report
    if shortages and report.stopped:
        raise StoreError(shortages[0])
    if stopped_by is not None:
        return INTERRUPTED[stopped_by]
    return VOID_TABLES if report.void else 0


def _run_text(store: Store, config: TournamentConfig, schedule: Schedule, pending: int) -> str:
    """Returns what is played in one line, and how far it is."""
    tables = len(schedule.tables)
    return (
        f"{store.run.name}: {counted(len(schedule.entrants), 'entrant')}, "
        f"{counted(tables, 'table')}, {tables - pending} played; "
        f"{counted(config.workers, 'worker')}; "
        f"store {store.path}"
    )


def _flight_text(config: TournamentConfig) -> str:
    """Returns how many tables are played at the same time, and how many decisions travel."""
    fixed = config.tables_in_flight
    tables = f"up to {MOST}" if fixed is None else str(fixed)
    return (
        f"tables at a time in each worker: {tables}; decisions in a message: at most "
        f"{config.max_batch}, or what a bot takes"
    )


def _note_trips(store: Store, trips: Sequence[RoundTrip], say: Callable[[str], None]) -> None:
    for trip in trips:
        store.note(ROUND_TRIP, str(trip))
        say(f"{ROUND_TRIP} to {trip}")


def _look_at_remotes(config: TournamentConfig) -> list[RoundTrip]:
    """Looks who the remote bots are, and returns how far away each of them is."""
    specs = {str(entrant.name): entrant.bots for entrant in config.entrants}
    clock = config.clock

    look = look_at_remotes(specs, config.remote, clock.startup, clock.network, _complain)
    return asyncio.run(look)


async def _run(runner: Runner, progress: Progress) -> signal.Signals | None:
    """Runs to the end; the first signal drains, the second aborts. Returns what has stopped it."""
    seen: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        seen.append(number)
        if len(seen) == 1:
            count = runner.in_play
            tables = f"{counted(count, 'table')} in play"
            progress.say(
                f"finishing {tables}; once more to end at once"
                if count
                else "nothing is in play; stopping"
            )
            runner.drain()
        else:
            runner.abort()

    beating = asyncio.create_task(progress.beat())
    try:
        with heeding(stop):
            report = await runner.run()
    finally:
        beating.cancel()
    return seen[0] if seen and report.stopped else None
