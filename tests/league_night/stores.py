"""Stores played without processes: the same referee and bots, in a moment."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.inprocess import FOLDER, play
from tournaments.config import TournamentConfig, parse_config
from tournaments.runner.jobs import job_of, table_jobs
from tournaments.store import Store

SEED = "d3b07384d113edec49eaa6238ad5ff00"
BOTS = ["inproc:dice:Dice", "inproc:tall:Tall", "inproc:meek:Meek"]


def config(path: Path, **more: object) -> TournamentConfig:
    data = {"bots": BOTS, "seed": SEED, "deals": 2, "rounds": 4, "store": str(path), **more}
    return parse_config(data, path=FOLDER / "night.toml").described(lambda bot: bot.source)


def store_of(config: TournamentConfig) -> Store:
    """Returns a new store of *config*, open for writing, in which nothing is played."""
    return Store.create(config.store, config, code_version="1")


def play_pending(store: Store, config: TournamentConfig) -> None:
    schedule = store.run.schedule()
    job = job_of(config)
    for table in table_jobs(store.pending(schedule), schedule, store.run.seed, {}):
        store.add_results([play(job, table)])
