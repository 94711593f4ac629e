"""A state that was saved: one question to a bot, in a file that can be read and put again.

The file is JSON. ``message`` is what travels, in base64, and is put again byte for byte.
``decision`` is the same in the JSON form of protobuf and ``question`` in words, both for reading; a
file without ``message`` is put together from ``decision``, so that one can be changed by hand.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from referee.errors import ConfigError, NotFoundError
from referee.match import Question
from referee.rules import Trick, View, rules_text
from referee.wire.errors import WireError
from referee.wire.packing import pack_decision
from referee.wire.states import (
    StoredQuestion,
    question_of_json,
    read_question,
    store_question,
)

SCHEMA = "moon.state/1"
LARGEST = 1 << 20
"""A file of more bytes is no state."""


def stored(question: Question, match_id: str, move_time: float) -> StoredQuestion:
    """Returns *question* as it travels.

    Args:
        question: What is asked.
        match_id: What the match is called towards the bot.
        move_time: The time allowed, in seconds.
    """
    millis = max(1, round(move_time * 1000))
    return store_question(
        pack_decision(
            question.view, match_id=match_id, number=question.number, move_time_ms=millis
        ).decision
    )


def state_text(question: StoredQuestion) -> str:
    """Returns the file that keeps *question*."""
    legal = ", ".join(map(str, question.decision.legal))
    fields = {
        "schema": SCHEMA,
        "question": [*describe(question.view), f"legal     {legal}"],
        "decision": question.to_json(),
        "message": base64.b64encode(question.data).decode(),
    }
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def save_state(path: Path, question: StoredQuestion) -> None:
    """Writes the file that keeps *question*, and the folder that it lies in.

    Raises:
        ConfigError: if it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(state_text(question), encoding="utf-8")
    except OSError as error:
        problem = f"cannot be written: {(error.strerror or '').lower()}"
        raise ConfigError(path, None, problem) from None


def load_state(path: Path) -> StoredQuestion:
    """Returns the question in the file at *path*.

    Raises:
        NotFoundError: if there is no such file.
        ConfigError: if it cannot be read, or is no state.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise NotFoundError(
            f"{path}: there is no such file; `moon bot check` and `moon play --debug` save states"
        ) from None
    except OSError as error:
        raise ConfigError(path, None, f"cannot be read: {(error.strerror or '').lower()}") from None
    return parse_state(data, str(path))


def parse_state(data: bytes, where: str) -> StoredQuestion:
    """Returns the question in *data*, the content of a file.

    Args:
        data: The content.
        where: What the file is called in an error.

    Raises:
        ConfigError: if it is no state; names the key at fault.
    """
    try:
        fields = json.loads(data) if len(data) <= LARGEST else None
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or fields.get("schema") != SCHEMA:
        raise ConfigError(where, None, f"is no state; expected JSON with schema {SCHEMA!r}")
    key = "message" if "message" in fields else "decision"
    try:
        return _question_of(fields, key)
    except (WireError, ValueError) as error:
        raise ConfigError(where, key, str(error)) from None


def _question_of(fields: dict[str, Any], key: str) -> StoredQuestion:
    value = fields.get(key)
    if key == "decision":
        if not isinstance(value, dict):
            raise ValueError("is missing; a state has a message, or a decision")
        return question_of_json(value)
    if not isinstance(value, str):
        raise ValueError("must be text in base64")
    try:
        return read_question(base64.b64decode(value, validate=True))
    except binascii.Error:
        raise ValueError("is not base64; take it out to use decision instead") from None


def describe(view: View) -> list[str]:
    """Returns *view* in words, a line for each thing that its seat knows."""
    return list(_lines(view))


def _lines(view: View) -> Iterator[str]:
    deals = "" if view.deals is None else f" of {view.deals}"
    yield f"rules     {rules_text(view.rules)}"
    yield f"seat      {view.seat}; deal {view.deal_number}{deals}; scores {_words(view.scores)}"
    yield f"hand      {_words(view.hand)}"
    forced = "; the last must bid" if view.forced else ""
    bids = ", ".join("pass" if not bid else str(bid) for bid in view.bids) or "none yet"
    yield f"bids      from seat {view.first_bidder}: {bids}{forced}"
    if view.declarer is not None:
        trump = "not named yet" if view.trump is None else str(view.trump)
        yield f"contract  seat {view.declarer} has bid {view.contract}; trump {trump}"
    if view.widow is not None:
        away = "" if view.discarded is None else f"; laid away {view.discarded}"
        yield f"widow     {view.widow}{away}"
    for number, trick in enumerate(view.tricks, 1):
        yield f"trick {number}   {_trick(trick, view.rules.players)}"
    if view.decision is not None:
        yield f"asked     {view.decision.kind.word}"


def _trick(trick: Trick, players: int) -> str:
    if not trick.tiles:
        return f"seat {trick.leader} leads"
    seats = [(trick.leader + place) % players for place in range(players)]
    played = ", ".join(
        f"seat {seat} {tile}" for seat, tile in zip(seats, trick.tiles, strict=False)
    )
    won = "" if trick.winner is None else f"; won by seat {trick.winner}"
    return f"{played} (suit {trick.suit}){won}"


def _words(values: Iterable[object]) -> str:
    return " ".join(map(str, values))
