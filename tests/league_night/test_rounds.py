"""The rounds of a night: fair at every edge, the same however they were played, ended by a wish."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from referee.errors import ConfigError, StoreError
from tests.league_night.offices import Blaming, HereRunner, TestOffice
from tests.league_night.stores import config
from tournaments.league.night import Limits, NightPlay, Why, known_pace
from tournaments.runner.runner import Runner
from tournaments.schedule import EntrantId
from tournaments.schedule.nights import Pair, Stage, night_schedule, stage_of
from tournaments.store import Store


def pairs(text: str) -> frozenset[Pair]:
    return frozenset(frozenset(map(EntrantId, pair.split("|"))) for pair in text.split())


@pytest.mark.parametrize(
    ("seats", "count", "apart"),
    [
        *((3, count, "") for count in (2, 3, 4, 5, 6, 9, 12)),
        *((4, count, "") for count in (2, 5)),
        (3, 9, "e0|e1 e2|e3 e2|e4 e3|e4"),
        (3, 3, "e0|e1"),
        (4, 7, "e0|e1 e2|e3"),
    ],
)
def test_after_every_round_all_have_met_and_sat_everywhere_equally_often(
    seats: int, count: int, apart: str
) -> None:
    names = [EntrantId(f"e{n}") for n in range(count)]
    stage = Stage.of(names, seats=seats, apart=pairs(apart))
    per_round = set()
    for rounds in (1, 2, 3):
        schedule = night_schedule([replace(stage, rounds=rounds)], seats=seats)
        met: Counter[Pair] = Counter()
        sat: Counter[tuple[EntrantId, int]] = Counter()
        for table in schedule.tables:
            met.update(frozenset(pair) for pair in combinations(sorted(set(table.seats)), 2))
            sat.update(zip(table.seats, range(seats), strict=True))
        allowed = {frozenset(pair) for pair in combinations(names, 2)} - pairs(apart)
        per_round |= {met[pair] / rounds for pair in allowed}
        assert not any(met[pair] for pair in pairs(apart))
        for name in names:
            assert len({sat[name, seat] for seat in range(seats)}) == 1, name
    assert len(per_round) == 1, "and in every round as often as in any other"
    assert stage_of(stage.to_json()) == stage


def test_a_longer_night_and_another_field_begin_with_what_was_played() -> None:
    names = [EntrantId(f"e{n}") for n in range(7)]
    first = replace(Stage.of(names[:5], seats=3), rounds=2)
    second = replace(Stage.of(names[1:], seats=3), rounds=1)
    begun = night_schedule([first], seats=3).blocks
    later = night_schedule([first, second], seats=3).blocks
    longer = night_schedule([replace(first, rounds=3)], seats=3).blocks
    assert later[: len(begun)] == begun == longer[: len(begun)]
    assert [block.round for block in later] == sorted(block.round for block in later)
    assert {block.round for block in later} == {0, 1, 2}


def test_a_field_that_can_play_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="needs two entries that play, and there are 1"):
        Stage.of([EntrantId("a")], seats=3)
    with pytest.raises(ConfigError, match="all are of one author"):
        Stage.of([EntrantId("a"), EntrantId("b")], seats=3, apart=pairs("a|b"))


# Playing


def begin(path: Path, office: TestOffice) -> Store:
    return Store.create(path, office.made(()), code_version="1")


def play(
    store: Store,
    office: TestOffice,
    limits: Limits,
    *,
    workers: int = 0,
    on_results: Callable[[NightPlay], None] = lambda _: None,
    clock: Callable[[], float] = lambda: 0.0,
    runner: type[Runner] = HereRunner,
) -> NightPlay:
    """Plays a night as the command does, without its words; in this process if no *workers* do."""
    runner = Runner if workers else runner
    night = NightPlay(store, office, limits, workers=workers or 1, clock=clock, runner=runner)

    async def run() -> None:
        while night.begin():
            await night.play(lambda _: on_results(night), lambda _: None, lambda _: None)
            if night.why is not Why.FIELD:
                break

    asyncio.run(run())
    return night


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The fingerprint of two rounds of four that were played without a stop."""
    path = tmp_path_factory.mktemp("whole") / "n.sqlite"
    office = TestOffice(path, "dice", "tall", "meek", "dice2")
    with begin(path, office) as store:
        night = play(store, office, Limits(rounds=2))
        assert (night.why, night.rounds, night.in_play) == (Why.ROUNDS, 2, 0)
        return store.fingerprint()


