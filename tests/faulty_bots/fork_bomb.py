"""Forks until there are sixty of it, each in a session of its own, and each starts another."""

import os
import sys
import time

for _ in range(60):
    if os.fork():
        break
    os.setsid()
else:
    print("ready", file=sys.stderr, flush=True)
time.sleep(600)
