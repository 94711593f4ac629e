"""What was measured: decision times as a histogram that can be merged, and the host's own share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec

STEP = 1.02
"""The ratio of neighbouring bucket edges: a percentile is at most 2 % above the true one."""
_LOG_STEP = math.log(STEP)


@lru_cache(maxsize=1 << 14)
def _bucket(micros: int) -> int:
    return math.ceil(math.log(micros) / _LOG_STEP) if micros > 0 else 0


@dataclass(slots=True)
class Times:
    """Times of decisions, in microseconds."""

    buckets: Counter[int] = field(default_factory=Counter)
    """By bucket *k*: how many times lie above ``STEP ** (k - 1)`` and up to ``STEP ** k``."""
    longest: int = 0

    @classmethod
    def of(cls, micros: Iterable[int]) -> Times:
        """Returns the histogram of *micros*."""
        times = tuple(micros)
        return cls(Counter(map(_bucket, times)), max(times, default=0))

    @classmethod
    def from_json(cls, value: Mapping[str, object] | SeatTimes) -> Times:
        """Returns the histogram that `to_json` made *value* of, as JSON values or read already."""
        if not isinstance(value, SeatTimes):
            value = msgspec.convert(value, SeatTimes, strict=False)
        return cls(Counter(value.buckets), value.longest)

    def to_json(self) -> dict[str, object]:
        """Returns the histogram as JSON values, as `SeatTimes` reads them."""
        return {
            "buckets": {str(bucket): self.buckets[bucket] for bucket in sorted(self.buckets)},
            "longest": self.longest,
        }

    def add(self, other: Times | SeatTimes) -> None:
        """Adds the times of *other*."""
        buckets = self.buckets
        for bucket, count in other.buckets.items():
            buckets[bucket] += count
        self.longest = max(self.longest, other.longest)

    @property
    def count(self) -> int:
        """How many times there are."""
        return self.buckets.total()

    def percentile(self, share: float) -> float | None:
        """Returns the time in microseconds that *share* (0 to 1) of the times do not exceed.

        It is the upper edge of a bucket, but never above the longest; ``None`` without times.
        """
        left = math.ceil(share * self.count)
        for bucket in sorted(self.buckets):
            left -= self.buckets[bucket]
            if left <= 0:
                return min(STEP**bucket, float(self.longest))
        return None


class SeatTimes(msgspec.Struct, frozen=True):
    """What the answers of one seat were charged, as `Times.to_json` writes it."""

    buckets: dict[int, int]
    longest: int


class TableTimes(msgspec.Struct, frozen=True):
    """What was measured at one table, as it is stored; what older programs did not is empty."""

    seats: tuple[SeatTimes, ...]
    """By seat: the histogram of what its answers were charged."""
    queue: tuple[int, ...] = ()
    """By question that was asked, in order: the microseconds from when the table asked it to when
    it was handed to the transport."""
    send: tuple[int, ...] = ()
    """From then to when it was written, with all of its batch."""
    receive: tuple[int, ...] = ()
    """From when the answer arrived to when the table had applied it."""
    stalls: tuple[tuple[int, int], ...] = ()
    """For each question during which the host stalled: its number in the match, and the
    milliseconds."""


read_times = msgspec.json.Decoder(TableTimes).decode


def seat_times(timings: str) -> tuple[Times, ...]:
    """Returns the times of each seat from the timings of a table, as they are stored."""
    return tuple(map(Times.from_json, read_times(timings).seats))


@dataclass(slots=True)
class OverheadTimes:
    """What questions took on their way, besides the time of the bots, in microseconds."""

    parts: dict[str, Counter[int]] = field(
        default_factory=lambda: {name: Counter() for name in ("queue", "send", "receive")}
    )
    """``queue``, ``send`` and ``receive``: how often each time occurred."""

    @classmethod
    def of(cls, tables: Iterable[TableTimes]) -> OverheadTimes:
        """Returns the times of *tables* taken together."""
        times = cls()
        for table in tables:
            times.add(table)
        return times

    def add(self, table: TableTimes) -> None:
        """Adds the times of one more table."""
        for name, counts in self.parts.items():
            counts.update(getattr(table, name))

    def percentile(self, part: str, share: float) -> float | None:
        """Returns the time that *share* (0 to 1) of the times of *part* do not exceed."""
        counts = self.parts[part]
        left = math.ceil(share * counts.total())
        for micros in sorted(counts):
            left -= counts[micros]
            if left <= 0:
                return float(micros)
        return None
