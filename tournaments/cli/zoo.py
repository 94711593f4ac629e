"""`moon bot zoo`: tries on this machine what a hostile or broken bot could do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click
from rich.text import Text

from referee.errors import VerificationError
from referee.text import counted
from tournaments.cli.options import json_option
from tournaments.cli.patience import Patience
from tournaments.cli.signals import run_tidily
from tournaments.cli.terminal import console, print_json
from tournaments.reports.grids import Column, Grid
from tournaments.zoo.catalogue import TIERS, Catalogue, load_catalogue
from tournaments.zoo.host import describe_host
from tournaments.zoo.judging import Judgement
from tournaments.zoo.runs import Zoo


@click.command()
@click.option(
    "--sandbox", "tier", type=click.Choice(TIERS), default="basic", show_default=True,
    help="The tier whose promises are tried.",
)  # fmt: skip
@click.option(
    "--only", multiple=True, metavar="ID,GROUP",
    help="Try these alone: ids, or letters of groups, as --list has them, in either case.",
)  # fmt: skip
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=4, show_default=True,
    help="How many are tried at the same time; most of them only wait.",
)  # fmt: skip
@click.option("--list", "as_list", is_flag=True, help="Only show what there is to try.")
@json_option
def zoo(tier: str, only: tuple[str, ...], jobs: int, as_list: bool, as_json: bool) -> int:
    """Try on this machine what hostile and broken bots do, and what becomes of it.

    Each of them sits down with two honest bots. It is tried whether the referee says of it what it
    should, whether what is promised of the sandbox holds, whether the honest bots come to harm, and
    whether anything is left of it, of each alone and of several at a time. Exits with 5 where a
    promise is broken. All of them take several minutes, a group of them (--only) less; Ctrl-C says
    what was tried until then.
    """
    catalogue = load_catalogue().only(only)
    if as_list:
        _list(catalogue, tier, as_json)
        return 0
    with Patience("behaviours", len(catalogue.behaviours)) as patience:
        zoo = Zoo(catalogue.programs, tier, jobs, patience.step)
        try:
            judgements = run_tidily(zoo.run(catalogue.behaviours))
        except (KeyboardInterrupt, SystemExit):
            patience.clear()
            _print_so_far(zoo.so_far(), len(catalogue.behaviours))
            raise
    broken = zoo.left or zoo.in_company or any(judgement.broken for judgement in judgements)
    if as_json:
        rest = {"left": list(zoo.left), "in_company": list(zoo.in_company)}
        print_json("moon.bot.zoo/1", {**_document(tier, judgements), **rest})
    else:
        _print(tier, judgements)
        for what in zoo.left:
            console().print(f"left of the run: {what}", soft_wrap=True)
        for what in zoo.in_company:
            console().print(f"in company with others, and not alone: {what}", soft_wrap=True)
    return VerificationError.exit_code if broken else 0


def _print_so_far(judgements: Sequence[Judgement], total: int) -> None:
    broken = [j for j in judgements if j.broken]
    promises = f"{counted(len(broken), 'promise')} broken"
    click.echo(f"moon: {len(judgements)} of {total} tried, {promises}", err=True)
    for j in broken:
        for breach in j.broken:
            click.echo(f"moon: {j.behaviour.id}: {breach}", err=True)


def _list(catalogue: Catalogue, tier: str, as_json: bool) -> None:
    if as_json:
        rows = [
            {"id": b.id, "name": b.name, "promised": b.promises[tier], "why": b.why}
            for b in catalogue.behaviours
        ]
        print_json("moon.bot.zoo.list/1", {"sandbox": tier, "behaviours": rows})
        return
    grid = Grid(Column("", is_text=True), Column("a bot that", is_text=True), Column("promised"))
    for behaviour in catalogue.behaviours:
        grid.add_row(behaviour.id, behaviour.name, behaviour.promises[tier].value)
    console().print(grid)


def _document(tier: str, judgements: Sequence[Judgement]) -> dict[str, object]:
    return {
        "sandbox": tier,
        "host": describe_host(),
        "broken": sum(bool(judgement.broken) for judgement in judgements),
        "behaviours": [judgement.as_json() for judgement in judgements],
    }


def _print(tier: str, judgements: Sequence[Judgement]) -> None:
    grid = Grid(
        Column("", is_text=True),
        Column("a bot that", is_text=True),
        Column("promised"),
        Column("seen"),
        Column("verdict"),
        Column(""),
    )
    for j in judgements:
        mark = "BROKEN" if j.broken else "ok"
        grid.add_row(
            j.behaviour.id, j.behaviour.name, j.promised.value, j.outcome.value, j.verdict, mark
        )
    screen = console()
    screen.print(grid)
    for j in judgements:
        for breach in j.broken:
            screen.print(Text(f"{j.behaviour.id}: {breach}", style="red"), soft_wrap=True)
    screen.print(_summary(tier, judgements), soft_wrap=True)


def _summary(tier: str, judgements: Sequence[Judgement]) -> str:
    outcomes = Counter(judgement.outcome.value for judgement in judgements)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    broken = sum(bool(judgement.broken) for judgement in judgements)
    harmed = sum(bool(judgement.sighting.harm) for judgement in judgements)
    promises = f"{counted(broken, 'promise')} broken" if broken else "every promise kept"
    return (
        f"{counted(len(judgements), 'behaviour')} in {tier}: {counts}; {promises};"
        f" honest bots harmed in {harmed}"
    )
