"""Exits with code 3 when it is to bid, with a last word."""

import os
import sys

from referee.sdk import Bot, serve


class Exits(Bot):
    def bid(self, view):
        print("giving up", file=sys.stderr, flush=True)
        os._exit(3)


serve(Exits())
