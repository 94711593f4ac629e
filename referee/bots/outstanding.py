"""The questions that are out to a process, and whose time is running."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from referee.bots.asks import Ask, Charge
from referee.bots.terms import ClockTerms


class Overdue(NamedTuple):
    """A question that was not answered in time."""

    ask: Ask
    allowed: float
    """The seconds the bot had."""
    charge: Charge


class Outstanding:
    """The questions that are out to one process, oldest first, and its clock.

    The bot must answer the oldest within the time allowed of the later of two moments: that
    question was sent, and the bot's last answer came, or was judged to be missing.
    """

    def __init__(self, terms: ClockTerms) -> None:
        """Makes the clock of a process that has answered nothing yet."""
        self._terms = terms
        self._grace = (terms.grace or 0.0) + terms.network
        self._asks: dict[tuple[str, int], Ask] = {}
        self._last = 0.0
        self._warm = False

    def __len__(self) -> int:
        """Returns how many questions are out."""
        return len(self._asks)

    def __iter__(self) -> Iterator[Ask]:
        """Yields the questions, oldest first."""
        return iter(self._asks.values())

    def add(self, asks: list[Ask], now: float) -> None:
        """Takes note that *asks* were sent."""
        for ask in asks:
            ask.sent = now
            self._asks[ask.key] = ask

    def limit(self, ask: Ask) -> float:
        """Returns the seconds after which *ask* is late, all told."""
        return self._free() + (ask.bank or 0.0) + self._grace

    def take(self, key: tuple[str, int]) -> Ask | None:
        """Returns the question that *key* names, which then is out no longer."""
        return self._asks.pop(key, None)

    def take_oldest(self) -> Ask:
        """Returns the oldest question, which then is out no longer."""
        return self._asks.pop(next(iter(self._asks)))

    def take_all(self) -> list[Ask]:
        """Returns every question, oldest first; none is out any longer."""
        asks = list(self._asks.values())
        self._asks.clear()
        return asks

    def overdue(self, now: float) -> Overdue | None:
        """Takes the oldest question if it is late. The time of the next began when it became so.

        It does not matter when this is looked at: late is late, and by the same measure.
        """
        if not self._asks:
            return None
        oldest = next(iter(self._asks.values()))
        began = max(oldest.sent, self._last)
        limit = self.limit(oldest)
        if now - began <= limit:
            return None
        self.take(oldest.key)
        charge = Charge(limit - self._grace, oldest.bank or 0.0)
        self._last = began + limit
        self._warm = True
        return Overdue(oldest, limit - self._grace, charge)

    def elapsed(self, now: float) -> float:
        """Returns how long the oldest question has been waiting on the bot's own time."""
        oldest = next(iter(self._asks.values()), None)
        return now - max(oldest.sent, self._last) if oldest is not None else 0.0

    def charge(self, now: float, answers: int = 1) -> Charge:
        """Returns what each of so many answers that come together is charged.

        To be called before they are taken; `settle` comes after it.
        """
        return self._charge(self.elapsed(now) / answers)

    def settle(self, now: float) -> None:
        """Takes note that the bot has answered: its time begins anew."""
        self._last = now
        self._warm = True

    def _charge(self, seconds: float) -> Charge:
        return Charge(seconds, max(0.0, seconds - self._free() - self._terms.network))

    def _free(self) -> float:
        """Returns the seconds that are not taken from the bank: more for the first decision."""
        terms = self._terms
        return terms.move_time if self._warm else max(terms.move_time, terms.first_move)
