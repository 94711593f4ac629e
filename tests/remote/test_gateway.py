"""Bots that dial in: who is let in, how they play, and what becomes of those who misbehave."""

from __future__ import annotations

import asyncio
import errno
import resource
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from moon.v1 import arena_service_pb2 as arena
from moon.v1 import arena_service_pb2_grpc as arena_grpc
from moon.v1 import bot_service_pb2 as pb

from referee.bots import gateway
from referee.bots.gateway import serving
from referee.bots.spec import parse_bot
from referee.bots.survey import survey
from referee.bots.terms import CallStyle, RemoteTerms
from referee.bots.tokens import holder_of, make_token
from referee.errors import ConfigError, MoonError
from referee.match import Fault, FaultKind
from referee.rules import MakeBid
from referee.sdk import Bot
from referee.sdk.dialling import attach
from tests.remote.far import TERMS, Meek, cable_to, line_to, until

NOBODY_LISTENS = "127.0.0.1:1"


class Gate:
    """A gateway in this process."""

    def __init__(self, folder: Path, port: int, said: list[str]) -> None:
        self.address = f"127.0.0.1:{port}"
        self.port = port
        self.folder = folder
        self.said = said
        self.terms = RemoteTerms(dial_in=str(folder))

    @contextmanager
    def bot(
        self, bot: Bot, token: str, tls: Path | None = None, address: str = ""
    ) -> Iterator[list[MoonError]]:
        """Has *bot* dial in while the block runs, and yields what it is refused for."""
        file = self.folder.parent / f"{token[:8]}.token"
        file.write_text(token + "\n")
        refused: list[MoonError] = []
        stop = attach(bot, address or self.address, file, tls, refused.append, None)
        try:
            yield refused
        finally:
            stop()

    async def is_in(self, name: str) -> None:
        await until((self.folder / "sockets" / name).exists, f"{name} has dialled in")

    async def is_out(self, name: str) -> None:
        socket = self.folder / "sockets" / name
        await until(lambda: not socket.exists(), f"{name} has gone")


