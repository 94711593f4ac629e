"""`moon bench`: how fast it all is on this machine, and what bounds it."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Iterator
from importlib.metadata import version

import click

from referee import __version__
from tournaments.bench.suite import (
    BATCH,
    BATCH_ECHO,
    BYTES_ECHO,
    DECISION_ECHO,
    EUCHRE,
    IN_PROCESS,
    PLAYOUT,
    SOCKET,
    START,
    STEP,
    STEPS,
    STREAM,
    STREAM_ECHO,
    TABLES,
    TOURNAMENT,
    UNARY,
    UNARY_ECHO,
    Figures,
    measure,
    overheads,
)
from tournaments.cli.options import NumberRange, json_option
from tournaments.cli.patience import Patience
from tournaments.cli.terminal import console, print_json
from tournaments.reports.grids import Column, Grid

WORDS = {
    SOCKET: "bare: a message over a unix socket",
    UNARY_ECHO: "bare: a call of gRPC",
    STREAM_ECHO: "bare: a message on a stream",
    BYTES_ECHO: "bare: a message as long as 32, each 32nd",
    DECISION_ECHO: "bare: a decision on a stream",
    BATCH_ECHO: "bare: 32 decisions in a message, each",
    UNARY: "a decision by calls, one table",
    STREAM: "a decision by the stream, one table",
    BATCH: f"a decision by the stream, {TABLES} tables",
    IN_PROCESS: f"a decision inside the process, {TABLES} tables",
    STEP: "rules: an action, step by step",
    PLAYOUT: "rules: an action of a playout",
    EUCHRE: "OpenSpiel's euchre: an action",
}


@click.command()
@click.option(
    "--seconds", type=NumberRange(0.1, 60), default=1.5, show_default=True,
    help="How long to measure each.",
)  # fmt: skip
@json_option
def bench(seconds: float, as_json: bool) -> None:
    """Measure how fast it all is on this machine.

    Three first_legal bots, which take no time to think, are asked in every way there is; beside
    each stands the same way with nothing done at either end. All takes turns in several rounds, so
    the ratios hold on a busy machine too. It takes less than a minute.
    """
    with Patience("measurements", STEPS) as patience:
        figures = asyncio.run(measure(seconds, patience.step))
    if as_json:
        print_json("moon.bench/1", _document(seconds, figures))
    else:
        _print(figures)


def _document(seconds: float, figures: Figures) -> dict[str, object]:
    return {
        "code_version": __version__,
        "host": _host(),
        "seconds": seconds,
        "figures": {
            key: {
                "unit": figure.unit,
                "value": figure.value,
                "lowest": min(figure.values),
                "highest": max(figure.values),
            }
            for key, figure in figures.items()
        },
        "overhead": {
            way: {"us": over.micros, "share": over.share}
            for way, over in overheads(figures).items()
        },
    }


def _host() -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "grpcio": version("grpcio"),
        "protobuf": version("protobuf"),
    }


def _print(figures: Figures) -> None:
    grid = Grid(
        Column("", is_text=True),
        Column("a second"),
        Column("us each"),
        Column("over bare", spare=1),
    )
    over = overheads(figures)
    for key, words in WORDS.items():
        if key in figures:
            rate = figures[key].value
            extra = f"{over[key].micros:+.1f} us {over[key].share:+.0%}" if key in over else ""
            grid.add_row(words, f"{rate:,.0f}", f"{1e6 / rate:,.1f}", extra)
    screen = console()
    screen.print(grid)
    for line in _lines(figures):
        screen.print(line, soft_wrap=True)


def _lines(figures: Figures) -> Iterator[str]:
    batch, inside, tables = (figures[key].value for key in (BATCH, IN_PROCESS, TOURNAMENT))
    calls, host = figures[UNARY].value, _host()
    yield f"by batches {batch / calls:.1f}, inside {inside / calls:.1f} times as many as by calls"
    yield f"a bot starts in {figures[START].value:,.0f} ms"
    yield f"a tournament of cheap bots plays and stores {tables:,.1f} tables a second"
    yield f"{host['cores']} cores with a load of {host['load']:.1f}, Python {host['python']}"
