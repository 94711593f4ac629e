"""Draws every answer, the same one to the same question."""

from referee.sdk import Bot, serve


class Dice(Bot):
    name = "dice"

    def decide(self, view):
        return view.rng.choice(view.legal)


if __name__ == "__main__":
    serve(Dice())
