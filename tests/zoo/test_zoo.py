"""The zoo in every tier: each promise is kept, nobody else is harmed, nothing is left."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

from referee.bots.sandbox import TierUnavailableError
from tests.sandbox import held
from tournaments.zoo.catalogue import Behaviour, Promise, load_catalogue
from tournaments.zoo.judging import Judgement
from tournaments.zoo.runs import Zoo

ROOT = Path(__file__).parents[2]
CATALOGUE = load_catalogue()
IDS = [behaviour.id for behaviour in CATALOGUE.behaviours]
SYSTEM = "PRNFISOLC"
"""The groups that a tier makes a difference to; the others are about what goes over the wire."""


FEW = "P3a,N1a,F1a,I1a,S1"
"""What is tried with the other tests: where it matters most how bots are held."""
WIRE = "B1a,G4a"
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

Run = tuple[dict[str, Judgement], tuple[str, ...]]

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        "ZOO" not in os.environ,
        reason="takes minutes: ZOO=few tries what matters most, ZOO=all everything",
    ),
]


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest) -> Run:
    """The zoo, once in each tier: the judgements by id, and what was left of it all."""
    try:
        zoo = Zoo(CATALOGUE.programs, request.param, JOBS, lambda: None)
    except TierUnavailableError as error:
        pytest.skip(str(error))
    judgements = asyncio.run(zoo.run(TRIED[request.param]))
    return {judgement.behaviour.id: judgement for judgement in judgements}, zoo.left


@pytest.mark.parametrize(
    ("run", "name"),
    [(tier, b.id) for tier, tried in TRIED.items() for b in tried],
    indirect=["run"],
)
def test_what_is_promised_of_a_behaviour_is_so(run: Run, name: str) -> None:
    judgement = run[0][name]
    assert not judgement.broken, judgement.sighting.text[-2000:]


@pytest.mark.parametrize("run", TRIED, indirect=True)
def test_nobody_is_harmed_by_what_is_not_promised_either(run: Run) -> None:
    harmed = {name: j.sighting.harm for name, j in run[0].items() if j.sighting.harm}
    assert not harmed


@pytest.mark.parametrize("run", TRIED, indirect=True)
def test_nothing_is_left(run: Run) -> None:
    left = {name: j.sighting.left for name, j in run[0].items() if j.sighting.left}
    assert not left
    assert not run[1], "and of the run as a whole"


@pytest.mark.parametrize("run", TRIED, indirect=True)
def test_no_bot_learns_a_secret(run: Run) -> None:
    leaked = {name: j.sighting.leaked for name, j in run[0].items() if j.sighting.leaked}
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
