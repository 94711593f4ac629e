"""`moon compare` from outside: the verdict, what it is made of, and what a shell is told."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Iterator
from math import log
from pathlib import Path

import pytest

from tests.cli.test_run import on_a_terminal
from tests.e2e.inprocess import FOLDER
from tests.e2e.league import LIMIT, League, league
from tests.e2e.screen import Screen

MEEK, TALL, DICE = "meek=inproc:meek:Meek", "tall=inproc:tall:Tall", "dice=inproc:dice:Dice"
ONE_DEAL = ("--deals", "1")
QUICK = ("--seed", "tea", "--effect", "0.5")
FICKLE = """
import random
from referee.sdk import Bot

class Fickle(Bot):
    name = "fickle"

    def decide(self, view):
        return random.choice(view.legal)
"""
BREAKS = """
from referee.sdk import Bot

class Breaks(Bot):
    name = "breaks"

    def play(self, view):
        raise RuntimeError("not today")
"""


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.chdir(FOLDER)
    return Screen(capsys)


@pytest.fixture
def home() -> Iterator[League]:
    with league() as made:
        yield made


FOX = """
from referee.sdk import Bot, serve


class Fox(Bot):
    def bid(self, view):
        raise KeyError(view.seat)


serve(Fox())
"""


def document(out: Screen, *words: object, code: int = 0) -> dict[str, object]:
    return json.loads(out.moon("compare", *ONE_DEAL, *words, "--json", code=code))


def contest(out: Screen, *words: object, code: int = 0) -> dict[str, object]:
    [only] = document(out, *words, code=code)["contests"]
    return only


def test_the_better_one_is_named_with_numbers_that_say_whose_they_are(out: Screen) -> None:
    text = out.moon("compare", *ONE_DEAL, TALL, DICE, *QUICK, "--heartbeat", "1h")
    lines = text.splitlines()
    assert lines[0] == "tall against dice: rules tournament-3p, matches of 1 deal, seed tea"
    assert lines[1].startswith("tall - dice: +")
    assert "points a deal, 95 % +" in lines[1]
    assert "verdict: tall better" in lines
    assert lines[-1] == "unrated: in-process bots: tall, dice"
    assert "\x1b" not in text + out.error
    assert "moon: tall - dice: " not in out.error, "no heartbeat was due"
    assert lines[2].startswith(
        "  what decides: the evidence (log-likelihood ratio) that tall is better,"
    )
    needed = re.search(r"better, ([\d.]+) of the ([\d.]+) needed; that dice is, -", lines[2])
    assert needed is not None
    assert float(needed[1]) >= float(needed[2]), "it was decided"
    assert "at every look" not in text, "an interval that does not decide, beside a verdict"
    assert "no verdict comes" not in out.error


def test_swapping_the_two_turns_every_sign_and_changes_no_digit(out: Screen) -> None:
    words = ("--seed", "tea", "--max-blocks", 4)
    there, back = contest(out, TALL, DICE, *words, code=6), contest(out, DICE, TALL, *words, code=6)
    assert (there["a"], there["b"]) == (back["b"], back["a"])
    assert there["difference"] == -back["difference"] != 0.0
    assert (there["low"], there["high"]) == (-back["high"], -back["low"])
    assert there["llr"]["a_better"] == back["llr"]["b_better"]
    assert there["llr"]["b_better"] == back["llr"]["a_better"]
    turned = {"a", "b", "difference", "low", "high", "llr"}
    assert {k: v for k, v in there.items() if k not in turned} == {
        k: v for k, v in back.items() if k not in turned
    }


def test_workers_and_the_way_bots_are_run_change_nothing(home: League) -> None:
    words = ("--seed", "tea", "--max-blocks", "2", "--json")
    seen = [
        json.loads(home.moon("compare", *ONE_DEAL, *bots, *words, *more, code=6).stdout)["contests"]
        for bots, more in (
            (("./tall.py", "./dice.py"), ("-j", "1")),
            ((TALL, DICE), ("-j", "2")),
        )
    ]
    assert seen[0] == seen[1]
    [only] = seen[0]
    assert (only["blocks"], only["tables"], only["deals"]) == (2, 12, 12)
    assert only["faults"] == {}


def test_a_bot_against_itself_is_level_in_every_block_and_that_is_said(out: Screen) -> None:
    text = out.moon("compare", *ONE_DEAL, DICE, DICE, "--max-blocks", 5, code=6)
    assert "dice - dice#2: +0.000 points a deal, no interval, all blocks alike" in text
    assert "the same bot twice: every block is exactly level, as it must be" in text
    assert "verdict: not decided" in text


def test_a_bot_that_is_not_deterministic_is_found_out_against_itself(
    out: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fickle.py").write_text(FICKLE)
    monkeypatch.chdir(tmp_path)
    text = out.moon("compare", *ONE_DEAL, *["inproc:fickle:Fickle"] * 2, "--max-blocks", 4, code=6)
    assert "the same bot twice, yet 4 of 4 blocks are not level" in text
    assert "level: this bot is not deterministic" in text


@pytest.mark.parametrize(
    ("words", "tables"),
    [(("--rules", "tournament-4p"), 2), (("--with", MEEK), 6), (("--deals", "target"), 6)],
    ids=["pairs", "third", "to the target"],
)
def test_blocks_of_other_kinds_are_level_too_where_nothing_differs(
    out: Screen, words: tuple[str, ...], tables: int
) -> None:
    level = contest(out, DICE, DICE, *words, "--max-blocks", 2, code=6)
    assert (level["tables"], level["difference"], level["blocks_not_level"]) == (2 * tables, 0.0, 0)
    unlike = contest(out, TALL, DICE, *words, "--max-blocks", 2, code=6)
    assert unlike["difference"] > 0.0


def test_several_are_compared_with_one(out: Screen) -> None:
    found = document(out, TALL, MEEK, "--against", DICE, *QUICK, "--max-blocks", 60)
    bounds = sorted(each["llr"]["upper"] for each in found["contests"])
    assert bounds == [pytest.approx(log(0.95 / 0.025)), pytest.approx(log(0.95 / 0.0125))], (
        "the first of two had to stand out among both, and that is what is shown of it"
    )
    assert [(each["a"], each["b"]) for each in found["contests"]] == [
        ("tall", "dice"), ("meek", "dice"),
    ]  # fmt: skip
    assert all(each["verdict"] == "a_better" for each in found["contests"])
    assert all(each["p_value_holm"] <= 0.05 for each in found["contests"])


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        (("--until", "diff>0.5", TALL, DICE), 0, "a_better"),
        (("--until", "diff>0.5", DICE, TALL), 5, "b_better"),
        (("--until", "diff>0.5", DICE, DICE), 5, "equal"),
        (("--until", "diff>0.5", TALL, DICE, "--max-blocks", 10), 6, "not_decided"),
        (("--assert", TALL, DICE, *QUICK), 0, "a_better"),
        (("--assert", DICE, TALL, *QUICK), 5, "b_better"),
        (("--assert", DICE, TALL, *QUICK, "--max-blocks", 10), 6, "not_decided"),
        (("--regression", DICE, DICE), 0, "not_worse"),
        (("--regression", TALL, DICE), 5, "b_better"),
    ],
)
def test_the_exit_code_tells_whether_what_was_asked_holds(
    out: Screen, words: tuple[object, ...], code: int, verdict: str
) -> None:
    found = document(out, *words, code=code)
    assert found["contests"][0]["verdict"] == verdict
    assert found["holds"] is {0: True, 5: False, 6: None}[code]


def test_a_regression_is_told_of_the_new_one_with_the_margin(out: Screen) -> None:
    text = out.moon(
        "compare", *ONE_DEAL, "--regression", DICE, "new=inproc:dice:Dice", "--margin", "0.2"
    )
    assert "new - dice: +0.000 points a deal" in text
    assert "verdict: new not worse than dice by more than 0.2 points a deal" in text
    assert "claim diff>-0.2: holds" in text


def test_a_bot_that_forfeits_loses_by_a_stated_rule_and_strict_tells_the_shell(
    out: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "breaks.py").write_text(BREAKS)
    monkeypatch.chdir(tmp_path)
    shutil.copy(FOLDER / "tall.py", tmp_path)
    bots = ("x=inproc:breaks:Breaks", TALL)
    text = out.moon("compare", *ONE_DEAL, *bots, "--max-blocks", 3, "--strict", code=4)
    assert "3 blocks with a forfeit (tables: x " in text
    assert "each counts against who did as if all its deals had gone as badly as" in text
    assert re.search(
        r"faults: x \d+ crashed; the first: raised .*\n(    stderr: .*\n)+  to see a match",
        text,
    )
    seats = "inproc:breaks:Breaks inproc:tall:Tall inproc:tall:Tall"
    assert f"to see a match like these: moon play {seats}" in text, "its deals are other ones"
    assert "no verdict comes before block 73, and there are at most 3" in out.error


def test_the_first_fault_is_told_when_it_happens_and_a_line_only_when_something_changed(
    out: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fox.py").write_text(FOX)
    monkeypatch.chdir(tmp_path)
    words = ("./fox.py", "greedy", "--max-blocks", 1, "-j", 1, "--heartbeat", "0.1s", "--deals", 1)
    out.moon("compare", *words, "--seed", "tea", code=6)
    lines = [line.removeprefix("moon: ") for line in out.error.splitlines()]
    [first] = [at for at, line in enumerate(lines) if line.startswith("the first fault of fox: ")]
    assert lines[first].endswith("crashed: the process ended (exit code 1)")
    assert "line 7, in bid" in lines[first + 1]
    assert "moon bot check ./fox.py finds it sooner" in lines[first:]
    beats = [line for line in lines if line.startswith("fox - greedy: ")]
    assert len(beats) == len(set(beats)), "one line for each thing to tell"
    counts = [int(n) for line in beats for n in re.findall(r"(\d+) faults? of fox", line)]
    assert counts == sorted(set(counts))
    assert counts


def test_ctrl_c_prints_what_is_known_so_far(home: League) -> None:
    process = home.start(
        "compare", *ONE_DEAL, DICE, "inproc:tall:Tall", "--effect", "0.001", "--heartbeat", "0.2s"
    )
    assert process.stderr is not None
    try:
        beat = next(line for line in process.stderr if re.search("(about|at most) .* left", line))
        assert re.search(r"dice - Tall: .* left, block \d+ of 5000, -\d.*, evidence ", beat)
    finally:
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert "dice - Tall: " in text
    assert "verdict: not decided" in text


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_comparison_that_is_stopped_before_its_first_block_says_so(
    out: Screen, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int
) -> None:
    """It may be told so while bots are built, which takes long."""

    def build(*_: object) -> None:
        signal.raise_signal(number)

    monkeypatch.setattr("tournaments.cli.compare.build_bots", build)
    before = signal.getsignal(number)
    lines = out.moon("compare", *ONE_DEAL, TALL, DICE, "--seed", "tea", code=code).splitlines()
    assert lines[0] == "tall against dice: rules tournament-3p, matches of 1 deal, seed tea"
    assert "verdict: not decided: stopped before the first block" in lines
    assert signal.getsignal(number) is before


def test_the_help_has_every_exit_code(out: Screen) -> None:
    text = out.moon("compare", "--help")
    told = text[text.index("Exit codes") : text.index("Options")]
    assert set(re.findall(r"\d+", told)) == {"0", "2", "4", "5", "6", "129", "130", "143"}


def test_a_terminal_sees_lines_that_move_and_keeps_the_verdict(home: League) -> None:
    seen, code = on_a_terminal(home, "compare", *ONE_DEAL, DICE, TALL, *QUICK)
    assert code == 0
    assert seen.count("\x1b[?25l") == seen.count("\x1b[?25h") == 1, "the cursor goes and comes back"
    live, last = seen.split("\x1b[?25h")
    plain = " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", live).split())
    assert re.search(r"block \d+ of 5000, -\d.*, evidence ", plain)
    assert "verdict: tall better" in last


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((DICE,), "compare two bots, or several with one (--against BOT); got 1"),
        ((DICE, TALL, MEEK), "--against BOT"),
        ((DICE, TALL, "--with", MEEK, "--rules", "tournament-4p"), "--with: is for three seats"),
        ((DICE, TALL, "--until", "diff"), "--until: expected 'diff>D'"),
        ((DICE, TALL, "--until", "diff>1", "--assert"), "--until: claims one thing"),
        ((DICE, TALL, "--until", "diff>1", "--beta", "0.1"), "--beta: is of no use to diff>1"),
        ((DICE, TALL, "--margin", "1"), "--margin: is that of --regression"),
        ((DICE, TALL, MEEK, "--regression"), "--regression: compares two bots, OLD NEW; got 3"),
        ((DICE, TALL, "--deals", "0"), "expected a number from 1 on or 'target', got '0'"),
        ((DICE, "grpc://host:1"), "remote bot"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_is_played(
    out: Screen, words: tuple[str, ...], said: str
) -> None:
    assert out.moon("compare", *ONE_DEAL, *words, code=2) == ""
    assert said in out.error
