"""The bots of a worker: who shares a process with whom, and how many of them there are."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from referee.bots import pool as pools
from referee.bots.clock import RunningClock
from referee.bots.keeper_client import Keeper
from referee.bots.pool import BotPool, LineKey
from referee.bots.sessions import SessionTerms, StartError
from referee.bots.spec import BotSpec, parse_bot
from referee.bots.terms import ClockTerms
from referee.rules import preset_rules
from tests.bots.processes import environment, marked, wait_until

BOTS = Path(__file__).parents[1] / "e2e" / "bots"
FAULTY = Path(__file__).parents[1] / "faulty_bots"
TERMS = ClockTerms(move_time=60.0, startup=60.0, first_move=60.0, grace=0.0)


def specs(*texts: str) -> tuple[BotSpec, ...]:
    return tuple(parse_bot(text, BOTS) for text in texts)


@asynccontextmanager
async def pool_of(keeper: Keeper, **entrants: Sequence[BotSpec]) -> AsyncIterator[BotPool]:
    sessions = SessionTerms(preset_rules("tournament-3p"), TERMS.startup)
    async with (
        RunningClock() as clock,
        BotPool(entrants, keeper, clock, TERMS, sessions=sessions) as pool,
    ):
        yield pool


def key(entrant: str, lane: int = 0, role: int = 0) -> LineKey:
    return LineKey(entrant, lane, role)


async def up(pool: BotPool, *keys: LineKey) -> None:
    """Seats *keys* and waits until their bots have shaken hands."""
    await asyncio.gather(*(line.warm_up() for line in pool.seat(keys)))


def pids(keeper: Keeper) -> set[int]:
    """Returns the processes of bots that run."""
    return set(marked(keeper.directory.token))


async def test_nothing_is_started_before_it_is_needed(keeper: Keeper) -> None:
    async with pool_of(keeper, ann=specs("./meek.py")) as pool:
        pool.seat([key("ann")])
        assert pids(keeper) == set()


async def test_every_entrant_lane_and_place_in_a_pair_has_a_process_of_its_own(
    keeper: Keeper,
) -> None:
    keys = [key("ann"), key("ann", lane=1), key("ann", role=1), key("bob")]
    pair = specs("./meek.py", "./tall.py")
    async with pool_of(keeper, ann=pair, bob=specs("./dice.py")) as pool:
        await up(pool, *keys)
        started = pids(keeper)
        assert len(started) == 4
        programs = sorted(Path(program_of(pid)).name for pid in started)
        assert programs == ["dice.py", "meek.py", "meek.py", "tall.py"], "role 1 is the partner"
        homes = {environment(pid)["HOME"] for pid in started}
        assert len(homes) == 4, "no two lanes share a folder"
        pool.leave(keys)
        await up(pool, *keys)
        assert pids(keeper) == started, "the next table of a lane finds the same process"
    assert pids(keeper) == set(), "leaving the pool ends everybody"


async def test_one_process_on_two_seats_of_a_table_is_refused(keeper: Keeper) -> None:
    async with pool_of(keeper, ann=specs("./meek.py")) as pool:
        with pytest.raises(ValueError, match="one process"):
            pool.seat([key("ann"), key("ann")])


async def test_renewed_lines_have_other_processes_and_others_keep_theirs(keeper: Keeper) -> None:
    async with pool_of(keeper, ann=specs("./meek.py"), bob=specs("./meek.py")) as pool:
        await up(pool, key("ann"))
        [before] = pids(keeper)
        await up(pool, key("bob"))
        [bob] = pids(keeper) - {before}
        pool.renew([key("ann")])
        [line] = pool.seat([key("ann", lane=0)])
        await gone(keeper, before)
        await line.warm_up()
        assert bob in pids(keeper)
        assert before not in pids(keeper)
        assert len(pids(keeper)) == 2


async def test_idle_processes_make_room_the_longest_idle_first_and_seated_ones_never(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "MAX_PROCESSES", 2)
    names = {name: specs("./meek.py") for name in ("ann", "bob", "cyd", "dan")}
    async with pool_of(keeper, **names) as pool:
        await up(pool, key("ann"))
        [ann] = pids(keeper)
        await up(pool, key("bob"))
        [bob] = pids(keeper) - {ann}
        pool.leave([key("bob")])
        pool.leave([key("ann")])
        pool.seat([key("ann")])
        pool.leave([key("ann")])  # so bob has been idle longer
        await up(pool, key("cyd"))
        await gone(keeper, bob)
        assert ann in pids(keeper)
        pool.seat([key("ann")])
        await up(pool, key("dan"))
        assert {ann} < pids(keeper), "a bot that sits at a table stays"
        assert len(pids(keeper)) == 3, "tables are not held up for the limit"


async def test_a_bot_that_does_not_start_leaves_no_process_and_the_pool_is_whole(
    keeper: Keeper,
) -> None:
    bad = specs(str(FAULTY / "breaks_at_once.py"))
    async with pool_of(keeper, bad=bad, ann=specs("./meek.py")) as pool:
        [line] = pool.seat([key("bad")])
        with pytest.raises(StartError, match="exit code 1"):
            await line.warm_up()
        assert pids(keeper) == set()
        await up(pool, key("ann"))
        assert not pool.failure.done()


def program_of(pid: int) -> str:
    """Returns the file that the Python *pid* runs."""
    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    assert words[0] == sys.executable
    return words[1]


async def gone(keeper: Keeper, pid: int) -> None:
    """Returns once *pid* runs no longer."""
    await asyncio.to_thread(wait_until, lambda: pid not in pids(keeper), f"{pid} is gone")
