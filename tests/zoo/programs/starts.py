"""Does not start, or not as it should."""

import os
import sys
import time

from _zoo import play, tried


def exits_at_once():
    sys.exit(0)


def exits_complaining():
    raise RuntimeError("no model file")


def never_listens():
    time.sleep(60)


def listens_late():
    tried("listen after a second")
    time.sleep(1)
    play()


def another_place():
    """Listens where nobody looks."""
    os.environ["MOON_BOT_LISTEN"] += "x"
    play()


globals()[sys.argv[1].replace("-", "_")]()
