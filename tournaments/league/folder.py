"""The folder of a league: made whole or not at all, and changed by one command at a time.

    league.toml     its terms
    audit.jsonl     all that was done, and so the register of entries
    entries/        the frozen copy of each entry, by the hash of its content
    nights/         one store a night
    reports/        what was made to be published

Nothing in it names the place where it lies: it can be copied and moved as a whole.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from referee.bots.contents import content_hash
from referee.bots.rundir import remove_tree
from referee.bots.spec import BotSpec, parse_bot
from referee.crashes import crash_point
from referee.errors import ConfigError, NotFoundError, StoreError, VerificationError, did_you_mean
from tournaments.files import paths_in, sync_folder, write_whole
from tournaments.league import config, entries
from tournaments.league.audit import MADE, Audit, append, read_audit
from tournaments.league.config import LeagueConfig, first_config, load_league_config
from tournaments.league.entries import Entry, Event, Status, read_entries
from tournaments.league.freezing import unlike_frozen
from tournaments.league.names import check_reason
from tournaments.league.strays import check_known, sweep
from tournaments.lock import WriterLock

AUDIT = "audit.jsonl"
NIGHTS = "nights"
REPORTS = "reports"

_PARTS = (entries.FOLDER, NIGHTS, REPORTS, AUDIT, config.FILE)
"""What is in a new league; the file with the terms comes last."""
_DRAFT = ".league.new"

PATIENCE = 10.0
"""Seconds for which a command waits for another one that is changing the league."""
_PAUSE = 0.05


class League:
    """A league in its folder, as it was when it was opened or last changed through this object.

    Attributes:
        folder: Where it is.
        config: Its terms.
        audit: Its log.
        entries: Every entry there ever was, in the order in which they came.
    """

    def __init__(self, folder: Path, terms: LeagueConfig, audit: Audit) -> None:
        """Takes what was read; use `open` or `make`."""
        self.folder = folder
        self.config = terms
        self._take(audit)

    @classmethod
    def make(cls, folder: Path, *, name: str, rules: str, sandbox: str) -> League:
        """Makes a league at *folder*, which must not be there, or be empty, and returns it.

        Args:
            folder: Where.
            name: What it is called.
            rules: The rules, by a name of `moon rules list`.
            sandbox: How bots are held.

        Raises:
            StoreError: if something is there, or it cannot be made; then nothing is left of it.
            ConfigError: if a term means nothing.
            NameRefusedError: if *name* cannot be shown as it is.
        """
        folder = folder.absolute()
        text = first_config(name, rules, sandbox)
        if not folder.parent.is_dir():
            raise StoreError(f"{folder}: there is no folder {folder.parent}; make it first")
        if folder.exists() and not folder.is_dir():
            raise _taken(folder)
        try:
            if folder.is_dir():
                _make_inside(folder, text)
            else:
                _make_beside(folder, text)
        except OSError as error:
            problem = (error.strerror or "").lower()
            raise StoreError(f"{folder}: cannot be made: {problem}") from None
        return cls.open(folder)

    @classmethod
    def open(cls, folder: str | Path) -> League:
        """Returns the league at *folder*.

        Raises:
            NotFoundError: if there is none.
            ConfigError: if its file means nothing.
            VerificationError: if its log was changed.
        """
        folder = Path(folder).absolute()
        if not (folder / config.FILE).is_file():
            raise NotFoundError(
                f"{folder}: is no league: it has no {config.FILE}; make one with `moon league init`"
            )
        return cls(folder, load_league_config(folder / config.FILE), read_audit(folder / AUDIT))

    @property
    def nights(self) -> Path:
        """The folder with the stores of its nights."""
        return self.folder / NIGHTS

    @property
    def reports(self) -> Path:
        """The folder with what was made to be published."""
        return self.folder / REPORTS

    @property
    def active(self) -> tuple[Entry, ...]:
        """The entries that play."""
        return tuple(entry for entry in self.entries if entry.status is Status.ACTIVE)

    def entry(self, word: str) -> Entry:
        """Returns the entry that *word* names: ``tall#1``, or ``tall`` for the newest version.

        Raises:
            NotFoundError: if there is none; the message names the nearest.
        """
        found = [entry for entry in self.entries if word in (entry.id, entry.name)]
        if not found:
            known = [known for entry in self.entries for known in (entry.id, entry.name)]
            hint = did_you_mean(word, known) or "; it has no entries yet"
            raise NotFoundError(f"{self.folder}: there is no entry {word!r}{hint}")
        return found[-1]

    def may_meet(self, one: str, other: str) -> bool:
        """Returns whether two entries, named as for `entry`, may share a table.

        Raises:
            NotFoundError: if there is no such entry.
        """
        if self.config.authors_may_meet:
            return True
        return self.entry(one).author != self.entry(other).author

    def bot(self, entry: Entry) -> BotSpec:
        """Returns how *entry* is started, after a look at every file of its frozen copy.

        Raises:
            VerificationError: if the copy is gone, is not what was entered, holds more than that,
                or may not be read by its bot.
        """
        way_out = "put its folder back from a copy of the league, or retire it and submit it again"
        place = self.copies / entry.content
        try:
            spec = replace(parse_bot(entry.bot, self.folder), name=entry.id)
            now = content_hash(spec)
        except (ConfigError, NotFoundError) as error:
            raise VerificationError(f"{entry.id}: {error}; {way_out}") from None
        if problem := unlike_frozen(place):
            raise VerificationError(f"{entry.id}: {place} {problem}; {way_out}")
        if now != entry.content:
            raise VerificationError(
                f"{entry.id}: {place} is not what was entered: its content is {now[:12]} now; "
                f"{way_out}"
            )
        return spec

    def hidden(self, playing: Iterable[Entry]) -> tuple[Path, ...]:
        """Returns what no bot may read while *playing* sit at tables: all but what they are."""
        kept = {entry.content for entry in playing}
        folder = self.folder / entries.FOLDER
        rest = [path for path in paths_in(folder) if path.name not in kept]
        own = [self.folder / name for name in (config.FILE, AUDIT, NIGHTS, REPORTS)]
        return (*(path for path in own if path.exists()), *rest)

    def note(self, event: str, details: Mapping[str, object]) -> None:
        """Writes a line into the log of something that is no matter of one entry.

        Args:
            event: What was done, by a name of its own that is none of `Event`.
            details: What belongs to it, as JSON values.

        Raises:
            StoreError: if another command is changing the league (``locked``), or it cannot be
                written.
        """
        if event in tuple(Event):
            raise ValueError(f"{event!r} is said of entries only")
        with self.changing() as write:
            write(event, details)

    def change(
        self, event: Event, word: str, reason: str = "", more: Mapping[str, object] | None = None
    ) -> Entry:
        """Retires, restores, suspends or disqualifies the entry that *word* names.

        Args:
            event: Which of these.
            word: The entry.
            reason: Why, in words.
            more: What else belongs to it, for programs, as JSON values.

        Returns:
            The entry as it is now.

        Raises:
            NotFoundError: if there is no such entry.
            ConfigError: if it is in that state already, may not go there, or a reason is missing or
                does not show as it is.
            StoreError: as for `note`.
        """
        reason = check_reason(reason, "--why")
        with self.changing() as write:
            entry = self.entry(word)
            self._check_change(event, entry, reason)
            write(event, {"entry": entry.id, "reason": reason, **(more or {})})
        return self.entry(entry.id)

    @contextmanager
    def changing(self) -> Iterator[Callable[[str, Mapping[str, object]], None]]:
        """Keeps others from changing the league for the block, and reads it anew.

        Yields:
            What writes a line, an event with its details, into the log.

        Raises:
            StoreError: as for `note`.
            VerificationError: if the log was changed by something else, or does not know all that
                is in the folder.
        """
        lock = self._lock()
        try:
            self._take(read_audit(self.folder / AUDIT))
            self._tidy()
            yield self._write
        finally:
            lock.release()

    def _write(self, event: str, details: Mapping[str, object]) -> None:
        self._take(append(self.audit, event, details))

    def _lock(self) -> WriterLock:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return WriterLock(self.folder / config.FILE)
            except StoreError as error:
                if not error.locked or time.monotonic() > deadline:
                    raise
            time.sleep(_PAUSE)

    def _take(self, audit: Audit) -> None:
        self.audit = audit
        self.entries = read_entries(audit.lines)

    @property
    def copies(self) -> Path:
        """The folder with the frozen copies."""
        return self.folder / entries.FOLDER

    @property
    def contents(self) -> frozenset[str]:
        """What was ever entered, by the hash of its content."""
        return frozenset(entry.content for entry in self.entries)

    def _tidy(self) -> None:
        """Makes the folders that are missing, and removes what a killed submission has left."""
        try:
            self.copies.mkdir(exist_ok=True)
            self.nights.mkdir(exist_ok=True)
        except OSError as error:
            problem = (error.strerror or "").lower()
            raise StoreError(f"{error.filename}: cannot be made: {problem}") from None
        check_known(self.copies, self.nights, self.contents, self.audit)
        sweep(self.copies, self.contents)

    def _check_change(self, event: Event, entry: Entry, reason: str) -> None:
        if event is Event.DISQUALIFIED and not reason.strip():
            raise ConfigError(None, "--why", "is missing; it is published with the entry")
        is_out = entry.status in (Status.RETIRED, Status.DISQUALIFIED)
        same = entry.status.value == (event.value if event is not Event.RESTORED else Status.ACTIVE)
        if same or (is_out and event in (Event.RETIRED, Event.SUSPENDED)):
            why = f": {entry.reason}" if entry.reason else ""
            raise ConfigError(None, entry.id, f"is {entry.status.value} already{why}")
        if event is Event.RESTORED:
            self.check_room(entry.author)

    def check_room(self, author: str, replacing: str = "") -> None:
        """Checks that one more entry of *author* may play.

        Args:
            author: Whose.
            replacing: The name whose versions would make way for it.

        Raises:
            ConfigError: if not.
        """
        most = self.config.entries_per_author
        theirs = [e.id for e in self.active if e.author == author and e.name != replacing]
        if len(theirs) >= most:
            raise ConfigError(
                None,
                "--author",
                f"{author} has {len(theirs)} entries that play ({', '.join(theirs)}), and "
                f"{self.folder / config.FILE} allows {most} (authors.entries); retire one with "
                "`moon league bots retire`, or submit a new version of one",
            )


def _taken(folder: Path) -> StoreError:
    return StoreError(f"{folder}: is there already; choose another place for a new league")


def _make_beside(folder: Path, text: str) -> None:
    """Makes *folder*, which is not there: a league under another name first, and then renamed."""
    draft = folder.with_name(f".{folder.name}.new")
    lock = WriterLock(folder)
    try:
        remove_tree(draft)
        _fill(draft, text)
        crash_point("league.before_rename")
        draft.rename(folder)
        sync_folder(folder.parent)
    finally:
        remove_tree(draft)
        lock.release()


def _make_inside(folder: Path, text: str) -> None:
    """Makes a league of *folder*, which is there: it stays the same, as somebody may be in it.

    It is filled in a folder within, and the file with the terms comes out last: without that it is
    no league. The folder within says that what is there is ours, until the end.
    """
    draft = folder / _DRAFT
    lock = WriterLock(folder / config.FILE)
    try:
        there = {path.name for path in folder.iterdir()} - {lock.path.name}
        is_half_made = there <= {_DRAFT, *_PARTS[:-1]} and (draft / config.FILE).is_file()
        if there - {_DRAFT} and not is_half_made:
            raise _taken(folder)
        _unmake(folder)
        try:
            _fill(draft, text)
            for name in _PARTS:
                crash_point("league.before_part")
                (draft / name).rename(folder / name)
            sync_folder(folder)
        except BaseException:
            _unmake(folder)
            raise
        remove_tree(draft)
    finally:
        lock.release()


def _unmake(folder: Path) -> None:
    """Takes out of *folder* what a making that came to no end has left."""
    for name in (*reversed(_PARTS), _DRAFT):
        remove_tree(folder / name)
        if (folder / name).is_file():
            (folder / name).unlink()


def _fill(draft: Path, text: str) -> None:
    draft.mkdir()
    for name in (entries.FOLDER, NIGHTS, REPORTS):
        (draft / name).mkdir()
    write_whole(draft / config.FILE, text)
    terms = load_league_config(draft / config.FILE)
    audit = append(Audit(draft / AUDIT, (), 0), MADE, {"league": terms.name})
    with contextlib.suppress(OSError):
        sync_folder(audit.path.parent)
