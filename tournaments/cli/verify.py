"""`moon verify`: whether everything holds that was published of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from referee.errors import NotFoundError, VerificationError
from referee.text import counted
from tournaments.cli.options import json_option
from tournaments.cli.patience import Patience
from tournaments.cli.terminal import print_json
from tournaments.reports.league_verifying import verify_league
from tournaments.reports.verifying import Verdict, verify_store


@click.command()
@click.argument("path", type=click.Path(path_type=Path), metavar="STORE | LEAGUE")
@click.option(
    "--seal",
    metavar="HASH",
    help="The commitment that was published before the run, or before a night.",
)
@json_option
def verify(path: Path, seal: str | None, as_json: bool) -> int:
    """Check all of a run, or of a league: deals, choices, scores, standings, every byte.

    The deals are dealt again from the seed, every record is judged by the rules, and what was
    published is computed again. Of a run that was closed every byte counts: `moon tournament close`
    writes a digest of the file beside it. If all holds, one line says so; else each line says what
    is wrong and where, and the exit code is 5.
    """
    if not path.exists():
        way_out = "name the file of a run, or the folder of a league"
        raise NotFoundError(f"{path}: there is neither a store nor a league; {way_out}")
    if path.is_dir():
        return _verify_league(path, seal, as_json=as_json)
    with Patience("tables") as patience:
        verdict = verify_store(path, seal, patience.step)
    if as_json:
        print_json("moon.verify/1", _document(verdict))
    elif verdict.holds:
        click.echo(_holds(verdict, seal))
    return _end(verdict.differences, as_json=as_json)


def _end(differences: Sequence[str], *, as_json: bool) -> int:
    """Writes what does not hold, a line each, and returns the exit code."""
    for difference in () if as_json else dict.fromkeys(differences):
        click.echo(difference)
    return VerificationError.exit_code if differences else 0


def _verify_league(path: Path, seal: str | None, *, as_json: bool) -> int:
    with Patience("tables") as patience:
        verdict = verify_league(path, seal, patience.step)
    tally = verdict.tally
    if as_json:
        facts = {"lines": verdict.lines, "head": verdict.head, "entries": verdict.entries}
        judged = {"nights": verdict.nights, "matches": tally.matches, "deals": tally.deals}
        found = {"holds": verdict.holds, "differences": verdict.differences}
        print_json("moon.verify.league/1", {"path": str(path), **found, **facts, **judged})
    elif verdict.holds:
        sealed = "" if seal is None else f"; the seed of one of them opens the seal {seal}"
        click.echo(
            f"{path} holds: {verdict.lines} lines of the log up to {verdict.head}, "
            f"{verdict.entries} entries as they were entered, "
            f"{counted(verdict.nights, 'night')} with {counted(tally.matches, 'table')} and "
            f"{counted(tally.deals, 'deal')} judged again{sealed}"
        )
    return _end(verdict.differences, as_json=as_json)


def _holds(verdict: Verdict, seal: str | None) -> str:
    """Returns the one line that says what was found to hold."""
    tally = verdict.tally
    sealed = "the seed opens the seal" if seal or verdict.is_sealed else "no seal"
    digest = (
        f"every byte as in its digest {verdict.digest}"
        if verdict.digest
        else "no digest, so bytes that hold nothing were not looked at"
    )
    return (
        f"{verdict.path} holds: {counted(tally.matches, 'table')} and "
        f"{counted(tally.deals, 'deal')} judged again, "
        f"standings and fingerprint {verdict.fingerprint} computed again; {sealed}; {digest}"
    )


def _document(verdict: Verdict) -> dict[str, object]:
    return {
        "path": str(verdict.path),
        "holds": verdict.holds,
        "differences": verdict.differences,
        "matches": verdict.tally.matches,
        "deals": verdict.tally.deals,
        "fingerprint": verdict.fingerprint,
        "commitment": verdict.commitment,
        "sealed": verdict.is_sealed,
        "digest": verdict.digest,
    }
