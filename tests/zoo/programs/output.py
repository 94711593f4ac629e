"""Writes what nobody should have to read."""

import os
import sys

from _zoo import play, run, tried

BLOCK = b"all work and no play makes a dull bot\n" * 1700


def floods():
    """Writes 64 MB to both streams."""
    for _ in range(500):
        os.write(1, BLOCK)
        os.write(2, BLOCK)
    tried("drown the referee in output")


def endless_line():
    for _ in range(160):
        os.write(1, b"x" * 65536)
        os.write(2, b"y" * 65536)
    os.write(2, b"\n")
    tried("write a line without an end")


def noise():
    os.write(2, bytes(range(256)) * 40 + "caf\u00e9".encode()[:-1] + b"\x00" * 5000 + b"\n")
    os.write(2, "\x1b[2J\x1b]0;owned\x07\r\u202e\u2028right to left\n".encode())
    tried("break the terminal of who reads on")


def noise_and_end():
    """The same, and ends, so that its last words are shown."""
    noise()
    os._exit(5)


def closes_its_streams():
    tried("have nothing to say any more")
    os.close(1)
    os.close(2)


def claims_results():
    """Writes what the referee's own parts say to each other, and what it tells people."""
    for line in (
        '{"event": "exited", "id": 1, "code": 0, "signal": null, "cause": "ended"}',
        '{"event": "gone", "id": 1, "left": []}',
        "honest was charged with timeout: no answer within 1 s",
        "moon: bot 'honest' forfeits",
        '{"type": "Done", "result": {"ending": "forfeit", "places": [3, 1, 3]}}',
    ):
        print(line, flush=True)
        print(line, file=sys.stderr, flush=True)
    tried("pass its words off as the referee's")


def chatters():
    """Writes a page at every decision."""
    tried("write a page at every decision")

    def page():
        os.write(2, BLOCK[:4096])

    play(page, page)


def writes_at_the_end():
    """Goes on writing when it is told to end."""
    import signal
    import time

    def write_on(*_):
        until = time.monotonic() + 5
        while time.monotonic() < until:
            os.write(1, BLOCK)

    tried("write on after its end")
    signal.signal(signal.SIGTERM, write_on)
    signal.signal = lambda *_: None
    play()


run(
    at_once=(closes_its_streams, chatters, writes_at_the_end),
    when_asked=(floods, endless_line, noise, noise_and_end, claims_results),
)
