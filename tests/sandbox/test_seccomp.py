"""The filter of calls, run instruction by instruction, for machines that we are not on too."""

from __future__ import annotations

import errno
import struct

import pytest

from referee.bots.sandbox.seccomp import filter_for
from referee.bots.sandbox.tiers import Tier

ALLOWED = "allowed"
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEW_USER, NEW_NET = 0x10000000, 0x40000000
THREAD = 0x3D0F00  # what pthread_create asks for
UNIX, INET, NETLINK, VSOCK = 1, 2, 16, 40
STREAM, DGRAM, SEQPACKET, CLOEXEC = 1, 2, 5, 0o2000000
SHARED, PRIVATE, ANONYMOUS = 1, 2, 0x20
MINUS_ONE = 2**64 - 1
CWD, NAME = 2**32 - 100, 0x7FFF00000000

# A call: its number on x86_64 and on aarch64, its arguments, what basic says, what hardened says.
CALLS = {
    "read": (0, 63, (), ALLOWED, ALLOWED),
    "openat": (257, 56, (), ALLOWED, ALLOWED),
    "execve": (59, 221, (), ALLOWED, ALLOWED),
    "ptrace": (101, 117, (), errno.EPERM, errno.EPERM),
    "mount": (165, 40, (), errno.EPERM, errno.EPERM),
    "unshare": (272, 97, (), errno.EPERM, errno.EPERM),
    "io_uring_setup": (425, 425, (), errno.EPERM, errno.EPERM),
    "keyctl": (250, 219, (), errno.EPERM, errno.EPERM),
    "a thread": (56, 220, (THREAD,), ALLOWED, ALLOWED),
    "a user namespace": (56, 220, (NEW_USER | 17,), errno.EPERM, errno.EPERM),
    "a network namespace": (56, 220, (NEW_NET | 17,), errno.EPERM, errno.EPERM),
    "clone3": (435, 435, (), errno.ENOSYS, errno.ENOSYS),
    "a unix socket": (41, 198, (UNIX, STREAM | CLOEXEC), ALLOWED, ALLOWED),
    "a unix datagram socket": (41, 198, (UNIX, DGRAM), errno.EPERM, ALLOWED),
    "a TCP socket": (41, 198, (INET, STREAM), errno.EPERM, errno.EPERM),
    "a netlink socket": (41, 198, (NETLINK, DGRAM), errno.EPERM, errno.EPERM),
    "a vsock socket": (41, 198, (VSOCK, STREAM), errno.EPERM, errno.EPERM),
    "a pair of sockets": (53, 199, (UNIX, SEQPACKET), ALLOWED, ALLOWED),
    "a pair of datagram sockets": (53, 199, (UNIX, DGRAM), errno.EPERM, ALLOWED),
    "connect": (42, 203, (3,), errno.EPERM, ALLOWED),
    "kill of one": (62, 129, (77, 9), ALLOWED, ALLOWED),
    "kill of all": (62, 129, (MINUS_ONE, 9), errno.EPERM, ALLOWED),
    "own limits": (302, 261, (0,), ALLOWED, ALLOWED),
    "limits of another": (302, 261, (77,), errno.EPERM, ALLOWED),
    "own priority": (141, 140, (0, 0, 5), ALLOWED, ALLOWED),
    "priority of the user": (141, 140, (2, 0, 5), errno.EPERM, ALLOWED),
    "cores of another": (203, 122, (77,), errno.EPERM, ALLOWED),
    "duplicate a descriptor": (72, 25, (3, 1030), ALLOWED, ALLOWED),
    "a lock": (72, 25, (3, 6), 0, 0),
    "a lock of the whole file": (73, 32, (3, 2), 0, 0),
    "memory of its own": (9, 222, (0, 4096, 3, PRIVATE | ANONYMOUS), ALLOWED, ALLOWED),
    "a file, shared": (9, 222, (0, 4096, 3, SHARED), ALLOWED, ALLOWED),
    "shared memory": (9, 222, (0, 4096, 3, SHARED | ANONYMOUS), errno.EPERM, errno.EPERM),
    "the same, checked": (9, 222, (0, 4096, 3, 3 | ANONYMOUS), errno.EPERM, errno.EPERM),
    "the same, at a place": (9, 222, (0, 4096, 3, 0x11 | ANONYMOUS), errno.EPERM, errno.EPERM),
    "pages in a pipe": (278, 75, (), errno.EPERM, errno.EPERM),
    "a file into a pipe": (275, 76, (), errno.EINVAL, errno.EINVAL),
    "a file into a socket": (40, 71, (), errno.EINVAL, errno.EINVAL),
    "watch files": (294, 26, (), errno.EPERM, errno.EPERM),
    "watch a file": (254, 27, (3,), errno.EPERM, errno.EPERM),
    "a lease": (72, 25, (3, 1024), errno.EPERM, errno.EPERM),
    "a hint that the file keeps": (72, 25, (3, 1036), errno.EPERM, errno.EPERM),
    "read on": (221, 223, (3, 0, 0, 2), ALLOWED, ALLOWED),
    "drop a file from memory": (221, 223, (3, 0, 0, 4), 0, 0),
    "ask what is in memory": (451, 451, (), errno.EPERM, errno.EPERM),
    "ask the terminal": (16, 29, (0, 0x5401), ALLOWED, ALLOWED),
    "type into the terminal": (16, 29, (0, 0x5412), errno.EPERM, errno.EPERM),
    "set a mode": (91, 52, (3, 0o777), 0, ALLOWED),
    "set a mode by name": (268, 53, (), 0, ALLOWED),
    "set a mode, newly": (452, 452, (), 0, ALLOWED),
    "set an owner": (93, 55, (3, 0, 0), 0, ALLOWED),
    "set an owner by name": (260, 54, (), 0, ALLOWED),
    "set times": (280, 88, (CWD, NAME, 1 << 32), 0, ALLOWED),
    "touch a file": (280, 88, (CWD, NAME, 0), errno.EPERM, ALLOWED),
    "touch what is open": (280, 88, (3, 0, 0), 0, ALLOWED),
    "set an attribute": (188, 5, (), errno.ENOTSUP, ALLOWED),
    "set an attribute of what is open": (190, 7, (3,), errno.ENOTSUP, ALLOWED),
    "set an attribute, newly": (463, 463, (), errno.ENOTSUP, ALLOWED),
    "remove an attribute": (197, 14, (), errno.ENOTSUP, ALLOWED),
    "set the flags of a file": (16, 29, (3, 0x40086602), errno.ENOTSUP, ALLOWED),
    "read the flags of a file": (16, 29, (3, 0x80086601), ALLOWED, ALLOWED),
    "type with garbage above": (16, 29, (0, 0xFFFFFFFF00005412), errno.EPERM, errno.EPERM),
}


