"""Runs the zoo: each behaviour at a table of its own, with two honest bots, under the referee."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from referee.bots.keeper_client import KeeperError
from referee.bots.pool import LineKey
from referee.bots.process import BotProcess
from referee.bots.terms import CallStyle, ClockTerms
from referee.match import (
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
from tournaments.results import TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Job, TableJob
from tournaments.zoo.catalogue import Behaviour
from tournaments.zoo.judging import FaultSeen, Judgement, Sighting, judge
from tournaments.zoo.stage import Stage, directories_in, open_descriptors, processes_of

RULES = "tournament-3p all_pass=force_last"
KEY = seed_key("zoo").hex()
"""All tables are dealt alike, so that every run asks a bot the same questions."""
HONEST = ("honest", "upright")
BOT = "first_legal"
LONGEST = 150.0
"""Seconds after which a table is given up that should have ended long ago."""
SETTLE = 5.0
"""Seconds that what is closing may take to be gone."""

Seen = Callable[[Judgement], None]


class Zoo:
    """Tries behaviours in one tier."""

    def __init__(self, programs: Path, tier: str, jobs: int, seen: Seen) -> None:
        """Makes a zoo.

        Args:
            programs: The folder of the programs.
            tier: The sandbox of all bots, the honest ones too.
            jobs: How many behaviours are tried at the same time.
            seen: Is told of each behaviour that was tried.
        """
        self._programs = programs
        self._tier = tier
        self._jobs = jobs
        self._seen = seen

    async def run(self, behaviours: Sequence[Behaviour]) -> list[Judgement]:
        """Tries *behaviours* and returns the judgements, in their order."""
        found: dict[str, Judgement] = {}
        with Stage(KEY) as stage:
            await self._warm_up(stage)
            for group in _groups(behaviours):
                for judgement in await self._try_group(group, stage):
                    found[judgement.behaviour.id] = judgement
        return [found[behaviour.id] for behaviour in behaviours]

    async def _warm_up(self, stage: Stage) -> None:
        """Plays a table of honest bots: what this process opens once and for all is open then."""
        row = _House(self._programs, self._tier, (), stage)
        async with Arena(row.job({"third": (BOT,)})) as arena:
            done = await arena.result(TableJob(0, 0, 0, (HONEST[0], "third", HONEST[1]), KEY))
        if done.problem or done.result.faults:
            raise RuntimeError(f"three honest bots cannot play here: {done}")

    async def _try_group(self, group: Sequence[Behaviour], stage: Stage) -> list[Judgement]:
        """Tries behaviours that can share an arena; each in one of its own if the arena breaks."""
        house = _House(self._programs, self._tier, group, stage)
        sightings = await house.open(self._jobs)
        if house.broke and len(group) > 1:
            alone = [await self._try_group((behaviour,), stage) for behaviour in group]
            return [judgement for [judgement] in alone]
        judgements = [judge(b, self._tier, sightings[b.id]) for b in group]
        for judgement in judgements:
            self._seen(judgement)
        return judgements


def _groups(behaviours: Iterable[Behaviour]) -> Iterator[list[Behaviour]]:
    """Yields the behaviours that can share an arena: all that it is made for is the same."""
    shared: dict[object, list[Behaviour]] = {}
    for behaviour in behaviours:
        limits = tuple(sorted(behaviour.limits.items()))
        terms = (behaviour.clock, behaviour.call, limits, behaviour.strikes, behaviour.deals)
        shared.setdefault(behaviour.id if behaviour.alone else terms, []).append(behaviour)
    yield from shared.values()


class _House:
    """An arena for some behaviours, and the look around before and after."""

    def __init__(self, programs: Path, tier: str, group: Sequence[Behaviour], stage: Stage) -> None:
        self._programs = programs
        self._tier = tier
        self._group = group
        self._stage = stage
        self._processes: dict[str, list[BotProcess]] = {}
        self._commands: dict[str, tuple[str, ...]] = {}
        self._sightings = {behaviour.id: Sighting() for behaviour in group}
        self.broke = False

    def job(self, entrants: dict[str, tuple[str, ...]]) -> Job:
        """Returns what the tables have in common."""
        like = self._group[0] if self._group else None
        return Job(
            rules=RULES,
            entrants={**dict.fromkeys(HONEST, (BOT,)), **entrants},
            base=str(self._programs),
            deals=like.deals if like else 1,
            clock=like.clock if like else ClockTerms(20.0, None, 60.0, 30.0, 0.05),
            call=like.call if like else CallStyle.AUTO,
            table=TableTerms(strikes=like.strikes if like else 0),
        )

    async def open(self, jobs: int) -> dict[str, Sighting]:
        """Tries the group, *jobs* at the same time, and returns what was seen, by id."""
        entrants: dict[str, tuple[str, ...]] = {}
        for behaviour in self._group:
            for name, run in zip(
                _names(behaviour), (behaviour.run, behaviour.partner), strict=False
            ):
                words = [word.format_map(self._stage.facts) for word in run]
                self._commands[name] = (str(self._programs / words[0]), *words[1:])
                entrants[name] = ("cmd:" + shlex.join([sys.executable, *self._commands[name]]),)
        before = open_descriptors()
        try:
            async with Arena(self.job(entrants), self._note) as arena:
                directory = arena.keeper.directory
                self._stage.plant_in(directory.path)
                gate = asyncio.Semaphore(jobs)
                await asyncio.gather(*(self._try(b, arena, gate) for b in self._group))
                await self._look_around(arena)
        except KeeperError as error:
            self.broke = True
            problem = f"the arena broke: {error}"
            self._all(lambda s: s.harm.append(problem))
        await self._look_after(directory.path, directory.token, before)
        return self._sightings

    def _note(self, key: LineKey, process: BotProcess) -> None:
        self._processes.setdefault(key.entrant, []).append(process)

    def _all(self, act: Callable[[Sighting], None]) -> None:
        for sighting in self._sightings.values():
            act(sighting)

    async def _try(self, behaviour: Behaviour, arena: Arena, gate: asyncio.Semaphore) -> None:
        async with gate:
            sighting = self._sightings[behaviour.id]
            began = time.monotonic()
            names = _names(behaviour)
            seats = (HONEST[0], *names, *HONEST[1:])[:3]
            try:
                async with asyncio.timeout(LONGEST):
                    if len(names) > 1:
                        await _start(arena, names)
                    done = await arena.result(TableJob(0, 0, 0, seats, KEY))
            except TimeoutError:
                sighting.harm.append(f"the table did not end within {LONGEST:g} s")
            else:
                if done.problem:
                    sighting.harm.append(f"the table is void: {done.problem.strip()}")
                else:
                    _judge_table(behaviour, done.result, names, sighting)
            await self._end(names, arena, sighting)
            sighting.leaked = self._stage.leaked(sighting.output)
            sighting.seconds = time.monotonic() - began

    async def _end(self, names: Sequence[str], arena: Arena, sighting: Sighting) -> None:
        """Ends the bots of one behaviour, and reads all that they wrote."""
        arena.pool.renew([LineKey(name, 0, 0) for name in names])
        for name in names:
            for process in self._processes.get(name, ()):
                await process.stop()
                if (report := process.report) is not None:
                    sighting.output += report.stdout + b"\n" + report.stderr + b"\n"
        mine = {name: self._commands[name] for name in names}
        await self._settle(lambda: self._still(mine), sighting.left.append)

    @staticmethod
    def _still(commands: dict[str, tuple[str, ...]]) -> str:
        pids = [str(pid) for pid, owner in processes_of("\0", commands) if owner]
        return f"processes {', '.join(pids)}" if pids else ""

    async def _settle(self, look: Callable[[], str], tell: Callable[[str], None]) -> None:
        """Tells what *look* still finds after a while; nothing if it is gone by then."""
        patience = time.monotonic() + SETTLE
        while found := look():
            if time.monotonic() > patience:
                tell(found)
                return
            await asyncio.sleep(0.02)

    async def _look_around(self, arena: Arena) -> None:
        """Looks what is there beside the honest bots, while they still run."""
        run = arena.keeper.directory.path
        honest = sum(len(self._processes.get(name, ())) for name in HONEST)
        await self._settle(
            lambda: ", ".join(sorted(directories_in(run))[honest:]),
            lambda what: self._all(lambda s: s.left.append(f"directories {what} of the run")),
        )

    async def _look_after(self, run: Path, token: str, before: int) -> None:
        """Looks what is there once the arena is closed."""

        def look() -> str:
            found = [f"process {pid}" for pid, _ in processes_of(token, self._commands)]
            found += [str(path) for path in (run,) if path.exists()]
            more = open_descriptors() - before
            return ", ".join([*found, *([f"{more} descriptors"] if more > 0 else [])])

        await self._settle(look, lambda what: self._all(lambda s: s.left.append(what)))


def _names(behaviour: Behaviour) -> tuple[str, ...]:
    """Returns the entrants of a behaviour: one, or two that sit at the table together."""
    return (behaviour.id, f"{behaviour.id}+") if behaviour.partner else (behaviour.id,)


async def _start(arena: Arena, names: Sequence[str]) -> None:
    """Starts bots that belong together, so that each is there when the other looks for it."""
    keys = [LineKey(name, 0, 0) for name in names]
    lines = arena.pool.seat(keys)
    try:
        await asyncio.gather(*(line.warm_up() for line in lines), return_exceptions=True)
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
            sighting.harm.append(f"{fault.entrant} was charged with {fault.kind}: {fault.detail}")
    try:
        [match] = load_matches(result.record.splitlines())
        verify_match(match)
    except (RecordError, RecordMismatchError) as error:
        sighting.harm.append(f"the record does not hold: {error}")
        return
    offender = any(result.places[seat] == 3 for seat, e in enumerate(result.seats) if e in names)
    if result.ending == "forfeit" and not offender:
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
