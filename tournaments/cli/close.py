"""`moon tournament close`: ends a run for good and publishes its seed."""

from __future__ import annotations

import click

from referee.errors import ConfigError
from tournaments.cli.options import json_option
from tournaments.cli.stores import store_argument, store_named
from tournaments.cli.terminal import print_json
from tournaments.sealing import Published, finish
from tournaments.store import Store


@click.command()
@store_argument
@click.option("--unfinished", is_flag=True,
              help="End it although tables are left, which are never played then.")  # fmt: skip
@json_option
def close(where: str | None, named: str | None, unfinished: bool, as_json: bool) -> None:
    """Publish the seed of a run, and let nothing more be played in it.

    Whoever has the seed knows every deal, those to come too: so a run whose seed is public is over.
    The seed opens the seal that `moon tournament run --seal` has printed before. A digest of the
    file is written beside it, for `moon verify`. Of a run that is closed it shows the same again,
    if every byte is still what it was.
    """
    path = store_named(where, named)
    with Store.open(path) as store:
        _check_may_end(store, unfinished=unfinished)
    _publish(finish(path), as_json=as_json)


def _check_may_end(store: Store, *, unfinished: bool) -> None:
    """Refuses to end a night behind the back of its league, or a run that is not played."""
    if store.run.is_night:
        raise ConfigError(
            store.path,
            None,
            "is a night of a league, which publishes its seed in its log; moon league night plays "
            "it to its end and closes it",
        )
    if store.is_closed or unfinished:
        return
    total = len(store.run.schedule().tables)
    if left := total - store.counts().played:
        raise ConfigError(
            store.path,
            None,
            f"{left} of {total} tables are not played, and never will be once the seed is public; "
            "play them with moon tournament run, or end it like this with --unfinished",
        )


def _publish(published: Published, *, as_json: bool) -> None:
    facts = {
        "seed": published.seed,
        **published.claims._asdict(),
        "digest": published.digest,
    }
    if as_json:
        print_json("moon.tournament.close/1", facts)
        return
    for name, value in facts.items():
        click.echo(f"{name:12}{value}")