def judge(program: bytes, arch: int, number: int, arguments: tuple[int, ...]) -> str | int:
    """Runs *program* as the kernel does and returns its answer: allowed, or the error."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("=IIQ6Q", number, arch, 0, *padded)
    steps = list(struct.iter_unpack("=HBBI", program))
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x06:
            return ALLOWED if value == 0x7FFF0000 else value & 0xFFFF
        else:
            holds = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: accumulator & value != 0,
            }[code]
            at += if_true if holds else if_false


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_answered_as_the_tier_says_on_every_machine(call: str) -> None:
    x86, arm, arguments, basic, hardened = CALLS[call]
    for machine, number in (("x86_64", x86), ("aarch64", arm)):
        for tier, answer in ((Tier.BASIC, basic), (Tier.HARDENED, hardened)):
            program = filter_for(tier, machine)
            assert judge(program, ARCH[machine], number, arguments) == answer, (machine, tier)


def test_calls_that_only_the_older_machine_has_are_answered_there_too() -> None:
    program = filter_for(Tier.BASIC, "x86_64")
    for number in (90, 92, 94):  # chmod, chown, lchown
        assert judge(program, ARCH["x86_64"], number, ()) == 0
    for number, times in ((132, 1), (235, 1), (261, 2)):  # utime, utimes, futimesat
        touch, given = (NAME, NAME, 0)[2 - times :], (NAME, NAME, NAME)[2 - times :]
        assert judge(program, ARCH["x86_64"], number, touch) == errno.EPERM
        assert judge(program, ARCH["x86_64"], number, given) == 0


@pytest.mark.parametrize("machine", ARCH)
def test_a_build_in_a_users_name_of_its_own_sets_modes(machine: str) -> None:
    program = filter_for(Tier.BASIC, machine, sets_modes=True)
    for name in ("set a mode", "set an owner", "set times", "set an attribute"):
        x86, arm, arguments, *_ = CALLS[name]
        number = x86 if machine == "x86_64" else arm
        assert judge(program, ARCH[machine], number, arguments) == ALLOWED
    assert judge(program, ARCH[machine], 101 if machine == "x86_64" else 117, ()) == errno.EPERM


@pytest.mark.parametrize("machine", ARCH)
def test_calls_of_another_machine_are_refused(machine: str) -> None:
    program = filter_for(Tier.BASIC, machine)
    i386 = 0x40000003
    assert judge(program, i386, 3, ()) == errno.EPERM
    assert judge(program, ARCH[machine], 0x40000000 | 41, (UNIX, STREAM)) == errno.EPERM


@pytest.mark.parametrize("machine", ARCH)
@pytest.mark.parametrize("tier", [Tier.BASIC, Tier.HARDENED])
def test_no_path_through_the_filter_leads_outside(machine: str, tier: Tier) -> None:
    steps = list(struct.iter_unpack("=HBBI", filter_for(tier, machine)))
    assert len(steps) < 4096, "the kernel takes no more"
    assert steps[-1][0] == 0x06
    for at, (code, if_true, if_false, _) in enumerate(steps):
        if code not in {0x20, 0x54, 0x06}:
            assert at + 1 + max(if_true, if_false) < len(steps)
