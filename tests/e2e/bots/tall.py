"""Bids one trick, if it may, and plays its tallest tile."""

from referee.sdk import Bid, Bot, serve


class Tall(Bot):
    name = "tall"

    def bid(self, view):
        return Bid.FOUR if Bid.FOUR in view.legal else Bid.PASS

    def play(self, view):
        return max(view.legal)


if __name__ == "__main__":
    serve(Tall())
