"""All that the report of a run tells, gathered while its tables are read once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from tournaments.measured import Measured
from tournaments.meetings import Versus
from tournaments.pages.awards import Award, AwardJury
from tournaments.pages.bidding import BiddingTable, BiddingTally
from tournaments.pages.fault_book import FaultBook
from tournaments.pages.steps import Beside, Replay, replay_of
from tournaments.pages.told import Told
from tournaments.reports.reading import record_of
from tournaments.schedule import EntrantId, TableId
from tournaments.sealing import SEALED
from tournaments.standings import Results, Standings
from tournaments.store import Store
from tournaments.store.runs import Note

MOMENTS = 16
"""How often at most the ratings are looked at while the night goes on."""
_MOST_ENTRANTS = 24
"""With more, rating everybody again and again takes too long, and so many lines say nothing."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The ratings at some point of the night, as they follow from the tables until then."""

    tables: int
    """How many tables, in schedule order."""
    ratings: dict[EntrantId, float]
    """By entrant who has played: its rating."""


@dataclass(frozen=True, slots=True)
class Night:
    """What the report of a run tells."""

    standings: Standings
    order: tuple[EntrantId, ...]
    """Everybody, best first."""
    order_without_forfeits: tuple[EntrantId, ...]
    """Who has played without a forfeit, best first, as if no other tables had been played."""
    forfeited: int
    """How many tables a forfeit ended."""
    moments: tuple[Moment, ...]
    """The ratings as the night went on; none if there are too many entrants to draw."""
    versus: dict[tuple[EntrantId, EntrantId], Versus]
    bidding: BiddingTable
    faults: FaultBook
    awards: tuple[Award, ...]
    fingerprint: str
    seals: tuple[Note, ...]
    """The commitments to the seed that the store keeps, each with when it was made."""
    measured: Measured | None
    replays: tuple[Replay, ...]
    """The deals that awards and faults point to, by table, in schedule order."""
    rescinded: int
    """How many tables were played and taken out, and so are left out of all but the fingerprint."""
    house: frozenset[EntrantId]
    """The house bots of a league night."""


class _Reader:
    """Takes the tables of a run, in schedule order."""

    def __init__(self, store: Store, out: Collection[TableId]) -> None:
        run = store.run
        self.rescinded = 0
        self._out = out
        self.results = Results(run.rules, *run.pattern())
        self.house = frozenset(who for stage in run.stages for who in stage.house)
        self.bidding, self.faults = BiddingTally(run.rules), FaultBook()
        self.jury = AwardJury(self.house)
        self.moments: list[Moment] = []
        self.fingerprint = store.start_fingerprint()
        self._store = store
        self._every = max(-(-store.counts().played // MOMENTS), 1)
        self._draws = len(run.entrants) <= _MOST_ENTRANTS

    def read(self, step: Callable[[], None]) -> None:
        for result in self._store.outcomes(
            records=True, timings=True, fingerprint=self.fingerprint
        ):
            step()
            if result.id in self._out:
                self.rescinded += 1
                continue
            self.results.take(result)
            told = Told.of(result)
            self.bidding.take(result.seats, told)
            self.faults.take(result)
            self.jury.take(result, told)
            if self._draws and self.results.played % self._every == 0:
                self.moments.append(self._moment())
        if self._draws and self.results.played % self._every:
            self.moments.append(self._moment())

    def _moment(self) -> Moment:
        ratings = {
            EntrantId(each.entrant): each.mu for each in self.results.ratings() if each.games
        }
        return Moment(self.results.played, ratings)


def read_night(
    store: Store,
    step: Callable[[], None] = lambda: None,
    progress: Callable[[int, int], None] | None = None,
    out: Collection[TableId] = (),
) -> Night:
    """Returns what the report of the run in *store* tells.

    Args:
        store: The store.
        step: Called after each table that was read.
        progress: Told how many replicates of the intervals are done, and of how many.
        out: Tables that were rescinded.

    Raises:
        StoreError: at a table that is damaged; the message names it.
    """
    reader = _Reader(store, out)
    reader.read(step)
    standings = reader.results.standings(progress)
    order = tuple(EntrantId(row.entrant) for row in standings.ranks.entrants)
    clean = reader.results.without_forfeits()
    awards = reader.jury.awards()
    notes = store.notes()
    return Night(
        standings,
        order,
        tuple(map(EntrantId, clean.order)),
        clean.forfeited,
        tuple(reader.moments),
        {
            (one, other): reader.results.versus(one, other)
            for one in order
            for other in order
            if one != other
        },
        reader.bidding.table(order),
        reader.faults,
        awards,
        reader.fingerprint.hexdigest(),
        tuple(note for note in notes if note.kind == SEALED),
        Measured.of_notes(note.text for note in notes if note.kind == "measured"),
        _replays(store, awards, reader.faults),
        reader.rescinded,
        reader.house,
    )


def _replays(store: Store, awards: tuple[Award, ...], faults: FaultBook) -> tuple[Replay, ...]:
    """Returns the deals that awards and faults point to."""
    wanted: dict[str, set[int]] = {}
    for award in awards:
        wanted.setdefault(award.table, set()).add(award.deal)
    for group in faults.groups():
        wanted.setdefault(group.table, set()).add(group.fault.deal)
    results = sorted((store.result(TableId(table)) for table in wanted), key=lambda r: r.number)
    return tuple(
        replay_of(
            record_of(store, result), Beside.of(result.timings, result.faults), wanted[result.id]
        )
        for result in results
    )
