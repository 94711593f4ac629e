"""The questions that are out to a process, and whose time is running."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from referee.bots.asks import Ask, Charge, Sending
from referee.bots.terms import ClockTerms
from referee.match import Fault, FaultKind

MOST_WRITING = 0.1
"""Seconds that the transport may take to write a question before the clock runs all the same. It
is the host that is slow then, or the bot that does not read."""


def limit_of(terms: ClockTerms, allowed: float) -> float:
    """Returns the seconds after which an answer is late for which a bot has *allowed* seconds.

    The grace is no more than half of the time allowed, where that is little.
    """
    return allowed + terms.network + grace_of(terms, allowed)


def grace_of(terms: ClockTerms, allowed: float) -> float:
    """Returns what an answer may be late for which a bot has *allowed* seconds."""
    return min(terms.grace or 0.0, allowed / 2)


class Overdue(NamedTuple):
    """A question that was not answered in time."""

    ask: Ask
    allowed: float
    """The seconds the bot had."""
    charge: Charge

    @property
    def fault(self) -> Fault:
        """What the bot is charged with."""
        detail = f"no answer within {self.allowed:g} s"
        if (bank := self.ask.bank) is not None:
            detail += (
                f", with what was left in the bank: {bank:.3g} s" if bank else "; bank used up"
            )
        return Fault(FaultKind.TIMEOUT, detail)


class Outstanding:
    """The questions that are out to one process, oldest first, and its clock.

    The bot must answer the oldest within the time allowed of the later of two moments: that
    question was written, and the bot's last answer came, or was judged to be missing. A question
    that the bot does not read is taken as written `MOST_WRITING` after it was handed over.
    """

    def __init__(self, terms: ClockTerms, *, is_warm: bool = False) -> None:
        """Makes the clock of a process.

        Args:
            terms: What it may take.
            is_warm: Whether it has answered before, so that no first decision is to come.
        """
        self._terms = terms
        self._asks: dict[tuple[str, int], Ask] = {}
        self._last = 0.0
        self._warm = is_warm

    def __len__(self) -> int:
        """Returns how many questions are out."""
        return len(self._asks)

    def __iter__(self) -> Iterator[Ask]:
        """Yields the questions, oldest first."""
        return iter(self._asks.values())

    @property
    def is_warm(self) -> bool:
        """Whether the bot has answered, or was judged, so that no first decision is to come."""
        return self._warm

    @property
    def oldest(self) -> Ask | None:
        """The question that has been out longest."""
        return next(iter(self._asks.values()), None)

    def add(self, asks: list[Ask], sending: Sending, moment: float) -> None:
        """Takes note that *asks* are sent, at *moment* by the monotonic clock of the system."""
        out = self._asks
        for ask in asks:
            ask.sending, ask.handed = sending, moment
            out[ask.match_id, ask.question.number] = ask

    def written(self, ask: Ask, now: float, moment: float) -> None:
        """Takes note that the batch of *ask* has been written.

        Args:
            ask: One of those that were sent together.
            now: The running time.
            moment: The same by the monotonic clock of the system.
        """
        sending = ask.sending
        assert sending is not None
        if not sending.written:  # of calls, the first: those that leave together share one moment
            sending.began = min(now, sending.began + MOST_WRITING)
            sending.written = moment

    def limit(self, ask: Ask) -> float:
        """Returns the seconds after which *ask* is late, all told."""
        return limit_of(self._terms, self.allowed(ask))

    def grace(self, ask: Ask) -> float:
        """Returns the part of its limit that is grace, in seconds."""
        return grace_of(self._terms, self.allowed(ask))

    @property
    def shortest_limit(self) -> float:
        """The limit of the question that has the least time; 0 if none is out."""
        oldest = self.oldest
        if oldest is None:
            return 0.0
        return self.limit(oldest) if oldest.bank is None else min(map(self.limit, self))

    def longest_limit(self, asks: Sequence[Ask]) -> float:
        """Returns the limit of that of *asks* which has the most time.

        Either all seats of a run have a bank or none has.
        """
        first = asks[0]
        return self.limit(first) if first.bank is None else max(map(self.limit, asks))

    def allowed(self, ask: Ask) -> float:
        """Returns the seconds that the bot has for *ask*, wherever it runs."""
        return self._free() + (ask.bank or 0.0)

    def find(self, key: tuple[str, int]) -> Ask | None:
        """Returns the question that *key* names, if it is out."""
        return self._asks.get(key)

    def take(self, key: tuple[str, int]) -> Ask | None:
        """Returns the question that *key* names, which then is out no longer."""
        return self._asks.pop(key, None)

    def take_oldest(self) -> Ask:
        """Returns the oldest question, which then is out no longer."""
        return self._asks.pop(next(iter(self._asks)))

    def take_culprit(self, named: tuple[str, int] | None, *, oldest: bool) -> Ask | None:
        """Takes the question over which the session was lost; returns ``None`` if nobody knows.

        Args:
            named: The key of the one whose call failed, if it was a call for one.
            oldest: Whether the one that has been out longest pays if none is named.
        """
        if named is not None:
            return self.take(named)
        return self.take_oldest() if oldest or len(self) == 1 else None

    def take_all(self) -> list[Ask]:
        """Returns every question, oldest first; none is out any longer."""
        asks = list(self._asks.values())
        self._asks.clear()
        return asks

    def is_overdue(self, now: float) -> bool:
        """Whether the oldest question should have been answered by *now*."""
        oldest = self.oldest
        return oldest is not None and now - self.began(oldest) > self.limit(oldest)

    def overdue(self, now: float) -> Overdue | None:
        """Takes the oldest question if it is late. The time of the next began when it became so.

        Args:
            now: The running time by which every answer that had come has been seen.
        """
        oldest = self.oldest
        if oldest is None or not self.is_overdue(now):
            return None
        began = self.began(oldest)
        limit = self.limit(oldest)
        self.take(oldest.key)
        late = self.late(oldest)
        self._last = began + limit
        self._warm = True
        return late

    def late(self, ask: Ask) -> Overdue:
        """Returns what is to be said of *ask*, which was answered too late or not at all."""
        had = self.allowed(ask) + self._terms.network
        return Overdue(ask, had, Charge(had, ask.bank or 0.0))

    def elapsed(self, now: float) -> float:
        """Returns how long the oldest question has been waiting on the bot's own time."""
        oldest = self.oldest
        return now - self.began(oldest) if oldest is not None else 0.0

    def charge(self, now: float) -> Charge:
        """Returns what an answer that comes alone is charged; see `whole`."""
        return self.share(self.whole(now), 1)

    def whole(self, now: float) -> float:
        """Returns the seconds that answers which come together are charged in all.

        Never more than the bot had: what is beyond that was the time of this host. To be called
        before they are taken; `settle` comes after it.
        """
        oldest = self.oldest
        if oldest is None:
            return 0.0
        return min(now - self.began(oldest), self.limit(oldest))

    def share(self, seconds: float, answers: int) -> Charge:
        """Returns what each of so many *answers* is charged of *seconds*."""
        return self._charge(seconds / answers)

    def settle(self, now: float) -> None:
        """Takes note that the bot has answered: its time begins anew."""
        self._last = now
        self._warm = True

    def began(self, oldest: Ask) -> float:
        """Returns the running time from which on the bot is charged for *oldest*."""
        assert oldest.sending is not None, "a question is out that was never sent"
        return max(oldest.sending.began, self._last)

    def _charge(self, seconds: float) -> Charge:
        return Charge(seconds, max(0.0, seconds - self._free() - self._terms.network))

    def _free(self) -> float:
        """Returns the seconds that are not taken from the bank: more for the first decision."""
        terms = self._terms
        return terms.move_time if self._warm else max(terms.move_time, terms.first_move)
