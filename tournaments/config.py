"""The tournament file: what is played, by whom, on which terms.

A file needs a list of bots and nothing else. What must stay the same for a run to be continued is
its `identity`; how fast and where it is played (workers, batches, the store) may change.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.bots.terms import MAX_BATCH, TABLES_IN_FLIGHT, CallStyle, ClockTerms
from referee.errors import ConfigError, NotFoundError
from referee.match import TableTerms
from referee.match.matches import DEFAULT_MAX_DEALS
from referee.rules import (
    DEFAULT_PRESETS,
    OptionError,
    Rules,
    RulesError,
    change_rules,
    parse_rules,
    rules_text,
)
from referee.rules.options import OPTION_NAMES
from tournaments.identity import IDENTITY_VERSION
from tournaments.names import entrant_names, look, name_problem
from tournaments.schedule import EntrantId, Schedule, check_entrants, round_robin
from tournaments.toml_reader import Reader, shown

Describe = Callable[[str, Path], str]
"""Returns the hash of all that a bot runs, from its text and the folder it is relative to."""


@dataclass(frozen=True, slots=True)
class BotText:
    """A bot, as the file names it."""

    text: str
    """``greedy``, ``./mybot``, ``cmd:...``: relative to the folder of the file."""
    content: str = ""
    """The hash of all that it runs; empty until `TournamentConfig.described`."""


@dataclass(frozen=True, slots=True)
class EntrantConfig:
    """What is ranked: one bot, or at tables of four the two bots of a pair."""

    name: EntrantId
    bots: tuple[BotText, ...]


@dataclass(frozen=True, slots=True)
class TournamentConfig:
    """A tournament, as its file describes it."""

    name: str
    rules: Rules
    entrants: tuple[EntrantConfig, ...]
    store: Path
    """Where the run is kept."""
    base: Path
    """The folder that the texts of bots are relative to."""
    path: Path | None = None
    """The file; ``None`` if it came from a command line."""
    seed: str | None = field(default=None, repr=False)
    """The secret that all deals follow from; ``None`` until one is drawn for the run."""
    rounds: int = 1
    deals: int | None = None
    """The fixed number of deals of a match; ``None`` means to the target."""
    max_deals: int = DEFAULT_MAX_DEALS
    """The deals after which a match to the target ends anyway."""
    clock: ClockTerms = field(default_factory=ClockTerms)
    table: TableTerms = field(default_factory=TableTerms)
    call: CallStyle = CallStyle.AUTO
    workers: int = 1
    """How many worker processes play tables."""
    max_batch: int = MAX_BATCH
    """How many decisions go into one message at most."""
    tables_in_flight: int = TABLES_IN_FLIGHT
    """How many tables a worker plays at the same time."""

    def schedule(self) -> Schedule:
        """Returns all that is to be played."""
        names = [entrant.name for entrant in self.entrants]
        return round_robin(names, seats=self.rules.players, rounds=self.rounds)

    def seeded(self, seed: str) -> TournamentConfig:
        """Returns this tournament with *seed*, if the file names none."""
        return self if self.seed is not None else replace(self, seed=seed)

    def described(self, describe: Describe) -> TournamentConfig:
        """Returns this tournament with the content of every bot.

        Raises:
            ConfigError: if *describe* refuses a text; the message names the place in the file.
            NotFoundError: if *describe* does not find a bot.
        """
        entrants = []
        for index, entrant in enumerate(self.entrants):
            key = f"bots[{index}]"
            try:
                bots = [replace(b, content=describe(b.text, self.base)) for b in entrant.bots]
            except NotFoundError as error:
                place = ": ".join([*([str(self.path)] if self.path else []), key])
                raise NotFoundError(f"{place}: {error}") from None
            except ConfigError as error:
                raise ConfigError(self.path, key, str(error)) from None
            entrants.append(replace(entrant, bots=tuple(bots)))
        return replace(self, entrants=tuple(entrants))

    def identity(self) -> dict[str, object]:
        """Returns what must not change for a run to be continued, as JSON values.

        `canonical` makes the one text of it.
        """
        times = {name: getattr(self.clock, name) for name in _TIMES}
        return {
            "version": IDENTITY_VERSION,
            "rules": rules_text(self.rules),
            "seed": self.seed,
            "rounds": self.rounds,
            "deals": self.deals,
            "max_deals": self.max_deals,
            "entrants": [
                {"name": e.name, "bots": [{"text": b.text, "content": b.content} for b in e.bots]}
                for e in self.entrants
            ],
            "clock": {**times, "strikes": self.table.strikes},
            "call": self.call.value,
            "ask_forced": self.table.ask_forced,
        }


def load_config(
    path: str | Path,
    instead: Mapping[str, object] | None = None,
    changes: Sequence[str] = (),
) -> TournamentConfig:
    """Returns the tournament that the TOML file at *path* describes.

    Args:
        path: The file.
        instead: Values that hold instead of those in the file; tables are merged.
        changes: Options of the rules to change on top of the file, each ``OPTION=VALUE``.

    Raises:
        NotFoundError: if the file is not there.
        ConfigError: if it means nothing; the message names the file, the key and what was expected.
    """
    path = Path(path)
    try:
        data = tomllib.loads(path.read_bytes().decode())
    except FileNotFoundError:
        raise NotFoundError(f"{path}: there is no such file") from None
    except OSError as error:
        raise ConfigError(path, None, f"cannot be read: {(error.strerror or '').lower()}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(path, None, f"is not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        problem = str(error)
        raise ConfigError(path, None, f"is not TOML: {problem[:1].lower()}{problem[1:]}") from None
    for key, value in (instead or {}).items():
        old = data.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            data[key] = {**old, **value}
        else:
            data[key] = value
    return parse_config(data, path=path, changes=changes)


def parse_config(
    data: Mapping[str, object],
    *,
    path: Path | None = None,
    changes: Sequence[str] = (),
) -> TournamentConfig:
    """Returns the tournament that *data*, as read from TOML, describes.

    Args:
        data: The keys and values.
        path: The file they came from, for messages, names and relative paths.
        changes: Options of the rules to change on top of them, each ``OPTION=VALUE``.

    Raises:
        ConfigError: if they mean nothing.
        RulesError: if a change means nothing.
    """
    base = (path.parent if path else Path()).absolute()
    top = Reader(data, _TOP_KEYS, path=path, elsewhere=_CLOCK_KEYS + _RULE_KEYS)
    stem = path.stem if path else "tournament"
    rules = change_rules(_rules(top), tuple(changes))
    return TournamentConfig(
        name=_name(top, stem),
        rules=rules,
        entrants=_entrants(top, rules),
        store=base / Path(top.text("store", default=f"{stem}.sqlite")).expanduser(),
        base=base,
        path=path,
        seed=top.text_or_number("seed"),
        rounds=top.number("rounds", default=1, least=1),
        deals=top.number_or_none("deals", least=1),
        max_deals=top.number("max_deals", default=DEFAULT_MAX_DEALS, least=1),
        clock=_clock(top),
        table=_table(top),
        call=CallStyle(top.one_of("call", tuple(CallStyle), default=CallStyle.AUTO)),
        workers=top.number("workers", default=default_workers(), least=1),
        max_batch=top.number("max_batch", default=MAX_BATCH, least=1),
        tables_in_flight=top.number("tables_in_flight", default=TABLES_IN_FLIGHT, least=1),
    )


def default_workers() -> int:
    """Returns one less than the cores this process may use, at least one: bots need a core too."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


