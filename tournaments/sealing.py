"""Sealed deals: what is published before a run and what opens it afterwards.

The commitment is the SHA-256 of a label and the seed. It tells nothing of a seed that nobody can
guess, fits no other seed, and is not what deals are made from: their key has another label
(``docs/deals.md``), so who knows the commitment can deal nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from referee.errors import ConfigError, StoreError, VerificationError
from tournaments.identity import canonical
from tournaments.standings import Results
from tournaments.store import Store
from tournaments.store.digest import digest_differences, digest_path, read_hash, write_digest
from tournaments.store.queries import CLOSED

SEALED = "sealed"
"""The kind of the note that holds the commitment."""
SHORTEST_SEED = 22
"""Characters of a seed that may be sealed: 128 random bits in base 64."""
DECIMALS = 3
"""Of ratings and uncertainties in the hash of the standings."""
METHOD = f"batch TrueSkill, mu and sigma to {DECIMALS} decimals, by name"
"""How the hash of the standings is made; another way of rating has another text here."""
_PUT_BACK = "put both files back from a copy, and look at them with moon verify"
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
        StoreError: if tables are stored and the run was not sealed before them.
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
    if found in sealed(store):
        return found
    if store.first_table_at() is not None:
        raise StoreError(
            f"{store.path}: tables of this run are stored already, and a seal from after them "
            "shows nothing; begin another run with --store and seal it before it is played"
        )
    store.note(SEALED, found)
    return found


def sealed(store: Store) -> tuple[str, ...]:
    """Returns the commitments that *store* keeps: one once it is sealed."""
    return tuple(note.text for note in store.notes() if note.kind == SEALED)


def sealed_late(store: Store) -> bool:
    """Whether *store* keeps a commitment from after its first table, going by the times in it."""
    first = store.first_table_at()
    return first is not None and any(n.kind == SEALED and n.at > first for n in store.notes())


class Claims(NamedTuple):
    """What is published of a run when it is closed; anybody can compute it again from the store."""

    commitment: str
    """To the seed."""
    fingerprint: str
    """Of the schedule and all that was played."""
    standings: str
    """SHA-256 of the standings: everybody with rating and uncertainty, by name."""
    method: str
    """How the standings were made, and what of them was hashed: `METHOD`."""


def claims_of(store: Store) -> Claims:
    """Returns what can be claimed of *store* as it is now.

    Raises:
        StoreError: if it is damaged.
    """
    run = store.run
    fingerprint = store.start_fingerprint()
    results = Results(run.rules, *run.pattern(), store.outcomes(fingerprint=fingerprint))
    rated = {str(row.entrant): (row.mu, row.sigma) for row in results.ratings()}
    return Claims(commitment(run.seed), fingerprint.hexdigest(), standings_hash(rated), METHOD)


def standings_hash(rated: Mapping[str, tuple[float, float]]) -> str:
    """Returns the SHA-256 of ratings and uncertainties by name, as said under `METHOD`.

    Ratings are found by iteration, so their last digits hang on the mathematics library of a
    machine. Three decimals are a hundred million times coarser than where it ends.

    >>> standings_hash({"a": (25.0, 8.0)}) == standings_hash({"a": (25.0 + 1e-9, 8.0)})
    True
    """
    rows = [[who, *map(_rounded, rated[who])] for who in sorted(rated)]
    return hashlib.sha256(canonical(rows).encode()).hexdigest()


def _rounded(value: float) -> str:
    return f"{round(value, DECIMALS) + 0.0:.{DECIMALS}f}"  # a rounded -1e-12 is not to be -0.000


class Published(NamedTuple):
    """All that is published of a run when it is closed."""

    claims: Claims
    seed: str
    digest: str
    """The hash that ends the digest."""


def finish(path: Path) -> Published:
    """Ends the run in the store at *path* for good, once; what is to be published of it.

    A digest that is there is never written again: who has changed the file would get a new one.
    Of a run that was closed the same is returned again, after a look at every byte; if a kill came
    before its digest was written, after the claims were computed again.

    Raises:
        VerificationError: if the file is not what it was when it was closed, or what lies where
            its digest belongs is that of another file.
        StoreError: if somebody has the store, or reads it, so that it is not all in one file.
    """
    with Store.open(path) as store:
        path, seed, told = store.path, store.run.seed, closed_with(store)
        if told is not None and not digest_path(path).exists() and claims_of(store) != told:
            raise VerificationError(
                f"{path}: is not what it was when it was closed, and its digest is gone, so no "
                f"other is made; {_PUT_BACK}"
            )
    if told is None:
        if digest_path(path).exists():
            raise VerificationError(
                f"{digest_path(path)}: is there, but the run beside it is not closed, so it is of "
                "another file; move it away and close the run then"
            )
        with Store.open(path, readonly=False) as store:
            told = close_run(store)
    if not digest_path(path).exists():
        return Published(told, seed, write_digest(path))
    if found := digest_differences(path):
        listed = "".join(f"\n  {line}" for line in found)
        raise VerificationError(
            f"{path}: is not what it was when it was closed, so its digest stays as it is; "
            f"{_PUT_BACK}:{listed}"
        )
    return Published(told, seed, read_hash(path))


def close_run(store: Store) -> Claims:
    """Ends the run in *store* for good and returns what is published; nothing is played after it.

    Its digest is still to be written, once the store is closed: `finish` does both.
    """
    claims = claims_of(store)
    store.note(CLOSED, canonical(claims._asdict()))
    return claims


def closed_with(store: Store) -> Claims | None:
    """Returns what was published when the run was closed first; ``None`` if it was not.

    Raises:
        StoreError: if what stands there cannot be read.
    """
    texts = [note.text for note in store.notes() if note.kind == CLOSED]
    if not texts:
        return None
    try:
        return Claims(**json.loads(texts[0]))
    except (ValueError, TypeError):
        raise StoreError(f"{store.path}: what it says of its end cannot be read") from None
