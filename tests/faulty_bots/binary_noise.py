"""Writes every byte there is, half a character and terminal codes, and exits with code 7."""

import os
import sys

os.write(
    2, bytes(range(256)) * 20 + "caf\u00e9".encode()[:-1] + b"\x1b[2J\x1b]0;owned\x07\r\nthe end\n"
)
sys.exit(7)
