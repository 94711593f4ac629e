"""A bot that is asked directly has as much time as at a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from moon.v1 import bot_service_pb2 as pb

from referee.bots.clock import RunningClock
from referee.bots.direct import DirectBot, Reply
from referee.bots.exchange import message_of
from referee.bots.lateness import most_credit
from referee.bots.sessions import EndReport
from referee.bots.terms import ClockTerms
from referee.bots.transports import Listener
from referee.match import Fault, FaultKind
from referee.rules import Bid, MakeBid
from referee.wire.choices import encode_answer
from referee.wire.states import read_question
from tests.bots.scripted import Bench, Scripted, ScriptedThreads

TERMS = ClockTerms(move_time=0.4, first_move=0.4, grace=0.02)


async def reply(
    terms: ClockTerms, threads: ScriptedThreads, when_asked: Callable[[Scripted], None]
) -> Reply:
    """Returns what becomes of a question; *when_asked* is called once the bot has it."""

    class Session(Scripted):
        def send(self, questions, limit):
            super().send(questions, limit)
            when_asked(self)

    async def start(listener: Listener) -> Scripted:
        return Session(listener)

    async with RunningClock(threads=threads) as clock:
        bot = DirectBot(clock, terms)
        await bot.start(start)
        bench = Bench()
        bench.ask("m")
        question = read_question(message_of(bench.asks["m"], terms.move_time).data)
        [reply] = await bot.ask([question])
        return reply


def kind(reply: Reply) -> FaultKind | None:
    return reply.outcome.kind if isinstance(reply.outcome, Fault) else None


async def test_an_answer_is_judged_as_at_a_table() -> None:
    found = await reply(TERMS, ScriptedThreads(), lambda session: session.answer("m"))
    assert kind(found) is None


async def test_the_grace_is_no_more_than_half_of_the_time_allowed() -> None:
    terms = replace(TERMS, grace=600.0)
    assert kind(await reply(terms, ScriptedThreads(), lambda _: None)) is FaultKind.TIMEOUT


async def test_a_first_decision_has_the_move_time_at_least() -> None:
    terms = replace(TERMS, first_move=0.0)
    assert (await reply(terms, ScriptedThreads(), lambda _: None)).seconds >= terms.move_time


async def test_what_waits_for_a_processor_puts_the_judgement_off() -> None:
    most = most_credit(TERMS.move_time, TERMS.grace)
    threads = ScriptedThreads()
    threads.still = {(1, b"5 0 1")}
    found = await reply(TERMS, threads, lambda _: None)
    assert kind(found) is FaultKind.TIMEOUT
    assert found.seconds >= TERMS.move_time + most


async def test_a_bot_that_cannot_be_reached_when_its_time_is_over_has_crashed_and_is_not_late() -> (
    None
):
    def drop(session: Scripted) -> None:
        session.outage = "disconnected"

    found = await reply(TERMS, ScriptedThreads(), drop)
    assert found.outcome == Fault(FaultKind.CRASHED, "disconnected")
    assert found.seconds >= TERMS.move_time


async def test_a_connection_that_a_living_bot_closes_is_judged_as_at_a_table() -> None:
    def close(session: Scripted) -> None:
        session.report = EndReport(ran_on=True, stderr_tail="bye")
        session.listener.lost("UNAVAILABLE", disconnected=True, question=None)

    found = await reply(TERMS, ScriptedThreads(), close)
    assert found.outcome == Fault(FaultKind.PROTOCOL, "UNAVAILABLE", stderr_tail="bye")


async def test_an_answer_that_names_no_question_takes_none_from_one_that_does() -> None:
    def answer(session: Scripted) -> None:
        named = encode_answer(MakeBid(Bid.PASS), match_id="m", number=1)
        session.listener.answered([pb.Answer(), named])

    assert kind(await reply(TERMS, ScriptedThreads(), answer)) is None
