"""A league without a folder: who plays is what a test says, bots are asked inside the workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from referee.bots.spec import unnamed
from tests.e2e.inprocess import FOLDER, play
from tests.league_night.stores import SEED
from tournaments.config import TournamentConfig, parse_config
from tournaments.results import FaultRow, TableResult
from tournaments.runner.jobs import Job, TableJob
from tournaments.runner.report import RunReport
from tournaments.runner.runner import Runner
from tournaments.schedule import EntrantId
from tournaments.schedule.nights import Pair, Stage
from tournaments.store import Store

Field = tuple[tuple[EntrantId, ...], frozenset[Pair]]


def bot_of(name: str) -> str:
    """Returns the bot that plays under *name*: the one that it begins with."""
    kind = "tall" if name.startswith("house") else name.rstrip("0123456789")
    return f"inproc:{kind}:{kind.title()}"


class TestOffice:
    """What a test says of a league.

    Attributes:
        names: Who plays, each by a name of `bot_of`.
        apart: Every two who may not meet, as ``a|b``.
        suspended: Whom a night has suspended, with how many faults it had.
    """

    __test__ = False

    def __init__(self, path: Path, *names: str, apart: Sequence[str] = ()) -> None:
        self.path = path
        self.names = list(names)
        self.apart = list(apart)
        self.suspended: dict[EntrantId, int] = {}
        self.suspend_after = 0
        self.more: dict[str, object] = {}

    def field(self) -> Field:
        pairs = frozenset(frozenset(map(EntrantId, pair.split("|"))) for pair in self.apart)
        return tuple(map(EntrantId, self.names)), pairs

    def config(self, store: Store, stages: tuple[Stage, ...]) -> TournamentConfig:
        del store
        names = dict.fromkeys(who for stage in stages for who in (*stage.field, *stage.house))
        return self.made(stages, tuple(names))

    def made(self, stages: tuple[Stage, ...], names: Sequence[str] = ()) -> TournamentConfig:
        """Returns the terms of a night in which *names* play."""
        data = {
            # A file has to name bots; a night before its first round has none.
            "bots": [f"{name}={bot_of(name)}" for name in names] or ["first_legal"] * 3,
            "seed": SEED,
            "deals": 1,
            "store": str(self.path),
            "name": "night 1",
            **self.more,
        }
        config = parse_config(data, path=FOLDER / "night.toml").described(lambda bot: bot.source)
        return replace(config, entrants=config.entrants if names else (), night=stages)

    def check(self, name: EntrantId) -> None:
        del name

    def hidden(self, names: Sequence[EntrantId]) -> tuple[str, ...]:
        del names
        return ()

    def suspensions(self, night: str) -> dict[EntrantId, int]:
        del night
        return self.suspended

    def suspend(self, name: EntrantId, night: str, faults: int) -> None:
        del night
        if name in self.names:
            self.names.remove(name)
            self.suspended[name] = faults


class HereRunner(Runner):
    """Plays one table after the other in this process; else it is what a runner is."""

    def __init__(self, job: Job, tables: Iterable[TableJob], **settings: Any) -> None:
        super().__init__(job, tables, **settings)
        self._settings = settings
        self._aborts = False

    async def run(self) -> RunReport:
        todo, more, keep = self._todo, self._settings["more"], self._settings["on_results"]
        texts = {name: self.texts(name, bots) for name, bots in self.job.entrants.items()}
        job = msgspec.structs.replace(self.job, entrants=texts)
        while todo and not self._aborts:
            keep([play(job, todo.popleft())])
            if not todo:
                todo.extend(more())
        return self.report

    def texts(self, name: str, bots: Sequence[str]) -> tuple[str, ...]:
        """Returns the bots that play under *name*."""
        del name
        return tuple(map(unnamed, bots))

    def abort(self) -> None:
        self._aborts = True


class NamedRunner(HereRunner):
    """Plays entries of a league, which are files, by the bots that their names begin with."""

    def texts(self, name: str, bots: Sequence[str]) -> tuple[str, ...]:
        return (bot_of(name.partition("#")[0]),) * len(bots)


class Blaming(NamedRunner):
    """Finds a fault with dice2 at each of its tables."""

    def __init__(self, job: Job, tables: Iterable[TableJob], **settings: Any) -> None:
        keep = settings["on_results"]

        def blame(results: Sequence[TableResult]) -> None:
            [result] = results
            for seat, who in enumerate(result.seats):
                if who.partition("#")[0] == "dice2":
                    fault = FaultRow(seat, who, "timeout", 0, 1, substitute="pass")
                    result = replace(result, faults=(fault,))
            keep([result])

        super().__init__(job, tables, **settings | {"on_results": blame})
