"""Where tables are played: bots, clock and keeper of one process, and the tables in flight."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Self, TypeAlias, TypeVar

import msgspec

from referee.bots.asks import BotLine, TableLine
from referee.bots.clock import RunningClock
from referee.bots.grace import measure_grace
from referee.bots.halves import Half
from referee.bots.keeper_client import Keeper
from referee.bots.pool import BotPool, LineKey, Started
from referee.bots.sandbox import Tier, harden_self
from referee.bots.sessions import SessionTerms, StartError
from referee.bots.spec import BotSpec
from referee.bots.tables import TableInPlay, Tap, Watch
from referee.crashes import crash_point
from referee.errors import BotError, MoonError
from referee.match import FaultReport, Match, MatchReferee, dump_match
from referee.sdk.inside import InsideBot, load_bot
from tournaments.measured import Measured
from tournaments.results import UNPLAYED, FaultRow, TableResult
from tournaments.runner.jobs import BlockDone, BlockJob, Done, Job, TableJob
from tournaments.runner.sharing import SharedBlock
from tournaments.schedule import EntrantId
from tournaments.timing import Times

_encode = msgspec.json.Encoder().encode
ResultT = TypeVar("ResultT")


class Arena:
    """Plays tables in this process. Use it as an async context manager.

    Attributes:
        clock: The time of this host.
        keeper: What starts and ends the bots; there once the arena is entered.
        clock_terms: What a bot may take; with the measured grace once the arena is entered.
        echo: The p50 and p99 of the bare round trips that it was taken from, in seconds; ``None``
            if it was given and not measured.
    """

    keeper: Keeper

    def __init__(self, job: Job, started: Started | None = None) -> None:
        """Makes an arena for the tables of *job*; *started* is told of each process of a bot."""
        self.clock = RunningClock()
        self.clock_terms = job.clock
        self.echo: tuple[float, float] | None = None
        self._job = job
        self._started = started
        self._terms = job.terms()
        self._stack = AsyncExitStack()
        self._pool: BotPool | None = None

    async def __aenter__(self) -> Self:
        """Starts the keeper and the clock; bots are started when they are first needed."""
        job = self._job
        if job.sandbox.tier is not Tier.NONE:
            harden_self()
        async with AsyncExitStack() as stack:
            self.keeper = keeper = await stack.enter_async_context(Keeper())
            if self.clock_terms.grace is None:
                grace, *echo = await measure_grace(keeper.directory.place().socket)
                self.clock_terms = replace(self.clock_terms, grace=grace)
                self.echo = echo[0], echo[1]
            await stack.enter_async_context(self.clock)
            self._pool = await stack.enter_async_context(
                BotPool(
                    job.specs(),
                    keeper,
                    self.clock,
                    self.clock_terms,
                    sessions=SessionTerms(
                        self._terms.rules,
                        job.clock.startup,
                        job.call,
                        job.sandbox,
                        tuple(map(Path, job.hidden)),
                        job.freezes,
                        job.remote,
                    ),
                    window=job.max_batch,
                    load=_load_inside,
                )
            )
            self._pool.started = self._started
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends every bot."""
        await self._stack.aclose()

    @property
    def pool(self) -> BotPool:
        """The bots."""
        assert self._pool is not None, "the arena is not entered"
        return self._pool

    @property
    def measured(self) -> Measured:
        """What was measured of the host and the bots so far."""
        clock = self.clock
        grace = self.clock_terms.grace or 0.0
        return Measured(grace, self.echo, clock.stalls, clock.stalled, self.pool.cpu)

    async def start_all(self) -> dict[str, str]:
        """Starts the bots of every entrant on lane 0, and waits for their handshakes.

        Returns:
            By entrant: what its bots say of themselves.

        Raises:
            BotError: if one does not start; the message has the end of its standard error.
        """
        introductions = {}
        for entrant, texts in self._job.entrants.items():
            roles = [self.pool.keys(entrant, 0, role) for role in range(len(texts))]
            keys = [key for halves in roles for key in halves]
            lines = self.pool.seat(keys)
            try:
                await asyncio.gather(*map(self._start, keys, lines))
                said = dict.fromkeys(line.introduction for line in lines)
                introductions[entrant] = ", ".join(filter(None, said))
            finally:
                self.pool.leave(keys)
        return introductions

    async def _start(self, key: LineKey, line: BotLine) -> None:
        try:
            await line.warm_up()
        except StartError as error:
            raise BotError(_start_problem(key.entrant, self.pool.part(key), error)) from None

    def play(
        self,
        table: TableJob,
        done: Callable[[Done], None],
        watch: Watch | None = None,
        tap: Tap | None = None,
        *,
        block: SharedBlock | None = None,
    ) -> TableInPlay:
        """Begins a table and returns it.

        Args:
            table: What to play.
            done: Called when it is over or void.
            watch: Called after each deal.
            tap: Told of every question, and of what becomes of it.
            block: What it shares with the other tables of its block, if it does.

        Raises:
            Exception: if the table cannot be begun, which is a fault of ours; see `broken`.
        """
        seats = self._keys_by_seat(table)
        keys = [key for halves in seats for key in halves]
        match = Match.start(self._terms, bytes.fromhex(table.key))
        referee = MatchReferee(table.id, match, table.seats, self._job.table)
        crash_point(f"table.begin.{table.id}")

        def finished(in_play: TableInPlay) -> None:
            self.pool.leave(keys)
            try:
                crash_point(f"table.end.{table.id}")
                outcome = _outcome(table, in_play, lines, parts)
            except Exception as error:  # noqa: BLE001 - one broken table must not end the others
                outcome = broken(table, error)
            if outcome.problem:
                # The table is played again, on the same deals, so by other processes.
                self.pool.renew(keys)
            done(outcome)

        seated = iter(self.pool.seat(keys))
        lines = [tuple(next(seated) for _ in halves) for halves in seats]
        parts = [tuple(map(self.pool.part, halves)) for halves in seats]
        asked: Sequence[tuple[TableLine, ...]] = lines
        if block is not None:
            programs = [tuple(map(self.pool.program, halves)) for halves in seats]
            asked = block.seat(table.lane, lines, programs)
        in_play = TableInPlay(referee, asked, self.clock_terms, finished, watch, tap)
        if block is not None:
            block.begins(table.lane, in_play)
        in_play.start()
        return in_play

    def play_block(self, job: BlockJob, done: Callable[[BlockDone], None]) -> None:
        """Begins the tables of a block, which share what is the same at them.

        Args:
            job: The block.
            done: Called when all of it is over, or void.
        """

        def finished(outcome: BlockDone) -> None:
            if outcome.problem:
                # All of it is played again, on the same deals, so by other processes.
                for table in job.tables:
                    self.pool.renew([k for halves in self._keys_by_seat(table) for k in halves])
            done(outcome)

        block = SharedBlock(job, self._terms, finished)
        for table in job.tables:
            over = partial(block.over, table.lane)
            try:
                self.play(table, over, block=block)
            except Exception as error:  # noqa: BLE001 - it breaks this block, and no other
                over(broken(table, error))

    def _keys_by_seat(self, table: TableJob) -> list[tuple[LineKey, ...]]:
        """Returns the processes of each seat: of the lane of the table, and the place in a pair."""
        seats = table.seats
        return [
            self.pool.keys(entrant, table.lane, seats[:seat].count(entrant))
            for seat, entrant in enumerate(seats)
        ]

    async def result(
        self, table: TableJob, watch: Watch | None = None, tap: Tap | None = None
    ) -> Done:
        """Plays a table to its end and returns what became of it.

        Raises:
            KeeperError: if the arena broke.
        """
        over: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
        self.play(table, over.set_result, watch, tap)
        return await self.unless_broken(over)

    async def unless_broken(self, wanted: Awaitable[ResultT]) -> ResultT:
        """Returns what *wanted* gives.

        Raises:
            KeeperError: if the arena breaks before; what is in play then never comes to an end.
        """
        task = asyncio.ensure_future(wanted)
        failure = self.pool.failure
        await asyncio.wait((task, failure), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        task.cancel()
        failure.result()
        raise AssertionError("a pool fails with an error")


def _load_inside(spec: BotSpec) -> InsideBot:
    """Makes a bot inside this process. Bots and the SDK know nothing of each other; this does."""
    assert spec.cwd is not None
    return load_bot(spec.code, spec.cwd, dict(spec.params))


def _start_problem(entrant: str, part: str, error: StartError) -> str:
    who = f"the {part} of bot {entrant!r}" if part else f"bot {entrant!r}"
    problem = f"{who} did not start: {error}"
    stderr = error.report.stderr_tail.strip()
    return f"{problem}\nthe last it wrote to standard error:\n{stderr}" if stderr else problem


def broken(table: TableJob, error: Exception) -> Done:
    """Returns what becomes of *table* when *error*, a fault of ours, breaks it."""
    seats = tuple(map(EntrantId, table.seats))
    is_told = isinstance(error, MoonError)
    problem = str(error) if is_told else "".join(traceback.format_exception(error))
    void = TableResult(table.number, table.block, table.lane, seats, attempt=table.attempt)
    return Done(void, problem)


Lines: TypeAlias = Sequence[tuple[BotLine, ...]]
"""By seat: the line to its bot, or the two to its halves."""
Parts: TypeAlias = Sequence[tuple[str, ...]]
"""By seat: what its bots are called as halves; empty for one that is whole."""


def _outcome(table: TableJob, in_play: TableInPlay, lines: Lines, parts: Parts) -> Done:
    if in_play.error is not None:
        return broken(table, in_play.error)
    seats = tuple(map(EntrantId, table.seats))
    referee = in_play.referee
    if in_play.is_dropped:
        stood = TableResult(
            table.number, table.block, table.lane, seats, UNPLAYED, referee.match.scores,
            faults=tuple(_fault_row(report, seats, parts) for report in referee.faults),
            attempt=table.attempt,
        )  # fmt: skip
        return Done(stood, thinking=_thinking(seats, lines))
    result = referee.result
    assert result is not None
    return Done(
        TableResult(
            table.number,
            table.block,
            table.lane,
            seats,
            result.ending.value,
            result.scores,
            result.places,
            dump_match(referee.record()),
            _timings(in_play),
            tuple(_fault_row(report, seats, parts) for report in referee.faults),
            table.attempt,
        ),
        thinking=_thinking(seats, lines),
    )


def _thinking(seats: Sequence[EntrantId], lines: Lines) -> dict[str, float]:
    """Returns the most seconds of processor time that a decision took, by entrant."""
    found: dict[str, float] = {}
    for entrant, halves in zip(seats, lines, strict=True):
        for line in halves:
            if line.cpu.longest:
                found[entrant] = max(line.cpu.longest, found.get(entrant, 0.0))
    return found


def _timings(in_play: TableInPlay) -> str:
    """Returns what was measured, as JSON; docs/records.md says what stands where."""
    deals = [times.micros for times in in_play.referee.times]
    seats = [Times.of(micros).to_json() for micros in in_play.charged]
    overhead = in_play.overhead
    timings: dict[str, object] = {
        "deals": deals,
        "seats": seats,
        "queue": overhead.queue,
        "send": overhead.send,
        "receive": overhead.receive,
    }
    if in_play.stalls:
        timings["stalls"] = [[number, round(1000 * s)] for number, s in in_play.stalls]
    return _encode(timings).decode()


def _fault_row(report: FaultReport, seats: tuple[EntrantId, ...], parts: Parts) -> FaultRow:
    """Returns a fault with the entrant that is charged with it, and the half if it has two."""
    fault, parts_there = report.fault, parts[report.seat]
    part = parts_there[Half.of(report.kind)] if len(parts_there) > 1 else ""
    return FaultRow(
        seat=report.seat,
        entrant=seats[report.seat],
        kind=fault.kind.value,
        deal=report.deal,
        decision=report.decision,
        question=report.question,
        detail=f"{part}: {fault.detail}" if part else fault.detail,
        exit_status=fault.exit_status,
        stderr_tail=fault.stderr_tail,
        substitute=report.substitute,
    )
