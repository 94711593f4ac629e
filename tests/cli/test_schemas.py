"""What programs read: every form of a JSON document, and how its parts are called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from tournaments.cli.lazy import LazyGroup
from tournaments.cli.main import moon

CODE = Path(__file__).parents[2] / "tournaments"
SCHEMAS = {
    "moon.ask/1", "moon.bench/1", "moon.bot.check/1", "moon.bot.zoo.list/1", "moon.bot.zoo/1",
    "moon.compare/1", "moon.doctor/1", "moon.lab.bids/1", "moon.lab.cross/1", "moon.lab.deals/1",
    "moon.lab.luck/1", "moon.lab.report/1", "moon.league.bots.disqualify/1",
    "moon.league.bots.restore/1", "moon.league.bots.retire/1", "moon.league.bots.show/1",
    "moon.league.bots/1", "moon.league.history/1", "moon.league.night.plan/1",
    "moon.league.night/1", "moon.league.nights/1", "moon.league.rescind/1", "moon.league.seal/1",
    "moon.league.standings/1", "moon.league.submit/1", "moon.play/1", "moon.replay.verify/1",
    "moon.rules.diff/1", "moon.rules.list/1", "moon.rules.show/1", "moon.tournament.close/1",
    "moon.tournament.h2h/1",
    "moon.tournament.plan/1", "moon.tournament.run.seal/1",
    "moon.tournament.show.table/1", "moon.tournament.show/1",
    "moon.tournament.standings/1", "moon.verify.league/1", "moon.verify/1",
}  # fmt: skip
"""Every document that a command writes. A program that knows one breaks when it is renamed."""
FILES = {"moon.state/1"}
"""Forms of files, which are no command's."""


def texts() -> Iterator[str]:
    for path in CODE.rglob("*.py"):
        yield path.read_text(encoding="utf-8")


def commands(group: click.Group, path: tuple[str, ...] = ("moon",)) -> Iterator[str]:
    """Yields every command as its words joined by dots."""
    for name, command in group.commands.items():
        is_lazy = isinstance(group, LazyGroup) and name in group.lazy
        found = group.lazy[name].load() if is_lazy else command
        yield ".".join((*path, name))
        if isinstance(found, click.Group):
            yield from commands(found, (*path, name))


def test_every_document_is_named_by_the_words_of_its_command() -> None:
    found = {name for text in texts() for name in re.findall(r'"(moon\.[a-z0-9.-]+/\d+)"', text)}
    assert found == SCHEMAS | FILES
    known = set(commands(moon))
    for schema in SCHEMAS:
        name = schema.partition("/")[0]
        assert name in known or name.rpartition(".")[0] in known, f"no command writes {schema}"


def test_what_is_so_or_not_is_named_without_a_verb() -> None:
    """Keys are `closed`, `sealed` and `same`; `is_same` beside them would be a second style."""
    keys = [key for text in texts() for key in re.findall(r'"((?:is|has)_\w+)"\s*:', text)]
    assert keys == []
