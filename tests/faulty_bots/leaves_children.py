"""Exits with code 0 and leaves two children, one of which ignores SIGTERM; prints their pids."""

import subprocess
import sys

SLEEP = "import time; time.sleep(600)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEP
children = [subprocess.Popen([sys.executable, "-c", code]) for code in (SLEEP, STUBBORN)]
print(*(child.pid for child in children), flush=True)
