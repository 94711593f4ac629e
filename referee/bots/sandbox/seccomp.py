"""The filter of system calls that a bot runs under, as the instructions that the kernel takes.

A classic BPF program (`linux/filter.h`) sees the number of the call, the machine and the six
arguments, and returns what is to be done. Ours lets through what it does not name. It is made here
and only installed by the launcher, so it can be shown and tested.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from referee.bots.sandbox.syscalls import (
    AUDIT_ARCH,
    FILE_ATTRIBUTES,
    FILE_STATE,
    FILE_TIMES,
    FORBIDDEN,
    IN_PART,
    MACHINES,
    Numbers,
)
from referee.bots.sandbox.tiers import Tier

LOAD, AND, RETURN = 0x20, 0x54, 0x06  # BPF_LD|W|ABS, BPF_ALU|AND|K, BPF_RET|K
EQUAL, AT_LEAST, ANY_BIT = 0x15, 0x35, 0x45  # BPF_JMP|JEQ|K, |JGE|K, |JSET|K
ALLOW = 0x7FFF0000
REFUSE = 0x00050000  # SECCOMP_RET_ERRNO; the number of the error in the low bits

NUMBER, MACHINE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000
MINUS_ONE = 0xFFFFFFFF

# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET.
NEW_NAMESPACES = 0x00020000 | 0x02000000 | 0x7C000000
AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET, SOCK_TYPE = 1, 1, 5, 0xF
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
# MAP_ANONYMOUS, with the bit that MAP_SHARED and MAP_SHARED_VALIDATE have and MAP_PRIVATE has not.
SHARED_WITHOUT_A_FILE = 0x20 | 0x01
# F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW.
LOCKS = (6, 7, 37, 38)
# F_SETLEASE, F_NOTIFY; and F_SET_RW_HINT, F_SET_FILE_RW_HINT, which the file keeps.
WATCHES, HINTS = (1024, 1026), (1036, 1038)
POSIX_FADV_DONTNEED = 4
PRIO_PROCESS, IOPRIO_WHO_PROCESS = 0, 1

UNFIT = REFUSE | errno.EINVAL
DENIED = REFUSE | errno.EPERM
UNKNOWN = REFUSE | errno.ENOSYS
UNSUPPORTED = REFUSE | errno.ENOTSUP
DONE = REFUSE  # with no error: the call does nothing and says that it has worked

# FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR and FS_IOC_SETVERSION: whoever can read a file of its own user
# could write there.
SET_ATTRIBUTES = (0x40086602, 0x401C5820, 0x40087602)


class Step(NamedTuple):
    """One instruction: what it does, how many to skip if it holds, and if not, and its operand."""

    code: int
    if_true: int
    if_false: int
    value: int

    def packed(self) -> bytes:
        """Returns it as a `struct sock_filter`."""
        return struct.pack("=HBBI", *self)


def machine() -> str | None:
    """Returns the machine that there are numbers for, or None if this one is another."""
    name = platform.machine()
    return name if name in MACHINES else None


@cache
def filter_for(tier: Tier, machine: str, *, sets_modes: bool = False) -> bytes:
    """Returns the filter of *tier* for *machine*, one of `MACHINES`.

    In `basic` a program *sets modes*, owners and times of files only if it is told that it may: a
    user has files that are none of its bots' business.
    """
    column = MACHINES[machine]
    steps = [
        _load(MACHINE),
        Step(EQUAL, 1, 0, AUDIT_ARCH[column]),
        _answer(DENIED),
        _load(NUMBER),
        *_refuse_if(AT_LEAST, X32),
    ]
    for numbers in FORBIDDEN.values():
        if (number := numbers[column]) is not None:
            steps += _refuse_if(EQUAL, number)
    if tier is Tier.BASIC and not sets_modes:
        steps += _without_state(column)
    for name, body in _rules(tier):
        number = IN_PART[name][column]
        assert number is not None
        steps += [Step(EQUAL, 0, len(body), number), *body]
    steps.append(_answer(ALLOW))
    return b"".join(step.packed() for step in steps)


def _without_state(column: int) -> list[Step]:
    """Has every file keep its mode, owner, times and attributes; all else is still to be decided.

    Programs set modes and times where they copy, and need not know that nothing came of it.
    """
    steps = _each(_numbers(FILE_STATE, column), DONE)
    steps += _each(_numbers(FILE_ATTRIBUTES, column), UNSUPPORTED)
    set_times = {name: _set_times(2 if name.endswith("at") else 1) for name in FILE_TIMES}
    asked = [_load(ARGUMENTS + 8), *_each(SET_ATTRIBUTES, UNSUPPORTED), _load(NUMBER)]
    for name, body in {**set_times, "ioctl": asked}.items():
        if (number := {**FILE_TIMES, **IN_PART}[name][column]) is not None:
            steps += [Step(EQUAL, 0, len(body), number), *body]
    return steps


def _set_times(times: int) -> list[Step]:
    """Answers a call whose argument *times* points to times, or nowhere for the present one.

    That of a name is refused: a program that is told that it has touched a file makes none.
    """
    given = [
        step
        for half in (0, 4)
        for step in (_load(ARGUMENTS + 8 * times + half), Step(EQUAL, 1, 0, 0), _answer(DONE))
    ]
    if times == 1:
        return [*given, _answer(DENIED)]
    # Without a name it is a file that is open, which is there.
    named = [_load(ARGUMENTS + 8), Step(EQUAL, 0, 3, 0), _load(ARGUMENTS + 12)]
    return [*given, *named, Step(EQUAL, 0, 1, 0), _answer(DONE), _answer(DENIED)]


def _numbers(calls: Mapping[str, Numbers], column: int) -> Iterator[int]:
    return (number for row in calls.values() if (number := row[column]) is not None)


def _rules(tier: Tier) -> Iterator[tuple[str, list[Step]]]:
    """Yields what is decided by arguments: the call, and what follows once it is this call."""
    yield "clone", _argument(0, _refuse_if(ANY_BIT, NEW_NAMESPACES))
    # Its flags are in memory, where no filter can look; libc then takes `clone`.
    yield "clone3", [_answer(UNKNOWN)]
    # Locks on files that everybody can read are a way to talk. Programs that lock their own files
    # (SQLite) must go on, and they share them with nobody: the lock is granted and not taken.
    yield "flock", [_answer(DONE)]
    yield "fcntl", _argument(1, [*_each(LOCKS, DONE), *_each((*WATCHES, *HINTS), DENIED)])
    # Typing into the terminal of whoever started the referee.
    yield "ioctl", _argument(1, _each((TIOCSTI, TIOCLINUX), DENIED))
    # What others have in memory of a file that all may read is told by how fast it is read.
    yield "fadvise64", _argument(3, _each((POSIX_FADV_DONTNEED,), DONE))
    # Pages of such memory stay when they are given back, and then no count of the bot's has them.
    yield "mmap", _argument(3, _refuse_all_of(SHARED_WITHOUT_A_FILE))
    # They leave pages of files in pipes and sockets, large ones for a byte, when the file is gone.
    # Who copies with them takes another way when they do not fit.
    yield "sendfile", [_answer(UNFIT)]
    yield "splice", [_answer(UNFIT)]
    yield "personality", _only(0, MINUS_ONE)
    yield "socket", [*_guard(0, AF_UNIX), *(_types(SOCK_STREAM) if tier is Tier.BASIC else _yes())]
    yield (
        "socketpair",
        [
            *_guard(0, AF_UNIX),
            *(_types(SOCK_STREAM, SOCK_SEQPACKET) if tier is Tier.BASIC else _yes()),
        ],
    )
    if tier is Tier.BASIC:
        yield from _among_others()


def _among_others() -> Iterator[tuple[str, list[Step]]]:
    """Yields what counts where the processes and the sockets of others are in sight."""
    # A bot is dialled and dials nobody; so it cannot reach the socket of another bot either.
    yield "connect", [_answer(DENIED)]
    yield "kill", _argument(0, [*_refuse_if(EQUAL, MINUS_ONE), _answer(ALLOW)])
    yield "setpriority", [*_guard(0, PRIO_PROCESS), *_only(1, 0)]
    yield "ioprio_set", [*_guard(0, IOPRIO_WHO_PROCESS), *_only(1, 0)]
    for name in ("prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam"):
        yield name, _only(0, 0)
    yield "sched_setscheduler", _only(0, 0)


def _load(offset: int) -> Step:
    return Step(LOAD, 0, 0, offset)


def _answer(value: int) -> Step:
    return Step(RETURN, 0, 0, value)


def _yes() -> list[Step]:
    return [_answer(ALLOW)]


def _refuse_if(test: int, value: int) -> list[Step]:
    return [Step(test, 0, 1, value), _answer(DENIED)]


def _refuse_all_of(bits: int) -> list[Step]:
    return [Step(AND, 0, 0, bits), *_refuse_if(EQUAL, bits)]


def _each(values: Iterable[int], answer: int) -> list[Step]:
    return [step for value in values for step in (Step(EQUAL, 0, 1, value), _answer(answer))]


def _argument(number: int, then: list[Step]) -> list[Step]:
    """Looks at the low half of an argument, as the kernel does for all that are read here."""
    return [_load(ARGUMENTS + 8 * number), *then, _answer(ALLOW)]


def _guard(number: int, value: int) -> list[Step]:
    """Refuses unless the argument has this value."""
    return [_load(ARGUMENTS + 8 * number), Step(EQUAL, 1, 0, value), _answer(DENIED)]


def _only(number: int, value: int) -> list[Step]:
    return [*_guard(number, value), _answer(ALLOW)]


def _types(*allowed: int) -> list[Step]:
    """Refuses all kinds of sockets but these."""
    return [
        _load(ARGUMENTS + 8),
        Step(AND, 0, 0, SOCK_TYPE),
        *_each(allowed, ALLOW),
        _answer(DENIED),
    ]
