"""Questions on their way to a bot and back, and what tables know of the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from referee.bots.cpu import CpuUse
from referee.errors import MoonError
from referee.match import Fault, Question
from referee.rules import Choice
from referee.wire.notices import Notice


class Charge(NamedTuple):
    """What a seat is charged for an answer, in seconds."""

    seconds: float
    from_bank: float = 0.0
    """The part that is taken from the bank of the seat."""


NOTHING = Charge(0.0)


class StalledError(MoonError):
    """This host stood still so often that a question could not be asked."""


@dataclass(slots=True)
class Sending:
    """How the questions of one batch left; they share it."""

    began: float
    """The running time from which on the bot may be charged for them."""
    stalled: float
    """How long the host had stalled before, in all, in seconds."""
    written: float = 0.0
    """The moment at which the transport had written them; 0 until it has."""


@dataclass(slots=True)
class Ask:
    """A question on its way to an answer."""

    match_id: str
    question: Question
    bank: float | None
    """Seconds left in the bank of the seat, or ``None`` without a bank."""
    charged: float | None
    """Seconds that the last answer of the seat was charged, or ``None`` before the first."""
    answered: Callable[[Choice, Charge], None]
    """Called with the choice, and what it is charged."""
    faulted: Callable[[Fault, Charge], None]
    """Called with what went wrong, and what it is charged."""
    failed: Callable[[Exception], None]
    """Called if the question cannot be put, which is our own fault."""
    asked: float = 0.0
    """The moment at which the table asked, by the monotonic clock of the system."""
    sending: Sending | None = field(default=None, init=False)
    """How it left, the last time; ``None`` until it has, and for a bot inside this process."""
    handed: float = field(default=0.0, init=False)
    """The moment at which it was handed over, the last time; 0 until it is."""
    arrived: float = field(default=0.0, init=False)
    """The moment at which the answer arrived or was judged to be missing; 0 until then."""
    stalled: float = field(default=0.0, init=False)
    """How long the host stalled while it was out, in seconds."""
    repeats: int = field(default=0, init=False)
    """How often it was asked again because the host had stalled."""

    @property
    def key(self) -> tuple[str, int]:
        """What the answer names it by."""
        return self.match_id, self.question.number

    @property
    def written(self) -> float:
        """The moment at which it had left; when the answer arrived, if we learnt it later."""
        if self.sending is None:
            return self.handed
        written = self.sending.written
        return written if 0.0 < written < self.arrived else self.arrived

    def note_stalls(self, stalled: float) -> None:
        """Takes note of how long the host had stalled, in all, when it came back or was lost."""
        if self.sending is not None:
            self.stalled += stalled - self.sending.stalled


class TableLine(Protocol):
    """Puts questions to one bot: what a table knows of it.

    Every `Ask` ends in exactly one call of ``answered``, ``faulted`` or ``failed``, unless the line
    is closed.
    """

    def ask(self, ask: Ask) -> None:
        """Puts *ask* to the bot as soon as it takes one more."""

    def wants(self, notice: type[Notice]) -> bool:
        """Whether the bot asked to be told such a thing."""

    def tell(self, notice: Notice) -> None:
        """Tells the bot what happened. Returns at once; nothing comes back."""

    def restart(self) -> None:
        """Ends the bot; the next question is put to a new one."""


class BotLine(TableLine, Protocol):
    """A line to one bot of one lane, as the pool knows it too.

    Attributes:
        strays: How many answers came that named no open question.
    """

    strays: int

    @property
    def cpu(self) -> CpuUse:
        """What its processes used of the processors since their first decisions."""

    @property
    def is_running(self) -> bool:
        """Whether there is a process, or one is on its way up or down."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing is asked and nothing waits."""

    @property
    def introduction(self) -> str:
        """What the running bot says of itself: name, version, author; empty if it says nothing."""

    async def warm_up(self) -> None:
        """Starts the bot if it is not running.

        Raises:
            StartError: if it does not start.
        """

    async def close(self) -> None:
        """Ends the bot for good; what is asked is dropped."""
