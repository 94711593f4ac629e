"""What a bot is and how it is started, read from the short text that people write.

    greedy                  a bot that comes with the program
    ./mybot                 a folder with a bot.toml
    ./mybot.py              a Python file
    cmd:node bot.js -v      any command
    grpc://host:50051       a bot that runs somewhere already; grpc+insecure:// in the clear
    dial:name               a bot that has dialled in
    inproc:module:Class     a Python bot that is asked inside this program; trusted, unrated

Each of them may end in parameters, `greedy?risk=0.3&seed=7`, and may begin with the name under
which it is to be shown, `old=./mybot`. A `?` of the command itself is quoted: `cmd:./bot 'a?b'`.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import pkgutil
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote

from referee.bots.botfile import BOT_FILE, read_bot_file
from referee.bots.modules import find_module
from referee.bots.names import NAME_LIMIT, NameRefusedError, check_name
from referee.errors import ConfigError, did_you_mean
from referee.wire.identities import check_identity

VALUE_LIMIT = 200

FORMS = (
    "a built-in bot, a folder with bot.toml, a .py file, cmd:PROGRAM ARGUMENTS, grpc://HOST:PORT,"
    " dial:NAME or inproc:MODULE:CLASS"
)

IDENTITY = "identity"
"""The parameter of a remote bot that says which name its certificate must prove."""

Params = tuple[tuple[str, str], ...]


class BotKind(StrEnum):
    """The ways to name a bot."""

    SAMPLE = "sample"
    FOLDER = "folder"
    FILE = "file"
    COMMAND = "command"
    REMOTE = "remote"
    DIAL = "dial"
    INPROC = "inproc"


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot and how to start it."""

    name: str
    """What it is called in tables and messages."""
    kind: BotKind
    source: str = ""
    """The text as it was written."""
    command: tuple[str, ...] = ()
    """The program and its arguments; none for a remote bot. Never goes through a shell."""
    cwd: Path | None = None
    """The directory the command runs in; None for the private home of the process. For a bot
    inside this program: where its module may lie besides what is installed."""
    address: str = ""
    """Where a remote bot listens, `host:port`; of one that dials in, its name."""
    plain: bool = False
    """Whether it may be called in the clear, wherever it is."""
    code: str = ""
    """The class of a bot inside this program, `module:Class`."""
    params: Params = ()
    """The parameters, sorted by name."""
    version: str = ""
    build: tuple[str, ...] = ()
    """The command that makes the bot ready to run, in the same directory; may be empty."""

    @property
    def is_remote(self) -> bool:
        """Whether it is not we who start and end it."""
        return self.kind in (BotKind.REMOTE, BotKind.DIAL)


class _RefusedError(ValueError):
    """What is wrong with the text of a bot."""


def parse_bot(text: str, base: Path) -> BotSpec:
    """Returns the bot that *text* names; paths in it are relative to *base*.

    Raises:
        ConfigError: If it names none; the message says what was expected.
    """
    try:
        if not text.isprintable() or not text.strip():
            raise _RefusedError(f"empty, or not printable text; expected {FORMS}")
        label, rest = _split_label(text.strip())
        body, params = _split_params(rest)
        spec = replace(_parse_body(body, base.absolute()), source=text, params=params)
        if label is not None:
            spec = replace(spec, name=label)
        elif params:
            spec = replace(spec, name=f"{spec.name}?{_params_text(params)}")
        return replace(spec, name=check_name(spec.name))
    except NameRefusedError as error:
        raise ConfigError(None, _shown(text), f"{error}; write NAME=BOT to name it") from None
    except _RefusedError as error:
        raise ConfigError(None, _shown(text), str(error)) from None


def is_inside(text: str) -> bool:
    """Returns whether *text* names a bot that is asked inside this program.

    >>> [is_inside(text) for text in ("old=inproc:mine:Bold?risk=1", "cmd:./x inproc:mine:Bold")]
    [True, False]
    """
    return unnamed(text).startswith(_INPROC)


def is_remote(text: str) -> bool:
    """Returns whether *text* names a bot that runs somewhere already.

    >>> [is_remote(text) for text in ("far=grpc://host:50051", "dial:far", "greedy")]
    [True, True, False]
    """
    return unnamed(text).startswith((*_SCHEMES, _DIAL))


