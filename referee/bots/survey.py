"""What is seen of the remote bots before a match or a night: who they are, and how far away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import grpc
import grpc.aio

from referee.bots.calls import BotCalls
from referee.bots.handshake import HandshakeError, shake_hands
from referee.bots.probing import Probe, probe
from referee.bots.remotes import Way, way_to
from referee.bots.spec import BotSpec
from referee.bots.terms import RemoteTerms
from referee.bots.transports import describe
from referee.errors import BotError

PINGS = 10
"""How many round trips are measured."""
SOON = timedelta(days=7)
"""A certificate that ends so soon is spoken of: no night is longer."""


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """How long a remote bot took to say who it is, again and again, in seconds."""

    bot: str
    """What it is called: as its entrant is, or in a pair, or as a half, as itself."""
    seconds: tuple[float, ...]

    @property
    def middle(self) -> float:
        """What half of them did not exceed."""
        return sorted(self.seconds)[(len(self.seconds) - 1) // 2]

    @property
    def longest(self) -> float:
        """The longest of them."""
        return max(self.seconds)


@dataclass(slots=True)
class Survey:
    """What was seen of the remote bots."""

    round_trips: list[RoundTrips] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


async def survey(
    entrants: Mapping[str, Sequence[BotSpec]], terms: RemoteTerms, startup: float
) -> Survey:
    """Looks at every remote bot of *entrants*, and measures the way to it.

    Args:
        entrants: By entrant: its bot, or the two of a pair.
        terms: How remote bots are reached.
        startup: How long a bot may take to answer the handshake, in seconds.

    Raises:
        ConfigError: if a bot cannot be called, or is not the one that is meant.
        BotError: if it can, and does not answer as it must.
    """
    ways = _ways(entrants, terms)
    probes = await asyncio.gather(*map(probe, ways.values()))
    found = Survey()
    for (name, way), seen in zip(ways.items(), probes, strict=True):
        found.warnings += [f"{name}: {warning}" for warning in _warnings(seen)]
        found.round_trips.append(RoundTrips(name, await _ping(name, way, startup)))
    return found


def _ways(entrants: Mapping[str, Sequence[BotSpec]], terms: RemoteTerms) -> dict[str, Way]:
    """Returns the way to each remote bot, by what it is called."""
    ways: dict[str, Way] = {}
    for entrant, specs in entrants.items():
        bots = dict.fromkeys(program for spec in specs for program in spec.programs)
        for spec in bots:
            if spec.is_remote:
                name = entrant if len(bots) == 1 else f"{spec.name} of {entrant}"
                ways[name] = way_to(spec, terms)
    return ways


def _warnings(seen: Probe) -> list[str]:
    warnings = list(seen.warnings)
    if seen.ends is not None and seen.ends < datetime.now(UTC) + SOON:
        warnings.append(
            f"its certificate ends on {seen.ends:%Y-%m-%d at %H:%M} UTC; no connection can be made"
            " after that"
        )
    return warnings


async def _ping(name: str, way: Way, startup: float) -> tuple[float, ...]:
    """Returns how long each of some handshakes took, after a first one."""
    channel = way.open()
    times = []
    try:
        calls = BotCalls(channel)
        await shake_hands(calls, startup)
        for _ in range(PINGS):
            begun = time.monotonic()
            await shake_hands(calls, startup)
            times.append(time.monotonic() - begun)
    except TimeoutError:
        problem = f"did not answer the handshake within {startup:g} s"
        raise BotError(f"bot {name!r} did not start: {problem}") from None
    except grpc.RpcError as error:
        raise BotError(f"bot {name!r} did not start: {describe(error)}") from None
    except HandshakeError as error:
        raise BotError(f"bot {name!r} did not start: {error}") from None
    finally:
        await channel.close()
    return tuple(times)
