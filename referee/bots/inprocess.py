"""Bots inside this process: their functions are called, and nothing travels.

They see the same views as a bot behind a socket, and what they answer is judged the same, so the
records are the same. What cannot be had inside: a bot that thinks too long is not stopped, only
timed; it is not shut in, so it is for code that its user trusts; and two lanes share what the
module of the bot keeps outside its objects. Nothing that such a bot plays is rated.

All bots of a pool take their turns in slices, so that the event loop gets its own: another bot's
answer is never left waiting for more than a slice and one decision.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import deque
from time import perf_counter

from referee.bots.asks import NOTHING, Ask, Charge
from referee.bots.cpu import CpuUse
from referee.bots.insiders import Insider, Load, raised, start_insider, traceback_tail
from referee.bots.life import MAX_FAILED_STARTS
from referee.bots.sessions import EndReport, StartError
from referee.bots.spec import BotSpec
from referee.bots.terms import MAX_BATCH
from referee.match import Fault, FaultKind
from referee.rules import Choice, Decision, Play, Rules, Tile, View
from referee.wire.choices import decode_answer, encode_answer
from referee.wire.errors import WireError
from referee.wire.notices import Notice

SLICE = 0.002
"""Seconds that bots inside take of the event loop before it looks at everything else."""


class Turns:
    """Gives the bots inside this process their turns, and the event loop its own between them."""

    def __init__(self) -> None:
        self._lines: deque[InprocessLine] = deque()
        self._is_due = False

    def add(self, line: InprocessLine) -> None:
        """Gives *line*, which has something to do, a turn."""
        self._lines.append(line)
        self._make_due()

    def _make_due(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        lines, until = self._lines, perf_counter() + SLICE
        try:
            # What a bot prints must not get into the program's own output.
            with contextlib.redirect_stdout(sys.stderr):
                while lines and lines.popleft().work(until) < until:
                    pass
        finally:
            self._is_due = False
            if lines:
                self._make_due()


class InprocessLine:
    """A line to a bot inside this process; see `BotLine`.

    Attributes:
        starts: How many objects of the bot were made.
        strays: How many answers came that named no open question: none can.
        cpu: Nothing: what it uses is used by this process.
    """

    def __init__(
        self,
        spec: BotSpec,
        load: Load,
        turns: Turns,
        *,
        rules: Rules | None,
        window: int = MAX_BATCH,
    ) -> None:
        """Makes a line whose bot is made when it is first needed.

        Args:
            spec: The bot.
            load: Makes it.
            turns: Who says when it may work.
            rules: What it will be asked to play by.
            window: The most decisions that are put to it at a time.
        """
        self.starts = 0
        self.strays = 0
        self.cpu = CpuUse()
        self._spec = spec
        self._load = load
        self._turns = turns
        self._rules = rules
        self._window = window
        self._introduction = ""
        self._insider: Insider | None = None
        self._waiting: deque[Ask | Notice] = deque()
        self._has_turn = False
        self._is_alone = False
        self._owed: Fault | None = None
        self._failed_starts = 0
        self._start_fault: Fault | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is a process: there never is one."""
        return False

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    @property
    def introduction(self) -> str:
        """What the bot says of itself, in one line; empty until there is one."""
        return self._introduction

    def ask(self, ask: Ask) -> None:
        """Puts *ask* to the bot in its next turn."""
        self._queue(ask)

    def wants(self, notice: type[Notice]) -> bool:
        """Whether the bot wants to be told such a thing."""
        return self._insider is not None and self._insider.wants(notice)

    def tell(self, notice: Notice) -> None:
        """Tells the bot what happened, before it is asked anything else."""
        self._queue(notice)

    def restart(self) -> None:
        """Forgets the bot; the next question is put to a new one, which is told nothing of it."""
        self._insider = None
        self._waiting = deque(item for item in self._waiting if isinstance(item, Ask))

    async def warm_up(self) -> None:
        """Makes the bot if there is none.

        Raises:
            StartError: if it cannot be made.
        """
        with contextlib.redirect_stdout(sys.stderr):
            insider = self._insider or self._bring_up()
        if insider is None and (fault := self._start_fault) is not None:
            raise StartError(fault.detail, EndReport("", fault.stderr_tail))

    async def close(self) -> None:
        """Forgets the bot and what is asked."""
        self._insider = None
        self._waiting.clear()

    def _queue(self, item: Ask | Notice) -> None:
        self._waiting.append(item)
        if not self._has_turn:
            self._has_turn = True
            self._turns.add(self)

    def work(self, until: float) -> float:
        """Works off what waits, one thing at least, and returns the time when it stops.

        Args:
            until: The time from which on it begins nothing more.
        """
        now = 0.0
        # An answer may bring the next question, and a forfeit may take the bot away.
        try:
            while self._waiting and now < until:
                now = self._step(self._waiting.popleft())
        finally:
            self._has_turn = bool(self._waiting)
            if self._has_turn:
                self._turns.add(self)
        return now

    def _step(self, item: Ask | Notice) -> float:
        """Does one thing, or with a bot for batches as many questions as it takes at a time."""
        if not isinstance(item, Ask):
            return self._hand_over(item)
        owed, self._owed = self._owed, None
        if owed is not None:
            item.faulted(owed, NOTHING)
            return perf_counter()
        insider = self._insider or self._bring_up()
        if insider is None:
            self._fault_waiting(item)
            return perf_counter()
        return self._put_batch(insider, item) if insider.batched else self._put(insider, item)

    # Putting questions.

    def _put(self, insider: Insider, ask: Ask) -> float:
        view = _view_of(ask)
        begun = perf_counter()
        if view is None:
            return begun
        ask.handed = begun
        try:
            choice = insider.choose(view)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it was, it ends the bot
            ended = ask.arrived = perf_counter()
            self._insider = None
            ask.faulted(_crash(error), Charge(ended - begun))
        else:
            ended = ask.arrived = perf_counter()
            _judge(ask, choice, Charge(ended - begun))
        return ended

    def _put_batch(self, insider: Insider, first: Ask) -> float:
        seen = [(ask, _view_of(ask)) for ask in self._batch(insider, first)]
        asks = [ask for ask, view in seen if view is not None]
        views = [view for _, view in seen if view is not None]
        begun = perf_counter()
        if not asks:
            return begun
        try:
            choices = insider.choose_all(views)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it was, it ends the bot
            ended = perf_counter()
            self._insider = None
            if len(asks) == 1:
                self._is_alone = False
                asks[0].faulted(_crash(error), Charge(ended - begun))
            else:
                # Nobody knows over which of them, so they are put alone until it breaks again.
                self._is_alone = True
                self._waiting.extendleft(reversed(asks))
        else:
            ended = perf_counter()
            share = Charge((ended - begun) / len(asks))
            for ask, choice in zip(asks, choices, strict=True):
                ask.handed, ask.arrived = begun, ended
                _judge(ask, choice, share)
        return ended

    def _batch(self, insider: Insider, first: Ask) -> list[Ask]:
        """Returns *first* and what else goes with it."""
        if self._is_alone:
            return [first]
        asks, most = [first], min(self._window, insider.most)
        while self._waiting and len(asks) < most:
            item = self._waiting[0]
            if not isinstance(item, Ask):
                break
            asks.append(item)
            self._waiting.popleft()
        return asks

    def _hand_over(self, notice: Notice) -> float:
        if self._insider is not None:
            try:
                self._insider.tell(notice)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - whatever it was, it ends the bot
                self._insider = None
                self._owed = _crash(error)
        return perf_counter()

    # Making the bot.

    def _fault_waiting(self, first: Ask) -> None:
        """Charges *first*, and all that waits behind it, with the start that failed."""
        assert self._start_fault is not None
        self._is_alone = False
        asks = [first, *(item for item in self._waiting if isinstance(item, Ask))]
        self._waiting.clear()
        for ask in asks:
            ask.faulted(self._start_fault, NOTHING)

    def _bring_up(self) -> Insider | None:
        """Makes the bot and returns it, or ``None`` with the fault written down."""
        if self._failed_starts >= MAX_FAILED_STARTS:
            return None
        self.starts += 1
        try:
            insider, info = start_insider(self._spec, self._load, self._rules)
        except StartError as error:
            self._start_fault = Fault(
                FaultKind.START, str(error), stderr_tail=error.report.stderr_tail
            )
            self._failed_starts += 1
            return None
        self._failed_starts = 0
        self._introduction = info.introduction
        self._insider = insider
        return insider


