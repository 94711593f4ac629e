"""Writes one line of 10 MB that does not end, says so on standard error, and goes on running."""

import sys
import time

sys.stdout.write("x" * 10_000_000)
sys.stdout.flush()
print("written", file=sys.stderr, flush=True)
time.sleep(600)
