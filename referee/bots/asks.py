"""A question on its way to a bot and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from referee.match import Fault, Question
from referee.rules import Choice


@dataclass(slots=True)
class Ask:
    """A question on its way to an answer."""

    match_id: str
    question: Question
    bank: float | None
    """Seconds left in the bank of the seat, or ``None`` without a bank."""
    charged: float | None
    """Seconds that the last answer of the seat was charged, or ``None`` before the first."""
    answered: Callable[[Choice, float], None]
    """Called with the choice, and the seconds charged."""
    faulted: Callable[[Fault, float], None]
    """Called with what went wrong, and the seconds charged."""
    sent: float = field(default=0.0, init=False)

    @property
    def key(self) -> tuple[str, int]:
        """What the answer names it by."""
        return self.match_id, self.question.number
