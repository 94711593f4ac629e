"""How commands write: results on stdout, everything else on stderr, escapes only for a terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Mapping


def console(*, stderr: bool = False) -> Console:
    """Returns a console that obeys `--color`, NO_COLOR and a reader that is no terminal.

    Names of bots come from strangers, so text is never read as markup.
    """
    context = click.get_current_context(silent=True)
    color = None if context is None else context.color
    return Console(
        stderr=stderr,
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
