"""A deal as one chat line: it comes back as it was, fits, and errors name the word."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.bots.names import NAME_LIMIT
from referee.match import (
    DealLine,
    DealRecord,
    MatchRecord,
    RecordError,
    RecordMismatchError,
    TableTerms,
    dump_line,
    read_line,
    verify_line,
)
from referee.match.notation import EXAMPLE
from referee.rules import parse_rules, preset_rules, presets, rules_text
from tests.match.playing import random_match

LONGEST = 400
"""What a chat line takes."""
ORDINARY = ("alice-bot", "counter?risk=0.3", "sampler_v2", "first_legal")


def lines_of(record: MatchRecord) -> list[DealLine]:
    return [DealLine(record.terms.rules, record.seats, deal) for deal in record.deals]


def told(deal: DealRecord) -> DealRecord:
    """Returns what a line tells of a deal: not who was asked, nor whose choice it was."""
    return replace(deal, unasked=(), faults=())


def record_of(name: str, seed: object = 1, **settings: object) -> MatchRecord:
    return random_match(name, seed, **{"max_deals": 3, **settings})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", presets())
@settings(max_examples=20)
@given(seed=st.integers(0, 2**64), faults=st.sampled_from([0.0, 0.1]))
def test_every_deal_comes_back_as_it_was_broken_off_and_thrown_in_ones_too(
    name: str, seed: int, faults: float
) -> None:
    record = record_of(name, seed, faults=faults, terms=TableTerms(0), seats=ORDINARY)
    for line in lines_of(record):
        text = dump_line(line)
        assert len(text) <= LONGEST
        assert text.isascii()
        assert len(text.splitlines()) == 1
        full = verify_line(read_line(text))
        assert (full.rules, full.seats) == (line.rules, line.seats)
        assert full.deal == told(line.deal)
        assert dump_line(full) == text


@given(st.lists(st.text(), min_size=3, max_size=3))
@example(["a b", "a,b", "100%"])
@example(["", "", ""])
@example(["日本", "é\u0301", "\U0001f600"])
@example(["\udcff\ud800", "\n\t\r", "/:+%2C"])
@example(["p:6665", "moon1", "s:1,2,3"])
def test_any_name_comes_back(names: list[str]) -> None:
    [line] = lines_of(record_of("wikihow-3p", max_deals=1))
    text = dump_line(line._replace(seats=tuple(names)))
    assert text.isascii()
    assert read_line(text).seats == tuple(names)


@pytest.mark.parametrize(
    "rules",
    ["tournament-3p min_bid=3", "tournament-4p trumps=0,6,none target=50", "vab-3p tileset=28"],
)
def test_changed_rules_travel_with_the_deal(rules: str) -> None:
    for line in lines_of(record_of(rules)):
        assert verify_line(read_line(dump_line(line))).rules == parse_rules(rules)


def test_a_deal_of_any_preset_fits_into_a_chat_line() -> None:
    longest = max(
        (len(dump_line(line)), name)
        for name in presets()
        for seed in range(40)
        for line in lines_of(record_of(name, seed, seats=ORDINARY))
    )
    assert longest[0] <= MEASURED, longest
    assert longest[0] >= MEASURED - 25, "docs/records.md says how long they get; say it anew"


MEASURED = 244
"""What docs/records.md says a line of ordinary names takes at most."""


def test_four_of_the_longest_names_a_tournament_allows_still_fit() -> None:
    names = tuple(letter * NAME_LIMIT for letter in "abcd")
    for name in presets():
        for line in lines_of(record_of(name, seats=names)):
            assert len(dump_line(line)) <= LONGEST


def test_the_example_of_the_module_is_the_hand_written_hand() -> None:
    full = verify_line(read_line(EXAMPLE))
    assert dump_line(full) == EXAMPLE
    assert full.deal.tricks_won == (3, 2, 2)
    assert (full.deal.made, full.deal.points) == (False, (3, -5, 2))


def test_what_a_line_leaves_out_has_a_meaning() -> None:
    words = dict(word.split(":", 1) for word in EXAMPLE.split()[1:])
    short = f"moon1 rules:{words['rules']} h:{words['h']} w:{words['w']}"
    line = read_line(short)
    assert line.seats == ("seat 0", "seat 1", "seat 2")
    assert (line.deal.number, line.deal.first_bidder, line.deal.forced) == (0, 0, False)
    assert verify_line(line).deal.bids == ()
    without_score = EXAMPLE.rpartition(" ")[0]
    assert verify_line(read_line(without_score)) == verify_line(read_line(EXAMPLE))


def test_words_may_stand_in_any_order_with_any_space_between() -> None:
    first, *words = EXAMPLE.split()
    random.Random(1).shuffle(words)
    assert read_line("  " + "\t ".join([first, *words]) + "\n") == read_line(EXAMPLE)


# Errors name the word.


def with_word(key: str, value: str | None) -> str:
    words = [word for word in EXAMPLE.split() if not word.startswith(f"{key}:")]
    return " ".join(words if value is None else [*words, f"{key}:{value}"])


ERRORS = [
    ("", "deal: begins with '', not with 'moon1'"),
    ("moon2 rules:wikihow-3p", "deal: begins with 'moon2', not with 'moon1'"),
    ("moon1", "deal: has no rules:"),
    (with_word("h", None), "deal: has no h:"),
    (f"{EXAMPLE} hello", "deal: 'hello' is no word of a deal; known are rules:, seats:"),
    (f"{EXAMPLE} z:1", "deal: 'z:1' is no word of a deal"),
    (f"{EXAMPLE} n:0", "deal: n: stands twice"),
    (with_word("rules", "wikihow-3q"), "deal, rules:: not a rule preset: 'wikihow-3q' (did you"),
    (with_word("rules", "wikihow-3p+min_bid"), "deal, rules:: not a rule change: 'min_bid'"),
    (with_word("rules", "wikihow-4p"), "deal, h:: 3 hands for 4 seats"),
    (with_word("seats", "a,b"), "deal, seats:: 2 names for 3 seats"),
    (with_word("seats", "a,b,c,d"), "deal, seats:: 4 names for 3 seats"),
    (with_word("seats", "a,b,%ff"), "deal, seats:: 'utf-8' codec can't decode"),
    (with_word("n", "-1"), "deal, n:: -1 is less than 0"),
    (with_word("n", "1_0"), "deal, n:: '1_0' is no whole number"),
    (with_word("n", "٣"), "is no whole number"),
    (with_word("n", "9" * 5000), "is no whole number"),
    (with_word("f", "3"), "deal, f:: 3 is not a seat of 3, counted from 0"),
    (with_word("f", "-1"), "deal, f:: -1 is not a seat of 3"),
    (with_word("f", "0!!"), "deal, f:: '0!' is no whole number"),
    (with_word("h", "6555/64/66"), "hands of [2, 1, 1]"),
    (with_word("h", "65555344423322/64634341321100"), "deal, h:: 2 hands for 3 seats"),
    (with_word("h", "6565/64/66"), "deal, h:: a tile stands twice in 6565"),
    (with_word("h", "655/64/66"), "deal, h:: '655' is not made of tiles of two digits each"),
    (with_word("h", "56/64/66"), "deal, h:: not a tile: '56' (write the higher end first"),
    (with_word("w", "5"), "deal, w:: '5' is not made of tiles"),
    (with_word("w", "5151"), "hands of [7, 7, 7] and 2 in the middle"),
    (with_word("b", "4,8,p"), "deal, b:: not a bid: '8'"),
    (with_word("b", "4,,p"), "deal, b:: not a bid: ''"),
    (with_word("t", "7"), "deal, t:: not a trump: '7'"),
    (with_word("x", "4142"), "deal, x:: '4142' is not one tile, take or leave"),
    (with_word("x", "maybe"), "deal, x:: '"),
    (with_word("p", "1166/545351"), "deal, p:: trick 1 has 2 tiles; expected 3"),
    (with_word("p", "11665500/545351"), "deal, p:: trick 1 has 4 tiles; expected 3"),
    (with_word("c", "x"), "deal, c:: not a suit: 'x'"),
    (with_word("s", "1,2"), "deal, s:: 2 scores for 3 sides"),
    (with_word("s", "1,2,x"), "deal, s:: 'x' is no whole number"),
    (with_word("s", "1,2,+3"), "deal, s:: '+3' is no whole number"),
]


@pytest.mark.parametrize(("text", "says"), ERRORS)
def test_an_error_names_the_word(text: str, says: str) -> None:
    with pytest.raises((RecordError, RecordMismatchError)) as caught:
        verify_line(read_line(text))
    assert says in str(caught.value)
    assert len(str(caught.value)) < 500


MISMATCHES = [
    ("s", "3,-5,3", "deal: s: says 3 -5 3, but by the rules it is 3 -5 2"),
    ("b", "4,5,p,p", "bids says 4 5 pass pass, but by the rules it is 4 5 pass"),
    ("b", "5,4,p", "deal, choice 1: seat 1 may not bid 4; legal: pass, bid 6, bid 7, bid 21"),
    ("t", "n", "may not play"),
    ("t", None, "deal: seat 1 has no trump here, but the deal goes on"),
    ("x", "66", "deal, choice 3: seat 1 may not discard 6-6"),
    ("x", None, "deal: seat 1 has no discard here, but the deal goes on"),
    ("x", "leave", "deal: seat 1 has no discard here, but the deal goes on"),
    ("c", "d", "may not play 1-1 as doubles"),
    ("f", "1", "may not"),
    ("w", None, "and 0 in the middle; expected 3 hands of 7 and 1"),
    ("w", "66", "the tiles dealt are not the tiles of the game, once each"),
    ("p", "115566", "may not play 5-5; legal: play 6-6"),
]


@pytest.mark.parametrize(("key", "value", "says"), MISMATCHES)
def test_a_deal_that_the_rules_do_not_bear_out_is_found(
    key: str, value: str | None, says: str
) -> None:
    with pytest.raises(RecordMismatchError) as caught:
        verify_line(read_line(with_word(key, value)))
    assert says in str(caught.value)


def test_an_error_is_placed_where_the_caller_says() -> None:
    with pytest.raises(RecordError, match=r"^chat, line 4, n:: "):
        read_line(with_word("n", "x"), "chat, line 4")
    with pytest.raises(RecordMismatchError, match=r"^chat, line 4, choice 3: "):
        verify_line(read_line(with_word("x", "66")), "chat, line 4")


@pytest.mark.parametrize("name", ["wikihow-3p", "tournament-4p", "domino-play-3p", "kelley-3p"])
@given(seed=st.integers(0, 2**64), edits=st.integers(1, 4))
def test_random_damage_is_refused_or_is_a_deal_that_the_rules_allow(
    name: str, seed: int, edits: int
) -> None:
    rng = random.Random(seed)
    line = lines_of(record_of(name, seed % 7))[0]
    letters = list(dump_line(line))
    for _ in range(edits):
        at = rng.randrange(len(letters))
        match rng.randrange(3):
            case 0:
                letters[at] = rng.choice("0123456789:/,!-+ dnpx\u0660\ud800")
            case 1:
                del letters[at : at + rng.choice((1, 1, 2, 9))]
            case _:
                letters[at:at] = letters[at : at + rng.choice((1, 2, 9))]
    try:
        full = verify_line(read_line("".join(letters)))
    except (RecordError, RecordMismatchError) as error:
        str(error).encode()
        return
    assert verify_line(read_line(dump_line(full))) == full


@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        read_line(text)


def test_the_rules_of_every_preset_have_a_text_without_spaces() -> None:
    for name in presets():
        text = rules_text(preset_rules(name))
        assert parse_rules(text.replace("+", " ")) == preset_rules(name)
        assert "+" not in text
