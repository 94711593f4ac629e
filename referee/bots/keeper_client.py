"""The referee's side of the keeper: start a program, hear of its end, read its output, end it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Self, TypeVar

from referee.bots.exits import ExitReport, KeeperError, SpawnFailure
from referee.bots.keeper.watch import Allowed
from referee.bots.rundir import RunDirectory, kill_marked, sweep_leftovers
from referee.bots.sandbox import UidSlots
from referee.bots.sandbox.places import library_path
from referee.crashes import crash_point
from referee.text import readable

KEPT_BYTES = 65536
"""How much of the end of each output stream of a bot is kept."""

GRACE = 2.0
"""Seconds between the polite and the final signal to a bot; what is promised to authors."""

SILENCE = 30.0
"""Seconds after which a keeper that should have answered long ago is given up."""

KEEPER = Path(__file__).parent / "keeper"
"""The program that runs as the keeper."""

_LONGEST_LINE = 2**21
_log = logging.getLogger(__name__)

T = TypeVar("T")


class KeptProcess:
    """A program that the keeper started.

    Attributes:
        pid: Its process id.
        pids: The processes that it was last seen to be made of.
        inside: The pid of the first process in its sandbox, once there is one.
        exited: Its report, as soon as the program itself has ended; raises `KeeperError` if the
            keeper is gone and nobody can know. Shared: shield it when waiting with a limit.
        outlived: The pids of what ran on after it for as long as `kill` let it, once all is over.
    """

    def __init__(self, keeper: Keeper, number: int, pid: int) -> None:
        self.pid = pid
        self.pids: tuple[int, ...] = (pid,)
        self.outlived: tuple[int, ...] = ()
        self.inside: asyncio.Future[int] = _future()
        self.exited: asyncio.Future[ExitReport] = _future()
        self._keeper = keeper
        self._number = number
        self._gone: asyncio.Future[tuple[int, ...]] = _future()

    async def kill(self, grace: float = GRACE, settle: float = 0.0) -> tuple[int, ...]:
        """Ends the program and all that it started; returns the pids that could not be ended.

        A keeper that says nothing is given up, and the program is then ended without it.

        Args:
            grace: Seconds between the polite signal and the final one; 0 is final.
            settle: Seconds, at most 5, for which what it has started may run on if it ends in its
                grace; what does is then in `outlived`, and is ended by the keeper whatever becomes
                of us.
        """
        if not self._gone.done():
            times = {"grace_ms": round(1000 * grace), "settle_ms": round(1000 * settle)}
            self._keeper.tell("kill", id=self._number, **times)
        left = await self._keeper.hear(self._gone, later=grace + settle)
        if left:
            _log.warning("processes that could not be ended: %s", ", ".join(map(str, left)))
        return left

    def freeze(self) -> None:
        """Stops it with all that it started, until `thaw`. Returns at once."""
        self._keeper.tell("freeze", id=self._number)

    def thaw(self) -> None:
        """Lets it run on. Returns at once."""
        self._keeper.tell("thaw", id=self._number)

    async def stderr_tail(self, size: int = 4096) -> str:
        """Returns the last *size* bytes of its standard error, in readable form."""
        if not self.exited.done():
            answer = await self._keeper.ask("tail", id=self._number, size=size)
            if answer["data"] is not None:
                return readable(base64.b64decode(answer["data"]))
        report = await asyncio.shield(self.exited)
        return readable(report.stderr[-size:])

    async def stderr_since(self, seen: int) -> tuple[bytes, int]:
        """Returns what it wrote to standard error beyond the first *seen* bytes, and their number.

        Of more than is kept the earlier part is lost.
        """
        if not self.exited.done():
            answer = await self._keeper.ask("tail", id=self._number, size=KEPT_BYTES)
            if answer["data"] is not None:
                return _beyond(base64.b64decode(answer["data"]), answer["total"], seen)
        report = await asyncio.shield(self.exited)
        return _beyond(report.stderr, report.stderr_written, seen)

    def has_exited(self, event: dict[str, Any]) -> None:
        """Takes the report of the keeper that the program has ended."""
        if not self.exited.done():
            self.exited.set_result(
                ExitReport(
                    code=event["code"],
                    signal=event["signal"],
                    killed=event["cause"] == "killed",
                    stdout=base64.b64decode(event["stdout"]),
                    stderr=base64.b64decode(event["stderr"]),
                    over=event["over"],
                    cpu=event["cpu"],
                    peak=event["peak"],
                    written=event["written"],
                    stderr_written=event["stderr_written"],
                )
            )

    def is_gone(self, left: Sequence[int], outlived: Sequence[int] = ()) -> None:
        """Takes the report that nothing that belongs to the program is left but *left*."""
        if not self._gone.done():
            self.outlived = tuple(outlived)
            self._gone.set_result(tuple(left))

    def is_lost(self, error: KeeperError) -> None:
        """Takes the news that nobody will ever know how the program ended."""
        if not self.exited.done():
            self.exited.set_exception(error)


def _beyond(kept: bytes, total: int, seen: int) -> tuple[bytes, int]:
    """Returns the part of *kept*, the end of *total* bytes, that is not among the first *seen*."""
    fresh = min(total - seen, len(kept))
    return kept[len(kept) - fresh :] if fresh > 0 else b"", total


class Keeper:
    """Runs programs through a helper process, and ends them all when the block is left.

    Enter it in the thread of the event loop and before gRPC is used: the system tells the helper
    of the end of that thread. Leaving the block, or dying in it, leaves no process behind.

    Attributes:
        pid: The process id of the helper.
        directory: The private directory in which the bots of this keeper live.
        users: The users that its bots run as, where we are root.
        silence: Seconds after which a helper that owes an answer is given up.
    """

    pid: int
    directory: RunDirectory

    def __init__(self, base: Path | None = None) -> None:
        self.silence = SILENCE
        self.users = UidSlots()
        self._base = base
        self._numbers = count(1)
        self._kept: dict[int, KeptProcess] = {}
        self._starting: dict[int, asyncio.Future[KeptProcess]] = {}
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._failure: KeeperError | None = None
        self._closing = False
        self._gave_up = False

    async def __aenter__(self) -> Self:
        sweep_leftovers(self._base)
        self.directory = RunDirectory.make(self._base)
        with contextlib.ExitStack() as undo:
            undo.callback(self.directory.remove)
            try:
                self._stderr = undo.enter_context(tempfile.TemporaryFile())
                ours, theirs = socket.socketpair()
                undo.enter_context(ours)  # the keeper ends when this end is closed
                with theirs:
                    self._process = start_keeper(theirs, self._stderr.fileno())
                reader, self._writer = await asyncio.open_connection(sock=ours, limit=_LONGEST_LINE)
            except OSError as error:
                raise KeeperError(f"cannot start the keeper of the bots: {error}") from error
            undo.pop_all()
        self.pid = self._process.pid
        self._listener = asyncio.create_task(self._listen(reader))
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await asyncio.gather(*(kept.kill() for kept in list(self._kept.values())))
        finally:
            self._closing = True
            self.tell("shutdown")
            try:
                await self.hear(self._listener)
            finally:
                self._stderr.close()
                await asyncio.to_thread(self.directory.remove)
                self.users.__exit__(None, None, None)

    async def spawn(  # noqa: PLR0913 - one fact each, by name
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        inputs: Sequence[bytes] = (),
        allowed: Allowed | None = None,
        place: Path | None = None,
        place_inside: Path | None = None,
        user: int | None = None,
    ) -> KeptProcess:
        """Starts a program.

        Args:
            argv: The program and its arguments.
            cwd: Where it runs.
            env: All of its environment.
            inputs: What it can read from descriptors; ``@0`` in *argv* is the number of the first,
                ``@info`` of one to which it writes the pid of its sandbox.
            allowed: The most that it may use; it is ended when it uses more.
            place: The directory whose content counts as what it has written.
            place_inside: The same, as its sandbox names it.
            user: The user that it alone runs as, if it has one to itself.

        Raises:
            BotStartError: If there is no such program, or it may not be run.
            KeeperError: If the keeper is gone or silent, or there is no room for one more process.
        """
        self._check()
        number = next(self._numbers)
        started: asyncio.Future[KeptProcess] = _future()
        self._starting[number] = started
        self.tell(
            "spawn",
            id=number,
            argv=list(argv),
            cwd=os.fspath(cwd),
            env=dict(env),
            mark=self.directory.token + secrets.token_hex(8),  # no other bot can know it
            keep=KEPT_BYTES,
            inputs=[base64.b64encode(data).decode() for data in inputs],
            allowed=None if allowed is None else allowed._asdict(),
            place=None if place is None else os.fspath(place),
            place_inside=None if place_inside is None else os.fspath(place_inside),
            user=user,
        )
        crash_point("keeper.spawn")
        crash_point("keeper.killed", pid=self.pid)
        try:
            return await self.hear(started)
        except asyncio.CancelledError:
            self.tell("kill", id=number, grace_ms=0)
            raise
        except SpawnFailure as failure:
            raise failure.explain(argv, cwd) from None

    def tell(self, request: str, **fields: object) -> None:
        """Sends a request that has no answer of its own."""
        if self._failure is None:
            self._writer.write(json.dumps({"op": request, **fields}).encode() + b"\n")

    async def ask(self, request: str, **fields: object) -> dict[str, Any]:
        """Sends a request and returns its answer.

        Raises:
            KeeperError: If the keeper is gone or silent.
        """
        self._check()
        number = next(self._numbers)
        answer = self._asked[number] = _future()
        self.tell(request, ask=number, **fields)
        try:
            return await self.hear(answer)
        finally:
            del self._asked[number]

    async def hear(self, answer: asyncio.Future[T], *, later: float = 0.0) -> T:
        """Returns *answer*, which the keeper owes us by now, or *later* by so many seconds.

        A keeper that does not give it is ended; what *answer* then holds is what is left to know.
        """
        for _ in range(2):  # In halves: after a halt of our own everything seems overdue at once.
            done, _ = await asyncio.wait((answer,), timeout=(later + self.silence) / 2)
            if done:
                return answer.result()
        self._gave_up = True
        self._process.kill()
        return await asyncio.shield(answer)

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            with contextlib.suppress(ConnectionError):
                while line := await reader.readline():
                    self._hear(json.loads(line))
        finally:
            await self._ended()

    def _hear(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "started":
                kept = KeptProcess(self, event["id"], event["pid"])
                self._kept[event["id"]] = kept
                self._starting.pop(event["id"]).set_result(kept)
            case "failed":
                failure = SpawnFailure(event["errno"], event["problem"])
                self._starting.pop(event["id"]).set_exception(failure)
            case "inside" | "family" | "exited" | "gone" as news:
                self._hear_of(news, event)
            case _:
                asked = self._asked.get(event["ask"])
                if asked is not None and not asked.done():
                    asked.set_result(event)

    def _hear_of(self, news: str, event: dict[str, Any]) -> None:
        kept = self._kept.get(event["id"])
        if kept is None:
            return  # it could not be ended, was given up, and has ended at last
        match news:
            case "inside":
                kept.inside.set_result(event["pid"])
            case "family":
                kept.pids = tuple(event["pids"])
            case "exited":
                kept.has_exited(event)
            case "gone":
                del self._kept[event["id"]]
                kept.is_gone(event["left"], event["outlived"])

    async def _ended(self) -> None:
        """Tells everybody who waits that the keeper is gone, and ends what it has left behind."""
        self._writer.close()
        code = await self._exit_code()
        self._stderr.seek(0)
        trace = readable(self._stderr.read()[-4096:]).strip()
        how = f"ended (signal {-code})" if code < 0 else f"ended (exit code {code})"
        if self._gave_up:
            how = f"said nothing for {self.silence:g} s and was ended"
        problem = f"the keeper of the bots {how}; no bot is to blame"
        self._failure = KeeperError(f"{problem}\n{trace}".rstrip())
        waiting: list[asyncio.Future[Any]] = [*self._starting.values(), *self._asked.values()]
        for future in waiting:
            if not future.done():
                future.set_exception(self._failure)
        for kept in self._kept.values():
            kept.is_lost(self._failure)
        if not self._closing or code:
            left = await asyncio.to_thread(kill_marked, self.directory.token)
            if self._closing:  # else whoever waits for it, or asks for more, is told
                _log.error("%s", self._failure)
            for kept in self._kept.values():
                kept.is_gone([pid for pid in left if pid == kept.pid])

    async def _exit_code(self) -> int:
        try:
            return await asyncio.to_thread(self._process.wait, self.silence)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return await asyncio.to_thread(self._process.wait)


def start_keeper(control: socket.socket, stderr: int) -> subprocess.Popen[bytes]:
    """Starts the helper process that serves the other end of *control*."""
    fd = control.fileno()
    return subprocess.Popen(
        [sys.executable, "-I", "-S", f"{KEEPER}/__main__.py", str(fd), str(os.getpid())],
        env=library_path(),
        pass_fds=[fd],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
    )


def _future() -> asyncio.Future[Any]:
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    # Nobody has to wait for it; asyncio would complain about an error that was not looked at.
    future.add_done_callback(lambda f: f.cancelled() or f.exception())
    return future
