"""Turns a bot's command into what the keeper must start so that the bot is held as it should."""

from __future__ import annotations

import marshal
import math
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.bots.sandbox import bubblewrap, landlock, launcher, places, seccomp, users
from referee.bots.sandbox.tiers import (
    Launch,
    LaunchFailure,
    Limits,
    Sandbox,
    Tier,
    TierUnavailableError,
)
from referee.text import readable as shown

LAUNCHER = Path(launcher.__file__)
PYTHON = (sys.executable, "-I", "-S")
NO_ZERO = ("--perms", "0000", "--ro-bind-data", "@5", "/dev/zero")
"""Puts a file that nobody may open over a device that bubblewrap always shows: see `DEVICES`."""
BADNESS = 800
"""How much sooner than others the kernel ends a bot when memory runs out; 1000 is at once."""


@dataclass(frozen=True, slots=True)
class _Bot:
    """What is to be started."""

    command: tuple[str, ...]
    cwd: Path
    env: dict[str, str]
    place: Path
    readable: tuple[Path, ...]
    listable: tuple[Path, ...]
    uid: int | None
    kept: Path | None


def prepare(  # noqa: PLR0913 - one fact each, by name
    sandbox: Sandbox,
    *,
    command: tuple[str, ...],
    cwd: Path,
    env: Mapping[str, str],
    place: Path,
    readable: Sequence[Path],
    listable: Sequence[Path] = (),
    system: Sequence[Path] | None = None,
    uid: int | None,
    kept: Path | None = None,
) -> Launch:
    """Returns what to start so that *command* runs in *cwd* with *env*, held by *sandbox*.

    Args:
        sandbox: The tier and the limits.
        command: The program and its arguments.
        cwd: Where it runs.
        env: Its whole environment.
        place: The private directory of the bot, which has a `home` and a `tmp` that it may write
            to; its socket is `s` there. With *uid* it is given to that user.
        readable: Files and directories that it may read besides the system and Python.
        listable: Directories of which it may learn the names of all that is below them, as a
            Python that imports from them must.
        system: What it may read of the system and of Python; None for all of it.
        uid: The user to run it as, from `UidSlots`, which needs root; None for our own.
        kept: A folder below the `home` in *place* whose content is to be found there afterwards,
            as that of a build is; None if nothing is. It belongs to *uid* already.

    Raises:
        TierUnavailableError: If this host cannot hold the bot so, or its user cannot reach what
            it needs.
    """
    if sandbox.tier is Tier.NONE:
        return Launch(command, dict(env), cwd)
    if uid is None and os.geteuid() == 0:
        raise TierUnavailableError(
            sandbox.tier, "a bot never runs as root, and there is no other user to run it as"
        )
    programs = places.program(command, cwd, env)
    trees = places.system() if system is None else system
    if kept is not None:  # its owner may, whatever others may not
        programs = [program for program in programs if not program.is_relative_to(kept)]
    seen = (*trees, *places.existing(readable), *programs)
    bot = _Bot(command, cwd, dict(env), place, seen, tuple(listable), uid, kept)
    if uid is not None:
        users.check_readable([*programs, *places.existing(readable)], uid, sandbox.tier)
        users.give_place(place, uid)
    if sandbox.tier is Tier.BASIC:
        return _basic(bot, sandbox.limits)
    return _hardened(bot, sandbox.limits)


def socket_path(launch: Launch, child: int | None, place: Path) -> Path:
    """Returns where we reach the socket of the bot at *place*.

    *child* is the pid that came through ``@info``; it is needed where the bot has a root of its
    own.
    """
    if launch.socket_inside is None:
        return place / "s"
    return Path(f"/proc/{child}/root") / launch.socket_inside.relative_to("/")


def launch_failure(launch: Launch, code: int | None, stderr: bytes) -> LaunchFailure | None:
    """Returns why the bot was never started, if *stderr* and the exit *code* say so."""
    sign = f"launcher {launch.token}: ".encode()
    lines = stderr.splitlines()
    if not launch.token or not lines or not lines[-1].startswith(sign):
        return None
    return LaunchFailure(shown(lines[-1].removeprefix(sign)), code == launcher.NOT_SET_UP)


def _basic(bot: _Bot, limits: Limits) -> Launch:
    token = secrets.token_hex(8)
    plan: dict[str, object] = {
        "token": token,
        "command": bot.command,
        "cwd": str(bot.cwd),
        "env": bot.env,
        "badness": BADNESS,
        # Without a user of its own the number counts all that the user runs.
        "limits": _limits(limits, own_tasks=bot.uid is not None),
    }
    if bot.uid is not None:
        screens = users.screens(bot.readable, bot.place, bot.uid)
        beside = users.apart(bot.readable, bot.place, screens)
        plan |= {"uid": bot.uid, "screens": screens, "apart": beside}
    if version := landlock.abi():
        plan["landlock"] = landlock.plan(_rules(bot), version)
    # A build makes programs of its files, in a user's name in which nobody else has any.
    sets_modes = bot.uid is not None and bot.kept is not None
    if machine := seccomp.machine():
        plan["seccomp"] = seccomp.filter_for(Tier.BASIC, machine, sets_modes=sets_modes)
    return Launch(
        (*PYTHON, str(LAUNCHER), "@0"),
        places.library_path(),
        Path("/"),
        (_written(plan),),
        None,
        token,
        cannot_close=bool(version and machine) and not sets_modes,
    )


