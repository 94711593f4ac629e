"""The share of this host in the time of an answer, measured: what an answer may be late."""

from __future__ import annotations

import asyncio
import math
import time
from pathlib import Path
from typing import NamedTuple

import grpc
import grpc.aio

from referee.bots.handshake import open_channel

ECHOES = 100
"""How many round trips are measured."""
PAUSE = 0.002
"""Seconds between them, in which both ends rest: to be woken is what takes time on a busy host."""
FACTOR = 3.0
"""The grace is so many times the longest of them: the host is busier when bots think."""
LEAST, MOST = 0.02, 0.25
"""The bounds of the grace, in seconds."""
MESSAGE = bytes(200)
"""What travels: as large as an ordinary decision."""


class Grace(NamedTuple):
    """What was measured of this host, in seconds."""

    grace: float
    """What an answer may be late."""
    p50: float
    """The median of the bare round trips that it was taken from."""
    p99: float
    """The round trip that 99 % of them do not exceed."""


async def _echo(request: bytes, _: object) -> bytes:
    return request


async def measure_grace(socket: Path) -> Grace:
    """Returns the grace for bots on this host, and the round trips behind it.

    It is taken from round trips to an echo in this process, over the transport that bots use.

    Args:
        socket: Where the echo may listen.
    """
    target = f"unix:{socket}"
    server = grpc.aio.server()
    echo: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(_echo)
    handler = grpc.method_handlers_generic_handler("moon.Grace", {"Echo": echo})
    server.add_generic_rpc_handlers((handler,))
    server.add_insecure_port(target)
    await server.start()
    channel = open_channel(target)
    call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
    call = channel.unary_unary("/moon.Grace/Echo")
    trips = []
    try:
        await call(MESSAGE, wait_for_ready=True)
        for _ in range(ECHOES):
            start = time.monotonic()
            await call(MESSAGE)
            trips.append(time.monotonic() - start)
            await asyncio.sleep(PAUSE)
    finally:
        await channel.close()
        await server.stop(None)
    trips.sort()
    p50, p99 = (trips[math.ceil(share * len(trips)) - 1] for share in (0.5, 0.99))
    return Grace(min(MOST, max(LEAST, FACTOR * trips[-1])), p50, p99)
