"""Matches of one bot against the house, over the line that tables of a league use."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from referee.bots.asks import NOTHING, Ask, BotLine, Charge
from referee.bots.cpu import CpuUse
from referee.bots.exchange import message_of
from referee.bots.tables import TableInPlay
from referee.bots.terms import ClockTerms
from referee.match import Fault, Match, MatchReferee, TableTerms, Terms
from referee.rules import Choice, Kind, Rules, seed_key
from referee.wire.notices import Notice
from referee.wire.states import StoredQuestion, read_question
from tournaments.kit.stand import Stand

PASSES = 0.6
"""The share of its bids in which the house passes: else nobody else would be declarer."""


class HouseLine:
    """A line to nobody: plays at random, the same way whenever it is made of the same seed."""

    strays = 0
    cpu = CpuUse()
    is_running = False
    is_idle = True
    introduction = ""

    def __init__(self, seed: str) -> None:
        """Makes a player whose lots are drawn by *seed*."""
        self._rng = random.Random(seed)  # noqa: S311 - nothing is kept from anybody with it

    def ask(self, ask: Ask) -> None:
        """Answers in the next turn of the event loop."""
        decision = ask.question.decision
        passes = decision.kind is Kind.BID and self._rng.random() < PASSES
        choice = decision.legal[0] if passes else self._rng.choice(decision.legal)
        asyncio.get_running_loop().call_soon(ask.answered, choice, NOTHING)

    def wants(self, notice: type[Notice]) -> bool:
        """Returns that it wants to be told nothing."""
        return False

    def tell(self, notice: Notice) -> None:
        """Does nothing."""

    def restart(self) -> None:
        """Does nothing: nobody runs."""

    async def warm_up(self) -> None:
        """Does nothing."""

    async def close(self) -> None:
        """Does nothing."""


@dataclass(slots=True)
class TrialMatch:
    """A match against the house, from the side of the bot.

    Attributes:
        asked: Every question that was put to the bot, with what came of it, in order.
        seconds: What the bot was charged for each of them.
    """

    asked: list[tuple[StoredQuestion, Choice | Fault]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def fault(self) -> tuple[StoredQuestion, Fault] | None:
        """The first thing that the bot did wrong, and what it was asked then."""
        for question, outcome in self.asked:
            if isinstance(outcome, Fault):
                return question, outcome
        return None


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match to be played."""

    rules: Rules
    seed: str
    """What decides the deals and how the house plays."""
    seat: int
    """Where the bot sits."""
    deals: int = 2


def fixtures(rules: Rules, seed: str, count: int, *, deals: int = 2) -> list[Fixture]:
    """Returns *count* matches in which the bot sits on every seat in turn."""
    return [Fixture(rules, f"{seed}/{n}", n % rules.players, deals) for n in range(count)]


async def play_one(
    stand: Stand,
    line: BotLine,
    fixture: Fixture,
    answered: Callable[[int], None] | None = None,
) -> TrialMatch:
    """Plays a match and returns what came of it; the first fault of the bot ends it.

    Args:
        stand: Where the bot runs.
        line: The bot.
        fixture: The match.
        answered: Called after each answer of the bot with how many there were.

    Raises:
        KeeperError: if the stand breaks.
    """
    loop = asyncio.get_running_loop()
    over: asyncio.Future[TableInPlay] = loop.create_future()
    match = Match.start(Terms(fixture.rules, fixture.deals), seed_key(fixture.seed))
    players = fixture.rules.players
    lines: list[BotLine] = [HouseLine(f"{fixture.seed}/{seat}") for seat in range(players)]
    lines[fixture.seat] = line
    names = tuple("bot" if seat == fixture.seat else "house" for seat in range(players))
    referee = MatchReferee("0.0", match, names, TableTerms(strikes=0))
    tap = _Tap(fixture.seat, stand.terms, answered)
    TableInPlay(referee, lines, stand.terms, over.set_result, tap=tap).start()
    table = await stand.unless_broken(over)
    if table.error is not None:
        raise table.error
    return tap.played


async def play_in_turn(stand: Stand, line: BotLine, matches: Sequence[Fixture]) -> list[TrialMatch]:
    """Plays *matches* one after the other, until the bot is at fault."""
    played = []
    for fixture in matches:
        played.append(await play_one(stand, line, fixture))
        if played[-1].fault is not None:
            break
    return played


class _Tap:
    """Keeps what one seat is asked, and what comes of it."""

    def __init__(
        self, seat: int, clock: ClockTerms, answered: Callable[[int], None] | None
    ) -> None:
        self.played = TrialMatch()
        self._seat = seat
        self._move_time = clock.move_time
        self._answered = answered

    def asked(self, ask: Ask) -> None:
        """Does nothing: what is asked is kept with what comes of it."""

    def applied(self, ask: Ask, outcome: Choice | Fault, charge: Charge) -> None:
        """Keeps a question to the seat."""
        if ask.question.seat != self._seat:
            return
        question = read_question(message_of(ask, self._move_time).data)
        self.played.asked.append((question, outcome))
        self.played.seconds.append(charge.seconds)
        if self._answered is not None:
            self._answered(len(self.played.asked))
