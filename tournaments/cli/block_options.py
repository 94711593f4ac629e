"""The options of commands that play blocks of equal deals: `moon compare` and `moon lab cross`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from referee.bots.terms import ClockTerms
from tournaments.cli.options import (
    DURATION,
    heartbeat_option,
    limit_option,
    rule_option,
    rules_option,
    sandbox_option,
    workers_option,
)

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])
TARGET = "target"


class DealsType(click.ParamType["int | None"]):
    """A number of deals, or ``target``, which is ``None``."""

    name = "deals"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | None:
        """Returns *value* as a number."""
        if value is None or value == TARGET:
            return None
        if str(value).isdecimal() and int(str(value)) >= 1:
            return int(str(value))
        return self.fail(f"expected a number from 1 on or 'target', got {value!r}", param, ctx)


def block_options(command: FunctionT) -> FunctionT:
    """Adds the options that say what is played, how fast, and how bots are held."""
    options = (
        rules_option,
        rule_option,
        click.option("--deals", type=DealsType(), metavar="N|target",
                     help="Deals of a match; to the target if nothing is said."),
        click.option("--seed", help="Any text; the same seed deals the same tiles."),
        workers_option,
        click.option("--move-time", type=DURATION, default=f"{ClockTerms().move_time:g}s",
                     show_default=True, help="For each decision."),
        sandbox_option,
        limit_option,
        heartbeat_option,
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command
