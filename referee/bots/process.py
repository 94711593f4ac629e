"""A running bot: a process with a home, a socket and a clean environment, or a remote address."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

from referee.bots.keeper_client import (
    GRACE,
    BotStartError,
    ExitReport,
    Keeper,
    KeeperError,
    KeptProcess,
    library_path,
)
from referee.bots.rundir import Place, remove_tree, shortage
from referee.bots.spec import BotKind, BotSpec
from referee.text import readable
from referee.wire import PROTOCOL


class BotProcess:
    """Runs one bot; leaving the block ends it with everything it started.

    A remote bot has nothing to start or to end, and otherwise looks the same.

    Attributes:
        spec: What is run.
        target: Where the bot listens, as gRPC names it; known once the bot was started.
    """

    target: str

    def __init__(self, spec: BotSpec, keeper: Keeper) -> None:
        self.spec = spec
        self._keeper = keeper
        self._kept: KeptProcess | None = None
        self._place: Place | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Starts the program; it may take its time until it listens.

        Raises:
            BotStartError: If the program cannot be run.
            KeeperError: If that is our own fault.
        """
        if self.spec.kind is BotKind.REMOTE:
            self.target = self.spec.address
            return
        try:
            self._place = place = self._keeper.directory.place()
        except OSError as error:
            raise KeeperError(f"no directory for a bot can be made: {error}") from None
        self.target = f"unix:{place.socket}"
        try:
            self.check_place()
            self._kept = await self._keeper.spawn(
                self.spec.command,
                cwd=self.spec.cwd or place.home,
                env=bot_environment(self.spec, place),
            )
        except BaseException as error:
            remove_tree(place.path)
            if isinstance(error, BotStartError):
                raise BotStartError(f"{self.spec.name}: {error}") from None
            raise

    def check_place(self) -> None:
        """Checks that what the bot was given is still there, and that it has room.

        Raises:
            KeeperError: if somebody took it away, or the machine is full; whoever it was, this bot
                is not to blame.
        """
        if self._place is not None:
            self.check_room()
            if not self._place.path.is_dir():
                raise KeeperError(f"the directory of the bots is gone: {self._place.path.parent}")

    def check_room(self) -> None:
        """Checks that this machine has all that a bot needs to run.

        Raises:
            KeeperError: if not; what goes wrong then is not held against a bot.
        """
        if self._place is None:
            return
        directory = self._place.path.parent
        try:
            problem = shortage(directory)
        except OSError:
            problem = f"the directory of the bots is gone: {directory}"
        if problem:
            raise KeeperError(problem)

    @property
    def report(self) -> ExitReport | None:
        """How its program ended; None while it runs, and for a remote bot.

        Raises:
            KeeperError: If the keeper is gone, so that nobody can know.
        """
        if self._kept is None or not self._kept.exited.done():
            return None
        return self._kept.exited.result()

    @property
    def exit_status(self) -> str:
        """How its program ended by itself, `exit code 3`; empty if it runs, or we ended it."""
        report = self.report
        return "" if report is None or report.killed else str(report)

    def stderr_tail(self, size: int = 4096) -> str:
        """Returns the end of what it wrote to standard error before it ended, in readable form."""
        report = self.report
        return "" if report is None else readable(report.stderr[-size:])

    async def recent_stderr(self, size: int = 4096) -> str:
        """Returns the end of what it has written to standard error by now, in readable form."""
        return "" if self._kept is None else await self._kept.stderr_tail(size)

    async def wait_exited(self, limit: float | None) -> ExitReport | None:
        """Returns how its program ended, or None if it has not within *limit* seconds.

        Raises:
            KeeperError: If the keeper is gone, so that nobody can know.
        """
        exited = self._kept.exited if self._kept else asyncio.get_running_loop().create_future()
        done, _ = await asyncio.wait((exited,), timeout=limit)
        return exited.result() if done else None

    def on_exit(self, callback: Callable[[], None]) -> None:
        """Has *callback* called once its program has ended; not if the keeper is lost instead."""
        if self._kept is not None:
            self._kept.exited.add_done_callback(
                lambda exited: callback() if exited.exception() is None else None
            )

    async def stop(self, grace: float = GRACE) -> None:
        """Ends the bot with everything it started, and removes its home. Again does nothing."""
        if self._kept is None or self._place is None:
            return
        if not await self._kept.kill(grace):
            await asyncio.to_thread(remove_tree, self._place.path)


def bot_environment(spec: BotSpec, place: Place) -> dict[str, str]:
    """Returns the whole environment of *spec* when it lives at *place*: nothing is inherited."""
    path = os.environ.get("PATH", os.defpath)
    variables = {
        # A bot's `python3` is the one that runs us, so that it finds what is installed beside us.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), path]),
        "LANG": "C.UTF-8",
        "HOME": str(place.home),
        "TMPDIR": str(place.temporary),
        "MOON_BOT_LISTEN": f"unix:{place.socket}",
        "MOON_PROTOCOL": PROTOCOL,
        **{f"MOON_BOT_PARAM_{name.upper()}": value for name, value in spec.params},
    }
    if _is_python(spec.command):
        variables |= {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", **library_path()}
        if roots := import_roots():
            variables["PYTHONPATH"] = os.pathsep.join(roots)
    return variables


def _is_python(command: tuple[str, ...]) -> bool:
    names = [Path(word).name for word in command]
    return command[0] == sys.executable or any(
        name.startswith("python") or name.endswith(".py") for name in names
    )


@cache
def import_roots() -> tuple[str, ...]:
    """Returns the directories that a bot's Python must be told of to import what a bot may import.

    None when we are installed as any package is; the checkout when we run from one.
    """
    roots: dict[str, None] = {}
    for package, depth in (("referee", 0), ("sample_bots", 0), ("moon.v1", 1)):
        found = importlib.util.find_spec(package)
        places = found.submodule_search_locations if found is not None else None
        for place in places or ():
            roots[str(Path(place).resolve().parents[depth])] = None
    known = {str(Path(sysconfig.get_path(name)).resolve()) for name in ("purelib", "platlib")}
    return tuple(root for root in roots if root not in known)
