"""What the host did with the time, for people and for programs."""

from __future__ import annotations

import json

from referee.bots.cpu import CpuUse
from referee.text import counted
from tournaments.measured import Measured
from tournaments.reports.numbers import rounded_millis
from tournaments.store.runs import Note
from tournaments.timing import OverheadTimes

PONDER_SHARE, PONDER_LEAST = 0.2, 1.0
"""The share of its processor time, and the seconds, above which what a bot uses out of its turn is
pointed out. A bot that rests needs a little to take leave of each call."""


def is_pondering(use: CpuUse) -> bool:
    """Whether a bot works more out of its turn than resting takes."""
    return use.out_of_turn > max(PONDER_LEAST, PONDER_SHARE * use.total)


STALLED_SECONDS, STALLED_SHARE = 1.0, 0.01
"""What the host stood still in all, in seconds, and of the time that was played, below which
nobody need know: bots are not charged for it."""


def stall_lines(measured: Measured, played: float | None = None) -> list[str]:
    """Returns a line if the host stalled for so long that it matters.

    Args:
        measured: What was measured.
        played: How long play took, in seconds, if that is known.
    """
    if measured.stalled < max(STALLED_SECONDS, STALLED_SHARE * (played or 0.0)):
        return []
    return [f"this host stood still for {measured.stalled:.1f} s in all; no bot was charged for it"]


def note_text(note: Note) -> str:
    """Returns what *note* says, for people."""
    measured = Measured.of_notes([note.text]) if note.kind == "measured" else None
    if measured is None:
        lines = len(note.text.splitlines())
        text = f"{lines} lines of text, which --json shows" if lines > 1 else note.text
        return _facts_text(text) or text
    parts = [f"grace {1000 * measured.grace:.0f} ms"]
    if measured.echo is not None:
        parts.append("bare echo {:.2f}/{:.2f} ms".format(*(1000 * each for each in measured.echo)))
    parts.append(f"{counted(measured.stalls, 'stall')} {measured.stalled:.1f} s")
    parts += [f"{name} CPU out of turn {_use(use)}" for name, use in sorted(measured.cpu.items())]
    return ", ".join(parts)


def _facts_text(text: str) -> str:
    """Returns for people what *text* says, if it is a JSON object; else an empty text."""
    try:
        facts = json.loads(text)
    except ValueError:
        return ""
    if not isinstance(facts, dict):
        return ""
    plain = [f"{key} {value}" for key, value in facts.items() if not isinstance(value, dict | list)]
    more = ["more of it with --json"] if len(plain) < len(facts) else []
    return "; ".join([*plain, *more])


def host_lines(overhead: OverheadTimes, measured: Measured) -> list[str]:
    """Returns the harness's own share, the stalls, and what bots used of the processors.

    Args:
        overhead: The harness's own times.
        measured: What was measured besides.
    """
    return [*usual_host_lines(overhead, measured), *odd_lines(measured)]


def usual_host_lines(overhead: OverheadTimes, measured: Measured) -> list[str]:
    """Returns what there is to say of every host: its own times, and the processors' use."""
    lines = []
    parts = [f"{part} {_pair(overhead, part)}" for part in overhead.parts]
    if any(overhead.parts.values()):
        line = f"moon's own time a decision, p50/p99 ms: {', '.join(parts)}"
        if measured.echo is not None:
            p50, p99 = measured.echo
            line += f"; a bare echo {1000 * p50:.2f}/{1000 * p99:.2f}"
        lines.append(line)
    if measured.cpu:
        uses = ", ".join(f"{name} {_use(use)}" for name, use in sorted(measured.cpu.items()))
        lines.append(f"CPU out of turn: {uses}")
    return lines


def odd_lines(measured: Measured, played: float | None = None) -> list[str]:
    """Returns what somebody has to know: a host that stood still, a bot that works out of turn.

    Args:
        measured: What was measured.
        played: How long play took, in seconds, if that is known.
    """
    return [
        *stall_lines(measured, played),
        *(
            f"{name} works while it is not its turn, on processors that others need"
            for name, use in sorted(measured.cpu.items())
            if is_pondering(use)
        ),
    ]


def _pair(overhead: OverheadTimes, part: str) -> str:
    times = (overhead.percentile(part, share) for share in (0.5, 0.99))
    return "/".join("-" if micros is None else f"{micros / 1000:.2f}" for micros in times)


def _use(use: CpuUse) -> str:
    return f"{use.out_of_turn:.1f} s of {use.total:.1f} s"


def host_document(overhead: OverheadTimes, measured: Measured | None) -> dict[str, object]:
    """Returns the same as JSON values; what is not known is ``None``."""
    echo = None if measured is None else measured.echo
    return {
        "overhead_ms": {
            part: {
                f"p{share * 100:.0f}": rounded_millis(overhead.percentile(part, share))
                for share in (0.5, 0.99)
            }
            for part in overhead.parts
        },
        "echo_ms": None
        if echo is None
        else {"p50": round(1000 * echo[0], 3), "p99": round(1000 * echo[1], 3)},
        "grace_ms": None if measured is None else round(1000 * measured.grace, 3),
        "stalls": None if measured is None else measured.stalls,
        "stalled_s": None if measured is None else round(measured.stalled, 3),
        "cpu_s": None
        if measured is None
        else {
            name: {
                "total": round(use.total, 3),
                "out_of_turn": round(use.out_of_turn, 3),
                "pondering": is_pondering(use),
            }
            for name, use in sorted(measured.cpu.items())
        },
    }
