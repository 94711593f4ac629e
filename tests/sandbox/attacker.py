"""A bot that tries everything; prints what it could do as JSON. Told what to try by its argument.

Written apart from the program that the referee tries itself with, with commands where there are
some.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

told = json.loads(sys.argv[1])
PID = told["pid"]
libc = ctypes.CDLL(None, use_errno=True)


def read_text(path: str | Path) -> str:
    return Path(path).read_text(errors="replace")


def works(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def memory() -> bool:
    process = Path(f"/proc/{PID}")
    with (process / "mem").open("rb", 0) as mem:
        for line in read_text(process / "maps").splitlines():
            if "[heap]" in line:
                mem.seek(int(line.split("-")[0], 16))
                return len(mem.read(64)) == 64
    return False


def environment() -> bool:
    return "CANARY=" in read_text(f"/proc/{PID}/environ")


def seed_on_command_line() -> bool:
    return "S3CRET" in read_text(f"/proc/{PID}/cmdline")


def descriptors_of_the_referee() -> bool:
    return bool(Path(f"/proc/{PID}/fd/0").readlink())


def trace() -> bool:
    return libc.ptrace(0x4206, PID, None, None) == 0


def file_of_the_referee() -> bool:
    return read_text(told["secret"]) == "secret"


def home_of_the_user() -> bool:
    return read_text(Path(told["home"]) / "diary") == "private"


def mode_of_a_file_of_the_user() -> bool:
    diary = Path(told["home"]) / "diary"
    before = diary.stat().st_mode
    diary.chmod(before ^ 0o7)
    with contextlib.suppress(OSError), diary.open("rb") as file:
        os.fchmod(file.fileno(), before ^ 0o70)
    return diary.stat().st_mode != before


def times_of_a_file_of_the_user() -> bool:
    diary = Path(told["home"]) / "diary"
    before = diary.stat().st_mtime
    os.utime(diary, (1, 1))
    return diary.stat().st_mtime != before


def attributes_of_a_file_of_the_user() -> bool:
    os.setxattr(Path(told["home"]) / "diary", "user.moon", b"x")
    return True


def place_of_another_bot() -> bool:
    place = Path(told["socket"]).parent
    before = place.stat().st_mode
    place.chmod(before & ~0o7 | 0o5)
    return place.stat().st_mode != before


def stop_signal() -> bool:
    os.kill(PID, signal.SIGCONT)
    return True


def renice() -> bool:
    return works("renice", "-n", "1", "-p", str(PID))


def pin() -> bool:
    return works("taskset", "-p", "-c", "0", str(PID))


def renice_by_user() -> bool:
    os.setpriority(os.PRIO_USER, 0, 1)
    return not told["namespaces"]  # where it sees itself alone there is nobody to slow down


def tcp() -> bool:
    return socket.create_connection(("127.0.0.1", told["port"]), 2) is not None


def udp() -> bool:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)) == 1


def vsock() -> bool:
    return socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) is not None


def netlink() -> bool:
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) is not None


def dial_another_bot() -> bool:
    socket.socket(socket.AF_UNIX).connect(told["socket"])
    return True


def dial_an_abstract_name() -> bool:
    socket.socket(socket.AF_UNIX).connect("\0" + told["abstract"])
    return True


def datagram_to_another_bot() -> bool:
    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", told["datagram"]) == 1


def change_own_program() -> bool:
    return Path(__file__).open("a") is not None


def write_beside_own_home() -> bool:
    (Path(os.environ["HOME"]) / ".." / "more").touch()
    return not told["namespaces"]  # there it is its own and as bounded as the rest


def write_anywhere() -> bool:
    for place in ("/tmp", "/dev/shm", "/var/tmp", "/", "/usr", told["folder"]):
        path = Path(place) / f"moon-attack-{os.getpid()}"
        try:
            path.touch()
            path.unlink()
        except OSError:
            continue
        if not (told["namespaces"] and place in {"/tmp", "/dev/shm"}):
            return True
    return False


def core_pattern() -> bool:
    return Path("/proc/sys/kernel/core_pattern").open("r+") is not None


def be_root() -> bool:
    return 0 in os.getresuid() or 0 in os.getresgid() or bool(os.getgroups())


def namespaces() -> bool:
    return works("unshare", "-U", "true")


def setuid_program() -> bool:
    return "NoNewPrivs:\t0" in read_text("/proc/self/status")


def keyring() -> bool:
    number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
    return libc.syscall(number, b"user", b"moon-test", b"x", ctypes.c_size_t(1), -3) >= 0


def shared_memory() -> bool:
    return works("ipcmk", "-M", "4096")


def hidden_memory() -> bool:
    return os.memfd_create("x") >= 0


def shared_pages() -> bool:
    return mmap.mmap(-1, 4096) is not None


def shared_zeros() -> bool:
    with Path("/dev/zero").open("rb") as zero:
        return mmap.mmap(zero.fileno(), 4096, prot=mmap.PROT_READ) is not None


def inherited_descriptors() -> bool:
    listed = subprocess.run(["ls", "/proc/self/fd"], stdout=subprocess.PIPE, check=True).stdout
    return len(listed.split()) > 4  # its three, and the one with which it looks


def foreign_variables() -> bool:
    return not set(os.environ) <= {*told["variables"], "LC_CTYPE"}


def environment_of_process_1() -> bool:
    words = read_text("/proc/1/environ").split("\0")
    return bool([word for word in words if word and not word.startswith("MOON_BOT_MARK")])


def process_list() -> bool:
    return "--seed" in read_text(f"/proc/{PID}/cmdline") or "held.py" in read_text(
        f"/proc/{PID}/cmdline"
    )


def sockets_of_others() -> bool:
    return told["socket"] in read_text("/proc/net/unix")


def state_of_another_bots_place() -> bool:
    return Path(told["socket"]).parent.stat().st_mode > 0


def large_file() -> bool:
    with (Path(os.environ["TMPDIR"]) / "large").open("wb") as file:
        file.truncate(told["file_size"] + 1)
        return True


def many_processes() -> bool:
    reading, writing = os.pipe()
    children = []
    try:
        for _ in range(told["tasks"] + 1):
            child = os.fork()
            if not child:
                os.close(writing)
                os.read(reading, 1)
                os._exit(0)
            children.append(child)
    finally:
        os.close(writing)
        for child in children:
            os.waitpid(child, 0)
    return True


def many_threads() -> bool:
    done = threading.Event()
    threads = [threading.Thread(target=done.wait) for _ in range(told["tasks"] + 1)]
    started = []
    try:
        for thread in threads:
            thread.start()
            started.append(thread)
    finally:
        done.set()
        for thread in started:
            thread.join()
    return True


def locked_memory() -> bool:
    area = mmap.mmap(-1, 2**20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    return libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(2**20)) == 0


def lock_what_all_can_read() -> bool:
    with Path(os.__file__).open("rb") as one, Path(os.__file__).open("rb") as other:
        fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def watch_what_others_open() -> bool:
    watch = libc.inotify_init1(0)
    return watch >= 0 and libc.inotify_add_watch(watch, os.fsencode(os.__file__), 0x20) >= 0


ATTACKS = [
    shared_pages, shared_zeros, watch_what_others_open,
    memory, environment, seed_on_command_line, descriptors_of_the_referee, trace,
    file_of_the_referee, home_of_the_user, stop_signal, renice, pin, renice_by_user, tcp, udp,
    vsock, netlink, dial_another_bot, dial_an_abstract_name, datagram_to_another_bot,
    change_own_program, write_beside_own_home, write_anywhere, core_pattern, be_root, namespaces,
    setuid_program, keyring, shared_memory, hidden_memory, inherited_descriptors,
    foreign_variables, environment_of_process_1, process_list, large_file, many_processes,
    many_threads, locked_memory, lock_what_all_can_read, mode_of_a_file_of_the_user,
    times_of_a_file_of_the_user, attributes_of_a_file_of_the_user, place_of_another_bot,
    sockets_of_others, state_of_another_bots_place,
]  # fmt: skip

could = {}
for attack in ATTACKS:
    try:
        could[attack.__name__] = bool(attack())
    except (OSError, RuntimeError):  # Python's threads say it so
        could[attack.__name__] = False
print(json.dumps(could))
