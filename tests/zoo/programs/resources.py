"""Takes more of the machine than it should: CPU, memory, room on the disk."""

import contextlib
import ctypes
import fcntl
import hashlib
import mmap
import os
import resource
import socket
import sys
import threading
import time
from pathlib import Path

from _zoo import (
    ARGUMENTS,
    HOME,
    attempt,
    denied,
    end_after,
    got,
    play,
    run,
    syscall,
    tried,
    write_back,
)

MIB = 2**20
ALLOWED = 96 * MIB
"""What the rows of the catalogue allow these programs."""
WANTED = 224 * MIB
"""What they try to have."""
IPC_PRIVATE, IPC_CREAT, IPC_RMID = 0, 0o1000, 0
F_SETPIPE_SZ = 1031


def eats_memory():
    tried("have 224 MiB of memory")
    taken = []
    for _ in range(WANTED // MIB):
        taken.append(bytearray(os.urandom(4096) * 256))
        time.sleep(0.002)
    time.sleep(2)


def eats_in_children():
    """Has four children that each take a quarter."""
    tried("have 224 MiB of memory in children")
    for _ in range(4):
        if os.fork() == 0:
            end_after(6)
            kept = bytearray(os.urandom(4096) * 256 * (WANTED // 4 // MIB))
            time.sleep(5)
            os._exit(len(kept) & 1)
    time.sleep(3)


def fill(descriptors, size):
    """Writes *size* bytes to each of *descriptors* and returns how many went."""
    block = os.urandom(MIB)
    written = 0
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            for _ in range(size // MIB):
                written += os.write(descriptor, block)
    return written


def hides_in_memfd():
    """Fills files without a name, which no limit on files on the disk counts."""
    descriptors = []
    with contextlib.suppress(OSError):
        for _ in range(14):
            descriptors.append(syscall("memfd_create", b"zoo", 0))
    report("have {} MiB in files without a name", fill(descriptors, 16 * MIB))
    time.sleep(1.5)


def hides_in_shm():
    """Fills files of memory that outlive the process, and removes them."""
    for folder in ("/dev/shm", "/run/shm"):
        paths = [Path(folder) / f"zoo-{os.getpid()}-{number}" for number in range(14)]
        descriptors = []
        try:
            with contextlib.suppress(OSError):
                for path in paths:
                    descriptors.append(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            report(f"have {{}} MiB in {folder}", fill(descriptors, 16 * MIB))
            time.sleep(0.3)
        finally:
            for path in paths:
                with contextlib.suppress(OSError):
                    path.unlink()


def hides_in_pipes():
    """Fills pipes that nobody reads."""
    descriptors = []
    with contextlib.suppress(OSError):
        for _ in range(WANTED // MIB):
            _, end = os.pipe()
            os.set_blocking(end, False)
            with contextlib.suppress(OSError):
                fcntl.fcntl(end, F_SETPIPE_SZ, MIB)
            descriptors.append(end)
    report("have {} MiB in pipes", fill(descriptors, MIB))


def hides_in_sockets():
    """Fills sockets that nobody reads."""
    block, written, kept = os.urandom(65536), 0, []
    with contextlib.suppress(OSError):
        for _ in range(400):
            pair = socket.socketpair()
            kept.append(pair)
            pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MIB)
            pair[0].setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    written += pair[0].send(block)
    tried(f"have {written // MIB} MiB in {len(kept)} pairs of sockets")
    time.sleep(2)


def fills_page_tables():
    """Looks at one byte in every 2 MiB of 128 GiB that are empty: each look fills a table."""
    size = 128 << 30
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
    empty = mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ)
    tried("have 256 MiB in tables of pages")
    for place in range(0, size, 2 * MIB):
        empty[place]
    time.sleep(2)


HOARD = """
import os, time
kept = bytearray(os.urandom(4096) * 256 * 224)
time.sleep(3)
os.write(2, b"zoo: got have 224 MiB in a process that nobody counts\\n")
"""


def hides_in_a_stranger():
    """Takes memory in a process with another session, another parent and no environment."""
    tried("have 224 MiB in a process that nobody counts")
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(sys.executable, [sys.executable, "-S", "-c", HOARD], {})
        os._exit(0)
    os.wait()
    play(lambda: time.sleep(5))


def hides_in_ipc():
    """Fills memory of System V, which belongs to nobody."""

    def make():
        number = syscall("shmget", IPC_PRIVATE, 16 * MIB, IPC_CREAT | 0o600)
        syscall("shmctl", number, IPC_RMID, 0)
        return True

    attempt("make memory of System V", make)
    attempt("make semaphores of System V", drop_semaphores)
    attempt("make a queue of messages", lambda: open_queue() is not None)


def drop_semaphores():
    number = syscall("semget", IPC_PRIVATE, 1, IPC_CREAT | 0o600)
    ctypes.CDLL(None).semctl(number, 0, IPC_RMID)
    return True


def open_queue():
    name = f"zoo-{os.getpid()}".encode()
    descriptor = syscall("mq_open", name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600, 0)
    os.close(descriptor)
    ctypes.CDLL(None).mq_unlink(b"/" + name)
    return True


def report(what, size):
    """Says how it went: it worked if more is held than is allowed."""
    (got if size > ALLOWED else denied)(what.format(size // MIB))


def burns_cpu():
    """Four processes spin for three seconds, with another bot to be asked meanwhile."""
    tried("keep every core busy")
    for _ in range(4):
        if os.fork() == 0:
            end_after(3)
            while True:
                pass


def crowds_out_the_referee():
    """Has a hundred threads work while it takes five times its time."""

    def work():
        hashlib.pbkdf2_hmac("sha256", b"", b"", 50_000)  # lets the other threads work meanwhile

    def crowd():
        for _ in range(100):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(2.5)

    tried("make the referee seem to stand still")
    play(crowd, crowd)


class Ponders:
    """Thinks in others' time, and says how much of it."""

    def __init__(self):
        self.said = False
        self.answered = None
        threading.Thread(target=self.think, daemon=True).start()

    def think(self):
        until = time.monotonic() + 20
        while time.monotonic() < until and not self.said:
            pass

    def asked(self):
        used = time.process_time()
        if self.answered is not None and not self.said and used - self.answered > 0.004:
            self.said = True
            got("think while others are asked")
        self.answered = time.process_time()


def ponders():
    state = Ponders()
    tried("think while others are asked")
    play(state.asked, state.asked)


def fills_one_file():
    """Writes 60 MiB to a file where 16 are allowed."""
    path = HOME / "big"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    size = fill([descriptor], 60 * MIB)
    (got if size > 17 * MIB else denied)(f"write {size // MIB} MiB to one file")


def fills_the_disk():
    """Writes 80 MiB in ten files where 32 are allowed."""
    tried("keep 80 MiB in its home")
    descriptors = []
    for number in range(10):
        with contextlib.suppress(OSError):
            descriptors.append(os.open(HOME / f"f{number}", os.O_WRONLY | os.O_CREAT, 0o600))
    size = fill(descriptors, 8 * MIB)
    if size < 33 * MIB:
        denied(f"write more than {size // MIB} MiB to its home")
    time.sleep(2.5)


def fills_with_files():
    """Makes 600 files where 200 are allowed."""
    tried("keep 600 files in its home")
    made = 0
    try:
        for number in range(600):
            (HOME / f"small{number}").write_bytes(b"x" * 16)
            made += 1
    except OSError as error:
        denied(f"make more than {made} files ({error.strerror})")
    time.sleep(2.5)


def makes_sparse_files():
    """Says that a file is 10 GiB long."""

    def grow():
        descriptor = os.open(HOME / "sparse", os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.ftruncate(descriptor, 10 << 30)
            return True
        finally:
            os.close(descriptor)

    attempt("have a file of 10 GiB", grow)


def digs_deep():
    """Makes 4096 directories, one in the other."""
    tried("make its home too deep to be removed")
    os.chdir(HOME)
    with contextlib.suppress(OSError):
        for _ in range(4096):
            os.mkdir("d")
            os.chdir("d")


def locks_up_its_home():
    """Leaves names that are no text, directories that are closed, links that lead out."""
    tried("leave a home that cannot be removed")
    os.chdir(HOME)
    for name in (b"new\nline", b"\xff\xfe", b"-rf", b"a" * 255, b" ", b"..."):
        Path(os.fsdecode(name)).write_text("odd")
    for name in ("locked", "half"):
        folder = Path(name)
        folder.mkdir()
        (folder / "file").write_text("hidden")
    os.mkdir("shut", 0)
    Path("locked").chmod(0)
    Path("half").chmod(0o400)
    HOME.chmod(0o500)


def opens_files():
    """Opens as many files as it can."""
    opened = []
    try:
        for _ in range(2000):
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as error:
        denied(f"open more than {len(opened)} files ({error.strerror})")
    else:
        got("open 2000 files")
    for descriptor in opened:
        os.close(descriptor)


def slows_the_referee():
    referee = int(ARGUMENTS[0])
    attempt("make the referee the first to be ended when memory is short", write_back,
            f"/proc/{referee}/oom_score_adj")  # fmt: skip
    attempt("change the priority of the referee", renice, referee)
    attempt("pin the referee to a core", pin, referee)
    attempt("change the scheduling of the referee", schedule, referee)
    attempt("change the limits of the referee", limit, referee)


def renice(pid):
    os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid))
    return True


def pin(pid):
    os.sched_setaffinity(pid, os.sched_getaffinity(pid))
    return True


def schedule(pid):
    os.sched_setscheduler(pid, os.sched_getscheduler(pid), os.sched_getparam(pid))
    return True


def limit(pid):
    old = resource.prlimit(pid, resource.RLIMIT_CORE)
    resource.prlimit(pid, resource.RLIMIT_CORE, old)
    return True


def outlives_the_referee():
    """Asks to be spared when the host is short of memory, so that the referee is ended first."""

    def spare():
        Path("/proc/self/oom_score_adj").write_text("-500")
        return True

    attempt("be spared when the host is short of memory", spare)


def dumps_core():
    def dump():
        os.chdir(HOME)
        child = os.fork()
        if child == 0:
            os.abort()
        return os.WCOREDUMP(os.waitpid(child, 0)[1])

    attempt("leave a core file", dump)


run(
    at_once=(
        eats_in_children, hides_in_a_stranger, burns_cpu, crowds_out_the_referee, ponders,
        dumps_core,
    ),
    when_asked=(
        eats_memory, hides_in_memfd, hides_in_shm, hides_in_pipes, hides_in_sockets, hides_in_ipc,
        fills_page_tables, fills_one_file, fills_the_disk, fills_with_files, makes_sparse_files,
        digs_deep, locks_up_its_home, opens_files, slows_the_referee, outlives_the_referee,
    ),
)  # fmt: skip
