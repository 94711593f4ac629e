"""What the programs of the zoo share: how they tell what they tried, and honest play afterwards.

A program tries what it must not do and says how it went, one line each on standard error:

    zoo: got WHAT       it worked; only where nothing is promised may this be seen
    zoo: denied WHAT    it was refused
    zoo: tried WHAT     only the referee can tell what became of it

Then it plays like the honest bots do, so that its table must go as if it were one of them.
"""

import os
import sys


def say(end, what):
    """Writes one line of the protocol above, in one piece."""
    line = " ".join(f"zoo: {end} {what}".split())
    os.write(2, line.encode(errors="backslashreplace")[:500] + b"\n")


def got(what):
    say("got", what)


def denied(what):
    say("denied", what)


def tried(what):
    say("tried", what)


def attempt(what, function, *arguments):
    """Calls *function*; it is denied if it raises OSError or returns None or False."""
    try:
        result = function(*arguments)
    except OSError as error:
        denied(f"{what} ({error.strerror or error})")
        return None
    if result is None or result is False:
        denied(what)
        return None
    got(what)
    return result


def play(act=None, *, later=None):
    """Plays honestly; calls *act* before the first answer, and *later* before every later one."""
    from referee.sdk import Bot, serve

    class Zoo(Bot):
        asked = 0

        def decide(self, view):
            self.asked += 1
            if self.asked == 1 and act is not None:
                act()
            elif self.asked > 1 and later is not None:
                later()
            return view.legal[0]

    serve(Zoo(), [])


def run(acts, default=None):
    """Plays honestly, having done what the first argument names of *acts*."""
    name = sys.argv[1] if len(sys.argv) > 1 else default
    if name not in acts:
        sys.exit(f"{sys.argv[0]}: no act {name!r}; there are {', '.join(acts)}")
    play(acts[name])
