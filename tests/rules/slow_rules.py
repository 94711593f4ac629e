"""Moon a second time: slow, obvious, and written from the prose of the rules alone.

Nothing here comes from ``referee.rules``. A tile is a pair of numbers, higher first; a hand is a
set of tiles; a trump is a number, ``"doubles"`` or ``"none"``; a suit is a number or ``"doubles"``;
options are a dict of their texts, as the rules reference writes them. The letters name the
questions of the reference (A1 tiles, D3 what must follow, E1 when a contract is made ...).
"""

from __future__ import annotations

from functools import cache

Tile = tuple[int, int]
Suit = int | str
Options = dict[str, str]


def tiles_in_play(options: Options) -> list[Tile]:
    """A1-A3: all; those without a zero and 0-0; those without a zero."""
    full = [(high, low) for high in range(7) for low in range(high + 1)]
    if options["tileset"] == "28":
        return full
    if options["tileset"] == "22":
        return [tile for tile in full if 0 not in tile or tile == (0, 0)]
    return [tile for tile in full if 0 not in tile]


# Suits (C6-C9, D2, D4-D6).


def is_trump(tile: Tile, trump: Suit) -> bool:
    """Whether the tile shows the trump, or is a double when doubles are trump."""
    if trump == "none":
        return False
    if trump == "doubles":
        return tile[0] == tile[1]
    return trump in tile


def suits_of(tile: Tile, trump: Suit, none_doubles: str) -> set[Suit]:
    """D4: a trump is only a trump. Any other tile belongs to the suits of both its ends."""
    if is_trump(tile, trump):
        return {trump}
    if trump == "none" and none_doubles == "own_suit" and tile[0] == tile[1]:
        return {"doubles"}
    return set(tile)


def led_suit(tile: Tile, trump: Suit, none_doubles: str) -> Suit:
    """D2: trump if it is one, else the higher number."""
    suits = suits_of(tile, trump, none_doubles)
    if len(suits) == 1:
        return next(iter(suits))
    return max(tile)


def suits_to_call(tile: Tile, trump: Suit, none_doubles: str) -> list[Suit]:
    """K24: the leader calls either end, higher first."""
    suits = suits_of(tile, trump, none_doubles)
    return sorted(suits, key=str, reverse=True) if len(suits) > 1 else list(suits)


@cache
def suit_order(suit: Suit, trump: Suit, none_doubles: str) -> list[Tile]:
    """D6: the double first, then by the other number; C8: doubles by their number."""
    everything = [(high, low) for high in range(6, -1, -1) for low in range(high, -1, -1)]
    members = [tile for tile in everything if suit in suits_of(tile, trump, none_doubles)]
    if suit == "doubles":
        return members  # 6-6, 5-5 ... 0-0
    double = [tile for tile in members if tile[0] == tile[1]]
    others = [tile for tile in members if tile[0] != tile[1]]
    others.sort(key=lambda tile: sum(tile) - int(suit), reverse=True)
    if trump == "none" and none_doubles == "low":
        return others + double
    return double + others


def trick_winner(tiles: list[Tile], trump: Suit, called: Suit, none_doubles: str) -> int:
    """D7: the highest trump, else the highest of the led suit. Returns the place in the trick."""
    trumps = [tile for tile in tiles if is_trump(tile, trump)]
    if trumps:
        order = suit_order(trump, trump, none_doubles)
        best = min(trumps, key=order.index)
    else:
        order = suit_order(called, trump, none_doubles)
        best = min((tile for tile in tiles if tile in order), key=order.index)
    return tiles.index(best)


# What may be played (D1, D3, D5).


def legal_follow(hand: set[Tile], called: Suit, trump: Suit, options: Options) -> set[Tile]:
    """D3: suit to suit, trump to trump; void: anything. With follow_or_trump a trump always may."""
    following = {tile for tile in hand if called in suits_of(tile, trump, options["none_doubles"])}
    if options["follow_rule"] == "follow_or_trump" and called != trump:
        following |= {tile for tile in hand if is_trump(tile, trump)}
    return following or hand


def legal_lead(hand: set[Tile], trump: Suit, first: bool, options: Options) -> set[Tile]:
    """D1, D8: any tile; the first one a trump where the rules ask for it and one is held."""
    if first and options["first_lead"] == "trump":
        return {tile for tile in hand if is_trump(tile, trump)} or hand
    return hand


# The auction (B4-B15).

Bid = int
"""0 is a pass."""


