"""Decision times: a histogram that forgets nothing that a percentile needs, and can be merged."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.bots.cpu import CpuUse
from tournaments.measured import Measured
from tournaments.timing import STEP, OverheadTimes, TableTimes, Times, read_times, seat_times

MICROS = st.lists(st.integers(0, 10**9), min_size=1, max_size=60)
SHARE = st.floats(0.001, 1.0)


def exact(micros: Sequence[int], share: float) -> int:
    """Returns the time that *share* of *micros* do not exceed, from all of them."""
    return sorted(micros)[math.ceil(share * len(micros)) - 1]


@given(MICROS, SHARE)
def test_a_percentile_is_never_below_the_true_one_and_at_most_one_step_above(
    micros: list[int], share: float
) -> None:
    found = Times.of(micros).percentile(share)
    assert found is not None
    true = exact(micros, share)
    # The logarithm of an edge may round either way.
    assert true * (1 - 1e-9) <= found <= max(true, 1) * STEP * (1 + 1e-9)
    assert found <= max(micros)


@given(MICROS, MICROS)
def test_times_added_are_the_times_of_both(one: list[int], two: list[int]) -> None:
    both = Times.of(one)
    both.add(Times.of(two))
    assert both == Times.of(one + two)
    assert both.count == len(one) + len(two)


@given(MICROS)
def test_times_survive_the_way_into_a_store_and_back(micros: list[int]) -> None:
    times = Times.of(micros)
    assert Times.from_json(json.loads(json.dumps(times.to_json()))) == times


def test_no_times_have_no_percentile() -> None:
    assert Times().percentile(0.5) is None
    assert (Times().count, Times().longest) == (0, 0)


def test_an_answer_that_took_no_time_at_all_is_counted() -> None:
    times = Times.of([0, 0, 7])
    assert times.count == 3
    assert times.percentile(0.5) == pytest.approx(1.0)
    assert times.percentile(1.0) == 7


def test_every_seat_has_its_own_times() -> None:
    seats = [Times.of([10, 20]), Times(), Times.of([30])]
    text = json.dumps({"deals": [[None, 10]], "seats": [times.to_json() for times in seats]})
    assert seat_times(text) == tuple(seats)


def test_the_times_of_an_older_program_are_read() -> None:
    times = read_times(json.dumps({"deals": [[None, 10]], "seats": [Times.of([10]).to_json()]}))
    assert Times.from_json(times.seats[0]).count == 1
    assert (times.queue, times.send, times.receive, times.stalls) == ((), (), (), ())
    assert OverheadTimes.of([times]).percentile("queue", 0.5) is None


@given(MICROS, SHARE)
def test_a_percentile_of_the_overhead_is_exact_over_all_tables(
    micros: list[int], share: float
) -> None:
    one, other = micros[::2], micros[1::2]
    tables = [TableTimes((), queue=tuple(part), send=(1,)) for part in (one, other)]
    overhead = OverheadTimes.of(tables)
    assert overhead.percentile("queue", share) == exact(micros, share)
    assert overhead.percentile("send", share) == 1.0
    assert overhead.percentile("receive", share) is None


def test_what_is_measured_in_parts_of_a_run_is_added_up_and_sentences_are_passed_over() -> None:
    first = Measured(0.02, (0.001, 0.004), 1, 0.5, {"a": CpuUse(2.0, 0.5)})
    second = Measured(0.05, None, 2, 3.0, {"a": CpuUse(1.0, 0.25), "b": CpuUse(4.0, 0.0)})
    old = "grace 20 ms, 0 stalls 0.0 s"
    total = Measured.of_notes([old, first.to_text(), second.to_text()])
    assert total == Measured(
        0.05, (0.001, 0.004), 3, 3.5, {"a": CpuUse(3.0, 0.75), "b": CpuUse(4.0, 0.0)}
    )
    assert Measured.of_notes([old]) is None
