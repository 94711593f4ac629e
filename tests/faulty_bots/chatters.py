"""Writes 50 MB to both streams, then one last line to each, and goes on running."""

import os
import sys
import time

LINE = b"all work and no play makes a dull bot, line after line\n" * 1000
for _ in range(50_000_000 // len(LINE)):
    os.write(1, LINE)
    os.write(2, LINE)
print("done talking", flush=True)
print("done complaining", file=sys.stderr, flush=True)
time.sleep(600)
