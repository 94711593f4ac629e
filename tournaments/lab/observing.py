"""What one block shows, as sums under keys: the only place where a deal becomes numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from referee.rules import Bid, ExchangeRule, Hand, Rules, Tile, mask_of
from tournaments.evidence.luck import promise
from tournaments.lab.reading import LabDeal

ALL = "all"
"""The word for everything taken together."""


class Key(NamedTuple):
    """What a number is about."""

    topic: str
    """One of `laboratory.TOPICS`."""
    entrant: str
    against: str
    """The other entrant it is about; empty for all of them."""
    group: str
    """The seat, place or score state; `ALL` if they are not told apart."""
    what: str
    """The bid, the trump, or `ALL`."""
    measure: str
    """One of `laboratory.MEASURES`."""


Grouping = Callable[[LabDeal, int], str]
"""Names the group of a seat of a deal."""

GROUPINGS: dict[str, Grouping] = {
    "place": lambda deal, seat: (
        f"bids {('first', 'second', 'third', 'fourth')[(seat - deal.first) % len(deal.entrants)]}"
    ),
    "seat": lambda _, seat: f"seat {seat}",
    "score": lambda deal, seat: deal.states[seat],
}
"""By name: what numbers may be told apart by."""


def grouping(names: Sequence[str]) -> Grouping:
    """Returns the grouping by all of *names*, each one of `GROUPINGS`."""
    if not names:
        return lambda _deal, _seat: ALL
    kinds = [GROUPINGS[name] for name in names]
    return lambda deal, seat: ", ".join(kind(deal, seat) for kind in kinds)


class BlockSums:
    """The sums of one block."""

    def __init__(self, rules: Rules, group: Grouping) -> None:
        """Makes sums of nothing."""
        self.sums: dict[Key, list[int]] = {}
        """By key: the sum of the observations, and how many there are."""
        self._rules = rules
        self._group = group
        self._kinds: dict[Key, Counter[str]] = {}
        self._bids = tuple(map(str, (Bid.PASS, *rules.bids)))
        self._trumps = tuple(map(str, rules.trumps))

    def see(self, key: Key, value: int, count: int = 1) -> None:
        """Adds one observation, or several that add up to *value*."""
        if (sums := self.sums.get(key)) is None:
            sums = self.sums[key] = [0, 0]
        sums[0] += value
        sums[1] += count

    def take(self, deal: LabDeal) -> None:
        """Adds a deal; what its hands did at other tables is for `comparisons`."""
        groups = [self._group(deal, seat) for seat in range(len(deal.entrants))]
        for call in deal.auction.calls:
            if call.is_free:
                key = Key("bids", deal.entrants[call.seat], "", groups[call.seat], "", "bid")
                self._kind(key, str(call.bid))
        declarer = deal.auction.declarer
        for seat, entrant in enumerate(deal.entrants):
            contract = str(deal.auction.contract) if seat == declarer else "none"
            self._kind(Key("contracts", entrant, "", groups[seat], "", "played"), contract)
        if declarer is None:
            return
        self._take_contract(deal, declarer, groups[declarer])
        self._take_defence(deal, declarer, groups)

    def _kind(self, key: Key, kind: str) -> None:
        self._kinds.setdefault(key, Counter())[kind] += 1

    def _take_contract(self, deal: LabDeal, declarer: int, group: str) -> None:
        entrant, contract = deal.entrants[declarer], deal.auction.contract
        numbers = {
            "made": int(bool(deal.made)),
            "tricks": deal.tricks[declarer],
            "surplus": deal.tricks[declarer] - contract.tricks,
            "points": deal.points[declarer],
            "net": deal.net[declarer],
        }
        for what in (str(deal.auction.level), ALL):
            for measure, value in numbers.items():
                self.see(Key("contracts", entrant, "", group, what, measure), value)
        if deal.trump:
            self._kind(Key("trumps", entrant, "", group, "", "named"), deal.trump)
            for measure in ("made", "net"):
                key = Key("trumps", entrant, "", group, deal.trump, measure)
                self.see(key, numbers[measure])
        if self._rules.exchange is not ExchangeRule.NONE and deal.taken is not None:
            self._take_exchange(deal, declarer, group)

    def _take_exchange(self, deal: LabDeal, declarer: int, group: str) -> None:
        entrant = deal.entrants[declarer]
        if self._rules.exchange is not ExchangeRule.TAKE_THEN_DISCARD:
            self.see(Key("exchange", entrant, "", group, ALL, "taken"), int(bool(deal.taken)))
        if not deal.taken:
            return
        before = Hand.parse(deal.hands[declarer]).mask
        eight = before | mask_of((Tile.parse(deal.widow),))
        after = eight & ~mask_of((Tile.parse(deal.discard),))
        gain = promise(self._rules, after) - promise(self._rules, before)
        is_kept = deal.discard != deal.widow
        self.see(Key("exchange", entrant, "", group, ALL, "kept"), int(is_kept))
        self.see(Key("exchange", entrant, "", group, ALL, "gain"), gain)
        what = "widow kept" if is_kept else "widow put back"
        for measure, value in (("made", int(bool(deal.made))), ("net", deal.net[declarer])):
            self.see(Key("exchange", entrant, "", group, what, measure), value)

    def _take_defence(self, deal: LabDeal, declarer: int, groups: Sequence[str]) -> None:
        bidder, is_set = deal.entrants[declarer], int(not deal.made)
        side = self._rules.side_of(declarer)
        for seat, entrant in enumerate(deal.entrants):
            if self._rules.side_of(seat) == side or entrant in deal.entrants[:seat]:
                continue
            for against, what in (
                ("", ALL), ("", str(deal.auction.contract)), (bidder, ALL),
            ):  # fmt: skip
                self.see(Key("defence", entrant, against, groups[seat], what, "set"), is_set)

    def close(self) -> Iterable[tuple[Key, list[int]]]:
        """Returns all sums: those of things counted by kind get a share for every kind there is."""
        for key, kinds in self._kinds.items():
            every = self._trumps if key.topic == "trumps" else self._bids
            turns = kinds.total()
            for kind in every:
                if key.topic != "contracts" or kind != str(Bid.PASS):
                    self.see(key._replace(what=kind), kinds[kind], turns)
        return self.sums.items()
