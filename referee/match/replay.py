"""Judging a record again: every choice through the rules, every number recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from referee.errors import MoonError
from referee.match.errors import RecordMismatchError
from referee.match.faults import FaultKind
from referee.match.matches import DealSource, Ending, FinishedDeal, Match, Result
from referee.match.notation import DealLine
from referee.match.records import DealRecord, MatchRecord
from referee.rules import (
    Choice,
    Deal,
    Decision,
    Discard,
    Exchange,
    Kind,
    MakeBid,
    NameTrump,
    Play,
    Rules,
    Seat,
    Tile,
    first_bidder,
)
from referee.rules.auction import Auction, bid, start_auction
from referee.rules.options import HAND_SIZE
from referee.rules.tiles import mask_of


class _Choices:
    """The choices of a deal record, handed out in the order in which the rules ask for them."""

    def __init__(self, record: DealRecord, players: int, where: str) -> None:
        self._record = record
        self._players = players
        self._where = where
        self._bids = 0
        self._plays = 0

    def next(self, decision: Decision) -> Choice | None:
        """Returns the recorded answer to *decision*, or ``None`` if the record has none."""
        record = self._record
        match decision.kind:
            case Kind.BID:
                if self._bids == len(record.bids):
                    return None
                self._bids += 1
                return MakeBid(record.bids[self._bids - 1])
            case Kind.TRUMP:
                return None if record.trump is None else NameTrump(record.trump)
            case Kind.EXCHANGE:
                return None if record.taken is None else Exchange(record.taken)
            case Kind.DISCARD:
                return None if record.discarded is None else Discard(record.discarded)
            case Kind.PLAY:
                return self._play()

    def _play(self) -> Play | None:
        record, at = self._record, self._plays
        if at == len(record.plays):
            return None
        self._plays += 1
        called = None
        if record.called and at % self._players == 0:
            called = record.called[at // self._players]
        return Play(record.plays[at], called)

    def check_used(self, deal: Deal) -> None:
        """Refuses what the record holds beyond the choices that were asked for."""
        record = self._record
        for name, recorded, played in (
            ("bids", record.bids, deal.bids),
            ("plays", record.plays, deal.plays),
            ("trump", record.trump, deal.trump),
            ("discard", record.discarded, deal.discarded),
            ("taken", record.taken, deal.taken),
        ):
            if recorded != played:
                raise RecordMismatchError(
                    self._where, f"{name} says {recorded!r}, but the rules allow {played!r}"
                )


def auction_of(rules: Rules, record: DealRecord) -> Auction:
    """Returns the auction of a recorded deal after its last bid; the bids are not judged."""
    auction = start_auction(record.first_bidder)
    for made in record.bids:
        auction = bid(rules, auction, made)
    return auction


def deal_states(rules: Rules, record: DealRecord, where: str) -> Iterator[tuple[Deal, Choice]]:
    """Yields each state of a recorded deal with the choice that was made in it.

    Args:
        rules: The rules.
        record: The deal.
        where: What the deal is called in an error.

    Raises:
        RecordMismatchError: if the tiles dealt make no deal, or a choice is not allowed.
    """
    check_cards(rules, record, where)
    deal = Deal.start(rules, record.cards, record.first_bidder, forced=record.forced)
    choices = _Choices(record, rules.players, where)
    number = 0
    while (decision := deal.decision) is not None:
        choice = choices.next(decision)
        if choice is None:
            break
        try:
            after = deal.play(choice)
        except MoonError as error:
            raise RecordMismatchError(f"{where}, choice {number}", str(error)) from None
        yield deal, choice
        deal = after
        number += 1
    choices.check_used(deal)


def last_state(rules: Rules, record: DealRecord, where: str) -> Deal:
    """Returns the deal after its last recorded choice.

    Raises:
        RecordMismatchError: as `deal_states`.
    """
    deal = Deal.start(rules, record.cards, record.first_bidder, forced=record.forced)
    for before, choice in deal_states(rules, record, where):
        deal = before.play(choice)
    return deal


def check_cards(rules: Rules, record: DealRecord, where: str) -> None:
    """Checks that the tiles of *record* are a deal under *rules*.

    Raises:
        RecordMismatchError: if a hand has the wrong size, or a tile is missing, strange or twice.
    """
    cards = record.cards
    sizes = [mask.bit_count() for mask in cards.hands]
    if sizes != [HAND_SIZE] * rules.players or len(cards.middle) != rules.middle_count:
        raise RecordMismatchError(
            where,
            f"hands of {sizes} and {len(cards.middle)} in the middle; expected {rules.players} "
            f"hands of {HAND_SIZE} and {rules.middle_count}",
        )
    dealt: list[Tile] = [*cards.middle]
    together = mask_of(cards.middle)
    for mask in cards.hands:
        together |= mask
    total = sum(sizes) + len(dealt)
    if together != rules.tile_mask or total != len(rules.tiles):
        raise RecordMismatchError(where, "the tiles dealt are not the tiles of the game, once each")


def verify_line(line: DealLine) -> DealLine:
    """Judges a deal again and returns it complete.

    Tricks and points that the text leaves out are filled in; those it states must be right.

    Raises:
        RecordMismatchError: if the rules do not bear it out.
    """
    record = line.deal
    deal = last_state(line.rules, record, "deal")
    score = deal.score() if deal.is_over and not deal.is_thrown_in else None
    points = score.points if score else None
    if record.points is not None and record.points != points:
        raise RecordMismatchError("deal", f"s: says {record.points}, but it scores {points}")
    made = score.made if score else None
    full = replace(record, tricks_won=deal.tricks_won, points=points, made=made)
    return line._replace(deal=replace(full, taken=deal.taken))


def verify_match(record: MatchRecord, source: DealSource | None = None, key: bytes = b"") -> None:
    """Judges a whole match again: every choice, trick, score, first bidder, and the result.

    Args:
        record: The match.
        source: By deal number, what the secret seed deals; ``None`` if the seed is not known.
        key: The secret key of the match, if known: the lot for the first bid is checked too.

    Raises:
        RecordMismatchError: at the first thing that does not hold.
    """
    where = f"table {record.table}"
    rules = record.terms.rules
    if len(record.seats) != rules.players:
        raise RecordMismatchError(where, f"{len(record.seats)} seats for {rules.players} players")
    if not record.deals:
        raise RecordMismatchError(where, "has no deal")
    if key and record.deals[0].first_bidder != first_bidder(key, rules):
        raise RecordMismatchError(where, "the first bidder is not the one the seed drew")
    match = Match.of(
        record.terms, lambda number: record.deals[number].cards, record.deals[0].first_bidder
    )
    for number, deal in enumerate(record.deals):
        at = f"{where}, deal {number}"
        if source is not None and source(number) != deal.cards:
            raise RecordMismatchError(at, "the tiles are not the ones the seed deals")
        match = _verify_deal(record, match, number, at)
    _verify_end(record, match, where)


def _verify_deal(record: MatchRecord, match: Match, number: int, where: str) -> Match:
    deal = record.deals[number]
    last = number == len(record.deals) - 1
    if match.result is not None:
        raise RecordMismatchError(where, "stands after the end of the match")
    _same(where, "number", deal.number, number)
    _same(where, "first bidder", deal.first_bidder, match.deal.auction.first_bidder)
    _same(where, "forced", deal.forced, match.deal.forced)
    unasked: list[int] = []
    finished: FinishedDeal | None = None
    substitutes = {mark.at: mark for mark in deal.faults}
    for at, (state, choice) in enumerate(deal_states(match.terms.rules, deal, where)):
        decision = state.decision
        assert decision is not None
        if len(decision.legal) == 1 and not record.ask_forced:
            unasked.append(at)
        mark = substitutes.get(at)
        if mark is not None:
            _same(f"{where}, choice {at}", "seat of the fault", mark.seat, decision.seat)
            _same(f"{where}, choice {at}", "substitute", choice, decision.legal[0])
        match = match.play(choice)
        finished = match.finished
        if finished is not None and match.result is None and last:
            raise RecordMismatchError(where, "the match goes on, but the record ends here")
    _same(where, "unasked", deal.unasked, tuple(unasked))
    if finished is not None:
        _verify_score(deal, finished, where)
    elif record.result.ending is Ending.FORFEIT and last:
        _same(where, "tricks", deal.tricks_won, match.deal.tricks_won)
        _same(where, "made", deal.made, None)
        _same(where, "points", deal.points, None)
    else:
        raise RecordMismatchError(where, "is broken off, but the match was not forfeited")
    return match


def _verify_score(deal: DealRecord, finished: FinishedDeal, where: str) -> None:
    score = finished.score
    _same(where, "tricks", deal.tricks_won, finished.deal.tricks_won)
    _same(where, "made", deal.made, score.made if score else None)
    _same(where, "points", deal.points, score.points if score else None)


def _verify_end(record: MatchRecord, match: Match, where: str) -> None:
    forfeit = record.result.forfeit
    if record.result.ending is Ending.FORFEIT and match.result is None:
        match = _forfeit(record, match, where)
    elif forfeit is not None:
        raise RecordMismatchError(where, f"seat {forfeit} cannot forfeit a match that is over")
    result: Result | None = match.result
    if result is None:
        raise RecordMismatchError(where, "the match goes on, but the record ends here")
    for name, recorded, judged in zip(Result._fields, record.result, result, strict=True):
        _same(where, name, recorded, judged)


def _forfeit(record: MatchRecord, match: Match, where: str) -> Match:
    """Returns the match as the faults in the record end it."""
    seat = record.result.forfeit
    decision = match.decision
    marks = [mark for deal in record.deals for mark in deal.faults]
    if seat is None or decision is None or decision.seat != seat or not marks:
        raise RecordMismatchError(where, f"the match was not forfeited by seat {seat}")
    count = sum(mark.seat == seat for mark in marks)
    if marks[-1].seat != seat or not (count > record.strikes or marks[-1].kind is FaultKind.START):
        raise RecordMismatchError(
            where, f"seat {seat} has {count} faults of {record.strikes} allowed: no forfeit"
        )
    return match.forfeit(Seat(seat))


def _same(where: str, name: str, recorded: object, judged: object) -> None:
    if recorded != judged:
        raise RecordMismatchError(where, f"{name} says {recorded!r}, but the rules say {judged!r}")
