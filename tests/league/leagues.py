"""Leagues in a test, with bots that are taken in without a match."""

from __future__ import annotations

from pathlib import Path

from referee.bots.contents import content_hash
from referee.bots.sandbox.tiers import Limits
from referee.bots.spec import parse_bot
from tournaments.league.entering import check_candidate, enter
from tournaments.league.entries import Entry
from tournaments.league.folder import League
from tournaments.league.freezing import freeze

BOT = """\
from referee.sdk import Bot, serve

class Mine(Bot):
    mark = {mark!r}

serve(Mine())
"""


def make(folder: Path, **terms: str) -> League:
    """Returns a new league at *folder*, with lines of *terms* instead of its own."""
    league = League.make(folder, name="Tuesday", rules="tournament-3p", sandbox="basic")
    return with_terms(league, **terms) if terms else league


def with_terms(league: League, **terms: str) -> League:
    """Returns *league*, opened again with other values on the lines that begin with a key."""
    file = league.folder / "league.toml"
    lines = file.read_text().splitlines()
    for key, value in terms.items():
        places = [n for n, line in enumerate(lines) if line.startswith(f"{key} =")]
        assert len(places) == 1, key
        lines[places[0]] = f"{key} = {value}"
    file.write_text("\n".join(lines) + "\n")
    return League.open(league.folder)


def write_bot(folder: Path, mark: str) -> Path:
    """Writes a bot of one file that differs from all others by *mark*."""
    path = folder / f"{mark}.py"
    path.write_text(BOT.format(mark=mark))
    return path


def entered(
    league: League, path: Path, name: str, author: str | None = "Ann", params: str = ""
) -> Entry:
    """Returns the entry of the bot at *path*, which plays nothing to be taken in."""
    spec = parse_bot(f"{path}{params}", path.parent)
    source = content_hash(spec)
    candidate = check_candidate(league, name, author, source, spec.params)
    copy = path.with_name(f"copy-{source[:8]}")
    freeze(spec, copy, Limits())
    return enter(league, candidate, copy)


def snapshot(folder: Path) -> dict[str, bytes]:
    """Returns all that is in *folder*: by path, the content of a file."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }
