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

Two of them with a slash between spaces, `A / B`, are one entrant: see `halves`.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote

from referee.bots.addresses import read_address
from referee.bots.botfile import BOT_FILE, read_bot_file
from referee.bots.halves import BETWEEN, Half, halves_of
from referee.bots.modules import find_module
from referee.bots.names import NAME_LIMIT, NameRefusedError, check_name
from referee.bots.samples import sample_modules, sample_names
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
    SPLIT = "split"
    """Two bots, of which one bids and one plays."""


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
    halves: tuple[BotSpec, ...] = ()
    """Of an entrant of two halves: the bot that bids, and the bot that plays. It has nothing else
    but a name and a source."""

    @property
    def programs(self) -> tuple[BotSpec, ...]:
        """What is started for it: the bot itself, or its two halves."""
        return self.halves or (self,)

    @property
    def is_remote(self) -> bool:
        """Whether it is not we who start and end it; of two halves, either."""
        return any(bot.kind in (BotKind.REMOTE, BotKind.DIAL) for bot in self.programs)


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
        parts = halves_of(rest)
        spec = _parse_one(rest, base) if len(parts) == 1 else _parse_halves(parts, base)
        name = spec.name if label is None else label
        return replace(spec, name=check_name(name), source=text)
    except NameRefusedError as error:
        raise ConfigError(None, _shown(text), f"{error}; write NAME=BOT to name it") from None
    except _RefusedError as error:
        raise ConfigError(None, _shown(text), str(error)) from None


def _parse_halves(texts: Sequence[str], base: Path) -> BotSpec:
    """Returns the entrant of two halves that *texts* name."""
    if len(texts) != len(Half) or not all(texts):
        raise _RefusedError(
            f"a slash between spaces stands between the bot that bids and the bot that plays; "
            f"expected BIDS{BETWEEN}PLAYS, got {len(texts)} bots"
        )
    bots = []
    for half, text in zip(Half, texts, strict=True):
        if unnamed(text) != text:
            raise _RefusedError(
                f"the {half.words} {text!r} has a name of its own; one stands in front of the "
                f"whole, NAME=BIDS{BETWEEN}PLAYS"
            )
        try:
            bots.append(_parse_one(text, base))
        except _RefusedError as error:
            hint = "; quote a / that belongs to the command" if texts[0].startswith("cmd:") else ""
            raise _RefusedError(f"the {half.words} {text!r}: {error}{hint}") from None
    name = "/".join(bot.name for bot in bots)
    return BotSpec(name, BotKind.SPLIT, halves=tuple(bots))


def _parse_one(text: str, base: Path) -> BotSpec:
    """Returns the bot that *text*, without a name in front, names."""
    body, params = _split_params(text)
    if "/" in "".join(value for _, value in params):
        _check_unsplit(text, base)
    try:
        spec = _parse_body(body, base.absolute())
    except _RefusedError:
        _check_unsplit(text, base)
        raise
    name = f"{spec.name}?{_params_text(params)}" if params else spec.name
    return replace(spec, name=name, source=text, params=params)


def _check_unsplit(text: str, base: Path) -> None:
    """Refuses *text* if it may be meant as two halves: if each side of a slash is a bot."""
    for slash in re.finditer(" ?/ ?", text):
        left, right = text[: slash.start()], text[slash.end() :]
        if _is_bot(left, base) and _is_bot(right, base):
            raise _RefusedError(
                f"the slash may stand between two bots, or belong to a path or a value; write "
                f"{left}{BETWEEN}{right} if the first is to bid and the second to play, and %2F "
                "for a slash in the value of a parameter"
            )


def _is_bot(text: str, base: Path) -> bool:
    try:
        body, _ = _split_params(text)
        _parse_body(body, base.absolute())
    except (_RefusedError, ConfigError):
        return False
    return True


def is_inside(text: str) -> bool:
    """Returns whether *text* names a bot that is asked inside this program, or such a half.

    >>> [is_inside(text) for text in ("old=inproc:mine:Bold?risk=1", "cmd:./x inproc:mine:Bold")]
    [True, False]
    >>> is_inside("greedy / inproc:mine:Bold")
    True
    """
    return any(part.startswith(_INPROC) for part in halves_of(unnamed(text)))


def is_remote(text: str) -> bool:
    """Returns whether *text* names a bot that runs somewhere already, or such a half.

    >>> [is_remote(text) for text in ("far=grpc://host:50051", "dial:far", "greedy")]
    [True, True, False]
    """
    return any(part.startswith((*_SCHEMES, _DIAL)) for part in halves_of(unnamed(text)))


def unnamed(text: str) -> str:
    """Returns *text* without the name in front, if it has one.

    >>> [unnamed(text) for text in ("old=./mybot", " ./mybot", "cmd:A=1 ./mybot")]
    ['./mybot', './mybot', 'cmd:A=1 ./mybot']
    """
    return _split_label(text.strip())[1]


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
    samples = sample_modules()
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


def _parse_address(text: str) -> BotSpec:
    try:
        address = read_address(text)
    except ValueError as error:
        raise _RefusedError(str(error)) from None
    return BotSpec(address, BotKind.REMOTE, address=address, plain=text.startswith(_PLAIN))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _shown(text: str) -> str:
    return text if text.isprintable() and text.strip() else repr(text)
