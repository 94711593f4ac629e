"""An arena for some behaviours that can share one, and what is seen of each."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from referee.bots.pool import LineKey
from referee.bots.process import BotProcess
from referee.bots.terms import CallStyle
from referee.errors import BotError, MoonError
from referee.match import (
    Ending,
    Match,
    MatchRecord,
    MatchReferee,
    RecordError,
    RecordMismatchError,
    TableTerms,
    load_matches,
    verify_match,
)
from referee.rules import seed_key
from referee.text import printable
from tournaments.holding import sandbox_of
from tournaments.results import TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Done, Job, TableJob
from tournaments.zoo.catalogue import CLOCK, Behaviour
from tournaments.zoo.judging import FaultSeen, Sighting
from tournaments.zoo.stage import Stage, directories_in, open_descriptors, processes_of

RULES = "tournament-3p all_pass=force_last"
KEY = seed_key("zoo").hex()
"""All tables are dealt alike, so that every run asks a bot the same questions."""
HONEST = ("honest", "upright")
BOT = "first_legal"
LONGEST = 150.0
"""Seconds after which a table is given up that should have ended long ago."""
ATTEMPTS = 3
"""How often a table is begun before it is no accident that it is void."""
SETTLE = 5.0
"""Seconds that what is closing may take to be gone."""

Found = TypeVar("Found", bound="str | list[str] | list[tuple[str, str]]")
_NOBODY = "?"
"""Whose it is when nobody knows."""
_NO_RUN = "\0"
"""No mark begins with it."""


class House:
    """An arena for some behaviours, and a look around before and after.

    Attributes:
        problem: Why the arena broke; empty if it did not.
    """

    def __init__(self, programs: Path, tier: str, group: Sequence[Behaviour], stage: Stage) -> None:
        self._programs = programs
        self._tier = tier
        self._group = group
        self._stage = stage
        self._processes: dict[str, list[BotProcess]] = {}
        self._commands: dict[str, tuple[str, ...]] = {}
        self._sightings = {behaviour.id: Sighting() for behaviour in group}
        self.problem = ""
        self._begun: set[str] = set()
        self._done: set[str] = set()

    @property
    def unfinished(self) -> list[Behaviour]:
        """Those that were being tried when the arena broke."""
        return [b for b in self._group if b.id in self._begun - self._done]

    @property
    def finished(self) -> list[tuple[Behaviour, Sighting]]:
        """Those that were tried, with what has been seen of each so far."""
        return [(b, self._sightings[b.id]) for b in self._group if b.id in self._done]

    @property
    def untried(self) -> list[Behaviour]:
        """Those whose turn had not come when the arena broke."""
        return [b for b in self._group if b.id not in self._begun]

    async def play_honestly(self) -> None:
        """Plays a table of honest bots: what this process opens once and for all is open then.

        Raises:
            BotError: if they cannot play here, so that nothing can be tried.
        """
        async with Arena(self._job({"third": (BOT,)})) as arena:
            done = await arena.result(TableJob(0, 0, 0, (HONEST[0], "third", HONEST[1]), KEY))
        if done.problem or done.result.faults:
            raise BotError(f"three honest bots cannot play here: {done.problem or done.result}")

    async def open(
        self, gate: asyncio.Semaphore, tried: Callable[[str], None]
    ) -> dict[str, Sighting]:
        """Tries the group, as many at a time as *gate* lets in; returns what was seen, by id.

        *tried* is called with the id of each.
        """
        run, token = Path(), ""
        try:
            async with Arena(self._job(self._entrants()), self._note) as arena:
                run, token = arena.keeper.directory.path, arena.keeper.directory.token
                self._stage.plant_in(run)
                async with gate:
                    await _start(arena, HONEST, ATTEMPTS)
                tries = (self._try(b, arena, gate, tried) for b in self._group)
                problems = await asyncio.gather(*tries, return_exceptions=True)
                for problem in filter(None, problems):
                    raise problem
                await self._look_around(run)
        except MoonError as error:
            self.problem = str(error)
            for behaviour in self.unfinished:
                self._sightings[behaviour.id].harm.append(f"the arena broke: {error}")
        if token:
            await self._look_after(run, token)
        return self._sightings

    def _entrants(self) -> dict[str, tuple[str, ...]]:
        """Returns the bots of the zoo, by name, and writes down what each is run with."""
        entrants: dict[str, tuple[str, ...]] = {}
        for behaviour in self._group:
            runs = (behaviour.run, behaviour.partner)
            for name, run in zip(_names(behaviour), runs, strict=False):
                program, *arguments = (word.format_map(self._stage.facts) for word in run)
                command = (str(self._programs / program), *arguments)
                # By its name: a path would be taken for the file that makes the bot what it is.
                python = (Path(sys.executable).name,) if program.endswith(".py") else ()
                self._commands[name] = command
                entrants[name] = ("cmd:" + shlex.join((*python, *command)),)
        return entrants

    def _job(self, entrants: dict[str, tuple[str, ...]]) -> Job:
        """Returns what the tables have in common."""
        like = self._group[0] if self._group else None
        return Job(
            rules=RULES,
            entrants={**dict.fromkeys(HONEST, (BOT,)), **entrants},
            base=str(self._programs),
            deals=like.deals if like else 1,
            clock=like.clock if like else CLOCK,
            call=like.call if like else CallStyle.AUTO,
            table=TableTerms(strikes=like.strikes if like else 0),
            sandbox=sandbox_of(self._tier, dict(like.limits) if like else {}),
        )

    def _note(self, key: LineKey, process: BotProcess) -> None:
        self._processes.setdefault(key.entrant, []).append(process)

    async def _try(
        self,
        behaviour: Behaviour,
        arena: Arena,
        gate: asyncio.Semaphore,
        tried: Callable[[str], None],
    ) -> None:
        async with gate:
            if arena.pool.failure.done():
                return
            self._begun.add(behaviour.id)
            sighting = self._sightings[behaviour.id]
            began = time.monotonic()
            names = _names(behaviour)
            seats = (HONEST[0], *names, *HONEST[1:])[:3]
            try:
                async with asyncio.timeout(LONGEST):
                    if len(names) > 1:
                        await _start(arena, names)
                    done = await _play(arena, seats)
            except TimeoutError:
                sighting.harm.append(f"the table did not end within {LONGEST:g} s")
            else:
                if done.problem:
                    sighting.harm.append(f"the table is void: {done.problem.strip()}")
                else:
                    _judge_table(behaviour, done.result, names, sighting)
            await self._end(names, arena, sighting)
            sighting.harm += (f"{what} was damaged" for what in self._stage.mend())
            sighting.leaked = self._stage.leaked(sighting.output)
            sighting.seconds = time.monotonic() - began
            self._done.add(behaviour.id)
            tried(behaviour.id)

    async def _end(self, names: Sequence[str], arena: Arena, sighting: Sighting) -> None:
        """Ends the bots of one behaviour, and reads all that they wrote."""
        arena.pool.renew([LineKey(name, 0, 0) for name in names])
        for name in names:
            for process in self._processes.get(name, ()):
                await process.stop()
                if (report := process.report) is not None:
                    sighting.output += report.stdout + b"\n" + report.stderr + b"\n"
        mine = {name: self._commands[name] for name in names}
        if found := await settle(lambda: self._still(mine)):
            sighting.left.append(found)

    @staticmethod
    def _still(commands: dict[str, tuple[str, ...]]) -> str:
        pids = [str(pid) for pid, owner in processes_of(_NO_RUN, commands) if owner]
        return f"processes {', '.join(pids)}" if pids else ""

    async def _look_around(self, run: Path) -> None:
        """Looks which places are there beside those of the honest bots, who still run."""
        owners = {
            Path(process.target).parent.name: name
            for name, processes in self._processes.items()
            for process in processes
            if hasattr(process, "target")
        }

        def look() -> list[str]:
            found = {owners.get(name, _NOBODY) for name in directories_in(run)}
            return sorted(found - set(HONEST))

        for name in await settle(look):
            self._left_by(name, "its directory")

    async def _look_after(self, run: Path, token: str) -> None:
        """Looks what is there once the arena is closed."""

        def look() -> list[tuple[str, str]]:
            running = processes_of(token, self._commands)
            found = [(owner, f"process {pid}") for pid, owner in running]
            return [*found, *([(_NOBODY, str(run))] if run.exists() else [])]

        for owner, what in await settle(look):
            self._left_by(owner, what)

    def _left_by(self, owner: str, what: str) -> None:
        """Writes down what *owner* has left; of every behaviour, if nobody knows whose it is."""
        own = owner.removesuffix("+")
        for sighting in (
            [self._sightings[own]] if own in self._sightings else self._sightings.values()
        ):
            sighting.left.append(what)


async def descriptors_left(before: int) -> tuple[str, ...]:
    """Returns what this process has open more than *before*, when all has had time to close."""
    found = await settle(lambda: str(max(0, open_descriptors() - before) or ""))
    return (f"{found} descriptors more than before",) if found else ()


async def settle(look: Callable[[], Found]) -> Found:
    """Returns what *look* still finds after a while; nothing as soon as it finds nothing."""
    patience = time.monotonic() + SETTLE
    while True:
        # In a thread: a look at all processes would hold up the clock of the bots.
        found = await asyncio.to_thread(look)
        if not found or time.monotonic() > patience:
            return found
        await asyncio.sleep(0.05)


def _names(behaviour: Behaviour) -> tuple[str, ...]:
    """Returns the entrants of a behaviour: one, or two that sit at the table together."""
    return (behaviour.id, f"{behaviour.id}+") if behaviour.partner else (behaviour.id,)


async def _play(arena: Arena, seats: tuple[str, ...]) -> Done:
    """Plays a table; again, like any other, if it is void for what was ours or the host's."""
    for attempt in range(1, ATTEMPTS + 1):
        done = await arena.result(TableJob(0, 0, 0, seats, KEY, attempt))
        if not done.problem:
            break
    return done


