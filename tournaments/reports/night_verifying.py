"""A night of a league against its log: who played, from which files, against whom, on which terms.

Between the lines that seal and close a night the register goes through states, one after another.
Each stage of the night has to be what one of these states makes: the field is who was active then,
in an order of the stages that is that of the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from referee.errors import ConfigError
from tournaments.entrants import HOUSE_BOT
from tournaments.identity import differences
from tournaments.league.audit import AuditLine
from tournaments.league.config import FILE, LeagueConfig, parse_league_config
from tournaments.league.entries import Entry, Event, Status, read_entries
from tournaments.league.folder import League
from tournaments.league.nights import CLOSED, SEALED
from tournaments.league.office import apart_of, is_entry, night_terms
from tournaments.league.terms import hash_of, kept_terms, terms_told
from tournaments.schedule import EntrantId
from tournaments.schedule.nights import Stage
from tournaments.store import Store


def night_differences(league: League, number: int, store: Store) -> Iterator[str]:
    """Yields where the night with *number* in *store* is not what the log of *league* makes of it.

    Nothing is said of a night that was begun by no round.
    """
    if not store.run.stages:
        return
    yield from _contents(league, store)
    terms = _terms(league, store)
    if isinstance(terms, str):
        yield f"{store.path}: {terms}"
        return
    league = League(league.folder, terms, league.audit)
    told = night_terms(league, store.run.name, store).identity()
    for line in differences(_of_all(store.run.identity), _of_all(told)):
        yield f"{store.path}: is not what its terms say: {line}"
    yield from _stages(league, number, store)


def _of_all(identity: object) -> dict[str, object]:
    """Returns the part of *identity* that is the same in all stages."""
    assert isinstance(identity, dict)
    return {key: each for key, each in identity.items() if key not in ("entrants", "night")}


def _contents(league: League, store: Store) -> Iterator[str]:
    """Yields who played from other files than those that were entered."""
    entries = {entry.id: entry for entry in league.entries}
    for entrant in store.run.identity["entrants"]:
        name, bots = entrant["name"], entrant["bots"]
        place = f"{store.path}: {name}"
        if not is_entry(name):
            if any(bot["text"] != HOUSE_BOT for bot in bots):
                yield f"{place} is a house bot, but it is not {HOUSE_BOT}"
        elif (entry := entries.get(EntrantId(name))) is None:
            yield f"{place} has played, and by the log it was never entered"
        else:
            yield from (f"{place} {wrong}" for bot in bots for wrong in _not_entered(bot, entry))


def _not_entered(bot: Mapping[str, str], entry: Entry) -> Iterator[str]:
    if bot["content"] != entry.content:
        yield (
            f"has played with the content {bot['content'][:12]}, but what was entered is "
            f"{entry.content[:12]}"
        )
    if bot["text"] != entry.bot:
        yield f"was started by {bot['text']!r}, but what was entered is {entry.bot!r}"


def _terms(league: League, store: Store) -> LeagueConfig | str:
    """Returns the terms that *store* keeps, or what is wrong with them."""
    kept = kept_terms(store)
    if kept is None:
        return "does not keep the terms on which it was begun"
    if hash_of(kept) not in terms_told(league):
        return "was played on terms that the log does not have"
    try:
        return parse_league_config(kept, league.folder / FILE)
    except ConfigError as error:
        return f"keeps terms that mean nothing: {error}"


def _stages(league: League, number: int, store: Store) -> Iterator[str]:
    """Yields which stages no state of the register makes, in the order of both."""
    seats = store.run.rules.players
    states = list(_states(league, number))
    at = 0
    for count, stage in enumerate(store.run.stages, 1):
        found = [n for n in range(at, len(states)) if states[n] == stage.field]
        if not found:
            yield (
                f"{store.path}: stage {count} has the field {', '.join(stage.field)}, and by the "
                "log those were not who played at any time since the stage before it"
            )
            continue
        at = found[0]
        if not _is_made_of(league, stage, seats):
            yield (
                f"{store.path}: stage {count}: its design, its house bots or who may not meet in "
                "it are not what follows from its field"
            )


def _states(league: League, number: int) -> Iterator[tuple[EntrantId, ...]]:
    """Yields who was active, from when the night was sealed until it was closed."""
    lines = league.audit.lines
    is_sealed = False
    for count, line in enumerate(lines, 1):
        if _is_of(line, SEALED, number):
            is_sealed = True
        elif _is_of(line, CLOSED, number):
            return
        elif line.event not in tuple(Event):
            continue
        if is_sealed:
            entries = read_entries(lines[:count])
            yield tuple(entry.id for entry in entries if entry.status is Status.ACTIVE)


def _is_of(line: AuditLine, event: str, number: int) -> bool:
    return line.event == event and line.details.get("night") == number


def _is_made_of(league: League, stage: Stage, seats: int) -> bool:
    """Returns whether *stage* is what its field makes under the terms of *league*."""
    apart = apart_of(league, stage.field)
    return replace(stage, rounds=0) == Stage.of(stage.field, seats=seats, apart=apart)
