"""Questions and answers as messages, and back.

Whether an answer is *legal* is for the rules to say. Here it only has to fit: the member that was
asked for, with a value that exists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from moon.v1 import bot_service_pb2 as pb

from referee.rules import (
    Choice,
    Decision,
    Discard,
    Exchange,
    Kind,
    MakeBid,
    NameTrump,
    Play,
)
from referee.rules.decisions import BIDDING, CALLING, DISCARDING, LEAVE, NAMING, PLAYING, TAKE
from referee.rules.views import ViewT
from referee.wire.errors import WireError
from referee.wire.values import (
    BID_FROM_WIRE,
    BID_TO_WIRE,
    SEAT_FROM_WIRE,
    SUIT_FROM_WIRE,
    SUIT_TO_WIRE,
    TAKE_FROM_WIRE,
    TAKE_TO_WIRE,
    TILE_FROM_WIRE,
    TILE_TO_WIRE,
    TRUMP_FROM_WIRE,
    TRUMP_TO_WIRE,
)
from referee.wire.views import decode_view

_PLAY = Kind.PLAY
_BIDS: dict[int, Choice] = {number: BIDDING[bid] for number, bid in BID_FROM_WIRE.items()}
_TRUMPS: dict[int, Choice] = {number: NAMING[trump] for number, trump in TRUMP_FROM_WIRE.items()}
_TAKES: dict[int, Choice] = {n: TAKE if take else LEAVE for n, take in TAKE_FROM_WIRE.items()}
_DISCARDS: dict[int, Choice] = {n: DISCARDING[tile] for n, tile in TILE_FROM_WIRE.items()}
_PLAYS: dict[int, Choice] = {number: PLAYING[tile] for number, tile in TILE_FROM_WIRE.items()}

_ANSWERS: dict[Kind, tuple[str, dict[int, Choice]]] = {
    Kind.BID: ("bid", _BIDS),
    Kind.TRUMP: ("trump", _TRUMPS),
    Kind.EXCHANGE: ("exchange", _TAKES),
    Kind.DISCARD: ("discard", _DISCARDS),
    Kind.PLAY: ("play", _PLAYS),
}
"""By kind of question: the member that answers it, and what each number in it chooses."""


def decode_decision(message: pb.Decision, into: type[ViewT]) -> ViewT:
    """Returns the view in *message*, as *into*, with its question.

    Raises:
        WireError: if the message asks nothing, or holds values that stand for nothing.
    """
    return decode_view(message.view, decode_question(message), into)


def decode_question(message: pb.Decision) -> Decision:
    """Returns what *message* asks, without the view.

    Raises:
        WireError: if it asks nothing, or what is legal stands for nothing.
    """
    read = _PROMPTS.get(message.WhichOneof("prompt") or "")
    if read is None:
        raise WireError("decision.prompt", "is unset")
    kind, legal = read(message)
    if not legal:
        raise WireError(f"decision.{kind.word}", "has no legal choices")
    seat = SEAT_FROM_WIRE.get(message.view.seat)
    if seat is None:
        raise WireError("view.seat", f"holds {message.view.seat}, which stands for nothing")
    # As the constructor would make it, which is a function in Python.
    return tuple.__new__(Decision, (kind, seat, legal))


def _read_legal(kind: Kind, numbers: Sequence[int]) -> tuple[Kind, tuple[Choice, ...]]:
    word, table = _ANSWERS[kind]
    try:
        return kind, tuple(map(table.__getitem__, numbers))
    except KeyError as error:
        raise WireError(
            f"decision.{word}", f"allows {error.args[0]}, which stands for nothing"
        ) from None


def _read_plays(message: pb.Decision) -> tuple[Kind, tuple[Choice, ...]]:
    prompt = message.play
    tiles, suits = prompt.legal_tiles[:], prompt.legal_called_suits[:]
    if not suits:
        return _read_legal(_PLAY, tiles)
    if len(tiles) != len(suits) or not set(suits) <= SUIT_FROM_WIRE.keys():
        raise WireError("decision.play", "has other suits than one that exists for every tile")
    _, plays = _read_legal(_PLAY, tiles)
    return Kind.PLAY, tuple(
        CALLING[play.tile][SUIT_FROM_WIRE[suit]]
        for play, suit in zip(cast("tuple[Play, ...]", plays), suits, strict=True)
    )


_PROMPTS: dict[str, Callable[[pb.Decision], tuple[Kind, tuple[Choice, ...]]]] = {
    "bid": lambda message: _read_legal(Kind.BID, message.bid.legal_bids[:]),
    "trump": lambda message: _read_legal(Kind.TRUMP, message.trump.legal_trumps[:]),
    "exchange": lambda message: _read_legal(Kind.EXCHANGE, message.exchange.legal_exchanges[:]),
    "discard": lambda message: _read_legal(Kind.DISCARD, message.discard.legal_tiles[:]),
    "play": _read_plays,
}
"""By member of the prompt: what reads the kind and the legal choices."""


def encode_answer(choice: Choice, *, match_id: str, number: int) -> pb.Answer:
    """Returns *choice* as the answer to decision *number* of match *match_id*."""
    answer = pb.Answer()
    fill_answer(answer, choice, match_id, number)
    return answer


def fill_answer(answer: pb.Answer, choice: Choice, match_id: str, number: int) -> None:
    """Makes an empty *answer* that of *choice*; quicker than to copy one into a response."""
    answer.match_id, answer.decision_number = match_id, number
    match choice:
        case Play(tile, called):
            answer.play = TILE_TO_WIRE[tile]
            if called is not None:
                answer.called_suit = SUIT_TO_WIRE[called]
        case MakeBid(bid):
            answer.bid = BID_TO_WIRE[bid]
        case NameTrump(trump):
            answer.trump = TRUMP_TO_WIRE[trump]
        case Exchange(take):
            answer.exchange = TAKE_TO_WIRE[take]
        case Discard(tile):
            answer.discard = TILE_TO_WIRE[tile]


def decode_answer(answer: pb.Answer, decision: Decision) -> Choice:
    """Returns the choice in *answer*, which need not be legal.

    Raises:
        WireError: if *answer* is not an answer to *decision*: nothing chosen, another kind of
            choice, a value that stands for nothing, a suit called unasked or not called.
    """
    word, table = _ANSWERS[decision.kind]
    # A member that is unset reads as zero, and zero is in no table.
    choice = table.get(getattr(answer, word))
    if choice is None:
        raise _misfit(answer, word)
    called = answer.called_suit
    first = decision.legal[0]
    if isinstance(first, Play) and first.called is not None:
        suit = SUIT_FROM_WIRE.get(called)
        if suit is None:
            problem = f"holds {called}, which stands for nothing" if called else "is unset"
            raise WireError("answer.called_suit", f"{problem}; the leader calls the suit")
        return CALLING[cast("Play", choice).tile][suit]
    if called:
        raise WireError("answer.called_suit", "is set, but no suit is to be called")
    return choice


def _misfit(answer: pb.Answer, asked: str) -> WireError:
    """Returns the error that says why *answer* has no usable member *asked*."""
    given = answer.WhichOneof("choice")
    if given is None:
        return WireError("answer.choice", f"is unset (asked for {asked})")
    if given != asked:
        return WireError("answer.choice", f"is {given} (asked for {asked})")
    number = getattr(answer, asked)
    if number == 0:
        return WireError(f"answer.{asked}", "is unspecified")
    return WireError(f"answer.{asked}", f"holds {number}, which stands for nothing")
