"""The file of a league: on which terms its bots are taken in, and play."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from referee.bots.names import NameRefusedError, check_name
from referee.bots.sandbox.tiers import Sandbox
from referee.bots.terms import ClockTerms
from referee.match import TableTerms
from referee.match.matches import DEFAULT_MAX_DEALS
from referee.rules import Rules
from tournaments.terms_reader import (
    TABLE_KEYS,
    read_clock,
    read_rules,
    read_sandbox,
    read_table_terms,
)
from tournaments.toml_reader import Reader, parse_toml, read_toml

FILE = "league.toml"
"""Its name in the folder of a league."""
LONGEST_NAME = 80
"""What the name of a league may have, in characters."""

_AUTHOR_KEYS = ("entries", "may_meet")
_SUBMIT_KEYS = ("deals", "build_time")
_KEYS = (
    "name", "rules", "rule", "rounds", "deals", "max_deals", "ask_forced", "suspend_after",
    "sandbox", "limits", "clock", "authors", "submit",
)  # fmt: skip
_ELSEWHERE = (
    *TABLE_KEYS,
    *(f"authors.{key}" for key in _AUTHOR_KEYS),
    *(f"submit.{key}" for key in _SUBMIT_KEYS),
)


@dataclass(frozen=True, slots=True)
class LeagueConfig:
    """The terms of a league, as its file says them."""

    name: str
    rules: Rules
    rounds: int = 1
    """How often, in one night, everybody who may meet meets."""
    deals: int | None = None
    """The fixed number of deals of a match; ``None`` means to the target."""
    max_deals: int = DEFAULT_MAX_DEALS
    """The deals after which a match to the target ends anyway."""
    clock: ClockTerms = field(default_factory=ClockTerms)
    table: TableTerms = field(default_factory=TableTerms)
    sandbox: Sandbox = field(default_factory=Sandbox)
    """How bots are held, and what each may use: at submission and in every night."""
    entries_per_author: int = 2
    """How many entries of one author may play in a night."""
    authors_may_meet: bool = False
    """Whether two entries of one author may share a table."""
    suspend_after: int = 0
    """How many faults in one night suspend an entry; 0 for never."""
    submit_deals: int = 6
    """The deals of each match that an entry has to play without a fault to be taken in."""
    build_time: float = 300.0
    """Seconds that the build command of a submitted bot may take."""


def load_league_config(path: Path) -> LeagueConfig:
    """Returns the terms in the file at *path*.

    Raises:
        NotFoundError: if it is not there.
        ConfigError: if it means nothing; the message names the key and what was expected.
    """
    return _config(read_toml(path), path)


def parse_league_config(text: bytes, path: Path) -> LeagueConfig:
    """Returns the terms in *text*, which was the file at *path*.

    Raises:
        ConfigError: if it means nothing; the message names the key and what was expected.
    """
    return _config(parse_toml(text, path), path)


def _config(data: Mapping[str, object], path: Path) -> LeagueConfig:
    top = Reader(data, _KEYS, path=path, elsewhere=_ELSEWHERE)
    authors = Reader(
        top.table("authors"), _AUTHOR_KEYS, path=path, table="authors", elsewhere=_KEYS
    )
    submit = Reader(top.table("submit"), _SUBMIT_KEYS, path=path, table="submit", elsewhere=_KEYS)
    return LeagueConfig(
        name=_name(top),
        rules=read_rules(top, _KEYS),
        rounds=top.number("rounds", default=1, least=1),
        deals=top.number_or_none("deals", least=1),
        max_deals=top.number("max_deals", default=DEFAULT_MAX_DEALS, least=1),
        clock=read_clock(top, _KEYS),
        table=read_table_terms(top, _KEYS),
        sandbox=read_sandbox(top, _KEYS),
        entries_per_author=authors.number("entries", default=2, least=1),
        authors_may_meet=authors.flag("may_meet", default=False),
        suspend_after=top.number("suspend_after", default=0, least=0),
        submit_deals=submit.number("deals", default=6, least=1),
        build_time=submit.duration("build_time", default=300.0),
    )


def first_config(name: str, rules: str, sandbox: str) -> str:
    """Returns the text of the file of a new league: every term that organisers ask for, explained.

    Raises:
        NameRefusedError: if *name* cannot be shown as it is.
    """
    return _FIRST.format(
        name=json.dumps(check_name(name, LONGEST_NAME), ensure_ascii=False),
        rules=json.dumps(rules),
        sandbox=sandbox,
    )


def _name(top: Reader) -> str:
    folder = top.path.absolute().parent.name if top.path else ""
    try:
        return check_name(top.text("name", default=folder or "league"), LONGEST_NAME)
    except NameRefusedError as error:
        raise top.error("name", str(error)) from None


_FIRST = """\
name = {name}

# What is played. `moon rules list` names the rules; a table [rule] changes options of them.
rules = {rules}
rounds = 1              # how often, in one night, everybody who may meet meets
# deals = 30            # the deals of a match; without it, to the target of the rules

# How bots are held, at submission and in every night: "hardened" for bots of strangers, "basic"
# for those of people you trust. What each may use can be set in a table [limits].
sandbox = "{sandbox}"

# How many faults in one night suspend an entry until it is restored; 0 for never.
suspend_after = 0

[clock]
move_time = "2s"        # for each decision
first_move = "10s"      # for the first decision of a process
startup = "30s"         # for a bot to start
strikes = 2             # faults that get a substitute at a table; one more forfeits

[authors]
entries = 2             # how many entries of one author play in a night
may_meet = false        # whether two entries of one author may share a table

[submit]
deals = 6               # of each match that a new entry has to play without a fault
build_time = "5m"       # for the build command of a bot
"""
