"""The first steps of a check: the bot starts, says who it is, and answers single questions."""

from __future__ import annotations

from referee.bots.build import build_bots
from referee.bots.handshake import HandshakeError
from referee.bots.sandbox import Tier
from referee.bots.sessions import StartError
from referee.errors import BotError, NotFoundError
from referee.match import Question
from referee.wire import PROTOCOL
from referee.wire.states import with_unknown_fields
from tournaments.kit import questions as q
from tournaments.kit.results import Failure
from tournaments.kit.trial import StepFailedError, StepSkippedError, Trial, rules_of

STATES = 20
"""How many states are tried in which suit must be followed."""
CANCELLED = (0.0, 0.005, 0.05)
"""Seconds after which calls are cancelled."""


async def builds(trial: Trial) -> str:
    """Runs the build command."""
    spec = trial.spec
    if not spec.build:
        return "no build step"
    if trial.terms.stand.sandbox.tier is Tier.HARDENED:
        raise StepSkippedError("nothing is built in hardened: build it before")
    try:
        await build_bots([spec], trial.terms.stand.sandbox.tier, lambda _: None)
    except BotError as error:
        problem, *output = str(error).split("\n")
        raise StepFailedError(Failure(problem, stderr="\n".join(output))) from None
    return " ".join(spec.build)


async def starts(trial: Trial) -> str:
    """Starts the bot, and waits for its handshake."""
    began = trial.stand.clock.now()
    try:
        await trial.stand.direct()
    except StartError as error:
        raise StepFailedError(Failure(str(error), stderr=error.report.stderr_tail)) from None
    return f"{trial.stand.clock.now() - began:.1f} s of {trial.stand.terms.startup:g} s"


async def describes(trial: Trial) -> str:
    """Reads what it says of itself, twice."""
    direct = await trial.stand.direct()
    info = direct.session.info
    if not info.name:
        raise StepFailedError(Failure("it has no name; set `name` in GetBotInfoResponse"))
    trial.sets = rules_of(info.rule_sets, trial.terms.rules)
    try:
        again = await direct.introduce_again()
    except HandshakeError as error:
        raise StepFailedError(Failure(f"asked once more, it {error}")) from None
    except TimeoutError:
        raise StepFailedError(Failure("asked once more, it did not answer in time")) from None
    if again != info:
        problem = f"asked once more, it says something else: {again.introduction}"
        raise StepFailedError(Failure(f"{problem}, before {info.introduction}"))
    way = "stream" if info.serves_stream else "calls"
    batch = f"batches of {info.max_batch}" if info.max_batch > 1 else "one question at a time"
    return f"{info.introduction}; {PROTOCOL}, {way}, {batch}"


async def first_bid(trial: Trial) -> str:
    """Asks for the bid that opens an auction."""
    return await _try(trial, q.find(trial.rules, trial.terms.seed, q.opens_auction, 5))


async def later_bids(trial: Trial) -> str:
    """Asks for a bid after each other bid."""
    found = [q.later_bids(trial.rules, f"{trial.terms.seed}/{n}") for n in range(2)]
    return await _try(trial, [question for each in found for question in each])


async def follows_suit(trial: Trial) -> str:
    """Asks for a tile where suit must be followed."""
    return await _try(trial, _find(trial, q.must_follow, STATES))


async def forced(trial: Trial) -> str:
    """Asks where there is one legal answer, as tournaments with ``ask_forced`` do."""
    return await _try(trial, _find(trial, q.has_one_choice, 5))


async def lead_and_last(trial: Trial) -> str:
    """Asks for leads, and for the last tile of tricks."""
    found = _find(trial, q.leads, 5) + _find(trial, q.plays_last, 5)
    return await _try(trial, found)


async def in_time(trial: Trial) -> str:
    """Asks many questions of all kinds, and reads the clock."""
    count = trial.terms.questions
    found = q.find(trial.rules, f"{trial.terms.seed}/time", q.is_any, count, each=40)
    replies = await trial.ask(found)
    millis = sorted(1000 * reply.seconds for reply in replies)
    limit = trial.stand.terms.move_time
    middle = millis[len(millis) // 2]
    return f"{count}: half within {middle:.1f} ms, slowest {millis[-1]:.1f} ms of {limit:g} s"


async def unknown_fields(trial: Trial) -> str:
    """Puts questions with fields that the protocol does not have yet."""
    found = q.find(trial.rules, trial.terms.seed, q.is_any, 3)
    for question in found:
        await trial.ask_one(with_unknown_fields(trial.question(question)))
    return ""


async def cancelled(trial: Trial) -> str:
    """Cancels calls, and sees whether the bot goes on."""
    question, *rest = q.find(trial.rules, f"{trial.terms.seed}/cancel", q.is_play, 4)
    await trial.ask([question])
    direct = await trial.stand.direct()
    for after in CANCELLED:
        await direct.cancel(trial.question(question), after)
    await trial.ask(rest)
    if await trial.stand.direct() is not direct:
        raise StepFailedError(Failure("it ended after a call had been cancelled"))
    return f"{len(CANCELLED)} calls cancelled"


async def batch(trial: Trial) -> str:
    """Puts many questions in one message, and again in the other order."""
    direct = await trial.stand.direct()
    info = direct.session.info
    if info.max_batch < 2:
        raise StepSkippedError("it takes one question at a time")
    count = min(info.max_batch, 16)
    found = q.find(trial.rules, f"{trial.terms.seed}/batch", q.is_any, count, each=1)
    orders = set()
    for order in (found, found[::-1]):
        asked = [trial.question(question) for question in order]
        replies = await direct.ask(asked, stream=info.serves_stream)
        await trial.judge(replies)
        orders.add(tuple(reply.place for reply in replies) == tuple(range(count)))
    if direct.strays:
        problem = f"{direct.strays} of its answers were to nothing that was asked"
        raise StepFailedError(Failure(problem))
    return f"{count} at once, answered " + ("in order" if orders == {True} else "in another order")


def _find(trial: Trial, wanted: q.Wanted, count: int) -> list[Question]:
    try:
        return q.find(trial.rules, trial.terms.seed, wanted, count)
    except NotFoundError as error:
        raise StepSkippedError(str(error)) from None


async def _try(trial: Trial, found: list[Question]) -> str:
    await trial.ask(found)
    return f"{len(found)} states"
