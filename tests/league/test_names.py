"""Names of entries and authors: nobody passes for another, and nothing in a name hides."""

from __future__ import annotations

import pytest

from referee.bots.names import NameRefusedError
from tournaments.league.names import check_league_name, look, too_like


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("TALL BOT", id="case"),
        pytest.param("tall-bot", id="punctuation"),
        pytest.param("ta11 b0t", id="digits"),
        pytest.param("taII bot", id="capital-i"),
        pytest.param("täll bot", id="accents"),
        pytest.param("\uff34all bot", id="width"),
        pytest.param("t\u0430ll bot", id="one-cyrillic-letter"),
        pytest.param("\u03a4all bot", id="one-greek-letter"),
        pytest.param("\U0001d42d\U0001d41a\U0001d425\U0001d425 bot", id="mathematical-letters"),
    ],
)
def test_a_name_is_not_taken_for_another(other: str) -> None:
    assert look(other) == look("tall bot")
    assert too_like(other, ["greedy", "tall bot"]) == "tall bot"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("corn", "com"),
        ("vvin", "win"),
        ("\u0441\u043e\u043c", "com"),
        ("\u0440\u0430\u0443", "pay"),
    ],
)
def test_letters_that_run_together_and_whole_words_of_other_alphabets_look_alike(
    one: str, other: str
) -> None:
    assert look(one) == look(other)


def test_different_names_may_stand_side_by_side() -> None:
    names = [
        "greedy",
        "greedier",
        "counter",
        "sampler",
        "первый",
        "第一",
        "bot 2",
        "bot 3",
        "Müller",
    ]
    assert len({look(name) for name in names}) == len(names)
    assert too_like("greedy", ["greedy"]) is None, "it is itself"


def test_names_that_differ_only_where_a_version_would_cut_them_are_alike() -> None:
    assert too_like("a" * 38 + "b", ["a" * 38 + "c"]) is not None
    assert too_like("a" * 30 + "b", ["a" * 30 + "c"]) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("a" * 41, "41 characters"),
        ("a\nb", "U+000A"),
        ("a\x1b[31m", "U+001B"),
        ("a\u202eb", "U+202E"),
        ("a\u200bb", "U+200B"),
        ("a\u3164b", "U+1160"),
        ("a\ufe0fb", "U+FE0F"),
        ("\u05d0\u05d1", "right to left"),
        ("\u0661\u0662", "right to left"),
        ("tall#2", "version"),
        ("\ua4d4\ua4ee\ua4e1\ua4e1", "alphabet (Lisu)"),
        ("\U00010412\U00010404", "alphabet (Deseret)"),
        ("-tall", "options"),
        ("-_-", "options"),
        ("...", "no letter"),
        ("z\u0327\u0301\u0302\u0303", "marks"),
        ("t\u0430ll", "Cyrillic and Latin"),
    ],
)
def test_a_name_that_hides_something_or_looks_like_two_is_refused(name: str, problem: str) -> None:
    with pytest.raises(NameRefusedError) as refused:
        check_league_name(name)
    assert problem in str(refused.value)
    assert str(refused.value).isprintable()


def test_a_name_has_one_form_whatever_it_was_written_in() -> None:
    assert (
        check_league_name("  cafe\u0301   1 ") == check_league_name("caf\u00e9 1") == "caf\u00e9 1"
    )
    assert len(check_league_name("a" * 40)) == 40
    assert check_league_name("Nguyễn") == "Nguyễn"
