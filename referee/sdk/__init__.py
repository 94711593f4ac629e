"""What a bot written in Python needs.

from referee.sdk import Bot, serve

class Tall(Bot):
def play(self, view):
return max(view.legal)

serve(Tall())
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from referee.rules import (
    HAND_SIZE,
    SEATS,
    SUITS,
    TILES,
    TRICKS,
    TRUMPS,
    AllPass,
    Bid,
    BidRounds,
    Choice,
    ContractTest,
    Deal,
    DealScore,
    Dealt,
    Discard,
    EndRule,
    Exchange,
    ExchangeRule,
    Failed,
    FirstBidder,
    FirstLead,
    FollowRule,
    ForceValue,
    Hand,
    Kind,
    LedSuit,
    MadePoints,
    MakeBid,
    MatchEnd,
    MoonFailed,
    MoonMade,
    MoonOpening,
    MoonOvercall,
    NameTrump,
    NoneDoubles,
    Play,
    PlayOut,
    RedealFirstBidder,
    Rules,
    Scoring,
    Seat,
    Sides,
    Suit,
    SuitTable,
    Tile,
    Tileset,
    Trick,
    Trump,
    TrumpNamed,
    mask_of,
    match_end,
    parse_rules,
    playout,
    score_deal,
    tiles_in,
    trick_winner,
)
from referee.sdk.bot import AnyView, Bot, Value
from referee.sdk.inside import is_loading
from referee.sdk.params import Param
from referee.sdk.views import View
from referee.wire.notices import DealEnded, MatchEnded

__all__ = [
    "HAND_SIZE",
    "SEATS",
    "SUITS",
    "TILES",
    "TRICKS",
    "TRUMPS",
    "AllPass",
    "AnyView",
    "Bid",
    "BidRounds",
    "Bot",
    "Choice",
    "ContractTest",
    "Deal",
    "DealEnded",
    "DealScore",
    "Dealt",
    "Discard",
    "EndRule",
    "Exchange",
    "ExchangeRule",
    "Failed",
    "FirstBidder",
    "FirstLead",
    "FollowRule",
    "ForceValue",
    "Hand",
    "Kind",
    "LedSuit",
    "MadePoints",
    "MakeBid",
    "MatchEnd",
    "MatchEnded",
    "MoonFailed",
    "MoonMade",
    "MoonOpening",
    "MoonOvercall",
    "NameTrump",
    "NoneDoubles",
    "Param",
    "Play",
    "PlayOut",
    "RedealFirstBidder",
    "Rules",
    "Scoring",
    "Seat",
    "Sides",
    "Suit",
    "SuitTable",
    "Tile",
    "Tileset",
    "Trick",
    "Trump",
    "TrumpNamed",
    "Value",
    "View",
    "mask_of",
    "match_end",
    "parse_rules",
    "playout",
    "score_deal",
    "serve",
    "tiles_in",
    "trick_winner",
]


def serve(bot: Bot, arguments: Sequence[str] | None = None) -> None:
    """Serves *bot* until the process is told to stop, and then exits.

    Started by the referee, the bot listens where the environment says. Started by hand, it listens
    on a port of this machine and prints which; ``--help`` shows the options. Where the module of
    the bot is only imported, to be asked inside the program that imports it, there is nothing to
    serve, and it returns at once.

    Args:
        bot: The bot.
        arguments: The command line; that of the process if left out.
    """
    if is_loading():
        return
    # Read by gRPC when it is imported. Its own log says nothing that an author can use, and its
    # fork handlers make a bot that starts processes wait.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    # gRPC takes longer to import than everything else; a bot inside the program never needs it.
    from referee.sdk.program import run  # noqa: PLC0415

    run(bot, arguments)
