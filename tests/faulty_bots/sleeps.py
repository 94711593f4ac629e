"""Sleeps past its time at every play to a trick."""

import time

from referee.sdk import Bot, serve


class Sleeper(Bot):
    def play(self, view):
        time.sleep(600)


serve(Sleeper())
