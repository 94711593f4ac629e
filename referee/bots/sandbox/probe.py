"""Tries which promises this host can keep, by running a program that attempts to break them."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import platform
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from referee.bots.rundir import temporary_folder
from referee.bots.sandbox import bubblewrap, landlock, probe_child, seccomp
from referee.bots.sandbox.harden import PR_GET_DUMPABLE
from referee.bots.sandbox.prepare import launch_failure, prepare
from referee.bots.sandbox.promises import ESSENTIAL, NEVER, TITLES, Facts
from referee.bots.sandbox.tiers import Launch, Limits, Sandbox, Tier, TierUnavailableError
from referee.bots.sandbox.uids import UidSlots
from referee.text import readable

PATIENCE = 30.0
"""Seconds until a probe that says nothing is given up; it takes a tenth of one."""
TASKS = 24
"""How many processes and threads the probe may have; its limit is tried."""


@dataclass(frozen=True, slots=True)
class Promise:
    """One promise, and whether this host keeps it."""

    key: str
    """Its name, of `promises.TITLES`."""
    kept: bool
    how: str
    """By what it is kept; empty if it is not."""
    reason: str
    """Why it is not kept; empty if it is."""

    @property
    def title(self) -> str:
        """The promise in words."""
        return TITLES[self.key]


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of trying a tier on this host."""

    tier: Tier
    promises: tuple[Promise, ...]
    host: Mapping[str, str]
    """What was found: kernel, Landlock, bubblewrap, cgroups, the user of the bots."""

    def to_json(self) -> dict[str, object]:
        """Returns it in the form that is stored with a run."""
        return {
            "tier": str(self.tier),
            "host": dict(self.host),
            "promises": {
                p.key: {"kept": p.kept, **({"how": p.how} if p.kept else {"reason": p.reason})}
                for p in self.promises
            },
        }


def check_tier(tier: Tier) -> Probe:
    """Returns what *tier* promises on this host.

    Raises:
        TierUnavailableError: If the host cannot give the tier; the message says why, and what to
            do.
    """
    probed = probe(tier)
    broken = [p for p in probed.promises if p.key in ESSENTIAL and not p.kept]
    if tier is Tier.HARDENED and broken:
        first = broken[0]
        raise TierUnavailableError(tier, f"not kept here: {first.title} ({first.reason})")
    return probed


@cache
def probe(tier: Tier) -> Probe:
    """Tries every promise of *tier* on this host; once in each process.

    Raises:
        TierUnavailableError: If no program can be run in this tier at all.
    """
    if tier is Tier.NONE:
        broken = (Promise(key, False, "", "bots are held by nothing") for key in TITLES)
        return Probe(tier, tuple(broken), host_facts())
    with UidSlots() as slots:
        uid = slots.take()
        facts = Facts(tier, uid is not None, _is_closed(), landlock.abi(), bool(seccomp.machine()))
        could = _try(facts, uid)
    promises = tuple(_promise(key, facts, could) for key in TITLES)
    return Probe(tier, promises, host_facts())


def tier_lost(tier: Tier) -> str:
    """Returns why no program can be run in *tier* any more; empty if one can. Tries it anew."""
    try:
        probe.__wrapped__(tier)
    except TierUnavailableError as error:
        return str(error)
    return ""


def _promise(key: str, facts: Facts, could: dict[str, list[str]]) -> Promise:
    if key in NEVER:
        return Promise(key, False, "", NEVER[key])
    if words := could.get(key):
        return Promise(key, False, "", facts.broken_by(key, words))
    return Promise(key, True, facts.kept_by(key), "")


def host_facts() -> dict[str, str]:
    """Returns what this host has to hold bots with, in words."""
    found = bubblewrap.find()
    return {
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "landlock": f"version {landlock.abi()}" if landlock.abi() else "none",
        "seccomp": "yes" if seccomp.machine() else "none for this machine",
        "bubblewrap": "none" if found is None else f"{found} ({found.path})",
        "cgroups": delegated_cgroup(),
        "user": "one for each bot" if os.geteuid() == 0 else "our own",
    }


def promise_titles() -> dict[str, str]:
    """Returns every promise in words, in the order in which people ask."""
    return dict(TITLES)


def delegated_cgroup() -> str:
    """Returns whether a tree of processes could be limited by cgroups, which is not done."""
    root = Path("/sys/fs/cgroup")
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line[3:] for line in lines if line.startswith("0::"))
        group = root / own.lstrip("/")
        controllers = set((group / "cgroup.controllers").read_text().split())
        if {"memory", "pids"} <= controllers and os.access(group, os.W_OK):
            return "delegated, not used"
    return "not delegated"


def _is_closed() -> bool:
    with contextlib.suppress(OSError, AttributeError):
        return int(ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)) != 1
    return False


