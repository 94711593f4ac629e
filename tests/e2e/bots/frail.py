"""Thinks a little, breaks at some hands, and leaves a process that nobody should find again."""

import os
import sys
import time
import zlib

from referee.sdk import Bot, Param, serve

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


class Frail(Bot):
    name = "frail"
    hide = Param(False, "whether what it leaves behind has nothing left to know it by")

    def bid(self, view):
        time.sleep(0.02)
        if zlib.crc32(str(view.hand).encode()) % 12 == 0:
            os._exit(3)
        return view.legal[0]

    def play(self, view):
        time.sleep(0.005)
        return view.legal[0]


if __name__ == "__main__":
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(3):
                os.dup2(os.open(os.devnull, os.O_RDWR), number)
            os.execve(SLEEP[0], SLEEP, {} if "MOON_BOT_PARAM_HIDE" in os.environ else os.environ)
        os._exit(0)
    serve(Frail())
