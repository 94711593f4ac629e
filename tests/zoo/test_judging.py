"""The zoo can fail: a promise that is not kept is found out, whichever way it is broken."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from referee.errors import ConfigError, NotFoundError
from tournaments.zoo.catalogue import Behaviour, Catalogue, find_zoo, load_catalogue
from tournaments.zoo.judging import FaultSeen, Outcome, Sighting, judge
from tournaments.zoo.runs import Zoo

PROMISES = 'basic = "prevented"\nhardened = "prevented"\n'
ROW = f"""
[[behaviour]]
id = "P1"
name = "does something"
run = ["processes.py", "exits"]
verdict = "ok"
{PROMISES}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for a catalogue, with the programs of the zoo."""
    shutil.copytree(find_zoo() / "programs", tmp_path / "programs")
    return tmp_path


def catalogue(folder: Path, text: str, group: str = "P") -> Catalogue:
    (folder / f"{group}.toml").write_text(text, encoding="utf-8")
    return load_catalogue(folder)


def row(folder: Path, **changes: str) -> Behaviour:
    text = ROW
    for old, new in changes.items():
        lines = [line for line in text.splitlines() if not line.startswith(f"{old} =")]
        text = "\n".join([*lines, f"{old} = {new}"])
    [behaviour] = catalogue(folder, text).behaviours
    return behaviour


def seen(text: str = "zoo: denied it", *faults: str) -> Sighting:
    return Sighting([FaultSeen(kind, "a reason") for kind in faults], text.encode())


def test_what_is_denied_and_ends_well_is_prevented(folder: Path) -> None:
    judgement = judge(row(folder), "basic", seen(), {})
    assert (judgement.outcome, judgement.broken) == (Outcome.PREVENTED, ())


@pytest.mark.parametrize(
    ("sighting", "breach"),
    [
        (seen("zoo: got the seed"), "could the seed"),
        (seen("zoo: denied it\nzoo: got the seed\n"), "could the seed"),
        (seen(""), "tried nothing"),
        (seen("zoo: denied it", "crashed"), "the verdict is crashed and not ok (a reason)"),
        (Sighting(output=b"zoo: denied it", harm=["honest is late"]), "harmed another"),
        (Sighting(output=b"zoo: denied it", left=["process 7"]), "left behind: process 7"),
        (Sighting(output=b"zoo: denied it", leaked=("the key",)), "told what it must not know"),
    ],
)
def test_each_way_to_break_a_promise_is_told(folder: Path, sighting: Sighting, breach: str) -> None:
    judgement = judge(row(folder), "basic", sighting, {})
    assert [what for what in judgement.broken if what.startswith(breach)]


def test_what_is_not_promised_is_never_broken_and_a_better_end_is_shown(folder: Path) -> None:
    loose = row(folder, basic='"not promised"', why='"nobody can"')
    assert judge(loose, "basic", seen("zoo: got it"), {}).outcome is Outcome.SUCCEEDED
    better = judge(loose, "basic", seen(), {})
    assert (better.outcome, better.broken, better.why) == (Outcome.PREVENTED, (), "nobody can")


def test_what_a_host_does_not_keep_is_not_promised_there_with_the_reason(folder: Path) -> None:
    needy = row(folder, needs='"signals"')
    judgement = judge(needy, "basic", seen("zoo: got it"), {"signals": "no Landlock"})
    assert not judgement.broken
    assert judgement.why.endswith(": no Landlock")
    assert judge(needy, "basic", seen("zoo: got it"), {"network": "no filter"}).broken


async def test_promises_that_are_wrong_are_found_out_by_a_run(folder: Path) -> None:
    wrong = """
[[behaviour]]
id = "F1"
name = "reads the results of the referee"
run = ["files.py", "reads-the-referees", "{canary_file}", "{home_file}"]
verdict = "ok"
none = "prevented"
basic = "prevented"
hardened = "prevented"

