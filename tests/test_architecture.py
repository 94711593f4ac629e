"""Data flows one way, and no part reaches where it has no business: the contracts are a test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINT = "import sys; from importlinter.cli import lint_imports_command as lint; sys.exit(lint())"

TRESPASSES = {
    "in the referee, data flows one way": ("referee/rules/tiles.py", "import referee.match"),
    "in the league office, data flows one way": (
        "tournaments/schedule/blocks.py",
        "import tournaments.cli.main",
    ),
    "the referee knows no tournaments and no bots of ours": (
        "referee/bots/process.py",
        "import tournaments",
    ),
    "the rules touch nothing outside": ("referee/rules/dealing.py", "import time"),
    "a match knows no wire and starts no process": (
        "referee/match/referee.py",
        "import subprocess",
    ),
    "who carries questions knows no line": (
        "referee/bots/remote_session.py",
        "from referee.bots.line import Line",
    ),
    "the SDK stands apart from the referee's side": ("referee/sdk/bot.py", "import referee.match"),
    "sample bots use what a stranger's bot would use": (
        "sample_bots/greedy.py",
        "from referee.sdk.views import View",
    ),
    "only wire, bots and SDK see the protocol": ("tournaments/config.py", "import moon.v1"),
    "ratings, standings and schedules are functions of records": (
        "tournaments/rating/model.py",
        "import grpc",
    ),
}


def check_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", "--no-logo"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_import_contract_is_kept() -> None:
    answer = check_imports(ROOT)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_each_contract_notices_what_it_forbids(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for room in ("referee", "tournaments", "sample_bots"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    for file, line in TRESPASSES.values():
        path = tmp_path / file
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    answer = check_imports(tmp_path)
    verdicts = {line.strip() for line in answer.stdout.splitlines()}
    assert {f"{name} BROKEN" for name in TRESPASSES} <= verdicts, answer.stdout + answer.stderr
    assert not [line for line in verdicts if line.endswith(" KEPT")]
