"""`moon rules`: every option and value has its words, and the words agree with the game."""

from __future__ import annotations

import json
import random
from itertools import groupby

import pytest

from referee.match.matches import Match, Terms
from referee.rules import OptionError, Rules, parse_rules, presets, seed_key
from referee.rules.explain import explain
from referee.rules.explanations import QUESTIONS
from referee.rules.options import OPTION_NAMES, OPTION_VALUES, option_texts
from tournaments.cli.main import main

WITHOUT_A_LIST = {"redeal_limit", "trumps", "target"}


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main(["rules", *arguments])
    said = capsys.readouterr()
    assert (code, said.err) == (0, "")
    assert "\x1b" not in said.out
    return said.out


def course(rules: Rules, seed: str) -> list[object]:
    """Returns all that happens in a match between three or four dice."""
    rng = random.Random(seed)
    match = Match.start(Terms(rules, max_deals=6), seed_key(seed))
    happened: list[object] = []
    while (decision := match.decision) is not None:
        choice = rng.choice(decision.legal)
        match = match.play(choice)
        happened += [decision, choice, match.finished and match.finished.score]
    return [*happened, match.result]


def test_every_option_and_every_value_has_words() -> None:
    assert set(QUESTIONS) == set(OPTION_NAMES)
    for option, question in QUESTIONS.items():
        values = set() if option in WITHOUT_A_LIST else set(OPTION_VALUES[option])
        assert set(question.answers) == values, option
        for says, source in question.answers.values():
            assert says, option
            assert source, option
            assert not says.endswith("."), option


def test_the_sections_are_not_torn_apart() -> None:
    sections = [name for name, _ in groupby(q.section for q in QUESTIONS.values())]
    assert len(sections) == len(set(sections))


@pytest.mark.parametrize("name", presets())
def test_an_option_said_to_play_no_part_changes_nothing_in_the_match(name: str) -> None:
    rules = parse_rules(name)
    for line in explain(rules):
        for value in (line.others or ("2",)) if line.idle else ():
            try:
                other = rules.change(**{line.option: value})
            except OptionError:
                continue
            for number in range(8):
                assert course(rules, f"{number}") == course(other, f"{number}"), line.option


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        ("tournament-3p", set()),
        ("wikihow-3p", {"force_value"}),
        ("wikihow-3p-marks", {"force_value", "made_points", "failed"}),
        ("wikihow-4p-forced", {"redeal_limit", "redeal_first_bidder", "trump_named"}),
        ("domino-play-3p", {"force_value", "first_lead", "follow_rule"}),
        ("domino-games-3p", {"force_value", "none_doubles"}),
        (
            "west-4p",
            {
                "force_value",
                "trump_named",
                "moon_opening",
                "moon_overcall",
                "moon_made",
                "moon_failed",
            },
        ),
    ],
)
def test_the_options_that_play_no_part_are_named(text: str, idle: set[str]) -> None:
    assert {line.option for line in explain(parse_rules(text)) if line.idle} == idle


@pytest.mark.parametrize(
    ("text", "option", "says", "source"),
    [
        ("wikihow-3p", "contract_test", "at least", "eHow"),
        ("wikihow-3p-strict", "contract_test", "only with more", "wikiHow, Method 1, step 7"),
        ("gamerules-3p", "moon_made", "wins the match", "gamerules.com"),
        ("pagat-4p", "trumps", "0, 1, 2, 3, 4, 5, 6; no trump", "pagat.com"),
        ("fosdick-3p", "trumps", "1, 2, 3, 4, 5, 6; doubles", "Fosdick"),
        ("tournament-3p", "redeal_limit", "after 3 redeals in a row", "no source"),
        ("tournament-3p redeal_limit=1", "redeal_limit", "after one redeal the", "no source"),
        ("wikihow-3p", "redeal_limit", "any number", "no source; our default"),
        ("wikihow-3p", "target", "reaches 21 points", "wikiHow"),
        ("wikihow-3p-marks", "target", "reaches 7 marks", "wikiHow, Method 3"),
        ("wikihow-3p-marks", "moon_failed", "one mark for each", "no source"),
        ("wikihow-3p-marks moon_made=wins_game", "moon_made", "wins the match", "gamerules.com"),
        ("wikihow-3p target=250", "target", "250 points", "no source"),
        ("wikihow-3p exchange=none", "exchange", "stays there unseen", "vab"),
        ("wikihow-4p", "exchange", "all tiles are dealt", "follows"),
        ("wikihow-3p trumps=0,1", "trumps", "the numbers 0, 1", "no source"),
    ],
)
def test_a_value_is_told_with_its_meaning_and_its_source(
    text: str, option: str, says: str, source: str
) -> None:
    line = next(line for line in explain(parse_rules(text)) if line.option == option)
    assert says in line.says
    assert line.source.startswith(source)


