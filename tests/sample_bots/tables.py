"""Tables at which the sample bots play, without a process in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from referee.match import Match, MatchReferee, Terms
from referee.rules import Choice, Rules, View, derive_key, seed_key
from referee.sdk import AnyView, Bot
from referee.sdk import View as BotView
from referee.sdk.asking import ask
from sample_bots.counter import Counter
from sample_bots.first_legal import FirstLegal
from sample_bots.greedy import Greedy
from sample_bots.random_bot import Random
from sample_bots.sampler import Sampler

MakeBot: TypeAlias = Callable[[], Bot]

BOTS: dict[str, MakeBot] = {
    "first_legal": FirstLegal,
    "random": Random,
    "greedy": Greedy,
    "counter": Counter,
    # Few samples: the tests look at what it does, not at how strong many make it.
    "sampler": lambda: Sampler.with_params({"samples": "3"}),
}


def start(rules: Rules, label: str, deals: int | None) -> Match:
    """Returns a match before its first bid, one for each label."""
    return Match.start(Terms(rules, deals=deals), derive_key(seed_key("tests"), label))


def play(bots: Sequence[Bot], match: Match) -> Iterator[tuple[AnyView, Choice]]:
    """Plays *match* to its end and yields every question with its answer."""
    referee = MatchReferee("test", match, tuple(bot.name for bot in bots))
    while (question := referee.question) is not None:
        view = seen(question.view)
        choice = ask(bots[question.seat], view)
        fault = referee.answer(choice, 0)
        assert fault is None, f"{bots[question.seat].name}: {fault}"
        yield view, choice
    assert referee.result is not None
    assert not referee.faults


def seen(view: View) -> AnyView:
    """Returns *view* as a bot gets it."""
    return BotView.of(view)
