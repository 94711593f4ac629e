"""The awards of a night: the deals and matches that people will want to see again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from referee.match import Ending
from referee.match.lines import RecordLine, rules_of
from referee.rules import Hand, Rules, Tile, Trump
from referee.rules.scoring import side_tricks
from tournaments.pages.rendering import plain_name
from tournaments.pages.steps import bid_word, trump_word
from tournaments.pages.told import Contract, Told
from tournaments.results import TableResult


@dataclass(frozen=True, slots=True)
class Award:
    """Something to be remembered, and where it is to be seen."""

    title: str
    entrant: str
    """Who has it."""
    text: str
    """What it is for: what follows the name."""
    rule: str
    """How it was found among all others."""
    table: str
    """The id of the table."""
    deal: int
    """The number of the deal."""


class _Claim(NamedTuple):
    """Something that may become an award: the highest key has it, of equal ones the first."""

    key: tuple[float, ...]
    entrant: str
    text: str
    table: str
    deal: int


_RULES = {
    "Boldest made moon": "the fewest trumps and doubles in hand of all moons that were made",
    "Biggest set": "the most points lost with a contract, then the fewest tricks",
    "Closest match": "the least between the first and the second, then between first and last",
    "Greatest comeback": "the most points that a winner was behind",
    "Best defence": "the most tricks of one side against a contract, then the higher contract",
}


class AwardJury:
    """Looks at one table after the other, in schedule order, and keeps the best of each kind."""

    def __init__(self, house: Collection[str] = ()) -> None:
        """Begins without any award; none goes to the *house* bots of a league."""
        self._best: dict[str, _Claim] = {}
        self._house = house

    def take(self, result: TableResult, told: Told) -> None:
        """Looks at one table."""
        rules = rules_of(told.rules)
        for contract in told.contracts():
            self._look_at(result, rules, contract)
        if told.deals and result.ending != Ending.FORFEIT:
            first = _side(rules, result, result.places.index(1))
            claim = partial(_closest, result, told, rules)
            self._offer("Closest match", first, claim, _gaps(result))
            self._comeback(result, told, rules)

    def awards(self) -> tuple[Award, ...]:
        """Returns the awards; a kind for which there was nothing is left out."""
        return tuple(
            Award(title, best.entrant, best.text, rule, best.table, best.deal)
            for title, rule in _RULES.items()
            if (best := self._best.get(title)) is not None
        )

    def _offer(
        self, title: str, who: str, claim: Callable[[], _Claim], key: tuple[float, ...]
    ) -> None:
        """Keeps a claim of *who* if its key is higher than the best; it is worded only then."""
        if who in self._house:
            return
        best = self._best.get(title)
        if best is None or key > best.key:
            self._best[title] = claim()

    def _look_at(self, result: TableResult, rules: Rules, contract: Contract) -> None:
        deal, seat = contract.deal, contract.seat
        if contract.tricks is None or deal.points is None:
            return
        side = rules.side_of(seat)
        if contract.made and contract.bid.is_moon and deal.trump is not None:
            strength = _strength(rules, deal, seat)
            self._offer(
                "Boldest made moon",
                result.seats[seat],
                lambda: _moon(result, contract, strength),
                (-sum(strength), -strength[0]),
            )
        if not contract.made:
            key = (-deal.points[side], -contract.tricks)
            self._offer(
                "Biggest set", result.seats[seat], lambda: _set(result, contract, side), key
            )
        taken = side_tricks(rules, deal.tricks)
        other = max((s for s in range(len(taken)) if s != side), key=lambda s: taken[s])
        self._offer(
            "Best defence",
            _side(rules, result, other),
            lambda: _defence(result, rules, contract, other),
            (taken[other], contract.bid),
        )

    def _comeback(self, result: TableResult, told: Told, rules: Rules) -> None:
        winner = result.places.index(1)
        if result.places.count(1) > 1:
            return
        scores = [0] * len(result.scores)
        worst, at = 0, 0
        for deal in told.deals:
            if deal.points is not None:
                scores = [a + b for a, b in zip(scores, deal.points, strict=True)]
            if (behind := max(scores) - scores[winner]) > worst:
                worst, at = behind, deal.n
        if worst:
            name = _side(rules, result, winner)
            text = f"was {worst} points behind after deal {at}, and won the match"
            key = (float(worst),)
            claim = _Claim(key, name, text, result.id, at)
            self._offer("Greatest comeback", name, lambda: claim, key)


def _strength(rules: Rules, deal: RecordLine, seat: int) -> tuple[int, int]:
    """Returns how many trumps the declarer played with, and how many doubles beside them."""
    hand = Hand.parse(deal.hands[seat]).mask
    if deal.taken:
        hand |= 1 << Tile.parse(deal.middle.split()[0])
    if deal.discard is not None:
        hand &= ~(1 << Tile.parse(deal.discard))
    trumps = rules.tables[Trump.parse(deal.trump or "none")].trumps
    doubles = sum(tile.is_double for tile in Hand(hand & ~trumps))
    return (hand & trumps).bit_count(), doubles


def _moon(result: TableResult, contract: Contract, strength: tuple[int, int]) -> _Claim:
    trumps, doubles = strength
    trump = trump_word(Trump.parse(contract.deal.trump or "none"))
    text = (
        f"bid {bid_word(contract.bid)}, {trump}, and made it with {_count(trumps, 'trump')} and "
        f"{_count(doubles, 'double')} beside them"
    )
    key = (-sum(strength), -trumps)
    return _Claim(key, result.seats[contract.seat], text, result.id, contract.deal.n)


def _set(result: TableResult, contract: Contract, side: int) -> _Claim:
    points, tricks = contract.deal.points, contract.tricks
    assert points is not None
    assert tricks is not None
    text = (
        f"bid {bid_word(contract.bid)}, took {_count(tricks, 'trick')}, and got {points[side]:+d}"
    )
    key = (-points[side], -tricks)
    return _Claim(key, result.seats[contract.seat], text, result.id, contract.deal.n)


def _defence(result: TableResult, rules: Rules, contract: Contract, side: int) -> _Claim:
    taken = side_tricks(rules, contract.deal.tricks)[side]
    against = plain_name(result.seats[contract.seat])
    text = f"took {_count(taken, 'trick')} against {against}, who had bid {bid_word(contract.bid)}"
    name = _side(rules, result, side)
    return _Claim((taken, contract.bid), name, text, result.id, contract.deal.n)


def _closest(result: TableResult, told: Told, rules: Rules) -> _Claim:
    order = sorted(range(len(result.scores)), key=lambda side: result.places[side])
    first, *others = ((_side(rules, result, side), result.scores[side]) for side in order)
    told_others = ", ".join(f"{plain_name(name)} with {score}" for name, score in others)
    text = f"came first with {first[1]}, before {told_others}"
    return _Claim(_gaps(result), first[0], text, result.id, told.deals[-1].n)


def _gaps(result: TableResult) -> tuple[float, ...]:
    """Returns how close a match was, closer ones higher."""
    pairs = sorted(zip(result.places, result.scores, strict=True), key=lambda pair: pair[0])
    best, second, *_ = ordered = [score for _, score in pairs]
    return -abs(best - second), -abs(best - ordered[-1])


def _side(rules: Rules, result: TableResult, side: int) -> str:
    """Returns who played on *side*; a pair that is ranked as one is named once."""
    members = [result.seats[s] for s in range(rules.players) if rules.side_of(s) == side]
    return " + ".join(dict.fromkeys(members))


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'s' * (number != 1)}"
