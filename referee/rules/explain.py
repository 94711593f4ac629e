"""What every option of a set of rules means, in plain words, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from referee.rules.explanations import NO_SOURCE, QUESTIONS, TRUMP_SOURCES, Answer
from referee.rules.options import (
    OPTION_VALUES,
    AllPass,
    ExchangeRule,
    MoonFailed,
    MoonMade,
    Rules,
    Scoring,
    option_texts,
)
from referee.rules.suits import Trump

_OURS = "no source; our default"
_GAME = (MoonMade.WINS_GAME, MoonFailed.LOSES_GAME)
_MARKS = {
    "moon_made": Answer("a made moon is one mark, as any bid", _OURS),
    "moon_failed": Answer("a failed moon is one mark for each opposing side", _OURS),
}


@dataclass(frozen=True, slots=True)
class Explained:
    """One option of one set of rules, in words."""

    option: str
    section: str
    asks: str
    value: str
    says: str
    source: str
    others: tuple[str, ...]
    """The other values the option can have; empty when it is a number or a list."""
    idle: str
    """Why the option decides nothing in this set, or empty."""


def explain(rules: Rules) -> tuple[Explained, ...]:
    """Returns every option of *rules* in words, in the order of a deal."""
    values = option_texts(rules)
    idle = _idle(rules)
    return tuple(
        Explained(
            option,
            QUESTIONS[option].section,
            QUESTIONS[option].asks,
            values[option],
            *_answer(rules, option, values[option]),
            tuple(v for v in OPTION_VALUES.get(option, ()) if v != values[option]),
            idle.get(option, ""),
        )
        for option in QUESTIONS
    )


def _answer(rules: Rules, option: str, value: str) -> Answer:
    if option == "trumps":
        return _trumps(rules.trumps)
    if option == "redeal_limit":
        return _redeal_limit(rules.redeal_limit)
    if option == "target":
        return _target(rules)
    if rules.scoring is Scoring.MARKS and option in _MARKS and value not in _GAME:
        return _MARKS[option]
    if option == "exchange" and rules.exchange is ExchangeRule.NONE and rules.middle_count:
        return Answer(
            "what is left in the middle stays there unseen, and nothing is exchanged",
            "vab, as an option",
        )
    return QUESTIONS[option].answers[value]


def _trumps(trumps: tuple[Trump, ...]) -> Answer:
    numbers = [trump for trump in trumps if trump < Trump.DOUBLES]
    kinds = [f"the numbers {', '.join(map(str, numbers))}"] if numbers else []
    if Trump.DOUBLES in trumps:
        kinds.append("doubles (6-6 the highest, and no double then belongs to its number)")
    if Trump.NONE in trumps:
        kinds.append("no trump")
    return Answer(
        f"the declarer names one of: {'; '.join(kinds)}", TRUMP_SOURCES.get(trumps, NO_SOURCE)
    )


def _redeal_limit(limit: int) -> Answer:
    if limit == 0:
        return Answer("there may be any number of redeals in a row", _OURS)
    deals = "one redeal" if limit == 1 else f"{limit} redeals in a row"
    return Answer(
        f"after {deals} the last player must bid, so that a deal is played at last",
        "no source; our guard against endless redeals",
    )


def _target(rules: Rules) -> Answer:
    marks = rules.scoring is Scoring.MARKS
    known = {
        (False, 21): "wikiHow, Method 1, step 7; gamerules.com",
        (True, 7): "wikiHow, Method 3",
    }
    unit = "mark" if marks else "point"
    return Answer(
        f"the match ends after the deal in which somebody reaches {rules.target} {unit}"
        f"{'' if rules.target == 1 else 's'}",
        known.get((marks, rules.target), NO_SOURCE),
    )


def _idle(rules: Rules) -> dict[str, str]:
    """Returns the options that decide nothing in *rules*, with the reason."""
    forced = rules.all_pass is AllPass.FORCE_LAST
    marks = "marks are counted, not points"
    rows = (
        (
            not rules.moon_bid,
            "there is no moon bid",
            "moon_opening moon_overcall moon_made moon_failed",
        ),
        (forced, "a deal cannot be passed out", "redeal_first_bidder redeal_limit"),
        (not forced and not rules.redeal_limit, "nobody is ever forced to bid", "force_value"),
        (rules.exchange is ExchangeRule.NONE, "there is no exchange", "trump_named"),
        (Trump.NONE not in rules.trumps, "there is always a trump", "none_doubles"),
        (rules.trumps == (Trump.NONE,), "there is never a trump", "first_lead follow_rule"),
        (rules.scoring is Scoring.MARKS, marks, "made_points failed"),
    )
    return {option: why for idle, why, options in rows if idle for option in options.split()}
