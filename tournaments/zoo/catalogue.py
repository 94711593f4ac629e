"""The catalogue of the zoo: what each program does, and what is promised of it, tier by tier.

One TOML file per group; a group is a letter, and an id is the letter and a number. Rows that
cannot be tried on one machine stand in it too, with the reason.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from referee.bots.sandbox.promises import TITLES
from referee.bots.sandbox.tiers import Tier
from referee.bots.terms import CallStyle, ClockTerms
from referee.errors import ConfigError, NotFoundError, did_you_mean, nearest
from referee.match import FaultKind
from tournaments.holding import limits_in
from tournaments.toml_reader import Reader, shown

OK = "ok"
"""The verdict on a bot without a fault."""
VERDICTS = (OK, *(kind.value for kind in FaultKind))
TIERS = tuple(tier.value for tier in Tier)
CLOCK = ClockTerms(move_time=20.0, startup=60.0, first_move=30.0, grace=0.05)
"""Generous, for the many rows that are not about time."""
PLACEHOLDERS = ("referee", "canary_file", "home_file", "port", "prefix")
"""What may stand in braces in an argument of a program; `Stage.facts` says what each is."""

GROUPS = {
    "P": "processes",
    "R": "CPU, memory and disk",
    "N": "network",
    "F": "files",
    "I": "other processes",
    "G": "gRPC and HTTP/2",
    "B": "messages",
    "T": "time",
    "S": "secrets and disguise",
    "O": "output",
    "L": "leaks",
    "C": "collusion",
    "E": "honest mistakes",
}


class Promise(StrEnum):
    """What is promised of a behaviour in a tier."""

    PREVENTED = "prevented"
    """What it tries does not work."""
    DETECTED = "detected"
    """The verdict names the bot."""
    NOT_PROMISED = "not promised"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A program of the zoo."""

    id: str
    name: str
    """What it does, as the end of "a bot that"."""
    run: tuple[str, ...]
    """The program, in the folder of programs, and its arguments."""
    partner: tuple[str, ...]
    """A second program that sits at the same table; may be empty."""
    promises: Mapping[str, Promise]
    """By tier."""
    verdicts: Mapping[str, tuple[str, ...]]
    """By tier: what the referee may say of it; more than one only where either is just."""
    why: str
    """Why something is not promised."""
    needs: tuple[str, ...]
    """The promises of a tier that this one follows from, by their names in `moon doctor`: where a
    host does not keep one of them, neither does it keep this."""
    alone: bool
    """Whether nothing else may run beside it."""
    same_record: bool
    """Whether a table without a fault goes exactly as it would with an honest bot."""
    clock: ClockTerms
    call: CallStyle
    limits: Mapping[str, int | float] = field(hash=False)
    """What differs from the limits of the sandbox."""
    strikes: int
    deals: int
    file: str
    """The file of the catalogue that it stands in, for messages."""

    @property
    def group(self) -> str:
        """The letter of its group."""
        return self.id[0]


