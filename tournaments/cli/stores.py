"""Which store a command reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from referee.errors import ConfigError
from tournaments.config import store_path
from tournaments.league.config import FILE as LEAGUE
from tournaments.league.folder import AUDIT, NIGHTS, League
from tournaments.league.nights import NightFile, night_files
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
        ConfigError: if none is named, or a league; names the store of its last night.
    """
    if not places:
        raise ConfigError(None, "STORE", "name the store of a run, or its tournament file")
    for each in places:
        _check_no_league(each)
    return [store_path(each) if each.endswith(".toml") else Path(each) for each in places]


def league_at(place: str) -> Path | None:
    """Returns the folder of the league that *place* is, or whose terms it is; ``None`` if none."""
    path = Path(place)
    if (path / LEAGUE).is_file():
        return path
    is_terms = path.name == LEAGUE and path.with_name(AUDIT).is_file()
    return path.parent if is_terms else None


def night_at(path: Path) -> tuple[League, NightFile] | None:
    """Returns the night whose store is at *path*, with its league; ``None`` if it is no night."""
    folder = path.absolute().parent
    if folder.name != NIGHTS or league_at(str(folder.parent)) is None:
        return None
    league = League.open(folder.parent)
    nights = (night for night in night_files(league) if night.path.name == path.name)
    return next(((league, night) for night in nights), None)


def _check_no_league(place: str) -> None:
    """Refuses a league where a store is wanted."""
    if (folder := league_at(place)) is None:
        return
    nights = night_files(League.open(folder))
    hint = "it has no night yet"
    if nights:
        hint = f"name the store of a night, as {folder / NIGHTS / nights[-1].path.name}"
    raise ConfigError(place, None, f"is a league; {hint}")
