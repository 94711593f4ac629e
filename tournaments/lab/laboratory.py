"""The bidding laboratory: what the records of a run say about how everybody bids.

from tournaments.lab import study

result = study(["night.sqlite"])
for row in result.figures("contracts", measure="made"):
    print(row.entrant, row.what, row.value, row.low, row.high, row.count, row.blocks)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import NamedTuple

from referee.errors import ConfigError
from referee.rules import Bid, Rules, rules_text
from tournaments.evidence.luck import TENTHS
from tournaments.lab.comparisons import Comparison, comparisons
from tournaments.lab.estimates import Moments
from tournaments.lab.examples import Shelf
from tournaments.lab.findings import Asked, Finding, Inquiry
from tournaments.lab.observing import ALL, GROUPINGS, BlockSums, Key, grouping
from tournaments.lab.reading import Counts, LabDeal, read_blocks
from tournaments.schedule import EntrantId
from tournaments.store import Store

EXAMPLES = 5
"""How many deals are kept for each kind, entrant and level."""


class Measure(NamedTuple):
    """What a number is."""

    unit: str
    is_share: bool
    about: str
    """What it is the mean of."""


MEASURES = {
    "bid": Measure("share of turns", True, "turns with a choice at which it made this bid"),
    "played": Measure("share of deals", True, "deals in which it won the auction with this bid"),
    "made": Measure("share of contracts", True, "contracts that were made"),
    "tricks": Measure("tricks", False, "tricks its side took"),
    "surplus": Measure("tricks", False, "tricks its side took beyond those the bid asks for"),
    "points": Measure("points a deal", False, "points its side got"),
    "net": Measure("net points a deal", False, "points less the mean of the other sides"),
    "named": Measure("share of contracts", True, "contracts with this trump"),
    "taken": Measure("share of exchanges", True, "exchanges in which it took the widow"),
    "kept": Measure("share of widows", True, "widows taken that it kept"),
    "gain": Measure("tricks promised", False, "what the exchange added to the hand, by a count"),
    "set": Measure("share of contracts", True, "contracts of others that were set"),
    "more": Measure("net points a deal", False, "what it got more than the other"),
    "right": Measure("share of comparisons", True, "comparisons in which it came out better"),
    "missed": Measure("share of comparisons", True, "bids of another that it missed"),
    "cost": Measure("net points a deal", False, "what each missed bid cost"),
}
"""By name: every measure. *Net points* are the points of a side less the mean of the others'."""

_TRICKS = {"tricks": (0.0, 7.0), "surplus": (-7.0, 7.0 - Bid.THREE.tricks)}
"""By measure: between what a number of tricks can lie, of the seven of a deal."""

TOPICS = {
    "bids": "what everybody bids",
    "contracts": "contracts: how often, made, tricks taken, and what they were worth",
    "exchange": "the exchange with the widow",
    "trumps": "trumps named",
    "defence": "contracts of others that were set",
    "choices": "the same hand at the same place, another choice: what it was worth",
    "moon": "the moon, shot with a hand with which another did not, and the other way round",
    "missed": "bids that another made with the same hand at the same place",
}
"""By name: what the numbers are about."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number: of whom, of what, in which unit, how sure, and from how much."""

    topic: str
    """One of `TOPICS`."""
    entrant: str
    against: str
    """The other entrant it is about; empty for all of them."""
    group: str
    """The seat, place in the auction or state of the match; ``all`` if they are not told apart."""
    what: str
    """The bid, the trump, the two choices, or ``all``."""
    measure: str
    """One of `MEASURES`."""
    unit: str
    value: float
    low: float | None
    """Lower end of the 95 % interval over blocks; ``None`` where they say nothing of the spread."""
    high: float | None
    count: int
    """How many observations it is the mean of."""
    blocks: int
    """In how many blocks they were made: the units of evidence."""


