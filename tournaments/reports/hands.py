"""Finished deals in the form of the rules reference's `hands.jsonl`, for an outside judge.

Keys and their order, tiles and their order, are those of that file: a hand is written highest tile
first, and a set of legal tiles in the order of the hand, with the widow last if it was taken.
"""

from __future__ import annotations

from referee.match import DealRecord, deal_states
from referee.rules import (
    Bid,
    Deal,
    Decision,
    MakeBid,
    Play,
    Rules,
    Suit,
    Tile,
    Trump,
    preset_rules,
    rules_text,
)
from referee.rules.options import OPTION_NAMES
from referee.rules.tiles import tiles_in


def export_hand(
    rules: Rules, record: DealRecord, name: str, where: str
) -> dict[str, object] | None:
    """Returns a deal as a line of the file, or ``None`` if it was thrown in or broken off.

    Args:
        rules: The rules.
        record: The deal.
        name: What it is called in the file, such as ``17.2/3``.
        where: What it is called in an error.

    Raises:
        RecordMismatchError: at a choice that the rules do not allow.
    """
    hand = _Hand(rules, record, where)
    if not hand.deal.is_over or hand.deal.is_thrown_in:
        return None
    return {"id": name, **_named(rules), **hand.fields()}


def _named(rules: Rules) -> dict[str, object]:
    """Returns the preset, and the options that differ from it if any do."""
    preset = rules_text(rules).split()[0]
    base = preset_rules(preset)
    changes = {
        option: _option(getattr(rules, option))
        for option in OPTION_NAMES
        if getattr(rules, option) != getattr(base, option)
    }
    return {"preset": preset} | ({"set": changes} if changes else {})


def _option(value: object) -> object:
    if isinstance(value, tuple):
        return [_trump(trump) for trump in value]
    return value if value is None or isinstance(value, bool | int) else str(value)


def _trump(trump: Trump) -> int | str:
    return int(trump) if trump < Trump.DOUBLES else str(trump)


def _bid(bid: Bid) -> int | str:
    return int(bid) if bid else "pass"


class _Hand:
    """One deal, played again with every question kept.

    Attributes:
        deal: The deal at its end.
    """

    def __init__(self, rules: Rules, record: DealRecord, where: str) -> None:
        self._rules = rules
        self._bids: list[object] = []
        self._plays: list[dict[str, object]] = []
        self.deal = Deal.start(rules, record.dealt, 0)
        for state, choice in deal_states(rules, record, where):
            decision = state.decision
            assert decision is not None
            seat = int(decision.seat)
            if isinstance(choice, MakeBid):
                self._bids.append({"seat": seat, "bid": _bid(choice.bid)})
            elif isinstance(choice, Play):
                legal = _legal(state, decision)
                self._plays.append({"seat": seat, "legal": legal, "tile": str(choice.tile)})
            self.deal = state.play(choice)

    def fields(self) -> dict[str, object]:
        """Returns the line, from the tiles dealt on."""
        deal = self.deal
        assert deal.declarer is not None
        assert deal.trump is not None
        score = deal.score()
        return {
            "deal": [_written(tiles_in(mask)[::-1]) for mask in deal.dealt.hands],
            "middle": _written(deal.dealt.middle),
            "first_bidder": int(deal.auction.first_bidder),
            "bids": self._bids,
            "bidder": int(deal.declarer),
            "bid": _bid(deal.contract),
            "trump": _trump(deal.trump),
            "discard": None if deal.discarded is None else str(deal.discarded),
            "tricks": self._tricks(),
            "tricks_won": list(deal.tricks_won),
            "made": score.made,
            "delta": list(score.points),
        }

    def _tricks(self) -> list[object]:
        deal, players = self.deal, self._rules.players
        winners = [*map(int, deal.leaders[1:]), _last_winner(deal)]
        return [
            {
                "leader": int(leader),
                "led_suit": self._suit(suit),
                "plays": self._plays[number * players : (number + 1) * players],
                "winner": winner,
            }
            for number, (leader, suit, winner) in enumerate(
                zip(deal.leaders, deal.suits, winners, strict=True)
            )
        ]

    def _suit(self, suit: Suit) -> int | str:
        assert self.deal.trump is not None
        if suit is self._rules.tables[self.deal.trump].trump_suit:
            return "trump"
        return str(suit) if suit is Suit.DOUBLES else int(suit)


def _legal(state: Deal, decision: Decision) -> list[str]:
    """Returns the tiles that may be played, in the order of the hand as the file has it."""
    allowed = {choice.tile for choice in decision.legal if isinstance(choice, Play)}
    held = tiles_in(state.dealt.hands[decision.seat])[::-1]
    if state.taken and decision.seat == state.declarer and state.dealt.widow is not None:
        held.append(state.dealt.widow)
    return [str(tile) for tile in held if tile in allowed]


def _last_winner(deal: Deal) -> int:
    """Returns who won the last trick: everybody else has led once for each trick he won."""
    led = [sum(leader == seat for leader in deal.leaders[1:]) for seat in range(deal.rules.players)]
    return next(seat for seat, won in enumerate(deal.tricks_won) if won > led[seat])


def _written(tiles: tuple[Tile, ...] | list[Tile]) -> list[str]:
    return [str(tile) for tile in tiles]
