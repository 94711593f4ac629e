"""Ignores every signal that can be ignored, and says when it does."""

import signal
import sys
import time

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print("ready", file=sys.stderr, flush=True)
time.sleep(600)
