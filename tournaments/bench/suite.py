"""Everything that `moon bench` measures, side by side in one run.

What is compared takes turns: each way is measured for a short while, in several rounds, so that a
slow moment of the machine meets all of them. A figure is the median over the rounds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

from referee.bots.echo import Echo
from referee.bots.rundir import temporary_folder
from referee.bots.terms import CallStyle
from referee.rules import parse_rules
from tournaments.bench import rules as race
from tournaments.bench.decisions import BEHIND, INSIDE, Tables, job_of, start_up_time
from tournaments.bench.tournament import tournament_rate
from tournaments.runner.arena import Arena

ROUNDS = 3
ACTIONS = 10_000
"""Actions in a round of the rules."""
TABLES = 96
"""Tables in play where decisions travel in batches: 32 for each bot."""

Rate: TypeAlias = Callable[[float], Awaitable[float]]
"""Measures for so many seconds; returns how many a second."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that was measured."""

    unit: str
    values: tuple[float, ...]
    """By round."""

    @property
    def value(self) -> float:
        """The median over the rounds."""
        return median(self.values)


@dataclass(frozen=True, slots=True)
class Overhead:
    """What the referee adds to a decision, beyond the bare way to the bot."""

    micros: float
    share: float
    """Of the bare way."""


Figures: TypeAlias = dict[str, Figure]

UNARY_ECHO, STREAM_ECHO = "grpc_unary_echo", "grpc_stream_echo"
BYTES_ECHO, BATCH_ECHO = "grpc_batch_bytes_echo", "grpc_batch_echo"
DECISION_ECHO = "grpc_decision_echo"
SOCKET = "socket_echo"
UNARY, STREAM, BATCH, IN_PROCESS = "unary", "stream", "batch", "in_process"
STEP, PLAYOUT, EUCHRE = "rules_step", "rules_playout", "openspiel_euchre"
START, TOURNAMENT = "bot_start", "tournament"

FLOORS = {UNARY: UNARY_ECHO, STREAM: DECISION_ECHO, BATCH: BATCH_ECHO}
"""By way to ask: the bare way under it."""
WAYS = 10
RULES = {STEP: race.STEP, PLAYOUT: race.PLAYOUT, EUCHRE: race.EUCHRE}

STEPS = 1 + WAYS * ROUNDS + ROUNDS + 1
"""How often `measure` calls *step*."""


async def measure(seconds: float, step: Callable[[], None]) -> Figures:
    """Returns every figure, by its key.

    Args:
        seconds: How long to measure each.
        step: Called whenever one part is done.
    """
    figures = _rules()
    step()
    with temporary_folder() as folder:
        figures |= await _ways(seconds, step)
        rate = await tournament_rate(seconds, folder)
    figures[TOURNAMENT] = Figure("tables/s", (rate,))
    step()
    return figures


def overheads(figures: Figures) -> dict[str, Overhead]:
    """Returns what the referee adds to a decision, by way to ask."""
    found = {}
    for way, floor in FLOORS.items():
        ours, bare = (1e6 / figures[key].value for key in (way, floor))
        found[way] = Overhead(ours - bare, ours / bare - 1)
    return found


def _rules() -> Figures:
    timed = race.contenders(parse_rules("tournament-3p"))
    wanted = {key: name for key, name in RULES.items() if name in timed}
    rates = race.race({name: timed[name] for name in wanted.values()}, ACTIONS, ROUNDS)
    return {key: Figure("actions/s", tuple(rates[name])) for key, name in wanted.items()}


async def _ways(seconds: float, step: Callable[[], None]) -> Figures:
    """Returns the figures of every way to another process, and to a bot."""
    async with AsyncExitStack() as stack:
        echo = await stack.enter_async_context(Echo())
        unary = await stack.enter_async_context(Arena(job_of(BEHIND, CallStyle.UNARY)))
        stream = await stack.enter_async_context(Arena(job_of(BEHIND)))
        inside = await stack.enter_async_context(Arena(job_of(INSIDE)))
        by_call, by_stream, by_function = Tables(unary), Tables(stream), Tables(inside)
        ways: dict[str, Rate] = {
            SOCKET: echo.socket,
            UNARY_ECHO: echo.unary,
            STREAM_ECHO: echo.stream,
            BYTES_ECHO: echo.batches,
            DECISION_ECHO: lambda seconds: echo.decisions(seconds, 1),
            BATCH_ECHO: echo.decisions,
            UNARY: lambda seconds: by_call.rate(1, seconds),
            STREAM: lambda seconds: by_stream.rate(1, seconds),
            BATCH: lambda seconds: by_stream.rate(TABLES, seconds),
            IN_PROCESS: lambda seconds: by_function.rate(TABLES, seconds),
        }
        values: dict[str, list[float]] = {key: [] for key in (*ways, START)}
        for number in range(ROUNDS):
            # The bots of lane 0 play, so a bot of another lane has to be started.
            values[START].append(1000 * await start_up_time(unary, number + 1))
            step()
            for key, rate in ways.items():
                values[key].append(await rate(seconds / ROUNDS))
                step()
    figures = {key: Figure("/s", tuple(found)) for key, found in values.items()}
    return figures | {START: Figure("ms", tuple(values[START]))}
