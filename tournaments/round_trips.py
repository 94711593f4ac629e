"""The way to remote bots and back, as it is written down with a run and read again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

ROUND_TRIP = "round trip"
"""The kind of the notes that say it."""

_TEXT = re.compile(
    r"(?P<bot>.*): p50 (?P<middle>[\d.]+) ms, max (?P<longest>[\d.]+) ms, (?P<count>\d+) pings; "
    r"allowed (?P<allowed>[\d.]+) ms"
)


class RoundTrip(NamedTuple):
    """What was measured of one bot before it played. Times are milliseconds."""

    bot: str
    middle: float
    """What half of the pings did not exceed."""
    longest: float
    pings: int
    """How many there were."""
    allowed: float
    """What an answer may be late for the way."""

    def __str__(self) -> str:
        """Returns it as it is shown and stored.

        >>> trip = RoundTrip("far", 1.5, 3.0, 10, 250)
        >>> print(trip)
        far: p50 1.5 ms, max 3.0 ms, 10 pings; allowed 250 ms
        >>> RoundTrip.parse(str(trip)) == trip
        True
        """
        return (
            f"{self.bot}: p50 {self.middle:.1f} ms, max {self.longest:.1f} ms, {self.pings} pings; "
            f"allowed {self.allowed:g} ms"
        )

    @classmethod
    def parse(cls, text: str) -> RoundTrip | None:
        """Returns what *text* says, or ``None`` if it is no such text."""
        match = _TEXT.fullmatch(text)
        if match is None:
            return None
        bot, middle, longest, count, allowed = match.groups()
        return cls(bot, float(middle), float(longest), int(count), float(allowed))

    def document(self) -> dict[str, object]:
        """Returns it as JSON values."""
        return {
            "bot": self.bot,
            "p50_ms": round(self.middle, 3),
            "max_ms": round(self.longest, 3),
            "pings": self.pings,
            "allowed_ms": self.allowed,
        }


def latest(texts: Iterable[str]) -> list[RoundTrip]:
    """Returns the last of *texts* for each bot that they speak of."""
    trips = [trip for text in texts if (trip := RoundTrip.parse(text)) is not None]
    return list({trip.bot: trip for trip in trips}.values())
