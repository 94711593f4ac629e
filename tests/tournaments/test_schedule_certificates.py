"""Every plan says what can be counted in it, and a checker that knows nothing of us agrees."""

from __future__ import annotations

import copy
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tournaments.schedule import EntrantId, Format, house_bots, make_schedule
from tournaments.schedule.certificates import certificate
from tournaments.schedule.formats import DESIGNS, house_names
from tournaments.schedule.plans import make_plan

CHECKER = Path(__file__).resolve().parents[3] / "shared" / "rating" / "check_design.py"

WAYS = [
    pytest.param(form, seats, id=f"{form}-{seats}")
    for form in Format
    for seats in DESIGNS[form].least
]


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    if not CHECKER.is_file():
        pytest.skip("the checker does not lie beside this checkout")
    spec = importlib.util.spec_from_file_location("check_design", CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def designs(form: Format, seats: int, count: int, rounds: int = 1) -> list[dict[str, Any]]:
    names = [EntrantId(f"e{number}") for number in range(count)]
    everybody = (*names, *house_names(house_bots(form, seats, count)))
    plan = make_plan(form, make_schedule(form, everybody, seats=seats, rounds=rounds))
    document = json.loads(json.dumps(certificate(plan, "a plan")))
    return list(document.get("designs", [document]))


def counts(form: Format, seats: int) -> list[int]:
    # The round robin of three seats grows with the cube; the larger ones have their own test.
    most = 14 if (form, seats) == (Format.ROUND_ROBIN, 3) else 40
    step = 4 if (form, seats) == (Format.GAUNTLET, 3) else 1
    return list(range(DESIGNS[form].least[seats], min(most, DESIGNS[form].most or most) + 1, step))


@pytest.mark.parametrize(("form", "seats"), WAYS)
def test_the_checker_finds_what_every_plan_promises(
    checker: ModuleType, form: Format, seats: int
) -> None:
    for count in counts(form, seats):
        for design in designs(form, seats, count):
            _, failures = checker.judge(design)
            assert not failures, count


@pytest.mark.parametrize("rounds", [2, 3])
@pytest.mark.parametrize(("form", "seats"), WAYS)
def test_what_is_played_more_than_once_keeps_its_promises(
    checker: ModuleType, form: Format, seats: int, rounds: int
) -> None:
    for count in (4, 7, 10, 13):
        for design in designs(form, seats, count, rounds):
            _, failures = checker.judge(design)
            assert not failures, count


@pytest.mark.parametrize("count", [17, 25])
def test_a_large_round_robin_keeps_its_promises(checker: ModuleType, count: int) -> None:
    [design] = designs(Format.ROUND_ROBIN, 3, count)
    _, failures = checker.judge(design)
    assert not failures


@pytest.mark.parametrize(("form", "seats"), WAYS)
def test_a_plan_with_two_seats_swapped_breaks_its_promises(
    checker: ModuleType, form: Format, seats: int
) -> None:
    [*_, design] = designs(form, seats, 9)
    wrong = copy.deepcopy(design)
    first, other = wrong["rounds"][0]["tables"][0], wrong["rounds"][-1]["tables"][-1]
    if first[-1] in other or other[-1] in first:
        other = next(t for r in wrong["rounds"] for t in r["tables"] if not set(first) & set(t))
    first[-1], other[-1] = other[-1], first[-1]
    _, failures = checker.judge(wrong)
    assert failures


@pytest.mark.parametrize(("form", "seats"), WAYS)
def test_after_any_table_nobody_is_ahead_by_more_than_one(form: Format, seats: int) -> None:
    [*_, design] = designs(form, seats, 11, rounds=2)
    if (form, seats) == (Format.GAUNTLET, 4):
        return  # each pair of the field has its block, one after the other
    played = dict.fromkeys(design["players"], 0)
    for one_round in design["rounds"]:
        for table in one_round["tables"]:
            for who in set(table):
                played[who] += 1
            assert max(played.values()) - min(played.values()) <= 1


@pytest.mark.parametrize(("form", "seats"), WAYS)
def test_what_is_expected_leaves_nothing_open_but_who_sits_to_whose_left(
    form: Format, seats: int
) -> None:
    for design in designs(form, seats, 12, rounds=2):
        open_ones = {key for key, value in design["expect"].items() if isinstance(value, list)}
        assert open_ones <= {
            "prefix_games_spread", "left_neighbour_count", "left_opponent_count",
        }  # fmt: skip
        assert {"rounds", "games_per_player"} <= design["expect"].keys()
