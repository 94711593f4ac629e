"""The page about rules names what there is, and what it shows can be typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.rules import parse_rules, presets
from referee.rules.options import OPTION_NAMES, parse_option

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
WORDS = set(re.findall(r"`([^`\n]+)`", PAGE))


def test_every_named_set_is_on_the_page_and_no_other() -> None:
    named = {
        word for word in WORDS if re.fullmatch(r"[a-z]+(-[a-z0-9]+)*-[34]p(-[a-z0-9]+)*", word)
    }
    assert named | {"house-bidder-out"} == set(presets())


def test_every_option_on_the_page_exists_with_that_value() -> None:
    shown = {word.removeprefix("--rule ") for word in WORDS if re.search(r"^[a-z_ -]+=\S+$", word)}
    assert len(shown) > 6
    for option in shown:
        name, _, value = option.partition("=")
        assert name in OPTION_NAMES, option
        assert parse_option(name, value) is not None, option


@pytest.mark.parametrize(
    "text", re.findall(r"moon rules show (.*?)$", PAGE.replace("\\\n", " "), re.MULTILINE)
)
def test_the_rules_in_the_examples_can_be_played(text: str) -> None:
    words = [word for word in text.split() if word not in ("--rule", "--diff")]
    for name in [word for word in words if "=" not in word]:
        parse_rules(" ".join([name, *(word for word in words if "=" in word)]))


def test_the_python_on_the_page_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "docs/rules.md", "exec"), {})
