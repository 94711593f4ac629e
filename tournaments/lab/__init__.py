"""The bidding laboratory: what bidding is worth, and how sure that is."""
