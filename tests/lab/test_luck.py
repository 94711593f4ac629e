"""Luck is adjusted for as it was fixed beforehand, for nothing and nobody's good."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from statistics import pvariance

import pytest

from referee.errors import ConfigError
from referee.rules import Hand, deal_tiles, preset_rules, seed_key
from tests.e2e.handmade import config, result, store_of
from tests.e2e.screen import Screen
from tests.lab.handmade import RULES, deal, table
from tournaments.config import parse_config
from tournaments.evidence.luck import LuckTerms, luck, promise
from tournaments.lab.adjusting import Adjusted
from tournaments.results import TableResult
from tournaments.schedule import EntrantId
from tournaments.store import Store

THREE = preset_rules(RULES)


def hands(number: int) -> tuple[str, ...]:
    masks = deal_tiles(seed_key("luck"), number, THREE).hands
    return tuple(str(Hand(mask)) for mask in masks)


def tables(blocks: int, deals: int = 3) -> list[TableResult]:
    """Complete blocks in which scores follow the hands, as far as they follow anything."""
    rng = random.Random(5)
    found = []
    for block in range(blocks):
        for number, seats in enumerate(("abc", "bca", "cab")):
            played = [
                deal("4 pass pass", (7, 0, 0), (4, 0, 0), n=n, hands=hands(block * deals + n))
                for n in range(deals)
            ]
            masks = [[Hand.parse(text).mask for text in each["hands"]] for each in played]
            lucky = [sum(luck(THREE, each)[seat] for each in masks) for seat in range(3)]
            scores = tuple(round(each / 20) + rng.randrange(-2, 3) for each in lucky)
            found.append(replace(table(number, seats, *played, block=block), scores=scores))
    return found


def adjusted(results: list[TableResult], coefficient: float) -> Adjusted:
    found = Adjusted(THREE, LuckTerms.of(coefficient))
    assert list(found.watch(results)) == results
    return found


def test_whoever_holds_the_hands_luck_adds_up_to_nothing() -> None:
    masks = [Hand.parse(text).mask for text in hands(0)]
    assert any(luck(THREE, masks))
    assert sum(luck(THREE, masks)) == 0
    by_seat = [luck(THREE, order) for order in permutations(masks)]
    assert [sum(column) for column in zip(*by_seat, strict=True)] == [0, 0, 0]


def test_luck_cancels_exactly_in_complete_blocks() -> None:
    played = tables(4)
    found = adjusted(played, 0.7)
    for entrant in ("ann", "bob", "cyd"):
        score = sum(each.scores[each.seats.index(entrant)] for each in played)
        assert found.luck_per_deal(entrant) == 0.0
        assert found.points_per_deal(entrant) == score / (4 * 3 * 3)
    assert found.saved_of_blocks == 0.0
    assert found.saved_of_tables is not None
    assert found.saved_of_tables > 0.0


def test_of_a_gauntlet_the_blocks_of_the_field_count_too() -> None:
    """Those have twice as many tables; the share would be that of the two versions alone."""
    played = []
    for each in tables(6):
        lines = each.record.splitlines()
        # One match is shorter than the others, so that luck does not cancel.
        new = replace(each, record="\n".join(lines[:2] + lines[-1:])) if not each.lane else each
        seats = tuple(EntrantId("dan") if who == "ann" else who for who in each.seats)
        old = replace(new, lane=each.lane + 3, seats=seats, scores=tuple(range(3)))
        played += [new, old]
    played.sort(key=lambda each: (each.block, each.lane))
    sums: defaultdict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for each in played:
        deals = [json.loads(line) for line in each.record.splitlines()[1:-1]]
        masks = [[Hand.parse(text).mask for text in one["hands"]] for one in deals]
        for seat, who in enumerate(each.seats):
            lucky = sum(luck(THREE, one)[seat] for one in masks) / 30
            for at, value in enumerate((each.scores[seat], each.scores[seat] - 0.5 * lucky, 1)):
                sums[who, each.block][at] += value
    plain, less = (
        sum(
            pvariance(sums[who, block][at] / sums[who, block][2] for block in range(6))
            for who in ("ann", "bob", "cyd", "dan")
        )
        for at in (0, 1)
    )
    saved = adjusted(played, 0.5).saved_of_blocks
    assert saved == pytest.approx(1.0 - less / plain)
    assert saved != 0.0


def test_a_lucky_table_alone_is_adjusted_by_the_coefficient_for_each_trick() -> None:
    first = tables(1)[0]
    masks = [[Hand.parse(text).mask for text in hands(n)] for n in range(3)]
    for seat, entrant in enumerate(first.seats):
        tricks = Fraction(sum(luck(THREE, each)[seat] for each in masks), 30)
        expected = (first.scores[seat] - Fraction(1, 2) * tricks) / 3
        assert adjusted([first], 0.5).points_per_deal(entrant) == pytest.approx(float(expected))


def test_the_variance_saved_is_the_square_of_the_correlation_at_the_best_coefficient() -> None:
    """One table of each block, so that nothing cancels; the slope is half a point for a tenth."""
    single = tables(60)[::3]
    best = adjusted(single, 0.0).best_coefficient
    assert best == pytest.approx(1.5, abs=0.1), "20 of luck are 20/30 of a trick, and a point"
    saved = adjusted(single, best).saved_of_tables
    assert saved is not None
    assert 0.5 < saved < 1.0
    for other in (0.5 * best, 1.5 * best):
        assert adjusted(single, other).saved_of_tables == pytest.approx(0.75 * saved)
    assert adjusted(single, 0.0).saved_of_tables == 0.0


def test_the_definition_that_a_hash_stands_for_does_not_change_unnoticed() -> None:
    assert LuckTerms.of(0.4).hash.startswith("ea2078269a7dfb44")
    assert not replace(LuckTerms.of(0.4), hash="0" * 64).is_current
    assert [promise(THREE, Hand.parse(text).mask) for text in (
        "6-6 6-5 6-4 5-3 5-2 2-1 1-1", "6-3 5-5 4-3 3-3 3-2 3-1 0-0", "6-2 6-1 5-1 4-4 4-2 4-1 2-2",
    )] == [48, 68, 48]  # fmt: skip


def test_the_coefficient_is_fixed_before_the_first_table(tmp_path: Path) -> None:
    plain = config("ann", "bob", "cyd")
    fixed = replace(plain, luck=LuckTerms.of(0.4))
    assert "luck" not in plain.identity()
    path = store_of(
        tmp_path / "night.sqlite", fixed, [result(fixed.schedule().tables[0], (1, 2, 3))]
    )
    with Store.open(path) as store:
        assert store.run.luck == LuckTerms.of(0.4)
        assert not store.obstacles(fixed)
        for other in (plain, replace(plain, luck=LuckTerms.of(0.5))):
            assert any(line.startswith("luck: ") for line in store.obstacles(other))


@pytest.mark.parametrize("value", [-1, 22, "0.4", True])
def test_a_coefficient_that_makes_no_sense_is_refused(value: object) -> None:
    with pytest.raises(ConfigError, match="luck: expected points for a trick, from 0 to 21"):
        parse_config({"bots": ["a=random", "b=random", "c=random"], "luck": value})


def test_standings_have_the_column_where_it_was_fixed_and_only_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plain = Screen(capsys), config("ann", "bob", "cyd", rounds=2)
    played = {each.number: each for each in tables(4)}
    results = [
        replace(
            played[t.number], seats=t.seats, places=(1, 1, 1),
            record=played[t.number].record,
        )
        for t in plain.schedule().tables
    ]  # fmt: skip
    fixed = store_of(tmp_path / "fixed.sqlite", replace(plain, luck=LuckTerms.of(0.4)), results)
    other = store_of(tmp_path / "plain.sqlite", plain, results)
    text = out.moon("tournament", "standings", fixed)
    assert "adjusted" in text.splitlines()[1].split()
    assert "luck: adjusted by 0.4 points a trick, fixed beforehand as ea2078269a7dfb44" in text
    assert "variance saved: " in text
    assert "adjusted" not in out.moon("tournament", "standings", other)
    told = json.loads(out.moon("tournament", "standings", fixed, "--json"))["luck"]
    assert (told["coefficient"], told["current"]) == (0.4, True)
    studied = json.loads(out.moon("lab", "luck", other, "--coefficient", "0.4", "--json"))
    assert studied["rows"] == told["rows"]
    text = out.moon("lab", "luck", other)
    assert "best for single tables here" in text
    assert "nobody was lucky: in complete blocks everybody holds every hand" in text
    assert "adjusted is the score itself: the file of this run fixes no number" in text
    assert "adjusted is the score itself" not in out.moon("lab", "luck", fixed)


def test_no_luck_is_told_where_partners_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was all given to the first of the two."""
    out, mixed = Screen(capsys), config(*"abcd", rules="tournament-4p", form="whist")
    results = [result(each, (2, 1)) for each in mixed.schedule().tables]
    store = store_of(tmp_path / "night.sqlite", mixed, results)
    for more in ((), ("--json",), ("--coefficient", "0.4")):
        assert out.moon("lab", "luck", store, *more, code=2) == ""
        assert "luck: is adjusted for sides that stay, and partners change in this run" in out.error
