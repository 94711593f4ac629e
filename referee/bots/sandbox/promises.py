"""What a tier promises, in words, and by what each promise is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.bots.sandbox.landlock import SCOPES_SINCE, TCP_SINCE
from referee.bots.sandbox.tiers import Tier

TITLES = {
    "memory": "cannot read the memory of the referee",
    "files": "cannot read files of the referee or of the user",
    "signals": "cannot signal, halt or slow down the referee",
    "network": "has no network, not even this machine",
    "families": "has no netlink, vsock or other special sockets",
    "sockets": "cannot connect to other bots",
    "program": "cannot change its own program or the system",
    "privileges": "is not root, and gains no privileges",
    "machine": "cannot change settings of the machine",
    "channels": "has no keyrings, shared memory, locks or watches on files",
    "descriptors": "has no open files but its own",
    "environment": "sees only the variables it was given",
    "processes": "sees no process but its own",
    "memory_cap": "has bounded memory",
    "file_size": "writes no file longer than allowed",
    "disk": "has bounded room on the disk",
    "forks": "has bounded processes and threads",
    "survivors": "leaves no process behind",
    "cpu": "takes no computing time from others",
}
"""Every promise, in the order in which people ask."""

WATCH = "the keeper's watch"
USER, CLOSED, LANDLOCK, SCOPES, SECCOMP = "user", "closed", "landlock", "scopes", "seccomp"
TCP, SPACES, ALWAYS, TASKS = "tcp", "spaces", "always", "tasks"

WORDS = {
    USER: "a user of its own",
    CLOSED: "the referee closes itself",
    LANDLOCK: "Landlock",
    SCOPES: "Landlock",
    TCP: "Landlock",
    SECCOMP: "the filter of calls",
    SPACES: "namespaces",
    TASKS: "the limit of tasks",
}

KEEPERS: dict[str, tuple[str, ...]] = {
    "memory": (USER, CLOSED, LANDLOCK, SPACES),
    "files": (LANDLOCK, SPACES),
    "signals": (USER, SCOPES, SPACES, SECCOMP),
    "network": (SECCOMP, TCP, SPACES),
    "families": (SECCOMP,),
    "sockets": (USER, SECCOMP, SPACES),
    "program": (USER, LANDLOCK, SPACES),
    "privileges": (USER, SECCOMP, SPACES),
    "machine": (USER, LANDLOCK, SPACES),
    "channels": (SECCOMP, SPACES),
    "processes": (SPACES,),
    "forks": (TASKS,),
    "survivors": (SPACES,),
    "disk": (SPACES,),
}
"""By which mechanisms each is kept, where the host has them."""

OTHERWISE = {
    "descriptors": "all others are closed",
    "environment": "made from nothing",
    "processes": "a process list of its own",
    "memory_cap": WATCH,
    "file_size": "the limit of the system",
    "disk": WATCH,
    "forks": WATCH,
    "survivors": "the keeper's sweep, and a look afterwards",
}
"""By what a promise is kept that none of those mechanisms keeps."""

MISSING = {
    LANDLOCK: "there is no Landlock here",
    SCOPES: "the Landlock here is too old",
    TCP: "the Landlock here is too old",
    SECCOMP: "there is no filter of calls for this machine",
}
"""What to say of a mechanism that would have kept a broken promise."""

NEVER = {"cpu": "bots share the cores as other programs do; no cgroup is used"}

ESSENTIAL = (
    "memory", "files", "signals", "network", "families", "sockets", "program", "privileges",
    "machine", "channels", "descriptors", "environment", "processes",
)  # fmt: skip
"""What the hardened tier must keep, or it is not given at all."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a tier has to keep its promises with, on this host."""

    tier: Tier
    own_user: bool
    closed: bool
    """Whether the referee has closed itself (`harden_self`)."""
    landlock: int
    """The version, 0 for none."""
    seccomp: bool

    @property
    def mechanisms(self) -> frozenset[str]:
        """The mechanisms that are at work."""
        spaces = self.tier is Tier.HARDENED
        found = {
            USER: self.own_user,
            CLOSED: self.closed,
            LANDLOCK: self.landlock > 0 and not spaces,
            TCP: self.landlock >= TCP_SINCE and not spaces,
            SCOPES: self.landlock >= SCOPES_SINCE and not spaces,
            SECCOMP: self.seccomp,
            SPACES: spaces,
            TASKS: self.own_user or spaces,
        }
        return frozenset(name for name, is_there in found.items() if is_there)

    def kept_by(self, key: str) -> str:
        """Returns by what the promise *key* is kept."""
        have = self.mechanisms
        words = dict.fromkeys(WORDS[name] for name in KEEPERS.get(key, ()) if name in have)
        return ", ".join(words) or OTHERWISE.get(key, "the system")

    def broken_by(self, key: str, could: Sequence[str]) -> str:
        """Returns why the promise *key* is not kept, when a bot *could* do all this."""
        have = self.mechanisms
        missing = [MISSING[n] for n in KEEPERS.get(key, ()) if n in MISSING and n not in have]
        told = [] if self.tier is Tier.HARDENED else list(dict.fromkeys(missing))
        return "; ".join([f"it can {', '.join(could)}", *told])

    def is_tried(self, key: str) -> bool:
        """Returns whether a program can find out that *key* is kept, rather than the keeper."""
        if key in {"disk", "survivors"}:
            return SPACES in self.mechanisms
        return key != "forks" or TASKS in self.mechanisms
