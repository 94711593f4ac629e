"""The nights of a league: where they are, how one is begun, sealed and closed, and what counts.

A night is a store in the folder ``nights``: ``night-1.sqlite``, ``night-2.sqlite``. It is open from
when it is sealed until it is closed; a league has one open night at most. The log of the league
says the commitment when a night is sealed, and its claims, its seed and the hash of its digest when
it is closed.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from referee import __version__
from referee.errors import ConfigError, NotFoundError, VerificationError
from tournaments.files import paths_in
from tournaments.league.folder import League
from tournaments.league.names import check_reason
from tournaments.league.office import night_terms
from tournaments.league.terms import settle_terms
from tournaments.schedule import TableId
from tournaments.sealing import Claims, commitment, finish, seal, sealed
from tournaments.store import Store

SEALED = "night-sealed"
"""The event of the line that publishes a commitment."""
CLOSED = "night-closed"
"""The event of the line that publishes a seed."""
RESCINDED = "rescinded"
"""The event of the line that takes a table out of all standings."""
_NAME = re.compile(r"night-([1-9]\d*)\.sqlite")
TABLE = "NIGHT/TABLE"
"""How commands call the argument that names a table of a night."""
_TABLE = re.compile(r"([1-9]\d{0,17})/(\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class NightFile:
    """A night, by its number from 1."""

    number: int
    path: Path

    @property
    def name(self) -> str:
        """What it is called."""
        return f"night-{self.number}"


def night_files(league: League) -> tuple[NightFile, ...]:
    """Returns the nights of *league*, in order."""
    found = ((_NAME.fullmatch(path.name), path) for path in paths_in(league.nights))
    return tuple(sorted((NightFile(int(m[1]), p) for m, p in found if m), key=lambda n: n.number))


def open_night(league: League) -> NightFile | None:
    """Returns the night that is sealed, or was begun, and is not closed; ``None`` if there is none.

    Raises:
        StoreError: if its store cannot be read.
    """
    nights = night_files(league)
    if not nights:
        return None
    with Store.open(nights[-1].path) as store:
        return None if store.is_closed else nights[-1]


def seal_night(league: League) -> tuple[NightFile, str]:
    """Returns the open night, which is made if there is none, and the commitment to its seed.

    The commitment stands in the log of the league when this returns. A number that the log or a
    file has is never given again, so who deletes a sealed night gets another one and not its place.

    Raises:
        StoreError: if another command is changing the league or playing the night (``locked``).
        VerificationError: if the open night is not the one that the log has sealed.
    """
    with league.changing() as write:
        night = open_night(league)
        if night is None:
            there = {each.number for each in night_files(league)}
            count = max(there | sealed_told(league).keys() | closed_told(league).keys(), default=0)
            night = NightFile(count + 1, league.nights / f"night-{count + 1}.sqlite")
            terms = night_terms(league, night.name).seeded(secrets.token_hex(32))
            Store.create(night.path, terms, code_version=__version__).close()
        with Store.open(night.path) as store:
            _check_told(league, night, store)
            kept = sealed(store)
        if not kept:
            with Store.open(night.path, readonly=False) as store:
                kept = (seal(store),)
        if night.number not in sealed_told(league):
            write(SEALED, {"night": night.number, "commitment": kept[0]})
    return night, kept[0]


def _check_told(league: League, night: NightFile, store: Store) -> None:
    """Refuses a night that is open, but not as the log has it."""
    if night.number in closed_told(league):
        raise _other_night(store, "is open, but the log has closed it and published its seed")
    _check_seed(league, night, store)
    if night.number not in sealed_told(league) and store.first_table_at() is not None:
        problem = "has tables, but the log does not say that it was sealed: its last lines are gone"
        raise _other_night(store, problem)


def _check_seed(league: League, night: NightFile, store: Store) -> None:
    """Refuses a night that has not the seed which the log has sealed."""
    for told in sealed_told(league).get(night.number, ()):
        if told != commitment(store.run.seed):
            raise _other_night(store, f"its seed does not open the seal {told} of the log")


def _other_night(store: Store, problem: str) -> VerificationError:
    return VerificationError(f"{store.path}: {problem}; put the folder back from a copy")


def close_night(league: League, night: NightFile) -> Claims:
    """Closes *night*, also if that was begun before, and publishes its seed in the log.

    Raises:
        StoreError: if somebody has the store, or reads it, so that it is not all in one file.
        VerificationError: if the file is not what it was when it was closed, or not the night that
            the log has sealed.
    """
    with Store.open(night.path) as store:
        _check_seed(league, night, store)
    claims, seed, digest = finish(night.path)
    with league.changing() as write:
        if night.number not in closed_told(league):
            told = {"night": night.number, "seed": seed, **claims._asdict(), "digest": digest}
            write(CLOSED, told)
    return claims


def settle(league: League) -> None:
    """Writes down what the log of *league* does not say yet.

    That is the end of a night whose closing was killed in the middle, and that somebody has changed
    the terms: their file is the one thing in a league that people write.
    """
    settle_terms(league)
    for night in night_files(league)[-1:]:
        with Store.open(night.path) as store:
            is_closed = store.is_closed
        if is_closed and night.number not in closed_told(league):
            close_night(league, night)


def sealed_told(league: League) -> dict[int, tuple[str, ...]]:
    """Returns the commitments that the log has published, by the number of the night.

    There is one of each night, unless somebody has sealed a night anew behind the back of this
    program.
    """
    told: dict[int, tuple[str, ...]] = {}
    for line in league.audit.lines:
        if line.event == SEALED:
            number = int(line.details["night"])
            told[number] = (*told.get(number, ()), str(line.details["commitment"]))
    return told


def closed_told(league: League) -> dict[int, Mapping[str, object]]:
    """Returns what the log has published of each night that was closed, by its number."""
    return {
        int(line.details["night"]): line.details
        for line in league.audit.lines
        if line.event == CLOSED
    }


class NightState(StrEnum):
    """How a night stands."""

    SEALED = "sealed, not begun"
    OPEN = "not over"
    CLOSED = "closed, its seed published"
    UNPUBLISHED = "closed, its seed not published yet"
    """Its closing was interrupted, and is ended by what is done next."""
    OTHER = "closed, but its store is another than then"
    """An older copy has its place, for instance: its seed is published, whatever the store says."""
    MISSING = "its store is missing"


def night_state(*, has_begun: bool, is_closed: bool, is_told: bool) -> NightState:
    """Returns how a night stands whose store is there.

    Args:
        has_begun: Whether a round was begun in it.
        is_closed: Whether its store is closed.
        is_told: Whether the log has closed it and published its seed.
    """
    if is_closed:
        return NightState.CLOSED if is_told else NightState.UNPUBLISHED
    if is_told:
        return NightState.OTHER
    return NightState.OPEN if has_begun else NightState.SEALED


# Tables that do not count


Tables = frozenset[tuple[int, TableId]]
"""Tables, by the number of the night and the id."""


def rescinded(league: League) -> Tables:
    """Returns the tables that were taken out."""
    return frozenset(
        (int(line.details["night"]), TableId(line.details["table"]))
        for line in league.audit.lines
        if line.event == RESCINDED
    )


def rescind(league: League, word: str, why: str) -> tuple[int, TableId]:
    """Takes a table out of all standings; its record stays, and a line in the log says why.

    Args:
        league: The league.
        word: Night and table, as in ``2/17.1``.
        why: The reason, which is published.

    Raises:
        ConfigError: if *word* names no table, or one that is void or was taken out before, or
            there is no reason.
        NotFoundError: if there is no such night or table.
    """
    match = _TABLE.fullmatch(word)
    if match is None:
        raise ConfigError(None, TABLE, f"expected night and table, as in 2/17.1, got {word!r}")
    why = check_reason(why, "--why")
    if not why:
        raise ConfigError(None, "--why", "is empty; the reason is published with the standings")
    number = int(match[1])
    night = night_of(league, number)
    with Store.open(night.path) as store:
        result = store.result(TableId(match[2]))
    table = result.id  # 00.1 finds table 0.1, and only that name takes it out
    if result.is_void:
        problem = "is void, so it counts for nothing: there is nothing to take out"
        raise ConfigError(None, TABLE, f"{number}/{table} {problem}")
    with league.changing() as write:
        if (number, table) in rescinded(league):
            raise ConfigError(None, TABLE, f"{number}/{table} was rescinded already")
        write(RESCINDED, {"night": number, "table": table, "why": why})
    return number, table


def night_of(league: League, number: int) -> NightFile:
    """Returns the night with *number*.

    Raises:
        NotFoundError: if there is none.
    """
    nights = night_files(league)
    for night in nights:
        if night.number == number:
            return night
    known = f"1 to {nights[-1].number}" if nights else "none yet"
    raise NotFoundError(f"{league.nights}: there is no night {number}; there are {known}")


def last_night(league: League) -> NightFile:
    """Returns the night that was begun or sealed last.

    Raises:
        NotFoundError: if there is none.
    """
    nights = night_files(league)
    if not nights:
        raise NotFoundError(f"{league.nights}: no night yet; `moon league night` plays one")
    return nights[-1]


def stores(nights: Iterable[NightFile]) -> Iterator[tuple[NightFile, Store]]:
    """Yields each of *nights* with its store open for reading, until the next is asked for."""
    for night in nights:
        with Store.open(night.path) as store:
            yield night, store
