"""What the runner and its workers say to each other: JSON, one message a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import msgspec

from referee.bots.cpu import CpuUse
from referee.bots.sandbox.tiers import Sandbox
from referee.bots.spec import BotSpec, parse_bot
from referee.bots.terms import (
    MAX_BATCH,
    NETWORK,
    CallStyle,
    ClockTerms,
    RemoteTerms,
    freezes_idle_bots,
)
from referee.match import TableTerms, Terms
from referee.match.matches import DEFAULT_MAX_DEALS
from referee.rules import derive_key, parse_rules, rules_text, seed_key
from tournaments.config import TournamentConfig
from tournaments.results import TableResult
from tournaments.schedule import Schedule, Table


class Job(msgspec.Struct, frozen=True, tag=True):
    """All that tables have in common."""

    rules: str
    """The rules, as `referee.rules.rules_text` writes them."""
    entrants: dict[str, tuple[str, ...]]
    """By entrant: the text of its bot, or the two of a pair."""
    base: str
    """The folder that the texts of bots are relative to."""
    deals: int | None = None
    max_deals: int = DEFAULT_MAX_DEALS
    clock: ClockTerms = ClockTerms(network=NETWORK)
    table: TableTerms = TableTerms()
    call: CallStyle = CallStyle.AUTO
    remote: RemoteTerms = RemoteTerms()
    max_batch: int = MAX_BATCH
    tables_in_flight: int | None = None
    """How many tables a worker plays at the same time; ``None`` for as many as turn out well."""
    sandbox: Sandbox = Sandbox()
    hidden: tuple[str, ...] = ()
    """Paths that no bot may read."""
    ponder: bool = False
    """Whether bots may think in the time of others, where they could be kept from it."""
    check_bots: bool = False
    """Whether the worker first starts every bot once, and refuses the job if one does not start."""

    def terms(self) -> Terms:
        """Returns what a match is played for."""
        return Terms(parse_rules(self.rules), self.deals, self.max_deals)

    @property
    def freezes(self) -> bool:
        """Whether bots are stopped while they are not to move."""
        return freezes_idle_bots(self.clock, self.tables_in_flight, ponder=self.ponder)

    def specs(self) -> dict[str, tuple[BotSpec, ...]]:
        """Returns how each bot is started.

        Raises:
            ConfigError: if a text names no bot.
        """
        return {
            name: tuple(parse_bot(text, Path(self.base)) for text in texts)
            for name, texts in self.entrants.items()
        }


def job_of(config: TournamentConfig) -> Job:
    """Returns what the tables of *config* have in common."""
    return Job(
        rules=rules_text(config.rules),
        entrants={e.name: tuple(bot.source for bot in e.bots) for e in config.entrants},
        base=str(config.base),
        deals=config.deals,
        max_deals=config.max_deals,
        clock=config.clock,
        table=config.table,
        call=config.call,
        remote=config.remote,
        max_batch=config.max_batch,
        tables_in_flight=config.tables_in_flight,
        sandbox=config.sandbox,
        ponder=config.ponder,
        hidden=tuple(map(str, config.hidden)),
    )


class TableJob(msgspec.Struct, frozen=True, tag=True):
    """One table to play."""

    number: int
    block: int
    lane: int
    seats: tuple[str, ...]
    """By seat: the entrant."""
    key: str
    """The secret key of the match, in hexadecimal. It goes to our workers and never to a bot."""
    attempt: int = 1
    """How often it was begun, this time included."""

    @property
    def id(self) -> str:
        """The block and the lane, as people write it."""
        return f"{self.block}.{self.lane}"

    @property
    def tables(self) -> tuple[TableJob, ...]:
        """What is played together: this table alone."""
        return (self,)

    def again(self) -> TableJob:
        """Returns the same, to be begun once more."""
        return msgspec.structs.replace(self, attempt=self.attempt + 1)


class BlockJob(msgspec.Struct, frozen=True, tag=True):
    """The tables of a block, to be played together: what is the same at them is asked once."""

    tables: tuple[TableJob, ...]
    contrast: dict[str, int] = {}
    """By entrant: the sign with which its points count. The last deal of matches of a fixed length
    is not played where it would cancel. Empty: all is played."""

    @property
    def number(self) -> int:
        """That of its first table."""
        return self.tables[0].number

    @property
    def block(self) -> int:
        """The number of the block."""
        return self.tables[0].block

    @property
    def id(self) -> str:
        """The block, as people write it."""
        return str(self.block)

    @property
    def attempt(self) -> int:
        """How often it was begun, this time included."""
        return self.tables[0].attempt

    def again(self) -> BlockJob:
        """Returns the same, to be begun once more."""
        tables = tuple(table.again() for table in self.tables)
        return msgspec.structs.replace(self, tables=tables)


Unit: TypeAlias = TableJob | BlockJob
"""What is begun at a time, and comes to an end at a time."""


def table_jobs(
    tables: Iterable[Table], schedule: Schedule, seed: str, begun: Mapping[int, int]
) -> list[TableJob]:
    """Returns *tables* with the keys of their deals.

    Args:
        tables: Some of those of *schedule*.
        schedule: All that is to be played.
        seed: The secret that all deals follow from.
        begun: By number: how often a table was begun before, if it was.
    """
    master = seed_key(seed)
    keys = {block.number: derive_key(master, block.label).hex() for block in schedule.blocks}
    return [
        TableJob(t.number, t.block, t.lane, t.seats, keys[t.block], begun.get(t.number, 0) + 1)
        for t in tables
    ]


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The worker is ready for tables."""

    grace: float
    """What an answer may be late on this host, in seconds, as it was measured."""
    echo: tuple[float, float] | None = None
    """The p50 and p99 of the bare round trips that it was taken from, in seconds."""
    introductions: dict[str, str] = {}
    """By entrant: what its bots say of themselves, if the worker has checked them."""


class Failed(msgspec.Struct, frozen=True, tag=True):
    """A bot does not start, so that the job makes no sense."""

    problem: str
    exit_code: int


class Done(msgspec.Struct, frozen=True, tag=True):
    """A table was played, or is void."""

    result: TableResult
    problem: str = ""
    """What went wrong on our side, if it is void."""
    thinking: dict[str, float] = {}
    """By entrant: the processor time that its process has needed for a decision so far, in seconds,
    where that is known."""


class BlockDone(msgspec.Struct, frozen=True, tag=True):
    """The tables of a block were played, or all of them are void."""

    results: tuple[TableResult, ...]
    """In the order of the job."""
    problem: str = ""
    """What went wrong on our side, if it is void."""
    thinking: dict[str, float] = {}
    """As in `Done`."""


class Stopped(msgspec.Struct, frozen=True, tag=True):
    """The worker has ended its bots, and ends."""

    stalls: int
    """How often the host stalled."""
    stalled: float
    """How long together, in seconds."""
    strays: dict[str, int] = {}
    """By entrant: how many answers came that named no open question, and were dropped."""
    cpu: dict[str, CpuUse] = {}
    """By entrant: what its bots used of the processors."""


ToWorker: TypeAlias = Job | TableJob | BlockJob
FromWorker: TypeAlias = Ready | Failed | Done | BlockDone | Stopped

encode = msgspec.json.Encoder().encode
decode_to_worker = msgspec.json.Decoder(ToWorker).decode
decode_from_worker = msgspec.json.Decoder(FromWorker).decode