[[behaviour]]
id = "F2"
name = "exits"
run = ["processes.py", "exits"]
verdict = "timeout"
basic = "detected"
hardened = "detected"

[[behaviour]]
id = "F3"
name = "does nothing"
run = ["disguise.py", "honest"]
verdict = "ok"
none = "prevented"
basic = "prevented"
hardened = "prevented"
"""
    found = catalogue(folder, wrong, "F")
    zoo = Zoo(found.programs, "none", 3, lambda: None)
    reads, exits, honest = await zoo.run(found.behaviours)
    assert "could read the results of the referee" in reads.broken
    assert "told what it must not know: a file of the referee" in reads.broken
    assert exits.broken == (
        "the verdict is crashed and not timeout (the process ended (exit code 3))",
    )
    assert [what for what in honest.broken if what.startswith("tried nothing")] == [*honest.broken]
    assert not zoo.left


async def test_what_breaks_the_arena_is_found_and_the_others_are_tried_all_the_same(
    folder: Path,
) -> None:
    text = ROW.replace('"exits"', '"ends-the-keeper"') + 'none = "prevented"\n'
    other = ROW.replace('"exits"', '"leaves-zombies"').replace('"P1"', '"P2"')
    found = catalogue(folder, text + other)
    zoo = Zoo(found.programs, "none", 2, lambda: None)
    breaks, honest = await zoo.run(found.behaviours)
    assert [what for what in breaks.broken if "the arena broke: the keeper" in what]
    assert (honest.outcome, honest.sighting.harm, zoo.left) == (Outcome.PREVENTED, [], ())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"verdit": '"ok"'}, r"verdit: there is no such key \(did you mean 'verdict'\?\)"),
        ({"verdict": '"crash"'}, "there is no verdict 'crash'.*crashed"),
        ({"basic": '"prevent"'}, "expected one of .*prevented"),
        ({"basic": '"detected"'}, 'which the verdict "ok" contradicts'),
        ({"basic": '"not promised"'}, "why: is missing"),
        ({"run": '["proceses.py"]'}, r"no proceses.py in .*processes.py"),
        ({"run": '["processes.py", "{refere}"]'}, "{refere} stands for nothing.*referee"),
        ({"needs": '"signal"'}, "no tier promises 'signal'.*signals"),
        ({"limits": '{ memory = "much" }'}, "limits.memory: expected a size"),
        ({"clock": '{ move_tim = "1s" }'}, "clock.move_tim: there is no such key.*move_time"),
        ({"id": '"X1"'}, "id: expected P, a number"),
        ({"call": '"streem"'}, "call: expected one of .*stream"),
    ],
)
def test_a_row_that_means_nothing_is_refused_with_file_and_key(
    folder: Path, change: dict[str, str], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem) as error:
        row(folder, **change)
    assert str(error.value).startswith(str(folder / "P.toml"))


def test_two_rows_may_not_be_one(folder: Path) -> None:
    with pytest.raises(ConfigError, match="P1: this id is given twice"):
        catalogue(folder, ROW + ROW)
    with pytest.raises(ConfigError, match="is run like another"):
        catalogue(folder, ROW + ROW.replace('"P1"', '"P2"'))


def test_all_of_the_zoo_goes_into_the_package() -> None:
    root = Path(__file__).parents[2]
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    zoo = find_zoo()
    assert set(included) == {
        "tests/zoo/programs",
        *(f"tests/zoo/{path.name}" for path in zoo.glob("*.toml")),
    }


def test_a_part_is_chosen_by_ids_and_groups_and_a_wrong_name_has_its_nearest() -> None:
    whole = load_catalogue()
    some = whole.only(["P,I4"])
    assert {b.group for b in some.behaviours} == {"P", "I"}
    assert [b.id for b in some.behaviours if b.group == "I"] == ["I4"]
    with pytest.raises(NotFoundError, match=r"'P7x'.*did you mean 'P7"):
        whole.only(["P7x"])
