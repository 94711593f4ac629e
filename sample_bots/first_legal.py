"""Always the first legal choice: passes, names the lowest trump, plays the lowest tile.

It is what the referee puts in place of a choice that a bot fails to make.
"""

from __future__ import annotations

from referee.sdk import Bot, serve


class FirstLegal(Bot):
    """Takes the first legal choice, which is what a `Bot` does by itself."""

    name = "first_legal"
    version = "1"
    author = "Moon League"


if __name__ == "__main__":
    serve(FirstLegal())
