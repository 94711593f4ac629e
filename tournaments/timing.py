"""What was measured: decision times as a histogram that can be merged, and the host's own share."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

import msgspec

from referee.bots.cpu import CpuUse

STEP = 1.02
"""The ratio of neighbouring bucket edges: a percentile is at most 2 % above the true one."""
_LOG_STEP = math.log(STEP)


@dataclass(slots=True)
class Times:
    """Times of decisions, in microseconds."""

    buckets: Counter[int] = field(default_factory=Counter)
    """By bucket *k*: how many times lie above ``STEP ** (k - 1)`` and up to ``STEP ** k``."""
    longest: int = 0

    @classmethod
    def of(cls, micros: Iterable[int]) -> Times:
        """Returns the histogram of *micros*."""
        times = cls()
        for each in micros:
            times.buckets[math.ceil(math.log(each) / _LOG_STEP) if each > 0 else 0] += 1
            times.longest = max(times.longest, each)
        return times

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> Times:
        """Returns the histogram that `to_json` made *value* of."""
        buckets, longest = value["buckets"], value["longest"]
        assert isinstance(buckets, dict)
        assert isinstance(longest, int)
        return cls(Counter({int(bucket): int(count) for bucket, count in buckets.items()}), longest)

    def to_json(self) -> dict[str, object]:
        """Returns the histogram as JSON values."""
        return {
            "buckets": {str(bucket): self.buckets[bucket] for bucket in sorted(self.buckets)},
            "longest": self.longest,
        }

    def add(self, other: Times) -> None:
        """Adds the times of *other*."""
        self.buckets.update(other.buckets)
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


class TableTimes(msgspec.Struct, frozen=True):
    """What was measured at one table, as it is stored; what older programs did not is empty."""

    seats: tuple[dict[str, object], ...]
    """By seat: the histogram of what its answers were charged, see `Times.from_json`."""
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


class OverheadTimes:
    """What questions took on their way, besides the time of the bots, in microseconds.

    Attributes:
        parts: ``queue``, ``send`` and ``receive``: how often each time occurred.
    """

    def __init__(self, tables: Iterable[TableTimes] = ()) -> None:
        """Makes the distribution over *tables*."""
        self.parts: dict[str, Counter[int]] = {
            name: Counter() for name in ("queue", "send", "receive")
        }
        for table in tables:
            self.add(table)

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


@dataclass(slots=True)
class Measured:
    """What was measured of a host and of the bots on it, beside their times."""

    grace: float = 0.0
    """What an answer may be late, in seconds."""
    echo: tuple[float, float] | None = None
    """The p50 and p99 of a bare round trip, in seconds, if it was measured."""
    stalls: int = 0
    """How often the host stalled while bots were thinking."""
    stalled: float = 0.0
    """How long together, in seconds."""
    cpu: dict[str, CpuUse] = field(default_factory=dict)
    """By entrant: what its bots used of the processors, where that is known."""

    def add(self, other: Measured) -> None:
        """Adds what was measured by another worker, or in another part of the run.

        Of the grace and the echo the longest counts.
        """
        self.grace = max(self.grace, other.grace)
        if other.echo is not None:
            mine = self.echo or (0.0, 0.0)
            self.echo = max(mine[0], other.echo[0]), max(mine[1], other.echo[1])
        self.stalls += other.stalls
        self.stalled += other.stalled
        for entrant, use in other.cpu.items():
            self.cpu.setdefault(entrant, CpuUse()).add(use)

    def to_text(self) -> str:
        """Returns this as JSON, as it is stored with a run."""
        return json.dumps(asdict(self), separators=(",", ":"), sort_keys=True)

    @classmethod
    def of_notes(cls, texts: Iterable[str]) -> Measured | None:
        """Returns what the notes of a run say together; ``None`` if they say nothing.

        Older programs wrote a sentence, which is passed over.
        """
        total: Measured | None = None
        for text in texts:
            if text.startswith("{"):
                total = total or cls()
                total.add(_read_measured(text))
        return total


_read_measured = msgspec.json.Decoder(Measured).decode
