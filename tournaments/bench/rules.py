"""The rules by themselves: random deals, beside random deals of OpenSpiel's euchre in the same run.

Euchre is the nearest game there: four hands, an auction, a discard, trick play. Both are driven by
the same loop in Python (list the legal actions, take one at random, apply it), so the figure of
each is what a Python program that plays the game gets. All contenders take turns, so that a slow
moment of the machine meets each of them, and what counts is the time of the processor, so that
other programs that run take nothing away. An action is a choice of a player; dealing takes time
where it says so, but is no action.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Mapping
from time import process_time
from typing import Protocol, TypeAlias, cast

from referee.rules import Deal, Rules, deal_tiles, playout, seed_key

KEY = seed_key("benchmark")
BATCH = 20
"""How many deals are timed together."""

Contender: TypeAlias = Callable[[int], tuple[int, float]]
"""Takes a number of actions; returns how many were made, and the processor seconds they took."""

STEP, STEP_DEALING, PLAYOUT = (
    "moon, decision and play",
    "moon, the same with dealing",
    "moon, playout",
)
EUCHRE, EUCHRE_DEALING = (
    "euchre, legal_actions and apply_action",
    "euchre, the same with dealing",
)
BESIDE = {STEP: EUCHRE, STEP_DEALING: EUCHRE_DEALING, PLAYOUT: EUCHRE}
"""By contender: the one it is compared with."""


class _State(Protocol):
    """A state of a game of OpenSpiel."""

    def is_terminal(self) -> bool: ...
    def is_chance_node(self) -> bool: ...
    def legal_actions(self) -> list[int]: ...
    def apply_action(self, action: int, /) -> None: ...


class _Game(Protocol):
    """A game of OpenSpiel."""

    def new_initial_state(self) -> _State: ...


def contenders(rules: Rules) -> dict[str, Contender]:
    """Returns everything that can be timed here, by name: euchre only where OpenSpiel is."""
    found = {
        STEP: _stepped(rules, dealing=False),
        STEP_DEALING: _stepped(rules, dealing=True),
        PLAYOUT: _played_out(rules),
    }
    try:
        spiel = importlib.import_module("pyspiel")
    except ImportError:
        return found
    game = cast("_Game", spiel.load_game("euchre"))
    found[EUCHRE] = _euchre(game, dealing=False)
    found[EUCHRE_DEALING] = _euchre(game, dealing=True)
    return found


def race(runners: Mapping[str, Contender], actions: int, rounds: int) -> dict[str, list[float]]:
    """Returns the actions a second of each contender in each round."""
    for run in runners.values():
        run(actions // 10)  # warm up
    rates: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            done, seconds = run(actions)
            rates[name].append(done / seconds)
    return rates


def fresh(rules: Rules, number: int) -> Deal:
    """Returns a deal before its first bid."""
    return Deal.start(rules, deal_tiles(KEY, number, rules), number % rules.players, forced=True)


def _stepped(rules: Rules, *, dealing: bool) -> Contender:
    """Returns the contender that plays through ``decision`` and ``play``."""

    def run(actions: int) -> tuple[int, float]:
        draw = random.Random(1).random  # noqa: S311 - any deal is as good as another
        done, number, seconds = 0, 0, 0.0
        while done < actions:
            numbers = range(number, number + BATCH)
            number += BATCH
            start = process_time()
            deals = [fresh(rules, number) for number in numbers]
            if not dealing:
                start = process_time()
            for deal in deals:
                while (decision := deal.decision) is not None:
                    legal = decision.legal
                    deal = deal.play(legal[int(draw() * len(legal))])  # noqa: PLW2901
                    done += 1
            seconds += process_time() - start
        return done, seconds

    return run


def _played_out(rules: Rules) -> Contender:
    """Returns the contender that plays dealt tiles to the end with ``playout``."""
    counts: list[int] = []  # by number of the deal

    def run(actions: int) -> tuple[int, float]:
        done, number, seconds = 0, 0, 0.0
        while done < actions:
            numbers = range(number, number + BATCH)
            number += BATCH
            while len(counts) < number:
                counts.append(_count_actions(rules, len(counts)))
            deals = [(fresh(rules, each), random.Random(each)) for each in numbers]  # noqa: S311
            start = process_time()
            for deal, rng in deals:
                playout(deal, rng)
            seconds += process_time() - start
            done += sum(counts[each] for each in numbers)
        return done, seconds

    return run


def _count_actions(rules: Rules, number: int) -> int:
    """Returns the actions of a playout, counted by stepping through it with the same draws."""
    deal, rng, done = fresh(rules, number), random.Random(number), 0  # noqa: S311
    while (decision := deal.decision) is not None:
        many = len(decision.legal) > 1
        deal = deal.play(decision.legal[int(rng.random() * len(decision.legal)) if many else 0])
        done += 1
    return done


def _euchre(game: _Game, *, dealing: bool) -> Contender:
    """Returns the contender that plays OpenSpiel's euchre by the same loop."""

    def run(actions: int) -> tuple[int, float]:
        draw = random.Random(1).random  # noqa: S311
        done, seconds = 0, 0.0
        while done < actions:
            start = process_time()
            states = [_dealt(game, draw) for _ in range(BATCH)]
            if not dealing:
                start = process_time()
            for state in states:
                while not state.is_terminal():
                    legal = state.legal_actions()
                    state.apply_action(legal[int(draw() * len(legal))])
                    done += 1
            seconds += process_time() - start
        return done, seconds

    return run


def _dealt(game: _Game, draw: Callable[[], float]) -> _State:
    """Returns a state of *game* before the first choice of a player."""
    state = game.new_initial_state()
    while state.is_chance_node():
        outcomes = state.legal_actions()
        state.apply_action(outcomes[int(draw() * len(outcomes))])
    return state
