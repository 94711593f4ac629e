"""`moon league init`: a new league."""

from __future__ import annotations

from pathlib import Path

import click

from referee.bots.names import NameRefusedError
from referee.bots.sandbox import Tier, TierUnavailableError, check_tier, close_to_bots
from referee.errors import ConfigError
from referee.rules import DEFAULT_PRESETS, parse_rules, rules_text
from tournaments.cli.options import rules_option
from tournaments.league.config import FILE
from tournaments.league.folder import League


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--name", help="What it is called; the name of the folder if nothing is said.")
@rules_option
@click.option(
    "--sandbox", type=click.Choice([str(tier) for tier in Tier]),
    help="How bots are held; hardened where this machine can, else basic.",
)  # fmt: skip
def init(folder: Path, name: str | None, rules: str | None, sandbox: str | None) -> None:
    """Make the folder of a new league at DIR, which must not be there yet, or be empty.

    Its terms are in DIR/league.toml, to be read and changed before the first bot is taken in. The
    folder is all there is of the league: copy it to keep it, move it where you like.
    """
    chosen = parse_rules(rules or DEFAULT_PRESETS[3])
    tier, why = (Tier(sandbox), "") if sandbox else _tier()
    title = name or folder.absolute().name
    try:
        league = League.make(folder, name=title, rules=rules_text(chosen), sandbox=str(tier))
    except NameRefusedError as error:
        raise ConfigError(None, "--name", str(error)) from None
    click.echo(f"{league.folder}: the league {league.config.name} is made")
    if why:
        click.echo(
            f"moon: bots are held by {tier} only, for those of people you trust: {why}", err=True
        )
    click.echo(f"  its terms:  {league.folder / FILE}")
    click.echo(f"  take a bot: moon league submit PATH --author WHO --league {folder}")


def _tier() -> tuple[Tier, str]:
    """Returns the tightest tier that this machine keeps, and why not a tighter one."""
    close_to_bots()
    try:
        check_tier(Tier.HARDENED)
    except TierUnavailableError as error:
        return Tier.BASIC, str(error)
    return Tier.HARDENED, ""