def _try(facts: Facts, uid: int | None) -> dict[str, list[str]]:
    """Runs the probe and returns what it could, in words, for each promise that was tried."""
    limits = replace(Limits(), processes=TASKS, threads=TASKS)
    with _stage() as stage:
        place = stage.root / "run" / "1"
        env = {"HOME": str(place / "home"), "TMPDIR": str(place / "tmp"), "PATH": os.defpath}
        told = stage.told | {
            "variables": [*env, "MOON_BOT_MARK"],
            "skip": [key for key in probe_child.NAMES if not facts.is_tried(key)],
            "file_size": limits.file_size,
            "disk": limits.disk,
            "tasks": TASKS,
            "same_numbers": facts.tier is Tier.BASIC,
        }
        program = stage.root / "bot" / "probe.py"
        launch = prepare(
            Sandbox(facts.tier, limits),
            command=(sys.executable, "-I", "-S", str(program), json.dumps(told)),
            cwd=place / "home",
            env=env,
            place=place,
            readable=[program.parent],
            uid=uid,
        )
        return _could(launch, facts.tier)


def _could(launch: Launch, tier: Tier) -> dict[str, list[str]]:
    code, output, errors = run(launch)
    try:
        could: dict[str, list[str]] = json.loads(output)
    except ValueError:
        failure = launch_failure(launch, code, errors)
        lines = readable(errors).strip().splitlines()
        problem = failure.problem if failure else (lines or [_ending(code)])[-1]
        raise TierUnavailableError(tier, problem + _advice(problem)) from None
    return could


def _ending(code: int) -> str:
    """Returns how a program ended that said nothing."""
    if code < 0:
        return f"the program that tries it was ended by signal {-code}; try again"
    return f"the program that tries it ended with exit code {code}"


def _advice(problem: str) -> str:
    """Returns what to do about a *problem* of bubblewrap."""
    if not problem.startswith("bwrap:"):
        return ""
    return (
        "; user namespaces may be switched off for ordinary users here (sysctl"
        " kernel.unprivileged_userns_clone, user.max_user_namespaces,"
        " kernel.apparmor_restrict_unprivileged_userns) or by the container that we run in"
    )


@dataclass(frozen=True, slots=True)
class _Stage:
    """Where the probe is run, and what it is told of it."""

    root: Path
    told: dict[str, object]


@contextmanager
def _stage() -> Iterator[_Stage]:
    """Sets up what the probe is to try itself against, and takes it away."""
    with contextlib.ExitStack() as stack:
        root = stack.enter_context(temporary_folder()).resolve()
        # As open as the folder of a user may be, whatever the umask of this process: its mode must
        # not be what protects it.
        root.chmod(0o755)
        for path in ("run", "run/1", "run/1/home", "run/1/tmp", "run/2", "bot", "own"):
            (root / path).mkdir()
            (root / path).chmod(0o755 if path in {"run", "bot", "own"} else 0o700)
        shutil.copyfile(probe_child.__file__, root / "bot" / "probe.py")
        (root / "own" / "canary").write_text("a hand", encoding="ascii")
        for path in ("own/canary", "bot/probe.py"):
            (root / path).chmod(0o644)
        abstract = f"moon-probe-{secrets.token_hex(8)}"
        other = str(root / "run" / "2" / "s")
        for address in (other, f"\0{abstract}"):
            stack.enter_context(_listener(socket.AF_UNIX, address))
        tcp = stack.enter_context(_listener(socket.AF_INET, ("127.0.0.1", 0)))
        told: dict[str, object] = {
            "pid": os.getpid(),
            "born": _born(),
            "nice": os.getpriority(os.PRIO_PROCESS, 0),
            "cores": sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else [],
            "canary": str(root / "own" / "canary"),
            "socket": other,
            "abstract": abstract,
            "port": tcp.getsockname()[1],
        }
        yield _Stage(root, told)


def _listener(family: int, address: str | tuple[str, int]) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen()
    return listener


def _born() -> int:
    """Returns when we were started, in ticks since the machine was; 0 if nobody says so."""
    with contextlib.suppress(OSError):
        stat = Path("/proc/self/stat").read_bytes()
        return int(stat.rpartition(b")")[2].split()[19])
    return 0


def run(launch: Launch) -> tuple[int, bytes, bytes]:
    """Runs what *launch* says to its end; returns its exit code, its output and its errors."""
    with contextlib.ExitStack() as stack:
        numbers: dict[str, str] = {}
        passed: list[int] = []
        for number, data in enumerate(launch.inputs):
            file = stack.enter_context(tempfile.TemporaryFile())
            file.write(data)
            file.seek(0)
            numbers[f"@{number}"] = str(file.fileno())
            passed.append(file.fileno())
        nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        stack.callback(os.close, nowhere)
        numbers["@info"] = str(nowhere)
        process = subprocess.Popen(
            [numbers.get(word, word) for word in launch.argv],
            env=launch.env,
            cwd=launch.cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[*passed, nowhere],
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            errors += b"\nit said nothing for too long"
        return process.returncode, output, errors
