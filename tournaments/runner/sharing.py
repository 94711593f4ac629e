"""Blocks in play whose tables share what is the same at them: each question is asked once.

The tables of a block are played on the same deals. While nothing has gone another way at two of
them, the same bot is asked the same question at both; it is then asked at one, and its answer
counts at both. That changes no record if choices depend on the question alone, and no expectation
whatever they depend on: at each table every choice is still drawn as the bot draws it.

The last deal of matches of a fixed length goes further. It is bid at all tables first. Tables at
which the same bots then have the same tiles to play end alike. If the two that are compared sit
equally often on each side among them, whatever they end with cancels: so they are not played out.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from referee.bots.asks import Ask, Charge, TableLine
from referee.bots.tables import TableInPlay
from referee.match import Fault, Question, Terms
from referee.rules import Choice, Kind
from referee.wire.notices import Notice
from tournaments.results import Sharing
from tournaments.runner.jobs import BlockDone, BlockJob, Done

Programs: TypeAlias = Sequence[tuple[int, ...]]
"""By seat: a number for its bot, or for each of its halves; equal bots have equal ones."""


@dataclass(slots=True)
class _Answer:
    """What came of a question, or who waits for it."""

    outcome: tuple[Choice | Fault, Charge] | None = None
    error: Exception | None = None
    waiting: list[Ask] = field(default_factory=list)


@dataclass(slots=True)
class _Table:
    """One table of the block."""

    programs: Programs
    in_play: TableInPlay | None = None
    bid: dict[int, Hashable] = field(default_factory=dict)
    """By deal: how it stood when the first tile was asked for."""
    played: set[int] = field(default_factory=set)
    """The deals in which this table asked for a tile itself."""
    held: Callable[[], None] | None = None
    """Puts the question that waits for the other tables."""
    is_free: bool = False
    """Whether it need not wait any more."""
    done: Done | None = None


class SharedBlock:
    """Plays the tables of one block, and asks for them only once what they have in common."""

    def __init__(self, job: BlockJob, terms: Terms, done: Callable[[BlockDone], None]) -> None:
        """Prepares the block.

        Args:
            job: Its tables.
            terms: What a match is played for.
            done: Called once, when all of it is over, or void.
        """
        self._job = job
        self._last = None if terms.deals is None else terms.deals - 1
        self._sides = terms.rules.side_count
        self._done = done
        self._tables: dict[int, _Table] = {}
        self._answers: dict[Hashable, _Answer] = {}

    def seat(
        self, lane: int, lines: Sequence[tuple[TableLine, ...]], programs: Programs
    ) -> list[tuple[TableLine, ...]]:
        """Returns the lines for the table of *lane*, which ask what is not known.

        Args:
            lane: Which of the tables.
            lines: By seat: the lines to its own bots.
            programs: By seat: what they are.
        """
        self._tables[lane] = _Table(programs)
        return [
            tuple(
                _SharedLine(line, self, lane, program) for line, program in zip(*both, strict=True)
            )
            for both in zip(lines, programs, strict=True)
        ]

    def begins(self, lane: int, in_play: TableInPlay) -> None:
        """Takes note of a table before its first question."""
        self._tables[lane].in_play = in_play

    def over(self, lane: int, outcome: Done) -> None:
        """Takes what became of the table of *lane*."""
        table = self._tables.setdefault(lane, _Table(()))
        table.done = outcome
        if len(self._tables) < len(self._job.tables):
            return
        outcomes = [table.done for table in self._tables.values() if table.done is not None]
        if len(outcomes) == len(self._tables):
            self._done(self._outcome(outcomes))
        else:
            self._go_on()

    def ask(self, lane: int, line: TableLine, program: int, ask: Ask) -> None:
        """Puts *ask* to the bot, if no table did before."""
        table, question = self._tables[lane], ask.question
        match = question.match
        if question.decision.kind is Kind.PLAY and match.number not in table.bid:
            table.bid[match.number] = _state(question)
            if match.number == self._last and self._job.contrast:
                table.held = lambda: self._put(lane, line, program, ask)
                self._go_on()
                return
        self._put(lane, line, program, ask)

    def _put(self, lane: int, line: TableLine, program: int, ask: Ask) -> None:
        key = program, _state(ask.question)
        answer = self._answers.get(key)
        if answer is None:
            self._answers[key] = answer = _Answer()
            _tell_others(ask, answer)
            if ask.question.decision.kind is Kind.PLAY:
                self._tables[lane].played.add(ask.question.match.number)
            line.ask(ask)
        elif answer.outcome is None and answer.error is None:
            answer.waiting.append(ask)
        else:
            # In a turn of its own: else a whole match that is known would be one nest of calls.
            _soon(_give, ask, answer)

    def _go_on(self) -> None:
        """Lets the last deal be played, once it has been bid at every table that there is."""
        tables = self._tables
        if len(tables) < len(self._job.tables):
            return
        if any(t.done is None and t.held is None and not t.is_free for t in tables.values()):
            return
        groups: defaultdict[Hashable, list[int]] = defaultdict(list)
        for lane, table in tables.items():
            if table.held is not None and not table.is_free and table.done is None:
                groups[table.bid[self._last or 0], _who_plays(table.programs)].append(lane)
        for lanes in groups.values():
            is_moot = self._cancels(lanes)
            for lane in lanes:
                table = tables[lane]
                table.is_free = True
                assert table.held is not None
                assert table.in_play is not None
                # Each in a turn of its own: the first may end the block.
                _soon(table.in_play.drop if is_moot else table.held)

    def _cancels(self, lanes: Sequence[int]) -> bool:
        """Whether equal scores at the tables of *lanes* come to nothing in the contrast."""
        seatings = [table.seats[: self._sides] for table in self._job.tables if table.lane in lanes]
        signs = self._job.contrast
        return all(
            sum(signs.get(who, 0) for who in side) == 0 for side in zip(*seatings, strict=True)
        )

    def _outcome(self, outcomes: Sequence[Done]) -> BlockDone:
        thinking: dict[str, float] = {}
        for outcome in outcomes:
            for who, seconds in outcome.thinking.items():
                thinking[who] = max(seconds, thinking.get(who, 0.0))
        problem = next((outcome.problem for outcome in outcomes if outcome.problem), "")
        first = self._tables[self._job.tables[0].lane]
        results = []
        for table in self._job.tables:
            here = self._tables[table.lane]
            assert here.done is not None
            deals = 0 if here.in_play is None else here.in_play.referee.match.number + 1
            sharing = Sharing(deals, len(here.played), here.bid != first.bid)
            results.append(replace(here.done.result, sharing=sharing))
        return BlockDone(tuple(results), problem, thinking)


class _SharedLine:
    """The line of a table to a bot, by way of what the block knows already."""

    def __init__(self, line: TableLine, block: SharedBlock, lane: int, program: int) -> None:
        self._line = line
        self._block = block
        self._lane = lane
        self._program = program

    def ask(self, ask: Ask) -> None:
        self._block.ask(self._lane, self._line, self._program, ask)

    def wants(self, notice: type[Notice]) -> bool:
        return self._line.wants(notice)

    def tell(self, notice: Notice) -> None:
        self._line.tell(notice)

    def restart(self) -> None:
        self._line.restart()


def _state(question: Question) -> Hashable:
    """Returns all that an answer may depend on, besides who gives it."""
    match = question.match
    return match.number, match.redeals, match.scores, match.deal


def _who_plays(programs: Programs) -> Hashable:
    return tuple(halves[-1] for halves in programs)


def _tell_others(ask: Ask, answer: _Answer) -> None:
    """Has what comes of *ask* written down, and told to whoever waits for it."""
    answered, faulted, failed = ask.answered, ask.faulted, ask.failed

    def tell(outcome: Choice | Fault, charge: Charge) -> None:
        answer.outcome = outcome, charge
        _give_all(answer)

    def take_choice(choice: Choice, charge: Charge) -> None:
        tell(choice, charge)
        answered(choice, charge)

    def take_fault(fault: Fault, charge: Charge) -> None:
        tell(fault, charge)
        faulted(fault, charge)

    def take_error(error: Exception) -> None:
        answer.error = error
        _give_all(answer)
        failed(error)

    ask.answered, ask.faulted, ask.failed = take_choice, take_fault, take_error


def _give_all(answer: _Answer) -> None:
    waiting, answer.waiting = answer.waiting, []
    for ask in waiting:
        _soon(_give, ask, answer)


def _give(ask: Ask, answer: _Answer) -> None:
    """Lets *ask* end as the same question did at another table."""
    if answer.outcome is None:
        assert answer.error is not None
        ask.failed(answer.error)
        return
    outcome, charge = answer.outcome
    if isinstance(outcome, Fault):
        ask.faulted(outcome, charge)
    else:
        ask.answered(outcome, charge)


def _soon(call: Callable[..., None], *arguments: object) -> None:
    asyncio.get_running_loop().call_soon(call, *arguments)
