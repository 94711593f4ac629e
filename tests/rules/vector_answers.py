"""The answer of our rules to each type of question, through their public interface.

An answer that is an object holds every fact under every name a file might use for it; only the
names that the file expects are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vector_reading import (
    Json,
    OneOf,
    QuestionError,
    Situation,
    aliases,
    read_bid,
    read_suit,
    read_tile,
    read_tiles,
    read_trick,
    read_trump,
    write_bid,
    write_suit,
    write_tiles,
    write_trump,
)
from vector_scores import game_state, hand_delta, play_out
from vector_states import declared_deal, fresh_deal, trick_deal

from referee.match.matches import is_forced, next_first_bidder
from referee.rules import (
    Deal,
    Decision,
    Discard,
    Exchange,
    Kind,
    MakeBid,
    NameTrump,
    Play,
    Rules,
    Trump,
    deal_tiles,
    seed_key,
    trick_winner,
)
from referee.rules.tiles import mask_of, tiles_in


def _decision(deal: Deal) -> Decision:
    assert deal.decision is not None
    return deal.decision


# Tricks.


def legal_plays(rules: Rules, situation: Situation) -> Json:
    trump = read_trump(situation.get("trump"))
    trick = read_trick(rules, trump, situation)
    hand = read_tiles(situation.need("hand", "tiles"))
    seat = situation.get("seat", "player", "leader", default=0)
    deal = trick_deal(rules, trump, trick, hand, seat=seat, opens=_opens(situation, seat))
    plays = [choice for choice in _decision(deal).legal if isinstance(choice, Play)]
    if situation.has("tile", "play"):
        return read_tile(situation.get("tile", "play")) in {play.tile for play in plays}
    if situation.get("with_calls", default=False):
        return [{"tile": str(play.tile), "called": str(play.called)} for play in plays]
    return write_tiles(dict.fromkeys(play.tile for play in plays))


def _opens(situation: Situation, seat: int) -> bool:
    """Whether the lead is the first of the deal, which it is unless something says otherwise."""
    told = situation.get("first_lead", "opening_lead", "first_trick", "opening", "first")
    done = situation.get("tricks_played", "tricks_done", "tricks_before", "tricks")
    number = situation.get("trick_number", "trick_no")
    bidder = situation.get("bidder", "declarer", default=seat)
    if isinstance(told, bool):
        return told
    if done is not None:
        return not (sum(done) if isinstance(done, list) else done)
    if number is not None:
        return int(number) <= 1
    return bool(bidder == seat)


def winner_of_trick(rules: Rules, situation: Situation) -> Json:
    trump = read_trump(situation.get("trump"))
    trick = read_trick(rules, trump, situation)
    if not trick.tiles:
        return situation.need("bidder", "declarer", "winner")
    if len(trick.tiles) < rules.players:
        return _winner_so_far(rules, situation, trump)
    deal = trick_deal(rules, trump, trick, opens=_opens(situation, trick.seats[0]))
    return int(deal.leaders[-1])


def _winner_so_far(rules: Rules, situation: Situation, trump: Trump) -> int:
    trick = read_trick(rules, trump, situation)
    led = trick.called
    if led is None:
        led = rules.tables[trump].leads[trick.tiles[0]]
    return trick.seats[trick_winner(rules, trump, 0, trick.tiles, led)]


def led_suit(rules: Rules, situation: Situation) -> Json:
    trump = read_trump(situation.get("trump"))
    trick = read_trick(rules, trump, situation)
    tile = trick.tiles[0] if trick.tiles else read_tile(situation.need("tile"))
    situation.get("tile")
    called = trick.called
    lead = trick_deal(rules, trump, trick._replace(seats=(), tiles=()), [tile])
    choices = [choice for choice in _decision(lead).legal if isinstance(choice, Play)]
    if called is not None:
        choices = [choice for choice in choices if choice.called in (called, None)]
    suits = [write_suit(lead.play(choice).suits[-1], trump) for choice in choices]
    if called is not None and write_suit(called, trump) not in suits:
        return "illegal"
    if len(suits) > 1:
        return suits
    by_number = str(trump) if suits[0] == "trump" else suits[0]
    return OneOf((suits[0], by_number))


def suit_order(rules: Rules, situation: Situation) -> Json:
    trump = read_trump(situation.get("trump"))
    suit = read_suit(situation.need("suit", "of", "led_suit"), trump)
    if suit is None:
        return []
    table = rules.tables[trump]
    order = sorted(
        tiles_in(table.follows[suit]), key=table.strength[suit].__getitem__, reverse=True
    )
    return write_tiles(tile for tile in order if tile in rules.tiles)


def trump_count(rules: Rules, situation: Situation) -> Json:
    trump = read_trump(situation.get("trump"))
    return (rules.tables[trump].trumps & rules.tile_mask).bit_count()


# The auction.


def _forced(rules: Rules, situation: Situation) -> bool:
    redeals = situation.get("redeals", "redeals_in_a_row", "redeal_count", "redeals_so_far")
    forced = situation.get("forced")
    return bool(forced) if forced is not None else is_forced(rules, redeals or 0)


def _bid_through(rules: Rules, situation: Situation) -> tuple[Deal, int | None]:
    """Returns the deal after the bids up to a bad one, and the place of that."""
    first = situation.get("first", "first_bidder", "first_seat", default=0)
    deal = fresh_deal(rules, first, _forced(rules, situation))
    for at, entry in enumerate(situation.get("bids", "actions", "auction", default=[])):
        turn, value = deal.auction.turn, entry
        if isinstance(entry, dict):
            value = entry["bid"]
            if entry.get("seat", turn) != turn:
                return deal, at
        bid = read_bid(value)
        if turn is None or bid is None or MakeBid(bid) not in _decision(deal).legal:
            return deal, at
        deal = deal.play(MakeBid(bid))
    return deal, None


def _open_bids(deal: Deal) -> list[int | str]:
    if deal.auction.turn is None:
        return []
    return [write_bid(c.bid) for c in _decision(deal).legal if isinstance(c, MakeBid)]


def legal_bids(rules: Rules, situation: Situation) -> Json:
    deal, bad = _bid_through(rules, situation)
    if bad is not None:
        raise QuestionError(f"bid {bad} of the situation is not legal itself")
    seat = situation.get("seat", "player")
    return [] if seat is not None and seat != deal.auction.turn else _open_bids(deal)


def auction(rules: Rules, situation: Situation) -> Json:
    deal, bad = _bid_through(rules, situation)
    state = deal.auction
    over = state.turn is None and bad is None
    if bad is not None:
        status = "illegal"
    elif state.turn is not None:
        status = "open"
    else:
        status = "redeal" if deal.is_thrown_in else "won"
    high = write_bid(state.contract) if state.contract else None
    return aliases(
        status=status,
        at__index__illegal_at=bad,
        legal_bids__legal=_open_bids(deal),
        bidder__declarer__winner__high_bidder__seat__holder=state.declarer,
        bid__contract__high__high_bid__winning_bid__value=high,
        next__turn__to_act__next_seat__next_bidder__to_bid=state.turn,
        next_first__next_first_bidder__first_next=next_first_bidder(deal) if over else None,
        over__closed__ended__done=over,
        redeal__thrown_in=status == "redeal",
        forced=deal.forced,
        tricks_needed=state.contract.tricks if state.contract else None,
    )


# Setting up.


def setup(rules: Rules, situation: Situation) -> Json:
    dealt = deal_tiles(seed_key("vectors"), 0, rules)
    sizes = {mask.bit_count() for mask in dealt.hands}
    pairs = rules.side_count < rules.players
    first = situation.get("first", "previous_first", "last_first")
    thrown_in = bool(situation.get("redeal", "thrown_in", default=False))
    return aliases(
        next_first__next_first_bidder=None
        if first is None
        else _next_first(rules, first, thrown_in),
        tiles__size__tile_count=len(rules.tiles),
        hand__hand_size__each__per_player=sizes.pop() if len(sizes) == 1 else sorted(sizes),
        middle__left__left_over__widow__boneyard=len(dealt.middle),
        has=write_tiles(rules.tiles),
        lacks=write_tiles(set(read_tiles(_ALL_TILES)) - set(rules.tiles)),
        players__seats=rules.players,
        sides__teams__partners__partnerships=[[0, 2], [1, 3]] if pairs else [],
        side_count__team_count=rules.side_count,
        exchange=rules.exchange.value,
        exchange_possible__has_exchange=rules.exchange.value != "none",
        trumps__trump_choices=[write_trump(trump) for trump in rules.trumps],
        target=rules.target,
        min_bid=rules.min_bid,
        dealer=None,
        first_bidder=rules.first_bidder.value,
        rotates__rotate_first_bidder=rules.rotate_first_bidder,
        valid__ok__allowed__legal__possible=True,
        rejected__refused__error__invalid__illegal=False,
        status="ok",
    )


def _next_first(rules: Rules, first: int, thrown_in: bool) -> int:
    deal = fresh_deal(rules, first)
    while deal.auction.turn is not None:
        deal = deal.play(_decision(deal).legal[0 if thrown_in else -1])
    return next_first_bidder(deal)


_ALL_TILES = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]


def refused(reason: str) -> dict[str, Json]:
    """Returns the answer to a question about rules that we refuse."""
    return aliases(
        valid__ok__allowed__legal__possible=False,
        rejected__refused__error__invalid__illegal=True,
        status="rejected",
        reason=reason,
    )


def trump_choices(rules: Rules, situation: Situation) -> Json:
    situation.get("hand", "bidder", "bid")
    deal = declared_deal(rules)
    while (decision := _decision(deal)).kind is not Kind.TRUMP:
        deal = deal.play(decision.legal[0])
    return [write_trump(c.trump) for c in decision.legal if isinstance(c, NameTrump)]


def phase_order(rules: Rules, situation: Situation) -> Json:
    situation.get("bidder", "bid", "take", "taken")
    deal = fresh_deal(rules)
    phases: list[str] = []
    words = {
        Kind.BID: "auction",
        Kind.TRUMP: "name_trump",
        Kind.EXCHANGE: "take_middle",
        Kind.DISCARD: "discard",
        Kind.PLAY: "lead",
    }
    while phases[-1:] != ["lead"]:
        decision = _decision(deal)
        seen = ["take_middle"] if deal.taken else []
        phases += [p for p in (*seen, words[decision.kind]) if p not in phases]
        deal = deal.play(decision.legal[-1 if decision.kind is Kind.BID else 0])
    return phases


def discard_legal(rules: Rules, situation: Situation) -> Json:
    widow = situation.get("taken", "middle", "widow", "taken_tile", "took")
    widow = widow[0] if isinstance(widow, list) and widow else widow
    takes = situation.get("take", "takes", default=widow is not False)
    tile = situation.get("discard", "tile", "discards")
    held = read_tiles(situation.get("hand", "tiles", "eight", default=[]))
    legal = _discards(rules, held, widow if isinstance(widow, str) else None, takes)
    if tile is None:
        return legal
    chosen = tile if isinstance(tile, list) else [tile]
    return len(chosen) == 1 and str(read_tile(chosen[0])) in legal


def _discards(rules: Rules, held: Sequence[int], widow: str | None, takes: bool) -> list[str]:
    if rules.exchange.value == "none":
        return []
    mask = mask_of(held)
    taken = read_tile(widow) if widow else (tiles_in(mask) or [None])[0]
    deal = declared_deal(rules, 0, mask & ~mask_of([] if taken is None else [taken]), taken)
    while (decision := _decision(deal)).kind is not Kind.PLAY:
        if decision.kind is Kind.DISCARD:
            return write_tiles(c.tile for c in decision.legal if isinstance(c, Discard))
        wanted = Exchange(takes) if decision.kind is Kind.EXCHANGE else decision.legal[0]
        deal = deal.play(wanted)
    return []


ANSWERS: dict[str, Callable[[Rules, Situation], Json]] = {
    "legal_plays": legal_plays,
    "trick_winner": winner_of_trick,
    "next_leader": winner_of_trick,
    "led_suit": led_suit,
    "suit_order": suit_order,
    "trump_count": trump_count,
    "legal_bids": legal_bids,
    "auction": auction,
    "setup": setup,
    "trump_choices": trump_choices,
    "phase_order": phase_order,
    "discard_legal": discard_legal,
    "hand_delta": hand_delta,
    "game_state": game_state,
    "play_out": play_out,
}
"""By question."""
