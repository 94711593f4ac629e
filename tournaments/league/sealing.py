"""Sealed deals: what is published before a run and what opens it afterwards.

The commitment is the SHA-256 of a label and the seed. It tells nothing of a seed that nobody can
guess, fits no other seed, and is not what deals are made from: their key has another label
(``docs/deals.md``), so who knows the commitment can deal nothing.
"""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from referee.errors import ConfigError, StoreError
from tournaments.identity import canonical
from tournaments.standings import Results
from tournaments.store import Store
from tournaments.store.queries import CLOSED

SEALED = "sealed"
"""The kind of the note that holds the commitment."""
SHORTEST_SEED = 22
"""Characters of a seed that may be sealed: 128 random bits in base 64."""
_LABEL = b"moon-league/seal/v1\n"


def commitment(seed: str) -> str:
    """Returns the commitment to *seed*, 64 hexadecimal digits.

    >>> commitment("moon over the dominoes")[:16]
    'f6ad3249e6e49780'
    """
    return hashlib.sha256(_LABEL + seed.encode()).hexdigest()


def seal(store: Store) -> str:
    """Returns the commitment to the seed of *store*, which keeps it from now on.

    Raises:
        ConfigError: if the seed can be guessed, so that a commitment would give it away.
    """
    seed = store.run.seed
    if len(seed) < SHORTEST_SEED:
        raise ConfigError(
            None,
            "seed",
            f"a seed of {len(seed)} characters can be found from its commitment by trying; leave "
            f"it out for a random one, or take at least {SHORTEST_SEED} random characters",
        )
    found = commitment(seed)
    if found not in sealed(store):
        store.note(SEALED, found)
    return found


def sealed(store: Store) -> tuple[str, ...]:
    """Returns the commitments that *store* keeps: one once it is sealed."""
    return tuple(note.text for note in store.notes() if note.kind == SEALED)


class Claims(NamedTuple):
    """What is published of a run when it is closed; anybody can compute it again from the store."""

    commitment: str
    """To the seed."""
    fingerprint: str
    """Of the schedule and all that was played."""
    standings: str
    """SHA-256 of the standings: everybody with rating and uncertainty, best first."""


def claims_of(store: Store) -> Claims:
    """Returns what can be claimed of *store* as it is now.

    Raises:
        StoreError: if it is damaged.
    """
    run = store.run
    fingerprint = store.start_fingerprint()
    results = Results(run.rules, *run.pattern(), store.outcomes(fingerprint=fingerprint))
    rows = [[row.entrant, row.mu.hex(), row.sigma.hex()] for row in results.ratings()]
    standings = hashlib.sha256(canonical(rows).encode()).hexdigest()
    return Claims(commitment(run.seed), fingerprint.hexdigest(), standings)


def close_run(store: Store) -> Claims:
    """Ends the run in *store* for good and returns what is published; nothing is played after it.

    The digest of the file is to be written once the store is closed: `write_digest`.
    """
    claims = claims_of(store)
    store.note(CLOSED, canonical(claims._asdict()))
    return claims


def closed_with(store: Store) -> Claims | None:
    """Returns what was published when the run was closed; ``None`` if it was not.

    Raises:
        StoreError: if what stands there cannot be read.
    """
    texts = [note.text for note in store.notes() if note.kind == CLOSED]
    if not texts:
        return None
    try:
        return Claims(**json.loads(texts[-1]))
    except (ValueError, TypeError):
        raise StoreError(f"{store.path}: what it says of its end cannot be read") from None
