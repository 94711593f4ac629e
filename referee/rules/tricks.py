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

    Args:
        rules: The rules.
        trump: The trump.
        leader: Who led.
        tiles: What was played, from the lead on; at least that.
        led: The suit that was led.
    """
    strength = rules.tables[trump].strength[led]
    best, winner = -1, tiles[0]
    for tile in tiles:
        power = strength[tile]
        if power > best:
            best, winner = power, tile
    return SEATS[(leader + tiles.index(winner)) % rules.players]
