"""Two bots that try to speak with each other. One tells, as it starts; the other hears, when asked.

Whatever they use lies where both could know of it before, and goes when they do.
"""

import contextlib
import ctypes
import fcntl
import mmap
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

from _zoo import ARGUMENTS, HOME, LIBC, attempt, play, siblings, syscall, tried, wait_for

NAME = "zoo-pair"
ABSTRACT = b"\0zoo-pair"
PORT = 47821
MESSAGE = b"I hold the double six"
HAND = "hand-64-53-66"
LENGTH = 6453
PR_SET_NAME = 15
IPC_CREAT, IPC_EXCL, IPC_RMID = 0o1000, 0o2000, 0
SHM_KEY = 0x5A004A
SHARED_FOLDERS = ("/dev/shm", "/tmp", "/var/tmp", "/run")
IN_OPEN, FUTEX_WAIT, FUTEX_WAKE = 0x20, 0, 1
SHARED_FILE = Path(os.__file__).with_name("antigravity.py")
FLOCK = struct.Struct("hhqqixxxx")
kept = []


def serve_on(end):
    """Answers everybody who connects to *end* with the message."""
    end.listen()
    kept.append(end)

    def answer():
        while True:
            with contextlib.suppress(OSError):
                other, _ = end.accept()
                other.sendall(MESSAGE)
                other.close()

    threading.Thread(target=answer, daemon=True).start()


