"""Which store a command reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from referee.errors import ConfigError
from tournaments.config import store_path
from tournaments.store import Store


def store_argument(command: click.decorators.FC) -> click.decorators.FC:
    """Adds the argument that names a store, and ``--store FILE``, which means the same."""
    option = click.option("--store", "named", metavar="FILE", help="The store of the run.")
    return click.argument("where", required=False, metavar="[STORE | FILE.toml]")(option(command))


def open_store(where: str | None, named: str | None) -> Store:
    """Returns the store that the command line names, for reading; see `store_named`.

    Raises:
        ConfigError: if none is named, or two.
        StoreError: if it cannot be read.
    """
    return Store.open(store_named(where, named))


def store_named(where: str | None, named: str | None) -> Path:
    """Returns where the store is that the command line names.

    Args:
        where: A store, or a tournament file whose store is meant.
        named: The value of ``--store``.

    Raises:
        ConfigError: if none is named, or two.
    """
    if where is not None and named is not None:
        raise ConfigError(None, "--store", f"two stores are named, {where!r} and {named!r}")
    [path] = stores_named([each for each in (where or named,) if each is not None])
    return path


def stores_named(places: Sequence[str]) -> list[Path]:
    """Returns where the stores are that *places* name, each by itself or by its tournament file.

    Raises:
        ConfigError: if none is named.
    """
    if not places:
        raise ConfigError(None, "STORE", "name the store of a run, or its tournament file")
    return [store_path(each) if each.endswith(".toml") else Path(each) for each in places]
