"""The zoo in every tier: each promise is kept, nobody else is harmed, nothing is left."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.bots.sandbox import Tier, TierUnavailableError
from tests.sandbox import held
from tournaments.zoo.catalogue import Behaviour, Promise, load_catalogue
from tournaments.zoo.judging import Judgement
from tournaments.zoo.runs import Zoo

ROOT = Path(__file__).parents[2]
CATALOGUE = load_catalogue()
IDS = [behaviour.id for behaviour in CATALOGUE.behaviours]
SYSTEM = "PRNFISOLC"
"""The groups that a tier makes a difference to; the others are about what goes over the wire."""

FEW = "P3a,P4,P7a,P11a,R1a,R5b,N1a,N4b,F1a,F2a,F3a,F10,I1a,I2,I8,S1,C1d,C1h,C1i,C1j,C1k,P13"
"""What is tried with the other tests, from each group of them."""
WIRE = "B1a,G4a,E1a"
"""And some of what goes over the wire, which is the same in every tier."""


def chosen(names: str) -> tuple[Behaviour, ...]:
    """Returns the behaviours of *names*, or all if ``ZOO=all`` asks for it.

    All of them take many minutes in each tier; `moon bot zoo` does the same.
    """
    if os.environ.get("ZOO") == "all":
        return CATALOGUE.behaviours
    return tuple(b for b in CATALOGUE.behaviours if b.id in names.split(","))


TRIED = {"basic": chosen(f"{FEW},{WIRE}"), "hardened": chosen(FEW)}
JOBS = 5

# It runs once in a tier, for all tests about it: with --dist=loadfile one process runs a file.
pytestmark = pytest.mark.timeout(3600)


class Run(NamedTuple):
    """What became of the zoo in one tier."""

    judgements: dict[str, Judgement]
    left: tuple[str, ...]
    in_company: tuple[str, ...]


@cache
def run_of(tier: str) -> Run | TierUnavailableError:
    """Runs the zoo in *tier*, the first time that it is asked for."""
    try:
        zoo = Zoo(CATALOGUE.programs, Tier(tier), JOBS, lambda: None)
    except TierUnavailableError as error:
        return error
    judgements = asyncio.run(zoo.run(TRIED[tier]))
    return Run(
        {judgement.behaviour.id: judgement for judgement in judgements}, zoo.left, zoo.in_company
    )


@pytest.fixture
def run(tier: str) -> Run:
    """The zoo in *tier*."""
    run = run_of(tier)
    if isinstance(run, TierUnavailableError):
        pytest.skip(str(run))
    return run


@pytest.mark.parametrize(
    ("tier", "name"), [(tier, b.id) for tier, tried in TRIED.items() for b in tried]
)
def test_what_is_promised_of_a_behaviour_is_so(run: Run, name: str) -> None:
    judgement = run.judgements[name]
    assert not judgement.broken, judgement.sighting.text[-2000:]


@pytest.mark.parametrize("tier", TRIED)
def test_nobody_is_harmed_by_what_is_not_promised_either(run: Run) -> None:
    harmed = {name: j.sighting.harm for name, j in run.judgements.items() if j.sighting.harm}
    assert not harmed
    assert not run.in_company, "and by none of them alone"


@pytest.mark.parametrize("tier", TRIED)
def test_nothing_is_left(run: Run) -> None:
    left = {name: j.sighting.left for name, j in run.judgements.items() if j.sighting.left}
    assert not left
    assert not run.left, "and of the run as a whole"


@pytest.mark.parametrize("tier", TRIED)
def test_no_bot_learns_a_secret(run: Run) -> None:
    leaked = {name: j.sighting.leaked for name, j in run.judgements.items() if j.sighting.leaked}
    assert not leaked


def as_ordinary_user(arguments: list[str], base: Path) -> subprocess.CompletedProcess[str]:
    """Runs `moon` with *arguments* as a user without a name, whose home is *base*."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "proto"), sysconfig.get_path("purelib")])
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": paths, "HOME": str(base), "TMPDIR": str(base)}
    command = [sys.executable, "-m", "tournaments.cli.main", *arguments]
    launch = held.as_ordinary_user(command, env, base)
    with tempfile.TemporaryFile() as plan:
        plan.write(launch.inputs[0])
        plan.seek(0)
        number = plan.fileno()
        return subprocess.run(
            [str(number) if word == "@0" else word for word in launch.argv],
            env=launch.env,
            cwd=launch.cwd,
            pass_fds=[number],
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests above run as an ordinary user already")
@pytest.mark.parametrize("tier", ["basic", "hardened"])
def test_an_ordinary_user_is_promised_as_much(tier: str) -> None:
    with tempfile.TemporaryDirectory(prefix="z") as base:
        os.chown(base, held.ORDINARY, held.ORDINARY)
        words = ["bot", "zoo", "--json", "--sandbox", tier, "--only", FEW]
        done = as_ordinary_user([*words, "--jobs", str(JOBS)], Path(base))
        remains = [path.name for path in Path(base).iterdir()]
    if "sandbox hardened" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-4000:]
    document = json.loads(done.stdout)
    rows = document["behaviours"]
    assert [row["id"] for row in rows] == [name for name in IDS if name in FEW.split(",")]
    assert not [row["id"] for row in rows if row["harm"] or row["left"] or row["leaked"]]
    assert document["left"] == remains == []
    assert document["host"]["user"] == "ordinary user"


def test_every_group_that_can_be_tried_here_is_in_the_catalogue() -> None:
    groups = {behaviour.group for behaviour in CATALOGUE.behaviours}
    assert groups >= set(SYSTEM)
    assert all(row.why for row in CATALOGUE.untried)


def test_the_hardened_tier_promises_no_less_than_the_basic_one() -> None:
    worse = [
        behaviour.id
        for behaviour in CATALOGUE.behaviours
        if behaviour.promises["hardened"] is Promise.NOT_PROMISED
        and behaviour.promises["basic"] is not Promise.NOT_PROMISED
    ]
    assert not worse


def documented() -> dict[str, str]:
    """Returns the rows of the table in the documents, by id."""
    text = (ROOT / "docs" / "zoo.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return {row.split("|")[1].strip(): row for row in rows}


@pytest.mark.parametrize("behaviour", CATALOGUE.behaviours, ids=lambda behaviour: behaviour.id)
def test_the_documents_have_a_row_for_each_behaviour(behaviour: Behaviour) -> None:
    row = documented().get(behaviour.id, "")
    assert behaviour.name in row, "write docs/zoo.md anew: see docs/zoo.py"


def test_the_documents_name_what_cannot_be_tried_and_nothing_else() -> None:
    rows = set(documented()) - {"", "---"}
    known = {*IDS, *(row.id for row in CATALOGUE.untried)}
    assert {row for row in rows if row[:1].isupper() and row[1:2].isdigit()} == known
