"""What the wire refuses."""

from __future__ import annotations

from referee.errors import MoonError


class WireError(MoonError, ValueError):
    """A message does not fit moon.v1, or an answer does not fit its question.

    >>> str(WireError("answer.play", "is unspecified"))
    'answer.play is unspecified'

    Attributes:
        where: The field that is wrong, such as ``answer.play``.
        problem: What is wrong with it.
    """

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where} {problem}")
        self.where = where
        self.problem = problem