@dataclass(frozen=True, slots=True)
class Untried:
    """A row that cannot be tried on one machine."""

    id: str
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All behaviours, in order."""

    behaviours: tuple[Behaviour, ...]
    untried: tuple[Untried, ...]
    programs: Path
    """The folder of the programs."""

    def only(self, names: Iterable[str]) -> Catalogue:
        """Returns the part that *names* name: ids, or the letters of groups; all if there are none.

        Case does not matter.

        Raises:
            NotFoundError: if one names nothing.
        """
        given = [name.strip() for text in names for name in text.split(",") if name.strip()]
        wanted = [name[0].upper() + name[1:].lower() for name in given]
        known = {b.id for b in self.behaviours}
        groups = {b.group for b in self.behaviours}
        for name, typed in zip(wanted, given, strict=True):
            if name not in known and name not in groups:
                near = nearest(name, sorted(known)) if len(name) > 1 else None
                hint = "--list shows all" if near is None else f"did you mean {near!r}?"
                raise NotFoundError(f"there is no behaviour or group {typed!r} in the zoo ({hint})")
        if not wanted:
            return self
        kept = tuple(b for b in self.behaviours if b.id in wanted or b.group in wanted)
        return Catalogue(kept, (), self.programs)


def find_zoo() -> Path:
    """Returns the folder of the catalogue: that of the checkout, or the one that was installed.

    Raises:
        NotFoundError: if there is none.
    """
    here = Path(__file__).resolve().parent
    for place in (here.parent.parent / "tests" / "zoo", here / "behaviours"):
        if any(place.glob("?.toml")):
            return place
    raise NotFoundError(f"the zoo was not installed: {here / 'behaviours'} has no catalogue")


def load_catalogue(folder: Path | None = None) -> Catalogue:
    """Returns the catalogue in *folder*, by default the one that comes with the program.

    Raises:
        ConfigError: if a file of it means nothing.
        NotFoundError: if there is none.
    """
    place = folder or find_zoo()
    programs = place / "programs"
    behaviours: list[Behaviour] = []
    untried: list[Untried] = []
    files = {path.stem: path for path in place.glob("?.toml")}
    for stem in sorted(files, key=_group_order):
        for row in _rows(files[stem], programs):
            if isinstance(row, Behaviour):
                behaviours.append(row)
            else:
                untried.append(row)
    ids = [b.id for b in behaviours] + [u.id for u in untried]
    for name in ids:
        if ids.count(name) > 1:
            raise ConfigError(place, name, "this id is given twice")
    runs = [run for b in behaviours for run in (b.run, b.partner) if run]
    for b in behaviours:
        if runs.count(b.run) > 1 or runs.count(b.partner) > 1:
            # Its processes are told from others by their command lines.
            raise ConfigError(b.file, b.id, "is run like another; add an argument that differs")
    return Catalogue(tuple(behaviours), tuple(untried), programs)


def _group_order(letter: str) -> int:
    return [*GROUPS, letter].index(letter)


def _rows(path: Path, programs: Path) -> Iterable[Behaviour | Untried]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(path, None, str(error)) from None
    Reader(data, ("behaviour", "untried"), path=path)
    for key in ("behaviour", "untried"):
        rows = data.get(key, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ConfigError(path, key, f"expected tables [[{key}]], got {shown(rows)}")
        for number, row in enumerate(rows):
            table = f"{key} {row.get('id', number)}"
            read = _untried if key == "untried" else _behaviour
            yield read(row, path, table, programs)


def _untried(row: dict[str, object], path: Path, table: str, programs: Path) -> Untried:
    reader = Reader(row, ("id", "name", "why"), path=path, table=table)
    return Untried(_id(reader), _text(reader, "name"), _text(reader, "why"))


_KEYS = (
    "id", "name", "run", "partner", "verdict", "none", "basic", "hardened", "none_verdict",
    "basic_verdict", "hardened_verdict", "why", "needs", "alone", "same_record", "clock", "call",
    "limits", "strikes", "deals",
)  # fmt: skip


def _behaviour(row: dict[str, object], path: Path, table: str, programs: Path) -> Behaviour:
    reader = Reader(row, _KEYS, path=path, table=table)
    verdict = _verdicts(reader, "verdict", ())
    if not verdict:
        raise reader.error("verdict", f"is missing; expected one of {', '.join(VERDICTS)}")
    promises = _promises(reader)
    verdicts = {tier: _verdicts(reader, f"{tier}_verdict", verdict) for tier in TIERS}
    for tier, promise in promises.items():
        if promise is Promise.DETECTED and OK in verdicts[tier]:
            raise reader.error(tier, f'is "{promise}", which the verdict "ok" contradicts')
    why = reader.text("why", default="")
    if not why and Promise.NOT_PROMISED in (promises["basic"], promises["hardened"]):
        raise reader.error("why", "is missing: say why it is not promised")
    return Behaviour(
        id=_id(reader),
        name=_text(reader, "name"),
        run=_command(reader, "run", programs),
        partner=_command(reader, "partner", programs) if "partner" in row else (),
        promises=promises,
        verdicts=verdicts,
        why=why,
        needs=_needs(reader),
        alone=reader.flag("alone", default=False),
        same_record=reader.flag("same_record", default=True),
        clock=_clock(reader),
        call=CallStyle(reader.one_of("call", list(CallStyle), default=CallStyle.AUTO)),
        limits=limits_in(reader),
        strikes=reader.number("strikes", default=0, least=0),
        deals=reader.number("deals", default=1, least=1),
        file=path.name,
    )


def _promises(reader: Reader) -> dict[str, Promise]:
    """Returns the promise of each tier; without a sandbox only what needs none can be detected."""
    promises = {}
    for tier in ("basic", "hardened"):
        if reader.get(tier) is None:
            raise reader.error(tier, f"is missing; expected one of {', '.join(Promise)}")
        promises[tier] = Promise(reader.one_of(tier, list(Promise), default=""))
    bare = promises["basic"]
    default = Promise.NOT_PROMISED if bare is Promise.PREVENTED else bare
    return {"none": Promise(reader.one_of("none", list(Promise), default=default)), **promises}


def _id(reader: Reader) -> str:
    name = _text(reader, "id")
    letter = reader.path.stem if reader.path is not None else ""
    if not re.fullmatch(rf"{letter}\d+[a-z]?", name):
        raise reader.error("id", f"expected {letter}, a number and perhaps a letter, got {name!r}")
    return name


def _text(reader: Reader, key: str) -> str:
    text = reader.text(key, default="")
    if not text:
        raise reader.error(key, "is missing")
    return text


def _words(reader: Reader, key: str) -> tuple[str, ...]:
    value = reader.get(key)
    words = [value] if isinstance(value, str) else value if value is not None else []
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise reader.error(key, f"expected a text or a list of texts, got {shown(value)}")
    return tuple(words)


def _verdicts(reader: Reader, key: str, default: Sequence[str]) -> tuple[str, ...]:
    words = _words(reader, key)
    for word in words:
        if word not in VERDICTS:
            raise reader.error(key, f"there is no verdict {word!r}{did_you_mean(word, VERDICTS)}")
    return words or tuple(default)


def _command(reader: Reader, key: str, programs: Path) -> tuple[str, ...]:
    words = _words(reader, key)
    if not words:
        raise reader.error(key, "is missing; expected a program and its arguments, as a list")
    if not (programs / words[0]).is_file():
        near = did_you_mean(words[0], [path.name for path in programs.glob("*.py")])
        raise reader.error(key, f"there is no {words[0]} in {programs}{near}")
    for word in words:
        for _, name, _, _ in string.Formatter().parse(word):
            if name is not None and name not in PLACEHOLDERS:
                raise reader.error(key, f"{{{name}}} stands for nothing{_known(name)}")
    return words


def _known(name: str) -> str:
    return did_you_mean(name, PLACEHOLDERS)


def _needs(reader: Reader) -> tuple[str, ...]:
    words = _words(reader, "needs")
    for word in words:
        if word not in TITLES:
            raise reader.error("needs", f"no tier promises {word!r}{did_you_mean(word, TITLES)}")
    return words


def _clock(reader: Reader) -> ClockTerms:
    keys = ("move_time", "first_move", "startup", "bank")
    clock = Reader(reader.table("clock"), keys, path=reader.path, table="clock")
    return ClockTerms(
        move_time=clock.duration("move_time", default=CLOCK.move_time),
        bank=clock.duration("bank", default=0.0) or None,
        startup=clock.duration("startup", default=CLOCK.startup),
        first_move=clock.duration("first_move", default=CLOCK.first_move),
        grace=CLOCK.grace,
    )
