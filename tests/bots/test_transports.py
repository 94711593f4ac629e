"""What a channel to a bot lets through: the bot is a real program, and speaks HTTP/2 by hand."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import bot_service_pb2_grpc as pb_grpc

from referee.bots.calls import BotCalls
from referee.bots.handshake import MAX_MESSAGE, MAX_METADATA, open_channel, shake_hands
from referee.bots.keeper_client import Keeper
from referee.bots.process import BotProcess
from referee.bots.sessions import SessionTerms, start_session
from referee.bots.spec import parse_bot
from referee.bots.terms import CallStyle
from referee.bots.transports import StreamTransport, Transport, UnaryTransport
from referee.rules import preset_rules
from referee.wire.packing import DecisionMessage, pack_decision
from tests.wire.walks import questions

PROGRAM = Path(__file__).parents[1] / "zoo" / "programs" / "http2.py"
PROTO = Path(__file__).parents[2] / "proto"
PATIENCE = 60.0
QUESTIONS = [
    pack_decision(view, match_id=f"match {n}", number=n + 1, move_time_ms=1000)
    for n, view in enumerate(questions(preset_rules("tournament-3p"), range(4))[:8])
]
STYLES = ("unary", "stream")


class Heard:
    """What a transport told, in order."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[tuple[str, object]] = asyncio.Queue()

    def answered(self, answers: Sequence[pb.Answer]) -> None:
        for answer in answers:
            self.told.put_nowait(("answered", answer.match_id))

    def sent(self, questions: Sequence[DecisionMessage]) -> None:
        pass

    def expired(self, question: DecisionMessage, problem: str) -> None:
        self.told.put_nowait(("expired", problem))

    def failed(self, error: BaseException) -> None:
        self.told.put_nowait(("failed", error))

    def lost(self, problem: str, *, disconnected: bool, question: DecisionMessage | None) -> None:
        self.told.put_nowait(("lost", problem))

    async def next(self) -> tuple[str, object]:
        return await asyncio.wait_for(self.told.get(), PATIENCE)


@asynccontextmanager
async def bot(
    *arguments: str, program: Path = PROGRAM
) -> AsyncIterator[tuple[BotCalls, subprocess.Popen[str]]]:
    """Runs a raw bot with *arguments*, and yields the calls to it once it has shaken hands."""
    with tempfile.TemporaryDirectory(prefix="m") as folder:
        address = f"unix:{folder}/s"
        process = start([sys.executable, str(program), *arguments], address)
        channel = open_channel(address)
        try:
            calls = BotCalls(channel)
            await shake_hands(calls, PATIENCE)
            yield calls, process
        finally:
            await channel.close()
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()


def start(command: list[str], address: str) -> subprocess.Popen[str]:
    """Starts a bot that listens at *address*."""
    return subprocess.Popen(
        command,
        env={"MOON_BOT_LISTEN": address, "PYTHONPATH": str(PROTO), "PATH": os.defpath},
        stderr=subprocess.PIPE,
        text=True,
    )


async def ask(style: str, *arguments: str) -> tuple[str, object]:
    """Returns the first that is told when the bot is asked a question."""
    more = ("stream",) if style == "stream" else ()
    async with bot(*arguments, *more) as (calls, _):
        heard = Heard()
        transport: Transport
        transport = (StreamTransport if more else UnaryTransport)(calls, heard)
        transport.send(QUESTIONS[:1], PATIENCE)
        told = await heard.next()
        await transport.close()
        return told


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("manner", ["nested", "bad-utf8"])
async def test_an_answer_that_cannot_be_read_is_the_bots_fault_and_makes_no_traceback(
    manner: str, style: str, capfd: pytest.CaptureFixture[str]
) -> None:
    what, problem = await ask(style, manner, "after=0")
    assert what == "lost"
    assert "is no " in str(problem)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("manner", ["no-message", "flag-2"])