def _rules(bot: _Bot) -> list[tuple[Path, int]]:
    """Returns what a bot may do with which files."""
    rules = [(path, landlock.RUN) for path in bot.readable]
    rules += [(path, landlock.READ) for path in (Path("/proc"), *places.settings())]
    rules += [(Path("/sys") / name, landlock.READ) for name in places.SYS]
    rules += [(Path("/dev") / name, landlock.DEVICE) for name in places.DEVICES]
    rules += [(path, landlock.READ_DIR) for path in bot.listable]
    rules += [(bot.place / name, landlock.WRITE) for name in ("home", "tmp")]
    return [*rules, (bot.place, landlock.SOCKET)]


def _hardened(bot: _Bot, limits: Limits) -> Launch:
    found, machine = bubblewrap.find(), seccomp.machine()
    if found is None:
        raise TierUnavailableError(Tier.HARDENED, bubblewrap_missing())
    if machine is None:
        raise TierUnavailableError(Tier.HARDENED, "no filter of system calls for this machine")
    token = secrets.token_hex(8)
    cwd = Path(bubblewrap.inside(str(bot.cwd), bot.place))
    inner: dict[str, object] = {
        "token": token,
        "command": [bubblewrap.inside(word, bot.place) for word in bot.command],
        "cwd": str(cwd),
        "env": bubblewrap.environment_inside(bot.env, bot.place),
        "badness": BADNESS,
        # Inside a user namespace the number counts what runs there.
        "limits": _limits(limits, own_tasks=True),
    }
    if domain := landlock.loose_plan(landlock.abi()):
        inner["landlock"] = domain
    uid, gid = (bot.uid, bot.uid) if bot.uid is not None else (os.geteuid(), os.getegid())
    options = bubblewrap.options(bot.readable, cwd, LAUNCHER, limits, _shared(bot))
    inputs = [
        *bubblewrap.accounts(uid, gid),
        bubblewrap.joined(options),
        seccomp.filter_for(Tier.HARDENED, machine),
        _written(inner),
        b"",
    ]
    argv = [str(found.path), "--ro-bind-data", "@0", "/etc/passwd"]
    argv += ["--ro-bind-data", "@1", "/etc/group", "--args", "@2", "--seccomp", "@3"]
    argv += [*NO_ZERO, "--info-fd", "@info", "--", *PYTHON, str(bubblewrap.LAUNCHER), "@4"]
    if bot.uid is not None:
        needed = [*bot.readable, *places.settings(), found.path, LAUNCHER]
        outer = {"token": token, "env": {}, "cwd": "/", "badness": BADNESS, "uid": bot.uid}
        outer["screens"] = users.screens(needed, bot.place, bot.uid)
        argv = [*PYTHON, str(LAUNCHER), f"@{len(inputs)}", *argv]
        inputs.append(_written(outer))
    first = places.library_path() if bot.uid is not None else {}
    inside = bubblewrap.PLACE / "s"
    return Launch(tuple(argv), first, Path("/"), tuple(inputs), inside, token, cannot_close=True)


def _shared(bot: _Bot) -> tuple[str, str] | None:
    """Returns the folder that the bot shares with us, and where it is for the bot."""
    if bot.kept is None:
        return None
    return str(bot.kept), bubblewrap.inside(str(bot.kept), bot.place)


def bubblewrap_missing() -> str:
    """Returns why there is no bubblewrap, and what to do."""
    oldest = ".".join(map(str, bubblewrap.OLDEST))
    return (
        f"bubblewrap {oldest} or newer is not installed; install it (apt-get install bubblewrap,"
        " or pip install 'moon-league[hardened]')"
    )


def _limits(limits: Limits, *, own_tasks: bool) -> dict[str, int]:
    """Returns the limits of one process, by the names that the system gives them."""
    values = {
        "CORE": 0,
        "FSIZE": limits.file_size,
        "NOFILE": limits.open_files,
        "MEMLOCK": 64 * 1024,
        "MSGQUEUE": 0,
        "SIGPENDING": 256,
        "RTPRIO": 0,
        "NICE": 0,
        "CPU": math.ceil(limits.cpu_time),
    }
    # The system counts threads, of which every process is one.
    return {**values, "NPROC": max(limits.threads, limits.processes)} if own_tasks else values


def _written(plan: dict[str, Any]) -> bytes:
    return marshal.dumps(plan)
