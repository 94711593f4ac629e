"""A bot under trial: what the steps of a check share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.bots.direct import Reply
from referee.bots.line import Line
from referee.bots.spec import BotSpec
from referee.errors import MoonError
from referee.match import Fault, FaultKind, Question
from referee.rules import DEFAULT_PRESETS, Rules, preset_rules, presets
from referee.wire.states import StoredQuestion
from tournaments.kit.causes import cause_of, cause_of_fault
from tournaments.kit.games import TrialMatch, fixtures, play_in_turn
from tournaments.kit.results import Failure
from tournaments.kit.stand import Stand, StandTerms
from tournaments.kit.states import describe, stored

SEED = "moon bot check"
"""What the questions of a check are drawn by, unless somebody says otherwise."""
PATIENCE = 20.0
"""Seconds that the long steps may take each, by the pace of the bot; then they play less."""
MATCHES = 6
"""How many matches are played in turn, of a bot that is quick enough."""


@dataclass(frozen=True, slots=True)
class CheckTerms:
    """Under what a bot is checked."""

    stand: StandTerms = field(default_factory=StandTerms)
    rules: Rules | None = None
    """What it is asked to play by; ``None`` for the usual ones among those that it plays."""
    seed: str = SEED
    """What questions and deals are drawn by."""
    questions: int = 100
    """How many answers are timed."""


class StepFailedError(Exception):
    """The bot does not do what a step asks for."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.problem)
        self.failure = failure


class StepSkippedError(Exception):
    """A step does not apply. Its text says why."""


@dataclass(slots=True)
class Trial:
    """What the steps have at hand, and what one leaves for the next."""

    spec: BotSpec
    stand: Stand
    terms: CheckTerms
    sets: list[Rules] = field(default_factory=list)
    """The rules that it is tried by: first the main ones, then those of the other game."""
    pace: float = 0.0
    """Seconds that a decision takes, as far as was seen."""
    first_run: list[TrialMatch] = field(default_factory=list)
    """The matches that were played in turn by one process."""
    line: Line | None = None
    """The line that played them."""
    left: tuple[int, ...] | None = None
    """The processes that outlived the bot; ``None`` before it was told to end."""
    asked: int = 0
    """How many questions were made, so that each has a match of its own."""

    @property
    def rules(self) -> Rules:
        """The rules of most questions."""
        return self.sets[0] if self.sets else self.terms.rules or preset_rules(DEFAULT_PRESETS[3])

    def question(self, question: Question) -> StoredQuestion:
        """Returns *question* as it travels, as one of a match of its own."""
        self.asked += 1
        return stored(question, f"check-{self.asked:04d}", self.stand.terms.move_time)

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        """Returns the replies to *questions*, put one after the other.

        Raises:
            StepFailedError: at the first answer that is not a legal one in time.
        """
        return [await self.ask_one(self.question(question)) for question in questions]

    async def ask_one(self, question: StoredQuestion) -> Reply:
        """Returns the reply to *question*.

        Raises:
            StepFailedError: if it is not a legal answer in time.
        """
        direct = await self.stand.direct()
        [reply] = await direct.ask([question])
        await self.judge([reply])
        return reply

    async def judge(self, replies: Sequence[Reply]) -> None:
        """Takes note of how long *replies* took.

        Raises:
            StepFailedError: at the first that is not a legal answer in time.
        """
        for reply in replies:
            if isinstance(reply.outcome, Fault):
                # A league ends a process that is not understood, and here nothing is to come after.
                await self.stand.drop()
                raise StepFailedError(failure_of(reply))
            self.pace = 0.9 * self.pace + 0.1 * reply.seconds if self.pace else reply.seconds

    def matches(self, decisions: int = 18) -> int:
        """Returns how many matches of so many *decisions* fit into the patience, from 2 on."""
        fit = PATIENCE / (decisions * self.pace) if self.pace else MATCHES
        return max(2, min(MATCHES, int(fit)))

    async def run(self) -> list[TrialMatch]:
        """Returns the matches that one process has played in turn, and plays them if need be."""
        if not self.first_run:
            self.line = self.line or self.stand.line()
            self.first_run = await self.play(self.line)
        return self.first_run

    async def play(self, line: Line) -> list[TrialMatch]:
        """Plays the usual matches in turn over *line*.

        Raises:
            StepFailedError: if the bot is at fault in one.
        """
        wanted = fixtures(self.rules, self.terms.seed, self.matches())
        played = await play_in_turn(self.stand, line, wanted)
        raise_fault(played)
        return played

    def other_game(self) -> Rules:
        """Returns the rules of the other game that the bot plays.

        Raises:
            StepSkippedError: if it plays only one.
        """
        if len(self.sets) < 2:
            raise StepSkippedError(f"it says that it plays with {self.rules.players} only")
        return self.sets[1]


def rules_of(named: Sequence[str], wanted: Rules | None) -> list[Rules]:
    """Returns the rules by which a bot is tried that plays the presets *named* (empty: every one).

    Raises:
        StepFailedError: if it names none that there is.
        MoonError: if it does not play what is *wanted*.
    """
    known = presets()
    plays = [known[name].rules for name in named if name in known]
    if named and not plays:
        problem = f"it says that it plays only {', '.join(named)}, and there are no such presets"
        raise StepFailedError(Failure(f"{problem}; `moon rules list` has the names"))
    if wanted is not None and plays and wanted not in plays:
        raise MoonError(f"--rules: the bot says that it plays only {', '.join(named)}")
    usual = [preset_rules(DEFAULT_PRESETS[players]) for players in (3, 4)]
    found = [wanted] if wanted is not None else []
    for players in (3, 4):
        if not any(rules.players == players for rules in found):
            candidates = [rules for rules in (*usual, *plays) if rules.players == players]
            found += [rules for rules in candidates if not plays or rules in plays][:1]
    return found


def raise_fault(played: Sequence[TrialMatch]) -> None:
    """Raises the first fault in *played*, if there is one.

    Raises:
        StepFailedError: with the question that it was an answer to.
    """
    for match in played:
        if match.fault is not None:
            question, fault = match.fault
            raise StepFailedError(_failure(question, fault, ""))


def failure_of(reply: Reply) -> Failure:
    """Returns what to tell of *reply*, which is a fault."""
    assert isinstance(reply.outcome, Fault)
    answer = json.dumps(reply.answer) if reply.answer else ""
    return _failure(reply.question, reply.outcome, answer)


def _failure(question: StoredQuestion, fault: Fault, answer: str) -> Failure:
    if fault.kind is FaultKind.START:
        problem, cause = f"did not start: {fault.detail}", cause_of("start", fault.stderr_tail)
        return Failure(problem, stderr=fault.stderr_tail, cause=cause)
    return Failure(
        f"{fault.kind}: {fault.detail}",
        tuple(describe(question.view)),
        answer,
        tuple(map(str, question.decision.legal)),
        question.data,
        fault.stderr_tail,
        cause=cause_of_fault(
            fault.kind, fault.detail, fault.stderr_tail, str(question.decision.kind)
        ),
    )
