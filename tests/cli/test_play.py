"""`moon play` from outside: one match, and what its reader and its writer of bots get to see."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.match import MatchRecord, load_matches, verify_match
from tests.e2e.inprocess import FOLDER
from tests.e2e.league import LIMIT, League, league
from tournaments.cli import match_progress
from tournaments.cli.main import main

FAULTY = FOLDER.parents[1] / "faulty_bots"
MEEK, TALL, DICE = (str(FOLDER / f"{name}.py") for name in ("meek", "tall", "dice"))
THREE = (MEEK, TALL, DICE)


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str]) -> Screen:
    return Screen(capsys)


class Screen:
    """Runs ``moon play`` and keeps what it wrote."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.error = ""

    def play(self, *words: object, code: int = 0) -> str:
        """Returns what ``moon play`` with *words* writes to standard output."""
        got = main(["play", *map(str, words)])
        written = self._capsys.readouterr()
        self.error = written.err
        assert got == code, f"exit code {got}\n{written.out}\n{written.err}"
        assert "Traceback (most recent call last)" not in written.out
        return written.out


@pytest.fixture
def home() -> Iterator[League]:
    with league() as made:
        yield made


def match_of(path: Path) -> MatchRecord:
    [match] = load_matches(path.read_text().splitlines())
    verify_match(match)
    return match


def test_the_result_is_a_table_by_place_and_says_how_to_play_it_again(out: Screen) -> None:
    text = out.play(*THREE, "--seed", "tea", "--deals", 3)
    above, head, *rows = text.split("\n\n")[0].splitlines()
    assert above.strip() == "thinking time, ms"
    assert head.index("p50") - 2 <= above.index("thinking") <= head.index("p50")
    assert head.split() == [
        "place", "entrant", "score", "contracts", "made", "set", "p50", "p99", "max", "faults",
    ]  # fmt: skip
    cells = [row.split() for row in rows]
    assert sorted(row[1] for row in cells) == ["dice", "meek", "tall"]
    places, scores = [int(row[0]) for row in cells], [int(row[2]) for row in cells]
    assert places == sorted(places)
    assert scores == sorted(scores, reverse=True)
    assert all(int(row[3]) == int(row[4]) + int(row[5]) for row in cells)
    assert {row[-1] for row in cells} == {"-"}
    first = [row[1] for row in cells if row[0] == "1"]
    who = f"{first[0]} won" if len(first) == 1 else f"{' and '.join(first)} share first place"
    assert f"\n{who}\n3 deals, all played; rules tournament-3p" in text
    assert "seed tea;" in text
    assert "\x1b" not in text, "nobody looks at it on a terminal"
    assert out.error == ""


def test_what_is_as_ever_is_told_in_the_details_only_and_nothing_is_wider_than_a_terminal(
    out: Screen,
) -> None:
    short = out.play(*THREE, "--seed", "tea", "--deals", 1)
    for word in ("clock: ", "sandbox basic", "moon's own time", "CPU out of turn", "find it"):
        assert word not in short
    assert max(map(len, short.splitlines())) <= 80
    text = out.play(*THREE, "--seed", "tea", "--deals", 1, "--details")
    assert "clock: 2 s a move, 10 s for the first of a process, no bank; 2 strikes, one" in text
    assert "\nsandbox basic; each bot at most memory=1GiB " in text
    assert re.search("moon's own time a decision, p50/p99 ms: queue .*; a bare echo", text)


def test_sides_that_are_level_share_first_place(out: Screen) -> None:
    # Nobody bids, so that nobody scores.
    text = out.play("first_legal", MEEK, "meek2=" + MEEK, "--seed", 1, "--deals", 1)
    assert "\nfirst_legal, meek and meek2 share first place\n" in text


