"""Who may play at an address: found out before the match, with the reason, and by gRPC itself."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import pytest
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import bot_service_pb2_grpc as pb_grpc

from referee.bots import probing
from referee.bots.certificates import ARENA_CERTIFICATE, ARENA_KEY
from referee.bots.remotes import Certificates, way_to
from referee.bots.spec import parse_bot
from referee.bots.survey import PINGS, Survey, survey
from referee.bots.terms import RemoteTerms
from referee.errors import ConfigError
from referee.rules import MakeBid
from tests.remote.far import Meek, line_to, listening, served


async def look(text: str, tls: Path | None) -> Survey:
    terms = RemoteTerms(None if tls is None else str(tls))
    return await survey({"the bot": [parse_bot(text, Path())]}, terms, 20.0)


async def refusal(text: str, tls: Path | None) -> str:
    with pytest.raises(ConfigError) as caught:
        await look(text, tls)
    return str(caught.value)


async def test_a_bot_that_proves_its_name_is_asked_and_its_way_is_measured(ours: Path) -> None:
    with served(Meek(), ours / "bots/far") as address:
        seen = await look(f"far=grpc://{address}", ours)
        assert seen.warnings == []
        [trips] = seen.round_trips
        assert (trips.bot, len(trips.seconds)) == ("the bot", PINGS)
        assert 0 < trips.middle <= trips.longest
        async with line_to(f"far=grpc://{address}", remote=RemoteTerms(str(ours))) as far:
            choice, _ = await far.ask("m")
            assert isinstance(choice, MakeBid)


@pytest.mark.parametrize("text", ["Far=grpc://{}", "x=grpc://{}?identity=far"])
async def test_the_name_to_prove_stands_in_front_or_in_a_parameter(ours: Path, text: str) -> None:
    with served(Meek(), ours / "bots/far") as address:
        assert (await look(text.format(address), ours)).round_trips


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        ("ours/bots/near", "proves to be the bot 'near', not the bot 'far'"),
        ("foreign/bots/far", "its certificate is not of this arena"),
        ("ours/bots/old", "its certificate has expired"),
    ],
)
async def test_a_bot_that_does_not_prove_its_name_is_refused_with_the_reason(
    arenas: Path, shown: str, problem: str
) -> None:
    with served(Meek(), arenas / shown) as address:
        text = f"far=grpc://{address}"
        # A bot with the authority of another arena would not believe us either; ours is looked at.
        assert problem in await refusal(text, arenas / "ours")
        with pytest.raises(grpc.RpcError) as caught:
            await first_call(text, arenas / "ours")
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE, "gRPC refuses it by itself"


async def first_call(text: str, tls: Path) -> None:
    channel = way_to(parse_bot(text, Path()), RemoteTerms(str(tls))).open()
    try:
        await pb_grpc.BotServiceStub(channel).GetBotInfo(pb.GetBotInfoRequest(), timeout=20)
    finally:
        await channel.close()


@contextmanager
def calling_as(arena: Path, leaf: Path, folder: Path) -> Iterator[Path]:
    """Yields a folder of certificates with which one calls as the owner of *leaf*."""
    folder.mkdir()
    shutil.copy(arena / "ca.pem", folder)
    shutil.copy(leaf.with_suffix(".pem"), folder / ARENA_CERTIFICATE)
    shutil.copy(leaf.with_suffix(".key"), folder / ARENA_KEY)
    yield folder


@pytest.mark.parametrize("caller", ["foreign/referee", "ours/bots/near/bot"])
async def test_a_bot_answers_the_referee_of_its_arena_and_nobody_else(
    arenas: Path, tmp_path: Path, caller: str
) -> None:
    bot = Meek()
    with (
        served(bot, arenas / "ours/bots/far") as address,
        calling_as(arenas / "ours", arenas / caller, tmp_path / "tls") as tls,
    ):
        text = f"far=grpc://{address}"
        assert "does not believe the referee's certificate" in await refusal(text, tls)
        with pytest.raises(grpc.RpcError):
            await first_call(text, tls)


async def test_a_caller_without_a_certificate_gets_nothing_from_a_bot(ours: Path) -> None:
    trusted = grpc.ssl_channel_credentials((ours / "ca.pem").read_bytes())
    name = (("grpc.ssl_target_name_override", "far.bot.moon"),)
    with served(Meek(), ours / "bots/far") as address:
        async with grpc.aio.secure_channel(address, trusted, name) as channel:
            with pytest.raises(grpc.RpcError) as caught:
                await pb_grpc.BotServiceStub(channel).GetBotInfo(pb.GetBotInfoRequest(), timeout=20)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_bot_that_answers_anybody_is_warned_of(ours: Path) -> None:
    home = ours / "bots/far"
    pair = [((home / "bot.key").read_bytes(), (home / "bot.pem").read_bytes())]
    with listening(Meek(), grpc.ssl_server_credentials(pair)) as address:
        [warning] = (await look(f"far=grpc://{address}", ours)).warnings
    assert warning.startswith("the bot: answers callers that show no certificate")


async def test_a_certificate_that_ends_within_days_is_warned_of(ours: Path) -> None:
    with served(Meek(), ours / "bots/soon") as address:
        [warning] = (await look(f"soon=grpc://{address}", ours)).warnings
    assert warning.startswith("the bot: its certificate ends on 20")


async def test_a_bot_in_the_clear_is_refused_where_it_must_prove_who_it_is(ours: Path) -> None:
    with served(Meek()) as address:
        problem = await refusal(f"far=grpc://{address}", ours)
        assert "speaks in the clear, and must prove who it is" in problem
        assert (await look(f"grpc+insecure://{address}", ours)).round_trips, "asked for by name"
        assert (await look(f"grpc://{address}", None)).round_trips, "on this machine, as ever"


@pytest.mark.parametrize("scheme", ["grpc", "grpc+insecure"])
async def test_a_bot_with_certificates_is_not_called_in_the_clear(ours: Path, scheme: str) -> None:
    with served(Meek(), ours / "bots/far") as address:
        problem = await refusal(f"far={scheme}://{address}", None)
    assert "speaks TLS, and it was called in the clear; give --tls DIR" in problem


@pytest.mark.parametrize(
    ("text", "tls", "problem"),
    [
        ("far=grpc://10.0.0.1:1", False, "is on another machine, and who answers there proves"),
        ("grpc://127.0.0.1:1", True, "who must it prove to be? write the name"),
        ("old far=grpc://127.0.0.1:1", True, "'old far' cannot stand in a certificate"),
        ("grpc://127.0.0.1:1?identity=far", False, "identity=far cannot be proved without --tls"),
        ("far=grpc://127.0.0.1:1", False, "nobody listens there"),
        ("far=grpc://127.0.0.1:1", True, "nobody listens there"),
        ("dial:far", False, "nobody has dialled in as 'far'; is the bot running, and moon"),
        ("far=grpc+insecure://moon.invalid:1", False, "the host is not known"),
    ],
)
async def test_what_cannot_be_called_is_refused_at_once(
    ours: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    tls: bool,
    problem: str,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(probing, "LISTEN_WITHIN", 0.0)
    assert problem in await refusal(text, ours if tls else None)


async def test_a_port_that_says_nothing_or_nonsense_is_refused_where_a_proof_is_needed(
    ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "PATIENCE", 0.2)
    for greeting in (b"", b"SSH-2.0-OpenSSH_9.2\r\n"):

        async def greet(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter, words: bytes = greeting
        ) -> None:
            with suppress(ConnectionError):
                writer.write(words)
                await reader.read()
                writer.close()

        async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            problem = await refusal(f"far=grpc://127.0.0.1:{port}", ours)
            assert "TLS" in problem


@pytest.mark.parametrize("lost", ["ca.pem", "referee.pem", "referee.key"])
def test_a_folder_without_a_certificate_names_it_and_the_way_to_get_it(
    arenas: Path, tmp_path: Path, lost: str
) -> None:
    shutil.copytree(arenas / "ours", tmp_path / "tls")
    (tmp_path / "tls" / lost).unlink()
    with pytest.raises(ConfigError, match=f"{lost}: no such file.*moon bot cert --dir"):
        Certificates.read(tmp_path / "tls")
    shutil.copy(arenas / "foreign" / lost, tmp_path / "tls")
    if lost != "ca.pem":
        with pytest.raises(ConfigError, match="no certificates that belong together"):
            Certificates.read(tmp_path / "tls")
