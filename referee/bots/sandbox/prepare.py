"""Turns a bot's command into what the keeper must start so that the bot is held as it should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.bots.sandbox.tiers import Launch, LaunchFailure, Sandbox, Tier, TierUnavailableError


def prepare(
    sandbox: Sandbox,
    *,
    command: tuple[str, ...],
    cwd: Path,
    env: Mapping[str, str],
    place: Path,
    readable: Sequence[Path],
    uid: int | None,
) -> Launch:
    """Returns what to start so that *command* runs in *cwd* with *env*, held by *sandbox*.

    Args:
        sandbox: The tier and the limits.
        command: The program and its arguments.
        cwd: Where it runs.
        env: Its whole environment.
        place: The private directory of the bot, which has a `home` and a `tmp` that it may write
            to; its socket is `s` there.
        readable: Files and directories that it may read besides the system and Python.
        uid: The user to run it as, which needs root; None for our own.

    Raises:
        TierUnavailableError: If this host cannot hold the bot so, or its user cannot reach what
            it needs.
    """
    if sandbox.tier is Tier.NONE:
        return Launch(command, dict(env), cwd)
    raise TierUnavailableError(sandbox.tier, "this host cannot give it")


def socket_path(launch: Launch, child: int | None, place: Path) -> Path:
    """Returns where we reach the socket of the bot at *place*.

    *child* is the pid that came through ``@info``; it is needed where the bot has a root of its
    own.
    """
    if launch.socket_inside is None:
        return place / "s"
    return Path(f"/proc/{child}/root") / launch.socket_inside.relative_to("/")


def launch_failure(launch: Launch, code: int | None, stderr: bytes) -> LaunchFailure | None:
    """Returns why the bot was never started, if *stderr* and the exit *code* say so."""
    return None
