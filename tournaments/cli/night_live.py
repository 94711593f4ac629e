"""What a league night shows while it is played: how far its round is, and the standings so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tournaments.cli.league_standings import PLAYED_COLUMNS, entry_text, played_cells
from tournaments.cli.live import Progress
from tournaments.config import TournamentConfig
from tournaments.league.folder import League
from tournaments.league.ladder import all_played, read_nights
from tournaments.league.office import is_entry
from tournaments.rating import Rating, rate
from tournaments.reports.grids import Column, Grid
from tournaments.reports.numbers import number
from tournaments.results import TableResult
from tournaments.schedule import EntrantId
from tournaments.store import Store


class NightProgress(Progress):
    """Shows the round that is played, and where everybody stands over all nights.

    The rows and columns are those of `moon league standings`; only the ratings go on from table to
    table, as a preview, and what takes long to work out is left out.
    """

    def __init__(
        self, league: League, store: Store, config: TournamentConfig, heartbeat: float
    ) -> None:
        """Makes the display of a part of a night.

        Args:
            league: The league, with its register as it is now.
            store: The night.
            config: Its terms.
            heartbeat: Seconds between two lines where there is no terminal.
        """
        self._league = league
        self._nights = read_nights(league)
        self._sides = config.rules.side_count
        blocks = store.run.schedule().blocks
        self._rounds = sum(stage.rounds for stage in store.run.stages)
        self._round_tables = sum(len(b.tables) for b in blocks if b.round == blocks[-1].round)
        super().__init__(store, config, heartbeat)

    def next_round(self, tables: int) -> None:
        """Takes that another round of so many *tables* begins, the one before being over."""
        self._rounds += 1
        self._round_tables = tables
        self._results.scheduled += tables

    def add(self, results: Sequence[TableResult]) -> None:
        """Takes tables that are stored."""
        for result in results:
            self._nights[-1].take(result, self._sides)  # the one that is played is the last
        super().add(results)

    def _known_ratings(self) -> Iterable[Rating]:
        return rate(game for night in self._nights for game, _ in night.played)

    def _extent(self) -> tuple[str, int, int]:
        left = self._results.scheduled - self._results.played
        return f"round {self._rounds}: tables", self._round_tables - left, self._round_tables

    def _table(self) -> Grid:
        grid = Grid(
            Column("rank"), Column("entry", is_text=True), Column("live rating"), *PLAYED_COLUMNS
        )
        rated = [each for each in self._preview.ratings if is_entry(each.entrant)]
        for place, rating in enumerate(rated, 1):
            played, nights = all_played(self._nights, EntrantId(rating.entrant))
            grid.add_row(
                str(place),
                entry_text(self._league, rating.entrant),
                number(rating.mu, 1) if played.tables else "-",
                *played_cells(played, nights),
            )
        return grid
