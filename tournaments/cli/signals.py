"""How a command that plays ends when it is told to."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import TypeVar

ResultT = TypeVar("ResultT")

CODES = {signal.SIGTERM: 143, signal.SIGHUP: 129}


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
