"""Writes docs/zoo.md from runs of the zoo.

moon bot zoo --sandbox basic --json > basic.json        (as root, and as an ordinary user)
moon bot zoo --sandbox hardened --json > hardened.json
python docs/zoo.py *.json > docs/zoo.md
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tournaments.zoo.catalogue import GROUPS, Behaviour, load_catalogue

HEAD = """# What hostile and broken bots can do

Written by `docs/zoo.py` from the last run of the zoo; never by hand. Each program of `tests/zoo`
sat down with two honest bots under the real referee.

- *Prevented*: what it tries does not work, and the match goes as with an honest bot in its place.
- *Detected*: the verdict names it, and nobody else.
- *Not promised*: the reason is below the table; in brackets is what was seen here.

After the colon stands the verdict of the referee, where the program did not get away without a
fault. `prevented: crashed` and `prevented: start` mean that the sandbox stopped what was tried, and
the program ended of that: in the match, or before it had started.

`moon bot zoo` tries all of it on your own machine, and exits with 5 where a promise is broken. It
takes minutes (in every tier, as `ZOO=all` has it, half an hour in all); `--only P8c,F` tries single
programs and groups, `--list` shows them. `moon doctor` says what your machine can promise.
"""


ORDER = [
    (user, tier) for tier in ("basic", "hardened", "none") for user in ("root", "ordinary user")
]
"""Whose run, and in which tier: the columns."""


def main() -> None:
    """Writes the page to standard output."""
    runs = _runs([json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:]])
    catalogue = load_catalogue()
    lines = [HEAD, "The runs:", "", *(f"- {_about(run)}" for run in runs), ""]
    for letter, group in GROUPS.items():
        rows = [b for b in catalogue.behaviours if b.group == letter]
        untried = [u for u in catalogue.untried if u.id.startswith(letter)]
        if rows or untried:
            lines += [f"## {letter}: {group}", ""]
        if rows:
            lines += _table(rows, runs)
        if untried:
            lines += [
                "Not tried on one machine:",
                "",
                "| | a bot that | why |",
                "| --- | --- | --- |",
            ]
            lines += [f"| {u.id} | {u.name} | {u.why} |" for u in untried]
            lines.append("")
    sys.stdout.write("\n".join(lines).rstrip() + "\n")


def _runs(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns a run for each user and tier; a later one replaces the rows that it has again."""
    runs: dict[tuple[str, str], dict[str, Any]] = {}
    for document in documents:
        key = (document["host"]["user"], document["sandbox"])
        before = {row["id"]: row for row in runs.get(key, document)["behaviours"]}
        rows = {**before, **{row["id"]: row for row in document["behaviours"]}}
        broken = sum(bool(row["broken"]) for row in rows.values())
        again = runs[key]["again"] + len(document["behaviours"]) if key in runs else 0
        merged = {"behaviours": list(rows.values()), "broken": broken, "again": again}
        runs[key] = {**document, **merged}
    return [runs[key] for key in ORDER if key in runs]


def _about(run: dict[str, Any]) -> str:
    host, rows = run["host"], run["behaviours"]
    harmed = sum(bool(row["harm"]) for row in rows)
    again = f" ({run['again']} tried again later)" if run["again"] else ""
    left = sum(bool(row["left"]) for row in rows) + bool(run["left"])
    return (
        f"`{run['sandbox']}` as {host['user']}: {len(rows)} behaviours, {run['broken']} promises"
        f" broken, honest bots harmed in {harmed}, anything left after {left}"
        f"{again};"
        f" {host['system']}, Python {host['python']}, moon {host['code_version']}, {host['date']}"
    )


def _table(rows: list[Behaviour], runs: list[dict[str, Any]]) -> list[str]:
    heads = [f"{run['sandbox']}, {run['host']['user']}" for run in runs]
    found = [{row["id"]: row for row in run["behaviours"]} for run in runs]
    lines = [f"| | a bot that | {' | '.join(heads)} |", "| --- | --- |" + " --- |" * len(heads)]
    reasons: dict[str, list[str]] = {}
    for behaviour in rows:
        cells = [_cell(seen.get(behaviour.id)) for seen in found]
        lines.append(f"| {behaviour.id} | {behaviour.name} | {' | '.join(cells)} |")
        for seen in found:
            if why := seen.get(behaviour.id, {}).get("why"):
                reasons.setdefault(behaviour.id, []).append(why)
    lines.append("")
    for name, whys in reasons.items():
        lines.append(f"- {name} is not promised: {'; '.join(dict.fromkeys(whys))}.")
    return [*lines, ""] if reasons else lines


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return "not run"
    if row["broken"]:
        return "**broken**"
    if row["promised"] == "not promised":
        return f"not promised ({row['seen']})"
    verdict = "" if row["verdict"] == "ok" else f": {row['verdict']}"
    return f"{row['promised']}{verdict}"


if __name__ == "__main__":
    main()
