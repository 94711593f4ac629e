"""Leaves in its home what is hard to remove, and a link to a directory that it was told of."""

import os
import sys
from pathlib import Path

home = Path.home()
os.chdir(home)
(home / "outside").symlink_to(sys.argv[1])
os.mkfifo("pipe")
(home / "new\nline").write_text("odd")
(home / os.fsdecode(b"\xff\xfe")).write_text("no text")
locked = home / "locked"
locked.mkdir()
(locked / "file").write_text("hidden")
locked.chmod(0)
(home.parent / "tmp").chmod(0)
for _ in range(1200):
    Path("deep").mkdir()
    os.chdir("deep")
print("ready", flush=True)
