"""What is put to a bot, and what its answer is worth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from moon.v1 import bot_service_pb2 as pb

from referee.bots.asks import Ask
from referee.match import Fault, FaultKind
from referee.rules import Choice, Decision, IllegalChoiceError
from referee.wire.choices import decode_answer
from referee.wire.errors import WireError
from referee.wire.packing import DecisionMessage, pack_decision


def message_of(ask: Ask, move_time: float) -> DecisionMessage:
    """Returns the message that puts *ask* to a bot which has *move_time* seconds for each."""
    question = ask.question
    return pack_decision(
        question.view,
        match_id=ask.match_id,
        number=question.number,
        move_time_ms=_millis(move_time),
        bank_ms=None if ask.bank is None else max(0, round(ask.bank * 1000)),
        charged_ms=None if ask.charged is None else round(ask.charged * 1000),
    )


@lru_cache(maxsize=16)  # it is the same for every decision of a run
def _millis(move_time: float) -> int:
    return max(1, round(move_time * 1000))


def judge_answer(answer: pb.Answer, match_id: str, decision: Decision) -> Choice | Fault:
    """Returns the choice in *answer* to *decision* of the match *match_id*, or what is wrong."""
    try:
        if answer.match_id != match_id:
            raise WireError("answer.match_id", "is unset, so the answer is to no question")
        return decision.check(decode_answer(answer, decision))
    except WireError as error:
        return Fault(FaultKind.PROTOCOL, str(error))
    except IllegalChoiceError as error:
        return Fault(FaultKind.ILLEGAL, str(error))


def named_first(answers: Sequence[pb.Answer]) -> Sequence[pb.Answer]:
    """Returns *answers*, those last that name no match: what others answer is not theirs."""
    if all(answer.match_id for answer in answers):
        return answers
    return sorted(answers, key=lambda answer: not answer.match_id)
