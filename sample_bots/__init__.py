"""Bots to play against and to start from; each is a module, run as ``python -m sample_bots.NAME``.

From the weakest to the strongest: `first_legal`, `random_bot`, `greedy`, `counter`, `sampler`. They
play every rule set, with three players and with four, and decide from the view alone.
"""
