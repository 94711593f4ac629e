"""Waits for the file of its argument, writes 500 KB to a pipe made large enough, and exits."""

import fcntl
import os
import sys
import time
from pathlib import Path

fcntl.fcntl(2, fcntl.F_SETPIPE_SZ, 1 << 20)
print("ready", file=sys.stderr, flush=True)
while not Path(sys.argv[1]).exists():
    time.sleep(0.01)
os.write(2, b"x" * 500_000 + b"the end\n")
