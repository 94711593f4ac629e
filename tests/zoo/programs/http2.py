"""A bot that speaks HTTP/2 by hand and misbehaves as its first argument says.

    http2.py MANNER [accept|info|decide|notify] [after=N] [stream]

It is honest in the handshake and in N decisions (2), and then every decision is misbehaved in.
`accept` and `info` misbehave when the referee connects and when it asks for the name.
"""

from __future__ import annotations

import re
import sys
from types import ModuleType

import frame_manners
import payload_manners
import timing_manners
from server import Bot, Call, Manner

MODULES: tuple[ModuleType, ...] = (frame_manners, payload_manners, timing_manners)


def manner_named(name: str) -> Manner:
    """Returns the manner *name*; ``status-14`` is the status 14."""
    if name == "honest":
        return Call.honest
    if re.fullmatch("status-(-?[0-9]+|zero)", name):
        return lambda call: frame_manners.status(call, name.removeprefix("status-"))
    for module in MODULES:
        found = getattr(module, name.replace("-", "_"), None)
        if found is not None:
            return found
    sys.exit(f"http2.py: there is no manner {name!r}")


def telling(name: str, manner: Manner) -> Manner:
    """Returns *manner*, which says on standard error that it was tried, before and after it was."""
    told = set()

    def tell(moment: str) -> None:
        if moment not in told:
            told.add(moment)
            print(f"\nzoo: tried {name}", file=sys.stderr, flush=True)

    def tried(to: Call) -> None:
        tell("before")
        manner(to)
        tell("after")

    return tried


def main() -> None:
    """Reads the arguments and serves."""
    name, *options = sys.argv[1:]
    bot = Bot("decide", telling(name, manner_named(name)))
    for option in options:
        if option.startswith("after="):
            bot.after = int(option.removeprefix("after="))
        elif option == "stream":
            bot.streams = True
        else:
            bot.at = option
    bot.serve()


if __name__ == "__main__":
    main()
