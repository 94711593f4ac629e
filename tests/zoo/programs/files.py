"""Reads, writes and leaves files that are none of its business."""

import contextlib
import errno
import os
import sys
import sysconfig
import time
from pathlib import Path

import _zoo
from _zoo import (
    ARGUMENTS,
    HOME,
    attempt,
    denied,
    got,
    run,
    siblings,
    tried,
    wait_for,
    write_back,
)

MARKER = "zoo-was-here"


def show(path):
    """Reads a file and shows what it says: the referee looks for it in what we wrote."""
    text = Path(path).read_bytes()[:200]
    print(text.decode(errors="replace"), flush=True)
    return bool(text)


def reads_the_referees():
    attempt("read the results of the referee", show, ARGUMENTS[0])
    attempt("read a file in the home of the referee", show, ARGUMENTS[1])
    attempt("read a file in the directory of the run", show, HOME.parent.parent / "canary")


def reads_passwords():
    def read():
        return bool(Path("/etc/shadow").read_bytes()[:1])

    attempt("read the passwords of this host", read)


def lists_the_referees():
    """Looks which files there are, without reading one."""
    folder = Path(ARGUMENTS[0]).parent
    attempt("list the directory of the results", lambda: os.listdir(folder))
    attempt("see how long the results are", lambda: os.stat(ARGUMENTS[0]).st_size)


def changes_the_users():
    """Changes what the user's files and the places of other bots are, not what is in them."""
    file = Path(ARGUMENTS[0])
    attempt("change the mode of a file of the user", change_mode, file)
    attempt("change the times of a file of the user", change_times, file)
    attempt("give a file of the user an attribute", set_attribute, file)
    for place in siblings():
        attempt("change the mode of another bot's place", change_mode, place)
        attempt("change the times of another bot's place", change_times, place)


def change_mode(path):
    """Opens *path* to its group and looks whether it is; it is closed again."""
    before = path.stat().st_mode
    path.chmod(before ^ 0o050)
    is_changed = path.stat().st_mode != before
    path.chmod(before)
    return is_changed


def change_times(path):
    before = path.stat().st_mtime
    os.utime(path, (1, 1))
    is_changed = path.stat().st_mtime != before
    os.utime(path, (before, before))
    return is_changed


def set_attribute(path):
    os.setxattr(path, "user.zoo", b"was here")
    os.removexattr(path, "user.zoo")
    return True


def reads_another_bot():
    """Looks into the home of a bot at the same table, which has left something there."""

    def look():
        for place in siblings():
            with contextlib.suppress(OSError):
                if (place / "home" / MARKER).read_text():
                    return True
        return False

    attempt("read a file of another bot", look)


def leaves_a_file():
    (HOME / MARKER).write_text("a plan")
    HOME.chmod(0o755)


def changes_its_program():
    attempt("put a file beside its own program", put, Path(__file__).parent)


def changes_libraries():
    for kind in ("purelib", "stdlib"):
        attempt(f"put a file into {kind}", put, sysconfig.get_path(kind))
    attempt("put a file where commands lie", put, Path(sys.executable).parent)
    for root in dict.fromkeys(sys.path):
        if root and Path(root).is_dir():
            attempt(f"put a file into a place of imports ({Path(root).name})", put, root)


def put(folder):
    """Makes a file in *folder* that has no name, or one that is gone at once."""
    with contextlib.suppress(IsADirectoryError):
        try:
            os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                raise
        else:
            return True
    path = Path(folder) / f"zoo-{os.getpid()}.pth"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    path.unlink()
    return True


def writes_anywhere():
    """Looks for any place beside its own where a file can be made."""
    own = HOME.parent.resolve()
    for folder in ("/", "/tmp", "/var/tmp", "/dev/shm", "/dev", "/run", "/etc", "/usr", "/home",
                   "/root", "/opt", own.parent, own.parent.parent):  # fmt: skip
        # Where the temporary directory is the bot's own, a file in it is nobody's harm.
        if Path(folder).is_dir() and not is_private(folder):
            attempt(f"make a file in {folder}", put, folder)


def is_private(folder):
    """Returns whether *folder* goes when the bot does: a small file system of its own."""
    if not _zoo.LISTEN.startswith(f"unix:{folder}/") and folder not in ("/tmp", "/dev/shm"):
        return False
    return os.getpid() < 64 and Path(folder).is_mount()


def leads_elsewhere(target):
    """Has at its socket's place a link to *target*, and serves nothing itself."""
    path = Path(_zoo.LISTEN.removeprefix("unix:"))
    try:
        path.symlink_to(target)
    except OSError as error:
        denied(f"lead the referee elsewhere ({error.strerror})")
    else:
        tried("lead the referee elsewhere")
    time.sleep(30)


def another_bots_socket():
    """Lets a bot at the same table play for it."""
    found = wait_for(lambda: [p / "s" for p in siblings() if (p / "s").is_socket()], 3)
    leads_elsewhere(found[0] if found else "/no/such/socket")


def a_system_socket():
    leads_elsewhere("/dev/log")


def no_socket():
    """Has a plain file where its socket should be."""
    Path(_zoo.LISTEN.removeprefix("unix:")).write_text("no socket")
    tried("have a file for a socket")
    time.sleep(30)


def leaves_links():
    """Leaves what leads out of its home, for whoever removes it to follow."""
    tried("have files of the referee removed or changed")
    results = Path(ARGUMENTS[0])
    (HOME / "to-file").symlink_to(results)
    (HOME / "to-folder").symlink_to(results.parent)
    with contextlib.suppress(OSError):
        os.link(results, HOME / "hard")
    with contextlib.suppress(OSError):
        os.mkfifo(HOME / "pipe")
    with contextlib.suppress(OSError):
        os.mknod(HOME / "device", 0o600 | 0o020000, os.makedev(1, 3))


def remembers():
    """Looks for what an earlier process of it has left, and leaves something for the next."""
    temporary = Path(os.environ.get("TMPDIR", "/tmp"))
    shared = (HOME, temporary, HOME.parent, HOME.parent.parent, Path("/tmp"), Path("/dev/shm"))
    found = [folder for folder in shared if (folder / MARKER).exists()]
    if found:
        got("find what it knew in an earlier process")
        for folder in found:
            with contextlib.suppress(OSError):
                (folder / MARKER).unlink()
        return
    denied("find what it knew in an earlier process")
    for folder in (HOME, temporary):
        with contextlib.suppress(OSError):
            (folder / MARKER).write_text("all about you")
    os._exit(9)


def changes_the_kernel():
    """Writes back settings that hold for the whole host, with the value they have."""
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory",
                 "/proc/sys/kernel/hostname", "/proc/sys/net/ipv4/ip_forward"):  # fmt: skip
        attempt(f"change {path}", write_back, path)


def changes_its_group():
    """Looks for a way out of the control group that limits it."""
    root = Path("/sys/fs/cgroup")
    places = [root / "cgroup.procs", *root.glob("*/cgroup.procs"), *root.glob("*/tasks")]
    if not places:
        denied("see a control group")
    for path in places[:8]:
        attempt(f"be in another control group ({path})", may_write, path)


def may_write(path):
    os.close(os.open(path, os.O_WRONLY))
    return True


run(
    at_once=(
        leaves_a_file, another_bots_socket, a_system_socket, no_socket, leaves_links,
    ),
    when_asked=(
        reads_the_referees, reads_passwords, lists_the_referees, reads_another_bot,
        changes_its_program, changes_libraries, writes_anywhere, changes_the_kernel,
        changes_its_group, remembers, changes_the_users,
    ),
)  # fmt: skip