@asynccontextmanager
async def gate_in(folder: Path, port: int = 0, tls: Path | None = None) -> AsyncIterator[Gate]:
    said: list[str] = []
    async with serving(f"127.0.0.1:{port}", folder, tls, said.append) as bound:
        yield Gate(folder, bound, said)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose path is short enough for a socket in it."""
    with tempfile.TemporaryDirectory(prefix="m") as name:
        yield Path(name) / "gate"


@pytest.mark.parametrize("style", [CallStyle.STREAM, CallStyle.UNARY])
async def test_a_bot_that_has_dialled_in_is_asked_as_any_bot(
    folder: Path, style: CallStyle
) -> None:
    bot = Meek()
    async with gate_in(folder) as gate:
        with gate.bot(bot, make_token(folder, "Deep")):
            await gate.is_in("deep")
            specs = {"deep": [parse_bot("dial:deep", Path())]}
            assert (await survey(specs, gate.terms, 20.0)).round_trips
            async with line_to("dial:deep", remote=gate.terms, style=style) as deep:
                assert deep.line.introduction.startswith("meek")
                for match in ("m", "n"):
                    choice, _ = await deep.ask(match)
                    assert isinstance(choice, MakeBid)
        await gate.is_out("deep")
    assert bot.asked == 2
    assert gate.said[0] == "deep has dialled in"


async def test_the_arena_proves_who_it_is_before_it_gets_a_token(
    folder: Path, arenas: Path
) -> None:
    token = make_token(folder, "deep")
    async with gate_in(folder, tls=arenas / "ours") as gate:
        with gate.bot(Meek(), token, arenas / "ours/bots/far") as refused:
            await gate.is_in("deep")
            assert refused == []
        await gate.is_out("deep")
        with gate.bot(Meek(), token, arenas / "foreign/bots/far") as refused:
            await until(lambda: refused, "the bot does not trust it")
        assert "is not the arena whose ca.pem the bot has" in str(refused[0])
    # A bot of the same arena has a certificate of the same authority, and is not the arena.
    bot_as_arena = folder.parent / "tls"
    bot_as_arena.mkdir()
    for source, name in (
        ("ca.pem", "ca.pem"),
        ("bot.pem", "referee.pem"),
        ("bot.key", "referee.key"),
    ):
        (bot_as_arena / name).write_bytes((arenas / "ours/bots/far" / source).read_bytes())
    async with gate_in(folder, tls=bot_as_arena) as gate:
        with gate.bot(Meek(), token, arenas / "ours/bots/far") as refused:
            await until(lambda: refused, "the bot does not trust it")
        assert gate.said == []


async def test_a_wrong_token_is_refused_and_the_bot_says_so(folder: Path) -> None:
    make_token(folder, "deep")
    async with gate_in(folder) as gate:
        with gate.bot(Meek(), "x" * 43) as refused:
            await until(lambda: refused, "it is refused")
        assert refused[0].exit_code == 2
        assert "the arena refuses the token" in str(refused[0])
        assert gate.said == []


async def test_a_bot_whose_network_has_died_comes_back_at_once_and_is_asked_again(
    folder: Path,
) -> None:
    bot, token = Meek(), make_token(folder, "deep")
    async with gate_in(folder) as gate, cable_to(gate.address) as (cable, address):
        with gate.bot(bot, token, address=address) as refused:
            await gate.is_in("deep")
            async with line_to("dial:deep", remote=gate.terms) as deep:
                cable.is_dead = True
                asking = asyncio.create_task(deep.ask("m"))
                with gate.bot(bot, token) as refused_again:
                    choice, _ = await asking
            assert isinstance(choice, MakeBid)
            assert deep.line.starts == bot.asked == 1
            assert refused == refused_again == [], "the first was told nothing: its network is dead"
    assert [words for words in gate.said if "anew" in words] == [
        "deep has dialled in with its token anew, which ends its older call"
    ]


async def test_of_two_bots_with_one_token_the_first_ends_and_the_second_plays(folder: Path) -> None:
    first, second, token = Meek(), Meek(), make_token(folder, "deep")
    async with gate_in(folder) as gate:
        with gate.bot(first, token) as refused:
            await gate.is_in("deep")
            async with line_to("dial:deep", remote=gate.terms) as deep:
                with gate.bot(second, token) as refused_second:
                    await until(lambda: refused, "the first is told")
                    choice, _ = await deep.ask("m")
                assert isinstance(choice, MakeBid)
        await gate.is_out("deep")
    assert refused[0].exit_code == 2
    assert "another bot has dialled in with this token" in str(refused[0])
    assert refused_second == []
    assert (first.asked, second.asked) == (0, 1)


async def test_no_other_token_takes_the_place_of_a_bot_not_even_an_old_one_of_its_own(
    folder: Path,
) -> None:
    first, other, old = Meek(), Meek(), make_token(folder, "deep")
    new = make_token(folder, "deep", renew=True)
    async with gate_in(folder) as gate:
        with gate.bot(first, new) as refused:
            await gate.is_in("deep")
            with gate.bot(other, old) as refused_old, gate.bot(other, make_token(folder, "far")):
                await until(lambda: refused_old, "the old token is refused")
                await gate.is_in("far")
                async with line_to("dial:deep", remote=gate.terms) as deep:
                    await deep.ask("m")
    assert refused == []
    assert (first.asked, other.asked) == (1, 0)


def test_a_renewed_token_replaces_the_old_one_and_no_file_holds_either(folder: Path) -> None:
    old = make_token(folder, "deep")
    with pytest.raises(ConfigError, match="deep has a token, of which only the hash is kept"):
        make_token(folder, "deep")
    assert holder_of(folder, old) == "deep"
    new = make_token(folder, "deep", renew=True)
    assert (holder_of(folder, old), holder_of(folder, new)) == (None, "deep")
    assert holder_of(folder, "") is holder_of(folder, "x" * 100_000) is None
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert kept
    for path in kept:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert new not in path.read_text()


async def test_a_bot_that_goes_while_it_is_asked_has_crashed(folder: Path) -> None:
    bot, terms = Meek(), replace(TERMS, move_time=1.2, first_move=1.2)
    bot.free.clear()
    async with gate_in(folder) as gate:
        with ExitStack() as dialling:
            dialling.enter_context(gate.bot(bot, make_token(folder, "deep")))
            await gate.is_in("deep")
            async with line_to("dial:deep", terms, gate.terms) as deep:
                asking = asyncio.create_task(deep.ask("m"))
                await until(lambda: bot.asked, "the bot is asked")
                dialling.close()
                fault, _ = await asking
        bot.free.set()
        await gate.is_out("deep")
    assert isinstance(fault, Fault)
    assert fault.kind is FaultKind.CRASHED
    assert fault.detail.startswith("disconnected, and not back in time")


async def test_a_bot_comes_back_by_itself_when_the_arena_was_away(folder: Path) -> None:
    bot, token = Meek(), make_token(folder, "deep")
    with ExitStack() as dialling:
        async with gate_in(folder) as gate:
            port = gate.port
            refused = dialling.enter_context(gate.bot(bot, token))
            await gate.is_in("deep")
        async with gate_in(folder, port) as gate:
            await gate.is_in("deep")
            async with line_to("dial:deep", remote=gate.terms) as deep:
                choice, _ = await deep.ask("m")
                assert isinstance(choice, MakeBid)
            dialling.close()
            await gate.is_out("deep")
    assert refused == []


# Who comes with other intentions.


@asynccontextmanager
async def by_hand(
    gate: Gate, token: str
) -> AsyncIterator[grpc.aio.StreamStreamCall[arena.AttachRequest, arena.AttachResponse]]:
    async with grpc.aio.insecure_channel(gate.address) as channel:
        metadata = (("authorization", f"Bearer {token}"),)
        call = arena_grpc.ArenaServiceStub(channel).Attach(metadata=metadata)
        try:
            yield call
        finally:
            call.cancel()


async def test_a_bot_that_floods_with_answers_to_nothing_is_cut_off(folder: Path) -> None:
    async with gate_in(folder) as gate:
        async with by_hand(gate, make_token(folder, "deep")) as call:
            assert (await call.read()).attached.name == "deep"
            with suppress(grpc.RpcError, asyncio.InvalidStateError):
                for number in range(100_000):
                    await call.write(arena.AttachRequest(call=number, decide=pb.DecideResponse()))
            assert await call.code() is not grpc.StatusCode.OK
        await gate.is_out("deep")
        assert "was cut off" in gate.said[-1]


async def test_a_message_beyond_the_limit_ends_the_call(folder: Path) -> None:
    async with gate_in(folder) as gate:
        async with by_hand(gate, make_token(folder, "deep")) as call:
            await call.read()
            info = pb.GetBotInfoResponse(name="x" * 100_000)
            await call.write(arena.AttachRequest(call=1, get_bot_info=info))
            assert await call.code() is not grpc.StatusCode.OK
        await gate.is_out("deep")


async def test_an_answer_of_another_kind_or_a_refusal_is_a_fault_of_the_bot(folder: Path) -> None:
    async with gate_in(folder) as gate:
        async with by_hand(gate, make_token(folder, "deep")) as call:
            await call.read()

            async def answer() -> None:
                while isinstance(asked := await call.read(), arena.AttachResponse):
                    if asked.HasField("get_bot_info"):
                        info = pb.GetBotInfoResponse(
                            nonce=asked.get_bot_info.nonce, protocol_versions=["moon.v1"]
                        )
                        said = arena.AttachRequest(call=asked.call, get_bot_info=info)
                        await call.write(said)
                        await call.write(said)  # once too often
                    else:
                        failed = arena.CallFailed(reason="no idea\x1b[2J")
                        await call.write(arena.AttachRequest(call=asked.call, failed=failed))

            answering = asyncio.create_task(answer())
            async with line_to("dial:deep", remote=gate.terms) as deep:
                fault, _ = await deep.ask("m")
            answering.cancel()
        assert isinstance(fault, Fault)
        assert fault.kind is FaultKind.PROTOCOL
        assert fault.detail == "INTERNAL: no idea\\x1b[2J"


async def test_who_connects_and_does_not_attach_is_cut_off(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorter = {"grpc.server_handshake_timeout_ms": 200, "grpc.max_connection_idle_ms": 200}
    options = tuple((name, shorter.get(name, value)) for name, value in gateway.SERVER_OPTIONS)
    assert options != gateway.SERVER_OPTIONS
    monkeypatch.setattr(gateway, "SERVER_OPTIONS", options)
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
    async with gate_in(folder) as gate:
        for words in (b"", b"GET / HTTP/1.1\r\n", preface):
            reader, writer = await asyncio.open_connection("127.0.0.1", gate.port)
            writer.write(words)
            async with asyncio.timeout(30):
                await reader.read()
            writer.close()


@pytest.mark.parametrize(
    ("listen", "problem"),
    [
        ("0.0.0.0:0", "tokens would travel in the clear; give --tls DIR"),
        ("5040", "expected HOST:PORT, got '5040'"),
        ("127.0.0.1:99999", "expected HOST:PORT"),
    ],
)
async def test_an_address_that_cannot_be_used_is_refused(
    folder: Path, listen: str, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        async with serving(listen, folder, None, print):
            pass


async def test_a_folder_has_one_gateway_and_an_address_one_server(folder: Path) -> None:
    async with gate_in(folder) as gate:
        assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "sockets")} == {
            0o700
        }
        with pytest.raises(ConfigError, match="another moon serve-bots is using it"):
            async with gate_in(folder):
                pass
        with pytest.raises(ConfigError, match="cannot listen on"):
            async with gate_in(folder.parent / "other", gate.port):
                pass


def put(folder: Path, *names: str, mode: int = 0o700) -> None:
    """Makes *folder* with files of these *names*."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).touch()
    folder.chmod(mode)


