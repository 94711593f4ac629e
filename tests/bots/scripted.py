"""A line to a bot that is a script, with a clock that is moved by hand."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from moon.v1 import bot_service_pb2 as pb

from referee.bots.asks import Ask, Charge
from referee.bots.clock import TICK, RunningClock
from referee.bots.handshake import BotInfo
from referee.bots.line import Line
from referee.bots.sessions import EndReport, StartError
from referee.bots.terms import ClockTerms
from referee.bots.transports import Listener
from referee.match import Fault, FaultKind, Match, MatchReferee, Question, Terms
from referee.rules import Bid, Choice, MakeBid, preset_rules, seed_key
from referee.wire.choices import encode_answer
from referee.wire.packing import DecisionMessage

TERMS = ClockTerms(move_time=1.0, first_move=1.0, grace=0.05)
INFO = BotInfo("scripted", "1", "", (), 256, serves_stream=True, notifications=frozenset())


class ScriptedThreads:
    """Threads that have waited, or wait still, as the test says."""

    def __init__(self) -> None:
        self.seconds: dict[int, float] = {}
        self.used_in_all = 0.0
        self.idle: set[int] = set()
        self.still: set[tuple[int, bytes]] = set()

    def wait(self, seconds: float, thread: int = 1) -> None:
        """Has a thread have waited so long, once more."""
        self.seconds[thread] = self.seconds.get(thread, 0.0) + seconds

    def waited(self) -> dict[int, float]:
        return dict(self.seconds)

    def used(self) -> float:
        return self.used_in_all

    def eager(self) -> frozenset[int]:
        return frozenset({*self.seconds, *(thread for thread, _ in self.still)} - self.idle)

    def ready(self) -> frozenset[tuple[int, bytes]]:
        return frozenset(self.still)


class Time:
    """A monotonic clock that is moved by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.slept = 0.0
        self.waited = 0.0
        self.threads = ScriptedThreads()
        self.clock = RunningClock(
            lambda: self.seconds, lambda: self.slept, self.threads, lambda: self.waited
        )

    def pass_by(self, seconds: float) -> None:
        """Lets time go by while this process is running: it looks at its clock all the while."""
        for _ in range(round(seconds / TICK)):
            self.seconds += TICK
            self.clock.tick()

    def sleep(self, seconds: float) -> None:
        """Lets the machine sleep, so that not even its monotonic time goes by."""
        self.slept += seconds
        self.clock.tick()

    def stall(self, seconds: float) -> None:
        """Lets time go by while this process stands still."""
        self.seconds += seconds
        self.clock.tick()


class Scripted:
    """A session whose answers the test gives."""

    info = INFO
    outage = ""

    def __init__(self, listener: Listener, window: int = 256) -> None:
        self.listener = listener
        self.window = window
        self.batches: list[list[DecisionMessage]] = []
        self.ended = False
        self.is_remote = False
        self.threads = ScriptedThreads()
        self.cpu_used: float | None = None
        self.report = EndReport()

    @property
    def asked(self) -> list[tuple[str, int]]:
        return [(d.match_id, d.decision_number) for batch in self.batches for d in batch]

    def send(self, questions: Sequence[DecisionMessage], limit: float) -> None:
        self.batches.append(list(questions))

    def wake(self) -> None:
        pass

    def rest(self) -> None:
        pass

    def cpu(self) -> float | None:
        return self.cpu_used

    def notify(self, notice: pb.NotifyRequest) -> None:
        raise AssertionError("this bot wants no notices")

    async def recent_stderr(self) -> str:
        return "last words"

    async def end(self, *, lost: bool = False) -> EndReport:
        self.ended = True
        return self.report

    def answer(self, *match_ids: str, number: int = 1, bid: Bid = Bid.PASS) -> None:
        """Answers the questions of these matches, in one message."""
        self.listener.answered(
            [encode_answer(MakeBid(bid), match_id=m, number=number) for m in match_ids]
        )


class Bench:
    """A line, its sessions, and what became of the questions."""

    def __init__(self, terms: ClockTerms = TERMS, *, window: int = 256) -> None:
        self.time = Time()
        self.sessions: list[Scripted] = []
        self.choices: dict[str, tuple[Choice, float]] = {}
        self.faults: dict[str, tuple[Fault, Charge]] = {}
        self.asks: dict[str, Ask] = {}
        self.refuse_starts = 0
        self.start_report = EndReport("exit code 127", "not found")
        self.break_starts = False
        self.stall_at_start = 0.0
        self.answers_wrongly = False
        self.is_remote = False
        self.cpu_at_start: float | None = None
        self.broken: list[BaseException] = []
        self.errors: list[Exception] = []
        self.line = Line(
            "scripted",
            self.time.clock,
            terms,
            self._start,
            broken=self.broken.append,
            window=window,
        )
        rules = preset_rules("tournament-3p")
        referee = MatchReferee("0.0", Match.start(Terms(rules), seed_key("x")), ("a", "b", "c"))
        assert referee.question is not None
        self.question: Question = referee.question

    async def _start(self, listener: Listener) -> Scripted:
        if self.break_starts:
            raise OSError("no keeper")
        if self.stall_at_start:
            self.time.stall(self.stall_at_start)
        if self.refuse_starts:
            self.refuse_starts -= 1
            raise StartError("no interpreter", self.start_report, answered=self.answers_wrongly)
        self.sessions.append(Scripted(listener))
        self.bot.is_remote = self.is_remote
        self.bot.cpu_used = self.cpu_at_start
        return self.sessions[-1]

    @property
    def bot(self) -> Scripted:
        return self.sessions[-1]

    def ask(self, *match_ids: str, bank: float | None = None) -> None:
        for name in match_ids:
            self.asks[name] = Ask(
                name,
                self.question,
                bank,
                None,
                lambda choice, charge, name=name: self.choices.update(
                    {name: (choice, charge.seconds)}
                ),
                lambda fault, charge, name=name: self.faults.update({name: (fault, charge)}),
                self.errors.append,
                time.monotonic(),
            )
            self.line.ask(self.asks[name])

    @property
    def kinds(self) -> dict[str, FaultKind]:
        return {name: fault.kind for name, (fault, _) in self.faults.items()}


async def settle() -> None:
    """Lets everything that is ready in the event loop run."""
    for _ in range(20):
        await asyncio.sleep(0)
