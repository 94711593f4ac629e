"""The tournament file: what is played, by whom, on which terms.

A file needs a list of bots and nothing else. What must stay the same for a run to be continued is
its `identity`; how fast and where it is played (workers, batches, the store) may change.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.bots.names import NameRefusedError, check_name
from referee.bots.sandbox.tiers import Sandbox
from referee.bots.spec import BotSpec
from referee.bots.terms import (
    MAX_BATCH,
    CallStyle,
    ClockTerms,
    RemoteTerms,
)
from referee.errors import ConfigError
from referee.match import TableTerms
from referee.match.matches import DEFAULT_MAX_DEALS
from referee.rules import (
    Rules,
    change_rules,
    rules_text,
)
from tournaments.entrants import Entrant, described, read_entrants, with_house_bots
from tournaments.evidence.luck import LuckTerms
from tournaments.holding import hidden_from_bots
from tournaments.identity import IDENTITY_VERSION
from tournaments.schedule import DESIGNS, Format, Schedule, make_schedule
from tournaments.schedule.nights import Stage, night_schedule
from tournaments.terms_reader import (
    LOCAL_TIMES,
    TABLE_KEYS,
    TIMES,
    read_clock,
    read_rules,
    read_sandbox,
    read_table_terms,
)
from tournaments.toml_reader import Reader, read_toml

LONGEST_NAME = 80
"""What the name of a tournament may have, in characters."""


@dataclass(frozen=True, slots=True)
class TournamentConfig:
    """A tournament, as its file describes it."""

    name: str
    rules: Rules
    entrants: tuple[Entrant, ...]
    store: Path
    """Where the run is kept."""
    base: Path
    """The folder that the texts of bots are relative to."""
    path: Path | None = None
    """The file; ``None`` if it came from a command line."""
    seed: str | None = field(default=None, repr=False)
    """The secret that all deals follow from; ``None`` until one is drawn for the run."""
    format: Format = Format.ROUND_ROBIN
    house: int = 0
    """How many of the entrants, the last ones, are house bots in places that were left."""
    rounds: int = 1
    deals: int | None = None
    """The fixed number of deals of a match; ``None`` means to the target."""
    max_deals: int = DEFAULT_MAX_DEALS
    """The deals after which a match to the target ends anyway."""
    clock: ClockTerms = field(default_factory=ClockTerms)
    table: TableTerms = field(default_factory=TableTerms)
    call: CallStyle = CallStyle.AUTO
    remote: RemoteTerms = field(default_factory=RemoteTerms)
    workers: int = 1
    """How many worker processes play tables."""
    max_batch: int = MAX_BATCH
    """How many decisions go into one message at most."""
    tables_in_flight: int | None = None
    """How many tables a worker plays at the same time; ``None`` for as many as turn out well."""
    sandbox: Sandbox = field(default_factory=Sandbox)
    """How bots are held, and what each may use."""
    luck: LuckTerms | None = None
    """How scores are adjusted for the luck of the deal, if they are."""
    ponder: bool = False
    """Whether bots may think in the time of others, where they could be kept from it."""
    night: tuple[Stage, ...] | None = None
    """The stages of a league night, which has no other schedule; ``None`` for a tournament."""

    @property
    def hidden(self) -> tuple[Path, ...]:
        """What no bot may read: the seed stands in it."""
        return hidden_from_bots(self.store, self.path)

    def schedule(self) -> Schedule:
        """Returns all that is to be played; of a league night, the rounds that were begun."""
        if self.night is not None:
            return night_schedule(self.night, seats=self.rules.players)
        names = [entrant.name for entrant in self.entrants]
        return make_schedule(self.format, names, seats=self.rules.players, rounds=self.rounds)

    def check_rankable(self) -> None:
        """Refuses what can be planned, but not ranked.

        Raises:
            ConfigError: if somebody is its own partner at every table, so that no table is rated.
        """
        if self.format is Format.MIXED and len(self.entrants) == 3:
            raise ConfigError(
                self.path,
                "bots",
                f'with 3 entrants the format "{self.format}" makes somebody its own partner at '
                "every table, and such tables are not rated; name at least 4",
            )

    def seeded(self, seed: str) -> TournamentConfig:
        """Returns this tournament with *seed*, if the file names none."""
        return self if self.seed is not None else replace(self, seed=seed)

    def described(self, describe: Callable[[BotSpec], str]) -> TournamentConfig:
        """Returns this tournament with the content of every bot.

        Raises:
            NotFoundError: if *describe* does not find a bot; the message names the place in the
                file.
        """
        return replace(self, entrants=described(self.entrants, describe, self.path))

    def identity(self) -> dict[str, object]:
        """Returns what must not change for a run to be continued, as JSON values.

        `canonical` makes the one text of it.
        """
        has_remote = any(bot.is_remote for entrant in self.entrants for bot in entrant.bots)
        names = TIMES if has_remote else LOCAL_TIMES
        times = {name: getattr(self.clock, name) for name in names}
        # Runs from before there were formats are round robins, and say nothing of it.
        other: dict[str, object] = {}
        if self.format is not Format.ROUND_ROBIN:
            other["format"] = self.format.value
        if self.luck is not None:
            other["luck"] = {"coefficient": self.luck.coefficient, "hash": self.luck.hash}
        if self.night is not None:
            other["night"] = [stage.to_json() for stage in self.night]
        return {
            **other,
            "version": IDENTITY_VERSION,
            "rules": rules_text(self.rules),
            "seed": self.seed,
            "rounds": self.rounds,
            "deals": self.deals,
            "max_deals": self.max_deals,
            "entrants": [entrant.identity() for entrant in self.entrants],
            "clock": {**times, "strikes": self.table.strikes},
            "call": self.call.value,
            "ask_forced": self.table.ask_forced,
            "sandbox": self.sandbox.tier.value,
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
    data = read_toml(path)
    for key, value in (instead or {}).items():
        old = data.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            data[key] = {**old, **value}
        else:
            data[key] = value
    return parse_config(data, path=path, changes=changes)


def store_path(path: str | Path) -> Path:
    """Returns where the tournament file at *path* keeps its run; its bots need not be there.

    Raises:
        NotFoundError: if the file is not there.
        ConfigError: if it is no tournament file.
    """
    path = Path(path)
    return _store(_top(read_toml(path), path))


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
    top = _top(data, path)
    base = _base(path)
    rules = change_rules(read_rules(top, _TOP_KEYS), tuple(changes))
    form = Format(top.one_of("format", tuple(Format), default=Format.ROUND_ROBIN))
    bots, house = with_house_bots(top, form, rules.players, base)
    full = _top({**data, "bots": bots}, path)
    return TournamentConfig(
        name=_name(top),
        rules=rules,
        entrants=read_entrants(full, form, rules.players, base),
        store=_store(top),
        base=base,
        path=path,
        seed=top.text_or_number("seed"),
        format=form,
        house=house,
        rounds=top.number("rounds", default=1, least=1),
        deals=top.number_or_none("deals", least=1),
        max_deals=top.number("max_deals", default=DEFAULT_MAX_DEALS, least=1),
        clock=read_clock(top, _TOP_KEYS),
        table=read_table_terms(top, _TOP_KEYS),
        call=CallStyle(top.one_of("call", tuple(CallStyle), default=CallStyle.AUTO)),
        remote=RemoteTerms(_folder(top, "tls"), _folder(top, "dial_in")),
        workers=top.number("workers", default=default_workers(), least=1),
        max_batch=top.number("max_batch", default=MAX_BATCH, least=1),
        tables_in_flight=top.number_or_none("tables_in_flight", least=1),
        sandbox=read_sandbox(top, _TOP_KEYS),
        luck=_luck(top, form),
        ponder=top.flag("ponder", default=False),
    )


def default_workers() -> int:
    """Returns one less than the cores this process may use, at least one: bots need a core too."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


