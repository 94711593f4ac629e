"""Questions to try a bot with: found by playing deals at random until the wanted one is asked."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import TypeAlias

from referee.errors import NotFoundError
from referee.match import Match, MatchReferee, Question, TableTerms, Terms
from referee.rules import Kind, Rules, rules_text, seed_key

Wanted: TypeAlias = Callable[[Question], bool]
"""Whether a question is of the kind that is looked for."""

MOST_DEALS = 5000
"""Deals after which what is looked for is taken not to exist."""


def walk(rules: Rules, seed: str) -> Iterator[Question]:
    """Yields every question of one deal that is played at random, those with one answer too.

    Equal arguments give equal questions. Most bids are passes, so that contracts are of every size.
    """
    rng = random.Random(seed)  # noqa: S311 - nothing is kept from anybody with it
    match = Match.start(Terms(rules, deals=1), seed_key(seed))
    referee = MatchReferee("0.0", match, ("",) * rules.players, TableTerms(ask_forced=True))
    while (question := referee.question) is not None:
        yield question
        legal = question.decision.legal
        is_pass = question.decision.kind is Kind.BID and rng.random() < 0.6
        referee.answer(legal[0] if is_pass else rng.choice(legal), 0)


def find(rules: Rules, seed: str, wanted: Wanted, count: int, *, each: int = 2) -> list[Question]:
    """Returns *count* questions that are *wanted*, at most *each* from one deal.

    Raises:
        NotFoundError: if so many deals have none that there are none under these rules.
    """
    found: list[Question] = []
    for number in range(MOST_DEALS):
        left = each
        for question in walk(rules, f"{seed}/{number}"):
            if left and wanted(question):
                left -= 1
                found.append(question)
            if len(found) == count:
                return found
    if found:
        return found
    raise NotFoundError(f"no such question is asked under {rules_text(rules)}")


def opens_auction(question: Question) -> bool:
    """Whether the first bid of a deal is asked for."""
    return question.decision.kind is Kind.BID and not question.match.deal.bids


def later_bids(rules: Rules, seed: str) -> list[Question]:
    """Returns a question for the second bid after each bid that may open the auction."""
    opening = next(walk(rules, seed))
    questions = []
    for choice in opening.decision.legal:
        match = opening.match.play(choice)
        decision = match.decision
        if decision is not None and decision.kind is Kind.BID:
            questions.append(Question(decision.seat, 2, decision, match))
    return questions


def must_follow(question: Question) -> bool:
    """Whether a tile must be played that follows, with others in the hand that do not."""
    return is_play(question) and 1 < len(question.decision.legal) < held(question)


def has_one_choice(question: Question) -> bool:
    """Whether there is one legal tile, and others in the hand."""
    return is_play(question) and len(question.decision.legal) == 1 < held(question)


def leads(question: Question) -> bool:
    """Whether a tile is led, after the first trick."""
    return is_play(question) and _played(question) == 0 and len(question.match.deal.leaders) > 1


def plays_last(question: Question) -> bool:
    """Whether the last tile of a trick is played."""
    return is_play(question) and _played(question) == question.match.deal.rules.players - 1


def is_play(question: Question) -> bool:
    """Whether a tile to a trick is asked for."""
    return question.decision.kind is Kind.PLAY


def held(question: Question) -> int:
    """Returns how many tiles the seat holds."""
    return question.match.deal.hands[question.seat].bit_count()


def _played(question: Question) -> int:
    deal = question.match.deal
    return len(deal.plays) % deal.rules.players


def is_any(_: Question) -> bool:
    """Takes every question."""
    return True
