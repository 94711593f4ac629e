"""Prints what it was given, its environment, open files, directory and input, as JSON."""

import json
import os
import sys
from pathlib import Path

files = sorted(int(path.name) for path in Path("/proc/self/fd").iterdir())
own = os.open("/proc/self/fd", os.O_RDONLY)
print(
    json.dumps(
        {
            "env": dict(os.environ),
            "files": [fd for fd in files if fd != own],
            "cwd": str(Path.cwd()),
            "input": sys.stdin.read(),
            "session": os.getsid(0) == os.getpid(),
            "argv": sys.argv[1:],
        }
    )
)
