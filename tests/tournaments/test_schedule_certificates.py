"""Every plan says what can be counted in it, and a checker that knows nothing of us agrees."""

from __future__ import annotations

import copy
import importlib.util
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments.design_counts import COUNTS, broken_promises
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


def _outside() -> Callable[[dict[str, Any]], list[str]] | None:
    """Returns how the checker judges that lies beside some checkouts, if it does."""
    if not CHECKER.is_file():
        return None
    spec = importlib.util.spec_from_file_location("check_design", CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda design: list(module.judge(design)[1])


SECOND = _outside()


def failures(design: dict[str, Any]) -> list[str]:
    """Returns what is wrong; a second checker, where there is one, must think so too."""
    found = broken_promises(design)
    assert SECOND is None or bool(SECOND(design)) == bool(found)
    return found


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
def test_the_checker_finds_what_every_plan_promises(form: Format, seats: int) -> None:
    for count in counts(form, seats):
        for design in designs(form, seats, count):
            assert not failures(design), count


@pytest.mark.parametrize("rounds", [2, 3])
@pytest.mark.parametrize(("form", "seats"), WAYS)
def test_what_is_played_more_than_once_keeps_its_promises(
    form: Format, seats: int, rounds: int
) -> None:
    for count in (4, 7, 10, 13):
        for design in designs(form, seats, count, rounds):
            assert not failures(design), count


@pytest.mark.parametrize("count", [17, 25])
def test_a_large_round_robin_keeps_its_promises(count: int) -> None:
    [design] = designs(Format.ROUND_ROBIN, 3, count)
    assert not failures(design)


@pytest.mark.parametrize(("form", "seats"), WAYS)
def test_a_plan_with_two_seats_swapped_breaks_its_promises(form: Format, seats: int) -> None:
    [*_, design] = designs(form, seats, 9)
    wrong = copy.deepcopy(design)
    first, other = wrong["rounds"][0]["tables"][0], wrong["rounds"][-1]["tables"][-1]
    if first[-1] in other or other[-1] in first:
        other = next(t for r in wrong["rounds"] for t in r["tables"] if not set(first) & set(t))
    first[-1], other[-1] = other[-1], first[-1]
    assert failures(wrong)


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
        assert "games_per_player" in design["expect"]


@pytest.mark.parametrize(("form", "seats"), WAYS)
def test_what_is_expected_does_not_follow_from_the_rounds(form: Format, seats: int) -> None:
    """A plan that lost a round would promise one fewer, and keep its word."""
    names = [EntrantId(f"e{number}") for number in range(9)]
    everybody = (*names, *house_names(house_bots(form, seats, 9)))
    plan = make_plan(form, make_schedule(form, everybody, seats=seats, rounds=1))
    whole, cut = (
        certificate(each, "a plan") for each in (plan, replace(plan, rounds=plan.rounds[1:]))
    )
    for one, other in zip(whole.get("designs", [whole]), cut.get("designs", [cut]), strict=True):  # type: ignore[call-overload]
        assert one["expect"] == other["expect"]
        assert failures(other)


def test_every_promise_is_counted_and_every_broken_one_is_seen() -> None:
    """Each number is taken away from what was promised of it, and must be missed."""
    seen = set()
    for way in WAYS:
        for design in designs(*way.values, 9):  # type: ignore[arg-type]
            for name in design["expect"].keys() - {"resolvable"}:
                wrong = copy.deepcopy(design)
                wrong["expect"][name] = 999
                assert [line.partition(":")[0] for line in broken_promises(wrong)] == [name]
                seen.add(name)
    assert seen == COUNTS.keys()
