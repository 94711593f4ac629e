"""`moon rules`: which rule sets there are, and what one of them means in plain words."""

from __future__ import annotations

import shutil
import textwrap
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter

import click

from referee.rules import Preset, Rules, change_rules, parse_rules, presets, rules_text
from referee.rules.explain import Explained, explain
from referee.rules.explanations import ALWAYS
from tournaments.cli.terminal import print_json

WIDEST = 100


@click.group()
def rules() -> None:
    """Explain the rules of the game."""


@rules.command("list")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON document.")
def list_rules(as_json: bool) -> None:
    """List the rule sets that have a name."""
    if as_json:
        print_json("moon.rules.list/1", {"rules": [_preset_json(p) for p in presets().values()]})
        return
    column = max(map(len, presets())) + 2
    for preset in presets().values():
        name = click.style(preset.name.ljust(column), bold=True)
        told = textwrap.wrap(f"{preset.says} ({preset.status})", max(_width() - column, 20))
        click.echo(name + f"\n{' ' * column}".join(told))
    click.echo("\nmoon rules show NAME explains one; --rules NAME plays by it")


@rules.command("show")
@click.argument("name")
@click.option("--diff", metavar="OTHER", help="Show only where NAME and OTHER differ.")
@click.option(
    "--rule", "changes", metavar="OPTION=VALUE", multiple=True, help="Change an option of NAME."
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON document.")
def show(name: str, diff: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Explain every option of the rule set NAME, and where it comes from.

    NAME and OTHER are names of `moon rules list`, or such a name with changes in quotes:
    "tournament-3p min_bid=3".
    """
    shown = change_rules(parse_rules(name), changes)
    # Several presets are the same rules; the name that was asked for is the one to answer with.
    text = rules_text(shown) if changes else name
    if diff is None:
        _show(text, shown, as_json)
    else:
        _show_difference((text, diff), (shown, parse_rules(diff)), as_json)


def _show(text: str, shown: Rules, as_json: bool) -> None:
    """Explains one rule set."""
    preset = presets().get(text)
    if as_json:
        body = {"text": text, "preset": preset and _preset_json(preset)}
        print_json(
            "moon.rules.show/1", {**body, "options": [asdict(line) for line in explain(shown)]}
        )
        return
    click.secho(text, bold=True)
    if preset is not None:
        _print_origin(preset)
    for section, lines in groupby(explain(shown), key=attrgetter("section")):
        click.echo(f"\n{section}")
        for line in lines:
            click.echo(f"  {_assignment(line)}{_alternatives(line)}")
            _print_meaning(line, "      ")
    click.echo("\nIn every rule set")
    for says, source in ALWAYS:
        _print_wrapped(f"{says} [{source}]", "  - ", "    ")


def _show_difference(texts: tuple[str, str], both: tuple[Rules, Rules], as_json: bool) -> None:
    """Explains the options in which two rule sets differ."""
    pairs = [
        (mine, theirs)
        for mine, theirs in zip(*map(explain, both), strict=True)
        if mine.value != theirs.value
    ]
    if as_json:
        options = [{"left": asdict(mine), "right": asdict(theirs)} for mine, theirs in pairs]
        print_json(
            "moon.rules.diff/1", {"left": texts[0], "right": texts[1], "differences": options}
        )
        return
    if not pairs:
        click.echo(f"{texts[0]} and {texts[1]} are the same rules")
        return
    width = max(map(len, texts))
    for mine, theirs in pairs:
        click.echo(f"{click.style(mine.option, bold=True)}: {mine.asks}")
        for text, line in zip(texts, (mine, theirs), strict=True):
            click.echo(f"  {text.ljust(width)}  {_assignment(line)}")
            _print_meaning(line, "      ")


def _preset_json(preset: Preset) -> dict[str, object]:
    return {
        "name": preset.name,
        "players": preset.rules.players,
        "source": preset.source or None,
        "status": preset.status,
        "says": preset.says,
        "silent_on": list(preset.silent_on),
    }


def _print_origin(preset: Preset) -> None:
    _print_wrapped(preset.says, "", "")
    origin = f"from {preset.source}: {preset.status}" if preset.source else preset.status
    _print_wrapped(origin, "", "")
    if preset.silent_on:
        silent = ", ".join(preset.silent_on)
        _print_wrapped(f"its text leaves open, and the defaults fill: {silent}", "", "")


def _assignment(line: Explained) -> str:
    return click.style(f"{line.option}={line.value}", bold=True)


def _alternatives(line: Explained) -> str:
    return f"  (or {', '.join(line.others)})" if line.others else ""


def _print_meaning(line: Explained, indent: str) -> None:
    if line.idle:
        _print_wrapped(f"plays no part here: {line.idle}", indent, indent)
    else:
        _print_wrapped(f"{line.says} [{line.source}]", indent, indent)


def _print_wrapped(text: str, first: str, indent: str) -> None:
    click.echo(textwrap.fill(text, _width(), initial_indent=first, subsequent_indent=indent))


def _width() -> int:
    return min(shutil.get_terminal_size().columns, WIDEST)
