"""`moon tournament close`: ends a run for good and publishes its seed."""

from __future__ import annotations

import click

from tournaments.cli.options import json_option
from tournaments.cli.stores import store_argument, store_named
from tournaments.cli.terminal import print_json
from tournaments.league.sealing import Claims, close_run, closed_with
from tournaments.store import Store
from tournaments.store.digest import write_digest


@click.command()
@store_argument
@json_option
def close(where: str | None, named: str | None, as_json: bool) -> None:
    """Publish the seed of a run, and let nothing more be played in it.

    Whoever has the seed knows every deal, those to come too: so a run whose seed is public is over.
    The seed opens the seal that `moon tournament run --seal` has printed before. A digest of the
    file is written beside it, for `moon verify`. Of a run that is closed it shows the same again.
    """
    path = store_named(where, named)
    with Store.open(path) as store:
        claims, seed, path = closed_with(store), store.run.seed, store.path
    if claims is None:
        with Store.open(path, readonly=False) as store:
            claims = close_run(store)
    digest = write_digest(path)
    _publish(claims, seed, digest, as_json=as_json)


def _publish(claims: Claims, seed: str, digest: str, *, as_json: bool) -> None:
    facts = {"seed": seed, **claims._asdict(), "digest": digest}
    if as_json:
        print_json("moon.tournament.close/1", facts)
        return
    for name, value in facts.items():
        click.echo(f"{name:12}{value}")
