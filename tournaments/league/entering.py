"""Takes a new entry into a league: who may enter what under which name, and the entering itself."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from referee.bots.contents import content_hash, passed_over
from referee.bots.names import NameRefusedError
from referee.bots.rundir import remove_tree
from referee.bots.spec import Params, parse_bot
from referee.crashes import crash_point
from referee.errors import ConfigError, MoonError, StoreError
from tournaments.files import sync_folder
from tournaments.league.entries import Entry, Event, Status
from tournaments.league.folder import League
from tournaments.league.names import check_league_name, too_like
from tournaments.league.strays import draft_of, mark_of


class EnteredAlreadyError(MoonError):
    """What is submitted is in the league already, file by file.

    Attributes:
        entry: As what.
    """

    exit_code = 2

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        why = f" ({entry.reason})" if entry.reason else ""
        state = "and plays" if entry.status is Status.ACTIVE else f"and is {entry.status}{why}"
        super().__init__(
            f"the content is that of {entry.id} by {entry.author}, which is in the league {state}; "
            "a new version has to differ"
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """What somebody wants to enter."""

    name: str
    author: str
    source: str
    """The hash of what was submitted, before it was built."""
    params: Params = ()


def check_candidate(
    league: League, name: str, author: str | None, source: str, params: Params = ()
) -> Candidate:
    """Returns the candidate, if it may be entered as far as names and numbers go.

    Args:
        league: Where.
        name: What it is to be called; a name that is there means a new version.
        author: Whose it is; ``None`` for the author of the earlier versions.
        source: The hash of what is submitted.
        params: The parameters that it is started with.

    Raises:
        ConfigError: if name or author cannot be so, or the author has too many entries.
        EnteredAlreadyError: if it is in the league already.
    """
    name = _checked(name, "--as", "name", (e.name for e in league.entries))
    earlier = [entry for entry in league.entries if entry.name == name]
    if author is None:
        if not earlier:
            raise ConfigError(None, "--author", f"is missing; say whose {name} is")
        author = earlier[-1].author
    author = _checked(author, "--author", "author", (e.author for e in league.entries))
    if earlier and earlier[-1].author != author:
        raise ConfigError(
            None, "--as", f"{name} is taken: it is by {earlier[-1].author}; choose another name"
        )
    if earlier and earlier[-1].status is Status.DISQUALIFIED:
        raise ConfigError(
            None,
            "--as",
            f"{earlier[-1].id} is disqualified: {earlier[-1].reason}; a new version can be "
            "submitted once that is restored",
        )
    for entry in league.entries:
        if source in (entry.source, entry.content):
            raise EnteredAlreadyError(entry)
    league.check_room(author, replacing=name)
    return Candidate(name, author, source, params)


def enter(league: League, candidate: Candidate, copy: Path) -> Entry:
    """Takes *candidate* into *league* and returns its entry.

    All is checked again, as others may have entered something meanwhile. Killed at any moment, it
    has either entered all of it or nothing.

    Args:
        league: Where.
        candidate: What it is, as `check_candidate` returned it.
        copy: The folder bot that is played, as `freeze` makes it; it stays where it is.

    Raises:
        ConfigError, EnteredAlreadyError: as for `check_candidate`.
        StoreError: if another command is changing the league, or it cannot be written.
    """
    spec = replace(parse_bot(f"./{copy.name}", copy.parent), params=candidate.params)
    content = content_hash(spec)
    with league.changing() as write:
        c = check_candidate(
            league, candidate.name, candidate.author, candidate.source, candidate.params
        )
        for entry in league.entries:
            if entry.content == content:
                raise EnteredAlreadyError(entry)
        version = 1 + sum(entry.name == c.name for entry in league.entries)
        new = Entry(c.name, version, c.author, content, c.source, "", c.params)
        place = league.copies / content
        _place(copy, place)
        crash_point("league.copied")
        write(Event.ENTERED, new.details())
        mark_of(place).unlink(missing_ok=True)
    return league.entry(new.id)


def _place(copy: Path, place: Path) -> None:
    """Puts a copy of the folder *copy* at *place*, whole or not at all."""
    draft, mark = draft_of(place), mark_of(place)
    try:
        # Whatever ran in the copy until now may have left there what its hash does not tell of.
        left = set(passed_over(copy))
        shutil.copytree(
            copy,
            draft,
            symlinks=True,
            ignore=lambda at, names: [name for name in names if Path(at, name) in left],
        )
        for directory, _, files in os.walk(draft):
            for name in files:
                _sync(Path(directory, name))
            sync_folder(Path(directory))
        crash_point("league.half_copied")
        mark.touch()
        sync_folder(place.parent)
        draft.rename(place)
        sync_folder(place.parent)
    except OSError as error:
        remove_tree(draft)
        problem = (error.strerror or "").lower()
        raise StoreError(f"{place.parent}: cannot be written: {problem}") from None


def _sync(path: Path) -> None:
    if path.is_symlink():
        return
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _checked(text: str, option: str, what: str, others: Iterable[str]) -> str:
    try:
        name = check_league_name(text, what)
    except NameRefusedError as error:
        raise ConfigError(None, option, str(error)) from None
    if (other := too_like(name, others)) is not None:
        raise ConfigError(
            None,
            option,
            f"{name!r} is too like {other!r}, which is in the league; "
            + (
                "write it the same way, or choose another" if what == "author" else "choose another"
            ),
        )
    return name
