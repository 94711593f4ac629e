"""Everything that a store says, worked out again by somebody who believes none of it.

The deals follow from the seed, the seed opens the seal, every choice is judged by the rules, and
the standings and the fingerprint are computed again. What no row covers, down to bytes of the file
that hold nothing, is covered by the digest beside a run that was closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from referee.errors import StoreError
from tournaments.figures import table_figures
from tournaments.reports.judging import StoreJudge, Tally
from tournaments.sealing import claims_of, closed_with, commitment, sealed, sealed_late
from tournaments.store import Store
from tournaments.store.digest import digest_differences, read_hash


@dataclass(slots=True)
class Verdict:
    """What came of checking a store."""

    path: Path
    differences: list[str] = field(default_factory=list)
    """What does not hold, a line each that begins with its place."""
    tally: Tally = field(default_factory=Tally)
    fingerprint: str = ""
    """As computed again; empty if the store cannot be read."""
    commitment: str = ""
    """To the seed of the store."""
    standings: str = ""
    """The hash of the standings."""
    is_closed: bool = False
    is_sealed: bool = False
    """Whether the commitment was written down before anything was played."""
    digest: str = ""
    """The hash of the digest beside the store; empty if it has none."""

    @property
    def holds(self) -> bool:
        """Whether nothing was found that does not hold."""
        return not self.differences


def verify_store(
    path: Path, seal: str | None = None, step: Callable[[], None] = lambda: None
) -> Verdict:
    """Returns what comes of checking the store at *path*.

    Args:
        path: The store.
        seal: The commitment that was published before; ``None`` if it is not known.
        step: Called after each table.

    Raises:
        StoreError: if there is no store, nor a digest of one.
    """
    verdict = Verdict(path, digest=read_hash(path))
    verdict.differences += digest_differences(path)
    try:
        with Store.open(path) as store:
            verdict.differences += _judged(store, verdict.tally, step)
            if not verdict.differences:
                verdict.differences += _claimed(store, verdict)
            if seal is not None and commitment(store.run.seed) != seal.strip().lower():
                verdict.differences.append(f"{path}: its seed does not open the seal {seal}")
    except StoreError as error:
        if not verdict.digest:
            raise
        verdict.differences.append(str(error))
    return verdict


def _judged(store: Store, tally: Tally, step: Callable[[], None]) -> Iterator[str]:
    """Yields what does not hold in the records, and in the figures beside them."""
    judge = StoreJudge(store)
    found = False
    for difference in judge.judge(tally, step):
        found = True
        yield difference
    if found:
        return
    for result in store.results():
        if result.figures and result.figures != table_figures(result.record).to_text():
            yield f"{store.path}: table {result.id}: the figures are not those of the record"


def _claimed(store: Store, verdict: Verdict) -> Iterator[str]:
    """Yields where what was published is not what follows from the store."""
    found = claims_of(store)
    verdict.fingerprint, verdict.commitment = found.fingerprint, found.commitment
    verdict.standings = found.standings
    kept = sealed(store)
    is_late = sealed_late(store)
    verdict.is_sealed = bool(kept) and not is_late
    if is_late:
        yield f"{store.path}: was sealed after its first table, and a seal like that shows nothing"
    for each in kept:
        if each != found.commitment:
            yield f"{store.path}: its seed does not open the seal {each} that it keeps"
    told = closed_with(store)
    verdict.is_closed = told is not None
    for name, claim, value in zip(told._fields, told, found, strict=True) if told else ():
        if claim != value:
            yield f"{store.path}: was closed with the {name} {claim}, but it has {value}"
