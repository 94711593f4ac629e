"""How fast the rules are: random deals, beside random deals of OpenSpiel's euchre in the same run.

    pip install 'moon-league[bench]'
    python benchmarks/rules.py

Euchre is the nearest game there: four hands, an auction, a discard, trick play. Both are driven by
the same loop in Python (list the legal actions, take one at random, apply it), so the figure of
each is what a Python program that plays the game gets. All contenders take turns, so that a slow
moment of the machine meets each of them, and what counts is the time of the processor, not of the
clock; the figures are medians over the rounds. An action is a choice of a player; dealing takes
time where it says so, but is no action.

Then single calls: what each costs, and for those over two microseconds what their time goes into.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from referee.rules import Deal, Rules, deal_tiles, parse_rules, trick_winner, view
from referee.sdk import View as BotView
from tournaments.bench.rules import BESIDE, EUCHRE, KEY, contenders, fresh, race

LIMIT = 2.0
"""Microseconds that a legal set, the winner of a trick, and a view should stay under."""


def show_race(rates: dict[str, list[float]]) -> None:
    """Prints the rates, and the ratio to the game beside it, round by round."""
    print(f"{'':42}{'actions/s':>11}{'lowest':>11}{'highest':>11}{'ratio':>8}")
    for name, values in rates.items():
        ratio = ""
        if name in BESIDE and BESIDE[name] in rates:
            pairs = zip(values, rates[BESIDE[name]], strict=True)
            ratio = f"{statistics.median(mine / theirs for mine, theirs in pairs):.2f}"
        numbers = (statistics.median(values), min(values), max(values))
        print(f"{name:42}{''.join(f'{number:>11,.0f}' for number in numbers)}{ratio:>8}")
    print("ratio: to euchre driven the same way, the median over the rounds\n")


# Single calls.


def states_in_play(rules: Rules, count: int) -> list[Deal]:
    """Returns states somewhere in the tricks."""
    rng, number = random.Random(2), 0
    found: list[Deal] = []
    while len(found) < count:
        deal = fresh(rules, number)
        states = []
        while (decision := deal.decision) is not None:
            states.append(deal)
            deal = deal.play(rng.choice(decision.legal))
        found.append(rng.choice([state for state in states if state.leaders]))
        number += 1
    return found


def micros(call: Callable[[Any], object], values: Sequence[Any], rounds: int) -> float:
    """Returns the lowest microseconds of one *call* in a round, the loop itself taken off.

    The lowest, because whatever else the machine does can only add to it.
    """

    def seconds(work: Callable[[Any], object]) -> float:
        start = time.process_time()
        for value in values:
            work(value)
        return time.process_time() - start

    def nothing(value: Any) -> None:
        del value

    loop = min(seconds(nothing) for _ in range(rounds))
    span = min(seconds(call) for _ in range(rounds)) - loop
    return max(0.0, span) / len(values) * 1e6


class Call(NamedTuple):
    """A call that is timed alone."""

    name: str
    work: Callable[[Any], object]
    values: Sequence[Any]
    """What it is called with, one after the other."""
    bound: str
    """What its time goes into."""


def calls(rules: Rules) -> list[Call]:
    """Returns the calls that are timed."""
    states = states_in_play(rules, 200)
    asked = [(state, state.decision) for state in states if state.decision]
    plays = [(state, decision.legal[0]) for state, decision in asked]
    tricks = [
        (state.trump, state.leaders[0], state.plays[: rules.players], state.suits[0])
        for state in states
        if len(state.plays) >= rules.players
    ]
    views = [view(state, decision.seat, decision=decision) for state, decision in asked]
    making = "the tuple of choices and the decision around it"
    state_of = "a new state of fifteen fields; at the end of a trick its winner too"
    view_fields = "the twenty fields of the view"
    return [
        Call("the legal set as a mask", Deal.legal_mask, states, "a field of the state"),
        Call("the legal set as a decision", lambda state: state.decision, states, making),
        Call("the winner of a trick", lambda trick: trick_winner(rules, *trick), tricks,
             "a look at the strength of each tile"),
        Call("the view of the seat in turn", lambda pair: view(pair[0], pair[0].turn,
             decision=pair[1]), asked, view_fields),
        Call("the same, its decision found too", lambda state: view(state, state.turn), states,
             f"{view_fields}; {making}"),
        Call("that view as a bot in Python gets it", BotView.of, views, view_fields),
        Call("playing a tile", lambda pair: pair[0].play(pair[1]), plays, state_of),
        Call("dealing", lambda number: deal_tiles(KEY, number, rules), range(200),
             "the keyed hash, and a draw from it for every tile"),
    ]  # fmt: skip


def show_calls(rules: Rules, rounds: int) -> None:
    """Prints what single calls cost."""
    print("microseconds a call, the lowest of the rounds")
    for call in calls(rules):
        cost = micros(call.work, call.values, 10 * rounds)
        why = f"   over {LIMIT:.0f}: {call.bound}" if cost > LIMIT else ""
        print(f"{call.name:42}{cost:>11.2f}{why}")
    print()


def main() -> None:
    """Runs the benchmark."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="tournament-3p", metavar="RULES")
    parser.add_argument("--actions", type=int, default=50_000, metavar="N", help="in a round")
    parser.add_argument("--rounds", type=int, default=9, metavar="N")
    options = parser.parse_args()
    rules = parse_rules(options.rules)
    print(
        f"{options.rules}, {options.actions} actions in each of {options.rounds} rounds; "
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores\n"
    )
    timed = contenders(rules)
    if EUCHRE not in timed:
        print("open_spiel is not installed, so there is nothing to compare with")
    show_race(race(timed, options.actions, options.rounds))
    show_calls(rules, options.rounds)
    print(
        f"repeat: python benchmarks/rules.py --rules '{options.rules}' "
        f"--actions {options.actions} --rounds {options.rounds}"
    )


if __name__ == "__main__":
    main()
