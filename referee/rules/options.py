"""The options of the game.

Each option has the name, the values and the default it has in the rules reference; the defaults
together are the three-player game of the wikiHow article. `Rules` refuses combinations that make
no sense, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from referee.errors import nearest
from referee.rules.bids import Bid
from referee.rules.errors import NotationError, OptionError
from referee.rules.suits import TRUMPS, NoneDoubles, SuitTable, Trump, suit_table
from referee.rules.tiles import TILES, Tile, mask_of

HAND_SIZE = 7
"""How many tiles a seat is dealt."""


class Tileset(StrEnum):
    """Which tiles are in play (A1-A3)."""

    ALL = "28"
    NO_BLANKS_BUT_DOUBLE = "22"
    NO_BLANKS = "21"


class Sides(StrEnum):
    """Who plays together (A6)."""

    EACH_ALONE = "each_alone"
    PAIRS = "pairs_02_13"


class FirstBidder(StrEnum):
    """Who bids first in the first deal (B1)."""

    LOT = "lot"


class BidRounds(StrEnum):
    """How often a seat may bid (B4)."""

    ONCE = "once"
    OPEN = "until_all_but_one_pass"


class MoonOpening(StrEnum):
    """When a moon may be bid (B8)."""

    ANY_TIME = "any_time"
    ONLY_OVER_7 = "only_over_7"


class MoonOvercall(StrEnum):
    """Whether a moon can be outbid (B9)."""

    OFF = "off"
    DOUBLE = "42"


class AllPass(StrEnum):
    """What happens when nobody bids (B11, B12)."""

    REDEAL = "redeal"
    FORCE_LAST = "force_last"


class ForceValue(StrEnum):
    """What the forced last bidder may bid (B13)."""

    EXACT_MIN = "exact_min"
    AT_LEAST_MIN = "at_least_min"


class RedealFirstBidder(StrEnum):
    """Who bids first after a redeal (B14)."""

    ADVANCE = "advance"
    SAME = "same"


class ExchangeRule(StrEnum):
    """What the declarer does with the widow (C1, C4)."""

    TAKE_THEN_DISCARD = "take_then_discard"
    OPTIONAL = "optional"
    NONE = "none"


class TrumpNamed(StrEnum):
    """When the trump is named (C3)."""

    AFTER_EXCHANGE = "after_exchange"
    BEFORE_EXCHANGE = "before_exchange"


class FirstLead(StrEnum):
    """What the declarer may lead first (D1)."""

    ANY = "any"
    TRUMP = "trump"


class LedSuit(StrEnum):
    """Which suit a led tile calls (D2)."""

    HIGHER_END = "higher_end"
    LEADER_CALLS = "leader_calls"


class FollowRule(StrEnum):
    """What must be played to a lead (D3)."""

    FOLLOW_FIRST = "follow_first"
    FOLLOW_OR_TRUMP = "follow_or_trump"


class PlayOut(StrEnum):
    """Whether a decided deal is played on (D9)."""

    ALL_SEVEN = "all_seven"
    STOP_WHEN_DECIDED = "stop_when_decided"


class Scoring(StrEnum):
    """Points or marks (F4)."""

    POINTS = "points"
    MARKS = "marks"


class ContractTest(StrEnum):
    """When a number bid is made (E1)."""

    AT_LEAST = "at_least"
    MORE_THAN = "more_than"


class MadePoints(StrEnum):
    """What a made number bid scores (E3)."""

    BID = "bid"
    TRICKS = "tricks"


class MoonMade(StrEnum):
    """What a made moon scores (E4)."""

    SCORE = "score21"
    WINS_GAME = "wins_game"
    TRICKS = "tricks"


class MoonFailed(StrEnum):
    """What a failed moon costs (E5)."""

    LOSE = "lose21"
    LOSES_GAME = "loses_game"


class Failed(StrEnum):
    """What a failed number bid costs (E5)."""

    LOSE_BID = "lose_bid"
    ZERO_OTHERS_ADD_BID = "zero_others_add_bid"


class EndRule(StrEnum):
    """Who wins when several reach the target in one deal (F2)."""

    HIGHEST_THEN_CONTINUE = "highest_then_continue"
    BIDDER_FIRST = "bidder_first"
    HIGHEST_THEN_SEAT = "highest_then_seat"


@dataclass(frozen=True, slots=True)
class Rules:
    """One set of rules. The defaults are the three-player game of the wikiHow article.

    A value may be given as its text, and the trumps in any order: equal rules are equal however
    they were written.

    Raises:
        OptionError: if a value, or a combination, makes no sense.
    """

    players: int = 3
    tileset: Tileset = Tileset.NO_BLANKS_BUT_DOUBLE
    sides: Sides = Sides.EACH_ALONE
    first_bidder: FirstBidder = FirstBidder.LOT
    rotate_first_bidder: bool = True
    bid_rounds: BidRounds = BidRounds.ONCE
    min_bid: int = 4
    max_bid: int = 7
    moon_bid: bool = True
    moon_opening: MoonOpening = MoonOpening.ANY_TIME
    moon_overcall: MoonOvercall = MoonOvercall.OFF
    all_pass: AllPass = AllPass.REDEAL
    force_value: ForceValue = ForceValue.EXACT_MIN
    redeal_first_bidder: RedealFirstBidder = RedealFirstBidder.ADVANCE
    redeal_limit: int = 0
    """After so many redeals in a row the last bidder is forced; 0 means never."""
    exchange: ExchangeRule = ExchangeRule.TAKE_THEN_DISCARD
    trump_named: TrumpNamed = TrumpNamed.AFTER_EXCHANGE
    trumps: tuple[Trump, ...] = TRUMPS
    none_doubles: NoneDoubles = NoneDoubles.HIGH
    first_lead: FirstLead = FirstLead.ANY
    led_suit: LedSuit = LedSuit.HIGHER_END
    follow_rule: FollowRule = FollowRule.FOLLOW_FIRST
    play_out: PlayOut = PlayOut.ALL_SEVEN
    scoring: Scoring = Scoring.POINTS
    contract_test: ContractTest = ContractTest.AT_LEAST
    made_points: MadePoints = MadePoints.BID
    moon_made: MoonMade = MoonMade.SCORE
    moon_failed: MoonFailed = MoonFailed.LOSE
    failed: Failed = Failed.LOSE_BID
    target: int = 21
    """The score that ends a match: 21 points, or 7 in marks."""
    end_rule: EndRule = EndRule.HIGHEST_THEN_CONTINUE
    score_floor: None = None

    tables: tuple[SuitTable, ...] = field(init=False, repr=False, compare=False)
    """By trump number: the suits under that trump."""
    may_follow: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    """By trump number, then by led suit: the tiles that a hand which has some must play of (D3)."""
    bids: tuple[Bid, ...] = field(init=False, repr=False, compare=False)
    """Every bid of the game but the pass, ascending."""
    bids_over: Mapping[Bid, tuple[Bid, ...]] = field(init=False, repr=False, compare=False)
    """By highest bid so far: what may be bid, a pass first, then the bids over it, ascending."""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Reads the values, checks them and builds the lookups."""
        for name in OPTION_NAMES:
            object.__setattr__(self, name, parse_option(name, getattr(self, name)))
        # Rules are looked up for every decision, and all these values take long to hash.
        values = tuple(getattr(self, name) for name in OPTION_NAMES)
        object.__setattr__(self, "_hash", hash(values))
        tables = tuple(suit_table(trump, self.none_doubles) for trump in TRUMPS)
        object.__setattr__(self, "tables", tables)
        trumps_too = self.follow_rule is FollowRule.FOLLOW_OR_TRUMP
        may_follow = tuple(
            tuple(mask | table.trumps if trumps_too else mask for mask in table.follows)
            for table in tables
        )
        object.__setattr__(self, "may_follow", may_follow)
        bids = [Bid(number) for number in range(self.min_bid, self.max_bid + 1)]
        if self.moon_bid:
            bids.append(Bid.MOON)
        if self.moon_overcall is MoonOvercall.DOUBLE:
            bids.append(Bid.DOUBLE_MOON)
        object.__setattr__(self, "bids", tuple(bids))
        over = {
            high: (Bid.PASS, *(bid for bid in bids if bid > high and self._is_open(bid, high)))
            for high in Bid
        }
        object.__setattr__(self, "bids_over", MappingProxyType(over))
        _check(self)

    def __hash__(self) -> int:
        """Returns a number that equal rules have in common."""
        return self._hash

    def _is_open(self, bid: Bid, high: Bid) -> bool:
        if bid is Bid.DOUBLE_MOON:
            return high is Bid.MOON
        if bid is Bid.MOON and self.moon_opening is MoonOpening.ONLY_OVER_7:
            return high is Bid.SEVEN
        return True

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The tiles in play, ascending."""
        return _TILES[self.tileset]

    @property
    def tile_mask(self) -> int:
        """The tiles in play, as a bit mask."""
        return mask_of(self.tiles)

    @property
    def middle_count(self) -> int:
        """How many tiles are left over after the deal."""
        return len(self.tiles) - HAND_SIZE * self.players

    @property
    def side_count(self) -> int:
        """How many sides keep score: three, or the two pairs."""
        return 2 if self.sides is Sides.PAIRS else self.players

    def side_of(self, seat: int) -> int:
        """Returns the side of *seat*."""
        return seat % 2 if self.sides is Sides.PAIRS else seat

    def change(self, **changes: object) -> Rules:
        """Returns these rules with some options changed.

        Values may be the option's own type or its text, as in ``change(min_bid="3")``.

        Raises:
            OptionError: if an option or a value is unknown, or the result makes no sense.
        """
        parsed: dict[str, Any] = {name: parse_option(name, changes[name]) for name in changes}
        return replace(self, **parsed) if parsed else self

    def differences(self, other: Rules) -> dict[str, tuple[str, str]]:
        """Returns the options that differ from *other*: name to (this, other), as text."""
        mine, theirs = option_texts(self), option_texts(other)
        return {n: (mine[n], theirs[n]) for n in mine if mine[n] != theirs[n]}


OPTION_NAMES: tuple[str, ...] = tuple(f.name for f in fields(Rules) if f.init)
"""The names of the options, in the order of the rules reference."""

OPTION_VALUES: dict[str, tuple[str, ...]] = {
    "players": ("3", "4"),
    "rotate_first_bidder": ("true", "false"),
    "min_bid": ("3", "4", "5"),
    "max_bid": ("7",),
    "moon_bid": ("true", "false"),
    "score_floor": ("null",),
}
"""The texts of the values of each option with a fixed list of them."""

_ENUMS: dict[str, type[StrEnum]] = {
    f.name: type(f.default) for f in fields(Rules) if f.init and isinstance(f.default, StrEnum)
}
for _name, _enum in _ENUMS.items():
    OPTION_VALUES[_name] = tuple(member.value for member in _enum)

_TILES = {
    Tileset.ALL: TILES,
    Tileset.NO_BLANKS_BUT_DOUBLE: tuple(t for t in TILES if t.low > 0 or t is Tile.T00),
    Tileset.NO_BLANKS: tuple(t for t in TILES if t.low > 0),
}


def option_texts(rules: Rules) -> dict[str, str]:
    """Returns every option of *rules* as the text that `parse_option` reads."""
    return {name: _text(getattr(rules, name)) for name in OPTION_NAMES}


def _text(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(str(trump) for trump in value)
    return str(value)


def parse_option(name: str, value: object) -> object:
    """Returns *value*, a text or the option's own type, as the value of option *name*.

    Raises:
        OptionError: if there is no such option, or the option has no such value.
    """
    if name not in OPTION_NAMES:
        raise OptionError(name, "there is no such option", nearest(name, OPTION_NAMES))
    if name == "trumps":
        return _parse_trumps(value)
    text = _text(value)
    known = OPTION_VALUES.get(name)
    if known is not None and text not in known:
        raise OptionError(name, f"{text!r} is not one of {', '.join(known)}", nearest(text, known))
    if name in _ENUMS:
        return _ENUMS[name](text)
    if known and known[0] in ("true", "null"):
        return {"true": True, "false": False, "null": None}[text]
    try:
        return int(text)
    except ValueError:
        raise OptionError(name, f"{text!r} is not a whole number") from None


def _parse_trumps(value: object) -> tuple[Trump, ...]:
    words = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(words, list | tuple):
        raise OptionError("trumps", f"{value!r} is not a list of trumps")
    try:
        named = {Trump.parse(str(word)) for word in words}
    except NotationError as error:
        raise OptionError("trumps", str(error)) from None
    return tuple(sorted(named))


_NONSENSE: tuple[tuple[str, str, Callable[[Rules], bool]], ...] = (
    (
        "sides",
        "three players have no partners; use each_alone",
        lambda rules: rules.players == 3 and rules.sides is Sides.PAIRS,
    ),
    (
        "sides",
        "four players make two pairs in every source; use pairs_02_13",
        lambda rules: rules.players == 4 and rules.sides is not Sides.PAIRS,
    ),
    (
        "tileset",
        "{players} hands of 7 need {needed} tiles, not {tiles}",
        lambda rules: rules.middle_count < 0,
    ),
    (
        "exchange",
        "{players} hands of 7 use all {tiles} tiles, so no tile is left in the middle; use none",
        lambda rules: rules.middle_count == 0 and rules.exchange is not ExchangeRule.NONE,
    ),
    (
        "trump_named",
        "there is no exchange to name the trump before; use after_exchange",
        lambda rules: (
            rules.exchange is ExchangeRule.NONE and rules.trump_named is TrumpNamed.BEFORE_EXCHANGE
        ),
    ),
    ("trumps", "at least one trump choice is needed", lambda rules: not rules.trumps),
    (
        "trumps",
        "the 21-tile set has no tile with a blank, so 0 cannot be trump",
        lambda rules: rules.tileset is Tileset.NO_BLANKS and Trump.BLANKS in rules.trumps,
    ),
    (
        "none_doubles",
        "says how doubles rank without trump, but none is not among the trumps",
        lambda rules: rules.none_doubles is not NoneDoubles.HIGH and Trump.NONE not in rules.trumps,
    ),
    (
        "target",
        "{target} ends the match before it starts",
        lambda rules: rules.target < 1,
    ),
    (
        "redeal_limit",
        "is a number of redeals, 0 or more (0 = none)",
        lambda rules: rules.redeal_limit < 0,
    ),
    (
        "moon_overcall",
        "there is no moon to bid 42 over; set moon_bid=true",
        lambda rules: not rules.moon_bid and rules.moon_overcall is MoonOvercall.DOUBLE,
    ),
    (
        "moon_opening",
        "there is no moon to bid; set moon_bid=true",
        lambda rules: not rules.moon_bid and rules.moon_opening is MoonOpening.ONLY_OVER_7,
    ),
    (
        "moon_made",
        "there is no moon to make; set moon_bid=true",
        lambda rules: not rules.moon_bid and rules.moon_made is not MoonMade.SCORE,
    ),
    (
        "moon_failed",
        "there is no moon to fail; set moon_bid=true",
        lambda rules: not rules.moon_bid and rules.moon_failed is not MoonFailed.LOSE,
    ),
    (
        "failed",
        "marks have no points to add the bid to; use lose_bid",
        lambda rules: rules.scoring is Scoring.MARKS and rules.failed is Failed.ZERO_OTHERS_ADD_BID,
    ),
)
"""Every combination that makes no sense: the option to change, the reason, and the test."""


def _check(rules: Rules) -> None:
    for option, reason, makes_no_sense in _NONSENSE:
        if makes_no_sense(rules):
            players, tiles, needed = rules.players, len(rules.tiles), HAND_SIZE * rules.players
            raise OptionError(
                option,
                reason.format(players=players, tiles=tiles, needed=needed, target=rules.target),
            )
