"""What only the reference values ask for lies beside them, not among what commands are made of."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "tournaments" / "evidence"


def test_all_that_is_evidence_is_used_by_a_command() -> None:
    words = Counter[str]()
    for path in (ROOT / "tournaments").rglob("*.py"):
        if path != EVIDENCE / "__init__.py":
            words.update(re.findall(r"\b[A-Za-z]\w*\b", path.read_text(encoding="utf-8")))
    made = [
        node.name
        for path in EVIDENCE.glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    assert not [name for name in made if words[name] < 2 and not name.startswith("_")]
