"""Asks a bot, and makes what it answers a choice.

Every way to a bot comes through here: a single call, a stream of batches, and a bot inside the
program itself. So all of them get the same answer to the same question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.rules import Bid, Choice, Decision, Kind, Play, Tile, Trump
from referee.rules.decisions import BIDDING, CALLING, DISCARDING, LEAVE, NAMING, PLAYING, TAKE
from referee.sdk.bot import AnyView, Bot, Value
from referee.wire.notices import DealEnded, MatchEnded, Notice

_BID, _DISCARD, _PLAY = Kind.BID, Kind.DISCARD, Kind.PLAY
_EXPECTED = {
    Kind.BID: "a Bid",
    Kind.TRUMP: "a Trump",
    Kind.EXCHANGE: "True to take the widow or False to leave it",
    Kind.DISCARD: "a Tile",
    Kind.PLAY: "a Tile, or one of view.calls",
}


def takes_batches(bot: Bot) -> bool:
    """Whether *bot* answers many decisions together."""
    return type(bot).decide_batch is not Bot.decide_batch


def ask(bot: Bot, view: AnyView) -> Choice:
    """Returns what *bot* chooses, legal or not.

    Raises:
        TypeError: if a function of the bot returns something of a wrong type.
        Exception: whatever a function of the bot raises.
    """
    if takes_batches(bot):
        return ask_all(bot, [view])[0]
    return choice_of(bot, view, bot.decide(view))


def ask_all(bot: Bot, views: Sequence[AnyView]) -> list[Choice]:
    """Returns what *bot* chooses for each of *views*, legal or not.

    Raises:
        TypeError: if a function of the bot returns something of a wrong type, or of a wrong length.
        Exception: whatever a function of the bot raises.
    """
    values = bot.decide_batch(views)
    if len(values) != len(views):
        raise TypeError(
            f"{type(bot).__name__}.decide_batch returned {len(values)} answers"
            f" to {len(views)} views"
        )
    return [choice_of(bot, view, value) for view, value in zip(views, values, strict=True)]


def wanted(bot: Bot) -> list[type[Notice]]:
    """Returns the notices that *bot* does something with."""
    kind = type(bot)
    notices: list[type[Notice]] = []
    if kind.deal_ended is not Bot.deal_ended:
        notices.append(DealEnded)
    if kind.match_ended is not Bot.match_ended:
        notices.append(MatchEnded)
    return notices


def tell(bot: Bot, notice: Notice) -> None:
    """Tells *bot* what happened.

    Raises:
        Exception: whatever a function of the bot raises.
    """
    match notice:
        case DealEnded():
            bot.deal_ended(notice)
        case MatchEnded():
            bot.match_ended(notice)


def choice_of(bot: Bot, view: AnyView, value: Value) -> Choice:
    """Returns *value*, which *bot* answered to *view*, as a choice.

    Raises:
        TypeError: if it is of a type that cannot answer the question.
    """
    decision = view.decision
    assert decision is not None
    kind = decision.kind
    if value.__class__ is Tile:  # as nearly always
        if kind is _PLAY:
            return _play(decision, value)
        if kind is _DISCARD:
            return DISCARDING[value]
    elif kind is _BID and isinstance(value, Bid):
        return BIDDING[value]
    elif kind is _PLAY and isinstance(value, Play):
        return value
    elif kind is Kind.TRUMP and isinstance(value, Trump):
        return NAMING[value]
    elif kind is Kind.EXCHANGE and isinstance(value, bool):
        return TAKE if value else LEAVE
    raise _wrong_type(bot, kind, value)


def _play(decision: Decision, tile: Tile) -> Play:
    """Returns the play of *tile* alone; where the leader calls a suit, as its higher end."""
    plays: tuple[Any, ...] = decision.legal
    if plays[0].called is None:
        return PLAYING[tile]
    # A tile that is not legal is said in the form of these rules too, and judged as what it is.
    beyond = CALLING[tile][tile.high]
    return next((play for play in plays if play.tile is tile), beyond)


def _wrong_type(bot: Bot, kind: Kind, value: object) -> TypeError:
    name = "decide_batch" if takes_batches(bot) else kind.word
    return TypeError(
        f"{type(bot).__name__}.{name} returned {value!r} to a {kind.word} question;"
        f" it must return {_EXPECTED[kind]}, such as view.legal[0]"
    )