def test_a_long_match_says_how_far_it_is(out: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(match_progress.BEAT, False, 0.01)
    out.play(*THREE, "--seed", "tea", "--deals", 3)
    assert re.search(r"^moon: deal [1-3] of 3 is played, \d+s$", out.error, re.MULTILINE)


def test_the_json_document_tells_the_same_as_the_record(out: Screen, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    text = out.play(*THREE, "--seed", "tea", "--deals", 4, "--json", "--record", path)
    document = json.loads(text)
    match = match_of(path)
    assert {key: document[key] for key in ("schema", "seed", "rules", "seats", "deals")} == {
        "schema": "moon.play/1",
        "seed": "tea",
        "rules": "tournament-3p",
        "seats": ["meek", "tall", "dice"],
        "deals": 4,
    }
    assert document["ending"] == match.result.ending.value == "deals"
    assert document["record"] == str(path)
    host = document["host"]
    assert set(host["overhead_ms"]) == {"queue", "send", "receive"}
    assert all(part["p50"] <= part["p99"] for part in host["overhead_ms"].values())
    assert 0 < host["echo_ms"]["p50"] <= host["echo_ms"]["p99"]
    assert set(host["cpu_s"]) <= {"meek", "tall", "dice"}
    assert document["faults"] == []
    by_bot = {side["entrants"][0]: side for side in document["sides"]}
    for seat, name in enumerate(match.seats):
        side = by_bot[name]
        assert side["score"] == match.result.scores[seat]
        assert side["place"] == match.result.places[seat]
        assert 0 < side["p50_ms"] <= side["p99_ms"] <= side["max_ms"]
        assert side["faults"] == {}
    contracts = Counter[bool]()
    for deal in match.deals:
        if deal.made is not None:
            contracts[deal.made] += 1
    assert sum(sum(side["made"].values()) for side in document["sides"]) == contracts[True]
    assert sum(sum(side["set"].values()) for side in document["sides"]) == contracts[False]
    unasked = sum(len(deal.unasked) for deal in match.deals)
    choices = sum(
        len(deal.bids) + len(deal.plays) + 2 * (deal.trump is not None) for deal in match.deals
    )
    assert sum(side["decisions"] for side in document["sides"]) == choices - unasked


def test_a_record_is_judged_and_found_right_by_replay(out: Screen, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    text = out.play(*THREE, "--deals", 2, "--record", path)
    assert f"record {path}" in text
    assert main(["replay", "verify", str(path)]) == 0
    path.write_text(path.read_text().replace('"ending":"deals"', '"ending":"target"'))
    assert main(["replay", "verify", str(path)]) == 5


@pytest.mark.parametrize("bots", [THREE, (MEEK, DICE)], ids=["three", "pairs"])
def test_watching_draws_every_auction_and_trick(
    out: Screen, tmp_path: Path, bots: tuple[str, ...]
) -> None:
    path = tmp_path / "match.jsonl"
    text = out.play(*bots, "--seed", 7, "--deals", 3, "--watch", "--record", path)
    match = match_of(path)
    drawn = re.split(r"^deal \d+$", text, flags=re.MULTILINE)[1:]
    assert len(drawn) == len(match.deals) == 3
    assert any(deal.plays for deal in match.deals)
    for picture, deal in zip(drawn, match.deals, strict=True):
        bids = next(line for line in picture.splitlines() if line.startswith("  bids"))
        assert sorted(re.findall(r"pass|\d+", bids)) == sorted(map(str, deal.bids))
        tricks = re.findall(r"^  trick \d(.*)$", picture, flags=re.MULTILINE)
        players = match.terms.rules.players
        if deal.made is not None:
            assert all(str(tile) in " ".join(tricks) for tile in deal.plays)
            assert len(tricks) == len(deal.plays) // players == 7
    assert "\x1b" not in text


def test_to_the_target_or_so_many_deals_by_the_rules_that_were_asked_for(
    out: Screen, tmp_path: Path
) -> None:
    path = tmp_path / "match.jsonl"
    rules = ("--rule", "min_bid=5", "--rule", "all_pass=force_last")
    out.play(*THREE, "--seed", 1, "--deals", 2, *rules, "--record", path)
    five = match_of(path)
    assert len(five.deals) == five.terms.deals == 2
    assert (five.terms.rules.min_bid, five.terms.rules.all_pass) == (5, "force_last")
    out.play(*THREE, "--seed", 1, "--max-deals", 60, "--record", path)
    whole = match_of(path)
    assert whole.terms.deals is None
    assert max(whole.result.scores) >= whole.terms.rules.target or len(whole.deals) == 60


def test_two_bots_are_two_pairs_and_four_sit_where_they_are_named(out: Screen) -> None:
    two = json.loads(out.play(TALL, DICE, "--deals", 1, "--json"))
    assert two["rules"] == "tournament-4p"
    assert two["seats"] == ["tall", "dice", "tall", "dice"]
    assert [side["entrants"] for side in two["sides"]] in (
        [["tall"], ["dice"]],
        [["dice"], ["tall"]],
    )
    four = json.loads(out.play(*THREE, "late=" + DICE, "--deals", 1, "--json"))
    assert four["seats"] == ["meek", "tall", "dice", "late"]
    assert {" ".join(side["entrants"]) for side in four["sides"]} == {"meek dice", "tall late"}


def test_the_same_bot_more_than_once_has_a_number(out: Screen) -> None:
    document = json.loads(out.play(TALL, MEEK, TALL, "--deals", 1, "--json"))
    assert document["seats"] == ["tall", "meek", "tall#2"]
    assert {side["entrants"][0] for side in document["sides"]} == {"tall", "meek", "tall#2"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["greedyy", MEEK, MEEK], ["greedyy", "did you mean 'greedy'?"]),
        ([MEEK], ["3 or 4 bots, or 2 as pairs; got 1"]),
        ([MEEK] * 5, ["got 5"]),
        ([*THREE, "--rules", "tournament-4p"], ["--rules", "four bots, or two", "got 3"]),
        ([MEEK, TALL, "--rules", "tournament-3p"], ["--rules", "three bots", "got 2"]),
        ([*THREE, "--rules", "tournamint-3p"], ["did you mean 'tournament-3p'?"]),
        ([*THREE, "--rule", "min_bit=3"], ["min_bit", "did you mean 'min_bid'?"]),
        ([*THREE, "--rule", "min_bid=8"], ["min_bid", "3, 4, 5"]),
        ([*THREE, "--deals", "0"], ["--deals"]),
        ([*THREE, "--move-time", "soon"], ["--move-time", "'soon'", "500ms"]),
        ([*THREE, "--move-time", "0s"], ["'--move-time': must be between 1ms and 24h, got '0s'"]),
        ([*THREE, "--startup", "0"], ["'--startup': must be between 1ms and 24h, got '0'"]),
        ([*THREE, "--first-move", "25h"], ["'--first-move': must be between 1ms and 24h"]),
        ([*THREE, "--bank", "25h"], ["'--bank': must be between 0s and 24h, got '25h'"]),
        ([*THREE, "--rule", "min_bid=3", "--rule", "min_bid=4"], ["min_bid: is set twice"]),
        ([*THREE, "--watch", "--json"], ["--watch", "--json"]),
        ([MEEK, TALL, "x=" + DICE, "x=" + MEEK], ["'x'", "NAME=BOT"]),
    ],
    ids=lambda value: " ".join(Path(word).name for word in value)[:40],
)
def test_what_makes_no_sense_is_refused_with_what_was_expected(
    out: Screen, words: list[str], said: list[str]
) -> None:
    assert out.play(*words, code=2) == ""
    for part in said:
        assert part in out.error


def test_a_bot_that_does_not_start_is_named_with_its_last_words_and_nothing_is_recorded(
    out: Screen, tmp_path: Path
) -> None:
    path = tmp_path / "match.jsonl"
    bad = FAULTY / "breaks_at_once.py"
    assert out.play(MEEK, TALL, bad, "--record", path, code=4) == ""
    assert "bot 'breaks_at_once' did not start" in out.error
    assert "exit code 1" in out.error
    assert 'RuntimeError("no model file")' in out.error
    assert not path.exists()


def test_a_bot_has_the_time_to_start_and_for_its_first_move_that_was_given(
    out: Screen, tmp_path: Path
) -> None:
    silent = FAULTY / "never_listens.py"
    bot = tmp_path / "bot.py"
    bot.write_text((FOLDER / "stuck.py").read_text())
    out.play(MEEK, TALL, silent, "--startup", "200ms", code=4)
    assert "did not answer the handshake within 0.2 s" in out.error
    words = (MEEK, TALL, bot, "--deals", 1, "--strikes", 1, "--json")
    faults = json.loads(out.play(*words, "--move-time", "1s", "--first-move", 1.5))["faults"]
    details = [fault["detail"] for fault in faults if fault["entrant"] == "bot"]
    assert details == ["no answer within 1.5 s", "no answer within 1 s"]


def test_a_bot_at_fault_is_named_with_kind_question_and_last_words(out: Screen) -> None:
    bots = (MEEK, TALL, FAULTY / "exits.py")
    text = out.play(*bots, "--deals", 1, "--rule", "all_pass=force_last")
    [row] = [line for line in text.splitlines() if line.split()[1:2] == ["exits"]][:1]
    assert row.split()[-2:] == ["1", "crashed"]
    assert "fault: exits (seat 2), deal 0, decision " in text
    assert "exit code 3" in text
    assert "played for it: pass" in text
    assert "stderr: giving up" in text


DEEP = """
from referee.sdk import Bot, serve


class Boom(Bot):
    def bid(self, view):
        return self.deeper(view)

    def deeper(self, view):
        return view.table.order(0)  # my own line


serve(Boom())
"""


def test_a_crash_shows_the_bots_own_line_what_forfeits_and_the_command_that_finds_it(
    out: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "boom.py").write_text(DEEP)
    monkeypatch.chdir(tmp_path)
    text = out.play(MEEK, "old=./boom.py", TALL, "--seed", "t e a", "--strikes", 1)
    shown = [line.removeprefix("  stderr: ") for line in text.splitlines() if "stderr:" in line]
    assert re.fullmatch(r'  File ".*boom\.py", line 10, in deeper', shown[0])
    assert shown[1] == "    return view.table.order(0)  # my own line"
    assert shown[-1].startswith("ValueError: no trump is named yet; it can be asked from then on")
    assert not any("views.py" in line or "line 7" in line for line in shown)
    again = (
        r"  the same 1 more time: deal \d+, decision (\d+); the second, at decision \1, forfeits "
    )
    assert re.search(again + "the match: 1 strike is allowed\n", text)
    command = "moon bot check ./boom.py, or the same with --debug --seed 't e a'"
    assert f"\nfind it: {command}\n" in text


def test_a_next_step_is_told_only_where_it_leads_somewhere(out: Screen, tmp_path: Path) -> None:
    command = f"x=cmd:{sys.executable} {FAULTY / 'exits.py'}"
    assert "find it" not in out.play(MEEK, TALL, command, "--deals", 1), "no file to be checked"
    bot = tmp_path / "bot.py"
    bot.write_text((FOLDER / "stuck.py").read_text())
    bank = ("--move-time", "200ms", "--first-move", "200ms")
    text = out.play(MEEK, TALL, bot, "--deals", 1, "--strikes", 0, *bank)
    assert f"\nfind it: moon bot check {bot}\n" in text, "--debug has no clocks"


def test_a_forfeit_says_by_whom_and_a_timeout_that_the_bank_is_used_up(
    out: Screen, tmp_path: Path
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text((FOLDER / "stuck.py").read_text())
    bank = ("--bank", "500ms", "--move-time", "200ms", "--first-move", "200ms")
    text = out.play(MEEK, TALL, bot, "--deals", 1, "--strikes", 1, *bank, "--details")
    assert "timeout: no answer within 0.7 s, with what was left in the bank: 0.5 s; pl" in text
    assert "timeout: no answer within 0.2 s; bank used up; forfeits the match: 1 strike is" in text
    assert "1 deal, forfeited by bot; rules" in text
    assert "a bank of 0.5 s for the match; 1 strike, one more forfeits" in text


def test_only_a_strict_match_fails_for_a_fault(out: Screen) -> None:
    bots = (MEEK, TALL, FAULTY / "exits.py", "--deals", 1, "--json")
    [fault] = json.loads(out.play(*bots))["faults"]
    assert (fault["entrant"], fault["seat"], fault["kind"]) == ("exits", 2, "crashed")
    assert fault["question"].startswith("bid; legal: pass")
    assert fault["exit_status"] == "exit code 3"
    strict = out.play(*bots, "--strict", code=4)
    assert len(json.loads(strict)["faults"]) == 1, "the result is written all the same"
    out.play(*THREE, "--deals", 1, "--strict")


def test_what_a_bot_says_cannot_colour_or_move_anything(out: Screen) -> None:
    bot = f"rude=cmd:{sys.executable} {FAULTY / 'raw.py'} status unary"
    text = out.play(MEEK, TALL, bot, "--deals", 1)
    assert "protocol: INTERNAL: no idea" in text
    assert "\x1b" not in text


def test_the_same_seed_is_the_same_match_and_a_drawn_one_can_be_used_again(
    out: Screen, tmp_path: Path
) -> None:
    records = [tmp_path / f"{number}.jsonl" for number in range(4)]
    out.play(*THREE, "--seed", "tea", "--deals", 2, "--record", records[0])
    out.play(*THREE, "--seed", "tea", "--deals", 2, "--record", records[1], "--call", "unary")
    drawn = out.play(*THREE, "--deals", 2, "--record", records[2])
    [seed] = re.findall(r"seed (\w+);", drawn)
    out.play(*THREE, "--seed", seed, "--deals", 2, "--record", records[3])
    one, same, other, again = (path.read_bytes() for path in records)
    assert one == same
    assert other == again
    assert one != other


@pytest.mark.parametrize("place", ["missing/match.jsonl", "", "/proc/match.jsonl"])
def test_a_record_that_cannot_be_written_is_refused_before_anything_is_played(
    out: Screen, tmp_path: Path, place: str
) -> None:
    # If it were played, the stuck bot would think for an hour.
    bots = (MEEK, TALL, FOLDER / "stuck.py", "--move-time", "3600", "--ask-forced")
    assert out.play(*bots, "--record", tmp_path / place, code=2) == ""
    assert str(tmp_path / place) in out.error


def test_a_record_that_is_lost_in_the_end_does_not_take_the_result_with_it(out: Screen) -> None:
    text = out.play(*THREE, "--deals", 1, "--record", "/dev/full", code=2)
    assert "1 deal, all played" in text
    assert "/dev/full: cannot be written: no space left on device" in out.error


def test_ctrl_c_ends_the_match_and_every_process(home: League) -> None:
    # Only a bot that is not held can leave a file where it runs.
    words = ("./meek.py", "./tall.py", "./stuck.py", "--move-time", "3600", "--ask-forced")
    words = (*words, "--sandbox", "none")
    process = home.start("play", *words)
    home.wait(process, (home.folder / "asked").exists, "the stuck bot is asked")
    process.send_signal(signal.SIGINT)
    text, error = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert (text, error) == ("", "moon: interrupted\n")
    home.check_nothing_runs()


def test_a_reader_who_leaves_ends_the_match_without_a_word(home: League) -> None:
    words = ("./meek.py", "./tall.py", "./dice.py", "--max-deals", "2000", "--rule", "target=2000")
    process = home.start("play", *words, "--watch")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "deal 0\n"
    process.stdout.close()
    assert process.wait(timeout=LIMIT) == 141
    assert process.stderr.read() == ""
    process.stderr.close()
