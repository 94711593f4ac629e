"""Whether the bonus of own partners is 0 for those who are only strong, and how often it is found.

    python benchmarks/partners.py [--seasons 100] [--bonus 4]      # some seconds

Skills of seven entrants are drawn with a standard deviation of 2 points a deal, and the blocks of
the format `mixed` are played by adding them up, with noise of 3 points a block. The first entrant
has a bonus beside itself. The figures are the mean error of all bonuses, the share of 95 %
intervals that held, the share of seasons in which that of the first lay above 0, and its width.
"""

from __future__ import annotations

import argparse
import random

from tournaments.config import parse_config
from tournaments.rating.partners import Meeting, own_partners

NAMES = tuple("abcdefg")
ROUNDS = (4, 6, 10, 20)
SPREAD, NOISE = 2.0, 3.0

Sides = tuple[tuple[str, ...], tuple[str, ...]]


def sides_of(rounds: int) -> dict[int, Sides]:
    """Returns by block: the two sides."""
    data = {
        "bots": [f"{name}=random" for name in NAMES], "seed": "s", "rounds": rounds,
        "rules": "tournament-4p", "format": "mixed",
    }  # fmt: skip
    found: dict[int, Sides] = {}
    for table in parse_config(data).schedule().tables:
        one, other = (tuple(sorted(table.seats[side::2])) for side in range(2))
        found.setdefault(table.block, (one, other))
    return found


def season(blocks: dict[int, Sides], number: int, bonus: float) -> list[Meeting]:
    """Returns what is played in a season."""
    rng = random.Random(number)
    skill = {name: rng.gauss(0.0, SPREAD) for name in NAMES}

    def worth(side: tuple[str, ...]) -> float:
        return sum(skill[name] for name in side) + bonus * (side == (NAMES[0],) * 2)

    return [
        Meeting(block, sides, worth(sides[0]) - worth(sides[1]) + rng.gauss(0.0, NOISE))
        for block, sides in blocks.items()
    ]


def main() -> None:
    """Prints a line for each number of rounds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seasons", type=int, default=100)
    parser.add_argument("--bonus", type=float, default=4.0)
    options = parser.parse_args()
    print("rounds  error  held %    of  found %  width")
    for rounds in ROUNDS:
        blocks = sides_of(rounds)
        errors: list[float] = []
        held: list[bool] = []
        found: list[bool] = []
        widths: list[float] = []
        for number in range(options.seasons):
            rows = own_partners(season(blocks, number, options.bonus))
            for name, row in rows.items():
                assert row.bonus is not None
                assert row.low is not None
                assert row.high is not None
                true = options.bonus if name == NAMES[0] else 0.0
                errors.append(row.bonus - true)
                held.append(row.low <= true <= row.high)
                if name == NAMES[0]:
                    found.append(row.low > 0.0)
                    widths.append(row.high - row.low)
        print(
            f"{rounds:6} {sum(errors) / len(errors):+6.2f} {100 * sum(held) / len(held):7.1f} "
            f"{len(held):5} {100 * sum(found) / len(found):8.0f} {sum(widths) / len(widths):6.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
