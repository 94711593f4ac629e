"""A match that is watched closely: every question and answer, and what bots write, as they come."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from referee.bots.asks import Ask, Charge
from referee.bots.exchange import message_of
from referee.bots.pool import LineKey
from referee.bots.process import BotProcess
from referee.bots.spec import is_inside
from referee.match import Fault, FaultKind
from referee.rules import Choice
from referee.text import readable
from referee.wire.choices import encode_answer
from referee.wire.states import as_json, read_question
from tournaments.kit.states import save_state

STATES = Path("moon-states")
"""The folder in which the questions of faults are saved."""
LOOK = 0.1
"""Seconds between two looks at what a bot has written."""
MOVE_TIME = 2.0
"""Seconds that a saved question allows: without a clock there is none to write down."""


class Debugger:
    """Says what happens at a table. Use it as an async context manager.

    A question and an answer are a line of JSON each; what a bot writes is shown with its name in
    front. It is a tap of a table (`referee.bots.tables`).
    """

    def __init__(
        self,
        seats: Sequence[str],
        texts: Mapping[str, str],
        say: Callable[[str], None],
        states: Path = STATES,
    ) -> None:
        """Makes a debugger.

        Args:
            seats: By seat: the name of its bot.
            texts: By name of a bot: how it is named on the command line.
            say: Takes each line, without its end.
            states: The folder in which the questions of faults are saved.
        """
        self._seats = seats
        self._texts = texts
        self._say = say
        self._states = states
        self._readers: list[tuple[_Reader, asyncio.Task[None]]] = []

    async def __aenter__(self) -> Self:
        """Returns itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Says what is left; every process has ended by now."""
        for reader, task in self._readers:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await reader.read(last=True)

    def started(self, key: LineKey, process: BotProcess) -> None:
        """Shows from now on what *process*, of the line *key*, writes to standard error."""
        reader = _Reader(key.entrant, process, self._say)
        self._readers.append((reader, asyncio.create_task(reader.follow(), name="stderr")))

    def asked(self, ask: Ask) -> None:
        """Shows a question."""
        self._show(ask, {"asked": as_json(message_of(ask, MOVE_TIME).decision)})

    def applied(self, ask: Ask, outcome: Choice | Fault, charge: Charge) -> None:
        """Shows what came of a question; that of a fault is saved."""
        millis = round(1000 * charge.seconds, 3)
        if isinstance(outcome, Fault):
            fault = {"kind": outcome.kind.value, "detail": outcome.detail}
            self._show(ask, {"fault": fault, "milliseconds": millis, **self._saved(ask, outcome)})
            return
        answer = encode_answer(outcome, match_id=ask.match_id, number=ask.question.number)
        self._show(ask, {"answered": as_json(answer), "milliseconds": millis})

    def _saved(self, ask: Ask, fault: Fault) -> dict[str, str]:
        """Returns where the question of a *fault* is saved now, and the command that repeats it."""
        name = self._seats[ask.question.seat]
        text = self._texts.get(name, name)
        if fault.kind is FaultKind.START:
            return {"repeat": shlex.join(["moon", "bot", "check", text, "--step", "starts"])}
        label = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "bot"
        path = self._states / f"{label}-decision-{ask.question.number}.json"
        save_state(path, read_question(message_of(ask, MOVE_TIME).data))
        if is_inside(text):
            return {"state": str(path)}  # no message reaches it; its .py file can be asked
        command = shlex.join(["moon", "ask", text, "--state", str(path)])
        return {"state": str(path), "repeat": command}

    def _show(self, ask: Ask, what: dict[str, Any]) -> None:
        seat = ask.question.seat
        line = {"seat": seat, "bot": self._seats[seat], **what}
        self._say(json.dumps(line, ensure_ascii=False))


class _Reader:
    """Follows the standard error of one process, line by line."""

    def __init__(self, name: str, process: BotProcess, say: Callable[[str], None]) -> None:
        self._name = name
        self._say = say
        self._process = process
        self._seen = 0
        self._rest = b""

    async def follow(self) -> None:
        """Reads for ever."""
        while True:
            await asyncio.sleep(LOOK)
            await self.read()

    async def read(self, *, last: bool = False) -> None:
        """Shows the lines that have come; the *last* time also one that has no end."""
        fresh, self._seen = await self._process.stderr_since(self._seen)
        *lines, self._rest = (self._rest + fresh).split(b"\n")
        if last and self._rest:
            lines.append(self._rest)
        for line in lines:
            self._say(f"{self._name}: {readable(line)}")
