"""`moon serve-bots`: the gateway for bots that dial in."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import click

from referee.bots.gateway import serving
from referee.bots.remotes import gateway_folder


@click.command("serve-bots")
@click.option("--listen", default="127.0.0.1:5040", show_default=True, metavar="HOST:PORT",
              help="Where bots dial in.")  # fmt: skip
@click.option("--tls", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="The arena's certificates; needed for more than this machine.")  # fmt: skip
@click.option("--dir", "folder", type=click.Path(file_okay=False), metavar="DIR",
              help="Where tokens and sockets are; by default a folder of this user.")  # fmt: skip
def serve_bots(listen: str, tls: Path | None, folder: str | None) -> int:
    """Take in bots that dial in, until Ctrl-C.

    For bots that cannot be called, behind a router. Each needs a token (moon bot token NAME), and
    then plays on this machine as dial:NAME.
    """
    return asyncio.run(_serve(listen, gateway_folder(folder), tls))


async def _serve(listen: str, folder: Path, tls: Path | None) -> int:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    async with serving(listen, folder, tls, click.echo) as port:
        host = listen.rpartition(":")[0]
        how = "with certificates" if tls else "in the clear"
        click.echo(f"bots dial in to {host}:{port}, {how}; tokens and sockets in {folder}")
        await ended.wait()
    return 0
