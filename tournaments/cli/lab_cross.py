"""`moon lab cross`: how bots bid crossed with how they play."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from referee.bots.build import build_bots
from referee.bots.contents import content_hash
from referee.bots.halves import BETWEEN, halves_of
from referee.bots.names import entrant_names
from referee.bots.sandbox import Tier, check_tier, close_to_bots
from referee.bots.spec import is_inside, parse_bot, unnamed
from referee.bots.terms import ClockTerms
from referee.errors import ConfigError
from referee.rules import DEFAULT_PRESETS, Rules, change_rules, parse_rules, rules_text
from referee.text import counted
from tournaments.cli.block_options import block_options
from tournaments.cli.live_screen import LiveScreen
from tournaments.cli.options import json_option
from tournaments.cli.signals import INTERRUPTED, run_to_a_signal
from tournaments.cli.terminal import console, print_json
from tournaments.config import default_workers
from tournaments.entrants import HOUSE_BOT
from tournaments.holding import held_text, parse_limits, sandbox_of, unkept_lines
from tournaments.lab.cross import Cross, Splits, cross_schedule
from tournaments.lab.crossing import CrossPlay
from tournaments.rating.student import FEW
from tournaments.reports.cross_report import (
    cross_document,
    cross_lines,
    interaction_grid,
    value_grid,
)
from tournaments.reports.marks import mark_lines
from tournaments.runner.jobs import Job
from tournaments.schedule import EntrantId
from tournaments.store.files import is_ours

REFRESH = 0.5


@dataclass(frozen=True, slots=True)
class CrossField:
    """Who plays in a cross."""

    bots: tuple[str, ...]
    """The names of the bots that are crossed."""
    bot_texts: tuple[str, ...]
    """Their texts, as they were given."""
    splits: Splits
    rival: EntrantId
    texts: dict[EntrantId, str]
    """By entrant: the text of its bot."""


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--against", metavar="BOT", default=HOUSE_BOT, show_default=True,
              help="Who sits in the other seats.")  # fmt: skip
@click.option("--blocks", type=click.IntRange(2), default=100, show_default=True,
              help="How many sequences of deals everybody plays.")  # fmt: skip
@block_options
@json_option
def cross(
    bots: tuple[str, ...],
    against: str,
    blocks: int,
    rules: str | None,
    changes: tuple[str, ...],
    deals: int | None,
    seed: str | None,
    workers: int | None,
    move_time: float,
    sandbox: str | None,
    limits: tuple[str, ...],
    heartbeat: float,
    as_json: bool,
) -> int:
    """Cross how BOTS bid with how they play, and show what each half is worth.

    Every split of the bots, one that bids and one that plays, sits in every seat of the same deals
    against the same rivals. The table takes their values apart into the effect of bidding, the
    effect of play, and what is left: a way to bid that suits a way to play.

    Exit codes: 0 done, 4 a bot does not start, 130 interrupted (what is known is shown, if any
    block is over).
    """
    chosen = change_rules(parse_rules(rules or DEFAULT_PRESETS[3]), changes)
    field = _field(bots, against)
    job = Job(
        rules=rules_text(chosen),
        entrants={name: (text,) for name, text in field.texts.items()},
        base=str(Path().absolute()),
        deals=deals,
        clock=ClockTerms(move_time),
        sandbox=sandbox_of(sandbox or Tier.BASIC, parse_limits(limits)),
    )
    seed = seed or secrets.token_hex(16)
    schedule = cross_schedule(field.splits, field.rival, blocks=blocks, seats=chosen.players)
    found = Cross(chosen, schedule, field.splits)
    progress = CrossProgress(found, blocks, heartbeat)
    _prepare(job, progress)
    if blocks < FEW:
        progress.say(f"--blocks {blocks}: of fewer than {FEW} blocks no interval is shown")
    play = CrossPlay(
        found, schedule, job, seed=seed, workers=workers or default_workers(), say=progress.say
    )
    with progress:
        report, stopped_by = asyncio.run(run_to_a_signal(play, progress))
    for problem in report.problems:
        progress.say(f"a fault of moon's own: {problem}")
    if stopped_by is not None and not found.taken:
        progress.say(f"stopped before the first of {counted(blocks, 'block')}: nothing is known")
        return INTERRUPTED[stopped_by]
    named = dict(zip((*field.bots, field.rival), (*bots, against), strict=True))
    inside = [name for name, text in named.items() if is_inside(text)]
    marks = mark_lines(inside, [], is_held=job.sandbox.tier is not Tier.NONE)
    if as_json:
        head = {"seed": seed, "rules": job.rules, "match_deals": deals, "rival": field.rival}
        state = {"rated": not marks, "stopped": not found.is_over, "same_bots": _same(field)}
        print_json("moon.lab.cross/1", {**head, **state, **cross_document(found, field.bots)})
    else:
        _print(found, field, _head(field, chosen, deals, seed), marks)
    return INTERRUPTED[stopped_by] if stopped_by is not None and not found.is_over else 0


def _field(bots: Sequence[str], against: str) -> CrossField:
    """Returns everybody, named.

    Raises:
        ConfigError: if there is nothing to cross, or a text names no bot that can be.
    """
    if len(bots) < 2:
        raise ConfigError(None, "BOT", f"cross two bots or more; got {len(bots)}")
    for text in bots:
        if len(halves_of(unnamed(text.strip()))) > 1:
            raise ConfigError(None, text, "has two halves already; give the bots to be crossed")
    specs = [parse_bot(text, Path()) for text in (*bots, against)]
    for spec in specs:
        if spec.is_remote:
            raise ConfigError(
                None,
                spec.source,
                "a remote bot is one process, which would play every deal of a block again and "
                "again; cross it where it can be started",
            )
    *crossed, rival = specs
    names = entrant_names([[spec] for spec in crossed])
    splits = tuple(tuple(EntrantId(f"{one}/{other}") for other in names) for one in names)
    texts: dict[EntrantId, str] = {}
    for row, one in zip(splits, bots, strict=True):
        for split, other in zip(row, bots, strict=True):
            # With a name in front, as that of the whole may be longer than a name may be.
            texts[split] = f"split={unnamed(one)}{BETWEEN}{unnamed(other)}"
    name = EntrantId(rival.name if rival.name not in texts else f"rival {rival.name}")
    return CrossField(names, tuple(bots), splits, name, {**texts, name: against})


def _prepare(job: Job, progress: CrossProgress) -> None:
    """Builds the bots, and says how they are held."""
    close_to_bots()
    probe = check_tier(job.sandbox.tier)
    specs = [spec for bots in job.specs().values() for spec in bots]
    asyncio.run(build_bots(specs, job.sandbox.tier, progress.say))
    for line in unkept_lines(probe) if job.sandbox.tier is not Tier.NONE else ():
        progress.say(line)
    progress.say(held_text(job.sandbox, freezes=job.freezes))


class CrossProgress(LiveScreen):
    """Shows on standard error how far a cross is. Use it as a context manager."""

    def __init__(self, cross: Cross, blocks: int, heartbeat: float) -> None:
        """Makes the display.

        Args:
            cross: What is shown.
            blocks: How many blocks there are.
            heartbeat: Seconds between two lines where there is no terminal.
        """
        self._cross = cross
        self._blocks = blocks
        self._heartbeat = heartbeat
        super().__init__()

    async def beat(self) -> None:
        """Shows from time to time how it stands, until it is cancelled."""
        while True:
            await asyncio.sleep(REFRESH if self._live is not None else self._heartbeat)
            if self._live is not None:
                self._live.update(self._picture())
            else:
                self.say(self._picture())

    def _picture(self) -> str:
        return f"{self._cross.blocks} of {self._blocks} blocks"


def _head(field: CrossField, rules: Rules, deals: int | None, seed: str) -> str:
    length = "to the target" if deals is None else f"of {counted(deals, 'deal')}"
    names = ", ".join(field.bots)
    return (
        f"{names} against {field.rival}: rules {rules_text(rules)}, matches {length}, seed {seed}"
    )


def _own(field: CrossField) -> list[str]:
    """Returns a line if one of the splits is the rival itself."""
    rival = unnamed(field.texts[field.rival].strip())
    return [
        f"{row[at]} is the rival itself, {field.rival}: it is worth exactly 0 among its like"
        for at, (row, text) in enumerate(zip(field.splits, field.bot_texts, strict=True))
        if unnamed(text.strip()) == rival
    ]


def _same(field: CrossField) -> list[tuple[str, str]]:
    """Returns which of the bots are one and the same, each with the first that is."""
    first: dict[str, str] = {}
    same = []
    for name, text in zip(field.bots, field.bot_texts, strict=True):
        other = first.setdefault(content_hash(parse_bot(text, Path()), is_ours), name)
        if other != name:
            same.append((other, name))
    return same


def _print(found: Cross, field: CrossField, head: str, marks: Sequence[str]) -> None:
    screen = console()
    screen.print(head, soft_wrap=True)
    screen.print()
    screen.print(value_grid(found, field.bots))
    screen.print()
    screen.print(interaction_grid(found, field.bots))
    screen.print()
    twins = [
        f"{name} is the same bot as {other}: where the two differ, it is not by how they were made"
        for other, name in _same(field)
    ]
    for line in (*cross_lines(found), *_own(field), *twins, *marks):
        screen.print(line, soft_wrap=True)
