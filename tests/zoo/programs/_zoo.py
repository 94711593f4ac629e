"""What the programs of the zoo share: how they tell what they tried, and honest play afterwards.

A program tries what it must not do and says how it went, one line each on standard error:

    zoo: got WHAT       it worked; only where nothing is promised may this be seen
    zoo: denied WHAT    it was refused
    zoo: tried WHAT     only the referee can tell what became of it

Then it plays like the honest bots do, so that its table must go as if it were one of them.
"""

import contextlib
import ctypes
import os
import platform
import signal
import sys
import time
from pathlib import Path

HOME = Path(os.environ.get("HOME", "."))
LISTEN = os.environ.get("MOON_BOT_LISTEN", "")
"""Where the bot is to listen; its own place and those of others lie around it."""
ARGUMENTS = [word.removeprefix("at:") for word in sys.argv[2:]]

LIBC = ctypes.CDLL(None, use_errno=True)
NUMBERS = {
    # Name: the number on x86-64, and on the machines that use the common table.
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "futex": (202, 98),
    "inotify_add_watch": (254, 27),
    "inotify_init1": (294, 26),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "mount": (165, 40),
    "mq_open": (240, 180),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "prlimit64": (302, 261),
    "process_vm_readv": (310, 270),
    "ptrace": (101, 117),
    "semget": (64, 190),
    "setns": (308, 268),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vmsplice": (278, 75),
}
CALLERS_TABLE = 0 if platform.machine() == "x86_64" else 1


def syscall(name, *arguments):
    """Makes a system call; raises OSError with what the kernel says against it."""
    ctypes.set_errno(0)
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    result = LIBC.syscall(ctypes.c_long(NUMBERS[name][CALLERS_TABLE]), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def say(end, what):
    """Writes one line of the protocol above, in one piece."""
    line = " ".join(f"zoo: {end} {what}".split())
    os.write(2, line.encode(errors="backslashreplace")[:500] + b"\n")


def got(what):
    say("got", what)


def denied(what):
    say("denied", what)


def tried(what):
    say("tried", what)


def attempt(what, function, *arguments):
    """Calls *function*; it is denied if it raises OSError or returns None or False."""
    try:
        result = function(*arguments)
    except (OSError, ValueError) as error:
        denied(f"{what} ({getattr(error, 'strerror', None) or error})")
        return None
    if result is None or result is False:
        denied(what)
        return None
    got(what)
    return result


def attempt_apart(what, function, *arguments):
    """Makes an attempt in a child, for what would change this process or may end it.

    Call it before gRPC is loaded: a process that uses gRPC must not fork.
    """
    child = os.fork()
    if child == 0:
        try:
            result = function(*arguments)
            os._exit(1 if result is None or result is False else 0)
        except OSError as error:
            os._exit(100 + min(error.errno or 0, 100))
        except BaseException:
            os._exit(2)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 0:
        got(what)
    elif code > 100:
        denied(f"{what} ({os.strerror(code - 100)})")
    else:
        denied(f"{what} (ended with {code})")


def write_back(path):
    """Writes to the file *path* what stands in it already."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        content = os.read(descriptor, 4096)
        return os.pwrite(descriptor, content, 0) >= 0
    finally:
        os.close(descriptor)


def siblings():
    """Yields the places of other bots that can be seen from here, or guessed."""
    own = HOME.parent
    try:
        names = sorted(path.name for path in own.parent.iterdir())
    except OSError:
        names = map(str, range(1, 64))
    for place in (own.parent / name for name in names if name.isdigit()):
        with contextlib.suppress(OSError):
            if place != own and place.exists():
                yield place


def wait_for(look, seconds=5.0):
    """Returns what *look* gives as soon as it gives something, or None after *seconds*."""
    patience = time.monotonic() + seconds
    while time.monotonic() < patience:
        with contextlib.suppress(OSError):
            if found := look():
                return found
        time.sleep(0.05)
    return None


def end_after(seconds):
    """Ends this process after so many *seconds*, whatever becomes of everybody else."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)


def play(act=None, later=None, **words):
    """Plays honestly; calls *act* before the first answer, and *later* before every later one."""
    from referee.sdk import Bot, serve

    class Zoo(Bot):
        asked = 0

        def decide(self, view):
            self.asked += 1
            if self.asked == 1 and act is not None:
                act()
            elif self.asked > 1 and later is not None:
                later()
            return view.legal[0]

    for name, value in words.items():
        setattr(Zoo, name, value)
    serve(Zoo(), [])


def run(*, at_once=(), when_asked=()):
    """Does what the first argument names, at once or when first asked, and plays honestly."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    early = {act.__name__.replace("_", "-"): act for act in at_once}
    late = {act.__name__.replace("_", "-"): act for act in when_asked}
    if name in early:
        early[name]()
        play()
    elif name in late:
        play(late[name])
    else:
        sys.exit(f"{sys.argv[0]}: no act {name!r}; there are {', '.join([*early, *late])}")
