"""How many tables are played at a time: many with fast bots, one with bots that think long."""

from __future__ import annotations

import pytest

from tournaments.runner.flight import MOST, Flight


def flight(fixed: int | None = None, *, move_time: float = 2.0) -> tuple[Flight, list[str]]:
    said: list[str] = []
    return Flight(fixed, move_time, 1.0, said.append), said


def test_it_begins_with_one_table_and_doubles_with_each_as_long_as_bots_are_fast() -> None:
    made, said = flight()
    limits = [made.limit]
    for _ in range(10):
        made.learn({"ann": 0.0002, "bob": 0.001})
        limits.append(made.limit)
    assert limits == [1, 2, 4, 8, 16, 32, 64, 128, 256, MOST, MOST]
    assert said == []


@pytest.mark.parametrize(("seconds", "tables"), [(0.01, 50), (0.1, 5), (0.3, 1), (3.0, 1)])
def test_all_decisions_of_a_worker_fit_into_a_quarter_of_the_move_time(
    seconds: float, tables: int
) -> None:
    made, said = flight()
    for _ in range(10):
        made.learn({"ann": 0.001, "bob": seconds})
    assert made.limit == tables
    assert [line.split()[0] for line in said] == ["bob"], "said once, of whom it is"
    assert f"plays {tables} table" in said[0]


def test_the_longest_that_any_bot_has_needed_counts_whatever_was_played_since() -> None:
    made, _ = flight()
    made.learn({"ann": 1.0})
    made.learn({"bob": 0.001})
    made.learn({"ann": 0.001})
    assert made.limit == 1


def test_a_longer_move_time_lets_bots_think_longer() -> None:
    made, said = flight(move_time=600.0)
    for _ in range(10):
        made.learn({"ann": 0.3})
    assert (made.limit, said) == (MOST, [])


def test_a_number_that_was_asked_for_stays() -> None:
    made, said = flight(7)
    made.learn({"ann": 5.0})
    assert (made.limit, said) == (7, [])
