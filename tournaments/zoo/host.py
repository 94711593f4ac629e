"""The host that the zoo was run on, in words."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime

from referee import __version__


def describe_host() -> dict[str, str]:
    """Returns the system, the user's kind, the date and the version of the program."""
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "user": "root" if os.geteuid() == 0 else "ordinary user",
        "python": platform.python_version(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "code_version": __version__,
    }
