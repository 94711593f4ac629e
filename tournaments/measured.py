"""What was measured of a host, and of the bots on it, beside the times of their decisions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

import msgspec

from referee.bots.cpu import CpuUse


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
