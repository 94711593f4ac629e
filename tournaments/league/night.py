"""A league night while it is played: one round after another, until something ends it at an edge.

What is played hangs on the stored records and on the field at each edge, and on nothing else: a
round begins when the one before is stored, whoever has too many faults by then is suspended, and
only how many rounds there are is left to the clock. So the fingerprint of a night is the same for
any number of workers, and of kills.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

import msgspec

from referee.errors import StoreError, VerificationError
from tournaments.config import TournamentConfig
from tournaments.results import TableResult
from tournaments.runner.jobs import Job, TableJob, job_of, table_jobs
from tournaments.runner.report import RunReport
from tournaments.runner.runner import Runner
from tournaments.schedule import EntrantId
from tournaments.schedule.nights import Pair, Stage, night_schedule
from tournaments.store import Store

PACE = "pace"
"""The kind of the note that says how fast it was played."""


class Office(Protocol):
    """What a night has to know of its league."""

    suspend_after: int
    """How many faults in one night suspend; 0 for never."""

    def field(self) -> tuple[tuple[EntrantId, ...], frozenset[Pair]]:
        """Returns who plays from here on, and every two of them who may not share a table."""

    def config(self, store: Store, stages: tuple[Stage, ...]) -> TournamentConfig:
        """Returns the terms of the night in *store* with *stages*, everybody looked at anew."""

    def check(self, name: EntrantId) -> None:
        """Checks that *name* is still what was entered, file by file.

        Raises:
            VerificationError: if not.
        """

    def hidden(self, names: Sequence[EntrantId]) -> tuple[str, ...]:
        """Returns the paths that no bot may read while *names* play."""

    def suspensions(self, night: str) -> Mapping[EntrantId, int]:
        """Returns whom *night* has suspended, with how many faults it had there the last time."""

    def suspend(self, name: EntrantId, night: str, faults: int) -> None:
        """Takes *name* out of the field for its *faults* in *night*, unless it is out already.

        That, and for how many faults, is one change: both are known afterwards, or neither.
        """


class Why(StrEnum):
    """Why no further round was begun."""

    ROUNDS = "all rounds are played"
    CLOCK = "no further round fits"
    ASKED = "it was asked to end"
    FIELD = "the field changes"
    VOID = "tables are void"
    ABORTED = "it was ended at once"


@dataclass(frozen=True, slots=True)
class Limits:
    """What ends a night."""

    rounds: int | None = None
    """How many rounds there are in all; ``None`` for as many as fit."""
    deadline: float | None = None
    """When it has to be over, by the clock of the play."""


class Pace:
    """How long a round takes, as far as is known.

    The time of a part counts from its first results on: how long bots take to start says nothing of
    the next round. Nor does the end of a round that was interrupted, which is played by ever fewer
    workers, so the rest of one takes the place of what is known only if it is half of it or more.
    """

    def __init__(self, known: float | None) -> None:
        """Begins with the seconds of a table that an earlier part has shown, if there was one."""
        self._known = known
        self.tables = 0
        self.seconds = 0.0
        self._measured, self._since = 0, 0.0
        self._waits = False

    def begin(self, tables: int, whole: int, now: float) -> None:
        """Takes that a part begins, with so many *tables* left of the *whole* of a round."""
        says_much = self.table is None or 2 * tables >= whole
        self._measured, self._since = tables if says_much else 0, now
        self._waits = says_much

    def hear(self, tables: int, now: float) -> None:
        """Takes that results of so many *tables* came."""
        if self._waits and (tables < self._measured or self.table is not None):
            self._measured, self._since = self._measured - tables, now
        self._waits = False

    def end_round(self, now: float) -> None:
        """Takes that the round is over."""
        if self._measured:
            self.tables += self._measured
            self.seconds += now - self._since
        self._since = now

    def next_round(self, tables: int) -> None:
        """Takes that another round of so many *tables* begins where the one before has ended."""
        self._measured = tables

    @property
    def table(self) -> float | None:
        """The seconds of one table, all workers together; ``None`` if nobody knows."""
        return self.seconds / self.tables if self.tables else self._known


def known_pace(store: Store, workers: int) -> float | None:
    """Returns the seconds of a table as the last part of *store* had them, for *workers*."""
    notes = [note.text for note in store.notes() if note.kind == PACE]
    if not notes:
        return None
    told = json.loads(notes[-1])
    return float(told["seconds"]) / int(told["tables"]) * int(told["workers"]) / workers


class NightPlay:
    """Plays one night, or goes on with it.

    Attributes:
        why: Why no further round was begun; ``None`` before.
        report: What became of the part that `begin` has found, as far as it is played; the same
            one to its end, also where an error ends it.
        pace: How fast it goes.
    """

    def __init__(
        self,
        store: Store,
        office: Office,
        limits: Limits,
        *,
        workers: int,
        pace: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        runner: Callable[..., Runner] = Runner,
    ) -> None:
        """Prepares to play.

        Args:
            store: The store of the night, open for writing.
            office: The league.
            limits: What ends the night.
            workers: How many processes play.
            pace: The seconds of a table as an earlier night had them, if that is known.
            clock: The time in seconds, by which the deadline goes.
            runner: What plays tables.
        """
        self.why: Why | None = None
        self.report = RunReport()
        own = known_pace(store, workers)
        self.pace = Pace(pace if own is None else own)
        self._store, self._office, self._limits = store, office, limits
        self._workers, self._clock, self._make_runner = workers, clock, runner
        self._runner: Runner | None = None
        self._asked = False
        self._shortage = store.shortage()
        self._config: TournamentConfig | None = None
        self._faults = Counter(fault.entrant for r in store.outcomes() for fault in r.faults)

    @property
    def rounds(self) -> int:
        """How many rounds were begun."""
        return sum(stage.rounds for stage in self._store.run.stages)

    @property
    def in_play(self) -> int:
        """How many tables of the round are not over yet."""
        schedule = self._store.run.schedule()
        return len(self._store.pending(schedule))

    def fitting(self, tables: int) -> int | None:
        """Returns how many rounds of so many *tables* fit; ``None`` if nobody can say."""
        left, pace = self._limits.rounds, self.pace.table
        more = None if left is None else max(0, left - self.rounds)
        if self._limits.deadline is None:
            return more
        if pace is None:
            return None
        time_left = max(0.0, self._limits.deadline - self._clock())
        by_clock = int(time_left / (pace * tables)) if pace * tables > 0 else 0
        return by_clock if more is None else min(by_clock, more)

    def round_tables(self) -> int:
        """Returns how many tables a round of the field has as it is now.

        Raises:
            ConfigError: if the field can play no round.
        """
        stage = replace(self._stage(), rounds=1)
        return len(night_schedule([stage], seats=self._seats).tables)

    def begin(self) -> bool:
        """Brings the night to where there is something to play.

        Returns:
            Whether there is; if not, `why` says why.

        Raises:
            StoreError: if the office has other terms than those that stored tables hold to.
        """
        store, self.report = self._store, RunReport()
        if store.pending(store.run.schedule()):
            self._config = self._office.config(store, store.run.stages)
            store.extend(self._config)
            return True
        self.why = None
        return bool(self._next_round())

    async def play(
        self,
        on_results: Callable[[Sequence[TableResult]], None],
        on_round: Callable[[int], None],
        say: Callable[[str], None],
    ) -> None:
        """Plays what `begin` has found and all rounds after it, up to another field or the end.

        Args:
            on_results: Takes results once they are stored.
            on_round: Told of each further round that begins, with its tables.
            say: Takes news in words.

        Raises:
            BotError: if a bot does not start.
            RunnerError: if workers fail again and again.
            StoreError: if there is no room for more; what was in play is stored first.
        """
        store, config = self._store, self._config
        assert config is not None
        self._check_room()
        jobs = self._jobs()

        def keep(results: Sequence[TableResult]) -> None:
            store.add_results(results)
            self.pace.hear(len(results), self._clock())
            self._faults.update(fault.entrant for r in results for fault in r.faults)
            on_results(results)
            if not self._shortage and (shortage := store.shortage()):
                self._shortage = shortage
                runner.drain()

        def more() -> list[TableJob]:
            self.pace.end_round(self._clock())
            found = self._next_round()
            if found:
                on_round(len(found))
            return found

        self.pace.begin(len(jobs), self._round_size(), self._clock())
        self._runner = runner = self._make_runner(
            self._job(config), jobs, workers=self._workers, on_results=keep, say=say, more=more,
            report=self.report,
        )  # fmt: skip
        try:
            await runner.run()
        finally:
            self._runner = None
        if runner.report.void:
            self.why = Why.VOID
        self._check_room()

    def _check_room(self) -> None:
        if self._shortage and self.in_play:
            raise StoreError(self._shortage)

    def ask(self) -> None:
        """Lets the round that is played be the last one."""
        self._asked = True

    def abort(self) -> None:
        """Ends at once; what is in play is played again when the night goes on."""
        self.why = Why.ABORTED
        if self._runner is not None:
            self._runner.abort()

    def note_pace(self) -> None:
        """Stores how fast it went, for the next part or night."""
        if self.pace.tables:
            told = {"seconds": round(self.pace.seconds, 3), "tables": self.pace.tables}
            self._store.note(PACE, json.dumps({**told, "workers": self._workers}))

    @property
    def _seats(self) -> int:
        return self._store.run.rules.players

    def _round_size(self) -> int:
        """Returns how many tables the round has that is played, over or not."""
        blocks = self._store.run.schedule().blocks
        return sum(len(each.tables) for each in blocks if each.round == blocks[-1].round)

    def _next_round(self) -> list[TableJob]:
        """Begins another round and returns its tables; none, and `why`, if that is not to be."""
        if self._runner is not None and self._runner.report.void:
            return []
        self._check_copies()
        self._suspend()
        if self._asked:
            self.why = Why.ASKED
            return []
        if self._limits.rounds is not None and self.rounds >= self._limits.rounds:
            self.why = Why.ROUNDS
            return []
        stages, stage = self._store.run.stages, self._stage()
        if self.fitting(self.round_tables()) == 0:
            self.why = Why.CLOCK
            return []
        is_same = bool(stages) and replace(stages[-1], rounds=0) == stage
        if self._runner is not None and not is_same:
            self.why = Why.FIELD
            return []
        last = stages[-1] if is_same else stage
        kept = stages[:-1] if is_same else stages
        stages = (*kept, replace(last, rounds=last.rounds + 1))
        config = self._config
        if config is None or not is_same:
            config = self._office.config(self._store, stages)
        self._config = replace(config, night=stages)
        self._store.extend(self._config, "" if is_same else ", ".join(stage.field))
        jobs = self._jobs()
        self.pace.next_round(len(jobs))
        return jobs

    def _check_copies(self) -> None:
        """Checks that nobody was changed in the round that is over, which had found all in order.

        Raises:
            VerificationError: if somebody was; the store keeps that.
        """
        if not self._store.run.stages:
            return
        for name in self._store.run.stages[-1].field:
            try:
                self._office.check(name)
            except VerificationError as error:
                told = f"{name}: its files were changed by the end of round {self.rounds}"
                if told not in [note.text for note in self._store.notes()]:
                    self._store.note("changed", told)
                raise VerificationError(
                    f"{error}; its tables of round {self.rounds} may have been played by what is "
                    "there now: `moon league rescind` takes them out; once it is put back, the "
                    "night goes on"
                ) from None

    def _stage(self) -> Stage:
        names, apart = self._office.field()
        return Stage.of(names, seats=self._seats, apart=apart)

    def _jobs(self) -> list[TableJob]:
        store, schedule = self._store, self._store.run.schedule()
        pending = store.pending(schedule)
        return table_jobs(pending, schedule, store.run.seed, store.void_attempts())

    def _job(self, config: TournamentConfig) -> Job:
        """Returns what the tables of this part have in common: only those who play are started."""
        stage = self._store.run.stages[-1]
        playing = {*stage.field, *stage.house}
        job = job_of(config)
        return msgspec.structs.replace(
            job,
            entrants={name: texts for name, texts in job.entrants.items() if name in playing},
            hidden=self._office.hidden(stage.field),
        )

    def _suspend(self) -> None:
        """Suspends who has as many faults as suspend, those before its last suspension left out."""
        run, limit = self._store.run, self._office.suspend_after
        if not limit or not run.stages:
            return
        before = self._office.suspensions(run.name)
        for name in run.stages[-1].field:
            if self._faults[name] >= limit + before.get(name, 0):
                self._office.suspend(name, run.name, self._faults[name])
