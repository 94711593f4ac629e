"""Holds a bot: what it may read, reach and use, on what this host can give.

`prepare` says what to start, `check_tier` what the host can keep of the promises, and `UidSlots`
lends a user of its own to each bot when we are root.
"""

from referee.bots.sandbox.harden import close_to_bots, harden_self, hide_arguments
from referee.bots.sandbox.prepare import launch_failure, prepare, socket_path
from referee.bots.sandbox.probe import (
    Probe,
    Promise,
    check_tier,
    host_facts,
    probe,
    promise_titles,
    tier_lost,
)
from referee.bots.sandbox.tiers import (
    Launch,
    LaunchFailure,
    Limits,
    Sandbox,
    Tier,
    TierUnavailableError,
)
from referee.bots.sandbox.uids import UidSlots

__all__ = [
    "Launch",
    "LaunchFailure",
    "Limits",
    "Probe",
    "Promise",
    "Sandbox",
    "Tier",
    "TierUnavailableError",
    "UidSlots",
    "check_tier",
    "close_to_bots",
    "harden_self",
    "hide_arguments",
    "host_facts",
    "launch_failure",
    "prepare",
    "probe",
    "promise_titles",
    "socket_path",
    "tier_lost",
]
