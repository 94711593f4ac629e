"""Leaves a file where it runs when it is first asked, if it may, and never answers."""

import contextlib
import time
from pathlib import Path

from referee.sdk import Bot, serve


class Stuck(Bot):
    name = "stuck"

    def decide(self, view):
        with contextlib.suppress(OSError):
            Path("asked").touch()
        time.sleep(3600)


if __name__ == "__main__":
    serve(Stuck())
