"""A bot as a program: where it listens, what it is told, and when it ends."""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys
import threading
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import grpc
from moon.v1 import bot_service_pb2 as pb

from referee.errors import ConfigError, MoonError
from referee.rules import Choice
from referee.sdk.bot import AnyView, Bot
from referee.sdk.params import PREFIX, check_names, environment
from referee.sdk.server import Log, start
from referee.wire import PROTOCOL

LISTEN = "MOON_BOT_LISTEN"
"""The variable that says where to listen: ``unix:/path`` or ``127.0.0.1:port``."""
SPOKEN = "MOON_PROTOCOL"
"""The variable that says which protocol the referee is going to speak."""

LOOK_AT_PARENT = 0.5
"""Seconds between two looks at whether the referee is still there."""
LEAVE_WITHIN = 1.5
"""Seconds after which a bot that was told to stop goes, though one of its functions is running.

The referee gives it two (`proto/README.md`) and then kills it, which would lose the exit code.
"""
LONGEST_PATH = 107
"""The longest path of a unix socket, in bytes."""

_PR_SET_PDEATHSIG = 1


def run(bot: Bot, arguments: Sequence[str] | None = None) -> None:
    """Serves *bot* until the process is told to stop, and then exits."""
    parent = os.getppid()
    if isinstance(bot, type):
        raise TypeError(f"serve takes a bot, not its class: serve({bot.__name__}())")
    options = _options(bot, sys.argv[1:] if arguments is None else arguments)
    is_started = LISTEN in os.environ
    if is_started:
        _die_with_parent()
    stop = _Stop()
    try:
        _check(bot)
        server = _start(bot, options, is_started)
    except MoonError as error:
        _say(f"{type(bot).__name__}: {error}")
        sys.exit(error.exit_code)
    while not stop.event.wait(LOOK_AT_PARENT):
        if is_started and os.getppid() != parent:
            break
    _leave(server, stop.code)


class _Stop:
    """Notes the signal that ends the program."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.code = 0
        signal.signal(signal.SIGTERM, lambda *_: self._note(0))
        signal.signal(signal.SIGINT, lambda *_: self._note(130))

    def _note(self, code: int) -> None:
        self.code = code
        self.event.set()


def _options(bot: Bot, arguments: Sequence[str]) -> Namespace:
    if not arguments:
        return Namespace(port=None, debug=False)
    params = bot.params()
    lines = [f"  {PREFIX}{n.upper()}={p.default}  {p.about}".rstrip() for n, p in params.items()]
    parser = ArgumentParser(
        description=(bot.__doc__ or f"{type(bot).__name__}, a bot for Moon.").strip(),
        epilog="\n".join(["parameters, in the environment, with their defaults:", *lines])
        if lines
        else "It has no parameters.",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--port",
        type=int,
        help=f"the port of this machine to listen on (default: {LISTEN}, else a free one)",
    )
    parser.add_argument("--debug", action="store_true", help="write every decision to stderr")
    return parser.parse_args(arguments)


HOOKS = ("bid", "trump", "exchange", "discard", "play", "decide_batch", "deal_ended", "match_ended")
"""The functions of a bot that somebody may mean to write."""


def _check(bot: Bot) -> None:
    """Refuses what the author or the user has misspelt: a function, a parameter, the protocol."""
    for kind in type(bot).__mro__[: type(bot).__mro__.index(Bot)]:
        for name, member in vars(kind).items():
            near = [] if hasattr(Bot, name) else get_close_matches(name, HOOKS, n=1, cutoff=0.75)
            if near and callable(member) and near[0] not in vars(kind):
                raise ConfigError(
                    None, f"{kind.__name__}.{name}", f"is never asked; did you mean {near[0]!r}?"
                )
    protocol = os.environ.get(SPOKEN, PROTOCOL)
    if protocol != PROTOCOL:
        raise ConfigError(None, SPOKEN, f"is {protocol}, but this bot speaks {PROTOCOL}")
    check_names(bot.params(), environment())
    bot.read_params()


def _start(bot: Bot, options: Namespace, is_started: bool) -> grpc.Server:
    if options.port is None:
        address = os.environ.get(LISTEN, "127.0.0.1:0")
    else:
        address = f"127.0.0.1:{options.port}"
    if address.startswith("unix:"):
        _free_socket(address.removeprefix("unix:"))
    log: Log | None = None
    if options.debug:
        log = _log
        given = " ".join(f"{name}={value}" for name, value in bot.read_params().items())
        _say(f"{type(bot).__name__}, parameters: {given or 'none'}")
    try:
        server, port = start(bot, address, log)
    except RuntimeError:
        raise ConfigError(
            None, address, "cannot listen there; it is in use, or no address of this machine"
        ) from None
    if not is_started:
        target = f"127.0.0.1:{port}"
        print(  # noqa: T201
            f"{type(bot).__name__} serves on {target}; "
            f"play against it with: moon play grpc://{target} greedy counter",
            flush=True,
        )
    return server


def _free_socket(text: str) -> None:
    """Makes sure that a socket can be made at the path *text*, and that nobody has one there.

    gRPC itself removes whatever socket it finds, also that of a living server.
    """
    path = Path(text)
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise ConfigError(path, None, f"is longer than the {LONGEST_PATH} bytes a socket may have")
    try:
        is_socket = stat.S_ISSOCK(path.lstat().st_mode)
    except FileNotFoundError:
        return
    if not is_socket:
        raise ConfigError(path, None, "is in the way of the socket")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(text)
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)  # of a server that is gone
            return
    raise ConfigError(path, None, "is in use by another process")


def _die_with_parent() -> None:
    """Asks the kernel to end this process as soon as the one that started it is gone.

    Only where the kernel knows how; everywhere else the look at the parent has to do.
    """
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - only a bot that the referee started needs it

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _leave(server: grpc.Server, code: int) -> None:
    """Exits with *code*, politely if no function of the bot is busy, and soon in any case."""
    deadline = threading.Timer(LEAVE_WITHIN, os._exit, [code])
    deadline.daemon = True
    deadline.start()
    server.stop(None)
    sys.exit(code)


def _log(decision: pb.Decision, view: AnyView, choice: Choice, seconds: float) -> None:
    verdict = "" if choice in view.choices else "  NOT LEGAL"
    _say(
        f"{decision.match_id} {decision.decision_number}: {view.question}"
        f" -> {choice} ({seconds * 1000:.1f} ms){verdict}"
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201
