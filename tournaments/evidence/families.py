"""Several questions at once: Holm on p-values, e-BH on e-values (RATING.md 6.8)."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from tournaments.evidence.scores import EvidenceError


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Returns the adjusted p-values of S. Holm (1979), in the order in which they came.

    Rejecting where the adjusted value is at most alpha rejects any true hypothesis with
    probability at most alpha, however the p-values depend on each other.

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)

    Raises:
        EvidenceError: if one is not from 0 to 1.
    """
    if any(not 0.0 <= p <= 1.0 for p in p_values):
        raise EvidenceError(f"p-values are from 0 to 1, not {tuple(p_values)!r}")
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = highest
    return tuple(adjusted)


def e_bh(log_es: Sequence[float], alpha: float) -> tuple[bool, ...]:
    """Returns which hypotheses e-BH rejects (R. Wang, A. Ramdas 2022), in the order given.

    Of those rejected at most the share *alpha* is true on average, however the e-values depend on
    each other, and whenever each was stopped.

    >>> e_bh([4.0, 3.5, 0.1], 0.05)
    (True, True, False)

    Args:
        log_es: The logarithm of each e-value.
        alpha: The false discovery rate.

    Raises:
        EvidenceError: if alpha is not between 0 and 1.
    """
    if not 0.0 < alpha < 1.0:
        raise EvidenceError(f"alpha must be between 0 and 1, not {alpha!r}")
    count = len(log_es)
    ordered = sorted(log_es, reverse=True)
    passing = [rank for rank, e in enumerate(ordered, 1) if e >= log(count / (alpha * rank))]
    if not passing:
        return (False,) * count
    border = ordered[passing[-1] - 1]
    return tuple(e >= border for e in log_es)
