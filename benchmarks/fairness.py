"""How evenly a league night shares everything out, at the edge of every round.

    python benchmarks/fairness.py [--most 30] [--rounds 3] [--json]

For 3 to 30 entries, at tables of three and of four, with nobody kept apart and with two entries for
each author: how often every two who may meet have met, how often each has sat in each seat, how
often it sat to the left of another, and how many tables each has played, the least and the most of
it. Shows the edge of the last round, with --json of each. Exits with 1 if meetings or seats are
uneven at any.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from tournaments.schedule import EntrantId
from tournaments.schedule.nights import Pair, Stage, night_schedule

Counts = dict[str, object]


def counts(stage: Stage, seats: int, rounds: int) -> Iterator[Counts]:
    """Yields what there is to count at the edge of each round."""
    met: Counter[Pair] = Counter()
    sat: Counter[tuple[EntrantId, int]] = Counter()
    left: Counter[tuple[EntrantId, EntrantId]] = Counter()
    schedule = night_schedule([replace(stage, rounds=rounds)], seats=seats)
    allowed = [p for p in map(frozenset, combinations(stage.field, 2)) if p not in stage.apart]
    for number in range(rounds):
        for block in schedule.blocks:
            for table in block.tables if block.round == number else ():
                met.update(map(frozenset, combinations(sorted(set(table.seats)), 2)))
                sat.update(zip(table.seats, range(seats), strict=True))
                around = zip(table.seats, (*table.seats[1:], table.seats[0]), strict=True)
                left.update(set(around))
        each = [sum(sat[who, seat] for seat in range(seats)) for who in stage.field]
        sides = [pair for p in allowed for pair in (tuple(p), tuple(p)[::-1])]
        yield {
            "round": number + 1,
            "meetings": _range(met[pair] for pair in allowed),
            "forbidden": sum(met[pair] for pair in stage.apart),
            "seats": max(_spread(sat[who, seat] for seat in range(seats)) for who in stage.field),
            "left": _range(left[pair] for pair in sides),
            "tables": [n if seats == 3 else n // 2 for n in _range(each)],
        }


def _range(values: Iterator[int] | list[int]) -> list[int]:
    listed = list(values)
    return [min(listed), max(listed)]


def _spread(values: Iterator[int]) -> int:
    low, high = _range(values)
    return high - low


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    wish = parser.parse_args()
    uneven = edges = 0
    for seats in (3, 4):
        for count in range(3, wish.most + 1):
            names = tuple(EntrantId(f"e{n}#1") for n in range(count))
            twos = frozenset(frozenset(names[n : n + 2]) for n in range(0, count - 1, 2))
            for apart in (frozenset[Pair](), twos):
                stage = Stage.of(names, seats=seats, apart=apart)
                for found in counts(stage, seats, wish.rounds):
                    edges += 1
                    low, high = found["meetings"]
                    uneven += low != high or bool(found["seats"]) or bool(found["forbidden"])
                    head = {"seats_at_table": seats, "entries": count, "apart": len(apart)}
                    row = {**head, "form": stage.form.value, "house": len(stage.house), **found}
                    if wish.json:
                        print(json.dumps(row))
                    elif found["round"] == wish.rounds:
                        print(" ".join(f"{key}={value}" for key, value in row.items()))
    print(f"{edges} edges, {uneven} of them uneven", file=sys.stderr)
    return 1 if uneven else 0


if __name__ == "__main__":
    sys.exit(main())
