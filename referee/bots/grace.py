"""The share of this host in the time of an answer, measured: what an answer may be late."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import grpc
import grpc.aio

from referee.bots.handshake import open_channel

ECHOES = 50
"""How many round trips are measured."""
FACTOR = 3.0
"""The grace is so many times the longest of them: the host is busier when bots think."""
LEAST, MOST = 0.02, 0.25
"""The bounds of the grace, in seconds."""


MESSAGE = bytes(200)
"""What travels: as large as an ordinary decision."""


async def _echo(request: bytes, _: object) -> bytes:
    return request


async def measure_grace(socket: Path) -> float:
    """Returns the grace for bots on this host, in seconds.

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
    longest = 0.0
    try:
        await call(MESSAGE, wait_for_ready=True)
        for _ in range(ECHOES):
            start = time.monotonic()
            await call(MESSAGE)
            longest = max(longest, time.monotonic() - start)
            await asyncio.sleep(0)
    finally:
        await channel.close()
        await server.stop(None)
    return min(MOST, max(LEAST, FACTOR * longest))