def test_other_terms_are_refused_before_anything_is_played_on_them(tmp_path: Path) -> None:
    path = tmp_path / "n.sqlite"
    office = TestOffice(path, "dice", "tall", "meek")
    with begin(path, office) as store:
        play(store, office, Limits(rounds=1), on_results=lambda night: night.abort())
        before = store.fingerprint()
        office.more = {"deals": 2}
        with pytest.raises(StoreError, match=r"deals: 1 -> 2\n.*terms that it was begun with"):
            play(store, office, Limits(rounds=1))
        assert store.fingerprint() == before
        office.more = {"clock": {"move_time": "7s"}}
        play(store, office, Limits(rounds=1))
        assert "clock.move_time: 2s -> 7s" in [
            note.text for note in store.notes() if note.kind == "changed"
        ]


def test_a_night_that_was_ended_at_once_goes_on_to_the_same_end_with_more_workers(
    tmp_path: Path, whole: str
) -> None:
    path = tmp_path / "n.sqlite"
    office = TestOffice(path, "dice", "tall", "meek", "dice2")
    with begin(path, office) as store:
        night = play(store, office, Limits(rounds=2), on_results=lambda night: night.abort())
        assert night.why is Why.ABORTED
        assert 0 < night.in_play < 12
    with Store.open(path, readonly=False) as store:
        night = play(store, office, Limits(rounds=2), workers=2)
        assert (night.why, night.rounds) == (Why.ROUNDS, 2)
        assert store.fingerprint() == whole


def test_a_wish_or_the_clock_ends_it_at_the_edge_and_no_sooner(tmp_path: Path) -> None:
    path = tmp_path / "n.sqlite"
    office = TestOffice(path, "dice", "tall", "meek")
    with begin(path, office) as store:
        asked = play(store, office, Limits(), on_results=lambda night: night.ask())
        assert (asked.why, asked.rounds, asked.in_play) == (Why.ASKED, 1, 0)

        def clock() -> float:
            return 30.0 * (store.counts().played - 3)

        # Each round of three tables takes 90 s by this clock, and 225 s are left for more.
        timed = play(store, office, Limits(deadline=225.0), clock=clock)
        assert (timed.why, timed.rounds, timed.in_play) == (Why.CLOCK, 3, 0)
        timed.note_pace()
        assert known_pace(store, 1) == pytest.approx(30.0)
        assert known_pace(store, 2) == pytest.approx(15.0)