def test_list_names_every_preset_and_fits_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = told(capsys, "list").splitlines()
    assert [line.split()[0] for line in lines if line[:1].strip()][:-1] == list(presets())
    assert max(map(len, lines)) <= 60


def test_list_as_json_is_one_document_with_every_preset(
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = json.loads(told(capsys, "list", "--json"))
    assert document["schema"] == "moon.rules.list/1"
    assert [row["name"] for row in document["rules"]] == list(presets())
    for row in document["rules"]:
        assert row["players"] == presets()[row["name"]].rules.players


@pytest.mark.parametrize("name", presets())
def test_show_tells_every_option_of_a_preset_with_its_value(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    shown = told(capsys, "show", name)
    assert shown.splitlines()[0] == name
    for option, value in option_texts(presets()[name].rules).items():
        assert f"  {option}={value}" in shown
    assert max(map(len, shown.splitlines())) <= 70
    document = json.loads(told(capsys, "show", name, "--json"))
    assert (document["text"], document["preset"]["name"]) == (name, name)
    assert {o["option"]: o["value"] for o in document["options"]} == option_texts(
        presets()[name].rules
    )


def test_show_takes_changes_and_says_the_text_that_plays_by_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ("show", "tournament-3p", "--rule", "min_bid=3", "--rule", "exchange=optional")
    shown = told(capsys, *arguments)
    text = shown.splitlines()[0]
    assert parse_rules(text) == parse_rules("tournament-3p min_bid=3 exchange=optional")
    assert "the lowest bid is three tricks" in shown
    assert told(capsys, "show", text) == shown


def test_diff_shows_exactly_the_options_that_differ(capsys: pytest.CaptureFixture[str]) -> None:
    mine, theirs = parse_rules("wikihow-3p-marks"), parse_rules("vab-3p")
    document = json.loads(told(capsys, "show", "wikihow-3p-marks", "--diff", "vab-3p", "--json"))
    assert document["schema"] == "moon.rules.diff/1"
    assert {
        row["left"]["option"]: (row["left"]["value"], row["right"]["value"])
        for row in document["differences"]
    } == mine.differences(theirs)
    shown = told(capsys, "show", "wikihow-3p-marks", "--diff", "vab-3p")
    for option, (left, right) in mine.differences(theirs).items():
        assert f"{option}={left}" in shown
        assert f"{option}={right}" in shown
    assert "contract_test" not in shown


def test_diff_of_equal_rules_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, "show", "tournament-3p", "--diff", "wikihow-3p redeal_limit=3")
    assert "the same rules" in shown


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["tournment-3p"], "did you mean 'tournament-3p'?"),
        (["tournament-3p", "--diff", "wikihow3p"], "did you mean 'wikihow-3p"),
        (["tournament-3p", "--rule", "minbid=3"], "did you mean 'min_bid'?"),
        (["tournament-3p", "--rule", "min_bid=9"], "3, 4, 5"),
        (["tournament-3p", "--rule", "min_bid"], "write name=value"),
        (["tournament-3p", "--rule", "players=4"], "pairs_02_13"),
    ],
)
def test_wrong_names_and_senseless_rules_are_refused_with_the_way_out(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rules", "show", *arguments]) == 2
    said = capsys.readouterr()
    assert hint in said.err
    assert said.err.startswith("moon: ")
    assert said.out == ""