def hear_from(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as end:
        end.settimeout(2)
        end.connect(address)
        return end.recv(64) == MESSAGE


class Abstract:
    def tell(self):
        end = socket.socket(socket.AF_UNIX)
        end.bind(ABSTRACT)
        serve_on(end)

    def hear(self):
        return hear_from(socket.AF_UNIX, ABSTRACT)


class Datagrams:
    def tell(self):
        end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        end.bind(("127.0.0.1", PORT))
        kept.append(end)

        def answer():
            while True:
                with contextlib.suppress(OSError):
                    _, sender = end.recvfrom(64)
                    end.sendto(MESSAGE, sender)

        threading.Thread(target=answer, daemon=True).start()

    def hear(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.settimeout(2)
            end.sendto(b"?", ("127.0.0.1", PORT))
            return end.recv(64) == MESSAGE


class Vsock:
    """By way of what runs this machine: only whether the two could bind and find each other."""

    def tell(self):
        end = socket.socket(getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM)
        end.bind((socket.VMADDR_CID_ANY, PORT))
        kept.append(end)

    def hear(self):
        # That the port is taken tells the bit.
        end = socket.socket(getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM)
        try:
            end.bind((socket.VMADDR_CID_ANY, PORT))
        except OSError as error:
            if error.errno == 98:
                return True
            raise
        finally:
            end.close()
        return False


class Locks:
    """A lock on a file that both may read: the interpreter."""

    def tell(self):
        file = open(sys.executable, "rb")
        kept.append(file)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def hear(self):
        with open(sys.executable, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False


class RecordLocks:
    """A lock on a part of a file that both may read."""

    def tell(self):
        file = open(sys.executable, "rb")
        kept.append(file)
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 0)

    def hear(self):
        with open(sys.executable, "rb") as file:
            answer = fcntl.fcntl(file, fcntl.F_GETLK, FLOCK.pack(fcntl.F_WRLCK, 0, 0, 1, 0))
        return FLOCK.unpack(answer)[0] != fcntl.F_UNLCK


class Files:
    def tell(self):
        for folder in SHARED_FOLDERS:
            with contextlib.suppress(OSError):
                path = Path(folder) / NAME
                path.write_bytes(MESSAGE)
                kept.append(path)
                threading.Timer(8, path.unlink, [True]).start()
        (HOME / NAME).write_bytes(MESSAGE)
        HOME.chmod(0o755)

    def hear(self):
        places = [*map(Path, SHARED_FOLDERS), *(place / "home" for place in siblings())]
        heard = False
        for place in places:
            with contextlib.suppress(OSError):
                heard = heard or (place / NAME).read_bytes() == MESSAGE
                (place / NAME).unlink()
        return heard


class Watched:
    """Who opens a file that both may read, and that nobody else opens."""

    def tell(self):
        def open_again():
            for _ in range(100):
                SHARED_FILE.read_bytes()
                time.sleep(0.1)

        threading.Thread(target=open_again, daemon=True).start()

    def hear(self):
        watch = syscall("inotify_init1", os.O_NONBLOCK)
        try:
            syscall("inotify_add_watch", watch, os.fsencode(SHARED_FILE), IN_OPEN)
            return bool(wait_for(lambda: os.read(watch, 4096), 2))
        finally:
            os.close(watch)


class Woken:
    """A place in a file that both may read: one waits there, and the other wakes whoever does."""

    def __init__(self):
        with SHARED_FILE.open("rb") as file:
            LIBC.mmap.restype = ctypes.c_void_p
            size, start = ctypes.c_size_t(mmap.PAGESIZE), ctypes.c_long(0)
            flags = (mmap.PROT_READ, mmap.MAP_PRIVATE)
            self.place = LIBC.mmap(None, size, *flags, file.fileno(), start)

    def tell(self):
        def wake():
            for _ in range(100):
                syscall("futex", self.place, FUTEX_WAKE, 1, 0, 0, 0)
                time.sleep(0.1)

        threading.Thread(target=wake, daemon=True).start()

    def hear(self):
        word = ctypes.c_uint32.from_address(self.place).value
        patience = struct.pack("ll", 2, 0)
        return syscall("futex", self.place, FUTEX_WAIT, word, patience, 0, 0) == 0


class SystemV:
    def tell(self):
        number = syscall("shmget", SHM_KEY, 4096, IPC_CREAT | 0o666)

        def forget():
            with contextlib.suppress(OSError):  # the other has done it
                syscall("shmctl", number, IPC_RMID, 0)

        threading.Timer(8, forget).start()

    def hear(self):
        number = syscall("shmget", SHM_KEY, 0, 0)
        syscall("shmctl", number, IPC_RMID, 0)
        return True


class Keyring:
    """The keyring of the user, where both have the same user."""

    def tell(self):
        self.number = syscall("add_key", b"user", NAME.encode(), MESSAGE, len(MESSAGE), -4)
        # Seconds until the kernel forgets it, whatever becomes of us.
        syscall("keyctl", 15, self.number, 8)

    def hear(self):
        found = syscall("keyctl", 10, -4, b"user", NAME.encode(), 0)
        syscall("keyctl", 3, found)
        return True


class Queue:
    def tell(self):
        ctypes.CDLL(None).mq_unlink(b"/zoo-pair")
        syscall("mq_open", NAME.encode(), os.O_RDWR | os.O_CREAT, 0o666, 0)
        threading.Timer(8, ctypes.CDLL(None).mq_unlink, [b"/zoo-pair"]).start()

    def hear(self):
        os.close(syscall("mq_open", NAME.encode(), os.O_RDONLY, 0, 0))
        ctypes.CDLL(None).mq_unlink(b"/zoo-pair")
        return True


class Dialled:
    """The server of the other bot, which is dialled as if by the referee."""

    def tell(self):
        pass

    def hear(self):
        for place in siblings():
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as end:
                end.settimeout(2)
                end.connect(str(place / "s"))
                return True
        return False


class Replaced:
    """The place of the other bot, in which somebody else could serve in its name."""

    def tell(self):
        pass

    def hear(self):
        for place in siblings():
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as end:
                end.bind(str(place / "z"))
                (place / "z").unlink()
                return True
        return False


class Names:
    """The name of a thread, which all who see the process can read."""

    def tell(self):
        ctypes.CDLL(None).prctl(PR_SET_NAME, HAND.encode(), 0, 0, 0)

    def hear(self):
        return any(has(path, HAND) for path in Path("/proc").glob("[0-9]*/task/*/comm"))


class CommandLines:
    """The arguments of a process, which all who see it can read."""

    def tell(self):
        wait = "import time; time.sleep(20)"
        kept.append(subprocess.Popen([sys.executable, "-S", "-c", wait, HAND]))

    def hear(self):
        return any(has(path, HAND) for path in Path("/proc").glob("[0-9]*/cmdline"))


class SocketNames:
    """The path of a socket, in the list of all sockets."""

    def tell(self):
        end = socket.socket(socket.AF_UNIX)
        end.bind(str(HOME / HAND))
        kept.append(end)

    def hear(self):
        return has(Path("/proc/net/unix"), HAND)


def has(path, text):
    with contextlib.suppress(OSError):
        return text.encode() in path.read_bytes()
    return False


class State:
    """The mode, the times and an attribute of a directory that the other may ask about."""

    def tell(self):
        for path in (HOME, HOME.parent):
            for change in (
                lambda path=path: path.chmod(0o710),
                lambda path=path: os.utime(path, (LENGTH, LENGTH)),
                lambda path=path: os.setxattr(path, "user.zoo", MESSAGE),
            ):
                with contextlib.suppress(OSError):
                    change()

    def hear(self):
        return any(self.is_told(path / name) for path in siblings() for name in (".", "home"))

    def is_told(self, path):
        with contextlib.suppress(OSError):
            status = path.stat()
            if status.st_mode & 0o777 == 0o710 or status.st_mtime == LENGTH:
                return True
            return os.getxattr(path, "user.zoo") == MESSAGE
        return False


class Lengths:
    """The name and the length of a file that the other cannot open."""

    def tell(self):
        (HOME / NAME).write_bytes(bytes(LENGTH))

    def hear(self):
        heard = False
        for place in siblings():
            with contextlib.suppress(OSError):
                heard = heard or (place / "home" / NAME).stat().st_size == LENGTH
        return heard


CHANNELS = {
    "abstract": (Abstract, "an abstract socket"),
    "datagrams": (Datagrams, "datagrams"),
    "vsock": (Vsock, "a port of the hypervisor"),
    "locks": (Locks, "a lock on a file"),
    "record-locks": (RecordLocks, "a lock on a part of a file"),
    "files": (Files, "files"),
    "watched": (Watched, "who opens which file"),
    "woken": (Woken, "waking it in a file that both may read"),
    "system-v": (SystemV, "memory of System V"),
    "keyring": (Keyring, "a keyring"),
    "queue": (Queue, "a queue of messages"),
    "names": (Names, "the name of its thread"),
    "command-lines": (CommandLines, "the arguments of a process"),
    "socket-names": (SocketNames, "the name of a socket"),
    "state": (State, "the mode, the times and an attribute of a directory"),
    "lengths": (Lengths, "the name and the length of a file"),
    "dialled": (Dialled, "its server"),
    "replaced": (Replaced, "the place of its socket"),
}
channel, words = CHANNELS[sys.argv[1]]
if ARGUMENTS[0] == "tell":
    tried(f"speak through {words}")
    with contextlib.suppress(OSError):
        channel().tell()
    play()
else:
    play(lambda: attempt(f"reach another bot through {words}", channel().hear))
