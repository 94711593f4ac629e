"""Leaves a file where it runs when it is first asked, and never answers."""

import time
from pathlib import Path

from referee.sdk import Bot, serve


class Stuck(Bot):
    name = "stuck"

    def decide(self, view):
        Path("asked").touch()
        time.sleep(3600)


if __name__ == "__main__":
    serve(Stuck())
