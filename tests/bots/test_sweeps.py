"""The sweep at the end of a bot, with processes that nobody can tell the owner of."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from referee.bots.keeper import service
from referee.bots.keeper.kept import SWEEP_LIMIT
from referee.bots.keeper.processes import Entry
from referee.bots.keeper.service import Service

NOBODY = 2**30
"""A number that no process can have."""


@pytest.fixture
def keeper() -> Iterator[Service]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        made = Service(theirs, 1)
        with made._selector, made._wake, made._waker:
            yield made


def ending(keeper: Service, number: int, now: float) -> Any:
    """Returns a bot that has ended, and whose processes are to be swept from *now* on."""
    kept: Any = SimpleNamespace(
        number=number, pid=number, mark=f"m{number}", user=None, reaped=True, outputs={},
        outlived=[], due=now, give_up=now + SWEEP_LIMIT,
    )  # fmt: skip
    keeper._kept[number] = kept
    return kept


def chain(_: int) -> Iterator[tuple[int, Entry]]:
    """Yields a process that has no mark, and is never ended in time."""
    yield NOBODY, Entry(NOBODY, 1, NOBODY, 1, living=True)


def held_up(keeper: Service, number: int, now: float) -> float:
    """Returns for how long the end of a bot that ends *now* is held up."""
    kept, begun = ending(keeper, number, now), now
    while number in keeper._kept:
        now = kept.due
        keeper._sweep([kept], now)
    return now - begun


def test_what_hides_whose_it_is_holds_up_all_ends_for_as_long_as_one(
    keeper: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "family", chain)
    first = held_up(keeper, NOBODY + 1, 100.0)
    assert first == pytest.approx(SWEEP_LIMIT, abs=0.1)
    assert held_up(keeper, NOBODY + 2, 100.0 + first) == 0.0
    assert held_up(keeper, NOBODY + 3, 100.0 + 2 * SWEEP_LIMIT) == 0.0
    assert b"left" in keeper._outbox
    assert str(NOBODY).encode() in keeper._outbox, "it is said all the same"


def test_what_hides_an_hour_later_is_another_and_is_waited_for(
    keeper: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "family", chain)
    held_up(keeper, NOBODY + 1, 100.0)
    assert held_up(keeper, NOBODY + 2, 3700.0) == pytest.approx(SWEEP_LIMIT, abs=0.1)
