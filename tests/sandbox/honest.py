"""A bot that does what honest bots do; prints what did not work, as JSON."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

told = json.loads(sys.argv[1])


def listens_where_it_was_told() -> None:
    path = os.environ["MOON_BOT_LISTEN"].removeprefix("unix:")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
    Path(path).unlink()


def uses_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda n: n * n, range(100))) == 328350
    results: queue.Queue[int] = queue.Queue()
    threading.Thread(target=results.put, args=(42,)).start()
    assert results.get(timeout=20) == 42


def uses_asyncio() -> None:
    async def work() -> bytes:
        child = await asyncio.create_subprocess_exec("echo", "moon", stdout=subprocess.PIPE)
        output, _ = await child.communicate()
        return output + await asyncio.to_thread(lambda: b"!")

    assert asyncio.run(work()) == b"moon\n!"


def starts_programs() -> None:
    told = subprocess.run(
        ["sh", "-c", "echo $HOME | tr a-z A-Z; sleep 5 & kill $!; wait"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout == os.environ["HOME"].upper() + "\n"


def keeps_a_database() -> None:
    path = Path(os.environ["HOME"]) / "book.db"
    for _ in range(2):
        with sqlite3.connect(path) as book:
            book.execute("PRAGMA journal_mode=WAL")
            book.execute("create table if not exists hands (hand text)")
            book.execute("insert into hands values ('64')")
            book.commit()
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as book:
        assert book.execute("select count(*) from hands").fetchone() == (2,)


def writes_files() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a").write_bytes(bytes(2**20))
        (Path(folder) / "a").rename(Path(os.environ["HOME"]) / "b")
        (Path(folder) / "link").symlink_to("a")
    Path("/dev/null").write_text("x")


def copies_files() -> None:
    home = Path(os.environ["HOME"])
    for name in ("new", "new", "old"):
        (home / name).touch()
        assert (home / name).exists()
    (home / "tree").mkdir(exist_ok=True)
    (home / "tree" / "file").write_text("x")
    (home / "tree" / "file").chmod(0o600)
    shutil.copytree(home / "tree", home / "copy")
    subprocess.run(["cp", "-pr", home / "tree", home / "again"], check=True)
    subprocess.run(["touch", home / "touched", home / "new"], check=True)
    assert (home / "touched").exists()
    shutil.rmtree(home / "copy")


def reads_what_belongs_to_it() -> None:
    assert Path(__file__).read_text()
    assert Path(__file__) in Path(__file__).parent.iterdir()
    assert (os.cpu_count() or 0) > 0
    assert Path("/proc/self/status").read_text()
    assert os.urandom(8)
    assert Path.cwd() == Path(os.environ["HOME"])


def sets_its_own_limits() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    os.nice(1)
    os.sched_setaffinity(0, os.sched_getaffinity(0))


HABITS = [
    listens_where_it_was_told, uses_threads, uses_asyncio, starts_programs, keeps_a_database,
    writes_files, copies_files, reads_what_belongs_to_it, sets_its_own_limits,
]  # fmt: skip

failed = {}
for habit in HABITS:
    try:
        habit()
    except Exception:
        failed[habit.__name__] = traceback.format_exc()
print(json.dumps(failed))
