"""Answers with a tile that it does not hold."""

from referee.rules import TILES
from referee.sdk import Bot, serve


class PlaysIllegal(Bot):
    def play(self, view):
        return next(tile for tile in TILES if tile not in view.hand)


serve(PlaysIllegal())
