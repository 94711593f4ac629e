"""Options that make no sense, alone or together, are refused with the option to change."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules import (
    TRUMPS,
    NotationError,
    OptionError,
    Rules,
    Trump,
    parse_rules,
    preset_rules,
)
from referee.rules.options import OPTION_NAMES, OPTION_VALUES, ExchangeRule, Tileset


@pytest.mark.parametrize(
    ("text", "option", "reason"),
    [
        ("wikihow-3p players=4", "sides", "four players make two pairs"),
        ("wikihow-3p players=4 sides=pairs_02_13", "tileset", "4 hands of 7 need 28 tiles, not 22"),
        ("wikihow-4p players=3", "sides", "three players have no partners"),
        ("wikihow-4p exchange=optional", "exchange", "no tile is left in the middle"),
        ("wikihow-3p tileset=21", "exchange", "no tile is left in the middle"),
        ("wikihow-3p tileset=21 exchange=none", "trumps", "0 cannot be trump"),
        ("wikihow-3p exchange=none trump_named=before_exchange", "trump_named", "no exchange"),
        ("wikihow-3p-no00 trump_named=before_exchange", "trump_named", "no exchange"),
        ("wikihow-3p-no00 trumps=0,1", "trumps", "0 cannot be trump"),
        ("wikihow-3p trumps=", "trumps", "at least one trump choice"),
        ("wikihow-3p trumps=7", "trumps", "a trump is 0 to 6, doubles or none"),
        ("domino-games-3p none_doubles=low", "none_doubles", "none is not among the trumps"),
        ("wikihow-3p target=0", "target", "ends the match before it starts"),
        ("wikihow-3p target=many", "target", "not a whole number"),
        ("wikihow-3p min_bid=2", "min_bid", "not one of 3, 4, 5"),
        ("wikihow-3p max_bid=6", "max_bid", "not one of 7"),
        ("wikihow-3p redeal_limit=-1", "redeal_limit", "0 or more"),
        ("west-4p moon_overcall=42", "moon_overcall", "no moon"),
        ("west-4p moon_opening=only_over_7", "moon_opening", "no moon"),
        ("west-4p moon_made=wins_game", "moon_made", "no moon"),
        ("west-4p moon_failed=loses_game", "moon_failed", "no moon"),
        ("wikihow-3p-marks failed=zero_others_add_bid", "failed", "marks have no points"),
        ("wikihow-3p score_floor=0", "score_floor", "not one of null"),
        ("wikihow-3p first_bidder=winner", "first_bidder", "not one of lot"),
        ("wikihow-3p min_bit=3", "min_bit", "did you mean 'min_bid'"),
        ("wikihow-3p play_out=stop_when_decide", "play_out", "did you mean 'stop_when_decided'"),
        ("wikihow-3p min_bid=3 min_bid=4", "min_bid", "set twice"),
    ],
)
def test_rules_that_make_no_sense_are_refused(text: str, option: str, reason: str) -> None:
    with pytest.raises(OptionError, match=reason) as caught:
        parse_rules(text)
    assert caught.value.option == option


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("wikihow-3", "did you mean 'wikihow-3p'"),
        ("", "moon rules list"),
        ("wikihow-3p min_bid", "name=value"),
    ],
)
def test_a_text_that_names_no_rules_is_refused(text: str, reason: str) -> None:
    with pytest.raises(NotationError, match=reason):
        parse_rules(text)


@pytest.mark.parametrize("name", OPTION_NAMES)
def test_no_option_takes_a_value_that_it_does_not_have(name: str) -> None:
    with pytest.raises(OptionError) as caught:
        preset_rules("wikihow-3p").change(**{name: "nonsense"})
    assert caught.value.option == name


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"players": 5}, "'5' is not one of 3, 4"),
        ({"min_bid": 6}, "'6' is not one of 3, 4, 5"),
        ({"target": 21.5}, "'21.5' is not a whole number"),
        ({"trumps": frozenset(TRUMPS)}, "is not a list of trumps"),
        ({"trumps": (3, 9)}, "not a trump: '9'"),
        ({"first_bidder": None}, "'null' is not one of lot"),
        ({"rotate_first_bidder": 1}, "'1' is not one of true, false"),
    ],
)
def test_rules_built_by_hand_are_refused_like_those_that_were_read(
    wrong: dict[str, Any], reason: str
) -> None:
    with pytest.raises(OptionError, match=reason):
        Rules(**wrong)


def test_rules_built_by_hand_are_the_rules_they_mean() -> None:
    texts: dict[str, Any] = {"tileset": "28", "trumps": "none,6,0", "exchange": "optional"}
    built = Rules(**texts)
    trumps = (Trump.NONE, Trump.SIXES, Trump.BLANKS, Trump.SIXES)
    assert built == Rules(tileset=Tileset.ALL, trumps=trumps, exchange=ExchangeRule.OPTIONAL)
    assert built == Rules().change(**texts)
    assert built.trumps == (Trump.BLANKS, Trump.SIXES, Trump.NONE)
    assert built.tileset is Tileset.ALL


def test_changes_are_made_together_so_that_their_order_does_not_matter() -> None:
    changes = ["players=4", "tileset=28", "sides=pairs_02_13", "exchange=none"]
    together = {
        parse_rules(" ".join(["wikihow-3p", *order])) for order in (changes, reversed(changes))
    }
    assert len(together) == 1


def test_every_fixed_list_of_values_has_its_default_in_it() -> None:
    for name, values in OPTION_VALUES.items():
        assert len(values) == len(set(values)), name
