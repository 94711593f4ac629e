"""What every kind of reference file needs: cases that know which of their fields were judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import inf, isinf, isnan
from typing import Any

REMARKS = {"about", "name", "source", "note", "notes", "comment", "description", "versions"}
"""Fields that ask nothing, whatever they hold."""


@dataclass
class Report:
    """What came out for one file."""

    path: str
    judged: int = 0
    differences: list[str] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)

    def differs(self, case: str, what: str, expected: object, got: object) -> None:
        self.differences.append(f"{self.path}: {case}: {what}: expected {expected!r}, got {got!r}")

    def leaves_out(self, case: str, what: str, why: str) -> None:
        self.not_judged.append(f"{self.path}: {case}: {what}: {why}")


class Case:
    """A JSON object of a file. A field that nobody asked for is a question nobody answered."""

    def __init__(self, report: Report, name: str, content: Any, tolerance: float) -> None:
        self.report = report
        self.content: dict[str, Any] = content if isinstance(content, dict) else {}
        self.name = str(self.content.get("name") or name)
        self.used: set[str] = set()
        own = self.content.get("tolerance")
        self.tolerance = tolerance
        if isinstance(own, (int, float)):
            self.tolerance = self.take("tolerance")
        if not isinstance(content, dict):
            report.differs(self.name, "the case", "an object", content)

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def take(self, key: str, default: Any = None) -> Any:
        """Returns a field, marking it as used."""
        self.used.add(key)
        return self.content.get(key, default)

    def take_matching(self, prefix: str) -> Iterator[tuple[str, Any]]:
        """Yields the fields whose name starts with *prefix*, marking them as used."""
        for key in [key for key in self.content if key.startswith(prefix)]:
            yield key, self.take(key)

    def inner(self, key: str) -> Case:
        """Returns an object inside this one as a case of its own."""
        return Case(self.report, f"{self.name}/{key}", self.take(key), self.tolerance)

    def each(self, key: str) -> Iterator[Case]:
        """Yields the objects of a list, and closes each after it was judged."""
        for number, content in enumerate(self.take(key, [])):
            case = Case(self.report, f"{self.name}/{key}[{number}]", content, self.tolerance)
            yield case
            case.close()

    def close(self) -> None:
        """Reports every field that holds more than words and was not asked for."""
        for key, value in self.content.items():
            if key not in self.used and key not in REMARKS and not isinstance(value, str):
                self.report.differs(self.name, key, value, "no answer: an unknown question")

    def expect(self, key: str, got: Any, tolerance: float | None = None) -> None:
        """Judges the field *key*, if there is one, against what our code says."""
        if key in self.content:
            self.compare(key, self.take(key), got, tolerance)

    def expect_close(self, key: str, got: float) -> None:
        """Judges a field relative to its size, if that is above 1."""
        if key in self.content:
            expected = self.take(key)
            self.compare(key, expected, got, self.tolerance * max(1.0, size_of(expected)))

    def expect_shown(self, key: str, got: Any, least: float = 0.0, units: float = 0.5) -> None:
        """Judges a field that somebody rounded to the digits it shows."""
        if key in self.content:
            expected = self.take(key)
            for place, one in enumerate(expected if isinstance(expected, list) else [expected]):
                mine = got[place] if isinstance(expected, list) else got
                slack = max(units * unit_of(one) * 1.0001, least * size_of(one), 1e-9)
                self.compare(key, one, mine, slack)

    def compare(self, what: str, expected: Any, got: Any, tolerance: float | None = None) -> None:
        """Judges numbers, or nested lists of numbers of the same shape."""
        if isinstance(expected, (list, tuple)):
            if not isinstance(got, (list, tuple)) or len(got) != len(expected):
                self.report.differs(self.name, what, expected, got)
                return
            for place, (one, mine) in enumerate(zip(expected, got, strict=True)):
                self.compare(f"{what}[{place}]", one, mine, tolerance)
            return
        self.report.judged += 1
        slack = self.tolerance if tolerance is None else tolerance
        if not near(expected, got, slack):
            self.report.differs(self.name, what, expected, got)


def near(expected: Any, got: Any, tolerance: float) -> bool:
    """Whether *got* is the number *expected*; infinities only equal themselves."""
    if not is_number(expected) or not is_number(got):
        return False
    if isnan(expected) or isnan(got) or isinf(expected) or isinf(got):
        return bool(expected == got)
    return bool(abs(expected - got) <= tolerance)


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def size_of(value: Any) -> float:
    return abs(value) if is_number(value) and abs(value) < inf else 1.0


def unit_of(value: Any) -> float:
    """Returns one unit of the last digit that *value* shows."""
    if not is_number(value) or isinf(value):
        return 0.0
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    # a whole number shows all its digits, trailing zeros too
    return 10.0 ** min(int(exponent), 0)


def flatten(nested: Any) -> Iterator[float]:
    if isinstance(nested, (list, tuple)):
        for one in nested:
            yield from flatten(one)
    else:
        yield nested


def largest_difference(first: Any, second: Any) -> float:
    """Returns the largest difference of two nested lists of one shape; infinite for others."""
    ours, theirs = list(flatten(first)), list(flatten(second))
    if len(ours) != len(theirs) or not all(map(is_number, [*ours, *theirs])):
        return inf
    return max((abs(a - b) for a, b in zip(ours, theirs, strict=True)), default=0.0)


def as_lists(nested: Iterable[Any]) -> list[Any]:
    return [as_lists(one) if isinstance(one, (tuple, list)) else one for one in nested]


def two_digits(case: Case, key: str, got: float) -> None:
    """Judges a recorded error that was rounded to two digits."""
    if key in case:
        expected = case.take(key)
        case.compare(key, expected, got, 0.11 * size_of(expected) + 1e-12)


def bins_of(case: Case) -> Sequence[float]:
    """Returns the counts of a sample, lowest score first."""
    if "counts_low_to_high" in case:
        return list(case.take("counts_low_to_high"))
    return [case.take("losses", 0), case.take("draws", 0), case.take("wins", 0)]
