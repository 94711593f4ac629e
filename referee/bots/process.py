"""A running bot: a process with a home, a socket and a clean environment."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from referee.bots.environment import bot_environment
from referee.bots.exits import BotStartError, ExitReport, KeeperError
from referee.bots.keeper.watch import Allowed
from referee.bots.keeper_client import GRACE, Keeper, KeptProcess
from referee.bots.reach import reach_of
from referee.bots.rundir import Place, remove_tree, shortage
from referee.bots.sandbox import (
    Launch,
    LaunchFailure,
    Limits,
    Sandbox,
    Tier,
    launch_failure,
    prepare,
    socket_path,
    tier_lost,
)
from referee.bots.spec import BotSpec
from referee.text import readable

UNHELD = Sandbox(Tier.NONE)
LOOK_FOR_SOCKET = 0.005
"""Seconds between two looks whether a bot has made its socket."""


class BotProcess:
    """Runs one bot; leaving the block ends it with everything it started.

    Attributes:
        spec: What is run.
        target: Where the bot listens, as gRPC names it; known once the bot was started.
    """

    target: str

    def __init__(
        self,
        spec: BotSpec,
        keeper: Keeper,
        sandbox: Sandbox = UNHELD,
        hidden: Sequence[Path] = (),
    ) -> None:
        """Makes a bot that is not started yet.

        Args:
            spec: What is run.
            keeper: What runs it.
            sandbox: How it is held.
            hidden: What it may not read, wherever it lies.
        """
        self.spec = spec
        self._keeper = keeper
        self._sandbox = sandbox
        self._hidden = hidden
        self._kept: KeptProcess | None = None
        self._place: Place | None = None
        self._launch: Launch | None = None
        self._uid: int | None = None
        self._pin: int | None = None

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
        try:
            self._place = place = self._keeper.directory.place()
        except OSError as error:
            raise KeeperError(f"no directory for a bot can be made: {error}") from None
        self.target = f"unix:{place.socket}"
        try:
            self.check_place()
            self._kept = await self._spawn(place)
        except BaseException as error:
            remove_tree(place.path)
            self._give_user_back()
            if isinstance(error, BotStartError):
                raise BotStartError(f"{self.spec.name}: {error}") from None
            raise

    async def _spawn(self, place: Place) -> KeptProcess:
        spec, limits = self.spec, self._sandbox.limits
        cwd = place.home if spec.cwd is None else spec.cwd.resolve()
        env = bot_environment(spec, place)
        if self._sandbox.tier is Tier.NONE:
            self._launch = Launch(spec.command, env, cwd)
            return await self._keeper.spawn(spec.command, cwd=cwd, env=env)
        try:
            reach = reach_of(spec, self._hidden)
        except OSError as error:
            raise BotStartError(f"what it is made of cannot be read: {error}") from None
        self._uid = self._keeper.users.take()
        self._launch = launch = prepare(
            self._sandbox,
            command=spec.command,
            cwd=cwd,
            env=env,
            place=place.path,
            readable=reach.readable,
            listable=reach.listable,
            system=reach.system,
            uid=self._uid,
        )
        return await spawn_held(self._keeper, launch, limits, place, self._uid)

    async def listening(self) -> str:
        """Returns where it listens, once there is a socket; for ever if there never is one.

        The socket is held by its inode: whatever takes its place later is not what we speak to.

        Raises:
            BotStartError: If there is something else where the socket should be.
        """
        if self._kept is None or self._launch is None or self._place is None:
            return self.target
        inside = None
        if self._launch.socket_inside is not None:
            inside = await asyncio.shield(self._kept.inside)
        path = socket_path(self._launch, inside, self._place.path)
        while self._pin is None:
            await asyncio.sleep(LOOK_FOR_SOCKET)
            self._pin = _pin(path)
        return f"unix:/proc/self/fd/{self._pin}"

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
            is_innocent = self._launch is None or self._launch.cannot_close
            if is_innocent and (closed := self._place.closed()) is not None:
                raise KeeperError(f"the directory of a bot was closed: {closed}")

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

    def freeze(self) -> None:
        """Stops the bot with all that it started, until `thaw`. Returns at once."""
        if self._kept is not None:
            self._kept.freeze()

    def thaw(self) -> None:
        """Lets the bot run on. Returns at once."""
        if self._kept is not None:
            self._kept.thaw()

    @property
    def launch_failure(self) -> LaunchFailure | None:
        """Why what was to hold the bot did not start it; None if it did, or nobody can know."""
        report = self.report
        if report is None or self._launch is None:
            return None
        return launch_failure(self._launch, report.code, report.stderr)

    async def tier_lost(self) -> str:
        """Returns why this host holds no bot any more, if that is why the program has ended.

        What bubblewrap says when it fails any bot can say, so it is tried once more.
        """
        report = self.report
        if self._sandbox.tier is not Tier.HARDENED or report is None or report.code != 1:
            return ""
        if not report.stderr.startswith(b"bwrap: "):
            return ""
        return await asyncio.to_thread(tier_lost, Tier.HARDENED)

    @property
    def report(self) -> ExitReport | None:
        """How its program ended; None while it runs.

        Raises:
            KeeperError: If the keeper is gone, so that nobody can know.
        """
        if self._kept is None or not self._kept.exited.done():
            return None
        return self._kept.exited.result()

    def pids(self) -> tuple[int, ...]:
        """Returns the processes of the bot that are known; none of one that has ended.

        That of its own process is not given to another one before the keeper has told of the end;
        those of its children may be, for as long as it takes the keeper to look again.
        """
        if self._kept is None or self._kept.exited.done():
            return ()
        return self._kept.pids

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

    async def stderr_since(self, seen: int) -> tuple[bytes, int]:
        """Returns what it wrote to standard error beyond the first *seen* bytes, and their number.

        Of more than is kept the earlier part is lost.
        """
        return (b"", seen) if self._kept is None else await self._kept.stderr_since(seen)

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

    @property
    def outlived(self) -> tuple[int, ...]:
        """What ran on after the bot for as long as `stop` let it; empty before."""
        return () if self._kept is None else self._kept.outlived

    async def stop(self, grace: float = GRACE, settle: float = 0.0) -> None:
        """Ends the bot with everything it started, and removes its home. Again does nothing.

        Args:
            grace: Seconds between the polite signal and the final one.
            settle: Seconds for which what it has started may run on after it; see `outlived`.
        """
        if self._pin is not None:
            os.close(self._pin)
            self._pin = None
        if self._kept is None or self._place is None:
            return
        if not await self._kept.kill(grace, settle):
            await asyncio.to_thread(remove_tree, self._place.path)
            self._give_user_back()

    def _give_user_back(self) -> None:
        uid, self._uid = self._uid, None
        self._keeper.users.give(uid)


async def spawn_held(
    keeper: Keeper, launch: Launch, limits: Limits, place: Place, user: int | None
) -> KeptProcess:
    """Has *keeper* start what *launch* says, and hold it to *limits*.

    Args:
        keeper: What starts it.
        launch: The program in its sandbox.
        limits: What it may use.
        place: Where it lives; what it writes there counts, or in its own view of it.
        user: The user that it alone runs as, if it has one to itself.

    Raises:
        BotStartError: If it cannot be run.
        KeeperError: If that is our own fault.
    """
    return await keeper.spawn(
        launch.argv,
        cwd=launch.cwd,
        env=launch.env,
        inputs=launch.inputs,
        allowed=Allowed(limits.memory, limits.processes, limits.threads, limits.disk, limits.files),
        place=place.path,
        place_inside=launch.socket_inside and launch.socket_inside.parent,
        user=user,
    )


def _pin(path: Path) -> int | None:
    """Returns a descriptor that stands for the socket at *path*, or None if nothing is there."""
    try:
        pin = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BotStartError(f"its socket cannot be reached: {error.strerror}") from None
    if not stat.S_ISSOCK(os.fstat(pin).st_mode):
        os.close(pin)
        raise BotStartError("what lies where it should listen is no socket")
    return pin