_TIMES = ("move_time", "bank", "startup", "first_move")
_CLOCK_KEYS = tuple(f"clock.{name}" for name in (*_TIMES, "strikes"))
_RULE_KEYS = tuple(f"rule.{name}" for name in OPTION_NAMES)
_TOP_KEYS = (
    "name", "bots", "rules", "rule", "seed", "rounds", "deals", "max_deals", "clock", "call",
    "ask_forced", "workers", "max_batch", "tables_in_flight", "store",
)  # fmt: skip


def _name(top: Reader, default: str) -> str:
    name = top.text("name", default=default)
    problem = name_problem(name, longest=80)
    if problem is not None:
        raise top.error("name", f"{name!r} {problem}")
    return name


def _rules(top: Reader) -> Rules:
    name = top.text("rules", default=DEFAULT_PRESETS[3])
    changes = top.table("rule")
    Reader(changes, OPTION_NAMES, path=top.path, table="rule", elsewhere=_TOP_KEYS)
    try:
        rules = parse_rules(name)
    except RulesError as error:
        raise top.error("rules", str(error)) from None
    try:
        return rules.change(**changes)
    except OptionError as error:
        problem = str(error).removeprefix(f"rule {error.option}: ")
        raise top.error(f"rule.{error.option}", problem) from None


