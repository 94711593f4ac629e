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
from tournaments.league.audit import read_audit
from tournaments.league.entries import Event
from tournaments.league.folder import AUDIT, League
from tournaments.league.terms import terms_of
from tournaments.schedule import EntrantId
from tournaments.schedule.nights import Pair, Stage
from tournaments.store import Store


class LeagueOffice:
    """The league in a folder, which other commands may change between two looks at it.

    What they change is the register. The terms are those of the night, from its begin to its end.
    """

    def __init__(
        self, league: League, store: Store, workers: int, say: Callable[[str], None]
    ) -> None:
        """Takes the league.

        Args:
            league: The league.
            store: The night, open for writing; it keeps the terms.
            workers: How many processes play.
            say: Told when somebody is suspended.
        """
        self._terms = terms_of(league, store)
        self.suspend_after = self._terms.suspend_after
        self._folder = league.folder
        self._workers = workers
        self._say = say

    def league(self) -> League:
        """Returns the league with the register as it is now, and the terms of the night."""
        return League(self._folder, self._terms, read_audit(self._folder / AUDIT))

    def field(self) -> tuple[tuple[EntrantId, ...], frozenset[Pair]]:
        """Returns who plays as the register has it now, and who of them may not meet."""
        return field_of(self.league())

    def config(self, store: Store, stages: tuple[Stage, ...]) -> TournamentConfig:
        """Returns the terms of the night, every copy of those who play looked at, file by file.

        Raises:
            VerificationError: if a copy is not what was entered.
        """
        league = self.league()
        terms = night_terms(league, store.run.name, store)
        names = dict.fromkeys(who for stage in stages for who in (*stage.field, *stage.house))
        playing = set(stages[-1].field)
        size = 2 if terms.rules.players == 4 else 1
        entrants = tuple(_entrant(league, name, size, is_playing=name in playing) for name in names)
        return replace(terms, entrants=entrants, night=stages, workers=self._workers)

    def check(self, name: EntrantId) -> None:
        """Checks that *name* is still what was entered, file by file.

        Raises:
            VerificationError: if not.
        """
        league = self.league()
        league.bot(league.entry(name))

    def hidden(self, names: Sequence[EntrantId]) -> tuple[str, ...]:
        """Returns the paths that no bot may read while *names* play."""
        league = self.league()
        return tuple(map(str, league.hidden(league.entry(name) for name in names)))

    def suspensions(self, night: str) -> dict[EntrantId, int]:
        """Returns whom *night* has suspended, by the log: the faults of its last suspension."""
        return {
            EntrantId(line.details["entry"]): int(line.details["faults"])
            for line in self.league().audit.lines
            if line.event == Event.SUSPENDED and line.details.get("night") == night
        }

    def suspend(self, name: EntrantId, night: str, faults: int) -> None:
        """Suspends *name* for its *faults* and says so, unless it does not play any more.

        The line of the log that suspends it says in which night and for how many, so a kill cannot
        come between the two.
        """
        reason = f"{faults} faults in {night}, and {self.suspend_after} suspend"
        why = {"night": night, "faults": faults}
        try:
            self.league().change(Event.SUSPENDED, name, reason, why)
        except ConfigError:  # it was taken out by somebody else
            return
        self._say(f"{name} is suspended: {reason}")


def field_of(league: League) -> tuple[tuple[EntrantId, ...], frozenset[Pair]]:
    """Returns who plays in *league*, and every two of them who may not meet."""
    names = tuple(entry.id for entry in league.active)
    return names, apart_of(league, names)


def apart_of(league: League, names: Sequence[EntrantId]) -> frozenset[Pair]:
    """Returns every two of *names* who may not meet."""
    return frozenset(frozenset(p) for p in combinations(names, 2) if not league.may_meet(*p))


def night_terms(league: League, name: str, store: Store | None = None) -> TournamentConfig:
    """Returns on which terms a night is played.

    Args:
        league: The league, with these terms.
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
