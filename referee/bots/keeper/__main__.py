"""The keeper as a program: `python -I -S keeper FD PARENT`."""

import sys
from pathlib import Path

# Last, so that nothing beside this package can take the place of a module of Python's own.
sys.path.append(str(Path(__file__).resolve().parents[3]))

from referee.bots.keeper.service import main

if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
