"""Counts what a certificate of a schedule promises, from the tables alone.

It reads the document as a stranger would: it imports nothing of ours, and counts each promise by
itself. What it knows of a table is its size and who is with whom there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, permutations
from typing import Any

Table = tuple[str, ...]
Document = dict[str, Any]

SEATS = {"pairs": 2, "ffa3": 3, "team2v2": 4}


def broken_promises(document: Document) -> list[str]:
    """Returns what is wrong with a schedule, in words; nothing if all it promises holds."""
    return [*_disorder(document), *_misses(document)]


def _disorder(document: Document) -> Iterator[str]:
    """Yields where somebody sits at two places at once, or is said to sit out and does not."""
    players = document["players"]
    if len(set(players)) < len(players):
        yield "a player is listed twice"
    for number, one_round in enumerate(document["rounds"]):
        at = Counter(who for table in one_round["tables"] for who in set(table))
        for table in one_round["tables"]:
            if len(table) != SEATS[document["kind"]]:
                yield f"round {number}: {table} has {len(table)} seats"
            if len(set(table)) < len(table) and not document.get("allow_self"):
                yield f"round {number}: somebody sits twice at {table}"
        if strangers := at.keys() - set(players):
            yield f"round {number}: nobody knows {sorted(strangers)}"
        if not document.get("allow_multi") and max(at.values(), default=0) > 1:
            yield f"round {number}: somebody sits at two tables"
        if sorted(one_round["byes"]) != sorted(set(players) - at.keys()):
            yield f"round {number}: byes are not those who do not play"


def _misses(document: Document) -> Iterator[str]:
    """Yields every promise that does not hold."""
    for name, promised in document["expect"].items():
        if name == "resolvable":
            continue  # what it means is what `_disorder` looks for
        found = list(COUNTS[name](document)) if name in COUNTS else []
        if not found or not _holds(promised, found):
            yield f"{name}: promised {promised}, counted {dict(Counter(found))}"


def _holds(promised: Any, found: list[int]) -> bool:
    if isinstance(promised, dict):
        return {int(value): times for value, times in promised.items()} == Counter(found)
    least, most = promised if isinstance(promised, list) else (promised, promised)
    return all(least <= each <= most for each in found)


def _tables(document: Document) -> Iterator[Table]:
    for one_round in document["rounds"]:
        yield from map(tuple, one_round["tables"])


def _games(document: Document) -> Iterator[Table]:
    """Yields every table as often as it is played, with the seats turned if they are."""
    for table in _tables(document):
        turns = len(table) if document.get("expand") == "rotations" else 1
        for turn in range(turns):
            yield table[turn:] + table[:turn]


def _pairs_of(kind: Callable[[Table], Iterable[tuple[str, str]]]) -> Callable[..., Iterator[int]]:
    """Returns what counts for any two the tables at which they are of that *kind* to each other."""

    def count(document: Document) -> Iterator[int]:
        met: Counter[frozenset[str]] = Counter()
        for table in _tables(document):
            met.update({frozenset(pair) for pair in kind(table)})
        for two in combinations(document["players"], 2):
            yield met[frozenset(two)]

    return count


def _partners(table: Table) -> list[tuple[str, str]]:
    return [(table[seat], table[seat + 2]) for seat in range(len(table) - 2)]


def _opponents(table: Table) -> list[tuple[str, str]]:
    """Returns who sit on different sides: of four, each with the two beside it."""
    return [(who, table[seat - 1]) for seat, who in enumerate(table)]


def _own_partners(document: Document) -> Iterator[int]:
    held = Counter(
        one for table in _tables(document) for one, other in _partners(table) if one == other
    )
    return (held[who] for who in document["players"])


def _lefts(document: Document) -> Iterator[int]:
    """Counts for any two, each way round, the games in which one sits to the left of the other."""
    left: Counter[tuple[str, str]] = Counter()
    for game in _games(document):
        left.update(zip(game, game[1:] + game[:1], strict=True))
    return (left[two] for two in permutations(document["players"], 2))


def _seats(document: Document) -> Iterator[int]:
    sat = Counter(place for game in _games(document) for place in enumerate(game))
    seats = range(SEATS[document["kind"]])
    return (sat[seat, who] for who in document["players"] for seat in seats)


def _seat_pairs(document: Document) -> Iterator[int]:
    """Counts for any two and each seat of the first the games in which they meet so."""
    met: Counter[tuple[int, str, str]] = Counter()
    for game in _games(document):
        for seat, who in enumerate(game):
            met.update((seat, who, other) for other in game if other != who)
    for seat in range(SEATS[document["kind"]]):
        for one, other in permutations(document["players"], 2):
            yield met[seat, one, other]


def _triples(document: Document) -> Iterator[int]:
    """Counts how often three meet, of all that do."""
    met = Counter(frozenset(table) for table in _tables(document) if len(set(table)) == 3)
    return iter(met.values())


def _played(document: Document) -> Iterator[int]:
    played = Counter(who for table in _tables(document) for who in set(table))
    return (played[who] for who in document["players"])


def _ahead(document: Document) -> Iterator[int]:
    """Counts after each round by how many tables the first is ahead of the last."""
    played: defaultdict[str, int] = defaultdict(int, dict.fromkeys(document["players"], 0))
    for one_round in document["rounds"]:
        for table in one_round["tables"]:
            for who in set(table):
                played[who] += 1
        yield max(played.values()) - min(played.values())


COUNTS: dict[str, Callable[[Document], Iterable[int]]] = {
    "pair_count": _pairs_of(lambda table: combinations(table, 2)),
    "partner_count": _pairs_of(_partners),
    "opponent_count": _pairs_of(_opponents),
    "self_partner_count": _own_partners,
    "left_neighbour_count": _lefts,
    "left_opponent_count": _lefts,
    "seat_count": _seats,
    "seat_pair_count": _seat_pairs,
    "triple_count": _triples,
    "games_per_player": _played,
    "prefix_games_spread": _ahead,
    "rounds": lambda document: [len(document["rounds"])],
    "tables_per_round": lambda document: [len(each["tables"]) for each in document["rounds"]],
}
"""By promise: every number that it is about."""
