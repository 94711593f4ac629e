"""What came of a check, as plain values for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any
from xml.etree import ElementTree as Xml

SCHEMA = "moon.bot.check/1"


class StepVerdict(StrEnum):
    """What came of a step."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """It does not apply to this bot, or an earlier step left nothing to try it with."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in a step, and how to see it again."""

    problem: str
    """What happened, in one line."""
    question: tuple[str, ...] = ()
    """What was asked, in words, a line for each thing that the seat knows; empty if nothing was."""
    answer: str = ""
    """What was answered, as JSON; empty if nothing was."""
    legal: tuple[str, ...] = ()
    """What would have been legal."""
    state: bytes = b""
    """The question as it travels, a serialized ``DecideRequest``; empty if nothing was asked."""
    stderr: str = ""
    """The last that the bot wrote to standard error."""
    state_file: str = ""
    """Where the question is saved; empty if it is not."""
    command: str = ""
    """The command that repeats just this."""
    cause: str = ""
    """What it shares with every failure of the same cause; empty if it is like no other."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of one step."""

    number: int
    """From 1, the same for every bot."""
    name: str
    """What it is called in commands: ``follows-suit``."""
    title: str
    """The same for people."""
    verdict: StepVerdict
    remark: str
    """What was seen, or why it was skipped."""
    seconds: float
    failure: Failure | None = None
    first: int = 0
    """The number of the step that failed of the same cause before it; 0 if none did."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What came of a check."""

    bot: str
    """What the bot is called."""
    rules: str
    """The rules that most of it was asked by."""
    sandbox: str
    """The tier in which it was held."""
    steps: tuple[StepResult, ...]

    @property
    def ok(self) -> bool:
        """Whether no step failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[StepResult, ...]:
        """The steps that failed, in order."""
        return tuple(step for step in self.steps if step.verdict is StepVerdict.FAILED)

    @property
    def repeated(self) -> dict[int, tuple[int, ...]]:
        """The steps that failed of a cause that was met before, by the step that met it first."""
        found: dict[int, tuple[int, ...]] = {}
        for step in self.failed:
            if step.first:
                found[step.first] = (*found.get(step.first, ()), step.number)
        return found

    @property
    def summary(self) -> str:
        """How many steps came to what: ``18 of 20 passed, 1 failed, 1 skipped``."""
        counts = Counter(step.verdict for step in self.steps)
        parts = [f"{counts[StepVerdict.PASSED]} of {len(self.steps)} passed"]
        others = (
            verdict for verdict in (StepVerdict.FAILED, StepVerdict.SKIPPED) if counts[verdict]
        )
        parts.extend(f"{counts[verdict]} {verdict}" for verdict in others)
        return ", ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Returns the report as the body of a document of schema `SCHEMA`."""
        return {
            "bot": self.bot,
            "rules": self.rules,
            "sandbox": self.sandbox,
            "ok": self.ok,
            "steps": [_step_json(step) for step in self.steps],
        }

    def to_junit(self) -> str:
        """Returns the report in the form of JUnit, which services that run checks can read."""
        counts = Counter(step.verdict for step in self.steps)
        total = sum(step.seconds for step in self.steps)
        suite = Xml.Element(
            "testsuite",
            name=f"moon bot check {self.bot}",
            tests=str(len(self.steps)),
            failures=str(counts[StepVerdict.FAILED]),
            skipped=str(counts[StepVerdict.SKIPPED]),
            time=f"{total:.3f}",
        )
        for step in self.steps:
            case = Xml.SubElement(
                suite, "testcase", classname=self.bot, name=step.title, time=f"{step.seconds:.3f}"
            )
            if step.failure is not None:
                told = Xml.SubElement(case, "failure", message=step.failure.problem)
                told.text = "\n".join(failure_lines(step.failure))
            elif step.verdict is StepVerdict.SKIPPED:
                Xml.SubElement(case, "skipped", message=step.remark)
        Xml.indent(suite)
        return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def failure_lines(failure: Failure, stderr: int = 40) -> list[str]:
    """Returns what there is to read of *failure* besides its first line.

    Args:
        failure: What went wrong.
        stderr: How many lines of standard error are shown: some languages say what is wrong at the
            beginning, others at the end.
    """
    lines = [f"asked:    {failure.question[0]}"] if failure.question else []
    lines += [f"          {line}" for line in failure.question[1:]]
    if failure.answer:
        lines.append(f"answered: {failure.answer}")
    if failure.legal:
        lines.append(f"legal:    {', '.join(failure.legal)}")
    if failure.stderr.strip():
        lines.append("the last it wrote to standard error:")
        lines += [
            f"          {line}" for line in _ends(failure.stderr.strip().splitlines(), stderr)
        ]
    if failure.state_file:
        lines.append(f"state:    {failure.state_file}")
    if failure.command:
        lines.append(f"repeat:   {failure.command}")
    return lines


def repeated_lines(report: CheckReport) -> list[str]:
    """Returns a line for each fault that more than one step has met: in which others."""
    return [
        f"the fault of step {first} was met in {numbers_text(again)} too"
        for first, again in report.repeated.items()
    ]


def numbers_text(numbers: Sequence[int]) -> str:
    """Returns rising *numbers* of steps as people write them.

    >>> numbers_text([7])
    'step 7'
    >>> numbers_text([7, 8, 9, 12, 13])
    'steps 7-9, 12, 13'
    """
    parts: list[str] = []
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        own = [number for _, number in run]
        parts += [f"{own[0]}-{own[-1]}"] if len(own) > 2 else map(str, own)
    return f"step{'s' * (len(numbers) > 1)} {', '.join(parts)}"


def _ends(lines: list[str], most: int) -> list[str]:
    """Returns the beginning and the end of *lines*, at most so many."""
    if len(lines) <= most:
        return lines
    first = most // 2
    return [*lines[:first], "...", *lines[first - most :]]


def _step_json(step: StepResult) -> dict[str, Any]:
    failure = step.failure
    told = None
    if failure is not None:
        told = {
            "problem": failure.problem,
            "question": list(failure.question),
            "answer": failure.answer,
            "legal": list(failure.legal),
            "stderr": failure.stderr,
            "state_file": failure.state_file,
            "command": failure.command,
        }
    return {
        "number": step.number,
        "name": step.name,
        "title": step.title,
        "verdict": step.verdict.value,
        "remark": step.remark,
        "seconds": round(step.seconds, 3),
        "failure": told,
        "first_failed_in": step.first or None,
    }
