"""Runs the build command of a stranger's bot: held as its bot is, in a copy, and once.

`build_bots` runs a build with the rights of whoever asks for it. Here it may do what a bot may do
and nothing else: no network, nothing of this machine but the system and its own copy, the same
limits; and it is over when we say so.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from referee.bots.build import last_words
from referee.bots.environment import bot_environment
from referee.bots.exits import ExitReport
from referee.bots.keeper_client import Keeper, KeptProcess
from referee.bots.process import spawn_held
from referee.bots.reach import reach_of
from referee.bots.rundir import Place
from referee.bots.sandbox import Sandbox, Tier, launch_failure, prepare
from referee.bots.spec import BotKind, BotSpec
from referee.errors import BotError

ResultT = TypeVar("ResultT")

COPY = "bot"
"""The folder in the home of a build in which it runs."""


async def build_held(
    spec: BotSpec, sandbox: Sandbox, take: Callable[[Path], ResultT], *, limit: float
) -> ResultT:
    """Returns what *take* makes of the folder in which the build command of *spec* has run.

    The folder of *spec* stays as it is.

    Args:
        spec: A folder bot with a build command.
        sandbox: How the build is held.
        take: Is given the folder once nothing of the build runs any more; it goes afterwards.
        limit: Seconds that the build may take.

    Raises:
        BotError: If the build fails, cannot be started, or takes longer; the message ends with
            the last lines that it printed.
        KeeperError: If that is our own fault.
        TierUnavailableError: If this host cannot hold it so.
    """
    assert spec.kind is BotKind.FOLDER
    assert spec.cwd is not None
    async with Keeper() as keeper:
        place = keeper.directory.place()
        uid = keeper.users.take() if sandbox.tier is not Tier.NONE else None
        folder = place.home / COPY
        shutil.copytree(spec.cwd, folder, symlinks=True)
        if uid is not None:
            _give(folder, uid)
        await _run(keeper, spec, place, uid, sandbox, limit)
        _check_program(spec, folder, sandbox.tier)
        return await asyncio.to_thread(take, folder)


async def _run(
    keeper: Keeper, spec: BotSpec, place: Place, uid: int | None, sandbox: Sandbox, limit: float
) -> None:
    """Runs the build to its end, and ends all that it has started."""
    what = f"the build {shlex.join(spec.build)!r}"
    try:
        process, failure = await _spawn(keeper, spec, place, uid, sandbox)
    except BotError as error:
        raise BotError(f"{what} cannot be started: {error}") from None
    await asyncio.wait((process.exited,), timeout=limit)
    in_time = process.exited.done()
    if await process.kill():
        raise BotError(f"{what} left processes that cannot be ended")
    report = process.exited.result()
    if not in_time:
        problem = f"took more than {limit:g} s"
    elif (unheld := failure(report)) is not None:
        problem = f"was not started: {unheld}"
    elif report.code != 0:
        problem = f"failed with {report}"
    else:
        return
    raise BotError("\n".join([f"{what} {problem}", *last_words(report)]))


async def _spawn(
    keeper: Keeper, spec: BotSpec, place: Place, uid: int | None, sandbox: Sandbox
) -> tuple[KeptProcess, Callable[[ExitReport], str | None]]:
    """Starts the build; returns it, and what tells why it was never started, if it was not."""
    folder = place.home / COPY
    builder = BotSpec(spec.name, BotKind.FOLDER, command=spec.build, cwd=folder)
    env = bot_environment(builder, place)
    if sandbox.tier is Tier.NONE:
        return await keeper.spawn(spec.build, cwd=folder, env=env), lambda _: None
    reach = reach_of(builder)
    own = () if sandbox.tier is Tier.HARDENED else (folder,)
    launch = prepare(
        sandbox,
        command=spec.build,
        cwd=folder,
        env=env,
        place=place.path,
        readable=[*own, *(path for path in reach.readable if path != folder)],
        listable=reach.listable,
        system=reach.system,
        uid=uid,
        kept=folder,
    )
    process = await spawn_held(keeper, launch, sandbox.limits, place, uid)

    def unheld(report: ExitReport) -> str | None:
        found = launch_failure(launch, report.code, report.stderr)
        return None if found is None else found.problem

    return process, unheld


def _check_program(spec: BotSpec, folder: Path, tier: Tier) -> None:
    """Refuses a program of the bot's own that the build could not make executable.

    Raises:
        BotError: If so.
    """
    program = folder / spec.command[0]
    if tier is Tier.BASIC and program.is_file() and not os.access(program, os.X_OK):
        raise BotError(
            f"the build left {spec.command[0]!r}, which is to be run, without the mode of a "
            "program: in basic a build of an ordinary user can set none; let an interpreter run it "
            '(run = ["python3", "bot.py"]), build it beforehand, or let root take it in'
        )


def _give(folder: Path, uid: int) -> None:
    """Makes the user *uid* the owner of *folder* and all that is in it; follows no link."""
    for directory, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            os.chown(Path(directory, name), uid, uid, follow_symlinks=False)