class Laboratory:
    """Takes blocks, and says at any time what they show.

    What it keeps does not grow with the number of blocks.
    """

    def __init__(self, rules: Rules, by: Sequence[str] = (), *, examples: int = EXAMPLES) -> None:
        """Makes a laboratory that has seen nothing.

        Args:
            rules: The rules of every match.
            by: What numbers are told apart by, each one of `GROUPINGS`; everything together
                otherwise.
            examples: How many deals are kept for each kind, entrant and level.
        """
        self.rules = rules
        self.counts = Counts()
        self.by = tuple(by)
        self._group = grouping(self.by)
        self._scale = rules.side_count - 1
        self._moments: dict[Key, Moments] = {}
        self._inquiry = Inquiry(rules)
        self.shelf = Shelf(examples, self._scale)
        """The deals to look at."""

    def take(self, deals: Sequence[LabDeal], store: str = "") -> None:
        """Takes the deals of one block, from the store of that name."""
        sums = BlockSums(self.rules, self._group)
        for deal in deals:
            sums.take(deal)
            if deal.auction.declarer is not None and deal.auction.contract.is_moon:
                self.shelf.take_moon(store, deal)
        found = list(comparisons(deals))
        for comparison in found:
            self._see_comparison(sums, comparison)
            self.shelf.take_comparison(store, comparison)
        self._inquiry.take(found)
        for key, (total, count) in sums.close():
            if (moments := self._moments.get(key)) is None:
                moments = self._moments[key] = Moments()
            moments.add(total, count)

    def _see_comparison(self, sums: BlockSums, comparison: Comparison) -> None:
        mine, other = comparison.mine, comparison.other
        group = self._group(mine.deal, mine.call.seat)
        choice = Key("choices", mine.entrant, "", group, comparison.choice, "more")
        sums.see(choice, comparison.gain)
        if mine.call.bid.is_moon != other.call.bid.is_moon:
            what = "shot" if mine.call.bid.is_moon else "not shot"
            moon = Key("moon", mine.entrant, "", group, what, "right")
            sums.see(moon, int(comparison.gain > 0))
            sums.see(moon._replace(measure="more"), comparison.gain)
        level = str(other.call.bid) if other.call.bid > Bid.PASS else ALL
        for what in {level, ALL}:
            key = Key("missed", mine.entrant, "", group, what, "missed")
            sums.see(key, int(comparison.is_missed))
            if comparison.is_missed:
                sums.see(key._replace(measure="cost"), -comparison.gain)

    def figures(
        self, topic: str = "", *, entrant: str = "", measure: str = "", what: str = ""
    ) -> Iterator[Figure]:
        """Yields the numbers that are asked for, of everything unless it is named, in order."""
        wanted = {"topic": topic, "entrant": entrant, "measure": measure, "what": what}
        asked = {name: value for name, value in wanted.items() if value}
        for key in sorted(self._moments, key=_order):
            if all(getattr(key, name) == value for name, value in asked.items()):
                yield self._figure(key)

    def _figure(self, key: Key) -> Figure:
        measure, moments = MEASURES[key.measure], self._moments[key]
        if measure.is_share:
            estimate = moments.as_share()
        else:
            is_net = measure.unit.startswith("net")
            scale = self._scale if is_net else TENTHS if key.measure == "gain" else 1
            estimate = moments.as_mean(scale)
        if key.measure in _TRICKS:
            estimate = estimate.within(*_TRICKS[key.measure])
        return Figure(*key, measure.unit, *astuple(estimate))

    def findings(self) -> tuple[Finding, ...]:
        """Returns who bids too much or too little, as far as it is sure.

        The 5 % of a wrong one holds for one look, at runs whose length was fixed before they were
        played: not while `counts.is_open`, nor for the run at which one stopped for what it said.
        """
        return self._inquiry.findings()

    def asked(self, only: str | None = None) -> Asked:
        """Returns what was asked to find that, about *only* or about everybody."""
        return self._inquiry.asked(only)

    @property
    def entrants(self) -> tuple[EntrantId, ...]:
        """Everybody who was seen, by name."""
        return tuple(sorted({EntrantId(key.entrant) for key in self._moments}))


_LEVELS = {str(bid): f"{int(bid):02}" for bid in Bid}


def _order(key: Key) -> tuple[object, ...]:
    """Returns the sort key: topics and measures as they are listed, bids by their height."""
    word, _, rest = key.what.replace(",", " ,").partition(" ")
    what = (_LEVELS.get(word, "~" + word if word != ALL else ""), rest)
    return (
        list(TOPICS).index(key.topic), key.entrant, key.against, key.group, what,
        list(MEASURES).index(key.measure),
    )  # fmt: skip


def study(
    stores: Iterable[str | Path],
    by: Sequence[str] = (),
    *,
    examples: int = EXAMPLES,
    progress: Callable[[int, int], None] | None = None,
) -> Laboratory:
    """Returns what the runs in *stores* say together.

    Args:
        stores: The files.
        by: What numbers are told apart by: ``place``, ``seat``, ``score``.
        examples: How many deals are kept for each kind, entrant and level.
        progress: Told after each block how many tables are read, and of how many.

    Raises:
        ConfigError: if the stores cannot be taken together, or *by* names something else.
        StoreError: if one cannot be read.
    """
    for name in by:
        if name not in GROUPINGS:
            raise ConfigError(None, "by", f"{name!r} is none of {', '.join(GROUPINGS)}")
    with ExitStack() as stack:
        opened = [(str(path), stack.enter_context(Store.open(Path(path)))) for path in stores]
        if not opened:
            raise ConfigError(None, "STORE", "name the store of a run, or several")
        _check_together(opened)
        laboratory = Laboratory(opened[0][1].run.rules, by, examples=examples)
        total = sum(store.counts().played for _, store in opened)
        for name, store in opened:
            laboratory.counts.scheduled += _to_be_played(store)
            for block in read_blocks(store.outcomes(records=True), laboratory.counts):
                laboratory.take(block, name)
                if progress is not None:
                    progress(laboratory.counts.tables, total)
    return laboratory


def _to_be_played(store: Store) -> int:
    """Returns how many tables a run has at its end, which may be there before all are played."""
    if store.is_closed:
        return store.counts().played
    schedule, rounds = store.run.pattern()
    return rounds * len(schedule.tables)


def _check_together(opened: Sequence[tuple[str, Store]]) -> None:
    """Checks that the numbers of all these runs may be put together.

    Raises:
        ConfigError: if two have other rules, or the same deals.
    """
    first, store = opened[0]
    rules, seeds = store.run.rules, {store.run.seed: first}
    for name, other in opened[1:]:
        if other.run.rules != rules:
            raise ConfigError(
                name, "rules",
                f"are {rules_text(other.run.rules)}, but those of {first} are {rules_text(rules)}; "
                "look at runs of the same rules together",
            )  # fmt: skip
        if other.run.seed in seeds:
            raise ConfigError(
                name, "seed",
                f"is that of {seeds[other.run.seed]} too: they share their deals, which would "
                "count twice; name one of them",
            )  # fmt: skip
        seeds[other.run.seed] = name
