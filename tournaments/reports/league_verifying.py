"""A whole league worked out again: its log, its entries, its nights, and that they fit together.

Every byte is covered that a standing hangs on: the log by the hashes of its lines, the terms by a
line of the log, the copy of an entry by its content hash, the store of a closed night and its
digest by what the log has published. What is in ``reports`` was made of these and is not looked at,
nor is a night that is not closed, but for what its own checksums and records say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from referee.errors import ConfigError, MoonError, StoreError, VerificationError
from tournaments.league.audit import read_audit
from tournaments.league.config import FILE
from tournaments.league.folder import AUDIT, League
from tournaments.league.ladder import ladder, read_nights
from tournaments.league.nights import (
    NightFile,
    closed_told,
    night_files,
    terms_hash,
    terms_told,
)
from tournaments.reports.judging import Tally
from tournaments.reports.verifying import verify_store
from tournaments.store.digest import SUFFIX


@dataclass(slots=True)
class LeagueVerdict:
    """What came of checking a league."""

    path: Path
    differences: list[str] = field(default_factory=list)
    """What does not hold, a line each that begins with its place."""
    tally: Tally = field(default_factory=Tally)
    lines: int = 0
    """Of the log."""
    head: str = ""
    """The hash of the last line of the log, which stands for all of it."""
    entries: int = 0
    nights: int = 0

    @property
    def holds(self) -> bool:
        """Whether nothing was found that does not hold."""
        return not self.differences


def verify_league(path: Path, step: Callable[[], None] = lambda: None) -> LeagueVerdict:
    """Returns what comes of checking the league at *path*.

    Args:
        path: The folder of the league.
        step: Called after each table.
    """
    verdict = LeagueVerdict(path)
    try:
        league = League.open(path)
    except (ConfigError, StoreError, VerificationError) as error:
        verdict.differences.append(str(error))
        verdict.differences += _log(path)
        return verdict
    verdict.lines, verdict.head = len(league.audit.lines), league.audit.head
    verdict.differences += _log(path)
    verdict.differences += _terms(league)
    verdict.differences += _entries(league, verdict)
    verdict.differences += _nights(league, verdict, step)
    if verdict.holds:
        ladder(read_nights(league))
    return verdict


def _log(path: Path) -> Iterator[str]:
    """Yields what is wrong with the log, also of a league that cannot be opened."""
    try:
        torn = read_audit(path / AUDIT).torn
    except MoonError as error:
        yield str(error)
        return
    if torn:
        yield (
            f"{path / AUDIT}: ends in {len(torn)} bytes that are no whole line; the next command "
            "that changes the league writes that down"
        )


def _terms(league: League) -> Iterator[str]:
    told = terms_told(league)
    if told is not None and told != terms_hash(league):
        yield (
            f"{league.folder / FILE}: is not the file of the log; if the organiser has changed it, "
            "moon league seal writes that down"
        )


def _entries(league: League, verdict: LeagueVerdict) -> Iterator[str]:
    """Yields which copies are not what was entered."""
    for entry in league.entries:
        verdict.entries += 1
        try:
            league.bot(entry)
        except VerificationError as error:
            yield str(error)


def _nights(league: League, verdict: LeagueVerdict, step: Callable[[], None]) -> Iterator[str]:
    nights, told = night_files(league), closed_told(league)
    known = {file for n in nights for file in (n.path.name, n.path.name + SUFFIX)}
    for name in sorted(path.name for path in league.nights.iterdir()):
        if name not in known:
            yield f"{league.nights / name}: is no file of a night that the league knows"
    there = {night.number for night in nights}
    for number in sorted(told.keys() - there):
        yield f"{league.nights}: night {number} was closed, by the log, and is not there"
    for night in nights:
        verdict.nights += 1
        yield from _night(night, told.get(night.number), verdict, step)


def _night(
    night: NightFile,
    told: object,
    verdict: LeagueVerdict,
    step: Callable[[], None],
) -> Iterator[str]:
    try:
        found = verify_store(night.path, step=step)
    except StoreError as error:
        yield str(error)
        return
    yield from found.differences
    verdict.tally.matches += found.tally.matches
    verdict.tally.deals += found.tally.deals
    if not isinstance(told, dict) or not found.holds:
        return
    for name in ("commitment", "fingerprint", "digest"):
        value = getattr(found, name)
        if value != told[name]:
            yield f"{night.path}: the log has the {name} {told[name]}, but it is {value or 'gone'}"
