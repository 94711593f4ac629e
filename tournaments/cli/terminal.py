"""How commands write: results on stdout, everything else on stderr, escapes only for a terminal."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import click
from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Mapping


WIDE = 200
"""How many columns a line may take where there is no terminal."""


def console(*, stderr: bool = False) -> Console:
    """Returns a console that obeys `--color`, NO_COLOR and a reader that is no terminal.

    Names of bots come from strangers, so text is never read as markup.
    """
    context = click.get_current_context(silent=True)
    color = None if context is None else context.color
    stream = sys.stderr if stderr else sys.stdout
    return Console(
        stderr=stderr,
        # A reader that is no terminal has no width: nothing is cut for it.
        width=None if (stream is not None and stream.isatty()) or "COLUMNS" in os.environ else WIDE,
        force_terminal=True if color else None,
        # rich's own no_color keeps bold and italic; without a colour system nothing is written.
        color_system=None if color is False else "standard" if color else "auto",
        markup=False,
        highlight=False,
        emoji=False,
    )


def print_json(schema: str, body: Mapping[str, object]) -> None:
    """Writes one JSON document to stdout, headed by the name and version of its form."""
    click.echo(json.dumps({"schema": schema, **body}, indent=2, ensure_ascii=False))
