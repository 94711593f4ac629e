"""A bot that starts badly, or late, as its argument says."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

from server import Bot, Call

ADDRESS = os.environ["MOON_BOT_LISTEN"].removeprefix("unix:")


def honest() -> None:
    """Serves and misbehaves no more."""
    Bot("never", Call.honest).serve()


def attempt(what: str, address: object, family: int = socket.AF_INET) -> socket.socket | None:
    """Listens where it should not, and says whether it could."""
    try:
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listening.bind(address)
        listening.listen()
    except OSError:
        print(f"zoo: denied {what}", file=sys.stderr, flush=True)
        return None
    return listening


def wrong_port() -> None:
    """Listens on a port, which nobody asks."""
    attempt("a port", ("127.0.0.1", 0))
    time.sleep(3600)


def squats() -> None:
    """Listens at its address twice, the second time in a child that outlives it."""
    threading.Thread(target=honest, daemon=True).start()
    time.sleep(0.2)
    if os.fork() == 0:
        os.setsid()
        with contextlib.suppress(OSError):  # then the address is taken, and so it should be
            Path(ADDRESS).unlink()
        attempt("its address twice", ADDRESS, socket.AF_UNIX)
        time.sleep(3600)
    time.sleep(3600)


def slow_settings(seconds: float) -> None:
    """Listens at once, but is too busy at first to say a word, then plays honestly."""
    Bot("accept", lambda _: time.sleep(seconds)).serve()


def file_instead() -> None:
    """Puts a plain file where its socket should be."""
    Path(ADDRESS).write_text("no socket")
    time.sleep(3600)


def main() -> None:
    """Starts as the argument says."""
    print("zoo: tried", *sys.argv[1:], file=sys.stderr, flush=True)
    match sys.argv[1:]:
        case ["exits-0"]:
            sys.exit(0)
        case ["exits-3"]:
            sys.exit("no model file")
        case ["segv"]:
            os.kill(os.getpid(), signal.SIGSEGV)
        case ["traceback"]:
            raise RuntimeError("no model file\x1b[2J")
        case ["never-listens"]:
            time.sleep(3600)
        case ["listens-after", seconds]:
            time.sleep(float(seconds))
            honest()
        case ["wrong-port"]:
            wrong_port()
        case ["squats"]:
            squats()
        case ["slow-settings", seconds]:
            slow_settings(float(seconds))
        case ["file-instead"]:
            file_instead()
        case _:
            sys.exit(f"beginnings.py: what is {sys.argv[1:]}?")


if __name__ == "__main__":
    main()
