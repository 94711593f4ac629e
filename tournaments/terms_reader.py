"""What a match is played for, on which clock and how bots are held, as a file of ours says it.

A tournament file and the file of a league say these things in the same words.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.bots.sandbox.tiers import Sandbox, Tier
from referee.bots.terms import NETWORK, ClockTerms
from referee.match import TableTerms
from referee.rules import DEFAULT_PRESETS, OptionError, Rules, RulesError, parse_rules
from referee.rules.options import OPTION_NAMES
from tournaments.holding import LIMIT_NAMES, limits_in, sandbox_of
from tournaments.toml_reader import Reader

LOCAL_TIMES = ("move_time", "bank", "startup", "first_move")
"""The times of the clock that every bot has."""
TIMES = (*LOCAL_TIMES, "network")
TABLE_KEYS = (
    *(f"clock.{name}" for name in (*TIMES, "strikes")),
    *(f"limits.{name}" for name in LIMIT_NAMES),
    *(f"rule.{name}" for name in OPTION_NAMES),
)
"""The whole keys of the tables that are read here, for the hints of a `Reader`."""


def read_rules(top: Reader, elsewhere: Sequence[str]) -> Rules:
    """Returns what ``rules`` and ``[rule]`` mean.

    Args:
        top: The file.
        elsewhere: Its keys above the tables.

    Raises:
        ConfigError: if they mean nothing.
    """
    name = top.text("rules", default=DEFAULT_PRESETS[3])
    changes = top.table("rule")
    Reader(changes, OPTION_NAMES, path=top.path, table="rule", elsewhere=elsewhere)
    try:
        rules = parse_rules(name)
    except RulesError as error:
        raise top.error("rules", str(error)) from None
    try:
        return rules.change(**changes)
    except OptionError as error:
        problem = str(error).removeprefix(f"rule {error.option}: ")
        raise top.error(f"rule.{error.option}", problem) from None


def read_clock(top: Reader, elsewhere: Sequence[str]) -> ClockTerms:
    """Returns what ``[clock]`` means.

    Raises:
        ConfigError: if it means nothing.
    """
    reader, usual = _clock_reader(top, elsewhere), ClockTerms()
    return ClockTerms(
        move_time=reader.duration("move_time", default=usual.move_time),
        bank=reader.duration("bank", default=0.0, positive=False) or None,
        startup=reader.duration("startup", default=usual.startup),
        first_move=reader.duration("first_move", default=usual.first_move),
        network=reader.duration("network", default=NETWORK, positive=False),
    )


def read_table_terms(top: Reader, elsewhere: Sequence[str]) -> TableTerms:
    """Returns what ``clock.strikes`` and ``ask_forced`` mean.

    Raises:
        ConfigError: if they mean nothing.
    """
    usual = TableTerms()
    return TableTerms(
        strikes=_clock_reader(top, elsewhere).number("strikes", default=usual.strikes, least=0),
        ask_forced=top.flag("ask_forced", default=usual.ask_forced),
    )


def read_sandbox(top: Reader, elsewhere: Sequence[str]) -> Sandbox:
    """Returns what ``sandbox`` and ``[limits]`` mean.

    Raises:
        ConfigError: if they mean nothing.
    """
    tier = top.one_of("sandbox", tuple(Tier), default=Tier.BASIC)
    return sandbox_of(tier, limits_in(top, elsewhere))


def _clock_reader(top: Reader, elsewhere: Sequence[str]) -> Reader:
    names = (*TIMES, "strikes")
    return Reader(top.table("clock"), names, path=top.path, table="clock", elsewhere=elsewhere)
