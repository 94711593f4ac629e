"""Where the command `moon` begins: Ctrl-C is heeded before anything else is imported."""

from __future__ import annotations

import sys
from importlib import import_module

INTERRUPTED = 130


def main() -> int:
    """Runs one command, as `tournaments.cli.main.main` does, and returns its exit code."""
    try:
        code: int = import_module("tournaments.cli.main").main()
    except KeyboardInterrupt:
        # While the commands are imported nothing else is there that could say so.
        sys.stderr.write("moon: interrupted\n")
        return INTERRUPTED
    return code


if __name__ == "__main__":
    sys.exit(main())
