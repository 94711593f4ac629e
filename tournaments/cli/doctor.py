"""`moon doctor`: what this machine can keep of the promises made about bots."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version

import click
from rich.table import Table
from rich.text import Text

from referee import __version__
from referee.bots.sandbox import (
    Probe,
    Promise,
    Tier,
    TierUnavailableError,
    check_tier,
    harden_self,
    host_facts,
    promise_titles,
)
from tournaments.cli.options import json_option
from tournaments.cli.terminal import console, print_json

TIERS = (Tier.BASIC, Tier.HARDENED)

Findings = Mapping[Tier, Probe | TierUnavailableError]


@click.command()
@click.option(
    "--sandbox", "wanted", type=click.Choice([str(tier) for tier in TIERS]), metavar="TIER",
    help="Fail with the reason if bots cannot be held so: basic or hardened.",
)  # fmt: skip
@json_option
def doctor(wanted: str | None, as_json: bool) -> None:
    """Show how bots can be held on this machine.

    Every promise is tried: a program runs in the place of a bot and attempts to break it. What a
    tier cannot keep here is listed with the reason. Exits with another code than 0 where bots
    cannot even be held with basic.
    """
    harden_self()
    tiers = TIERS if wanted is None else (Tier(wanted),)
    findings = {tier: _find(tier) for tier in tiers}
    if as_json:
        print_json("moon.doctor/1", _document(findings))
    else:
        _print(findings)
    needed = findings[Tier.BASIC if wanted is None else Tier(wanted)]
    if isinstance(needed, TierUnavailableError):
        raise needed


def verdict_line(findings: Findings) -> str:
    """Returns in a line whose bots may play here, as far as it was tried."""
    held = [tier for tier, found in findings.items() if isinstance(found, Probe)]
    if Tier.HARDENED in held:
        return "strangers' bots: yes, with --sandbox hardened"
    tried = "" if Tier.HARDENED in findings else " (hardened was not tried)"
    if held:
        return f"strangers' bots: no{tried}; bots of people you trust: yes, with --sandbox basic"
    return f"strangers' bots: no{tried}; nothing holds a bot here, see below"


def _find(tier: Tier) -> Probe | TierUnavailableError:
    try:
        return check_tier(tier)
    except TierUnavailableError as error:
        return error


def _versions() -> dict[str, str]:
    return {
        "moon": __version__,
        "python": platform.python_version(),
        "grpcio": version("grpcio"),
        "protobuf": version("protobuf"),
    }


def _document(findings: Findings) -> dict[str, object]:
    return {
        "versions": _versions(),
        "host": host_facts(),
        "tiers": {
            str(tier): {"available": False, "reason": str(found)}
            if isinstance(found, TierUnavailableError)
            else {"available": True, **found.to_json()}
            for tier, found in findings.items()
        },
    }


def _print(findings: Findings) -> None:
    screen = console()
    screen.print(f"{verdict_line(findings)}\n", soft_wrap=True)
    probes = {tier: found for tier, found in findings.items() if isinstance(found, Probe)}
    if probes:
        screen.print(_table(probes))
        screen.print()
    for found in findings.values():
        if isinstance(found, TierUnavailableError):
            screen.print(Text(f"not available: {found}", style="red"), soft_wrap=True)
    for name, value in {**_versions(), **host_facts()}.items():
        screen.print(f"{name:10}  {value}", soft_wrap=True)


def _table(probes: Mapping[Tier, Probe]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("a bot ...", overflow="fold")
    for tier in probes:
        table.add_column(str(tier), overflow="fold")
    columns = [{promise.key: promise for promise in p.promises} for p in probes.values()]
    for key, title in promise_titles().items():
        table.add_row(title, *(_cell(column[key]) for column in columns))
    return table


def _cell(promise: Promise) -> Text:
    sign, style = ("yes", "green") if promise.kept else ("no", "yellow")
    return Text.assemble((sign, style), f" ({promise.how or promise.reason})")
