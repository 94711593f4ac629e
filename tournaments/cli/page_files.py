"""Where a page is written: to a file that the user names, or to one named after what it shows."""

from __future__ import annotations

from pathlib import Path

import click

from referee.errors import ConfigError
from tournaments.cli.outputs import write_output
from tournaments.pages.rendering import GENERATOR

STDOUT = "-"
_HEAD = 2000
"""Bytes at the beginning of a page within which it names its maker."""

page_option = click.option(
    "-o", "--output", "out", metavar="FILE",
    help="Where to write the page; - is standard output. Else it is named after what it shows.",
)  # fmt: skip


def write_page(page: str, out: str | None, name: str) -> None:
    """Writes *page* where the user wants it, and says where that was. It is there whole, or not.

    Args:
        page: The page.
        out: The file; ``-`` for standard output.
        name: The name of the file in the current folder if the user names none. A file of that
            name is replaced only if it is a page of ours.

    Raises:
        ConfigError: if it cannot be written, or would replace something else.
    """
    if out == STDOUT:
        click.echo(page, nl=False)
        return
    path = Path(out or name)
    if out is None and path.exists() and not _is_ours(path):
        raise ConfigError(path, None, "is there, and is no page of moon; name another with -o FILE")
    write_output(path, page, errors="backslashreplace")
    click.echo(f"{path}: {len(page.encode()) / 1000:.0f} kB")


def _is_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return f'name="generator" content="{GENERATOR}'.encode() in file.read(_HEAD)
    except OSError:
        return False
