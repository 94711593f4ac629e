"""Somebody who bids too much is named, with the deals; and nobody is named by chance."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from referee.rules import Bid, preset_rules
from tests.e2e.handmade import config, result, store_of
from tests.e2e.screen import Screen
from tests.lab.handmade import block
from tournaments.cli.lab_bids import cell
from tournaments.cli.main import main
from tournaments.lab import Figure, Laboratory, pictures, study
from tournaments.lab.findings import Inquiry
from tournaments.store import Store

PAGE = (Path(__file__).parents[2] / "docs" / "lab.md").read_text(encoding="utf-8")
SAMPLES = Path(__file__).parents[2] / "sample_bots"
BOTS = [
    "honest=inproc:counter:Counter",
    "reckless=inproc:counter:Counter?risk=3",
    "greedy=inproc:greedy:Greedy",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which one bot is known to hope for more tricks than it can expect."""
    folder = tmp_path_factory.mktemp("lab")
    for name in ("counter.py", "greedy.py", "_auction.py", "_sense.py", "_worth.py", "_worlds.py",
                 "_rollout.py"):  # fmt: skip
        (folder / name).symlink_to(SAMPLES / name)
    file = folder / "night.toml"
    lines = [f"bots = {json.dumps(BOTS)}", 'seed = "risk"', "rounds = 12", "deals = 6"]
    file.write_text("\n".join([*lines, 'sandbox = "none"', "workers = 1"]), encoding="utf-8")
    assert main(["tournament", "run", str(file)]) == 0
    return folder / "night.sqlite"


@pytest.fixture(scope="module")
def studied(store: Path) -> Laboratory:
    return study([store])


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str]) -> Screen:
    return Screen(capsys)


def test_the_bot_that_bids_too_much_is_named_and_its_deals_can_be_drawn(
    out: Screen, store: Path
) -> None:
    text = out.moon("lab", "report", store)
    named = [line.split()[0] for line in text.splitlines() if " overbids at " in line]
    assert named
    assert set(named) == {"reckless"}
    command = next(line for line in text.splitlines() if "moon replay show" in line)
    words = shlex.split(command.partition("  (")[0])
    drawn = out.moon(*words[1:])
    assert re.search(r"reckless +plays (21|7|6|5|4)\b", drawn)


def test_findings_and_deals_are_the_same_for_people_and_for_programs(
    out: Screen, store: Path, studied: Laboratory
) -> None:
    document = json.loads(out.moon("lab", "report", store, "--json"))
    assert document["schema"] == "moon.lab.report/1"
    [finding, *_] = studied.findings()
    told = document["findings"][0]
    assert (told["entrant"], told["finding"]) == ("reckless", "overbids")
    assert (told["p"], told["gain"]["value"]) == (finding.p, finding.gain.value)
    assert told["p"] <= 0.05
    deals = json.loads(out.moon("lab", "deals", store, "--of", "reckless", "--json"))["deals"]
    words = ("lab", "deals", "--store", store, "--of", "reckless", "--most", "1", "--json")
    fewer = json.loads(out.moon(*words))["deals"]
    assert 0 < len(fewer) < len(deals)
    assert all(deal in deals for deal in fewer), "the costliest of each bid"
    assert told["deals"][0] in deals
    assert f"--table {deals[0]['table']} --deal {deals[0]['deal']}" in out.moon(
        "lab", "deals", store, "--of", "reckless"
    )


def test_json_csv_and_the_api_give_every_number_with_unit_count_and_interval(
    out: Screen, store: Path, studied: Laboratory
) -> None:
    document = json.loads(out.moon("lab", "bids", store, "--json"))
    lines = list(csv.DictReader(io.StringIO(out.moon("lab", "bids", store, "--csv"))))
    rows = list(studied.figures())
    assert len(document["figures"]) == len(lines) == len(rows)
    for told, line, row in zip(document["figures"], lines, rows, strict=True):
        assert told == {name: getattr(row, name) for name in told}
        assert (line["entrant"], float(line["value"])) == (row.entrant, row.value)
        assert row.unit
        assert row.count >= row.blocks >= 1
        assert row.low is None or row.low <= row.value <= row.high
    text = out.moon("lab", "bids", store, "--topic", "contracts", "--of", "reckless")
    [made] = studied.figures("contracts", entrant="reckless", what="all", measure="made")
    assert f"{made.value:.2f} ({made.low:.2f} to {made.high:.2f})" in text
    assert "made (share of contracts): contracts that were made" in text
    assert "more (net" not in text, "of what is not shown"


