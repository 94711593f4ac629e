"""Becomes a bot: gives up what it has, step by step, and then runs the bot's program.

Runs as a file of its own, `python -I -S launcher.py FD [PROGRAM ARGUMENTS...]`, with a few modules
of the standard library: what it imports is most of what a sandbox costs, as each of json, enum and
contextlib takes as long as all of its own work. The plan is read from the descriptor FD; every step
in it is optional, and all thinking was done by who wrote it (`prepare.py`). A program on the
command line takes the place of the one in the plan and keeps the descriptors that are open.

Exit codes of its own: 127 there is no such program, 126 it cannot be run, 125 what was to hold it
could not be set up. What was wrong is the last line on standard error, signed with the token of the
plan, which the bot never sees.
"""

from __future__ import annotations

import ctypes
import errno
import marshal
import os
import resource
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

NOT_SET_UP, NOT_RUN, NOT_FOUND = 125, 126, 127
MARK = "MOON_BOT_MARK"
MOST_DESCRIPTORS = 65536
SIGKILL, SIGPIPE, SIGXFSZ = 9, 13, 25

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SECCOMP_MODE_FILTER = 2
CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
MS_REC, MS_PRIVATE = 16384, 1 << 18
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # of Landlock, on every machine
RULE_PATH_BENEATH = 1
FILE_RIGHTS = 1 | 2 | 4 | 1 << 14 | 1 << 15
"""The rights of Landlock that mean something for a file: execute, write, read, truncate, ioctl."""

libc = ctypes.CDLL(None, use_errno=True)


class RefusedError(Exception):
    """A step that the system refused, and what to do."""


def call(what: str, result: int) -> int:
    """Returns *result* of a call of the C library, or raises what went wrong with *what*."""
    if result < 0:
        raise RefusedError(f"{what}: {os.strerror(ctypes.get_errno()).lower()}")
    return result


def prctl(option: int, value: int, extra: Any = None) -> int:
    """Calls `prctl`; all of its arguments are as wide as a register."""
    nothing = ctypes.c_ulong(0)
    return int(libc.prctl(option, ctypes.c_ulong(value), extra or nothing, nothing, nothing))


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Calls `mount`."""
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    result = libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(data) or None)
    call(f"mount on {target}", result)


def put_screens(screens: list[dict[str, Any]]) -> None:
    """Hides each closed directory behind an open one that has only what the bot needs of it."""
    if not screens:
        return
    tops = ", ".join(screen["top"] for screen in screens)
    try:
        call("a mount namespace", libc.unshare(CLONE_NEWNS))
        mount(None, "/", None, MS_REC | MS_PRIVATE)
        for screen in screens:
            put_screen(screen["top"], screen["show"])
    except (RefusedError, OSError) as error:
        raise RefusedError(
            f"a bot runs as a user of its own, which may not go through {tops}, and no screen can"
            f" be put there ({error}); chmod o+x {tops}, or run as an ordinary user"
        ) from None


def part(screens: list[dict[str, Any]]) -> None:
    """Hides what others do and have: their processes, their sockets, and what *screens* cover.

    Not everywhere may root mount, as in most containers, and the words of the option are newer than
    Linux 5.7; a bot does without then, and the referee has found that out before.
    """
    try:
        call("namespaces", libc.unshare(CLONE_NEWNS | CLONE_NEWNET))
        mount(None, "/", None, MS_REC | MS_PRIVATE)
    except RefusedError:
        return
    own = MS_NOSUID | MS_NODEV | MS_NOEXEC
    try:  # noqa: SIM105 - to import what suppresses takes longer than all of this
        mount("proc", "/proc", "proc", own, "hidepid=ptraceable")
    except RefusedError:
        pass
    for screen in screens:
        put_screen(screen["top"], screen["show"])


def put_screen(top: str, shown: list[list[Any]]) -> None:
    """Puts an empty directory over *top* and *shown*, pairs of path and writable, into it."""
    os.umask(0o022)  # the bot has to pass, whatever the umask of who plays
    held = [(path, writable, os.open(path, os.O_PATH)) for path, writable in shown]
    mount("screen", top, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m")
    for path, writable, descriptor in held:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            os.makedirs(path, mode=0o755, exist_ok=True)  # noqa: PTH103
        else:
            os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)  # noqa: PTH103, PTH120
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))
        mount(f"/proc/self/fd/{descriptor}", path, None, MS_BIND | MS_REC)
        os.close(descriptor)
        if not writable:
            mount(None, path, None, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID)
    mount(None, top, None, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, "mode=0755,size=1m")


def drop(uid: int) -> None:
    """Becomes the user and the group *uid*, for good."""
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError as error:
        raise RefusedError(f"cannot become the user {uid}: {error.strerror}") from None


def set_limits(limits: dict[str, int]) -> None:
    """Sets each limit, or keeps the present one where that is tighter."""
    for name, value in limits.items():
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is not None:
            hard = resource.getrlimit(number)[1]
            limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(number, (limit, limit))


def raise_badness(score: int) -> None:
    """Has the kernel end us before others when memory runs out."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(str(score))
    except OSError:
        return  # without /proc the kernel chooses by size, which is nearly as good


