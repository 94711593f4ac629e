"""What may be led to the first trick, and who takes a trick."""

from __future__ import annotations

from referee.rules.decisions import SEATS, Seat
from referee.rules.options import FirstLead, Rules
from referee.rules.suits import Suit, Trump
from referee.rules.tiles import Tile


def first_leads(rules: Rules, trump: Trump, hand: int) -> int:
    """Returns the tiles of *hand* that the declarer may lead to the first trick (D1)."""
    if rules.first_lead is FirstLead.TRUMP:
        return hand & rules.tables[trump].trumps or hand
    return hand


def trick_winner(
    rules: Rules, trump: Trump, leader: Seat | int, tiles: tuple[Tile, ...], led: Suit
) -> Seat:
    """Returns who takes a trick, or would take it if nobody played on.

    That is the highest trump, else the highest of the led suit (D7).
    """
    strength = rules.tables[trump].strength[led]
    best, at = -1, 0
    for place, tile in enumerate(tiles):
        power = strength[tile]
        if power > best:
            best, at = power, place
    return SEATS[(leader + at) % rules.players]
