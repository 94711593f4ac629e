"""Ends by the signal whose name is its argument; SIGSTOP leaves it stopped."""

import os
import signal
import sys

print("ready", file=sys.stderr, flush=True)
os.kill(os.getpid(), signal.Signals[sys.argv[1]])
