"""When a night has to be over, as people write it."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta

import click

from referee.errors import ConfigError
from tournaments.durations import parse_duration

FAR = timedelta(hours=12)
"""A time of day that is further away is taken for one that was missed."""
LONGEST_NIGHT = timedelta(days=7)
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")
_PLAIN = re.compile(r"[0-9]+(\.[0-9]+)?")


class MinutesType(click.ParamType[float]):
    """A duration in seconds, written ``90m``, ``2h`` or as a number of minutes."""

    name = "minutes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Returns *value* in seconds."""
        text = str(value).strip()
        try:
            return parse_duration(f"{text}m" if _PLAIN.fullmatch(text) else text)
        except ValueError:
            told = f"expected minutes like 90, or a time like 90m or 2h, up to 24h, got {value!r}"
            self.fail(told, param, ctx)


def seconds_until(text: str, now: datetime | None = None) -> float:
    """Returns how long it is until *text*: a time of day, which may be tomorrow's, or with a date.

    A time of day that has just passed was missed, as by a late start; nobody means the whole night
    and day until it comes again, so one that is more than `FAR` away needs its date.

    Args:
        text: Like ``21:30`` or ``2026-12-02T21:30``, by the clock of this machine.
        now: The time by that clock; ``None`` to look.

    Raises:
        ConfigError: if it means no time, one that has passed, or one that is too far away.
    """
    now = now or datetime.now()
    then = _moment(text.strip(), now)
    if then is None:
        problem = f"expected a time like 21:30, or with its date 2026-12-02T21:30, got {text!r}"
        raise ConfigError(None, "--until", problem)
    if then <= now:
        raise ConfigError(None, "--until", f"{then:%Y-%m-%d %H:%M} has passed")
    if then - now > LONGEST_NIGHT:
        raise ConfigError(None, "--until", f"{text} is more than {LONGEST_NIGHT.days} days away")
    seconds = then.timestamp() - now.timestamp()  # by the clock on the wall, an hour may be skipped
    if "T" not in text and then - now > FAR:
        day = "tomorrow" if then.date() > now.date() else "today"
        raise ConfigError(
            None, "--until",
            f"{text.strip()} is {clock_text(seconds)} away, {day}; if that is meant, give its "
            f"date: --until {then:%Y-%m-%dT%H:%M}",
        )  # fmt: skip
    return seconds


def _moment(text: str, now: datetime) -> datetime | None:
    """Returns the moment that *text* means; ``None`` if it means none."""
    if (match := _TIME.fullmatch(text)) is not None:
        then = datetime.combine(now.date(), time(int(match[1]), int(match[2])))
        return then + timedelta(days=then <= now)
    try:
        return datetime.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def until_text(seconds: float, now: datetime | None = None) -> str:
    """Returns when *seconds* are over, in words, if that is not today; else nothing.

    Args:
        seconds: How long it is from now.
        now: The time by the clock of this machine; ``None`` to look.
    """
    now = now or datetime.now()
    then = datetime.fromtimestamp(now.timestamp() + seconds)
    days = (then.date() - now.date()).days
    if not days:
        return ""
    return f"until tomorrow {then:%H:%M}" if days == 1 else f"until {then:%Y-%m-%d %H:%M}"


def clock_text(seconds: float) -> str:
    """Returns a time in words.

    >>> clock_text(7.2), clock_text(68), clock_text(86_280)
    ('7 s', '1 min 8 s', '23 h 58 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
