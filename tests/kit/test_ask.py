"""One question to one bot: from a state, from a record, and byte for byte what was saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.match import Match, MatchReferee, Terms, dump_match
from referee.match.questions import question_at
from referee.rules import preset_rules, seed_key
from referee.wire.states import read_question, with_unknown_fields
from tournaments.cli.main import main
from tournaments.kit.states import SCHEMA, parse_state, state_text, stored

RULES = preset_rules("tournament-3p")
MEEK = str(Path(__file__).parents[1] / "e2e" / "bots" / "meek.py")


@pytest.fixture(scope="module")
def played() -> MatchReferee:
    """Returns a match of two deals in which everybody makes the last legal choice."""
    match = Match.start(Terms(RULES, deals=2), seed_key("tea"))
    referee = MatchReferee("3.1", match, ("ann", "bob", "cyd"))
    while (question := referee.question) is not None:
        referee.answer(question.decision.legal[-1], 0)
    return referee


def test_every_question_of_a_record_is_found_again_as_it_was_asked(played: MatchReferee) -> None:
    match = Match.start(Terms(RULES, deals=2), seed_key("tea"))
    again = MatchReferee("3.1", match, ("ann", "bob", "cyd"))
    record, count = played.record(), 0
    while (question := again.question) is not None:
        found = question_at(record, question.number)
        assert found.question.view == question.view
        assert found.choice == question.decision.legal[-1]
        assert found.is_asked
        assert not found.is_substitute
        again.answer(question.decision.legal[-1], 0)
        count += 1
    assert count > 20


def test_a_state_is_sent_again_byte_for_byte_and_its_text_can_be_edited(
    played: MatchReferee,
) -> None:
    question = stored(question_at(played.record(), 12).question, "m", 1.5)
    odd = with_unknown_fields(question)
    assert odd.data != question.data
    for each in (question, odd):
        back = parse_state(state_text(each).encode(), "f")
        assert back.data == each.data
        assert back == read_question(each.data)
    fields = json.loads(state_text(question))
    del fields["message"]
    fields["decision"]["move_time_ms"] = 700
    edited = parse_state(json.dumps(fields).encode(), "f")
    assert (edited.move_time, edited.view) == (0.7, question.view)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nonsense", "f: is no state; expected JSON with schema 'moon.state/1'"),
        ('{"schema": "moon.state/1"}', "f: decision: is missing"),
        ('{"schema": "moon.state/1", "message": "%"}', "f: message: is not base64"),
        ('{"schema": "moon.state/1", "message": "AAAA"}', "f: message: "),
        ('{"schema": "moon.state/1", "decision": {"seat": 1}}', "f: decision: "),
    ],
)
def test_a_file_that_is_no_state_is_refused_with_the_place_of_the_mistake(
    text: str, told: str
) -> None:
    with pytest.raises(Exception, match=told.replace("%", "")) as refused:
        parse_state(text.encode(), "f")
    assert str(refused.value).startswith(told)


@pytest.mark.parametrize(
    ("decision", "place"),
    [
        ({"view": {"hand": ["TILE_6_4", "\ud800"]}}, "decision.view.hand[1]"),
        ({"match_id": "\udfff"}, "decision.match_id"),
        ({"view": {"\ud800": 1}}, "decision.view"),
    ],
)
def test_half_a_surrogate_pair_in_a_state_is_refused_with_its_place(
    decision: dict[str, object], place: str
) -> None:
    text = json.dumps({"schema": SCHEMA, "decision": decision})
    with pytest.raises(ConfigError) as refused:
        parse_state(text.encode(), "f")
    assert str(refused.value).startswith(f"f: decision: {place} '\\ud")
    assert "half of a surrogate pair" in str(refused.value)


def test_a_recorded_question_is_put_to_another_bot_and_saved_for_later(
    played: MatchReferee, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, state = tmp_path / "record.jsonl", tmp_path / "state.json"
    record.write_text(dump_match(played.record()))
    found = question_at(played.record(), 12)
    words = ["--decision", "12", "--bot", MEEK, "--save", str(state), "--startup", "120s"]
    assert main(["replay", "ask", str(record), *words, "--move-time", "60s"]) == 0
    text = capsys.readouterr().out
    seat = ("ann", "bob", "cyd")[found.question.seat]
    assert f"recorded  {seat}: {found.choice}" in text
    assert f"meek: {found.question.decision.legal[0]} (" in text, "it takes the first legal choice"
    assert parse_state(state.read_bytes(), "f").decision == found.question.decision
    assert main(["replay", "ask", str(record), "--decision", "999"]) == 3
    assert "table 3.1 has no decision 999; it has 1 to " in capsys.readouterr().err
