"""Closes its output streams and plays on: a bot that has nothing to say is no fault."""

import os
import sys
import time

print("bye", file=sys.stderr, flush=True)
os.close(1)
os.close(2)
time.sleep(600)
