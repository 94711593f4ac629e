"""The standings of a league over all its nights: a function of the stored records and the log.

All tables of all nights are rated at once, so ratings carry over and nothing hangs on the order of
the nights. For the intervals blocks are drawn again among those of the same meeting, whichever
night they are of: they repeat each other as those of one night do. House bots are rated with all
others, and are not listed. What counts:

- every table that was played, also those of entries that were suspended, withdrawn or replaced;
- a forfeit, as the place that the table gave: last for who forfeits;
- no table that is void, and none that was rescinded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from referee.match import Ending
from tournaments.league.entries import Entry
from tournaments.league.folder import League
from tournaments.league.nights import (
    NightState,
    Tables,
    closed_told,
    night_files,
    night_state,
    rescinded,
    sealed_told,
    stores,
)
from tournaments.league.office import is_entry
from tournaments.rating import (
    Block,
    Game,
    RankTable,
    rank_table,
    ranks_among,
    rate,
    without_forfeits,
)
from tournaments.results import TableResult
from tournaments.schedule import EntrantId, TableId


@dataclass(slots=True)
class Played:
    """What one entrant did in one night."""

    tables: int = 0
    wins: int = 0
    score: int = 0
    """The sum of its final scores."""
    faults: Counter[str] = field(default_factory=Counter)
    """By kind: how many."""
    forfeits: int = 0


@dataclass(slots=True)
class NightResults:
    """The tables of a night that count."""

    number: int
    blocks: dict[int, list[Game]] = field(default_factory=dict)
    """By block: its games."""
    cells: dict[int, str] = field(default_factory=dict)
    """By block: who meets in it, by name, so that it says the same in every night."""
    played: list[tuple[Game, bool]] = field(default_factory=list)
    """By table: its game, and whether somebody forfeited it."""
    figures: dict[EntrantId, Played] = field(default_factory=dict)
    rescinded: int = 0
    """How many tables were taken out."""
    rounds: int = 0
    state: NightState = NightState.OPEN
    begun_at: str = ""
    """When it was sealed, and its store made (UTC)."""

    def take(self, result: TableResult, sides: int) -> None:
        """Takes a table that counts."""
        game = Game.of(result.seats[:sides], result.places)
        self.blocks.setdefault(result.block, []).append(game)
        self.cells[result.block] = " ".join(sorted({*result.seats}))
        self.played.append((game, result.ending == Ending.FORFEIT))
        for side, who in enumerate(result.seats[:sides]):
            row = self.figures.setdefault(who, Played())
            row.tables += 1
            row.wins += result.places[side] == 1
            row.score += result.scores[side]
        for fault in result.faults:
            row = self.figures[fault.entrant]
            row.faults[fault.kind] += 1
            row.forfeits += not fault.substitute

    @property
    def tables(self) -> int:
        """How many tables count."""
        return len(self.played)


def read_nights(league: League) -> tuple[NightResults, ...]:
    """Returns what counts of every night, in order.

    A store that lies among the nights and was never sealed in the log is none of them.

    Raises:
        StoreError: if a store is damaged.
    """
    out, known, told = rescinded(league), sealed_told(league), closed_told(league)
    found = []
    for night, store in stores(each for each in night_files(league) if each.number in known):
        run = store.run
        results = NightResults(
            night.number,
            rounds=sum(stage.rounds for stage in run.stages),
            begun_at=run.created_at,
        )
        for result in store.outcomes():
            if _counts(night.number, result.id, out):
                results.take(result, run.rules.side_count)
            else:
                results.rescinded += 1
        has_begun = bool(results.rounds)
        results.state = night_state(
            has_begun=has_begun, is_closed=store.is_closed, is_told=night.number in told
        )
        found.append(results)
    return tuple(found)


def _counts(night: int, table: TableId, out: Tables) -> bool:
    return (night, table) not in out


@dataclass(frozen=True, slots=True)
class LadderRow:
    """One line of the standings of a league."""

    place: int
    """From 1, among entries; house bots are left out."""
    entrant: EntrantId
    mu: float
    low: float | None
    high: float | None
    """Ends of the 95 % interval of the rating by itself; ``None`` if too few blocks are known."""
    rank_low: int
    rank_high: int
    """The ranks among entries that the evidence leaves open, for all at the same time."""
    played: Played
    """In all nights together."""
    nights: int
    """In how many nights it played."""
    clean_place: int | None
    """The place it would have without the tables that somebody forfeited; ``None`` if it has played
    at no others. Such entries take up no place among the rest."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The standings of a league."""

    rows: tuple[LadderRow, ...]
    ranks: RankTable
    """As rated, house bots among them."""
    nights: int
    tables: int
    rescinded: int
    forfeited: int
    """How many tables somebody forfeited."""


def ladder(
    nights: Iterable[NightResults], progress: Callable[[int, int], None] | None = None
) -> Ladder:
    """Returns the standings over *nights*.

    Args:
        nights: What counts.
        progress: Told how many replicates of the intervals are done, and of how many.
    """
    nights = tuple(nights)
    blocks = [
        Block(night.cells[number], tuple(games))
        for night in nights
        for number, games in night.blocks.items()
    ]
    everybody = sorted({who for night in nights for who in night.figures})
    ranks = rank_table(blocks, entrants=everybody, progress=progress)
    clean, forfeited = without_forfeits(each for night in nights for each in night.played)
    places = {who: place for place, who in enumerate(filter(is_entry, clean), 1)}
    rows: list[LadderRow] = []
    for row in ranks_among(ranks, set(filter(is_entry, everybody))).entrants:
        who = EntrantId(row.entrant)
        played, count_of_nights = all_played(nights, who)
        rows.append(
            LadderRow(
                row.place, who, row.mu, row.low, row.high, row.rank_low, row.rank_high,
                played, count_of_nights, places.get(who),
            )
        )  # fmt: skip
    tables = sum(night.tables for night in nights)
    out = sum(night.rescinded for night in nights)
    return Ladder(tuple(rows), ranks, len(nights), tables, out, forfeited)


def all_played(nights: Iterable[NightResults], who: EntrantId) -> tuple[Played, int]:
    """Returns what *who* did in all *nights* together, and in how many of them it played."""
    own = [night.figures[who] for night in nights if who in night.figures]
    total = Played()
    for part in own:
        total.tables += part.tables
        total.wins += part.wins
        total.score += part.score
        total.faults.update(part.faults)
        total.forfeits += part.forfeits
    return total, len(own)


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """What an entry did in a night, and where it stood after it."""

    night: int
    played: Played
    place: int
    """Among the entries that had played by then."""
    mu: float


def history(nights: Iterable[NightResults], entry: Entry) -> tuple[HistoryRow, ...]:
    """Returns how *entry* did night by night; ratings are over all nights up to each."""
    rows, so_far = [], []
    for night in nights:
        so_far.append(night)
        if entry.id not in night.figures:
            continue
        games = (g for each in so_far for block in each.blocks.values() for g in block)
        rated = [row for row in rate(games) if is_entry(row.entrant)]
        place, row = next((n, r) for n, r in enumerate(rated, 1) if r.entrant == entry.id)
        rows.append(HistoryRow(night.number, night.figures[entry.id], place, row.mu))
    return tuple(rows)
