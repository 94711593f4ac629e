"""`moon bot new`: the beginning of a bot."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.kit.new import LANGUAGES, new_bot


@click.command()
@click.argument("name")
@click.option("--lang", "language", type=click.Choice(LANGUAGES), default=LANGUAGES[0],
              show_default=True, help="What it is written in.")  # fmt: skip
def new(name: str, language: str) -> None:
    """Make the folder NAME with a bot that plays, a test of it, and a page that helps on."""
    for file in new_bot(name, language, Path()):
        click.echo(str(file))
    click.echo(f"\ncheck it with: moon bot check ./{name}")
    click.echo(f"let it play:   moon play ./{name} greedy counter --watch")
    click.echo(f"enter it:      moon league submit ./{name} --author YOU --league DIR")
