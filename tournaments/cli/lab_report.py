"""`moon lab report`: who bids too much or too little, and one line for everybody."""

from __future__ import annotations

from dataclasses import asdict

import click

from tournaments.cli.lab_bids import cell, legend_lines
from tournaments.cli.lab_findings import finding_lines, findings_document
from tournaments.cli.lab_stores import heading, of_option, stores_argument, studied
from tournaments.cli.options import json_option
from tournaments.cli.terminal import console, print_json
from tournaments.lab import Figure, Laboratory
from tournaments.lab.observing import ALL
from tournaments.reports.grids import Column, Grid

OVERVIEW = (
    ("contracts", "made"), ("contracts", "surplus"), ("contracts", "net"), ("defence", "set"),
    ("missed", "missed"),
)  # fmt: skip
"""The numbers of the overview, by topic and measure."""


@click.command()
@stores_argument
@of_option
@json_option
def report(
    stores: tuple[str, ...], named: tuple[str, ...], only: str | None, as_json: bool
) -> None:
    """Show an overview, and who is sure to bid too much or too little.

    Somebody overbids at a level if, where it made that bid and another with the same hand at the
    same place of the auction chose less, it came out worse than the other and lost points to its
    table. All entrants, levels and both directions are looked at, adjusted by Holm's method: the
    chance that anybody is named wrongly is at most 5 %, for one look at a finished run.
    """
    laboratory = studied((*stores, *named), only)
    rows: dict[str, dict[str, Figure]] = {
        entrant: _overview(laboratory, entrant)
        for entrant in laboratory.entrants
        if only in (None, entrant)
    }
    if as_json:
        body = {
            "read": asdict(laboratory.counts),
            "open": laboratory.counts.is_open,
            "overview": [asdict(row) for found in rows.values() for row in found.values()],
            "asked": asdict(laboratory.asked(only)),
            "findings": findings_document(laboratory, only),
        }
        print_json("moon.lab.report/1", body)
        return
    screen = console()
    screen.print(heading(laboratory), soft_wrap=True)
    screen.print(_grid(rows))
    screen.print()
    legend = legend_lines(measure for _, measure in OVERVIEW)
    legend.insert(0, "blocks: in how many it played those contracts; set and missed may be of more")
    for line in (*legend, "", *finding_lines(laboratory, only)):
        screen.print(line, soft_wrap=True)


def _overview(laboratory: Laboratory, entrant: str) -> dict[str, Figure]:
    return {
        measure: row
        for topic, measure in OVERVIEW
        for row in laboratory.figures(topic, entrant=entrant, measure=measure, what=ALL)
        if not row.against
    }


def _grid(rows: dict[str, dict[str, Figure]]) -> Grid:
    measures = [measure for _, measure in OVERVIEW]
    grid = Grid(
        Column("entrant", is_text=True),
        Column("contracts"),
        Column("blocks", spare=len(measures)),
        *(Column(f"{measure} (95 %)", spare=at) for at, measure in enumerate(measures)),
    )
    for entrant, found in rows.items():
        made = found.get("made")
        counts = ("0", "0") if made is None else (str(made.count), str(made.blocks))
        told = [cell(found[name]) if name in found else "-" for name in measures]
        grid.add_row(entrant, *counts, *told)
    return grid
