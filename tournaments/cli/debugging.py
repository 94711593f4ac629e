"""The option `--debug`: what it changes."""

from __future__ import annotations

from dataclasses import replace

import click
from click.core import ParameterSource

from referee.bots.terms import ClockTerms
from referee.errors import ConfigError

WEEK = 7 * 24 * 3600.0
"""Seconds that everything may take where there are no clocks; a message cannot say more than 24
days."""
_CLOCKS = ("move_time", "bank", "startup", "first_move")


def debug_clock(clock: ClockTerms) -> ClockTerms:
    """Returns *clock* without limits: a breakpoint may last.

    Raises:
        ConfigError: if the command line asks for a clock as well.
    """
    context = click.get_current_context()
    for name in _CLOCKS:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise ConfigError(None, option, "--debug plays without clocks: take one of the two")
    return replace(clock, move_time=WEEK, bank=None, startup=WEEK, first_move=WEEK)
