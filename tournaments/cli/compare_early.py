"""A comparison that is told to stop before anything of it is played."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tournaments.cli.signals import INTERRUPTED


class StoppedEarlyError(KeyboardInterrupt):
    """A signal came while the comparison was made ready."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = signal.Signals(number)


@contextmanager
def stopping_early() -> Iterator[None]:
    """Raises `StoppedEarlyError` in the block for each signal that ends a command.

    What we were started to ignore, as with nohup, goes on being ignored.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        raise StoppedEarlyError(number)

    before = {number: signal.getsignal(number) for number in INTERRUPTED}
    heeded = [number for number, how in before.items() if how is not signal.SIG_IGN]
    try:
        for number in heeded:
            signal.signal(number, stop)
        yield
    finally:
        for number in heeded:
            signal.signal(number, before[number])
