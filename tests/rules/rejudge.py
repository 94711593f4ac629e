"""Plays random deals under presets and judges each step of each again by the slow rules.

    python tests/rules/rejudge.py --deals 10000 [PRESET ...]

Without a preset all of them are played. Ends with 1, and the deal, at the first difference.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from referee.rules import preset_rules, presets
from tests.rules.lockstep import dealt, judge


def main() -> int:
    """Plays and judges."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("presets", nargs="*", metavar="PRESET", default=list(presets()))
    parser.add_argument("--deals", type=int, default=10_000, metavar="N", help="of each preset")
    options = parser.parse_args()
    for name in options.presets:
        rules = preset_rules(name)
        begun, tricks = time.monotonic(), 0
        for number in range(options.deals):
            rng = random.Random(f"{name} {number}")
            try:
                tricks += sum(judge(dealt(rules, rng), rng).tricks_won)
            except AssertionError as error:
                print(f"{name}: deal {number} differs: {error}")
                return 1
        seconds = time.monotonic() - begun
        print(f"{name}: {options.deals} deals, {tricks} tricks, 0 differ, {seconds:.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
