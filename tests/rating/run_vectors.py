"""Recomputes every number of reference files and prints each difference.

    python tests/rating/run_vectors.py FILE...

Files are recognised by what they ask. Exit status: 0 no difference; 1 some difference, or a
question that nobody here can answer; 2 no usable file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in (str(ROOT), str(ROOT / "tests" / "rating")):
    if folder not in sys.path:
        sys.path.insert(0, folder)

from design_vectors import judge_design  # noqa: E402
from evidence_vectors import judge_elo, judge_sequential, judge_sprt  # noqa: E402
from trueskill_vectors import judge_batch, judge_updates  # noqa: E402
from vector_checks import Case, Report  # noqa: E402

FORMATS: tuple[tuple[frozenset[str], Callable[[Case], None]], ...] = (
    (
        frozenset(
            {
                "updates",
                "draw_margins",
                "match_quality",
                "win_probability_two_teams",
                "three_player_outcome_probability",
            }
        ),
        judge_updates,
    ),
    (frozenset({"datasets"}), judge_batch),
    (frozenset({"llr", "bounds", "generic_block_scores", "expected_length"}), judge_sprt),
    (frozenset({"intervals", "misc", "glicko2"}), judge_elo),
    (
        frozenset(
            {
                "normal_mixture",
                "betting",
                "sign_beta_binomial",
                "clipped_betting_blocks",
                "summary_of_blocks",
            }
        ),
        judge_sequential,
    ),
    (frozenset({"designs", "rounds", "cyclic"}), judge_design),
)
"""The questions by which a format is known, and who answers them."""


def judge_file(path: str) -> Report:
    """Judges one file.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is no JSON object.
    """
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise ValueError("not a JSON object")
    report = Report(path)
    case = Case(report, Path(path).name, content, 1e-9)
    judges = [judge for questions, judge in FORMATS if questions & content.keys()]
    if not judges:
        report.differs(case.name, "format", sorted(content), "no answer: an unknown format")
        return report
    for judge in judges:
        try:
            judge(case)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            report.differs(
                case.name, judge.__name__, "an answer", f"{type(error).__name__}: {error}"
            )
    case.close()
    if not report.judged:
        report.differs(case.name, "format", "something to judge", "no question at all")
    return report


def main(paths: Sequence[str]) -> int:
    if not paths:
        print(__doc__)
        return 2
    status = 0
    for path in paths:
        try:
            report = judge_file(path)
        except (OSError, ValueError) as error:
            print(f"{path}: unusable: {error}")
            status = 2
            continue
        for line in report.not_judged:
            print(f"not judged: {line}")
        for line in report.differences:
            print(line)
        print(
            f"{path}: {report.judged} values judged, {len(report.differences)} differences, "
            f"{len(report.not_judged)} not judged"
        )
        if report.differences:
            status = max(status, 1)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
