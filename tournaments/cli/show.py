"""`moon tournament show`: one table, or the run as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from referee.match import load_matches
from referee.rules import rules_text
from tournaments.cli.options import json_option
from tournaments.cli.play import print_result
from tournaments.cli.stores import open_store, store_argument
from tournaments.cli.terminal import console, print_json
from tournaments.reports.host_report import note_text
from tournaments.reports.marks import mark_lines
from tournaments.reports.match_report import fault_document, fault_texts, result_document
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import TableId
from tournaments.store import Store


@click.command()
@store_argument
@click.option("--table", metavar="ID", help="Show the table with this id, such as 17.2.")
@click.option("--faults", is_flag=True, help="List every fault, with what the bot wrote last.")
@json_option
def show(
    where: str | None, named: str | None, table: str | None, faults: bool, as_json: bool
) -> None:
    """Show a run: what is played, what happened to it, and its faults; or one table of it."""
    with open_store(where, named) as store:
        if table is not None:
            _show_table(store, TableId(table), as_json)
        else:
            _show_run(store, faults, as_json)


def _show_table(store: Store, table: TableId, as_json: bool) -> None:
    result = store.result(table)
    if as_json:
        body: dict[str, object] = {
            "table": table,
            "attempt": result.attempt,
            "finished_at": result.finished_at,
            "void": result.is_void,
        }
        if not result.is_void:
            [match] = load_matches(result.record.splitlines())
            body |= result_document(result, match)
        print_json("moon.tournament.show.table/1", body)
        return
    screen = console()
    screen.print(f"table {table}, attempt {result.attempt}, {result.finished_at}")
    if result.is_void:
        screen.print("void by a fault of moon's own; it will be played again")
        return
    [match] = load_matches(result.record.splitlines())
    print_result(result, match)
    screen.print(f"moon replay show {store.path} --table {table} draws it", soft_wrap=True)


def _show_run(store: Store, faults: bool, as_json: bool) -> None:
    run, counts = store.run, store.counts()
    tables = len(run.schedule().tables)
    listed = [
        (result, fault) for result in (store.results() if faults else ()) for fault in result.faults
    ]
    if as_json:
        print_json("moon.tournament.show/1", _run_document(store, tables, listed))
        return
    screen = console()
    lines = [
        f"{run.name}: {counts.played} of {tables} tables played, {counts.void} void",
        *(_fault_lines(listed) if faults else ()),
        f"rules {rules_text(run.rules)}",
        f"entrants {', '.join(run.entrants)}",
        *mark_lines(run.inside, run.remote, is_held=run.is_held),
        f"begun {run.created_at} by moon {run.code_version}",
        f"fingerprint {store.fingerprint()}",
        *(f"{note.at} {note.kind}: {note_text(note)}" for note in store.notes()),
    ]
    for line in lines:
        screen.print(line, soft_wrap=True)


def _fault_lines(listed: Sequence[tuple[TableResult, FaultRow]]) -> list[str]:
    """Returns how many faults there are, and of whom, and then each of them."""
    if not listed:
        return ["no faults"]
    kinds = Counter((fault.entrant, fault.kind) for _, fault in listed)
    told = ", ".join(f"{who} {count} {kind}" for (who, kind), count in sorted(kinds.items()))
    tables = len({result.id for result, _ in listed})
    at = f"at {tables} table{'s' * (tables > 1)}"
    texts = fault_texts((f"table {result.id}", fault) for result, fault in listed)
    return [f"{len(listed)} fault{'s' * (len(listed) > 1)} {at}: {told}", *texts]


def _run_document(
    store: Store, tables: int, listed: Sequence[tuple[TableResult, FaultRow]]
) -> dict[str, object]:
    run, counts = store.run, store.counts()
    return {
        "name": run.name,
        "rules": rules_text(run.rules),
        "entrants": list(run.entrants),
        "rated": run.is_rated,
        "in_process": list(run.inside),
        "remote": list(run.remote),
        "scheduled": tables,
        "played": counts.played,
        "void": counts.void,
        "created_at": run.created_at,
        "code_version": run.code_version,
        "host": dict(run.host),
        "fingerprint": store.fingerprint(),
        "notes": [note._asdict() for note in store.notes()],
        "faults": [{"table": result.id, **fault_document(fault)} for result, fault in listed],
    }
