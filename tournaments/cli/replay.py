"""`moon replay`: shows, checks and exports recorded deals."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator

import click

from referee.errors import ConfigError, NotFoundError, VerificationError
from referee.match import (
    DealLine,
    MatchRecord,
    dump_line,
    dump_match,
    verify_line,
    verify_match,
)
from tournaments.cli.lazy import Lazy, LazyGroup
from tournaments.cli.options import json_option
from tournaments.cli.patience import Patience
from tournaments.cli.terminal import print_json
from tournaments.reports.drawing import coloured, plain
from tournaments.reports.hands import export_hand
from tournaments.reports.judging import StoreJudge, Tally, judge_entry
from tournaments.reports.match_drawing import draw_line, draw_match
from tournaments.reports.reading import (
    STDIN,
    ChatDeal,
    Entry,
    entries,
    is_store,
    located,
    open_store,
    results,
)

TABLE = click.option("--table", metavar="ID", help="Only the match with this id, such as 17.2.")
DEAL = click.option("--deal", type=click.IntRange(0), metavar="N", help="Only this deal, from 0.")
STORE = click.option("--store", "named", metavar="FILE", help="The store of a run.")


COMMANDS = {
    "step": Lazy("tournaments.cli.replay_step:step", "Watch a match in the terminal."),
    "html": Lazy("tournaments.cli.replay_html:html", "Write a match as a page for a browser."),
    "ask": Lazy("tournaments.cli.replay_ask:ask", "Put a recorded question to a bot."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def replay() -> None:
    """Show, watch, check and export recorded deals.

    A record is a store, a file of JSON lines (moon play --record), or deals as chat lines; `-` is
    standard input.
    """


# show


@replay.command()
@click.argument("where", required=False, metavar="[FILE | STORE | -]")
@STORE
@TABLE
@DEAL
@click.option("--seat", type=click.IntRange(0, 3), metavar="S", help="Only what this seat saw, "
              "with what it could have chosen.")  # fmt: skip
@click.option("--line", "as_line", is_flag=True, help="Write each deal as one chat line.")
@click.option("--plain", "no_colour", is_flag=True, help="No colours, whoever reads.")
def show(
    where: str | None,
    named: str | None,
    table: str | None,
    deal: int | None,
    seat: int | None,
    as_line: bool,
    no_colour: bool,
) -> None:
    """Draw a deal, or a whole match, for reading.

    Without FILE, deals are read from standard input: a chat line can be pasted there. What the
    rules do not bear out in a record is said at the end.
    """
    place = place_of(where, named)
    if as_line:
        for line in _lines(_picked(place, table, deal), deal):
            click.echo(dump_line(line))
        return
    if table is None and is_store(place):
        raise ConfigError(place, "--table", "a run has many tables; say which, like --table 0.0")
    paint = plain if no_colour else coloured
    found = False
    for entry in _picked(place, table, deal):
        if found:
            click.echo()
        found = True
        _check_seat(entry, seat)
        if isinstance(entry, ChatDeal):
            click.echo(draw_line(entry.line, entry.where, seat=seat, paint=paint))
            verify_line(entry.line, entry.where)
        else:
            for part in draw_match(entry, deal=deal, seat=seat, paint=paint):
                click.echo(part)
            verify_match(entry)


def place_of(where: str | None, named: str | None) -> str:
    """Returns where to read, from the argument or ``--store``, which mean the same."""
    if where is not None and named is not None:
        raise ConfigError(None, "--store", f"two records are named, {where!r} and {named!r}")
    return located(where or named or STDIN)


def _check_seat(entry: Entry, seat: int | None) -> None:
    players = len(entry.line.seats if isinstance(entry, ChatDeal) else entry.seats)
    if seat is not None and seat >= players:
        raise ConfigError(None, "--seat", f"there is no seat {seat} at a table of {players}")


def _picked(place: str, table: str | None, deal: int | None) -> Iterator[Entry]:
    """Yields the records that are meant, each with the deal that is asked for.

    Raises:
        NotFoundError: if no record has that deal.
    """
    found = deal is None
    most = -1
    for entry in entries(place, table):
        deals = [entry.line.deal] if isinstance(entry, ChatDeal) else entry.deals
        numbers = [record.number for record in deals]
        most = max(most, *numbers, -1)
        if deal is None or deal in numbers:
            found = True
            yield entry
    if not found:
        raise NotFoundError(f"{place}: has no deal {deal}; the last one is {most}")


def _lines(records: Iterator[Entry], deal: int | None) -> Iterator[DealLine]:
    """Yields the deals of records, as chat lines tell them."""
    for entry in records:
        if isinstance(entry, ChatDeal):
            yield entry.line
        else:
            for record in entry.deals:
                if deal in (None, record.number):
                    yield DealLine(entry.terms.rules, entry.seats, record)


# verify


@replay.command()
@click.argument("places", nargs=-1, metavar="[FILE | STORE | -]...")
@STORE
@json_option
def verify(places: tuple[str, ...], named: str | None, as_json: bool) -> int:
    """Judge records again: every choice, trick, score, place and fault.

    In a store the deals are also held against its seed, and everything that stands beside the
    records against them. Every difference is a line; the exit code is 5 if there is one.
    """
    named_too = (*places, named) if named is not None else places or (STDIN,)
    wanted = [located(place) for place in named_too]
    stores = [is_store(place) for place in wanted]  # all are looked for before the first is judged
    tally, found = Tally(), []
    for place, kept in zip(wanted, stores, strict=True):
        for difference in _judge(place, kept, tally):
            found.append(difference)
            if not as_json:
                click.echo(difference)
    if as_json:
        print_json(
            "moon.replay.verify/1",
            {"matches": tally.matches, "deals": tally.deals, "differences": found},
        )
    else:
        click.echo(_summary(tally, len(found)))
    return VerificationError.exit_code if found else 0


def _summary(tally: Tally, differences: int) -> str:
    matches, deals = _count(tally.matches, "match", "es"), _count(tally.deals, "deal")
    judged = f"{matches}, {deals}" if tally.matches else deals
    return f"{judged} judged again: {_count(differences, 'difference')}"


def _count(number: int, noun: str, plural: str = "s") -> str:
    return f"{number} {noun}{plural if number != 1 else ''}"


def _judge(place: str, kept: bool, tally: Tally) -> Iterator[str]:
    if kept:
        with open_store(place) as store:
            judge = StoreJudge(store)
            with Patience("tables", judge.total) as patience:
                for difference in judge.judge(tally, patience.step):
                    patience.clear()
                    yield difference
        return
    source = "standard input" if place == STDIN else place
    with Patience("records") as patience:
        for entry in entries(place):
            tally.add(entry)
            for difference in judge_entry(entry, source):
                patience.clear()
                yield difference
            patience.step()


# export


@replay.command()
@click.argument("where", required=False, metavar="[FILE | STORE | -]")
@STORE
@TABLE
@DEAL
@click.option(
    "--format", "form", type=click.Choice(["hands", "lines", "jsonl"]), default="jsonl",
    show_default=True, help="hands: finished deals with the legal sets, one JSON object a line; "
    "lines: deals as chat lines; jsonl: the records themselves.",
)  # fmt: skip
def export(
    where: str | None, named: str | None, table: str | None, deal: int | None, form: str
) -> None:
    """Write records to standard output, for other programs."""
    place = place_of(where, named)
    if form == "jsonl" and deal is not None:
        raise ConfigError(None, "--deal", "a deal is no whole match; use it with hands or lines")
    write = sys.stdout.write
    with Patience("records") as patience:
        for text in FORMS[form](place, table, deal):
            write(text)
            patience.step()


def _export_lines(place: str, table: str | None, deal: int | None) -> Iterator[str]:
    for line in _lines(_picked(place, table, deal), deal):
        yield f"{dump_line(line)}\n"


def _export_records(place: str, table: str | None, _: int | None) -> Iterator[str]:
    if is_store(place):
        with open_store(place) as store:
            for result in results(store, table):
                yield result.record
        return
    for entry in entries(place, table):
        if isinstance(entry, ChatDeal):
            problem = "a chat line is one deal and no whole match; use --format lines or hands"
            raise ConfigError(entry.where, None, problem)
        yield dump_match(entry)


def _export_hands(place: str, table: str | None, deal: int | None) -> Iterator[str]:
    for entry in _picked(place, table, deal):
        if isinstance(entry, MatchRecord):
            rules, records, name = entry.terms.rules, entry.deals, entry.table
        else:
            rules, records, name = entry.line.rules, (entry.line.deal,), str(entry.number)
        for record in records:
            if deal in (None, record.number):
                where = f"table {name}, deal {record.number}"
                if isinstance(entry, ChatDeal):
                    where = entry.where
                hand = export_hand(rules, record, f"{name}/{record.number}", where)
                if hand is not None:
                    yield f"{json.dumps(hand)}\n"


FORMS: dict[str, Callable[[str, str | None, int | None], Iterator[str]]] = {
    "hands": _export_hands,
    "lines": _export_lines,
    "jsonl": _export_records,
}
"""By format: what writes it."""
