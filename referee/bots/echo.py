"""What the ways between two Python processes cost when nothing is done at either end.

The floor under every figure of ours: a plain socket, calls of gRPC and a stream of it, and the
stream with messages of 32 decisions. Run as a program it is the other end, which sends back what it
gets and ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self

import grpc
import grpc.aio
from moon.v1 import bot_service_pb2 as pb

from referee.bots.grace import MESSAGE
from referee.bots.handshake import open_channel
from referee.bots.rundir import temporary_folder
from referee.match import Match, Terms
from referee.rules import preset_rules, seed_key
from referee.wire.packing import pack_decision

BATCH = 32
"""How many decisions a message of the batched echo holds."""
_UNARY, _STREAM, _BATCHES = "/echo/unary", "/echo/stream", "/echo/batches"


class Echo:
    """The other process and the ways to it. Use it as an async context manager."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Starts the other process."""
        async with AsyncExitStack() as stack:
            folder = stack.enter_context(temporary_folder())
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "referee.bots.echo", str(folder),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                # What the terminal sends to its programs is for the one that asks.
                start_new_session=True,
            )  # fmt: skip
            stack.push_async_callback(_end, process)
            assert process.stdout is not None
            if not await process.stdout.readline():
                raise RuntimeError("the echo process did not start")
            self._raw = stack.enter_context(socket.socket(socket.AF_UNIX))
            self._raw.connect(f"{folder}/raw")
            self._channel = await stack.enter_async_context(open_channel(f"unix:{folder}/grpc"))
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends the other process."""
        await self._stack.aclose()

    async def socket(self, seconds: float) -> float:
        """Returns the messages a second there and back over a plain socket."""

        async def once() -> None:
            self._raw.sendall(MESSAGE)
            self._raw.recv(len(MESSAGE), socket.MSG_WAITALL)

        return await _rate(once, seconds)

    async def unary(self, seconds: float) -> float:
        """Returns the calls a second, one at a time."""
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(_UNARY)

        async def once() -> None:
            await call(MESSAGE, wait_for_ready=True)

        return await _rate(once, seconds)

    async def stream(self, seconds: float) -> float:
        """Returns the messages a second over a stream, one at a time."""
        return await self._stream(MESSAGE, seconds)

    async def batches(self, seconds: float) -> float:
        """Returns the same where each message is as long as a batch, every part counted."""
        return BATCH * await self._stream(MESSAGE * BATCH, seconds)

    async def _stream(self, message: bytes, seconds: float) -> float:
        method: grpc.aio.StreamStreamMultiCallable[bytes, bytes]
        method = self._channel.stream_stream(_STREAM)
        call = method()

        async def once() -> None:
            await call.write(message)
            await call.read()

        try:
            return await _rate(once, seconds)
        finally:
            call.cancel()

    async def decisions(self, seconds: float, batch: int = BATCH) -> float:
        """Returns the decisions a second, with the messages of moon.v1 and no more.

        Each message of so many is packed, sent, read, answered decision by decision, sent back and
        read.
        """
        decisions = [_decision(number) for number in range(batch)]
        method: grpc.aio.StreamStreamMultiCallable[pb.PlayRequest, pb.PlayResponse]
        method = self._channel.stream_stream(
            _BATCHES,
            request_serializer=pb.PlayRequest.SerializeToString,
            response_deserializer=pb.PlayResponse.FromString,
        )
        call = method()

        async def once() -> None:
            await call.write(pb.PlayRequest(decisions=decisions))
            response = await call.read()
            assert isinstance(response, pb.PlayResponse)
            keys = {(answer.match_id, answer.decision_number) for answer in response.answers}
            assert len(keys) == batch

        try:
            return batch * await _rate(once, seconds)
        finally:
            call.cancel()


async def _end(process: asyncio.subprocess.Process) -> None:
    process.kill()
    await process.wait()


async def _rate(once: Callable[[], Awaitable[None]], seconds: float) -> float:
    """Returns how often a second *once* happens, over about so many seconds."""
    await once()  # opens what has to be opened
    calls, start = 0, time.perf_counter()
    end = start + seconds
    while (now := time.perf_counter()) < end:
        await once()
        calls += 1
    return max(1, calls) / max(now - start, 1e-9)


def _decision(number: int) -> pb.Decision:
    """Returns an ordinary question: a lead, in the middle of a deal."""
    match = Match.start(Terms(preset_rules("tournament-3p"), deals=20), seed_key("echo"))
    while (decision := match.decision) is not None and len(match.deal.plays) < 9:
        match = match.play(decision.legal[0])
    assert decision is not None
    view = match.view(decision.seat, decision)
    return pack_decision(view, match_id=f"{number:016x}", number=40, move_time_ms=2000).decision


# The other process.


def _answers(message: bytes) -> bytes:
    request = pb.PlayRequest.FromString(message)
    answers = [
        pb.Answer(
            match_id=decision.match_id,
            decision_number=decision.decision_number,
            play=decision.play.legal_tiles[0],
        )
        for decision in request.decisions
    ]
    return pb.PlayResponse(answers=answers).SerializeToString()


def _handler() -> grpc.GenericRpcHandler:
    unary: grpc.RpcMethodHandler[bytes, bytes]
    unary = grpc.unary_unary_rpc_method_handler(lambda request, _: request)
    stream: grpc.RpcMethodHandler[bytes, bytes]
    stream = grpc.stream_stream_rpc_method_handler(lambda requests, _: requests)
    batches: grpc.RpcMethodHandler[bytes, bytes]
    batches = grpc.stream_stream_rpc_method_handler(lambda requests, _: map(_answers, requests))
    handlers = {"unary": unary, "stream": stream, "batches": batches}
    return grpc.method_handlers_generic_handler("echo", handlers)


def _serve_raw(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    while data := connection.recv(len(MESSAGE), socket.MSG_WAITALL):
        connection.sendall(data)


def main(folder: Path) -> None:
    """Sends back what comes to the sockets in *folder*, until standard input ends."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "raw"))
    listener.listen()
    threading.Thread(target=_serve_raw, args=(listener,), daemon=True).start()
    server = grpc.server(ThreadPoolExecutor(2), handlers=[_handler()])
    server.add_insecure_port(f"unix:{folder / 'grpc'}")
    server.start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.stop(None)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