def look(folder: Path) -> tuple[list[str], int]:
    """Returns the names in *folder*, and who may enter it."""
    return sorted(path.name for path in folder.iterdir()), stat.S_IMODE(folder.stat().st_mode)


async def test_the_sockets_of_a_gateway_that_was_killed_are_swept_and_nothing_else(
    folder: Path,
) -> None:
    put(folder / "sockets", "notes.txt")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "sockets" / "deep"))
    async with gate_in(folder):
        assert look(folder / "sockets") == (["notes.txt"], 0o700)


async def test_a_folder_in_which_somebody_keeps_other_things_is_refused_and_left_as_it_is(
    folder: Path,
) -> None:
    put(folder, "alice.py", mode=0o755)
    with pytest.raises(ConfigError, match=r"holds other things \(alice.py\)"):
        async with gate_in(folder):
            pass
    assert look(folder) == (["alice.py"], 0o755)


@pytest.mark.parametrize(
    ("address", "token", "problem"),
    [
        ("arena.example.org:5040", "x" * 43, "the token would travel in the clear; give --tls DIR"),
        (NOBODY_LISTENS, None, "no such file or directory"),
        (NOBODY_LISTENS, "two words", "is no token; the organiser makes one"),
        (NOBODY_LISTENS, "", "is no token"),
    ],
)
def test_a_bot_does_not_dial_without_what_it_needs(
    tmp_path: Path, address: str, token: str | None, problem: str
) -> None:
    if token is not None:
        (tmp_path / "token").write_text(token)
    with pytest.raises(ConfigError, match=problem):
        attach(Meek(), address, tmp_path / "token", None, print, None)


