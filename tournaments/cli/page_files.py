"""Where a page is written: to a file that the user names, or to one named after what it shows."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import click

from referee.errors import ConfigError
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
    _write(path, page)
    click.echo(f"{path}: {len(page.encode()) / 1000:.0f} kB")


def _is_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return f'name="generator" content="{GENERATOR}'.encode() in file.read(_HEAD)
    except OSError:
        return False


def _write(path: Path, page: str) -> None:
    if path.exists() and not path.is_file():  # a terminal, or a pipe: nothing to put in its place
        _fill(path, page)
        return
    try:
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        _fill(Path(made), page)
        os.chmod(made, 0o666 & ~_umask())  # noqa: PTH101 - the mode that opening a file gives it
        os.replace(made, path)  # noqa: PTH105 - one step, whatever is there
    except BaseException as error:
        with contextlib.suppress(OSError):
            Path(made).unlink()
        if isinstance(error, OSError):
            raise _unwritable(path, error) from None
        raise


def _fill(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise _unwritable(path, error) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(path, None, f"cannot be written: {(error.strerror or '').lower()}")
