"""Leagues in a folder whose nights are played in this process: entries are files, as always, and
each is played by the bot that its name begins with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from tests.league.leagues import entered, make, write_bot
from tests.league_night.offices import HereRunner, NamedRunner
from tournaments.league.folder import League
from tournaments.league.night import Limits, NightPlay, Why
from tournaments.league.nights import close_night, seal_night, settle
from tournaments.league.office import LeagueOffice
from tournaments.store import Store

ENTRIES = (("tall", "Ann"), ("meek", "Bob"), ("dice", "Cyd"))


def new_league(folder: Path, rules: str = "tournament-3p") -> League:
    """Returns a new league with three entries; a match is a single deal."""
    league = make(folder, rules=f'"{rules}"')
    file = folder / "league.toml"
    file.write_text(file.read_text().replace("# deals = 30 ", "deals = 1 "))
    for name, author in ENTRIES:
        enter(league, name, author)
    return League.open(folder)


def enter(league: League, name: str, author: str) -> None:
    entered(League.open(league.folder), write_bot(league.folder.parent, name), name, author)


def play_night(
    league: League,
    rounds: int,
    *,
    closes: bool = True,
    aborts: bool = False,
    runner: type[HereRunner] = NamedRunner,
    say: Callable[[str], None] = lambda _: None,
) -> NightPlay:
    """Plays a night as the command does, and closes it; or ends it at once after one table."""
    settle(league)
    night, _ = seal_night(league)
    with Store.open(night.path, readonly=False) as store:
        office = LeagueOffice(league, store, 1, say)
        play = NightPlay(store, office, Limits(rounds), workers=1, runner=runner)

        async def run() -> None:
            while play.begin():
                await play.play(
                    lambda _: play.abort() if aborts else None, lambda _: None, lambda _: None
                )
                if play.why is not Why.FIELD:
                    break

        asyncio.run(run())
    if closes and not aborts:
        close_night(league, night)
    return play


def played_league(folder: Path) -> Path:
    """Returns the folder of a league with one night, which is closed."""
    play_night(new_league(folder), 2)
    return folder
