"""The matches that a bot plays before it is entered: against itself, and each bot of the program.

They are played as a night is: the same rules, clock, sandbox and limits, on deals that nobody
knew before. What counts is that no answer is a fault; who wins does not matter.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.bots.samples import sample_names
from referee.errors import BotError, MoonError
from referee.rules import rules_text
from referee.text import counted
from tournaments.league.config import LeagueConfig
from tournaments.results import FaultRow, TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Job, TableJob
from tournaments.runner.runner import MAX_ATTEMPTS

CANDIDATE = "candidate"
"""What the bot is called at these tables."""
TABLES_IN_FLIGHT = 1
"""How many of the matches are played at the same time."""
_SHOWN_LINES = 12


class FaultError(BotError):
    """The bot was at fault in a match."""


@dataclass(frozen=True, slots=True)
class Qualifier:
    """One match to play."""

    rival: str
    """Who sits at all other seats; `CANDIDATE` for the bot itself."""
    seats: tuple[str, ...]
    """By seat: the entrant of the job."""

    @property
    def title(self) -> str:
        """What is played, as people say it."""
        return "against itself" if self.rival == CANDIDATE else f"against {self.rival}"


def qualifiers(players: int) -> tuple[Qualifier, ...]:
    """Returns the matches to play, at tables of *players*.

    >>> [(q.title, q.seats) for q in qualifiers(3)][:2]  # doctest: +NORMALIZE_WHITESPACE
    [('against itself', ('candidate', 'candidate 2', 'candidate 3')),
     ('against counter', ('candidate', 'counter', 'counter 2'))]
    >>> qualifiers(4)[1].seats
    ('candidate', 'counter', 'candidate', 'counter')
    """
    return tuple(Qualifier(rival, _seats(rival, players)) for rival in (CANDIDATE, *sample_names()))


def _seats(rival: str, players: int) -> tuple[str, ...]:
    is_itself = rival == CANDIDATE
    if players == 4:
        return (CANDIDATE, f"{rival} 2" if is_itself else rival) * 2
    others = (f"{rival} 2", f"{rival} 3") if is_itself else (rival, f"{rival} 2")
    return (CANDIDATE, *others)


async def play_qualifiers(
    bot: str, base: Path, terms: LeagueConfig, hidden: Sequence[Path], say: Callable[[str], None]
) -> tuple[TableResult, ...]:
    """Plays the matches, one after the other, and returns their results.

    Args:
        bot: The text of the bot, relative to *base*.
        base: A folder.
        terms: Those of the league.
        hidden: What no bot may read.
        say: Told of each match before it is played.

    Raises:
        FaultError: at the first fault of the bot, with where it was and what the bot wrote last.
        BotError: if it does not start.
        MoonError: if a match cannot be played, and no bot is to blame.
    """
    players = terms.rules.players
    todo = qualifiers(players)
    async with Arena(_job(bot, base, terms, hidden)) as arena:
        results = []
        for number, qualifier in enumerate(todo):
            say(f"match {number + 1} of {len(todo)}: {_deals(terms)} {qualifier.title}")
            result = await _result(arena, number, qualifier, say)
            for fault in result.faults:
                if qualifier.seats[fault.seat].startswith(CANDIDATE):
                    raise FaultError("\n".join(_told(fault, qualifier)))
            results.append(result)
    return tuple(results)


def _deals(terms: LeagueConfig) -> str:
    return counted(terms.submit_deals, "deal")


def _job(bot: str, base: Path, terms: LeagueConfig, hidden: Sequence[Path]) -> Job:
    def texts(text: str) -> tuple[str, ...]:
        return (text,) if terms.rules.players == 3 else (text, text)

    entrants: dict[str, tuple[str, ...]] = {}
    for qualifier in qualifiers(terms.rules.players):
        for name in qualifier.seats:
            entrants[name] = texts(bot if name.startswith(CANDIDATE) else qualifier.rival)
    return Job(
        rules=rules_text(terms.rules),
        entrants=entrants,
        base=str(base),
        deals=terms.submit_deals,
        clock=terms.clock,
        table=terms.table,
        tables_in_flight=TABLES_IN_FLIGHT,
        sandbox=terms.sandbox,
        hidden=tuple(map(str, hidden)),
    )


async def _result(
    arena: Arena, number: int, qualifier: Qualifier, say: Callable[[str], None]
) -> TableResult:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        key = secrets.token_hex(32)
        done = await arena.result(TableJob(number, number, 0, qualifier.seats, key, attempt))
        if not done.problem:
            return done.result
        say(f"the match is void, and no bot is to blame: {done.problem}")
    raise MoonError(
        f"the match {qualifier.title} was void {MAX_ATTEMPTS} times, which is no fault of the bot; "
        "see what this machine lacks, and submit it again"
    )


def _told(fault: FaultRow, qualifier: Qualifier) -> Iterator[str]:
    place = f"deal {fault.deal}, decision {fault.decision}"
    detail = f": {fault.detail}" if fault.detail else ""
    ended = f" ({fault.exit_status})" if fault.exit_status else ""
    yield f"{fault.kind} in the match {qualifier.title}, {place}{detail}{ended}"
    if fault.question:
        yield f"asked: {fault.question}"
    lines = [line for line in fault.stderr_tail.splitlines() if line.strip()][-_SHOWN_LINES:]
    if lines:
        yield "the last it wrote to standard error:"
        yield from (f"  {line}" for line in lines)
