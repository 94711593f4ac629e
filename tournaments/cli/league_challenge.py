"""`moon league challenge`: entries meet outside of the nights, and nobody's rating changes."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import msgspec

from referee import __version__
from referee.bots.sandbox import check_tier, close_to_bots
from referee.errors import ConfigError
from tournaments.cli.league_options import league_option, open_league
from tournaments.cli.live import Progress
from tournaments.cli.options import (
    heartbeat_option,
    json_option,
    workers_option,
)
from tournaments.cli.run_report import reported
from tournaments.cli.signals import run_tidily
from tournaments.cli.standings import print_standings
from tournaments.config import TournamentConfig, default_workers
from tournaments.entrants import Entrant
from tournaments.league.entries import Entry
from tournaments.league.folder import League
from tournaments.league.office import night_terms
from tournaments.results import TableResult
from tournaments.runner.jobs import job_of, table_jobs
from tournaments.runner.runner import Runner
from tournaments.store import Store


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="ENTRY...")
@click.option("--rounds", type=click.IntRange(1), default=1, show_default=True,
              help="How often everybody meets everybody.")  # fmt: skip
@click.option("--store", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Keep what is played there; else nothing is kept.")  # fmt: skip
@workers_option
@heartbeat_option
@league_option
@json_option
def challenge(
    words: tuple[str, ...],
    rounds: int,
    store: Path | None,
    workers: int | None,
    heartbeat: float,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Let entries meet on the terms of the league, unrated.

    An ENTRY is named by name and version, tall#2, or by its name alone for the newest version; it
    may be one that does not play in nights. Three or more meet in all ways round the table; where
    four sit at a table, each is a pair, and two are enough. The standings shown are those of this
    challenge alone; the league and its ratings stay as they are.
    """
    league = open_league(folder)
    entries = _entries(league, words)
    close_to_bots()
    check_tier(league.config.sandbox.tier)
    if store is not None and store.resolve().is_relative_to(league.folder.resolve()):
        raise ConfigError(
            None, "--store", "lies in the league, of which this is no part; put it elsewhere"
        )
    with tempfile.TemporaryDirectory(prefix="moon-challenge-") as name:
        path = store.absolute() if store is not None else Path(name) / "challenge.sqlite"
        config = _config(league, entries, rounds, path)
        config = replace(config, workers=workers or config.workers)
        with Store.create(path, config, code_version=__version__) as opened:
            run_tidily(_play(opened, config, league, entries, heartbeat))
            print_standings(opened, as_json=as_json)
    if not as_json:
        click.echo("unrated: a challenge changes no rating of the league")
    return 0


def _entries(league: League, words: tuple[str, ...]) -> list[Entry]:
    least = 2 if league.config.rules.players == 4 else 3
    found = list(dict.fromkeys(league.entry(word) for word in words))
    if len(found) < least or len(found) < len(words):
        problem = f"a challenge is between {least} different entries or more"
        raise ConfigError(None, "ENTRY", f"{problem}, got {', '.join(e.id for e in found)}")
    return found


def _config(league: League, entries: list[Entry], rounds: int, path: Path) -> TournamentConfig:
    size = 2 if league.config.rules.players == 4 else 1
    entrants = tuple(Entrant(e.id, (league.bot(e),) * size, (e.content,) * size) for e in entries)
    terms = night_terms(league, "challenge").seeded(secrets.token_hex(32))
    return replace(
        terms, entrants=entrants, rounds=rounds, store=path, night=None, workers=default_workers()
    )


async def _play(
    store: Store,
    config: TournamentConfig,
    league: League,
    entries: list[Entry],
    heartbeat: float,
) -> None:
    schedule = store.run.schedule()
    jobs = table_jobs(schedule.tables, schedule, store.run.seed, {})
    hidden = (*map(str, config.hidden), *map(str, league.hidden(entries)))
    job = msgspec.structs.replace(job_of(config), hidden=hidden)
    progress = Progress(store, config, heartbeat)

    def keep(results: Sequence[TableResult]) -> None:
        store.add_results(results)
        progress.add(results)

    runner = Runner(job, jobs, workers=config.workers, on_results=keep, say=progress.say)
    with reported(store, runner.report, progress.say), progress:
        beating = asyncio.create_task(progress.beat())
        try:
            await runner.run()
        finally:
            beating.cancel()
