"""The reference values, where they lie beside the checkout, and the tool that judges them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "rating"
TOOL = Path(__file__).with_name("run_vectors.py")

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the reference values do not lie beside this checkout"
)

UPDATES = {
    "updates": [
        {
            "name": "1v1",
            "teams": [[[25.0, 25 / 3]], [[25.0, 25 / 3]]],
            "params": {"tau": 25 / 300, "draw_probability": 0.1},
            "expected": [[[29.395831692991518, 7.17147580700922]],
                         [[20.60416830700849, 7.17147580700922]]],
        }
    ]
}  # fmt: skip
BATCH = {
    "datasets": [
        {
            "entrants": 3,
            "games": [{"teams": [[0], [1], [2]]}, {"teams": [[0], [2], [1]]},
                      {"teams": [[1], [0], [2]]}],
            "expected": [[28.757963034349803, 3.97855044128566], [25.0, 3.761997293933225],
                         [21.242036965650136, 3.978550441285652]],
        }
    ]
}  # fmt: skip
SPRT = {"llr": [{"model": "logistic", "counts_low_to_high": [21184, 40708, 21404], "elo0": 0.5,
                 "elo1": 2.5, "llr": -1.5718887926857406}]}  # fmt: skip
ELO = {"intervals": [{"kind": "trinomial", "wins": 76, "losses": 89, "draws": 123,
                      "elo": -15.693520705432237, "elo_error95": 30.45800071698045}]}  # fmt: skip
SEQUENTIAL = {"sign_beta_binomial": [{"wins": 5, "losses": 0, "log_e": 1.6739764335716716}]}
DESIGN = {
    "kind": "team2v2",
    "players": 5,
    "cyclic": {"modulus": 5, "infinity": False, "starter": [[1, 2, 4, 3]]},
    "expect": {"partner_count": 1, "opponent_count": 2, "bye_count": 1, "seat_count": 1},
}
FORMATS = [UPDATES, BATCH, SPRT, ELO, SEQUENTIAL, DESIGN]


def judge(*files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(TOOL), *map(str, files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def written(folder: Path, content: object) -> Path:
    path = folder / "case.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@needs_shared
def test_every_given_value_is_reproduced() -> None:
    answer = judge(*sorted(SHARED.glob("*.json")), *sorted(SHARED.glob("designs/*.json")))
    assert answer.returncode == 0, answer.stdout + answer.stderr


@needs_shared
def test_a_published_design_that_is_not_balanced_is_found_out() -> None:
    answer = judge(*sorted(SHARED.glob("designs/bad/*.json")))
    assert answer.returncode == 1
    assert "pair_count" in answer.stdout


@pytest.mark.parametrize("content", FORMATS, ids=lambda content: next(iter(content)))
def test_a_file_of_each_format_is_judged(tmp_path: Path, content: dict[str, object]) -> None:
    answer = judge(written(tmp_path, content))
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert " 0 values judged" not in answer.stdout


@pytest.mark.parametrize("content", FORMATS, ids=lambda content: next(iter(content)))
def test_a_wrong_value_of_each_format_is_found(tmp_path: Path, content: dict[str, object]) -> None:
    wrong = json.dumps(content)
    for right in ("29.395831692991518", "28.757963034349803", "-1.5718887926857406",
                  "30.45800071698045", "1.6739764335716716"):  # fmt: skip
        wrong = wrong.replace(right, str(float(right) * 1.001))
    wrong = wrong.replace('"partner_count": 1', '"partner_count": 2')
    answer = judge(written(tmp_path, json.loads(wrong)))
    assert answer.returncode == 1
    assert "expected" in answer.stdout


@pytest.mark.parametrize(
    "content",
    [
        {"about": "nothing"},
        {"riddles": [1]},
        {**SPRT, "riddles": [1]},
        {"llr": [{**SPRT["llr"][0], "riddle": 1.5}]},
        {"llr": [{**SPRT["llr"][0], "model": "astrology"}]},
        {"misc": [{"what": "the meaning of life", "answer": 42}]},
        {**DESIGN, "expect": {"beauty": 1}},
    ],
    ids=repr,
)
def test_a_question_nobody_can_answer_is_no_pass(tmp_path: Path, content: object) -> None:
    answer = judge(written(tmp_path, content))
    assert answer.returncode == 1, answer.stdout


def test_a_file_that_cannot_be_read_is_no_pass(tmp_path: Path) -> None:
    torn = tmp_path / "torn.json"
    torn.write_text("{", encoding="utf-8")
    assert judge(torn).returncode == 2
    assert judge(tmp_path / "missing.json").returncode == 2
    assert judge().returncode == 2
