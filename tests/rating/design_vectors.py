"""Answers whether a schedule has the balance that it says it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any

from vector_checks import Case

Label = int | str
SEATS = {"ffa3": 3, "team2v2": 4, "pairs": 2}


def judge_design(case: Case) -> None:
    """Judges one design, or every design of a collection."""
    if "designs" in case:
        for one in case.each("designs"):
            judge_one(one)
    else:
        judge_one(case)


def judge_one(one: Case) -> None:
    kind = one.take("kind")
    if kind not in SEATS:
        one.report.differs(one.name, "kind", kind, f"no answer: known are {sorted(SEATS)}")
        return
    design = Design(one, kind)
    design.count()
    for fault in design.faults:
        one.report.differs(one.name, "rounds", "a schedule that can be played", fault)
    expect = one.inner("expect") if "expect" in one else None
    if expect is None:
        return
    for key, wanted in expect.content.items():
        expect.take(key)
        if key == "resolvable":
            design.judge_idle(wanted)
        elif key not in design.counts:
            one.report.differs(one.name, key, wanted, "no answer: an unknown expectation")
        else:
            judge_counts(one, key, wanted, design.counts[key])


def judge_counts(one: Case, key: str, wanted: Any, got: Sequence[int]) -> None:
    found = Counter(got)
    if isinstance(wanted, dict):
        kept = {int(value): number for value, number in wanted.items()} == dict(found)
    elif isinstance(wanted, list):
        low, high = wanted
        kept = low <= min(got) and max(got) <= high
    else:
        kept = set(got) == {wanted} and not isinstance(wanted, bool)
    one.report.judged += 1
    if not kept:
        one.report.differs(one.name, key, wanted, dict(sorted(found.items())))


class Design:
    """A schedule and what can be counted in it."""

    def __init__(self, one: Case, kind: str) -> None:
        self.one, self.kind, self.size = one, kind, SEATS[kind]
        cyclic = one.take("cyclic")
        listed = one.take("rounds")
        rounds = developed(cyclic) if cyclic else [as_round(one_round) for one_round in listed]
        self.rounds: list[dict[str, Any]] = rounds
        self.players = labels(one.take("players"), cyclic)
        self.expand = one.take("expand", "none")
        self.allow_self = bool(one.take("allow_self"))
        self.allow_multi = bool(one.take("allow_multi"))
        self.faults: list[str] = []
        self.idle: list[tuple[int, list[Label]]] = []
        self.counts: dict[str, list[int]] = {}

    def count(self) -> None:
        met, partners, rivals, triples = (
            Counter[Any](),
            Counter[Any](),
            Counter[Any](),
            Counter[Any](),
        )
        seats, left, seat_pairs = Counter[Any](), Counter[Any](), Counter[Any]()
        games, byes, spread = Counter[Any](), Counter[Any](), 0
        for number, one_round in enumerate(self.rounds):
            present = Counter[Any]()
            for table in one_round["tables"]:
                if self.unplayable(number, table):
                    continue
                present.update(set(table))
                met.update({frozenset(pair) for pair in combinations(table, 2)})
                triples.update(
                    frozenset(three) for three in combinations(table, 3) if len(set(three)) == 3
                )
                partners.update(self.partners(table))
                rivals.update(self.rivals(table))
                for seating in self.seatings(table):
                    seats.update((who, seat) for seat, who in enumerate(seating))
                    left.update(zip(seating, [*seating[1:], seating[0]], strict=True))
                    seat_pairs.update(
                        (who, other, seat)
                        for seat, who in enumerate(seating)
                        for other in seating
                        if other != who
                    )
            games.update(present)
            byes.update(self.idle_in(number, one_round, present))
            played = [games[who] for who in self.players]
            spread = max(spread, max(played) - min(played))
        pairs = [frozenset(pair) for pair in combinations(self.players, 2)]
        ordered = list(permutations(self.players, 2))
        neighbours = [left[pair] for pair in ordered]
        self.counts = {
            "pair_count": [met[pair] for pair in pairs],
            "left_neighbour_count": neighbours,
            "seat_count": [seats[who, s] for who in self.players for s in range(self.size)],
            "seat_pair_count": [seat_pairs[*p, s] for p in ordered for s in range(self.size)],
            "bye_count": [byes[who] for who in self.players],
            "games_per_player": [games[who] for who in self.players],
            "triple_count": list(triples.values()) or [0],
            "rounds": [len(self.rounds)],
            "tables_per_round": [len(one_round["tables"]) for one_round in self.rounds],
            "prefix_games_spread": [spread],
        }
        if self.kind != "ffa3":
            self.counts["opponent_count"] = [rivals[pair] for pair in pairs]
        if self.kind == "team2v2":
            self.counts["partner_count"] = [partners[pair] for pair in pairs]
            self.counts["left_opponent_count"] = neighbours
            self.counts["self_partner_count"] = [partners[frozenset([w])] for w in self.players]

    def unplayable(self, number: int, table: Sequence[Label]) -> bool:
        if len(table) != self.size:
            self.faults.append(f"round {number}: {table!r} has not {self.size} seats")
            return True
        if not set(table) <= set(self.players):
            self.faults.append(f"round {number}: {table!r} seats somebody unknown")
        if len(set(table)) < self.size and not self.allow_self:
            self.faults.append(f"round {number}: {table!r} seats somebody twice")
        return False

    def idle_in(self, number: int, one_round: dict[str, Any], present: Counter[Any]) -> list[Label]:
        if not self.allow_multi:
            self.faults += [
                f"round {number}: {who!r} sits at {times} tables"
                for who, times in present.items()
                if times > 1
            ]
        idle = [who for who in self.players if who not in present]
        if "byes" not in one_round:
            self.idle.append((number, idle))
        elif sorted(map(str, one_round["byes"])) != sorted(map(str, idle)):
            self.faults.append(f"round {number}: idle are {idle!r}, not {one_round['byes']!r}")
        return idle

    def judge_idle(self, resolvable: bool) -> None:
        """Judges that no round leaves a whole table of entrants idle without saying so."""
        self.one.report.judged += 1
        for number, idle in self.idle:
            if resolvable and len(idle) >= self.size:
                self.one.report.differs(self.one.name, "resolvable", True, (number, idle))

    def seatings(self, table: Sequence[Label]) -> list[tuple[Label, ...]]:
        if self.expand == "rotations":
            return [(*table[k:], *table[:k]) for k in range(self.size)]
        if self.expand == "permutations":
            return list(permutations(table))
        if self.expand not in {None, "none"}:
            self.faults.append(f"no such expansion: {self.expand!r}")
        return [tuple(table)]

    def partners(self, table: Sequence[Label]) -> list[frozenset[Label]]:
        if self.kind != "team2v2":
            return []
        return [frozenset(table[0::2]), frozenset(table[1::2])]

    def rivals(self, table: Sequence[Label]) -> set[frozenset[Label]]:
        if self.kind == "pairs":
            return {frozenset(table)}
        if self.kind != "team2v2":
            return set()
        return {frozenset([a, b]) for a in table[0::2] for b in table[1::2] if a != b}


def as_round(one_round: Any) -> dict[str, Any]:
    return {"tables": one_round} if isinstance(one_round, list) else one_round


def developed(cyclic: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the rounds that a starter gives when numbers are added to it."""
    modulus = cyclic["modulus"]
    starters = cyclic.get("starters") or [cyclic["starter"]]
    step = cyclic.get("step", len(starters))
    if len(starters) != step or modulus % step:
        raise ValueError("a design needs as many starters as its step, which divides the modulus")
    return [
        {
            "tables": [
                [who if isinstance(who, str) else (who + r - r % step) % modulus for who in table]
                for table in starters[r % step]
            ]
        }
        for r in range(modulus)
    ]


def labels(players: Any, cyclic: dict[str, Any] | None) -> list[Label]:
    infinite = ["inf"] if cyclic and cyclic.get("infinity") else []
    if players is None and cyclic:
        return [*range(cyclic["modulus"]), *infinite]
    if isinstance(players, int):
        return [*range(players - len(infinite)), *infinite]
    if len(set(map(str, players))) != len(players):
        raise ValueError("players must have distinct labels")
    return list(players)
