"""What makes a record unreadable, or wrong."""

from __future__ import annotations

from referee.errors import MoonError, VerificationError


class RecordError(MoonError, ValueError):
    """A text that is no record.

    Attributes:
        where: The line, the field or the table.
    """

    exit_code = 2

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where


class RecordMismatchError(VerificationError):
    """A record that the rules do not bear out.

    Attributes:
        where: The table, the deal, and the choice.
    """

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