async def test_a_call_that_ends_well_without_a_message_is_the_bots_fault(
    manner: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert await ask("unary", manner, "after=0") == ("lost", "the call ended without a message")
    assert capfd.readouterr().err == ""


async def test_a_status_that_is_no_text_makes_no_traceback(
    capfd: pytest.CaptureFixture[str],
) -> None:
    what, problem = await ask("unary", "status-bad-text", "after=0")
    assert what == "lost"
    assert str(problem).startswith("INTERNAL")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("style", STYLES)
async def test_what_a_bot_says_in_a_status_is_told_as_one_visible_line(style: str) -> None:
    what, problem = await ask(style, "hostile-status", "after=0")
    assert what == "lost"
    assert str(problem).isprintable()


@pytest.mark.parametrize(
    ("manner", "limit", "what"), [("status-4", PATIENCE, "lost"), ("silent", 0.5, "expired")]
)
async def test_the_time_of_a_call_is_over_when_it_is_and_not_when_the_bot_says_so(
    manner: str, limit: float, what: str
) -> None:
    async with bot(manner, "after=0") as (calls, _):
        heard = Heard()
        transport = UnaryTransport(calls, heard)
        transport.send(QUESTIONS[:1], limit)
        told = await heard.next()
        await transport.close()
    assert told[0] == what
    assert "DEADLINE_EXCEEDED" in str(told[1])


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("manner", ["refuse-stream", "goaway-0"])
async def test_a_question_that_is_refused_is_not_put_twice(manner: str, style: str) -> None:
    more = ("stream",) if style == "stream" else ()
    async with bot(manner, "after=0", *more) as (calls, process):
        heard = Heard()
        transport: Transport
        transport = (StreamTransport if more else UnaryTransport)(calls, heard)
        transport.send(QUESTIONS[:1], PATIENCE)
        assert (await heard.next())[0] == "lost"
        await asyncio.sleep(0.3)
        await transport.close()
        process.kill()
        assert process.stderr is not None
        assert "twice" not in process.stderr.read()


@pytest.mark.parametrize("style", STYLES)
async def test_what_a_bot_packs_is_unpacked_up_to_the_limit_of_a_message(style: str) -> None:
    assert (await ask(style, "gzip-answer", "after=0"))[0] == "answered"
    what, problem = await ask(style, "gzip-bomb", "after=0")
    assert what == "lost"
    assert "larger than max" in str(problem)


async def test_a_message_over_the_limit_is_refused_and_one_below_it_is_not() -> None:
    assert 30 * 1024 < MAX_MESSAGE < 1024 * 1024
    assert (await ask("unary", "unknown-field", "after=0"))[0] == "answered"
    what, problem = await ask("unary", "unknown-mib", "after=0")
    assert what == "lost"
    assert "RESOURCE_EXHAUSTED" in str(problem)


async def test_chance_decides_nothing_about_long_trailers() -> None:
    assert 4_000 < MAX_METADATA < 10_000
    assert (await ask("unary", "trailers-4-kb", "after=0"))[0] == "answered"
    # A library with two limits refuses what lies between them by chance.
    async with bot("trailers-10-kb", "after=0") as (calls, _):
        heard = Heard()
        transport = UnaryTransport(calls, heard)
        for question in QUESTIONS:
            transport.send([question], PATIENCE)
            assert (await heard.next())[0] == "lost"
        await transport.close()


@pytest.mark.parametrize("manner", ["endless-messages", "endless-empty", "many-small"])
async def test_a_flood_of_answers_over_the_stream_is_cut_short(manner: str) -> None:
    async with bot(manner, "after=0", "stream") as (calls, _):
        heard = Heard()
        transport = StreamTransport(calls, heard)
        transport.send(QUESTIONS[:1], PATIENCE)
        count = 0
        while (told := await heard.next())[0] == "answered":
            count += 1
            assert count < 2000
        await transport.close()
    assert told == ("lost", "the bot sends many more answers than it is asked for")


async def test_a_bot_that_answers_everything_twice_is_borne_for_ever() -> None:
    async with bot("answers-twice", "after=0", "stream") as (calls, _):
        heard = Heard()
        transport = StreamTransport(calls, heard)
        for _ in range(600):
            transport.send(QUESTIONS[:1], PATIENCE)
            assert {(await heard.next())[0] for _ in range(2)} == {"answered"}
        await transport.close()


@pytest.mark.parametrize("style", STYLES)
async def test_what_breaks_on_our_side_is_not_told_as_a_fault_of_the_bot(style: str) -> None:
    channel = open_channel("unix:/nowhere")
    calls = BotCalls(channel)
    heard = Heard()
    if style == "unary":
        await channel.close()
        UnaryTransport(calls, heard).send(QUESTIONS[:1], PATIENCE)
        assert (await heard.next())[0] == "failed"
    else:
        transport = StreamTransport(calls, heard)
        transport.send([object()], PATIENCE)  # type: ignore[list-item]
        assert (await heard.next())[0] == "failed"
        await transport.close()
        await channel.close()


async def test_a_bot_that_hangs_up_is_lost_though_nothing_is_asked(keeper: Keeper) -> None:
    heard = Heard()
    command = f"cmd:{sys.executable} {PROGRAM} drops-after-answer after=0"
    terms = SessionTerms(preset_rules("tournament-3p"), PATIENCE, CallStyle.UNARY)
    process = BotProcess(parse_bot(command, PROGRAM.parent), keeper)
    session = await start_session(process, heard, terms)
    session.send(QUESTIONS[:1], PATIENCE)
    assert (await heard.next())[0] == "answered"
    assert (await heard.next())[0] == "lost"
    report = await session.end(lost=True)
    assert report.ran_on, "its process is still there"


async def test_a_bot_that_is_slow_to_greet_is_waited_for() -> None:
    program = PROGRAM.with_name("beginnings.py")
    # It takes that long at every attempt to connect: one has to be waited for.
    async with bot("slow-settings", "1", program=program) as (calls, _):
        assert (await shake_hands(calls, PATIENCE)).name == "zoo"


async def test_a_bot_that_does_not_listen_yet_is_tried_many_times_a_second() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        channel = open_channel(f"127.0.0.1:{listening.getsockname()[1]}")
        waiting = asyncio.create_task(shake_hands(BotCalls(channel), PATIENCE))
        listening.settimeout(PATIENCE)
        # As gRPC waits by default, the tenth attempt would come after more than two minutes.
        for _ in range(10):
            connection, _ = await asyncio.to_thread(listening.accept)
            connection.close()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await channel.close()


class Introduced(pb_grpc.BotServiceServicer):
    """Says who it is."""

    def GetBotInfo(
        self, request: pb.GetBotInfoRequest, context: grpc.ServicerContext
    ) -> pb.GetBotInfoResponse:
        return pb.GetBotInfoResponse(nonce=request.nonce, name="zoo", protocol_versions=["moon.v1"])


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """Serves a bot over TCP by gRPC itself."""
    server = grpc.server(ThreadPoolExecutor(2))
    pb_grpc.add_BotServiceServicer_to_server(Introduced(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await asyncio.to_thread(server.stop(None).wait)


@pytest.fixture
def dead_proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("http_proxy", "https_proxy", "grpc_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_proxy", "no_grpc_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return


@pytest.mark.usefixtures("dead_proxy")
async def test_no_proxy_comes_between_the_referee_and_a_bot() -> None:
    async with served() as target:
        channel = open_channel(target)
        assert (await shake_hands(BotCalls(channel), PATIENCE)).name == "zoo"
        await channel.close()
