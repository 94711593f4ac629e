"""What is stored of a run as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from referee.bots.spec import is_inside, is_remote
from referee.rules import Rules, parse_rules
from tournaments.evidence.luck import LuckTerms
from tournaments.identity import canonical
from tournaments.schedule import EntrantId, Format, Schedule, make_schedule
from tournaments.schedule.nights import Stage, night_schedule, stage_of
from tournaments.store.rows import Values, sha256


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run: what is played, and by which program, when and where it was begun."""

    name: str
    identity: Mapping[str, Any]
    """What must not change for the run to be continued, as `TournamentConfig.identity` makes it."""
    code_version: str
    created_at: str
    """When the run was begun (UTC)."""
    host: Mapping[str, object]

    @property
    def seed(self) -> str:
        """The secret that all deals follow from."""
        return str(self.identity["seed"])

    @property
    def rules(self) -> Rules:
        """The rules of every match."""
        return parse_rules(self.identity["rules"])

    @property
    def entrants(self) -> tuple[EntrantId, ...]:
        """The names of the entrants, in the order of the tournament file."""
        return tuple(EntrantId(entrant["name"]) for entrant in self.identity["entrants"])

    @property
    def luck(self) -> LuckTerms | None:
        """How scores are adjusted for the luck of the deal, as fixed before the first table."""
        told = self.identity.get("luck")
        return None if told is None else LuckTerms(float(told["coefficient"]), str(told["hash"]))

    @property
    def inside(self) -> tuple[EntrantId, ...]:
        """The entrants with a bot that is asked inside the program. If any, the run is unrated."""
        return self._entrants_with(is_inside)

    @property
    def remote(self) -> tuple[EntrantId, ...]:
        """The entrants with a bot that runs somewhere else, and cannot be held to lanes."""
        return self._entrants_with(is_remote)

    @property
    def is_held(self) -> bool:
        """Whether bots are held by a sandbox. If not, the run is unrated."""
        return str(self.identity.get("sandbox", "none")) != "none"

    @property
    def is_rated(self) -> bool:
        """Whether anybody can vouch for what the bots saw and how long they took."""
        return self.is_held and not self.inside

    def _entrants_with(self, kind: Callable[[str], bool]) -> tuple[EntrantId, ...]:
        return tuple(
            EntrantId(entrant["name"])
            for entrant in self.identity["entrants"]
            if any(kind(bot["text"]) for bot in entrant["bots"])
        )

    @property
    def rounds(self) -> int:
        """How often everybody meets everybody."""
        return int(self.identity["rounds"])

    def schedule(self) -> Schedule:
        """Returns all that is to be played."""
        return self._schedule(self.rounds)

    def pattern(self) -> tuple[Schedule, int]:
        """Returns what is played again and again, and how often.

        In a round robin the same entrants meet in every round, in the same order; in all other
        formats it is the whole schedule, once.
        """
        repeats = self.rounds if self._format is Format.ROUND_ROBIN and not self.is_night else 1
        return self._schedule(self.rounds // repeats), repeats

    @property
    def is_night(self) -> bool:
        """Whether it is a league night, which grows round by round."""
        return "night" in self.identity

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages of a league night; none of a tournament."""
        return tuple(map(stage_of, self.identity.get("night", ())))

    @property
    def _format(self) -> Format:
        return Format(self.identity.get("format", Format.ROUND_ROBIN))

    def _schedule(self, rounds: int) -> Schedule:
        if self.is_night:
            return night_schedule(self.stages, seats=self.rules.players)
        return make_schedule(self._format, self.entrants, seats=self.rules.players, rounds=rounds)


class Note(NamedTuple):
    """Something that happened to the run as a whole."""

    at: str
    """When (UTC)."""
    kind: str
    """``created``, ``changed``, ``void``, ``replay``, or what the writer chose."""
    text: str


class Counts(NamedTuple):
    """How many tables of the run are stored."""

    played: int
    void: int
    """Tables that we broke and that are to be played again."""


def run_row(info: RunInfo) -> dict[str, object]:
    """Returns the row of a run."""
    row: dict[str, object] = {
        "id": 1,
        "name": info.name,
        "identity": canonical(info.identity),
        "code_version": info.code_version,
        "created_at": info.created_at,
        "host": canonical(info.host),
    }
    return {**row, "checksum": _checksum(row)}


def run_of(row: Values) -> RunInfo:
    """Returns the run in *row*.

    Raises:
        ValueError: if it is not what was written.
    """
    if _checksum(row) != row["checksum"]:
        raise ValueError("checksum")
    return RunInfo(
        row["name"],
        json.loads(row["identity"]),
        row["code_version"],
        row["created_at"],
        json.loads(row["host"]),
    )


def _checksum(row: Values) -> str:
    names = ("name", "identity", "code_version", "created_at", "host")
    return sha256(canonical([row[name] for name in names]).encode())