def highest(bids: list[Bid]) -> Bid:
    """The highest bid so far, 0 if everybody passed."""
    return max(bids, default=0)


def bidders(bids: list[Bid], first: int, options: Options) -> list[int]:
    """Who made each bid, and last who is next: once round, or past the seats that passed."""
    players = int(options["players"])
    turns = [first]
    for at in range(len(bids)):
        nxt = (turns[-1] + 1) % players
        out = {turns[n] for n in range(at + 1) if bids[n] == 0}
        while options["bid_rounds"] != "once" and nxt in out and len(out) < players:
            nxt = (nxt + 1) % players
        turns.append(nxt)
    return turns


def auction_over(bids: list[Bid], options: Options) -> bool:
    """B4, B9: everyone has bid once, or all but one passed; and nothing outbids a moon."""
    players = int(options["players"])
    if highest(bids) == 42 or (highest(bids) == 21 and options["moon_overcall"] == "off"):
        return True
    if options["bid_rounds"] == "once":
        return len(bids) == players
    passes = bids.count(0)
    return passes == players or (passes == players - 1 and highest(bids) > 0)


def legal_bids(bids: list[Bid], forced: bool, options: Options) -> list[Bid]:
    """B5-B13: pass, or higher than the highest; the last one may be forced."""
    players, high = int(options["players"]), highest(bids)
    possible = [bid for bid in range(int(options["min_bid"]), 8) if bid > high]
    open_to_moon = options["moon_opening"] == "any_time" or high == 7
    if options["moon_bid"] == "true" and high < 21 and open_to_moon:
        possible.append(21)
    if options["moon_overcall"] == "42" and high == 21:
        possible.append(42)
    if forced and len(bids) == players - 1 and high == 0:
        return possible if options["force_value"] == "at_least_min" else possible[:1]
    return [0, *possible]


# Scores (E1-E8, F1-F4).


def side_of(seat: int, options: Options) -> int:
    """A6: partners sit opposite."""
    return seat % 2 if options["sides"] == "pairs_02_13" else seat


def is_made(bid: Bid, tricks: int, options: Options) -> bool:
    """E1, E2: all seven for a moon; else at least, or more than, the bid."""
    if bid >= 21:
        return tricks == 7
    return tricks > bid if options["contract_test"] == "more_than" else tricks >= bid


def is_decided(bid: Bid, mine: int, done: int, options: Options) -> bool:
    """D9: the contract is made whatever follows, or cannot be made any more."""
    outcomes = {is_made(bid, mine + more, options) for more in range(7 - done + 1)}
    return len(outcomes) == 1


def points(
    bidder: int, bid: Bid, tricks_won: list[int], options: Options
) -> tuple[bool, list[int]]:
    """E1-E7, F4: whether the bid was made, and what each side scores."""
    sides = 2 if options["sides"] == "pairs_02_13" else int(options["players"])
    tricks = [0] * sides
    for seat, won in enumerate(tricks_won):
        tricks[side_of(seat, options)] += won
    mine = side_of(bidder, options)
    made = is_made(bid, tricks[mine], options)
    if options["scoring"] == "marks":
        return made, [1 if made == (side == mine) else 0 for side in range(sides)]
    scored = list(tricks)
    if made:
        by_tricks = options["moon_made"] if bid >= 21 else options["made_points"]
        scored[mine] = tricks[mine] if by_tricks == "tricks" else bid
    elif options["failed"] == "zero_others_add_bid":
        scored = [0 if side == mine else won + bid for side, won in enumerate(tricks)]
    else:
        scored[mine] = -bid
    return made, scored


def match_winner(
    scores: list[int], bidder: int, bid: Bid, made: bool, options: Options
) -> tuple[bool, int | None]:
    """E4, E5, F1, F2: whether the match is over, and which side has won."""
    mine = side_of(bidder, options)
    if bid >= 21 and made and options["moon_made"] == "wins_game":
        return True, mine
    if bid >= 21 and not made and options["moon_failed"] == "loses_game":
        left = [side for side in range(len(scores)) if side != mine]
        best = [side for side in left if scores[side] == max(scores[other] for other in left)]
        return True, best[0] if len(best) == 1 else None
    there = [side for side, score in enumerate(scores) if score >= int(options["target"])]
    if not there:
        return False, None
    if options["end_rule"] == "bidder_first" and made and mine in there:
        return True, mine
    best = [side for side in there if scores[side] == max(scores)]
    if len(best) > 1 and options["end_rule"] != "highest_then_seat":
        return False, None
    return True, best[0]
