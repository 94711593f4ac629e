"""What a night has to know of its league: who plays, on which terms, from which frozen copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from referee.bots.contents import content_hash
from referee.bots.spec import BotKind, BotSpec, parse_bot
from referee.errors import ConfigError
from tournaments.config import TournamentConfig
from tournaments.entrants import HOUSE_BOT, Entrant
from tournaments.league.entries import Event
from tournaments.league.folder import League
from tournaments.schedule import EntrantId
from tournaments.schedule.nights import Pair, Stage
from tournaments.store import Store


class LeagueOffice:
    """The league in a folder, which other commands may change between two looks at it."""

    def __init__(self, league: League, workers: int, say: Callable[[str], None]) -> None:
        """Takes the league.

        Args:
            league: The league.
            workers: How many processes play.
            say: Told when somebody is suspended.
        """
        self.suspend_after = league.config.suspend_after
        self._folder = league.folder
        self._workers = workers
        self._say = say

    def field(self) -> tuple[tuple[EntrantId, ...], frozenset[Pair]]:
        """Returns who plays as the register has it now, and who of them may not meet."""
        league = League.open(self._folder)
        names = tuple(entry.id for entry in league.active)
        apart = (frozenset(p) for p in combinations(names, 2) if not league.may_meet(*p))
        return names, frozenset(apart)

    def config(self, store: Store, stages: tuple[Stage, ...]) -> TournamentConfig:
        """Returns the terms of the night, every copy of those who play looked at, file by file.

        Raises:
            VerificationError: if a copy is not what was entered.
        """
        league = League.open(self._folder)
        terms = night_terms(league, store.run.name, store)
        names = dict.fromkeys(who for stage in stages for who in (*stage.field, *stage.house))
        playing = set(stages[-1].field)
        size = 2 if terms.rules.players == 4 else 1
        entrants = tuple(_entrant(league, name, size, is_playing=name in playing) for name in names)
        return replace(terms, entrants=entrants, night=stages, workers=self._workers)

    def hidden(self, names: Sequence[EntrantId]) -> tuple[str, ...]:
        """Returns the paths that no bot may read while *names* play."""
        league = League.open(self._folder)
        return tuple(map(str, league.hidden(league.entry(name) for name in names)))

    def suspensions(self, night: str) -> dict[EntrantId, int]:
        """Returns whom *night* has suspended, by the log: the faults of its last suspension."""
        return {
            EntrantId(line.details["entry"]): int(line.details["faults"])
            for line in League.open(self._folder).audit.lines
            if line.event == Event.SUSPENDED and line.details.get("night") == night
        }

    def suspend(self, name: EntrantId, night: str, faults: int) -> None:
        """Suspends *name* for its *faults* and says so, unless it does not play any more.

        The line of the log that suspends it says in which night and for how many, so a kill cannot
        come between the two.
        """
        reason = f"{faults} faults in {night}, and {self.suspend_after} suspend"
        why = {"night": night, "faults": faults}
        league = League.open(self._folder)
        try:
            league.change(Event.SUSPENDED, name, reason, why)
        except ConfigError:  # it was taken out by somebody else
            return
        self._say(f"{name} is suspended: {reason}")


def night_terms(league: League, name: str, store: Store | None = None) -> TournamentConfig:
    """Returns on which terms a night is played, as the file of the league has them now.

    Args:
        league: The league.
        name: What the night is called.
        store: The night; ``None`` before there is one.
    """
    terms = league.config
    return TournamentConfig(
        name=name,
        rules=terms.rules,
        entrants=(),
        store=league.nights / f"{name}.sqlite" if store is None else store.path,
        base=league.folder,
        seed=None if store is None else store.run.seed,
        deals=terms.deals,
        max_deals=terms.max_deals,
        clock=terms.clock,
        table=terms.table,
        sandbox=terms.sandbox,
        night=(),
    )


def _entrant(league: League, name: EntrantId, size: int, *, is_playing: bool) -> Entrant:
    """Returns who plays as *name*: an entry, looked at if it plays now, or a house bot.

    At tables of four an entrant is a pair of the same bot, so *size* is 2 there.
    """
    if not is_entry(name):
        house = parse_bot(f"{name}={HOUSE_BOT}", league.folder)
        return Entrant(name, (house,) * size, (content_hash(house),) * size)
    entry = league.entry(name)
    spec = league.bot(entry) if is_playing else BotSpec(name, BotKind.FOLDER, entry.bot)
    return Entrant(name, (spec,) * size, (entry.content,) * size)


def is_entry(name: str) -> bool:
    """Returns whether *name* is that of an entry, with its version, and not of a house bot.

    >>> is_entry("tall#2"), is_entry("house-1")
    (True, False)
    """
    return "#" in name
