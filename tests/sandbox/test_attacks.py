"""A bot that tries everything, held in each way, by a referee that is root and by one that is not.

The tables say what each may still do; all else must be refused.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache

import pytest

from referee.bots.sandbox import bubblewrap
from referee.bots.sandbox.landlock import SCOPES_SINCE, abi
from tests.sandbox.held import Request, request, root_can_mount

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds bots")

SETTINGS = [("basic", False), ("basic", True), ("hardened", False), ("hardened", True)]
NAMES = ["basic, root", "basic, ordinary", "hardened, root", "hardened, ordinary"]

IN_SIGHT = {"process_list", "sockets_of_others", "state_of_another_bots_place"}
STILL_POSSIBLE = {
    ("basic", False): set() if root_can_mount() else IN_SIGHT,
    # The number of tasks is counted for the whole user: the keeper watches instead.
    ("basic", True): {*IN_SIGHT, "many_processes", "many_threads"},
    ("hardened", False): set(),
    ("hardened", True): set(),
}

WITHOUT_A_SANDBOX = {
    "shared_pages", "shared_zeros", "watch_what_others_open",
    "memory", "environment", "seed_on_command_line", "descriptors_of_the_referee",
    "file_of_the_referee", "home_of_the_user", "stop_signal", "renice_by_user", "tcp", "udp",
    "dial_another_bot", "dial_an_abstract_name", "datagram_to_another_bot", "change_own_program",
    "write_beside_own_home", "write_anywhere", "process_list", "large_file", "many_processes",
    "many_threads", "lock_what_all_can_read", "hidden_memory", "mode_of_a_file_of_the_user",
    "times_of_a_file_of_the_user", "place_of_another_bot", "sockets_of_others",
    "state_of_another_bots_place",
}  # fmt: skip
"""What every Linux lets a program of the same user do."""


@cache
def attacked(tier: str, ordinary: bool, closed: bool = True) -> dict[str, bool]:
    """Returns what the attacker could do."""
    answer = request(Request(tier, "attacker.py", closed=closed), ordinary=ordinary)
    assert answer.get("code") == 0, answer
    could: dict[str, bool] = json.loads(str(answer["output"]))
    return could


def skip_what_cannot_be(tier: str, ordinary: bool) -> None:
    if not ordinary and os.geteuid() != 0:
        pytest.skip("only root can be a referee that is root")
    if tier == "hardened" and bubblewrap.find() is None:
        pytest.skip("there is no bubblewrap")
    if tier == "basic" and abi() < SCOPES_SINCE:
        pytest.skip(f"the kernel has version {abi()} of Landlock")


@pytest.mark.parametrize(("tier", "ordinary"), SETTINGS, ids=NAMES)
def test_a_bot_can_do_nothing_that_its_tier_forbids(tier: str, ordinary: bool) -> None:
    skip_what_cannot_be(tier, ordinary)
    could = {name for name, done in attacked(tier, ordinary).items() if done}
    assert could == STILL_POSSIBLE[tier, ordinary]


def test_the_attacks_work_where_nothing_holds_the_bot() -> None:
    could = {name for name, done in attacked("none", True, closed=False).items() if done}
    assert could >= WITHOUT_A_SANDBOX


def test_a_referee_that_closes_itself_cannot_be_looked_into_by_its_own_user() -> None:
    could = {name for name, done in attacked("none", True).items() if done}
    inside = {"memory", "environment", "descriptors_of_the_referee", "seed_on_command_line"}
    assert not could & {*inside, "trace"}
    assert "stop_signal" in could, "it is the same user after all"
