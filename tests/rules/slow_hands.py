"""Whole hands in the format of ``hands.jsonl``, played and judged by the slow rules alone."""

from __future__ import annotations

import random
from typing import Any

from tests.rules import slow_rules
from tests.rules.slow_deal import Choice, SlowDeal
from tests.rules.slow_rules import Options, Suit, Tile

Json = Any


def written(tile: Tile | None) -> str | None:
    return None if tile is None else f"{tile[0]}-{tile[1]}"


def write_bid(bid: int) -> int | str:
    return bid or "pass"


def random_hand(
    name: str, preset: str, changes: dict[str, str], options: Options, rng: random.Random
) -> dict[str, Json]:
    """Returns a random hand under *options*, which are those of *preset* with *changes*."""
    tiles = slow_rules.tiles_in_play(options)
    rng.shuffle(tiles)
    players = int(options["players"])
    hands = [set(tiles[7 * seat : 7 * seat + 7]) for seat in range(players)]
    forced = options["all_pass"] == "force_last"
    deal = SlowDeal(options, hands, tiles[7 * players :], rng.randrange(players), forced)
    hand: dict[str, Json] = {
        "id": name,
        "preset": preset,
        "set": changes,
        "deal": [[written(tile) for tile in sorted(held)] for held in hands],
        "middle": [written(tile) for tile in deal.middle],
        "first_bidder": deal.first,
        "bids": [],
        "tricks": [],
    }
    while (asked := deal.asked()) is not None:
        legal = sorted(deal.legal(), key=repr)
        choice = legal[rng.randrange(len(legal))]
        if asked[0] == "bid":
            hand["bids"].append({"seat": asked[1], "bid": write_bid(choice[1])})  # type: ignore[arg-type]
        elif asked[0] == "play":
            _write_play(hand, deal, asked[1], legal, choice)
        deal.choose(choice)
        if asked[0] == "play":
            _write_trick(hand, deal)
    return {**hand, **_end(deal)}


def _write_play(
    hand: dict[str, Json], deal: SlowDeal, seat: int, legal: list[Choice], choice: Choice
) -> None:
    if deal.leads():
        hand["tricks"].append({"leader": seat, "led_suit": None, "plays": []})
    tiles = list(dict.fromkeys(written(each[1]) for each in legal))  # type: ignore[arg-type]
    play = {"seat": seat, "legal": tiles, "tile": written(choice[1])}  # type: ignore[arg-type]
    hand["tricks"][-1]["plays"].append(play)


def _write_trick(hand: dict[str, Json], deal: SlowDeal) -> None:
    trick = hand["tricks"][-1]
    trick["led_suit"] = _suit(deal.called[-1], deal.trump)
    if len(trick["plays"]) == deal.players:
        tiles = [tuple(map(int, play["tile"].split("-"))) for play in trick["plays"]]
        assert deal.trump is not None
        place = slow_rules.trick_winner(
            tiles,  # type: ignore[arg-type]
            deal.trump,
            deal.called[len(hand["tricks"]) - 1],
            deal.options["none_doubles"],
        )
        trick["winner"] = trick["plays"][place]["seat"]


def _suit(suit: Suit, trump: Suit | None) -> Suit:
    return "trump" if suit == trump else suit


def _end(deal: SlowDeal) -> dict[str, Json]:
    bidder = deal.declarer
    if bidder is None:
        return {"bidder": None, "bid": "pass", "trump": None, "discard": None}
    made, points = slow_rules.points(bidder, deal.high, deal.won, deal.options)
    return {
        "bidder": bidder,
        "bid": deal.high,
        "trump": deal.trump,
        "taken": deal.discarded is not None,
        "discard": written(deal.discarded),
        "tricks_won": deal.won,
        "made": made,
        "delta": points,
    }