def _view_of(ask: Ask) -> View | None:
    try:
        return ask.question.view
    except Exception as error:  # noqa: BLE001 - our own fault, and of this table alone
        ask.failed(error)
        return None


def _judge(ask: Ask, choice: Choice, charge: Charge) -> None:
    try:
        fitting = _fitting(choice, ask.question.decision)
    except WireError as error:
        ask.faulted(Fault(FaultKind.PROTOCOL, str(error)), charge)
    else:
        ask.answered(fitting, charge)


def _fitting(choice: Choice, decision: Decision) -> Choice:
    """Returns *choice*, legal or not, as the protocol would have carried it.

    Raises:
        WireError: if the protocol could not: a suit is called unasked, or not called.
    """
    # Only plays come as the bot made them; everything else was made by the SDK from a plain value.
    if not isinstance(choice, Play):
        return choice
    legal = decision.legal
    first = legal[0]
    is_plain = choice.called is None and type(choice.tile) is Tile
    if is_plain and isinstance(first, Play) and first.called is None:
        return choice
    if choice in legal:
        return legal[legal.index(choice)]
    try:
        return decode_answer(encode_answer(choice, match_id="", number=0), decision)
    except (LookupError, TypeError) as error:
        raise WireError("answer.play", f"cannot be {choice!r} ({error})") from None


def _crash(error: BaseException) -> Fault:
    return Fault(FaultKind.CRASHED, raised(error), stderr_tail=traceback_tail(error))
