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
from tournaments.files import paths_in
from tournaments.league.audit import read_audit
from tournaments.league.config import FILE
from tournaments.league.folder import AUDIT, League
from tournaments.league.nights import (
    CLOSED,
    SEALED,
    NightFile,
    closed_told,
    night_files,
    sealed_told,
)
from tournaments.league.strays import unknown_copies
from tournaments.league.terms import terms_hash, terms_told
from tournaments.reports.judging import Tally
from tournaments.reports.night_verifying import night_differences
from tournaments.reports.verifying import Verdict, verify_store
from tournaments.sealing import commitment
from tournaments.store import Store
from tournaments.store.digest import SUFFIX
from tournaments.store.files import LOGS


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
    commitments: list[str] = field(default_factory=list)
    """To the seed of each night that holds by itself."""

    @property
    def holds(self) -> bool:
        """Whether nothing was found that does not hold."""
        return not self.differences


def verify_league(
    path: Path, seal: str | None = None, step: Callable[[], None] = lambda: None
) -> LeagueVerdict:
    """Returns what comes of checking the league at *path*.

    Args:
        path: The folder of the league.
        seal: A commitment that was published before one of its nights; ``None`` for none.
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
    if seal is not None and seal.strip().lower() not in verdict.commitments:
        verdict.differences.append(
            f"{league.nights}: no night has a seed that opens the seal {seal}"
        )
    return verdict


def _log(path: Path) -> Iterator[str]:
    """Yields what is wrong with the log, also of a league that cannot be opened."""
    try:
        audit = read_audit(path / AUDIT)
    except MoonError as error:
        yield str(error)
        return
    if not audit.is_ended:
        yield (
            f"{path / AUDIT}: line {len(audit.lines)} has lost its end of line; the next command "
            "that changes the league puts it back"
        )
    if audit.torn:
        yield (
            f"{path / AUDIT}: ends in {len(audit.torn)} bytes that are no whole line; the next "
            "command that changes the league writes that down"
        )


def _terms(league: League) -> Iterator[str]:
    told = terms_told(league)[-1:]
    if told and told[0] != terms_hash(league):
        yield (
            f"{league.folder / FILE}: is not the file of the log; if the organiser has changed it, "
            "moon league seal writes that down"
        )


def _entries(league: League, verdict: LeagueVerdict) -> Iterator[str]:
    """Yields which copies are not what was entered, and which the log does not know."""
    for entry in league.entries:
        verdict.entries += 1
        try:
            league.bot(entry)
        except VerificationError as error:
            yield str(error)
    for path in unknown_copies(league.copies, league.contents):
        yield f"{path}: is no copy of an entry that the log knows"


def _nights(league: League, verdict: LeagueVerdict, step: Callable[[], None]) -> Iterator[str]:
    nights, sealed, closed = night_files(league), sealed_told(league), closed_told(league)
    known = {file for n in nights for file in (n.path.name, n.path.name + SUFFIX)}
    # A night that is open may be played at this moment.
    known |= {
        night.path.name + end
        for night in nights
        if night.number not in closed
        for end in (*LOGS, ".lock")
    }
    for path in paths_in(league.nights):
        if path.name not in known:
            yield f"{path}: is no file of a night that the league knows"
    yield from _told(league)
    for number in sorted((sealed.keys() | closed.keys()) - {night.number for night in nights}):
        what = "closed" if number in closed else "sealed"
        yield f"{league.nights}: night {number} was {what}, by the log, and is not there"
    for night in nights:
        verdict.nights += 1
        yield from _night(league, night, verdict, step)


def _told(league: League) -> Iterator[str]:
    """Yields where the log says of a night what does not fit what it has said before."""
    sealed: dict[int, str] = {}
    closed: set[int] = set()
    for line in league.audit.lines:
        if line.event not in (SEALED, CLOSED):
            continue
        number, told = int(line.details["night"]), str(line.details["commitment"])
        place = f"{league.folder / AUDIT}: line {line.number + 1}"
        if number in (sealed if line.event == SEALED else closed):
            yield f"{place}: night {number} was {line.event.removeprefix('night-')} before"
        if line.event == SEALED:
            sealed.setdefault(number, told)
            continue
        closed.add(number)
        if sealed.get(number) != told:
            before = sealed.get(number, "no seal")
            yield f"{place}: closes night {number} with the seal {told}; the log had {before}"
        if commitment(str(line.details["seed"])) != told:
            yield f"{place}: the seed of night {number} does not open the seal {told}"


def _night(
    league: League, night: NightFile, verdict: LeagueVerdict, step: Callable[[], None]
) -> Iterator[str]:
    try:
        found = verify_store(night.path, step=step)
    except StoreError as error:
        yield str(error)
        return
    yield from found.differences
    verdict.tally.matches += found.tally.matches
    verdict.tally.deals += found.tally.deals
    if not found.holds:
        return
    verdict.commitments.append(found.commitment)
    yield from _published(league, night, found)
    with Store.open(night.path) as store:
        yield from night_differences(league, night.number, store)


def _published(league: League, night: NightFile, found: Verdict) -> Iterator[str]:
    """Yields where a night is not what the log has published of it."""
    sealed = sealed_told(league).get(night.number, ())
    if not sealed:
        yield f"{night.path}: the log does not say that this night was sealed"
    for each in sealed:
        if each != found.commitment:
            yield f"{night.path}: its seed does not open the seal {each} of the log"
    told = closed_told(league).get(night.number)
    if told is None:
        if found.is_closed:
            yield (
                f"{night.path}: is closed, and the log does not say so; if the closing was killed, "
                "moon league seal writes that down"
            )
        return
    if not found.is_closed:
        yield f"{night.path}: was closed, by the log, and is open"
    for name in ("commitment", "fingerprint", "standings", "digest"):
        claim, value = told.get(name), getattr(found, name)
        if value != claim:
            yield f"{night.path}: the log has the {name} {claim}, but it is {value or 'gone'}"
