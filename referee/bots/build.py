"""Makes bots ready to run: the build command of each folder that has one, once."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path

from referee.bots.botfile import BOT_FILE
from referee.bots.exits import ExitReport
from referee.bots.keeper_client import Keeper
from referee.bots.sandbox import Tier
from referee.bots.spec import BotSpec
from referee.errors import BotError, ConfigError
from referee.text import readable

BUILD_LIMIT = 600.0
"""Seconds that a build may take."""

_TAIL = 4096
_SECRETS = ("MOON_", "PG")
"""How the variables begin in which we or the database are told a password."""


async def build_bots(
    specs: Iterable[BotSpec], tier: Tier, say: Callable[[str], None], *, limit: float = BUILD_LIMIT
) -> None:
    """Runs the build commands of *specs*, each once however many bots share its folder.

    A build runs as the user who asks for it, with the user's environment, tools and network; so it
    is refused where bots are strangers.

    Args:
        specs: The bots.
        tier: How they will be held.
        say: Told of each build before it runs.
        limit: Seconds that each may take.

    Raises:
        BotError: If a build fails, cannot be started or takes more than *limit* seconds; the
            message ends with the last lines that it printed.
        ConfigError: If there is one in the tier for strangers.
    """
    programs = [program for spec in specs for program in spec.programs]
    builds = {(s.cwd, s.build): s for s in programs if s.build and s.cwd is not None}
    for (cwd, command), spec in builds.items():
        assert cwd is not None
        if tier is Tier.HARDENED:
            raise ConfigError(
                cwd / BOT_FILE,
                "build",
                f"{shlex.join(command)!r} would run with your rights, which nothing of a bot does "
                "in hardened; read it, run it yourself and take the line out",
            )
        say(f"building {spec.name} with your rights: {shlex.join(command)} in {cwd}")
    if builds:
        async with Keeper() as keeper:
            for (cwd, command), spec in builds.items():
                assert cwd is not None
                await _build(keeper, spec.name, cwd, command, limit)


async def _build(
    keeper: Keeper, name: str, cwd: Path, command: tuple[str, ...], limit: float
) -> None:
    env = {k: v for k, v in os.environ.items() if not k.startswith(_SECRETS)}
    what = f"{name}: the build {shlex.join(command)!r} in {cwd}"
    try:
        process = await keeper.spawn(command, cwd=cwd, env=env)
    except BotError as error:
        raise BotError(f"{what} cannot be started: {error}") from None
    done, _ = await asyncio.wait((process.exited,), timeout=limit)
    await process.kill()
    report = process.exited.result()
    if not done:
        problem = f"took more than {limit:g} s"
    elif report.code != 0:
        problem = f"failed with {report}"
    else:
        return
    raise BotError("\n".join([f"{what} {problem}", *last_words(report)]))


def last_words(report: ExitReport) -> list[str]:
    """Returns the end of what a build printed, first on standard output, then on the other."""
    output = (readable(text[-_TAIL:]).strip() for text in (report.stdout, report.stderr))
    return list(filter(None, output))