def test_no_interval_says_what_is_impossible() -> None:
    """Student's t of two blocks reached from -15.56 to 22.56 of seven tricks."""
    tricks = Figure("contracts", "a", "", "all", "4", "tricks", "tricks", 3.5, 0.0, 7.0, 2, 2)
    assert cell(tricks) == "3.50 (-)"
    assert cell(replace(tricks, blocks=5, value=-0.001)) == "0.00 (0.00 to 7.00)"
    share = replace(tricks, measure="made", unit="share of contracts", value=0.5, high=1.0)
    assert cell(share) == "0.50 (-)", "a share of two blocks says as little"
    assert cell(replace(share, blocks=5)) == "0.50 (0.00 to 1.00)"


def test_the_overview_says_of_how_many_blocks_it_is(
    out: Screen, store: Path, studied: Laboratory
) -> None:
    titles, *rows = out.moon("lab", "report", store).splitlines()[1:5]
    assert titles.split()[:3] == ["entrant", "contracts", "blocks"]
    for row in rows:
        name, count, blocks = row.split()[:3]
        [made] = studied.figures("contracts", entrant=name, what="all", measure="made")
        assert (int(count), int(blocks)) == (made.count, made.blocks)


def test_nobody_is_named_for_one_of_two_reasons_and_it_says_which(
    out: Screen, store: Path, tmp_path: Path, studied: Laboratory
) -> None:
    text = out.moon("lab", "report", store, "--of", "honest")
    asked = studied.asked("honest")
    assert 0 < asked.about < asked.questions
    assert f"asked {asked.questions} questions, {asked.about} of them about honest; none" in text
    assert asked.least_p is not None
    assert f"(least p = {asked.least_p:.4f} after Holm, 0.05 is needed)" in text
    told = json.loads(out.moon("lab", "report", store, "--of", "honest", "--json"))["asked"]
    assert (told["questions"], told["least_p"]) == (asked.questions, asked.least_p)
    few = handmade(tmp_path)
    text = out.moon("lab", "report", few)
    assert "nobody is sure to bid too much or too little: no question has 20 blocks yet; " in text
    assert "the largest has 1: whether ann underbids at 4" in text


def test_units_stand_below_the_deals_and_the_luck(out: Screen, store: Path) -> None:
    deals = out.moon("lab", "deals", store)
    assert "cost: what the entrant got less than the other, in net points" in deals
    moons = out.moon("lab", "deals", store, "--kind", "moon")
    assert "cost: what the entrant lost to its table, in net points" in moons
    luck = out.moon("lab", "luck", store)
    assert "luck: tricks a deal" in luck
    assert "adjusted: points a deal" in luck


def handmade(folder: Path) -> Path:
    """Returns a run of which one block is played."""
    tournament = config("ann", "bob", "cyd", rounds=2)
    first = [
        replace(result(table, (3, 2, 1)), record=by_hand.record)
        for table, by_hand in zip(tournament.schedule().tables, block(), strict=False)
    ]
    return store_of(folder / "half.sqlite", tournament, first)


def test_an_open_run_is_no_ground_to_name_anybody(out: Screen, store: Path, tmp_path: Path) -> None:
    """The 5 % is of one look; every further one on the way would be one more chance."""
    told = json.loads(out.moon("lab", "report", store, "--json"))
    assert (told["open"], told["read"]["tables"]) == (False, told["read"]["scheduled"])
    assert "still to be played" not in out.moon("lab", "report", store)
    half = handmade(tmp_path)
    assert "not the end: 9 of 12 tables are still to be played" in out.moon("lab", "report", half)
    told = json.loads(out.moon("lab", "report", half, "--json"))
    assert (told["open"], told["read"]["scheduled"]) == (True, 12)
    with Store.open(half, readonly=False) as opened:
        opened.note("closed", "nothing more is played")
    assert "still to be played" not in out.moon("lab", "report", half)


