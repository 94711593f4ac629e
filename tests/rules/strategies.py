"""Hypothesis strategies: any rules that make sense, deals under them, states on the way."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from referee.rules import Deal, Rules, preset_rules, presets
from referee.rules.options import OPTION_VALUES
from tests.rules.lockstep import dealt

_TABLES = (
    {"players": "3", "tileset": "22", "sides": "each_alone"},
    {"players": "3", "tileset": "21", "sides": "each_alone"},
    {"players": "3", "tileset": "28", "sides": "each_alone"},
    {"players": "4", "tileset": "28", "sides": "pairs_02_13"},
)
_NEEDS_A_MOON = ("moon_overcall", "moon_opening", "moon_made", "moon_failed")
_FREE = (
    "rotate_first_bidder", "bid_rounds", "min_bid", "moon_bid", "all_pass", "force_value",
    "redeal_first_bidder", "first_lead", "led_suit", "follow_rule", "play_out", "scoring",
    "contract_test", "made_points", "end_rule",
)  # fmt: skip
_TRUMPS = ("0", "1", "2", "3", "4", "5", "6", "doubles", "none")


@st.composite
def option_sets(draw: st.DrawFn) -> dict[str, str]:
    """Draws options that make sense together, every value of every option among them."""
    options = dict(draw(st.sampled_from(_TABLES)))
    for name in _FREE:
        options[name] = draw(st.sampled_from(OPTION_VALUES[name]))
    has_middle = options["players"] == "3" and options["tileset"] != "21"
    exchange = draw(st.sampled_from(OPTION_VALUES["exchange"] if has_middle else ("none",)))
    options["exchange"] = exchange
    if exchange != "none":
        options["trump_named"] = draw(st.sampled_from(OPTION_VALUES["trump_named"]))
    trumps = _TRUMPS[1:] if options["tileset"] == "21" else _TRUMPS
    options["trumps"] = ",".join(sorted(draw(st.sets(st.sampled_from(trumps), min_size=1))))
    if "none" in options["trumps"]:
        options["none_doubles"] = draw(st.sampled_from(OPTION_VALUES["none_doubles"]))
    if options["moon_bid"] == "true":
        for name in _NEEDS_A_MOON:
            options[name] = draw(st.sampled_from(OPTION_VALUES[name]))
    if options["scoring"] == "points":
        options["failed"] = draw(st.sampled_from(OPTION_VALUES["failed"]))
    options["redeal_limit"] = str(draw(st.integers(0, 3)))
    options["target"] = str(draw(st.sampled_from((1, 7, 21, 250))))
    return options


def any_rules() -> st.SearchStrategy[Rules]:
    """Draws a preset, or any other rules that make sense."""
    named = st.sampled_from(list(presets())).map(preset_rules)
    return named | option_sets().map(lambda options: Rules().change(**options))


randoms = st.integers(0, 2**64 - 1).map(random.Random)
"""Sources of random numbers that a failing example can name."""


@st.composite
def states(draw: st.DrawFn) -> Deal:
    """Draws a deal after any number of random choices."""
    rng = draw(randoms)
    deal = dealt(draw(any_rules()), rng)
    for _ in range(draw(st.integers(0, 40))):
        if (decision := deal.decision) is None:
            break
        deal = deal.play(rng.choice(decision.legal))
    return deal
