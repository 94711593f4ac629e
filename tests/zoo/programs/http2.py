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


def main() -> None:
    """Reads the arguments and serves."""
    name, *options = sys.argv[1:]
    bot = Bot("decide", manner_named(name))
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
