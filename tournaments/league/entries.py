"""Entries: who plays in a league, as the lines of its log say it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from referee.bots.names import NAME_LIMIT
from referee.bots.spec import Params
from tournaments.league.audit import AuditLine
from tournaments.schedule import EntrantId

FOLDER = "entries"
"""Where the frozen copies are, in the folder of a league."""


class Status(StrEnum):
    """Whether an entry plays. The values stand in the log."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    """Kept from playing for its faults, until it is restored or replaced by a new version."""
    RETIRED = "retired"
    """Plays no more: withdrawn, or replaced by a new version."""
    DISQUALIFIED = "disqualified"
    """Thrown out by the organiser, for a reason that everybody may read."""


class Event(StrEnum):
    """What the log says of entries. The values stand in the log."""

    ENTERED = "entered"
    RETIRED = "retired"
    RESTORED = "restored"
    SUSPENDED = "suspended"
    DISQUALIFIED = "disqualified"


_AFTER = {
    Event.RETIRED: Status.RETIRED,
    Event.RESTORED: Status.ACTIVE,
    Event.SUSPENDED: Status.SUSPENDED,
    Event.DISQUALIFIED: Status.DISQUALIFIED,
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A version of a bot in a league: it never changes, only whether it plays does."""

    name: str
    version: int
    """From 1, by name."""
    author: str
    content: str
    """The hash of all that it runs, as `referee.bots.contents.content_hash` makes it."""
    source: str
    """The same hash of what was submitted, before it was built."""
    entered_at: str
    """When (UTC)."""
    params: Params = ()
    """The parameters that it is started with, sorted by name."""
    status: Status = Status.ACTIVE
    reason: str = ""
    """Why it does not play; empty if nobody said."""

    @property
    def id(self) -> EntrantId:
        """What it is called at tables and in standings: its name and version, ``tall#2``."""
        mark = f"#{self.version}"
        return EntrantId(self.name[: NAME_LIMIT - len(mark)] + mark)

    @property
    def bot(self) -> str:
        """The text that starts it, relative to the folder of the league."""
        return bot_text(f"./{FOLDER}/{self.content}", self.params)

    def details(self) -> dict[str, object]:
        """Returns what the log has to say of a new entry, as JSON values."""
        return {
            "name": self.name,
            "version": self.version,
            "author": self.author,
            "content": self.content,
            "source": self.source,
            "params": [list(pair) for pair in self.params],
        }


def bot_text(folder: str, params: Params) -> str:
    """Returns the text of the bot in *folder* with *params*.

    >>> bot_text("./mine", (("risk", "0.5"), ("text", "a&b")))
    './mine?risk=0.5&text=a%26b'
    """
    words = "&".join(f"{name}={quote(value, safe='')}" for name, value in params)
    return f"{folder}?{words}" if words else folder


def read_entries(lines: Iterable[AuditLine]) -> tuple[Entry, ...]:
    """Returns every entry there ever was, in the order in which they came."""
    entries: dict[str, Entry] = {}
    for line in lines:
        if line.event == Event.ENTERED:
            entry = _entered(line)
            entries |= _replaced(entries, entry)
            entries[entry.id] = entry
        elif line.event in _AFTER and "entry" in line.details:
            status, reason = _AFTER[Event(line.event)], line.details.get("reason", "")
            changed = replace(entries[line.details["entry"]], status=status, reason=reason)
            entries[changed.id] = changed
    return tuple(entries.values())


def concerns(line: AuditLine, entry: Entry) -> bool:
    """Returns whether *line* says something of *entry*."""
    if line.event == Event.ENTERED:
        return (line.details["name"], line.details["version"]) == (entry.name, entry.version)
    return line.event in _AFTER and line.details.get("entry") == entry.id


def _entered(line: AuditLine) -> Entry:
    details = line.details
    params = tuple((str(name), str(value)) for name, value in details["params"])
    return Entry(
        str(details["name"]),
        int(details["version"]),
        str(details["author"]),
        str(details["content"]),
        str(details["source"]),
        line.at,
        params,
    )


def _replaced(entries: Mapping[str, Entry], new: Entry) -> dict[str, Entry]:
    """Returns the earlier versions of *new* that no longer play because of it."""
    return {
        old.id: replace(old, status=Status.RETIRED, reason=f"replaced by {new.id}")
        for old in entries.values()
        if old.name == new.name and old.status in (Status.ACTIVE, Status.SUSPENDED)
    }


def figures(entry: Entry) -> dict[str, Any]:
    """Returns *entry* as JSON values, for programs that read what commands write."""
    return {
        "entry": entry.id,
        **entry.details(),
        "status": entry.status.value,
        "reason": entry.reason,
        "entered_at": entry.entered_at,
    }