def _clock_reader(top: Reader) -> Reader:
    names = (*_TIMES, "strikes")
    return Reader(top.table("clock"), names, path=top.path, table="clock", elsewhere=_TOP_KEYS)


def _clock(top: Reader) -> ClockTerms:
    reader, usual = _clock_reader(top), ClockTerms()
    return ClockTerms(
        move_time=reader.duration("move_time", default=usual.move_time),
        bank=reader.duration("bank", default=0.0, positive=False) or None,
        startup=reader.duration("startup", default=usual.startup),
        first_move=reader.duration("first_move", default=usual.first_move),
    )


def _table(top: Reader) -> TableTerms:
    usual = TableTerms()
    return TableTerms(
        strikes=_clock_reader(top).number("strikes", default=usual.strikes, least=0),
        ask_forced=top.flag("ask_forced", default=usual.ask_forced),
    )


def _entrants(top: Reader, rules: Rules) -> tuple[EntrantConfig, ...]:
    items = top.get("bots")
    if items is None:
        raise top.error("bots", 'is missing; write bots = ["greedy", "counter", "./mybot"]')
    if not isinstance(items, list):
        raise top.error("bots", f"expected a list of bots, got {shown(items)}")
    wished: list[str | None] = []
    bots: list[tuple[str, ...]] = []
    for index, item in enumerate(items):
        name, texts = _entrant(top, f"bots[{index}]", item, rules)
        wished.append(name)
        bots.append(texts)
    names = entrant_names(bots, wished)
    for index in range(len(names)):
        _check_name(top, names, index, wished=wished[index] is not None)
    try:
        check_entrants(names, seats=rules.players)
    except ConfigError as error:
        raise top.error("bots", str(error).removeprefix("bots: ")) from None
    entrants = zip(names, bots, strict=True)
    return tuple(EntrantConfig(name, tuple(map(BotText, texts))) for name, texts in entrants)


def _check_name(top: Reader, names: Sequence[EntrantId], index: int, *, wished: bool) -> None:
    name, key = names[index], f"bots[{index}]"
    problem = name_problem(name)
    if problem is not None and wished:
        raise top.error(f"{key}.name", f"{name!r} {problem}")
    if problem is not None:
        hint = "give it another: { bot = ..., name = ... }"
        raise top.error(key, f"the name {name!r} {problem}; {hint}")
    for other in range(index):
        if look(names[other]) == look(name):
            raise top.error(key, f"the name {name!r} is too like that of bots[{other}]")


def _entrant(
    top: Reader, key: str, item: object, rules: Rules
) -> tuple[str | None, tuple[str, ...]]:
    """Returns the name that one item of ``bots`` wishes, and the texts of its bots."""
    name = None
    if isinstance(item, dict):
        reader = Reader(item, ("bot", "name"), path=top.path, table=key)
        item = reader.get("bot")
        name = reader.text("name", default="") or None
        if item is None:
            raise top.error(f"{key}.bot", "is missing")
    texts: list[str] = []
    for text in item if isinstance(item, list) else [item]:
        if not isinstance(text, str) or not text.strip():
            raise top.error(key, f'expected a bot like "greedy" or "./mybot", got {shown(text)}')
        texts.append(text.strip())
    if rules.players == 3 and isinstance(item, list):
        raise top.error(
            key, 'a list of bots is a pair, and pairs play four at a table: rules = "tournament-4p"'
        )
    if isinstance(item, list) and len(item) != 2:
        raise top.error(key, f"a pair is two bots, got {len(item)}")
    pair = texts * 2 if rules.players == 4 and len(texts) == 1 else texts
    return name, tuple(pair)
