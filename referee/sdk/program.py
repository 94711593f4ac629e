"""A bot as a program: where it listens, what it is told, and when it ends."""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys
import threading
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path

import grpc
from moon.v1 import bot_service_pb2 as pb

from referee.errors import ConfigError, MoonError
from referee.rules import Choice
from referee.sdk.bot import AnyView, Bot
from referee.sdk.certificates import server_credentials
from referee.sdk.dialling import attach
from referee.sdk.params import PREFIX, check_names, environment
from referee.sdk.server import Log, start
from referee.wire import PROTOCOL
from referee.wire.identities import is_loopback

LISTEN = "MOON_BOT_LISTEN"
"""The variable that says where to listen: ``unix:/path`` or ``127.0.0.1:port``."""
SPOKEN = "MOON_PROTOCOL"
"""The variable that says which protocol the referee is going to speak."""

LOCALHOST = "127.0.0.1"
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
        leave = _take_part(bot, options, stop, is_started=is_started)
    except MoonError as error:
        _say(f"{type(bot).__name__}: {error}")
        sys.exit(error.exit_code)
    while not stop.event.wait(LOOK_AT_PARENT):
        if is_started and os.getppid() != parent:
            break
    _leave(leave, stop.code)


def _take_part(
    bot: Bot, options: Namespace, stop: _Stop, *, is_started: bool
) -> Callable[[], object]:
    """Makes *bot* answer, at an address of its own or in its arena; returns what ends that."""
    if options.arena is None:
        server = _start(bot, options, is_started)
        return lambda: server.stop(None)
    log = _log if options.debug else None
    return attach(bot, options.arena, options.token_file, options.tls, stop.end, log)


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

    def end(self, error: MoonError) -> None:
        """Ends the program because of *error*, and says so."""
        _say(str(error))
        self._note(error.exit_code)


def _options(bot: Bot, arguments: Sequence[str]) -> Namespace:
    if not arguments:
        return Namespace(port=None, host=None, tls=None, arena=None, token_file=None, debug=False)
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
    parser.add_argument(
        "--host", help=f"the address of this machine to listen on (default: {LOCALHOST})"
    )
    parser.add_argument(
        "--tls", type=Path, metavar="DIR", help="the folder of certificates from the organiser"
    )
    parser.add_argument(
        "--arena", metavar="HOST:PORT", help="dial in to this arena instead of listening"
    )
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", help="the token with which to dial in"
    )
    parser.add_argument("--debug", action="store_true", help="write every decision to stderr")
    options = parser.parse_args(arguments)
    if (options.arena is None) != (options.token_file is None):
        parser.error("--arena and --token-file belong together")
    if options.arena is not None and not (options.port is None and options.host is None):
        parser.error("--arena dials; --port and --host are for listening")
    return options


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
    address, host = _address(options)
    if address.startswith("unix:"):
        _free_socket(address.removeprefix("unix:"))
    credentials = None if options.tls is None else server_credentials(options.tls)
    log: Log | None = None
    if options.debug:
        log = _log
        given = " ".join(f"{name}={value}" for name, value in bot.read_params().items())
        _say(f"{type(bot).__name__}, parameters: {given or 'none'}")
    try:
        server, port = start(bot, address, log, credentials)
    except RuntimeError:
        raise ConfigError(
            None, address, "cannot listen there; it is in use, or no address of this machine"
        ) from None
    if not is_started:
        _announce(bot, f"{host}:{port}", is_proved=credentials is not None)
    return server


def _address(options: Namespace) -> tuple[str, str]:
    """Returns where to listen, and the host of it."""
    if options.port is None and options.host is None and LISTEN in os.environ:
        return os.environ[LISTEN], LOCALHOST
    host = options.host or LOCALHOST
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    return f"{host}:{options.port or 0}", host


def _announce(bot: Bot, target: str, *, is_proved: bool) -> None:
    """Says where the bot can be called, and how."""
    name = type(bot).__name__
    if is_proved:
        how = f"--tls DIR NAME=grpc://{target} greedy counter"
    elif is_loopback(target.rpartition(":")[0]):
        how = f"grpc://{target} greedy counter"
    else:
        how = f"grpc+insecure://{target} greedy counter"
        _say(f"{name}: anybody who reaches {target} can question this bot, and others can read it")
    print(  # noqa: T201
        f"{name} serves on {target}; play against it with: moon play {how}", flush=True
    )


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


def _leave(end: Callable[[], object], code: int) -> None:
    """Exits with *code*, politely if no function of the bot is busy, and soon in any case."""
    deadline = threading.Timer(LEAVE_WITHIN, os._exit, [code])
    deadline.daemon = True
    deadline.start()
    end()
    sys.exit(code)


def _log(decision: pb.Decision, view: AnyView, choice: Choice, seconds: float) -> None:
    verdict = "" if choice in view.choices else "  NOT LEGAL"
    _say(
        f"{decision.match_id} {decision.decision_number}: {view.question}"
        f" -> {choice} ({seconds * 1000:.1f} ms){verdict}"
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201