async def _start(arena: Arena, names: Sequence[str], attempts: int = 1) -> None:
    """Starts bots before they are asked, so that each is there when another looks for it."""
    keys = [LineKey(name, 0, 0) for name in names]
    lines = arena.pool.seat(keys)
    try:
        for _ in range(attempts):
            starts = (line.warm_up() for line in lines)
            results = await asyncio.gather(*starts, return_exceptions=True)
            if not any(results):
                break
    finally:
        arena.pool.leave(keys)


def _judge_table(
    behaviour: Behaviour, result: TableResult, names: Sequence[str], sighting: Sighting
) -> None:
    """Writes down what the record says of the bots of the zoo, and of the others."""
    for fault in result.faults:
        if fault.entrant in names:
            sighting.faults.append(FaultSeen(fault.kind, fault.detail))
        else:
            words = fault.stderr_tail.strip().splitlines()[-1:]
            said = "".join(f"; it wrote: {printable(line, 200)}" for line in words)
            what = f"{fault.entrant} was charged with {fault.kind}: {fault.detail}{said}"
            sighting.harm.append(what)
    try:
        [match] = load_matches(result.record.splitlines())
        verify_match(match)
    except (RecordError, RecordMismatchError) as error:
        sighting.harm.append(f"the record does not hold: {error}")
        return
    offender = any(result.places[seat] == 3 for seat, e in enumerate(result.seats) if e in names)
    if result.ending == Ending.FORFEIT and not offender:
        sighting.harm.append("another than the bot that forfeited is last")
    if not result.faults and behaviour.same_record:
        honest = _honest_record(behaviour, match.seats)
        if replace(match, table=honest.table) != honest:
            sighting.harm.append("the match went otherwise than with an honest bot in its place")


def _honest_record(behaviour: Behaviour, seats: tuple[str, ...]) -> MatchRecord:
    """Returns the record of the match that three honest bots would have played."""
    job = Job(RULES, {}, "", deals=behaviour.deals)
    match = Match.start(job.terms(), bytes.fromhex(KEY))
    referee = MatchReferee("0.0", match, seats, TableTerms(strikes=behaviour.strikes))
    while (question := referee.question) is not None:
        referee.answer(question.decision.legal[0], 0)
    return referee.record()
