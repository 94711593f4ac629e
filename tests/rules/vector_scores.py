"""The answers to the questions about scores, and about when play ends."""

from __future__ import annotations

from vector_reading import Json, QuestionError, Situation, aliases, read_bid
from vector_states import goes_on

from referee.rules import Bid, Rules, match_end, score_deal


def _contract(rules: Rules, situation: Situation) -> tuple[int, Bid, list[int]]:
    """Returns the bidder, the bid and the tricks of each seat."""
    bid = read_bid(situation.need("bid", "contract"))
    if bid is None:
        raise QuestionError("the bid is no bid")
    tricks = list(situation.need("tricks", "tricks_won"))
    if len(tricks) == rules.side_count:
        tricks += [0] * (rules.players - len(tricks))
    return situation.need("bidder", "declarer"), bid, tricks


def hand_delta(rules: Rules, situation: Situation) -> Json:
    bidder, bid, tricks = _contract(rules, situation)
    score = score_deal(rules, bidder, bid, tricks)
    return aliases(
        made=score.made,
        delta__points__scores=list(score.points),
        wins_game__winner=score.wins_game,
        loses_game__loser=score.loses_game,
        over__game_over=score.wins_game is not None or score.loses_game is not None,
    )


def game_state(rules: Rules, situation: Situation) -> Json:
    before = list(situation.need("scores"))
    if not situation.has("bid", "contract"):
        nothing = score_deal(rules, 0, Bid.FOUR, [0] * rules.players)._replace(made=False)
        delta = situation.get("delta", default=[0] * len(before))
        score = nothing._replace(points=tuple(delta))
        bidder = situation.get("bidder", default=0)
    else:
        bidder, bid, tricks = _contract(rules, situation)
        score = score_deal(rules, bidder, bid, tricks)
    after = [old + points for old, points in zip(before, score.points, strict=True)]
    end = match_end(rules, after, rules.side_of(bidder), score)
    return aliases(
        scores=after,
        delta__points=list(score.points),
        made=score.made,
        over__game_over__ended__finished=end.is_over,
        winner=end.winner,
        loser=score.loses_game,
        play_on__continue__continues=not end.is_over,
    )


def play_out(rules: Rules, situation: Situation) -> Json:
    tricks = situation.need("tricks", "tricks_won", "tricks_so_far", "won")
    if len(tricks) not in (rules.players, rules.side_count) or len(tricks) == 7:
        winners = [entry["winner"] if isinstance(entry, dict) else entry for entry in tricks]
        tricks = [winners.count(seat) for seat in range(rules.players)]
    tricks = [*tricks, *[0] * (rules.players - len(tricks))]
    bid = read_bid(situation.need("bid", "contract"))
    if bid is None:
        raise QuestionError("the bid is no bid")
    more = goes_on(rules, situation.need("bidder", "declarer"), bid, tricks)
    played = sum(tricks)
    situation.get("trump", "tricks_left", "remaining")
    return aliases(
        continue__continues__play_on__goes_on__play__plays_on__more=more,
        stop__stops__over__decided__ended__done=not more,
        tricks_played__total__tricks=7 if more else played,
        remaining__tricks_left__left=7 - played if more else 0,
        status__action__answer="continue" if more else "stop",
        play_out=rules.play_out.value,
    )
