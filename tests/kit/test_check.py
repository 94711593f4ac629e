"""`check_bot`: what an honest bot is told, and at which step each fault is found, and how named."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from referee.bots.sandbox import Sandbox, Tier
from referee.bots.spec import parse_bot
from referee.bots.terms import ClockTerms
from referee.errors import ConfigError
from tournaments.cli.main import main
from tournaments.kit import match_steps
from tournaments.kit.check import STEPS, check_bot
from tournaments.kit.results import CheckReport, Failure, StepVerdict, failure_lines
from tournaments.kit.stand import StandTerms
from tournaments.kit.states import load_state
from tournaments.kit.trial import CheckTerms

TESTS = Path(__file__).parents[1]
ODD = Path(__file__).parent / "bots" / "odd.py"
PATIENT = ClockTerms(move_time=60.0, startup=120.0, first_move=120.0, grace=0.2)
QUICK = ClockTerms(move_time=0.2, startup=120.0, first_move=0.2, grace=0.2)


def program(*words: object) -> str:
    return f"cmd:{sys.executable} {' '.join(map(str, words))}"


def check(
    text: str, *steps: str, states: Path | None = None, clock: ClockTerms = PATIENT
) -> CheckReport:
    terms = CheckTerms(StandTerms(clock, Sandbox(Tier.BASIC)), questions=20)
    return asyncio.run(check_bot(parse_bot(text, Path()), terms, only=steps, states=states))


def failed(report: CheckReport) -> list[str]:
    return [step.name for step in report.failed]


def test_a_revoke_is_shown_once_with_the_command_that_repeats_it_and_where_else_it_was_met(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bot = program(ODD, "revokes")
    steps = ("follows-suit", "first-bid", "in-time", "new-match")
    words = (*(word for step in steps for word in ("--step", step)), "--states", str(tmp_path))
    assert main(["bot", "check", bot, *words, "--startup", "120s"]) == 4
    text = capsys.readouterr().out
    [state] = tmp_path.glob("*-follows-suit.json")
    assert "4 bids with an empty history ............ ok" in text
    assert "6 follows suit .......................... FAIL" in text
    assert text.count("illegal: seat") == 1
    assert text.count("hand      ") == 1, "one bug is told in full once"
    for line in ("9 answers within the move time", "13 plays a new match without restart"):
        assert re.search(f"^ ?{line} [.]+ FAIL +[0-9.]+ s  as in step 6$", text, re.MULTILINE)
    assert "the fault of step 6 was met in steps 9, 13 too" in text
    assert f"repeat:   moon ask '{bot}' --state {state}" in text
    assert "4 of 7 passed, 3 failed" in text

    code = main(["ask", bot, "--state", str(state), "--startup", "120s"])
    again = capsys.readouterr().out
    assert code == 4, "asked once more, the bot does the same"
    legal = ", ".join(map(str, load_state(state).decision.legal))
    assert f"legal     {legal}" in again
    assert "illegal: seat" in again


def test_what_cannot_be_tried_of_a_bot_that_does_not_start_is_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bot = program(TESTS / "zoo" / "programs" / "starts.py", "exits-complaining")
    assert main(["bot", "check", bot]) == 4
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        "   18 steps skipped: the bot did not start",
        f"{lines[-1].partition(': ')[0]}: 1 of 20 passed, 1 failed, 18 skipped",
    ]
    assert sum("skip" in line for line in lines) == 2


def test_the_steps_that_can_be_taken_alone_are_named_in_the_help(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bot", "check", "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f" {n:2} {step.name} " in shown for n, step in enumerate(STEPS, 1))


@pytest.mark.parametrize(
    ("words", "steps", "found", "told"),
    [
        pytest.param(
            ("faulty_bots/raw.py", "wrong_nonce", "unary"), ["first-bid"], ["starts"],
            "answered the handshake with the nonce 'someone else'", id="another-answers",
        ),
        pytest.param(
            ("zoo/programs/starts.py", "exits-complaining"), ["first-bid"], ["starts"],
            "ended before it answered the handshake", id="breaks-at-the-start",
        ),
        pytest.param(
            ("faulty_bots/raw.py", "empty", "unary"), ["first-bid"], ["first-bid"],
            "protocol: the response holds no answer", id="answers-nothing",
        ),
        pytest.param(
            ("kit/bots/odd.py", "strict"), ["first-bid", "unknown-fields"], ["unknown-fields"],
            "crashed: the process ended (exit code 3)", id="refuses-unknown-fields",
        ),
        pytest.param(
            ("kit/bots/odd.py", "clock"), ["repeats"], ["repeats"],
            "the same deals were played twice, and not alike", id="draws-by-the-clock",
        ),
        pytest.param(
            ("zoo/programs/processes.py", "ignores-signals"), ["exits"], ["exits"],
            "it did not end within 2 s of SIGTERM", id="does-not-end",
        ),
        pytest.param(
            ("zoo/programs/processes.py", "leaves-a-daemon"), ["first-bid", "leaves-nothing"],
            ["leaves-nothing"], "1 of the processes it had started ran on", id="leaves-a-daemon",
        ),
    ],
)  # fmt: skip
def test_a_fault_is_found_at_its_step_and_named(
    words: Sequence[str],
    steps: Sequence[str],
    found: Sequence[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if found == ["exits"]:
        monkeypatch.setattr(match_steps, "TRIES", 1)  # it would be deaf every time
    program_file, *rest = words
    report = check(program(TESTS / program_file, *rest), *steps)
    assert failed(report) == found
    [step] = report.failed
    assert step.failure is not None
    assert told in step.failure.problem
    assert step.failure.command.startswith("moon bot check ")
    skipped = [each for each in report.steps if each.verdict is StepVerdict.SKIPPED]
    assert bool(skipped) is (found == ["starts"]), "what needs a running bot is not tried without"


def test_one_that_is_late_and_one_that_forgets_a_part_of_a_batch_are_out_of_time() -> None:
    report = check(program(ODD, "forgets"), "first-bid", "batch", clock=QUICK)
    assert failed(report) == ["batch"], "one question it answers in time"
    assert report.failed[0].remark == "timeout: no answer within 0.2 s"


def test_a_seeded_generator_that_the_process_keeps_is_no_fault_and_a_leak_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_steps, "ROUNDS", 4)  # it would go on like that
    report = check(program(ODD, "leaks"), "repeats", "memory")
    assert failed(report) == ["memory"]
    assert report.failed[0].remark.startswith("its memory went on growing, from ")

    monkeypatch.setattr(match_steps, "memory_of", lambda process: 0)
    [*_, step] = check(program(ODD, "leaks"), "memory").steps
    assert step.verdict is StepVerdict.SKIPPED, "where the system tells nothing, nothing is steady"
    assert step.remark == "this system does not tell what a process uses"


def test_the_time_to_end_is_that_of_a_bot_with_processes_too_which_it_ends_itself() -> None:
    report = check(program(ODD, "lingers"), "exits", "leaves-nothing")
    assert failed(report) == []
    remark = next(step.remark for step in report.steps if step.name == "exits")
    assert 0.5 <= float(remark.removesuffix(" s of 2 s")) <= 2.0


def test_what_cannot_be_checked_is_refused_with_what_to_do() -> None:
    with pytest.raises(ConfigError, match="a check starts the bot itself"):
        check("grpc://127.0.0.1:1")
    with pytest.raises(ConfigError, match="is two bots, of which one bids and one plays"):
        check("counter / greedy")
    with pytest.raises(ConfigError, match=r"there is no step 'follow-suit' \(did you mean"):
        check("greedy", "follow-suit")


def test_both_ends_of_what_a_bot_wrote_are_shown() -> None:
    """JavaScript says what is wrong at the beginning, Python at the end."""
    failure = Failure(
        "did not answer", stderr="\n".join(["Error: boom", *"abcdefgh", "at the end"])
    )
    [_, *shown] = failure_lines(failure, 4)
    assert [line.strip() for line in shown] == ["Error: boom", "a", "...", "h", "at the end"]
