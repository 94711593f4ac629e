"""Runs the zoo: each behaviour at a table of its own, with two honest bots, under the referee."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from referee.bots.sandbox import Tier, check_tier, harden_self
from referee.errors import BotError
from tournaments.zoo.catalogue import Behaviour
from tournaments.zoo.house import ATTEMPTS, KEY, House, descriptors_left
from tournaments.zoo.judging import Judgement, judge
from tournaments.zoo.stage import Stage, open_descriptors


class Zoo:
    """Tries behaviours in one tier.

    Attributes:
        left: What was left of the run as a whole, when all was over.
        in_company: What came, twice, of behaviours that shared an arena, and of none of them alone.
    """

    def __init__(self, programs: Path, tier: str, jobs: int, tried: Callable[[], None]) -> None:
        """Makes a zoo.

        Args:
            programs: The folder of the programs.
            tier: The sandbox of all bots, the honest ones too.
            jobs: How many behaviours are tried at the same time.
            tried: Is called after each behaviour.

        Raises:
            TierUnavailableError: if this host cannot give the tier.
        """
        self.left: tuple[str, ...] = ()
        self.in_company: tuple[str, ...] = ()
        self._programs = programs
        self._tier = tier
        self._gate = asyncio.Semaphore(jobs)
        self._tried = tried
        self._counted: set[str] = set()
        self._houses: list[House] = []
        if tier != Tier.NONE:
            harden_self()
        promises = check_tier(Tier(tier)).promises
        self._unkept = {promise.key: promise.reason for promise in promises if not promise.kept}

    async def run(self, behaviours: Sequence[Behaviour]) -> list[Judgement]:
        """Tries *behaviours* and returns the judgements, in their order.

        Those that could harm others, or be harmed, come last, each alone. Where somebody came to
        harm, or something was left, among several that share an arena, each of them is tried again
        in one of its own: then it is known whose doing it is. If nobody's, they are tried together
        once more.
        """
        found: list[Judgement] = []
        with Stage(KEY) as stage:
            await House(self._programs, self._tier, (), stage).play_honestly()
            before = open_descriptors()
            together = _groups(b for b in behaviours if not b.alone)
            for group in await asyncio.gather(*(self._explain(g, stage) for g in together)):
                found += group
            for behaviour in behaviours:
                if behaviour.alone:
                    found += await self._try((behaviour,), stage)
            self.left = await descriptors_left(before)
        order = [behaviour.id for behaviour in behaviours]
        return sorted(found, key=lambda judgement: order.index(judgement.behaviour.id))

    def so_far(self) -> list[Judgement]:
        """Returns what can be said of those that were tried, where the rest never will be."""
        found = {
            behaviour.id: judge(behaviour, self._tier, sighting, self._unkept)
            for house in self._houses
            for behaviour, sighting in house.finished
        }
        return list(found.values())

    async def _explain(self, group: Sequence[Behaviour], stage: Stage) -> list[Judgement]:
        """Tries behaviours that share an arena, and finds out whose doing is what came of it."""
        found = {judgement.behaviour.id: judgement for judgement in await self._try(group, stage)}
        unclear = [judgement.behaviour for judgement in found.values() if _came_of(judgement)]
        for [again] in await asyncio.gather(*(self._try((each,), stage) for each in unclear)):
            found[again.behaviour.id] = again
        if unclear and not any(_came_of(found[each.id]) for each in unclear):
            self.in_company += tuple(
                f"{judgement.behaviour.id}: {'; '.join(what)}"
                for judgement in await self._try(group, stage)
                if (what := _came_of(judgement))
            )
        return list(found.values())

    def _count(self, name: str) -> None:
        """Tells of a behaviour once, however often it is tried."""
        if name not in self._counted:
            self._counted.add(name)
            self._tried()

    async def _try(self, group: Sequence[Behaviour], stage: Stage) -> list[Judgement]:
        """Tries behaviours that share an arena.

        Should it break, those that were being tried get one each, and the rest another one.

        Raises:
            BotError: if no arena stands for long enough to try anything.
        """
        todo = [list(group)]
        found: list[Judgement] = []
        attempts = dict.fromkeys((b.id for b in group), 0)
        while todo:
            some = todo.pop()
            house = House(self._programs, self._tier, some, stage)
            self._houses.append(house)
            sightings = await house.open(self._gate, self._count)
            if len(house.untried) == len(some):
                raise BotError(f"the zoo cannot be opened here: {house.problem}")
            again = []
            for behaviour in house.unfinished:
                attempts[behaviour.id] += 1
                if attempts[behaviour.id] < ATTEMPTS:
                    again.append(behaviour)
            todo += [[behaviour] for behaviour in again]
            todo += [house.untried] if house.untried else []
            done = [b for b in some if b not in again and b not in house.untried]
            found += (judge(b, self._tier, sightings[b.id], self._unkept) for b in done)
        return found


def _came_of(judgement: Judgement) -> list[str]:
    """Returns the harm to others that came of a behaviour, and what was left of it."""
    sighting = judgement.sighting
    return [*sighting.harm, *(f"left {each}" for each in sighting.left)]


def _groups(behaviours: Iterable[Behaviour]) -> Iterator[list[Behaviour]]:
    """Yields the behaviours that can share an arena: all that it is made for is the same."""
    shared: dict[object, list[Behaviour]] = {}
    for behaviour in behaviours:
        limits = tuple(sorted(behaviour.limits.items()))
        terms = (behaviour.clock, behaviour.call, limits, behaviour.strikes, behaviour.deals)
        shared.setdefault(terms, []).append(behaviour)
    yield from shared.values()
