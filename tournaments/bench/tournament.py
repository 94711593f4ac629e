"""Tables a second of a whole tournament: workers, bots, and a store that survives a power cut."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee import __version__
from tournaments.config import parse_config
from tournaments.results import TableResult
from tournaments.runner.jobs import job_of, table_jobs
from tournaments.runner.runner import Runner
from tournaments.store import Store

BOTS = ("first_legal", "random", "greedy")
"""The cheapest bots that come with the program: the figure is what the league office costs."""
LANES = 3
"""Tables of a block: each has bots of its own, which are started when it is their turn."""
ROUNDS = 5_000
"""More than any machine plays in the time."""


async def tournament_rate(
    seconds: float, folder: Path, changes: Mapping[str, object] | None = None
) -> float:
    """Returns the tables a second that are played and stored.

    Args:
        seconds: How long to play, once the bots of every lane have stored a table.
        folder: Where the store of it may lie.
        changes: Keys of the tournament file that are other than usual.
    """
    file = f"{folder}/bench.sqlite"
    usual = {"bots": list(BOTS), "rounds": ROUNDS, "seed": "bench", "store": file}
    config = parse_config({**usual, **(changes or {})})
    moments: list[tuple[float, int]] = []
    lanes: set[int] = set()

    def keep(results: Sequence[TableResult]) -> None:
        store.add_results(results)
        lanes.update(result.lane for result in results)
        now, stored = time.perf_counter(), len(results)
        if len(lanes) < LANES:
            return
        if not moments:
            moments.append((now, 0))
        elif moments[-1][0] - moments[0][0] < seconds:
            moments.append((now, moments[-1][1] + stored))
        else:
            runner.drain()

    with Store.create(config.store, config, code_version=__version__) as store:
        schedule = config.schedule()
        tables = table_jobs(schedule.tables, schedule, store.run.seed, {})
        runner = Runner(job_of(config), tables, workers=config.workers, on_results=keep)
        await runner.run()
    (first, before), (last, after) = moments[0], moments[-1]
    return (after - before) / (last - first)
