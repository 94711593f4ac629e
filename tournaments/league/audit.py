r"""The audit log of a league: what was done, in order, each line bound to the one before it.

One JSON object a line, in the one form of `tournaments.identity.canonical`: its number `n` from 0,
the time `at` (UTC), the `event`, its `details`, and under `before` the SHA-256 of the line before,
without its end of line; 64 zeros in the first. Whoever knows the hash of a line knows of every
change to it and to all lines before it. Under `own` is the SHA-256 of the same text without that
key, so that damage to the last line, which no other follows, is found too.

The log is the register too: entries are what its lines say, and nothing else is kept of them. So
one line, written at one blow, is all that it takes to do something or not to have done it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from referee.crashes import crash_point
from referee.errors import NotFoundError, StoreError, VerificationError
from referee.text import readable
from tournaments.identity import canonical

NOTHING = "0" * 64
"""What the first line carries in place of a hash."""
MADE = "made"
"""The event of the first line: without it there is no log."""
RECOVERED = "recovered"
"""The event of a line that stands where a crash had left half of one."""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One thing that was done."""

    number: int
    """From 0."""
    at: str
    """When, UTC, to the second: a label, from which nothing is computed."""
    event: str
    details: Mapping[str, Any]
    """What belongs to it, as JSON values."""
    hash: str
    """The SHA-256 of the line."""


@dataclass(frozen=True, slots=True)
class Audit:
    """An audit log as it was read."""

    path: Path
    lines: tuple[AuditLine, ...]
    size: int
    """Of its whole lines, in bytes."""
    torn: bytes = b""
    """What stands behind them: half a line, which was never acknowledged to anybody."""
    is_ended: bool = True
    """Whether the last line has its end of line, which a later one adds; *size* is without it."""

    @property
    def head(self) -> str:
        """The hash that stands for the whole log: that of its last line."""
        return self.lines[-1].hash if self.lines else NOTHING


def read_audit(path: Path) -> Audit:
    """Returns the log at *path*, every line of which follows from the one before.

    Raises:
        NotFoundError: if there is none.
        StoreError: if it cannot be read.
        VerificationError: if it was changed: a line does not follow from the one before, or the
            first does not say that the league was made.
    """
    data = _data(path)
    *whole, rest = data.split(b"\n")
    lines: list[AuditLine] = []
    before = NOTHING
    for text in whole:
        line = _line(text, len(lines), before)
        if line is None:
            raise VerificationError(
                f"{path}: line {len(lines) + 1} does not follow from the lines before it: the log "
                f"was changed or damaged; {_WAY_OUT}"
            )
        lines.append(line)
        before = line.hash
    audit = _with_rest(Audit(path, tuple(lines), len(data) - len(rest), rest))
    if not audit.lines or audit.lines[0].event != MADE:
        raise VerificationError(
            f"{path}: has no first line that says that the league was made: the log was emptied "
            f"or damaged; {_WAY_OUT}"
        )
    return audit


_WAY_OUT = "put the file back from a copy of the league"


def _data(path: Path) -> bytes:
    """Returns what is in the file at *path*; nothing else is waited for, such as a pipe."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(file, "rb") as opened:
            if stat.S_ISREG(os.fstat(file).st_mode):
                return opened.read()
    except FileNotFoundError:
        raise NotFoundError(
            f"{path}: there is no such file; every league has one; {_WAY_OUT}"
        ) from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from None
    raise StoreError(f"{path}: is no regular file; {_WAY_OUT}")


def _with_rest(audit: Audit) -> Audit:
    """Returns *audit* with what is torn as its last line, if only the end of that line is lost.

    A line holds its own hash, so one that is there to its last byte was written whole, whatever
    has become of its end: of that one byte, which is missing or another one.
    """
    for size in (len(audit.torn), len(audit.torn) - 1):
        line = _line(audit.torn[: max(0, size)], len(audit.lines), audit.head)
        if line is not None:
            return Audit(audit.path, (*audit.lines, line), audit.size + size, is_ended=False)
    return audit


def append(audit: Audit, event: str, details: Mapping[str, object]) -> Audit:
    """Writes one more line behind *audit* and returns the log with it, once it is durable.

    The caller has the lock of the league, and has read *audit* since it has. What a crash left of a
    line gives way to a line that says so.

    Raises:
        StoreError: if it cannot be written; then the log is as it was.
    """
    if audit.torn:
        lost = hashlib.sha256(audit.torn).hexdigest()
        note = {"bytes": len(audit.torn), "sha256": lost, "text": readable(audit.torn[:200])}
        audit = _write(audit, RECOVERED, note)
    return _write(audit, event, details)


def _write(audit: Audit, event: str, details: Mapping[str, object]) -> Audit:
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    number = len(audit.lines)
    whole = {"n": number, "at": at, "event": event, "details": details, "before": audit.head}
    text = canonical({**whole, "own": _own(whole)})
    data = (b"" if audit.is_ended else b"\n") + text.encode() + b"\n"
    # Only the first line may make the file: what was to go on would else begin anew.
    made = 0 if audit.lines else os.O_CREAT | os.O_EXCL
    try:
        file = os.open(audit.path, os.O_WRONLY | os.O_CLOEXEC | made, 0o644)
        try:
            half = data[: len(data) // 2]
            crash_point("league.before_line", before=lambda: os.pwrite(file, half, audit.size))
            _put(file, data, audit)
        finally:
            os.close(file)
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise StoreError(f"{audit.path}: cannot be written: {reason}; nothing was done") from None
    crash_point("league.after_line")
    line = _line(text.encode(), number, audit.head)
    assert line is not None
    return Audit(audit.path, (*audit.lines, line), audit.size + len(data))


def _put(file: int, data: bytes, audit: Audit) -> None:
    """Puts *data* behind the whole lines of *audit* for good, or leaves them as they were.

    The torn rest goes only when the line that tells of it stands: a crash in between leaves a rest.
    """
    written = 0
    try:
        while written < len(data):
            written += os.pwrite(file, data[written:], audit.size + written)
        os.ftruncate(file, audit.size + len(data))
        os.fsync(file)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(file, audit.size)
            os.pwrite(file, audit.torn, audit.size)
        raise


def _line(text: bytes, number: int, before: str) -> AuditLine | None:
    """Returns what *text* says, if it is line *number* and follows from the line *before*."""
    try:
        value = json.loads(text)
        rest = {key: each for key, each in value.items() if key != "own"}
        if canonical(value).encode() != text or value["own"] != _own(rest):
            return None
        if (value["n"], value["before"]) != (number, before):
            return None
        found = value["at"], value["event"], value["details"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return AuditLine(number, *found, hashlib.sha256(text).hexdigest())


def _own(value: Mapping[str, object]) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()
