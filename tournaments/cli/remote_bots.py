"""What the commands that play do about remote bots: options, and the look at them before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import click

from referee.bots.spec import BotSpec
from referee.bots.terms import RemoteTerms
from tournaments.round_trips import RoundTrip

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])

tls_option = click.option(
    "--tls", type=click.Path(file_okay=False), metavar="DIR",
    help="The arena's certificates, for bots at grpc:// addresses.",
)  # fmt: skip

dial_in_option = click.option(
    "--dial-in", type=click.Path(file_okay=False), metavar="DIR",
    help="The folder of moon serve-bots, for bots named dial:NAME.",
)  # fmt: skip


def remote_options(command: FunctionT) -> FunctionT:
    """Adds the options that say how remote bots are reached."""
    return tls_option(dial_in_option(command))


async def look_at_remotes(
    entrants: Mapping[str, Sequence[BotSpec]],
    terms: RemoteTerms,
    startup: float,
    network: float,
    say: Callable[[str], object],
) -> list[RoundTrip]:
    """Looks who the remote bots are, and returns how far away each of them is.

    Args:
        entrants: By entrant: its bot, or the two of a pair.
        terms: How remote bots are reached.
        startup: How long a bot may take to answer the handshake, in seconds.
        network: What the way there and back may take, in seconds.
        say: Is told what is worth a warning.

    Raises:
        ConfigError: if a bot cannot be called, or is not the one that is meant.
        BotError: if it can, and does not answer as it must.
    """
    if not any(spec.is_remote for specs in entrants.values() for spec in specs):
        return []
    # gRPC takes a while to import, and most matches have nobody far away.
    from referee.bots.survey import survey  # noqa: PLC0415

    seen = await survey(entrants, terms, startup)
    for warning in seen.warnings:
        say(f"warning: {warning}")
    return [
        RoundTrip(trip.bot, trip.middle * 1e3, trip.longest * 1e3, len(trip.seconds), network * 1e3)
        for trip in seen.round_trips
    ]
