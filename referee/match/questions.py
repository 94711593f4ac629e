"""A question of a recorded match, put together again from the record."""

from __future__ import annotations

from typing import NamedTuple

from referee.errors import NotFoundError
from referee.match.errors import RecordMismatchError
from referee.match.matches import Match
from referee.match.records import MatchRecord
from referee.match.referee import Question
from referee.match.replay import Choices
from referee.rules import SEATS, Choice, Dealt, IllegalChoiceError


class RecordedChoice(NamedTuple):
    """A question of a recorded match, and what was chosen."""

    question: Question
    choice: Choice | None
    """``None`` where a forfeit broke the match off."""
    is_asked: bool
    """Whether the bot was asked; if not, the choice was the only legal one."""
    is_substitute: bool
    """Whether the choice was made in the place of the bot, which was at fault."""


def question_at(record: MatchRecord, number: int) -> RecordedChoice:
    """Returns decision *number* of *record*, from 1.

    Raises:
        NotFoundError: if the match has no such decision.
        RecordMismatchError: if the rules do not allow a choice before it.
    """
    where = f"table {record.table}"
    deals = {deal.number: deal for deal in record.deals}

    def source(deal: int) -> Dealt:
        if deal not in deals:
            raise RecordMismatchError(where, f"the match goes on, but deal {deal} is not there")
        return deals[deal].dealt

    match = Match.of(record.terms, source, SEATS[record.deals[0].first_bidder])
    count, place, players = 0, 0, record.terms.rules.players
    deal = record.deals[0]
    choices = Choices(deal, players)
    while (decision := match.decision) is not None:
        if match.number != deal.number:
            deal, place = deals[match.number], 0
            choices = Choices(deal, players)
        count += 1
        choice = choices.next(decision)
        if count == number:
            is_substitute = any(mark.at == place for mark in deal.faults)
            question = Question(decision.seat, count, decision, match)
            return RecordedChoice(question, choice, place not in deal.unasked, is_substitute)
        place += 1
        if choice is None:
            break
        try:
            match = match.play(choice)
        except IllegalChoiceError as error:
            raise RecordMismatchError(f"{where}, decision {count}", str(error)) from None
    raise NotFoundError(f"{where} has no decision {number}; it has 1 to {count}")
