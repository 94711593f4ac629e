"""A referee for the tests: it holds a bot as it is told, and says what became of it.

Runs as a program of its own, `held.py REQUEST`, since it is what the bot attacks: as root, or as an
ordinary user by the launcher itself, which shows that user what lies in closed directories.
"""

from __future__ import annotations

import json
import marshal
import os
import socket
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from referee.bots.sandbox import (
    Limits,
    Sandbox,
    Tier,
    TierUnavailableError,
    UidSlots,
    harden_self,
    hide_arguments,
    launch_failure,
    prepare,
    users,
)
from referee.bots.sandbox.places import system
from referee.bots.sandbox.prepare import LAUNCHER, PYTHON
from referee.bots.sandbox.probe import run
from referee.bots.sandbox.tiers import Launch

ROOT = Path(__file__).resolve().parents[2]
ORDINARY = 57123
"""A user that has no name and is nobody's slot."""
TASKS = 20


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be run, by a program that is copied into a folder of its own."""

    tier: str
    program: str = ""
    """A Python file beside this one, that is told a lot; or empty for the words alone."""
    words: list[str] = field(default_factory=list)
    cwd: str = ""
    closed: bool = True
    """Whether the referee closes itself."""


def request(made: Request, *, ordinary: bool) -> dict[str, object]:
    """Returns what came of *made* in a referee that runs as root, or as an *ordinary* user."""
    command = [sys.executable, __file__, json.dumps(asdict(made)), "--seed", "S3CRET"]
    # What `moon` is imported from, whoever runs it.
    paths = os.pathsep.join([str(ROOT), str(ROOT / "proto"), sysconfig.get_path("purelib")])
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": paths, "CANARY": "a hand"}
    with tempfile.TemporaryDirectory(prefix="moon-test-") as base:
        env |= {"TMPDIR": base, "HOME": base}
        Path(base, "diary").write_text("private")
        if not ordinary or os.geteuid() != 0:
            done = subprocess.run(command, env=env, capture_output=True, check=False, timeout=120)
            code, output, errors = done.returncode, done.stdout, done.stderr
        else:
            for path in (base, f"{base}/diary"):
                os.chown(path, ORDINARY, ORDINARY)
            code, output, errors = run(as_ordinary_user(command, env, Path(base)))
    assert code == 0, errors.decode()
    answer: dict[str, object] = json.loads(output)
    return answer


@cache
def root_can_mount() -> bool:
    """Returns whether root may part a bot from others here, which most containers forbid."""
    own_proc = ["mount", "-t", "proc", "-o", "hidepid=ptraceable", "proc", "/proc"]
    done = subprocess.run(["unshare", "-m", "-n", *own_proc], capture_output=True, check=False)
    return os.geteuid() == 0 and done.returncode == 0


def as_ordinary_user(command: list[str], env: dict[str, str], base: Path) -> Launch:
    plan = {
        "token": "t",
        "command": command,
        "cwd": str(base),
        "env": env,
        "uid": ORDINARY,
        "screens": users.screens([*system(), ROOT], base, ORDINARY),
    }
    return Launch((*PYTHON, str(LAUNCHER), "@0"), {}, base, (marshal.dumps(plan),))


def listener(family: int, address: object, kind: int = socket.SOCK_STREAM) -> socket.socket:
    made = socket.socket(family, kind)
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen()
    return made


def main(asked: Request) -> dict[str, object]:
    if asked.closed:
        hide_arguments()
        harden_self()
    sandbox = Sandbox(Tier(asked.tier), Limits(processes=TASKS, threads=TASKS))
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="moon-test-")))
        root.chmod(0o755)
        for name in ("bot", "own", "run", "run/1", "run/1/home", "run/1/tmp", "run/2"):
            (root / name).mkdir()
        for name in ("run/1", "run/1/home", "run/1/tmp"):
            (root / name).chmod(0o700)
        (root / "own" / "secret").write_text("secret")
        place = root / "run" / "1"
        env = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.defpath]),
            "HOME": str(place / "home"),
            "TMPDIR": str(place / "tmp"),
            "MOON_BOT_LISTEN": f"unix:{place / 's'}",
        }
        words = list(asked.words)
        if asked.program:
            program = root / "bot" / asked.program
            program.write_bytes(Path(__file__).with_name(asked.program).read_bytes())
            told = stage(stack, root, sandbox, env)
            words = [sys.executable, "-I", "-S", str(program), json.dumps(told)]
        slots = stack.enter_context(UidSlots())
        uid = slots.take() if sandbox.tier is not Tier.NONE else None
        try:
            launch = prepare(
                sandbox,
                command=tuple(words),
                cwd=Path(asked.cwd) if asked.cwd else place / "home",
                env=env,
                place=place,
                readable=[root / "bot"],
                uid=uid,
            )
        except TierUnavailableError as error:
            return {"refused": str(error)}
        code, output, errors = run(launch)
        failure = launch_failure(launch, code, errors)
        return {
            "code": code,
            "output": output.decode(errors="replace"),
            "errors": errors.decode(errors="replace"),
            "failure": failure and [failure.problem, failure.ours],
        }


def stage(stack: ExitStack, root: Path, sandbox: Sandbox, env: dict[str, str]) -> dict[str, object]:
    """Sets up what a bot could attack, and returns what it is told of it."""
    abstract = f"moon-test-{os.getpid()}"
    other, datagram = str(root / "run" / "2" / "s"), str(root / "run" / "2" / "d")
    for address in (other, f"\0{abstract}"):
        stack.enter_context(listener(socket.AF_UNIX, address))
    stack.enter_context(listener(socket.AF_UNIX, datagram, socket.SOCK_DGRAM))
    for path in (other, datagram):
        Path(path).chmod(0o777)
    tcp = stack.enter_context(listener(socket.AF_INET, ("127.0.0.1", 0)))
    return {
        "pid": os.getpid(),
        "secret": str(root / "own" / "secret"),
        "home": os.environ["HOME"],
        "folder": str(root / "bot"),
        "socket": other,
        "datagram": datagram,
        "abstract": abstract,
        "port": tcp.getsockname()[1],
        "variables": [*env, "MOON_BOT_MARK"],
        "file_size": sandbox.limits.file_size,
        "tasks": TASKS,
        "namespaces": sandbox.tier is Tier.HARDENED,
    }


if __name__ == "__main__":
    print(json.dumps(main(Request(**json.loads(sys.argv[1])))))