async def test_a_bot_that_the_arena_cannot_take_in_now_is_told_so_and_calls_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without files left no token can be read, which is no fault of who shows one."""

    def fail(folder: Path, _: str) -> str:
        raise OSError(errno.EMFILE, "Too many open files", str(folder))

    token = make_token(folder, "deep")
    async with gate_in(folder) as gate:
        with monkeypatch.context() as broken:
            broken.setattr(gateway, "holder_of", fail)
            with gate.bot(Meek(), token) as refused:
                await until(lambda: gate.said, "the bot calls")
                broken.undo()
                await gate.is_in("deep")
        assert gate.said[0] == "tokens cannot be read: Too many open files"
    assert not refused
    told = capfd.readouterr().err
    assert "the arena cannot take in bots now; call again" in told
    assert str(folder) not in told, "no path of the arena is any business of an author"


async def test_a_gateway_takes_as_many_files_as_it_may_have(folder: Path) -> None:
    """A thousand callers without a token would else leave none for the bots that are in."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = min(before[1] if before[1] != resource.RLIM_INFINITY else 1 << 20, 1 << 20)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    try:
        async with gate_in(folder):
            now, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert now == min(hard, gateway.MOST_FILES)


def test_a_token_that_cannot_be_read_shuts_nobody_else_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that root has made, say, for a gateway of somebody else."""
    token = make_token(folder, "deep")
    make_token(folder, "closed")
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "closed":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert holder_of(folder, token) == "deep"
