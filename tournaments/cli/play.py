"""`moon play`: one match."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import click
from rich.table import Table

from referee.bots.build import build_bots
from referee.bots.clock import ClockTerms
from referee.bots.sessions import CallStyle
from referee.bots.spec import parse_bot, unique_names
from referee.errors import BotError, ConfigError
from referee.match import FinishedDeal, MatchRecord, load_matches
from referee.rules import (
    DEFAULT_PRESETS,
    Rules,
    change_rules,
    parse_rules,
    rules_text,
    seed_key,
)
from tournaments.cli.options import DURATION, json_option, rule_option, rules_option
from tournaments.cli.terminal import console, print_json
from tournaments.figures import Contracts, table_figures
from tournaments.reports.drawing import coloured, draw_deal
from tournaments.results import FaultRow, TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Done, Job, TableJob
from tournaments.timing import Times, seat_times


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for."""

    texts: tuple[str, ...]
    rules: Rules
    seed: str
    job: Job
    seats: tuple[str, ...]
    """By seat: the name of its bot."""


@click.command()
@click.argument("bots", nargs=-1, required=True)
@click.option("--seed", help="Any text; the same seed deals the same tiles.")
@rules_option
@rule_option
@click.option("--deals", type=click.IntRange(1), help="Play so many deals, not to the target.")
@click.option(
    "--max-deals", type=click.IntRange(1), default=100, show_default=True,
    help="End a match to the target after so many deals.",
)  # fmt: skip
@click.option(
    "--move-time", type=DURATION, default="2s", show_default=True, help="For each decision."
)
@click.option("--bank", type=DURATION, help="On top of that, for the whole match.")
@click.option(
    "--strikes", type=click.IntRange(0), default=2, show_default=True,
    help="Faults that get a substitute; one more forfeits.",
)  # fmt: skip
@click.option(
    "--call", type=click.Choice([style.value for style in CallStyle]), default="auto",
    show_default=True, help="How decisions are put to the bots.",
)  # fmt: skip
@click.option("--ask-forced", is_flag=True, help="Ask for choices with one legal answer too.")
@click.option("--watch", is_flag=True, help="Draw every deal when it has ended.")
@click.option(
    "--record", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write the record there, as JSON lines.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Exit with 4 if any bot was at fault.")
@json_option
def play(
    bots: tuple[str, ...],
    seed: str | None,
    rules: str | None,
    changes: tuple[str, ...],
    deals: int | None,
    max_deals: int,
    move_time: timedelta,
    bank: timedelta | None,
    strikes: int,
    call: str,
    ask_forced: bool,
    watch: bool,
    record: str | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Play one match between BOTS and show who won.

    Three bots play each for himself. Four play in two pairs, seats 0 and 2 against 1 and 3; two
    bots are two pairs, each bot on both seats of its pair.

    A bot is a built-in one by name (first_legal, random, greedy, counter, sampler), a folder with a
    bot.toml, a .py file, cmd:COMMAND or grpc://HOST:PORT, with parameters like greedy?risk=0.3, and
    a name in front if you like: mine=./bot.py
    """
    chosen = _rules(bots, rules, changes)
    names = tuple(spec.name for spec in unique_names([parse_bot(b, Path()) for b in bots]))
    job = Job(
        rules=rules_text(chosen),
        entrants={name: (text,) for name, text in zip(names, bots, strict=True)},
        base=str(Path().absolute()),
        deals=deals,
        max_deals=max_deals,
        clock=ClockTerms(
            move_time=move_time.total_seconds(),
            bank=bank.total_seconds() if bank else None,
        ),
        strikes=strikes,
        ask_forced=ask_forced,
        call=CallStyle(call),
    )
    seats = names * 2 if len(names) == 2 else names
    wish = Wish(bots, chosen, seed or secrets.token_hex(16), job, seats)
    if record is not None:
        _check_writable(Path(record))
    drawn = _drawer(wish) if watch and not as_json else None
    result = asyncio.run(_play(wish, drawn))
    if record is not None:
        Path(record).write_text(result.record, encoding="utf-8")
    [match] = load_matches(result.record.splitlines())
    if as_json:
        document = result_document(result, match)
        print_json("moon.play/1", {"seed": wish.seed, **document, "record": record})
    else:
        print_result(result, match)
        kept = f"record {record}" if record else "no record kept (--record FILE keeps one)"
        console().print(f"seed {wish.seed}; {kept}", soft_wrap=True)
    return BotError.exit_code if strict and result.faults else 0


def _rules(bots: Sequence[str], name: str | None, changes: tuple[str, ...]) -> Rules:
    if not 2 <= len(bots) <= 4:
        raise ConfigError(None, "BOTS", f"a match has 3 or 4 bots, or 2 as pairs; got {len(bots)}")
    players = 3 if len(bots) == 3 else 4
    rules = change_rules(parse_rules(name or DEFAULT_PRESETS[players]), changes)
    if rules.players != players:
        wanted = "three bots" if rules.players == 3 else "four bots, or two for two pairs"
        raise ConfigError(None, "--rules", f"{rules_text(rules)} is for {wanted}; got {len(bots)}")
    return rules


def _check_writable(path: Path) -> None:
    """Refuses a file that cannot be written before anything is played for it."""
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise ConfigError(path, None, f"cannot be written: {error.strerror}") from None


def _drawer(wish: Wish) -> Callable[[FinishedDeal], None]:
    legend = True

    def draw(finished: FinishedDeal) -> None:
        nonlocal legend
        drawn = draw_deal(finished, wish.seats, legend=legend, paint=coloured)
        click.echo(drawn + "\n")
        legend = False

    return draw


async def _play(wish: Wish, watch: Callable[[FinishedDeal], None] | None) -> TableResult:
    await build_bots(spec for specs in wish.job.specs().values() for spec in specs)
    async with Arena(wish.job) as arena:
        await arena.start_all()
        table = TableJob(0, 0, 0, wish.seats, seed_key(wish.seed).hex())
        outcome: Done = await arena.result(table, watch)
    if outcome.problem:
        raise RuntimeError(f"the match is void, by a fault of moon's own\n{outcome.problem}")
    return outcome.result


@dataclass(frozen=True, slots=True)
class _Row:
    """One side of the result."""

    place: int
    bot: str
    score: int
    contracts: Contracts
    times: Times
    faults: Counter[str]


def _rows(result: TableResult, match: MatchRecord) -> list[_Row]:
    rules = match.terms.rules
    contracts = table_figures(rules, result.record).contracts
    times = seat_times(result.timings)
    rows = []
    for side, place in enumerate(result.places):
        seats = [seat for seat in range(rules.players) if rules.side_of(seat) == side]
        played, taken = Contracts(), Times()
        for seat in seats:
            played.add(contracts[seat])
            taken.add(times[seat])
        faults = Counter(fault.kind for fault in result.faults if fault.seat in seats)
        bot = " + ".join(dict.fromkeys(result.seats[seat] for seat in seats))
        rows.append(_Row(place, bot, result.scores[side], played, taken, faults))
    return sorted(rows, key=lambda row: row.place)


def print_result(result: TableResult, match: MatchRecord) -> None:
    """Writes the result table of a match, and its faults, to standard output."""
    screen = console()
    table = Table("place", "bot", box=None, pad_edge=False, header_style="bold")
    for title in ("score", "bids", "made", "set", "p50 ms", "p99 ms", "max ms"):
        table.add_column(title, justify="right")
    table.add_column("faults")
    for row in _rows(result, match):
        played = row.contracts
        table.add_row(
            str(row.place),
            row.bot,
            str(row.score),
            str(played.made_count + played.set_count),
            str(played.made_count),
            str(played.set_count),
            *map(_millis, (row.times.percentile(0.5), row.times.percentile(0.99))),
            _millis(row.times.longest),
            ", ".join(f"{count} {kind}" for kind, count in sorted(row.faults.items())) or "-",
        )
    screen.print(table)
    screen.print(f"\n{_ending(result, match)}; rules {rules_text(match.terms.rules)}")
    for fault in result.faults:
        screen.print(describe_fault(fault), soft_wrap=True)


def _ending(result: TableResult, match: MatchRecord) -> str:
    deals = f"{len(match.deals)} deal{'s' * (len(match.deals) != 1)}"
    why = {
        "target": f"target of {match.terms.rules.target} reached",
        "moon": "ended by a moon",
        "deals": "all played",
        "cap": f"nobody reached {match.terms.rules.target}",
        "forfeit": "forfeited",
    }[result.outcome]
    return f"{deals}, {why}"


def describe_fault(fault: FaultRow) -> str:
    """Returns a fault in one readable line or two."""
    text = f"fault: {fault.entrant} (seat {fault.seat}), deal {fault.deal}: {fault.kind}"
    text += f": {fault.detail}" if fault.detail else ""
    text += f"; played for it: {fault.substitute}" if fault.substitute else "; forfeited"
    last = fault.stderr_tail.strip().splitlines()[-1:]
    return "\n".join([text, *(f"  stderr: {line}" for line in last)])


def _millis(micros: float | None) -> str:
    return "-" if micros is None else f"{micros / 1000:.1f}"


def result_document(result: TableResult, match: MatchRecord) -> dict[str, object]:
    """Returns the result of a match as JSON values."""
    return {
        "rules": rules_text(match.terms.rules),
        "seats": list(result.seats),
        "deals": len(match.deals),
        "ending": result.outcome,
        "sides": [
            {
                "place": row.place,
                "bot": row.bot,
                "score": row.score,
                "made": {str(bid): n for bid, n in sorted(row.contracts.made.items())},
                "set": {str(bid): n for bid, n in sorted(row.contracts.set.items())},
                "decisions": row.times.count,
                "p50_ms": _rounded(row.times.percentile(0.5)),
                "p99_ms": _rounded(row.times.percentile(0.99)),
                "max_ms": _rounded(row.times.longest),
                "faults": dict(sorted(row.faults.items())),
            }
            for row in _rows(result, match)
        ],
        "faults": [
            {
                "bot": fault.entrant,
                "seat": fault.seat,
                "deal": fault.deal,
                "decision": fault.decision,
                "kind": fault.kind,
                "detail": fault.detail,
                "question": fault.question,
                "substitute": fault.substitute or None,
                "exit_status": fault.exit_status or None,
                "stderr_tail": fault.stderr_tail or None,
            }
            for fault in result.faults
        ],
    }


def _rounded(micros: float | None) -> float | None:
    return None if micros is None else round(micros / 1000, 3)
