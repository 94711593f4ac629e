"""What strangers write is shown, and does nothing to the terminal that shows it."""

from __future__ import annotations

import pytest

from referee.text import printable, readable, visible

ACTS = ["\x1b[2J", "\r", "\n", "\x9b31m", "\u202e", "\u2028", "\x00", "\ud800", "\u200b"]


@pytest.mark.parametrize("text", ACTS)
def test_nothing_that_a_terminal_acts_on_or_hides_is_left(text: str) -> None:
    for shown in (visible(f"a{text}b"), printable(f"a{text}b", 20)):
        assert shown.isprintable()
        assert (shown[0], shown[-1]) == ("a", "b")
        assert len(shown) > 2


def test_what_can_be_read_stays_as_it_is() -> None:
    assert visible("Füße π 日本 a\\b") == printable("Füße π 日本 a\\b", 40) == "Füße π 日本 a\\b"
    assert readable("Füße\t42\r\nπ\n".encode()) == "Füße\t42\nπ\n"


@pytest.mark.parametrize(("text", "shown"), [("x" * 5, "xxxxx"), ("x" * 6, "xxxx…")])
def test_a_line_is_no_longer_than_it_may_be(text: str, shown: str) -> None:
    assert printable(text, 5) == shown
    assert len(printable("\x1b" * 6, 5)) == 5
