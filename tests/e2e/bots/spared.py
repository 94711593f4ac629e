"""A bot for the inside of a worker that will not play where full collections stop everybody."""

import gc

from referee.sdk import Bid, Bot, View


class Spared(Bot):
    name = "spared"

    def bid(self, view: View[Bid]) -> Bid:
        if not gc.get_freeze_count():
            raise RuntimeError("the collector looks at everything again")
        return super().bid(view)
