"""Each bot of a referee that is root gets a user of its own, and no two runs lend the same."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from referee.bots.sandbox import UidSlots
from referee.bots.sandbox.uids import CANDIDATES, processes_of
from tests.sandbox.held import ROOT

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root lends users")

TAKE_TWO = """
from referee.bots.sandbox import UidSlots
with UidSlots() as slots:
    print(slots.take(), slots.take())
"""


def others() -> list[int]:
    """Returns two users that another run lends now."""
    done = subprocess.run(
        [sys.executable, "-c", TAKE_TWO], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [int(word) for word in done.stdout.split()]


def test_no_two_bots_share_a_user_whichever_run_they_are_of() -> None:
    with UidSlots() as slots:
        mine = [slots.take(), slots.take()]
        taken = [*mine, *others()]
    assert len(set(taken)) == 4
    assert all(uid in CANDIDATES for uid in taken)


def test_a_user_that_was_given_back_is_lent_again() -> None:
    def is_lent_again() -> bool:
        with UidSlots() as slots:
            uid = slots.take()
            slots.give(uid)
            return slots.take() == uid

    assert any(is_lent_again() for _ in range(10)), "others on this machine take one now and then"


def test_a_user_with_a_process_is_not_lent() -> None:
    with UidSlots() as slots:
        uid = slots.take()
        assert uid is not None
        slots.give(uid)
        with subprocess.Popen(["sleep", "600"], user=uid, group=uid, extra_groups=[]) as squatter:
            try:
                assert processes_of(uid) == (squatter.pid,)
                assert slots.take() != uid
            finally:
                squatter.kill()
