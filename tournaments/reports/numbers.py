"""How numbers are written."""

from __future__ import annotations


def number(value: float | None, digits: int = 2) -> str:
    """Returns *value* with so many digits, or a dash for ``None``."""
    return "-" if value is None else f"{value:.{digits}f}"


def millis(micros: float | None) -> str:
    """Returns a time in microseconds as milliseconds, or a dash for ``None``."""
    return "-" if micros is None else f"{micros / 1000:.1f}"


def rounded_millis(micros: float | None) -> float | None:
    """Returns a time in microseconds as milliseconds with three digits."""
    return None if micros is None else round(micros / 1000, 3)
