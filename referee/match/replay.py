"""A recorded deal played again, choice by choice, through the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from referee.match.errors import RecordMismatchError
from referee.match.matches import FinishedDeal
from referee.match.notation import DealLine
from referee.match.records import DealRecord, MatchRecord
from referee.rules import (
    Choice,
    Deal,
    Decision,
    Discard,
    Exchange,
    IllegalChoiceError,
    Kind,
    MakeBid,
    NameTrump,
    Play,
    Rules,
)
from referee.rules.options import HAND_SIZE, LedSuit
from referee.rules.tiles import mask_of


class Choices:
    """The choices of a deal record, handed out in the order in which the rules ask for them."""

    def __init__(self, record: DealRecord, players: int) -> None:
        """Begins at the first choice of *record*, a deal of so many *players*."""
        self._record = record
        self._players = players
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
        trick, place = divmod(at, self._players)
        called = record.called[trick : trick + 1] if place == 0 else ()
        return Play(record.plays[at], *called)


def unplayed(record: DealRecord, deal: Deal) -> Iterator[str]:
    """Yields what *record* says beyond the choices that led to *deal*, a problem each."""
    calls = deal.rules.led_suit is LedSuit.LEADER_CALLS
    left = [
        differs(name, recorded, played)
        for name, recorded, played in (
            ("bids", record.bids, deal.bids),
            ("trump", record.trump, deal.trump),
            ("taken", record.taken, deal.taken),
            ("discard", record.discarded, deal.discarded),
            ("plays", record.plays, deal.plays),
            ("called", record.called, deal.suits if calls else ()),
        )
        if recorded != played
    ]
    decision = deal.decision
    if left and decision is not None:
        yield f"seat {decision.seat} has no {decision.kind.word} here, but the deal goes on"
    yield from left


def differs(name: str, recorded: object, judged: object) -> str:
    """Returns the words for a value that is not what the rules make it."""
    return f"{name} says {_words(recorded)}, but by the rules it is {_words(judged)}"


def _words(value: object) -> str:
    if isinstance(value, tuple):
        return _cut(" ".join(map(_words, value))) or "empty"
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    return _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:120]}..."


def deal_states(rules: Rules, record: DealRecord, where: str) -> Iterator[tuple[Deal, Choice]]:
    """Yields each state of a recorded deal with the choice that was made in it.

    Args:
        rules: The rules.
        record: The deal.
        where: What the deal is called in an error.

    Raises:
        RecordMismatchError: if the tiles dealt make no deal, or a choice is not allowed.
    """
    for problem in card_problems(rules, record):
        raise RecordMismatchError(where, problem)
    deal = Deal.start(rules, record.dealt, record.first_bidder, forced=record.forced)
    choices = Choices(record, rules.players)
    number = 0
    while (decision := deal.decision) is not None:
        choice = choices.next(decision)
        if choice is None:
            break
        try:
            after = deal.play(choice)
        except IllegalChoiceError as error:
            raise RecordMismatchError(f"{where}, choice {number}", str(error)) from None
        yield deal, choice
        deal = after
        number += 1
    for problem in unplayed(record, deal):
        raise RecordMismatchError(where, problem)


def last_state(rules: Rules, record: DealRecord, where: str) -> Deal:
    """Returns the deal after its last recorded choice.

    Raises:
        RecordMismatchError: as `deal_states`.
    """
    last = None
    for last in deal_states(rules, record, where):  # noqa: B007 - the last one is what is wanted
        pass
    if last is None:
        return Deal.start(rules, record.dealt, record.first_bidder, forced=record.forced)
    before, choice = last
    return before.play(choice)


def finished_deals(match: MatchRecord) -> Iterator[FinishedDeal]:
    """Yields the deals of a match with the score after each; one that was broken off is not over.

    Raises:
        RecordMismatchError: as `deal_states`.
    """
    scores = (0,) * match.terms.rules.side_count
    for record in match.deals:
        where = f"table {match.table}, deal {record.number}"
        deal = last_state(match.terms.rules, record, where)
        score = None
        if deal.is_over and not deal.is_thrown_in:
            score = deal.score()
            if match.terms.deals is not None:
                score = score._replace(wins_game=None, loses_game=None)
            scores = tuple([a + b for a, b in zip(scores, score.points, strict=True)])
        yield FinishedDeal(record.number, deal, score, scores)


def card_problems(rules: Rules, record: DealRecord) -> Iterator[str]:
    """Yields why *record* cannot be dealt under *rules*: seat, sizes, tiles missing or twice."""
    dealt = record.dealt
    sizes = [mask.bit_count() for mask in dealt.hands]
    if not 0 <= record.first_bidder < rules.players:
        yield f"seat {record.first_bidder} bids first at a table of {rules.players}"
    if sizes != [HAND_SIZE] * rules.players or len(dealt.middle) != rules.middle_count:
        yield (
            f"hands of {sizes} and {len(dealt.middle)} in the middle; expected {rules.players} "
            f"hands of {HAND_SIZE} and {rules.middle_count}"
        )
        return
    together = mask_of(dealt.middle)
    for mask in dealt.hands:
        together |= mask
    if together != rules.tile_mask:
        yield "the tiles dealt are not the tiles of the game, once each"


def verify_line(line: DealLine, where: str = "deal") -> DealLine:
    """Judges a deal again and returns it complete.

    The tricks, and the points if the text leaves them out, are filled in; points that it states
    must be right.

    Args:
        line: The deal.
        where: What it is called in an error.

    Raises:
        RecordMismatchError: if the rules do not bear it out.
    """
    record = line.deal
    deal = last_state(line.rules, record, where)
    score = deal.score() if deal.is_over and not deal.is_thrown_in else None
    points = score.points if score else None
    if record.points is not None and record.points != points:
        raise RecordMismatchError(where, differs("s:", record.points, points))
    full = replace(
        record,
        tricks_won=deal.tricks_won,
        points=points,
        made=score.made if score else None,
    )
    return line._replace(deal=full)
