"""A bot as a process: how it starts, fails and ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import table_pb2 as table
from moon.v1.bot_service_pb2_grpc import BotServiceStub

from referee.rules import preset_rules
from referee.wire.packing import pack_decision
from tests.wire.walks import questions

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60

TALL = """
from referee.sdk import Bot, serve

class MyBot(Bot):
    def play(self, view):
        return max(view.legal)

serve(MyBot())
"""
FAILING = """
from referee.sdk import Bot, serve

class Failing(Bot):
    def bid(self, view):
        return view.legal[99]

serve(Failing())
"""
WRONG = FAILING.replace("view.legal[99]", "None")
STUCK = """
import time
from referee.sdk import Bot, serve

class Stuck(Bot):
    def bid(self, view):
        print("thinking", flush=True)
        time.sleep(3600)

serve(Stuck())
"""
TUNED = """
from referee.sdk import Bot, Param, serve

class Tuned(Bot):
    '''Bids by feel.'''
    risk = Param(0.3, "how daring")

serve(Tuned())
"""
ILLEGAL = """
from referee.sdk import Bot, Bid, serve

class Cheat(Bot):
    def bid(self, view):
        return Bid.DOUBLE_MOON

serve(Cheat())
"""
# Starts its argument and waits to be killed; says the number of the process it started.
PARENT = """
import subprocess, sys, time
print(subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.DEVNULL).pid, flush=True)
time.sleep(3600)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yields a folder whose path is short enough for a socket in it."""
    with tempfile.TemporaryDirectory(prefix="moon-") as name:
        yield Path(name)


class Started:
    """A bot that was started as the referee would."""

    def __init__(self, folder: Path, source: str, *arguments: str, **environment: str) -> None:
        script = folder / "bot.py"
        script.write_text(source)
        self.address = f"unix:{folder}/bot.sock"
        self.channel: grpc.Channel | None = None
        self.process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            env=clean({"MOON_BOT_LISTEN": self.address, **environment}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *error: object) -> None:
        if self.channel is not None:
            self.channel.close()
        self.process.kill()
        self.process.communicate()

    def ready(self) -> BotServiceStub:
        """Returns a client once the bot answers; fails if it never does."""
        self.channel = grpc.insecure_channel(
            self.address,
            options=[
                ("grpc.initial_reconnect_backoff_ms", 50),
                ("grpc.min_reconnect_backoff_ms", 50),
                ("grpc.max_reconnect_backoff_ms", 100),
            ],
        )
        stub = BotServiceStub(self.channel)
        stub.GetBotInfo(pb.GetBotInfoRequest(nonce="n"), wait_for_ready=True, timeout=PATIENCE)
        return stub

    def ended(self) -> tuple[int, str, str]:
        """Returns the exit code, the output and the errors, once the process has ended."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


def clean(extra: dict[str, str]) -> dict[str, str]:
    """Returns an environment with nothing in it but what a bot needs, and *extra*."""
    return {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}", **extra}


def a_bid() -> pb.Decision:
    [view, *_] = questions(preset_rules("tournament-3p"), range(1))
    return pack_decision(view, match_id="m", number=3, move_time_ms=1000).decision


def test_the_bot_of_the_readme_serves_where_the_referee_says_and_prints_nothing(
    folder: Path,
) -> None:
    with Started(folder, TALL) as bot:
        answer = bot.ready().Decide(pb.DecideRequest(decision=a_bid())).answer
        assert (answer.match_id, answer.decision_number, answer.bid) == ("m", 3, 1)
        bot.process.terminate()
        assert bot.ended() == (0, "", "")


def test_a_bot_whose_function_never_returns_still_ends_when_told_to(folder: Path) -> None:
    with Started(folder, STUCK) as bot:
        call = bot.ready().Decide.future(pb.DecideRequest(decision=a_bid()))
        assert bot.process.stdout is not None
        assert bot.process.stdout.readline() == "thinking\n"
        bot.process.terminate()
        assert bot.ended()[0] == 0
        call.cancel()


@pytest.mark.parametrize("platform", ["linux", "some other"])
def test_a_bot_ends_when_the_process_that_started_it_is_killed(folder: Path, platform: str) -> None:
    """Once by the kernel's own means, once by looking at the parent."""
    script = folder / "bot.py"
    script.write_text(f"import sys; sys.platform = {platform!r}\n{TALL}")
    address = f"unix:{folder}/bot.sock"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(script)],
        env=clean({"MOON_BOT_LISTEN": address}),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        with grpc.insecure_channel(address) as channel:
            BotServiceStub(channel).GetBotInfo(
                pb.GetBotInfoRequest(nonce="n"), wait_for_ready=True, timeout=PATIENCE
            )
    finally:
        parent.kill()
        parent.communicate()
    patience = time.monotonic() + PATIENCE
    while is_running(pid):
        assert time.monotonic() < patience, "it outlived its parent"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


NOT_A_BID = (
    "TypeError: Failing.bid returned None to a bid question; it must return a Bid,"
    " such as view.legal[0]"
)


def single(client: BotServiceStub) -> None:
    client.Decide(pb.DecideRequest(decision=a_bid()))


def stream(client: BotServiceStub) -> None:
    for _ in client.Play(iter([pb.PlayRequest(decisions=[a_bid()])])):
        pass


@pytest.mark.parametrize(
    ("source", "reason"),
    [(FAILING, "IndexError: tuple index out of range"), (WRONG, NOT_A_BID)],
    ids=["raises", "returns-nothing"],
)
@pytest.mark.parametrize("ask", [single, stream])
def test_a_bot_that_fails_ends_with_its_traceback_and_no_answer(
    folder: Path, source: str, reason: str, ask: Callable[[BotServiceStub], None]
) -> None:
    with Started(folder, source) as bot:
        client = bot.ready()
        with pytest.raises(grpc.RpcError) as caught:
            ask(client)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        code, _, errors = bot.ended()
    assert code == 1
    assert errors.startswith("Traceback (most recent call last):")
    assert errors.strip().splitlines()[-1] == reason


