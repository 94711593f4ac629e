"""The rules of Moon: pure values and functions, standard library only."""

from referee.rules.bids import Bid
from referee.rules.dealing import Dealt, deal_tiles, derive_key, first_bidder, seed_key
from referee.rules.deals import Deal, trick_winner
from referee.rules.decisions import (
    SEATS,
    Choice,
    Decision,
    Discard,
    Exchange,
    Kind,
    MakeBid,
    NameTrump,
    Play,
    Seat,
)
from referee.rules.errors import IllegalChoiceError, NotationError, OptionError, RulesError
from referee.rules.options import Rules
from referee.rules.playouts import playout
from referee.rules.presets import (
    DEFAULT_PRESETS,
    Preset,
    change_rules,
    parse_rules,
    preset_rules,
    presets,
    rules_text,
)
from referee.rules.scoring import DealScore, MatchEnd, match_end, score_deal
from referee.rules.suits import SUITS, TRUMPS, Suit, SuitTable, Trump
from referee.rules.tiles import TILES, Hand, Tile
from referee.rules.views import Trick, View, view

__all__ = [
    "DEFAULT_PRESETS",
    "SEATS",
    "SUITS",
    "TILES",
    "TRUMPS",
    "Bid",
    "Choice",
    "Deal",
    "DealScore",
    "Dealt",
    "Decision",
    "Discard",
    "Exchange",
    "Hand",
    "IllegalChoiceError",
    "Kind",
    "MakeBid",
    "MatchEnd",
    "NameTrump",
    "NotationError",
    "OptionError",
    "Play",
    "Preset",
    "Rules",
    "RulesError",
    "Seat",
    "Suit",
    "SuitTable",
    "Tile",
    "Trick",
    "Trump",
    "View",
    "change_rules",
    "deal_tiles",
    "derive_key",
    "first_bidder",
    "match_end",
    "parse_rules",
    "playout",
    "preset_rules",
    "presets",
    "rules_text",
    "score_deal",
    "seed_key",
    "trick_winner",
    "view",
]
