"""Leaves a process in a session of its own that nobody is the parent of; prints its pid.

Arguments: `stay` goes on running beside it; `hide` starts it with an empty environment.
"""

import os
import sys
import time

SLEEP = ["-c", "import time; time.sleep(600)"]
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(write, str(os.getpid()).encode())
        environment = {} if "hide" in sys.argv else dict(os.environ)
        os.execve(sys.executable, [sys.executable, *SLEEP], environment)
    os._exit(0)
os.wait()
print(os.read(read, 20).decode(), file=sys.stderr, flush=True)
if "stay" in sys.argv:
    time.sleep(600)