def test_debug_writes_each_question_with_its_answer(folder: Path) -> None:
    with Started(folder, TALL, "--debug") as bot:
        bot.ready().Decide(pb.DecideRequest(decision=a_bid()))
        bot.process.terminate()
        _, _, errors = bot.ended()
    assert "MyBot, parameters: none" in errors
    assert "m 3: tournament-3p | deal " in errors
    assert "-> pass (" in errors
    assert "NOT LEGAL" not in errors


def test_debug_marks_an_answer_that_is_not_legal_and_sends_it_all_the_same(folder: Path) -> None:
    with Started(folder, ILLEGAL, "--debug") as bot:
        answer = bot.ready().Decide(pb.DecideRequest(decision=a_bid())).answer
        bot.process.terminate()
        assert bot.ended()[2].rstrip().endswith("NOT LEGAL")
    assert answer.bid == table.BID_DOUBLE_MOON


@pytest.mark.parametrize(
    ("environment", "problem"),
    [
        ({"MOON_BOT_PARAM_RSIK": "1"}, "Tuned: parameter rsik: .*did you mean 'risk'"),
        ({"MOON_BOT_PARAM_RISK": "x"}, "Tuned: parameter risk: 'x' is not a number"),
        ({"MOON_PROTOCOL": "moon.v9"}, "Tuned: MOON_PROTOCOL: is moon.v9, but .* moon.v1"),
        ({"MOON_BOT_LISTEN": "unix:/tmp/" + "x" * 120}, "is longer than the 107 bytes"),
        ({"MOON_BOT_LISTEN": "unix:/dev/null"}, "/dev/null: is in the way of the socket"),
        ({"MOON_BOT_LISTEN": "unix:/nowhere/b.sock"}, "cannot listen there"),
    ],
)
def test_what_makes_no_sense_is_refused_at_the_start_in_one_line(
    folder: Path, environment: dict[str, str], problem: str
) -> None:
    with Started(folder, TUNED, **environment) as bot:
        code, _, errors = bot.ended()
    assert code == 2
    assert len(errors.splitlines()) == 1
    assert re.search(problem, errors), errors


def test_the_socket_of_a_living_bot_is_not_taken_from_it(folder: Path) -> None:
    """gRPC alone would remove it, and the first bot would wait for ever."""
    with Started(folder, TALL) as first:
        client = first.ready()
        with Started(folder, TALL) as second:
            code, _, errors = second.ended()
        assert (code, "is in use by another process" in errors) == (2, True)
        assert client.Decide(pb.DecideRequest(decision=a_bid())).answer.bid == 1


def test_the_socket_that_a_dead_bot_left_behind_is_no_hindrance(folder: Path) -> None:
    with Started(folder, TALL) as first:
        first.ready()
        first.process.send_signal(signal.SIGKILL)
        first.ended()
        assert (folder / "bot.sock").exists()
    with Started(folder, TALL) as second:
        assert second.ready().Decide(pb.DecideRequest(decision=a_bid())).answer.bid == 1


def by_hand(folder: Path, source: str, *arguments: str) -> subprocess.Popen[str]:
    """Starts a bot as an author would."""
    script = folder / "bot.py"
    script.write_text(source)
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        env=clean({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_bot_started_by_hand_says_where_it_serves_and_ends_with_ctrl_c(folder: Path) -> None:
    process = by_hand(folder, TALL)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("MyBot serves on 127.0.0.1:")
        target = line.split()[3].removesuffix(";")
        assert f"moon play grpc://{target} " in line
        with grpc.insecure_channel(target) as channel:
            request = pb.DecideRequest(decision=a_bid())
            assert BotServiceStub(channel).Decide(request, timeout=PATIENCE).answer.bid == 1
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, errors) == (130, "")


def test_a_port_that_is_taken_is_refused_and_not_shared(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as taken:
        port = taken.getsockname()[1]
        process = by_hand(folder, TALL, "--port", str(port))
        out, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (2, "")
    assert errors == (
        f"MyBot: 127.0.0.1:{port}: cannot listen there; it is in use, or no address of this"
        " machine\n"
    )


def test_help_shows_the_parameters_with_their_defaults(folder: Path) -> None:
    out, _ = by_hand(folder, TUNED, "--help").communicate(timeout=PATIENCE)
    assert "Bids by feel." in out
    assert "MOON_BOT_PARAM_RISK=0.3  how daring" in out


def test_a_class_in_place_of_a_bot_is_refused_and_says_what_to_write(folder: Path) -> None:
    process = by_hand(folder, TALL.replace("MyBot())", "MyBot)"))
    _, errors = process.communicate(timeout=PATIENCE)
    assert errors.splitlines()[-1].endswith("not its class: serve(MyBot())")


def test_the_sdk_alone_does_not_import_grpc(folder: Path) -> None:
    """A bot inside the program, or in its author's tests, need not wait for it."""
    source = "import sys; from referee.sdk import Bot, serve; print('grpc' in sys.modules)"
    out, _ = by_hand(folder, source).communicate(timeout=PATIENCE)
    assert out == "False\n"


def test_a_misspelt_function_is_refused_with_the_one_that_was_meant(folder: Path) -> None:
    source = TALL.replace("def play", "def plya")
    assert source != TALL
    with Started(folder, source) as bot:
        code, _, errors = bot.ended()
    assert code == 2
    assert "MyBot.plya" in errors
    assert "did you mean 'play'?" in errors
