"""What the commands of `moon lab` share: which stores they read, and whom they show."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.progress import Progress

from referee.errors import NotFoundError, did_you_mean
from referee.text import counted
from tournaments.cli.stores import stores_named
from tournaments.cli.terminal import console
from tournaments.lab import Laboratory, study
from tournaments.lab.laboratory import EXAMPLES

of_option = click.option("--of", "only", metavar="ENTRANT", help="Show only ENTRANT.")
csv_option = click.option("--csv", "as_csv", is_flag=True, help="Write one line for each as CSV.")


def stores_argument(command: click.decorators.FC) -> click.decorators.FC:
    """Adds the argument that names stores, and ``--store FILE``, which means one more."""
    option = click.option("--store", "named", metavar="FILE", multiple=True,
                          help="The store of a run; may be given several times.")  # fmt: skip
    argument = click.argument("stores", nargs=-1, metavar="[STORE | FILE.toml]...")
    return argument(option(command))


def studied(
    stores: Sequence[str],
    only: str | None,
    by: Sequence[str] = (),
    examples: int = EXAMPLES,
) -> Laboratory:
    """Returns what *stores* say, with progress on a terminal.

    Args:
        stores: Stores, or tournament files whose stores are meant.
        only: Who is asked for; ``None`` for everybody.
        by: What numbers are told apart by.
        examples: How many deals are kept for each kind, entrant and level.

    Raises:
        ConfigError: if no store is named, one is named twice, or they do not go together.
        NotFoundError: if *only* plays in none of them.
    """
    paths = stores_named(stores)
    stderr = console(stderr=True)
    with Progress(console=stderr, transient=True, disable=not stderr.is_terminal) as bar:
        task = bar.add_task("tables")
        found = study(
            paths,
            by,
            examples=examples,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if only is not None and only not in found.entrants:
        hint = did_you_mean(only, list(found.entrants))
        raise NotFoundError(f"{only!r} plays in none of the runs{hint}")
    return found


def heading(laboratory: Laboratory) -> str:
    """Returns what was read, in a line."""
    counts = laboratory.counts
    left_out = ""
    if counts.faulted or counts.broken:
        left_out = f"; left out: {counts.faulted} with faults, {counts.broken} broken off"
    return (
        f"{counted(counts.tables, 'table')}, {counted(counts.blocks, 'block')}, "
        f"{counted(counts.deals, 'deal')}{left_out}; "
        "95 % intervals count a block as one observation"
    )
