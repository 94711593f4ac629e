"""Says that it plays only the game of four."""

from referee.sdk import Bot, serve


class PairsOnly(Bot):
    rule_sets = ("tournament-4p",)


serve(PairsOnly())