_TOP_KEYS = (
    "name", "bots", "rules", "rule", "seed", "rounds", "deals", "max_deals", "clock", "call",
    "ask_forced", "workers", "max_batch", "tables_in_flight", "store", "sandbox", "limits",
    "ponder", "tls", "dial_in", "format", "house", "luck",
)  # fmt: skip


def _top(data: Mapping[str, object], path: Path | None) -> Reader:
    return Reader(data, _TOP_KEYS, path=path, elsewhere=TABLE_KEYS)


def _base(path: Path | None) -> Path:
    """Returns the folder that everything in the file at *path* is relative to."""
    return (path.parent if path else Path()).absolute()


def _stem(top: Reader) -> str:
    return top.path.stem if top.path else "tournament"


def _store(top: Reader) -> Path:
    return _path(top, "store", top.text("store", default=f"{_stem(top)}.sqlite"))


def _folder(top: Reader, key: str) -> str | None:
    text = top.text(key, default="")
    return str(_path(top, key, text)) if text else None


def _path(top: Reader, key: str, text: str) -> Path:
    if not text.isprintable():
        raise top.error(key, f"{text!r} is no name of a file")
    try:
        path = _base(top.path) / Path(text).expanduser()
        path.lstat()
    except FileNotFoundError:
        pass
    except RuntimeError as error:
        raise top.error(key, str(error).lower()) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise top.error(key, f"the name is too long: {text[:40]}...") from None
    return path


def _name(top: Reader) -> str:
    name = top.text("name", default=_stem(top))
    try:
        return check_name(name, LONGEST_NAME)
    except NameRefusedError as error:
        raise top.error("name", str(error)) from None


def _luck(top: Reader, form: Format) -> LuckTerms | None:
    value = top.get("luck")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 21:
        raise top.error("luck", f"expected points for a trick, from 0 to 21, got {value!r}")
    if DESIGNS[form].is_individual:
        problem = f'the format "{form}" changes partners, and luck is adjusted for sides that stay'
        raise top.error("luck", problem)
    return LuckTerms.of(float(value))