def test_neither_a_start_nor_the_rest_of_a_round_spoils_what_is_known_of_the_pace(
    tmp_path: Path,
) -> None:
    path, start, per_table = tmp_path / "n.sqlite", [60.0], [1.0]
    office = TestOffice(path, "dice", "tall", "meek", "dice2")

    def clock() -> float:
        """Each part takes a minute until its first table is over, as bots have to start."""
        played = store.counts().played
        return per_table[0] * played + (start[0] if played > start[1] else 0.0)

    with begin(path, office) as store:
        start.append(0)
        night = play(store, office, Limits(rounds=2), clock=clock)
        night.note_pace()
        tables = store.counts().played // 2
        assert known_pace(store, 1) == pytest.approx(1.0), "without the minute"
        play(store, office, Limits(rounds=3), clock=clock, on_results=lambda night:
             night.abort() if night.in_play <= tables // 2 - 1 else None)  # fmt: skip
        start[1], per_table[0] = store.counts().played, 9.0
        night = play(store, office, Limits(rounds=3), clock=clock)
        night.note_pace()
        assert (night.why, night.in_play) == (Why.ROUNDS, 0)
        assert night.pace.table == known_pace(store, 1) == pytest.approx(1.0)
        start[1] = store.counts().played
        play(store, office, Limits(rounds=4), clock=clock).note_pace()
        assert known_pace(store, 1) == pytest.approx(9.0), "a whole round says how it is now"


def test_late_entries_and_withdrawals_come_into_force_at_an_edge_and_blocks_stay(
    tmp_path: Path,
) -> None:
    path = tmp_path / "n.sqlite"
    office = TestOffice(path, "dice", "tall", "meek")

    def change(night: NightPlay) -> None:
        if night.rounds == 1:
            office.names = ["tall", "meek", "dice3", "dice4"]
        if night.rounds == 2:
            office.apart = ["dice3|dice4"]

    with begin(path, office) as store:
        night = play(store, office, Limits(rounds=3), on_results=change)
        assert (night.why, night.in_play) == (Why.ROUNDS, 0)
        stages = store.run.stages
        assert [(stage.field, stage.rounds) for stage in stages] == [
            (("dice", "tall", "meek"), 1),
            (("tall", "meek", "dice3", "dice4"), 1),
            (("tall", "meek", "dice3", "dice4"), 1),
        ]
        assert (stages[2].house, len(stages[2].apart)) == (("house-1",), 1)
        by_round = [{who for b in store.run.schedule().blocks if b.round == n
                     for t in b.tables for who in t.seats} for n in range(3)]  # fmt: skip
        assert by_round[0] == {"dice", "tall", "meek"}
        assert by_round[1] == {"tall", "meek", "dice3", "dice4"}
        assert by_round[2] == by_round[1] | {"house-1"}
        assert len(list(store.results())) == len(store.run.schedule().tables)


def test_who_faults_too_often_is_suspended_at_the_edge_and_its_tables_stay(tmp_path: Path) -> None:
    path = tmp_path / "n.sqlite"
    office = TestOffice(path, "dice", "dice2", "meek", "tall")
    office.suspend_after = 3

    def played(rounds: int) -> NightPlay:
        return play(store, office, Limits(rounds=rounds), runner=Blaming)

    with begin(path, office) as store:
        night = played(2)
        assert (night.why, night.rounds, night.in_play) == (Why.ROUNDS, 2, 0)
        assert office.suspended == {"dice2": 9}
        assert [stage.field for stage in store.run.stages] == [
            ("dice", "dice2", "meek", "tall"), ("dice", "meek", "tall"),
        ]  # fmt: skip
        # Once it is back, what it did before is not held against it again.
        office.names.append("dice2")
        office.suspend_after = 5
        assert played(3).rounds == 3
        assert store.run.stages[-1].field == ("dice", "meek", "tall", "dice2")
        assert office.suspended == {"dice2": 18}


def test_a_night_does_not_go_on_as_another_one(tmp_path: Path) -> None:
    path = tmp_path / "n.sqlite"
    office = TestOffice(path, "dice", "tall", "meek")
    stage = replace(Stage.of(tuple(map(EntrantId, office.names)), seats=3), rounds=1)
    with begin(path, office) as store:
        store.extend(office.config(store, (stage,)))
        before = store.run
        for change, told in (
            ({"deals": 2}, "deals: 1 -> 2"),
            ({"rules": "wikihow-3p"}, ""),
        ):
            office.more = change
            with pytest.raises(StoreError, match=told or "cannot go on"):
                store.extend(office.config(store, (replace(stage, rounds=2),)))
        office.more = {}
        other = replace(stage, field=tuple(reversed(stage.field)))
        with pytest.raises(StoreError, match="the rounds that were begun are not those"):
            store.extend(office.config(store, (other,)))
        assert store.run == before
    assert config(tmp_path / "t.sqlite").night is None
