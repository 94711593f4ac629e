"""`moon tournament standings` from outside: one truth, as a table, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from referee.bots.cpu import CpuUse
from tests.e2e.handmade import config, fault, result, store_of
from tests.e2e.screen import Screen
from tournaments.measured import Measured
from tournaments.results import TableResult
from tournaments.store import Store

TOURNAMENT = config("ann", "bob", "cyd", rounds=3)
TABLES = TOURNAMENT.schedule().tables


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str]) -> Screen:
    return Screen(capsys)


def some_results() -> list[TableResult]:
    """Results in which bob leads, ann makes contracts, and cyd forfeits once."""
    rng = random.Random(3)
    found = []
    for table in TABLES:
        better = {"ann": 2, "bob": 6, "cyd": 0}
        scores = [better[name] + rng.randrange(9) for name in table.seats]
        declarer = table.seats.index("ann")
        auctions = [(declarer, "4 pass pass", True), (declarer, "5 pass pass", table.lane == 0)]
        micros = [[100 + seat, 5000] for seat in range(3)]
        found.append(result(table, scores, *auctions, micros=micros))
    first, *rest = found
    seat = first.seats.index("cyd")
    faults = [fault(TABLES[0], seat, "timeout"), fault(TABLES[0], seat, "illegal", substitute="")]
    micros = [[100 + seat, 5000] for seat in range(3)]
    return [result(TABLES[0], (0, 0, 0), places=(1, 1, 3), faults=faults, micros=micros), *rest]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return store_of(tmp_path / "night.sqlite", TOURNAMENT, some_results())


def test_the_table_has_a_line_for_everybody_and_says_how_sure_it_is(
    out: Screen, store: Path
) -> None:
    head, titles, *rows = out.moon("tournament", "standings", store).splitlines()
    assert head == "night: 18 of 18 tables, 6 blocks, rules tournament-3p"
    assert titles.split() == [
        "rank", "95%", "entrant", "rating", "95%", "pts/deal", "1st/2nd/3rd", "made/set", "tables",
        "faults",
    ]  # fmt: skip
    by_name = {row.split()[2]: row.split() for row in rows[:3]}
    assert list(by_name) == ["bob", "ann", "cyd"]
    assert by_name["ann"][7:] == ["22/12", "18", "-"]
    assert " ".join(by_name["cyd"][9:]) == "1 illegal, 1 timeout, 1 forfeited"
    assert rows[-1].startswith("fingerprint ")
    assert "left out" not in "".join(rows), "whoever is no terminal has room"


def test_where_nothing_is_finished_nobody_is_ranked(out: Screen, tmp_path: Path) -> None:
    empty = store_of(tmp_path / "empty.sqlite", TOURNAMENT)
    head, *rest = out.moon("tournament", "standings", empty, "--details").splitlines()
    assert head.startswith("night: 0 of 18 tables")
    assert rest == ["no table is finished yet; run the command that began it again to continue"]


def test_details_add_contracts_by_level_points_by_seat_and_times(out: Screen, store: Path) -> None:
    short = out.moon("tournament", "standings", store)
    text = out.moon("tournament", "standings", store, "--details")
    assert text.startswith(short)
    contracts, seats, times = text.removeprefix(short).strip().split("\n\n")
    assert contracts.splitlines()[0].split()[-2:] == ["4", "5"]
    assert ["ann", "17/0", "5/12"] in [line.split() for line in contracts.splitlines()]
    assert seats.splitlines()[0].split("  ")[0] == "points a deal, by seat"
    assert len(seats.splitlines()) == 4
    assert ["cyd", "0.1", "5.0", "5.0", "36"] in [line.split() for line in times.splitlines()]


def test_json_and_csv_say_the_same_as_each_other(out: Screen, store: Path) -> None:
    document = json.loads(out.moon("tournament", "standings", store, "--json"))
    table = list(csv.DictReader(io.StringIO(out.moon("tournament", "standings", store, "--csv"))))
    assert document["schema"] == "moon.tournament.standings/1"
    assert len(table) == len(document["rows"]) == 3
    for line, row in zip(table, document["rows"], strict=True):
        assert line["entrant"] == row["entrant"]
        for name in ("rank", "rank_low", "rank_high", "tables", "deals", "forfeits"):
            assert int(line[name]) == row[name], name
        for name in ("rating", "rating_low", "rating_high", "points_per_deal"):
            assert float(line[name]) == row[name], "not a digit is lost"
        for place in (1, 2, 3):
            assert int(line[f"place_{place}"]) == row["places"].get(str(place), 0)
        for name in ("made", "set", "faults"):
            assert int(line[name]) == sum(row[name].values()), name
        assert sum(seat["tables"] for seat in row["seats"]) == row["tables"]
    assert set(document["measured"]) == {"ann", "bob", "cyd"}


def test_the_bytes_are_the_same_in_whatever_order_the_tables_came_in(
    out: Screen, tmp_path: Path
) -> None:
    results = some_results()
    seen = set()
    for seed in (1, 2, 3):
        shuffled = random.Random(seed).sample(results, len(results))
        path = tmp_path / f"{seed}.sqlite"
        store_of(path, TOURNAMENT, shuffled[:seed], shuffled[seed:11], shuffled[11:])
        words = [[], ["--json"], ["--csv"], ["--details"]]
        texts = [out.moon("tournament", "standings", path, *more) for more in words]
        texts += [out.moon("tournament", "h2h", path, *more) for more in (["--json"], ["--csv"])]
        texts += [
            out.moon("tournament", "export", path, "--format", form) for form in ("jsonl", "csv")
        ]
        seen.add(tuple(texts))
    assert len(seen) == 1


def test_only_measured_things_change_with_the_times(out: Screen, tmp_path: Path) -> None:
    documents = []
    for micros in (10, 90_000):
        results = [result(table, (3, 2, 1), micros=[[micros]] * 3) for table in TABLES]
        path = store_of(tmp_path / f"{micros}.sqlite", TOURNAMENT, results)
        documents.append(json.loads(out.moon("tournament", "standings", path, "--json")))
    measured = [(document.pop("measured"), document.pop("host")) for document in documents]
    assert documents[0] == documents[1]
    assert measured[0] != measured[1]


def test_a_run_without_tables_and_an_entrant_without_tables_are_shown(
    out: Screen, tmp_path: Path
) -> None:
    four = config("ann", "bob", "cyd", "dan")
    empty = store_of(tmp_path / "empty.sqlite", four)
    text = out.moon("tournament", "standings", empty, "--details")
    assert "night: 0 of 24 tables, 0 blocks" in text
    for words in (["standings", "--json"], ["standings", "--csv"], ["h2h"], ["h2h", "--csv"]):
        for name in ("ann", "bob", "cyd", "dan"):
            assert name in out.moon("tournament", words[0], empty, *words[1:])
    without = [table for table in four.schedule().tables if "dan" not in table.seats]
    some = store_of(tmp_path / "some.sqlite", four, [result(t, (3, 2, 1)) for t in without])
    document = json.loads(out.moon("tournament", "standings", some, "--json"))
    [dan] = [row for row in document["rows"] if row["entrant"] == "dan"]
    assert (dan["tables"], dan["deals"], dan["points_per_deal"]) == (0, 0, None)
    assert (dan["rank_low"], dan["rank_high"]) == (1, 4)
    assert (dan["rating_low"], dan["rating_high"]) == (None, None), "nothing is known of dan"
    assert document["measured"]["dan"] == {
        "decisions": 0,
        "p50_ms": None,
        "p99_ms": None,
        "max_ms": None,
    }
    lines = out.moon("tournament", "standings", some).splitlines()
    [line] = [cells for cells in map(str.split, lines) if "dan" in cells[2:3]]
    assert line[1:] == ["1-4", "dan", "-", "-", "-", "0/0/0", "0/0", "0", "-"]


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_narrow_terminal_gets_whole_names_and_numbers_and_is_told_what_is_missing(
    out: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    names = ("a name of twenty-four ch", "王" * 10, "bob")
    tournament = config(*names, rounds=3)
    results = [
        result(
            t, (30 * t.number, 2, 1), faults=[fault(t, 0, kind) for kind in ("timeout", "illegal")]
        )
        for t in tournament.schedule().tables
    ]
    path = store_of(tmp_path / "night.sqlite", tournament, results)
    monkeypatch.setenv("COLUMNS", str(width))
    text = out.moon("tournament", "standings", path, "--details")
    assert "…" not in text
    lines = text.splitlines()
    assert max(map(cell_len, lines[1:5])) <= width
    for name in names:
        assert text.count(name) >= 4, "in every table, and in one piece"
    rated = json.loads(out.moon("tournament", "standings", path, "--json"))["rows"]
    for row in rated:
        assert f" {row['rating']:.1f} " in text
        assert f"{row['rank_low']}-{row['rank_high']}" in text
    if width == 60:
        assert "left out, as this is narrow: " in text


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "name the store of a run, or its tournament file"),
        (["missing.sqlite"], 3, "missing.sqlite: there is no such store"),
        (["missing.toml"], 3, "missing.toml: there is no such file"),
        (["one.sqlite", "--store", "two.sqlite"], 2, "two stores are named"),
        (["night.txt"], 3, "is not a store of this program"),
    ],
)
def test_a_store_that_is_none_is_refused_by_every_command_that_reads(
    out: Screen,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("night.txt").write_text("no store\n" * 100)
    for command in ("standings", "h2h", "show", "export"):
        assert out.moon("tournament", command, *words, code=code) == ""
        assert said in out.error, command
    assert [path.name for path in tmp_path.iterdir()] == ["night.txt"], "nothing is made by reading"


def test_the_store_may_be_named_in_three_ways(out: Screen, store: Path) -> None:
    file = store.with_suffix(".toml")
    file.write_text('bots = ["ann", "bob", "cyd"]\n')
    by_place = out.moon("tournament", "standings", store)
    assert by_place == out.moon("tournament", "standings", "--store", store)
    assert by_place == out.moon("tournament", "standings", file)


def test_the_details_say_what_the_host_did_with_the_time(out: Screen, tmp_path: Path) -> None:
    times = {"queue": [10, 30], "send": [200, 400], "receive": [50, 70], "stalls": [[7, 3000]]}
    results = []
    for each in some_results():
        timings = json.loads(each.timings) | times
        results.append(replace(each, timings=json.dumps(timings)))
    path = store_of(tmp_path / "night.sqlite", TOURNAMENT, results)
    plain = out.moon("tournament", "standings", path, "--details")
    own = "moon's own time a decision, p50/p99 ms: queue 0.01/0.03, send 0.20/0.40, receive 0.05/"
    assert own in plain
    assert "echo" not in plain, "nobody has measured one"
    cpu = {"ann": CpuUse(4.0, 0.3), "bob": CpuUse(4.1, 3.0)}
    with Store.open(path, readonly=False) as store:
        store.note("measured", "grace 20 ms, 0 stalls 0.0 s")
        store.note("measured", Measured(0.02, (0.00035, 0.002), 2, 3.1, cpu).to_text())
    text = out.moon("tournament", "standings", path, "--details")
    assert f"{own}0.07; a bare echo 0.35/2.00" in text
    assert "this host stood still for 3.1 s in all; no bot was charged for it" in text
    assert "CPU out of turn: ann 0.3 s of 4.0 s, bob 3.0 s of 4.1 s" in text
    [pointed_out] = [line for line in text.splitlines() if "not its turn" in line]
    assert pointed_out.startswith("bob ")
    assert "own time" not in out.moon("tournament", "standings", path)
    host = json.loads(out.moon("tournament", "standings", path, "--json"))["host"]
    assert host == {
        "overhead_ms": {
            "queue": {"p50": 0.01, "p99": 0.03},
            "send": {"p50": 0.2, "p99": 0.4},
            "receive": {"p50": 0.05, "p99": 0.07},
        },
        "echo_ms": {"p50": 0.35, "p99": 2.0},
        "grace_ms": 20.0,
        "stalls": 2,
        "stalled_s": 3.1,
        "cpu_s": {
            "ann": {"total": 4.0, "out_of_turn": 0.3, "pondering": False},
            "bob": {"total": 4.1, "out_of_turn": 3.0, "pondering": True},
        },
    }


def test_second_opinions_say_whether_the_order_would_be_another(out: Screen, store: Path) -> None:
    """Cyd forfeits one table; bob is ahead of everybody by any count."""
    short = out.moon("tournament", "standings", store)
    text = out.moon("tournament", "standings", store, "--opinions")
    assert text.startswith(short)
    assert "without forfeits: the same order" in text
    assert "without cyd: the same order" in text
    document = json.loads(out.moon("tournament", "standings", store, "--opinions", "--json"))
    told = document["opinions"]
    assert [row["entrant"] for row in told["strengths"]] == ["bob", "ann", "cyd"]
    ways = {row["way"]: row for row in told["rankings"]}
    assert set(ways) == {"Plackett-Luce", "points a deal", "without forfeits", "without bob",
                         "without ann", "without cyd"}  # fmt: skip
    assert (ways["without forfeits"]["games"], ways["without cyd"]["games"]) == (17, 18)
    pairs = {(pair["entrant"], pair["other"]): pair for pair in told["pairs"]}
    share = 100 * pairs["bob", "ann"]["ahead"] / pairs["bob", "ann"]["tables"]
    assert re.search(rf"^ *1 +bob +- +{share:.0f} ", text, re.MULTILINE)
    assert "opinions" not in json.loads(out.moon("tournament", "standings", store, "--json"))


def test_opinions_that_cannot_be_had_do_not_hide_the_standings(
    out: Screen, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = out.moon("tournament", "standings", store)
    monkeypatch.setattr("tournaments.rating.luce._STEPS", 0)
    assert out.moon("tournament", "standings", store, "--opinions") == short
    assert "--opinions: there are none of these results: strengths did not settle" in out.error
    document = json.loads(out.moon("tournament", "standings", store, "--opinions", "--json"))
    assert document["opinions"] is None
    assert [row["entrant"] for row in document["rows"]] == ["bob", "ann", "cyd"]