def unnamed(text: str) -> str:
    """Returns *text* without the name in front, if it has one.

    >>> [unnamed(text) for text in ("old=./mybot", " ./mybot", "cmd:A=1 ./mybot")]
    ['./mybot', './mybot', 'cmd:A=1 ./mybot']
    """
    return _split_label(text.strip())[1]


def sample_names() -> tuple[str, ...]:
    """Returns the names of the bots that come with the program, without loading any of them."""
    return tuple(sorted(_sample_modules()))


def _sample_modules() -> dict[str, str]:
    """Returns the module of each bot that comes with the program, by the name of the bot.

    Every module of `sample_bots` is one, unless its name begins with an underscore. The bot has
    the name of the module, without a ``_bot`` that keeps the module apart from another one.
    """
    modules = pkgutil.iter_modules([str(path) for path in sample_places()])
    names = [m.name for m in modules if not m.name.startswith("_") and not m.ispkg]
    return {name.removesuffix("_bot"): name for name in names}


def sample_places() -> tuple[Path, ...]:
    """Returns the directories in which the bots that come with the program lie."""
    found = importlib.util.find_spec("sample_bots")
    places = found.submodule_search_locations if found is not None else None
    return tuple(Path(place) for place in places or ())


def command_file(command: Sequence[str], cwd: Path) -> Path | None:
    """Returns the file that makes *command* this bot and no other: a script, or its own program.

    A program that only runs others, as Python does, is that file of no bot.
    """
    program, *arguments = command
    is_its_own = "/" in program and not _INTERPRETER.fullmatch(Path(program).name)
    for word in command if is_its_own else arguments:
        path = cwd / word
        if not word.startswith("-") and _is_file(path):
            return path
    return None


_INTERPRETER = re.compile(
    r"(python|pypy|node|deno|bun|ruby|perl|php|lua|luajit|java|dotnet|mono|julia|guile|racket|env"
    r"|sh|bash|dash|zsh)[\d.]*"
)


def _split_label(text: str) -> tuple[str | None, str]:
    label, equals, rest = text.partition("=")
    if not equals or label.startswith("cmd:") or any(mark in label for mark in "?/\\"):
        return None, text
    return label.strip(), rest.strip()


_COMMAND = re.compile(r"""(?:[^?'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*""")
_PARAM_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def _split_params(text: str) -> tuple[str, Params]:
    is_command = text.startswith("cmd:")
    plain = _COMMAND.match(text) if is_command else re.match(r"[^?]*", text)
    end = plain.end() if plain is not None else len(text)
    if text[end : end + 1] != "?":
        return text, ()
    params: dict[str, str] = {}
    for part in text[end + 1 :].split("&"):
        name, equals, written = part.partition("=")
        value = unquote(written)
        if not equals or not _PARAM_NAME.fullmatch(name):
            raise _RefusedError(
                f"{part!r} is no parameter; expected name=value, the name of small letters, digits"
                " and _" + ("; quote a ? that belongs to the command" if is_command else "")
            )
        if name in params:
            raise _RefusedError(f"the parameter {name!r} is given twice")
        if len(value) > VALUE_LIMIT or not value.isprintable() or "\ufffd" in value:
            raise _RefusedError(
                f"the value of {name!r} must be at most {VALUE_LIMIT} printable characters"
            )
        params[name] = value
    return text[:end].strip(), tuple(sorted(params.items()))


def _params_text(params: Params) -> str:
    escapes = str.maketrans({"%": "%25", "&": "%26", " ": "%20"})
    return "&".join(f"{name}={value.translate(escapes)}" for name, value in params)


