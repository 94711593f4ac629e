"""How a command that plays ends when it is told to."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar

ResultT = TypeVar("ResultT")
PlayedT_co = TypeVar("PlayedT_co", covariant=True)

CODES = {signal.SIGTERM: 143, signal.SIGHUP: 129}
INTERRUPTED = {signal.SIGINT: 130, **CODES}
"""By signal: the exit code of a command that it stopped."""


class Stoppable(Protocol[PlayedT_co]):
    """Something that is played, and may be stopped."""

    async def run(self) -> PlayedT_co:
        """Plays to the end, or until `stop`."""

    def stop(self) -> None:
        """Ends at once."""


class Beating(Protocol):
    """Something that shows how it goes."""

    async def beat(self) -> None:
        """Shows from time to time how it stands, until it is cancelled."""


@contextmanager
def heeding(stop: Callable[[signal.Signals], object]) -> Iterator[None]:
    """Calls *stop* in the running event loop for each signal that ends a command in the block.

    What we were started to ignore, as with nohup, goes on being ignored.
    """
    loop = asyncio.get_running_loop()
    heeded = [each for each in INTERRUPTED if signal.getsignal(each) is not signal.SIG_IGN]
    for number in heeded:
        loop.add_signal_handler(number, stop, number)
    try:
        yield
    finally:
        for number in heeded:
            loop.remove_signal_handler(number)


async def run_to_a_signal(
    play: Stoppable[ResultT], progress: Beating
) -> tuple[ResultT, signal.Signals | None]:
    """Plays to the end, or to the first signal, and returns which one it was."""
    seen: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        seen.append(number)
        play.stop()

    beating = asyncio.create_task(progress.beat())
    try:
        with heeding(stop):
            report = await play.run()
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating  # what went wrong in it must not be lost
    return report, seen[0] if seen else None


def run_tidily(work: Coroutine[None, None, ResultT]) -> ResultT:
    """Runs *work*, and lets it put everything away when a signal ends the program.

    Ctrl-C is seen to by asyncio in the same way.

    Raises:
        SystemExit: with the exit code of the signal, once all is put away.
    """
    return asyncio.run(_heeding(work))


async def _heeding(work: Coroutine[None, None, ResultT]) -> ResultT:
    task = asyncio.ensure_future(work)
    told: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        told.append(number)
        task.cancel()

    loop = asyncio.get_running_loop()
    for number in CODES:
        # What we were started to ignore, as with nohup, goes on being ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if told:
            raise SystemExit(CODES[told[0]]) from None
        raise