class PathRule(ctypes.Structure):
    """`struct landlock_path_beneath_attr`."""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def restrict_paths(plan: dict[str, Any]) -> None:
    """Enters a Landlock domain in which only the paths of *plan* can be reached."""
    handled = plan["handled"]
    head = (ctypes.c_uint64 * len(handled))(*handled)
    size = ctypes.c_size_t(ctypes.sizeof(head))
    rules = call("Landlock", libc.syscall(CREATE_RULESET, head, size, 0))
    for path, rights in plan["paths"]:
        try:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        is_directory = stat.S_ISDIR(os.fstat(parent).st_mode)
        rule = PathRule(rights if is_directory else rights & FILE_RIGHTS, parent)
        number = libc.syscall(ADD_RULE, rules, RULE_PATH_BENEATH, ctypes.byref(rule), 0)
        call(f"a rule of Landlock for {path}", number)
        os.close(parent)
    call("Landlock", libc.syscall(RESTRICT_SELF, rules, 0))
    os.close(rules)


class Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def filter_calls(steps: bytes) -> None:
    """Installs a filter of system calls."""
    program = Program(len(steps) // 8, steps)
    result = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program))
    call("the filter of system calls", result)


def give_up(plan: dict[str, Any], parent: int, keep: bool) -> None:
    """Takes every step of *plan*, the ones that need what the others take away first."""
    put_screens(plan.get("screens", []))
    if "apart" in plan:
        part(plan["apart"])
    raise_badness(plan.get("badness", 0))
    if plan.get("uid") is not None:
        drop(plan["uid"])
    if sys.platform == "linux":
        # After the user has changed, which would undo it.
        call("the parent's death signal", prctl(PR_SET_PDEATHSIG, SIGKILL))
        if os.getppid() != parent:
            os._exit(NOT_SET_UP)
        call("no new privileges", prctl(PR_SET_NO_NEW_PRIVS, 1))
    os.umask(0o077)
    set_limits(plan.get("limits", {}))
    if not keep:
        os.closerange(3, MOST_DESCRIPTORS)
    if "landlock" in plan:
        restrict_paths(plan["landlock"])
    if "seccomp" in plan:
        filter_calls(plan["seccomp"])


def explain(error: OSError, program: str, cwd: str) -> str:
    """Returns why *program* cannot be run in *cwd*."""
    problem = (error.strerror or str(error)).lower()
    if not os.path.isdir(cwd):  # noqa: PTH112
        problem = f"the directory {cwd} does not exist"
    elif error.errno == errno.ENOENT and "/" in program and os.path.isfile(program):  # noqa: PTH113
        problem = "its first line names an interpreter that does not exist"
    elif error.errno == errno.ENOEXEC:
        problem = "neither a binary of this machine nor a script with #! in its first line"
    return f"cannot run {program!r} in {cwd}: {problem}"


def end(token: str, problem: str, code: int) -> NoReturn:
    """Says what was wrong and ends."""
    try:
        os.write(2, f"launcher {token}: {problem}\n".encode(errors="backslashreplace"))
    finally:
        os._exit(code)


def main(words: list[str]) -> NoReturn:
    """Runs the plan that can be read from the descriptor in *words*."""
    parent = os.getppid()
    with open(int(words[0]), "rb") as file:  # noqa: PTH123
        plan = marshal.loads(file.read())  # noqa: S302 - the same Python, the referee's, wrote it
    command = words[1:] or list(plan["command"])
    environment = dict(plan["env"])
    if MARK in os.environ:
        environment[MARK] = os.environ[MARK]
    try:
        give_up(plan, parent, keep=len(words) > 1)
    except (RefusedError, OSError, ValueError) as error:
        end(plan["token"], str(error), NOT_SET_UP)
    # What Python ignores would stay ignored in the bot.
    for number in (SIGPIPE, SIGXFSZ):
        libc.signal(number, None)
    try:
        os.chdir(plan["cwd"])
        os.execvpe(command[0], command, environment)  # noqa: S606
    except OSError as error:
        code = NOT_FOUND if error.errno == errno.ENOENT else NOT_RUN
        end(plan["token"], explain(error, command[0], plan["cwd"]), code)
    except ValueError as error:
        end(plan["token"], f"cannot run {command[0]!r} in {plan['cwd']}: {error}", NOT_RUN)


if __name__ == "__main__":
    main(sys.argv[1:])
