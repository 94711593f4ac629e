"""Options that several commands share."""

from __future__ import annotations

import math
from typing import Any

import click

from referee.bots.sandbox.tiers import Limits, Tier
from referee.bots.terms import LONG_MOVE
from tournaments.durations import parse_duration
from tournaments.holding import limits_text
from tournaments.schedule import Format


class DurationType(click.ParamType[float]):
    """A duration in seconds, written ``500ms``, ``2s``, ``1m`` or as a number of seconds."""

    name = "duration"

    def __init__(self, *, positive: bool = True) -> None:
        """Makes a type; *positive* durations must be more than nothing."""
        self._positive = positive

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Returns *value* in seconds."""
        try:
            return parse_duration(value, positive=self._positive)
        except ValueError as error:
            self.fail(f"{error}, got {value!r}", param, ctx)


class NumberRange(click.FloatRange):
    """A number within bounds; ``nan``, which is neither above nor below any, is none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Returns *value* as a number."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"expected a number, got {value!r}", param, ctx)
        return number


DURATION = DurationType()
DURATION_OR_NONE = DurationType(positive=False)
"""A duration that may be nothing at all."""

format_option = click.option(
    "--format", "form", type=click.Choice([str(form) for form in Format]),
    help="Who meets whom; round-robin if nothing is said. `moon tournament plan` shows it.",
)  # fmt: skip

SHORTEST_BEAT = 0.05
"""Seconds between two lines that say how far something is, at least."""

workers_option = click.option(
    "-j", "--workers", type=click.IntRange(1), help="Worker processes that play."
)

heartbeat_option = click.option(
    "--heartbeat", type=DURATION, default="10s", show_default=True,
    callback=lambda *given: max(given[-1], SHORTEST_BEAT),
    help="How often to say how far it is, where there is no terminal.",
)  # fmt: skip

json_option = click.option("--json", "as_json", is_flag=True, help="Write one JSON document.")

rules_option = click.option(
    "--rules", "rules", metavar="NAME", help="The rules, by a name of `moon rules list`."
)

rule_option = click.option(
    "--rule", "changes", metavar="OPTION=VALUE", multiple=True, help="Change one option of them."
)

sandbox_option = click.option(
    "--sandbox", type=click.Choice([str(tier) for tier in Tier]),
    help="How bots are held; basic if nothing is said. `moon doctor` tells what this host can do.",
)  # fmt: skip

limit_option = click.option(
    "--limit", "limits", metavar="NAME=VALUE", multiple=True,
    help=f"Change what a bot may use: {limits_text(Limits())}.",
)  # fmt: skip

ponder_option = click.option(
    "--ponder", is_flag=True,
    help="Let bots think in the time of others; else, where one table at a time is played under a "
    f"move time from {LONG_MOVE:g}s on, they are stopped while they are not to move.",
)  # fmt: skip