def _parse_body(body: str, base: Path) -> BotSpec:
    if body.startswith("cmd:"):
        return _parse_command(body.removeprefix("cmd:"), base)
    if body.startswith(_INPROC):
        return _parse_code(body.removeprefix(_INPROC), base)
    if body.startswith(_DIAL):
        return _parse_dial(body.removeprefix(_DIAL))
    if "://" in body:
        return _parse_address(body)
    samples = _sample_modules()
    if body in samples:
        command = (sys.executable, "-m", f"sample_bots.{samples[body]}")
        return BotSpec(body, BotKind.SAMPLE, command=command)
    path = _path(body, base)
    if path.is_dir():
        return _parse_folder(path)
    if path.is_file():
        if path.suffix != ".py":
            raise _RefusedError(f"not a .py file; another program is run with cmd:{body}")
        return BotSpec(path.stem, BotKind.FILE, "", (sys.executable, str(path)), path.parent)
    if re.fullmatch(r"[^/\s]+:\d+", body):
        raise _RefusedError(f"an address is written grpc://{body}")
    if "/" in body or body.endswith(".py"):
        raise _RefusedError(f"there is no {path}; expected {FORMS}")
    near = did_you_mean(body, sample_names())
    known = "" if near.startswith(" (known") else f"; built-in: {', '.join(sample_names())}"
    raise _RefusedError(f"no bot, folder or file of this name{near}{known}; expected {FORMS}")


def _path(text: str, base: Path) -> Path:
    try:
        path = base / Path(text).expanduser()
        path.stat()
    except FileNotFoundError:
        pass
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _RefusedError(f"cannot be looked up: {reason.lower()}") from None
    return path


def _parse_folder(folder: Path) -> BotSpec:
    path = folder / BOT_FILE
    if not _is_file(path):
        raise _RefusedError(f"{folder} has no {BOT_FILE}, which says how to run the bot in it")
    file = read_bot_file(path)
    return BotSpec(
        file.name,
        BotKind.FOLDER,
        command=file.run,
        cwd=folder,
        version=file.version,
        build=file.build,
    )


def _parse_command(text: str, base: Path) -> BotSpec:
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise _RefusedError(f"cannot be split into words: {str(error).lower()}") from None
    if not command or not command[0]:
        raise _RefusedError("names no program; expected cmd:PROGRAM ARGUMENTS")
    name = " ".join(text.split())
    if len(name) > NAME_LIMIT:
        name = Path(command_file(command, base) or command[0]).name
    return BotSpec(name, BotKind.COMMAND, command=command, cwd=base)


_INPROC = "inproc:"
_CODE = re.compile(r"(?P<module>[^\W\d]\w*(\.[^\W\d]\w*)*):(?P<kind>[^\W\d]\w*)")


def _parse_code(text: str, base: Path) -> BotSpec:
    match = _CODE.fullmatch(text)
    if match is None:
        raise _RefusedError("names no class; expected inproc:MODULE:CLASS, as inproc:mybot:MyBot")
    if find_module(match["module"], base) is None:
        raise _RefusedError(f"there is no module {match['module']} in {base}, or installed")
    return BotSpec(match["kind"], BotKind.INPROC, cwd=base, code=text)


_DIAL = "dial:"


def _parse_dial(name: str) -> BotSpec:
    try:
        name = check_identity(name)
    except ValueError as error:
        raise _RefusedError(str(error)) from None
    return BotSpec(name, BotKind.DIAL, address=name)


_PLAIN = "grpc+insecure://"
_SCHEMES = ("grpc://", _PLAIN)
_ADDRESS = re.compile(
    r"(?:grpc|grpc\+insecure)://(?:\[(?P<six>[^\]]*)\]|(?P<host>[^:/\[\]]*)):(?P<port>\d{1,5})"
)
_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(\.(?!-)[A-Za-z0-9_-]{1,63})*\.?")


def _parse_address(text: str) -> BotSpec:
    expected = "expected grpc://HOST:PORT, such as grpc://localhost:50051 or grpc://[::1]:50051"
    match = _ADDRESS.fullmatch(text)
    if match is None or not 1 <= int(match["port"]) <= 65535:
        raise _RefusedError(f"not an address; {expected}, with a port from 1 to 65535")
    host = match["host"]
    try:
        if host is None:
            host = f"[{ipaddress.IPv6Address(match['six'])}]"
        elif re.fullmatch(r"[\d.]+", host):
            host = str(ipaddress.IPv4Address(host))
        elif not _HOST.fullmatch(host):
            raise _RefusedError(f"{host!r} is not the name of a host; {expected}")
    except ipaddress.AddressValueError as error:
        raise _RefusedError(f"{error}; {expected}") from None
    address = f"{host.lower()}:{int(match['port'])}"
    return BotSpec(address, BotKind.REMOTE, address=address, plain=text.startswith(_PLAIN))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _shown(text: str) -> str:
    return text if text.isprintable() and text.strip() else repr(text)
