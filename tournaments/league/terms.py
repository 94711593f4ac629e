"""The terms of a night: those of `league.toml` when its first round begins, and from then on fixed.

The file is the organiser's to change at any time. A night that has begun does not look at it any
more: its store keeps the text, as a note, and who goes on with the night goes on with that. So all
its tables are played on one set of terms, and a change takes effect with the next night. The log
has the hash of every text on which a night was begun.
"""

from __future__ import annotations

import hashlib

from tournaments.league.config import FILE, LeagueConfig, load_league_config, parse_league_config
from tournaments.league.folder import League
from tournaments.store import Store

TERMS = "terms"
"""The event of a line of the log with the hash of `league.toml`, written when that has changed; and
the kind of the note of a night with the text."""


def terms_of(league: League, store: Store) -> LeagueConfig:
    """Returns the terms of the night in *store*, open for writing, which keeps them.

    Raises:
        ConfigError: if `league.toml` means nothing.
        StoreError: if another command is changing the league (``locked``).
    """
    path = league.folder / FILE
    if store.run.stages:
        return begun_terms(league, store) or load_league_config(path)
    data = path.read_bytes()
    terms = parse_league_config(data, path)
    _tell(league, hash_of(data))
    if kept_terms(store) != data:
        store.note(TERMS, data.decode())
    return terms


def begun_terms(league: League, store: Store) -> LeagueConfig | None:
    """Returns the terms that the night in *store* has begun with; ``None`` if it has not begun."""
    kept = kept_terms(store) if store.run.stages else None
    return None if kept is None else parse_league_config(kept, league.folder / FILE)


def kept_terms(store: Store) -> bytes | None:
    """Returns the text that the night in *store* keeps of its terms; ``None`` if there is none."""
    texts = [note.text for note in store.notes() if note.kind == TERMS]
    return texts[-1].encode() if texts else None


def settle_terms(league: League) -> None:
    """Writes down what `league.toml` is now, unless the log has it."""
    _tell(league, terms_hash(league))


def terms_hash(league: League) -> str:
    """Returns the SHA-256 of the file with the terms."""
    return hash_of((league.folder / FILE).read_bytes())


def hash_of(text: bytes) -> str:
    """Returns the hash that stands in the log for terms with *text*.

    >>> hash_of(b"")[:16]
    'e3b0c44298fc1c14'
    """
    return hashlib.sha256(text).hexdigest()


def terms_told(league: League) -> tuple[str, ...]:
    """Returns the hashes of all terms that the log has had, the last ones last."""
    return tuple(str(line.details["sha256"]) for line in league.audit.lines if line.event == TERMS)


def _tell(league: League, found: str) -> None:
    if terms_told(league)[-1:] != (found,):
        league.note(TERMS, {"sha256": found})