def test_what_one_gains_by_a_choice_the_other_loses(studied: Laboratory) -> None:
    rows = list(studied.figures("choices"))
    assert rows
    assert sum(row.value * row.count for row in rows) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", ["calibration", "made", "bids", "worth"])
def test_a_picture_is_svg_with_a_point_for_each_number(studied: Laboratory, name: str) -> None:
    root = ElementTree.fromstring(getattr(pictures, name)(studied))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(text.startswith("reckless, ") for text in texts) >= 4


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["lab", "report"], 2, "name the store of a run"),
        (["lab", "bids", "STORE", "STORE"], 2, "share their deals"),
        (["lab", "bids", "STORE", "--of", "grody"], 3, "did you mean 'greedy'?"),
        (["lab", "bids", "STORE", "--json", "--csv"], 2, "--csv: and --json are two documents"),
        (["lab", "deals", "STORE", "--json", "--csv"], 2, "--csv: and --json are two documents"),
        (["tournament", "h2h", "STORE", "--json", "--csv"], 2, "ask for one of them"),
        (["tournament", "standings", "STORE", "--json", "--csv"], 2, "ask for one of them"),
        (["lab", "deals", "nowhere.sqlite"], 3, "there is no such store"),
        (
            ["lab", "deals", "STORE", "--level", "99"],
            2,
            "--level: '99' is no bid of these rules; there are 4, 5, 6, 7, 21",
        ),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(
    out: Screen, store: Path, words: list[str], code: int, said: str
) -> None:
    out.moon(*(store if word == "STORE" else word for word in words), code=code)
    assert said in out.error


def test_the_notebook_example_of_the_page_runs(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(store.parent)
    exec(compile(code, "docs/lab.md", "exec"), {})
    written = capsys.readouterr().out
    assert "reckless overbids at" in written
    assert (store.parent / "calibration.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_page_names_every_command_option_and_topic(out: Screen) -> None:
    for command in ("report", "bids", "deals", "luck"):
        for option in re.findall(r"--[a-z]+", out.moon("lab", command, "--help")):
            assert option in ("--help", "--store") or f"`{option}" in PAGE, f"{command} {option}"


def test_nobody_is_named_by_chance_more_often_than_stated() -> None:
    """Bids that are worth nothing on average, through a small loss mostly and seldom a large gain:
    the blocks in which the gain did not come yet look like a sure loss. Six questions at once."""
    rng = random.Random(4)
    named = 0
    for _ in range(100):
        inquiry = Inquiry(preset_rules("tournament-3p"))
        for _ in range(20):
            inquiry.take([comparison(rng, name, level) for name in "abc" for level in (4, 5)])
        named += bool(inquiry.findings())
    assert named <= 5, "Student's t would name somebody in every second of these runs"


def test_a_bid_that_always_loses_a_little_is_named_once_a_gain_would_have_come() -> None:
    """Else what is never wrong would be of no use: the same losses, and the gain never comes."""
    rng = random.Random(4)
    inquiry = Inquiry(preset_rules("tournament-3p"))
    for number in range(200):
        inquiry.take([comparison(rng, "a", 4, seldom=0.0)])
        if number == 39:
            assert not inquiry.findings(), "a gain of one block in ten could still be missing"
    [finding] = inquiry.findings()
    assert (finding.entrant, finding.direction, finding.level) == ("a", "overbids", "4")


def comparison(rng: random.Random, name: str, level: int, seldom: float = 0.1) -> SimpleNamespace:
    """A bid of *level* that another passed: 21 net points come *seldom*, else a loss of 2.3."""

    def chosen(entrant: str, bid: Bid, net: int) -> SimpleNamespace:
        call = SimpleNamespace(bid=bid)
        return SimpleNamespace(entrant=entrant, net=net, call=call, has_made=net > 0)

    net = 42 if rng.random() < seldom else -rng.choice((4, 5, 5))
    mine, other = chosen(name, Bid(level), net), chosen("other", Bid.PASS, 0)
    return SimpleNamespace(mine=mine, other=other, gain=net)
