"""A link that drops: what is asked again, what is charged, and when the bot counts as lost."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from referee.bots.asks import Ask, Charge, Sending
from referee.bots.clock import TICK, RunningClock
from referee.bots.keeper_client import Keeper
from referee.bots.outstanding import Outstanding
from referee.bots.pool import BotPool, LineKey
from referee.bots.remotes import Way
from referee.bots.sessions import SessionTerms
from referee.bots.spec import parse_bot
from referee.bots.terms import CallStyle, ClockTerms
from referee.match import Fault, FaultKind
from referee.rules import MakeBid
from referee.sdk.server import LONG
from tests.bots.scripted import Bench, settle
from tests.remote.far import RULES, TERMS, Meek, Outcomes, cable_to, line_to, served, until

STYLES = [CallStyle.STREAM, CallStyle.UNARY]


@pytest.mark.parametrize("style", STYLES)
async def test_a_link_that_drops_while_the_bot_thinks_is_made_again_and_asks_again(
    style: CallStyle,
) -> None:
    bot = Meek()
    with served(bot) as target:
        async with (
            cable_to(target) as (cable, address),
            line_to(f"grpc://{address}", style=style) as far,
        ):
            bot.free.clear()
            asking = asyncio.create_task(far.ask("m"))
            await until(lambda: bot.asked == 1, "the bot is asked")
            cable.cut()
            bot.free.set()
            choice, charge = await asking
            assert isinstance(choice, MakeBid), "no fault"
            assert charge.seconds > 0
            assert cable.links == 2, "the same question, over another connection"
            assert far.line.starts == 1
            assert far.line.strays == 0


@pytest.mark.parametrize("style", STYLES)
async def test_a_link_that_drops_late_in_a_long_thought_costs_none_of_it(style: CallStyle) -> None:
    bot = Meek()
    with served(bot) as target:
        async with (
            cable_to(target) as (cable, address),
            line_to(f"grpc://{address}", style=style) as far,
        ):
            bot.free.clear()
            asking = asyncio.create_task(far.ask("m"))
            await until(lambda: bot.asked == 1, "the bot is asked")
            await asyncio.sleep(2 * LONG)
            cable.cut()
            await until(lambda: cable.links == 2, "the link is made again")
            bot.free.set()
            choice, _ = await asking
            assert isinstance(choice, MakeBid), "no fault"
            assert bot.asked == 1, "asked again, the bot did not think again"


@pytest.mark.parametrize("style", STYLES)
async def test_a_link_that_drops_between_questions_is_nobodys_fault(style: CallStyle) -> None:
    bot = Meek()
    with served(bot) as target:
        async with (
            cable_to(target) as (cable, address),
            line_to(f"grpc://{address}", style=style) as far,
        ):
            await far.ask("m")
            cable.cut()
            choice, _ = await far.ask("n")
            assert isinstance(choice, MakeBid)
            assert bot.asked == 2


async def test_a_link_that_drops_while_a_known_bot_is_greeted_again_is_made_again() -> None:
    bot = Meek()
    with served(bot) as target:
        async with cable_to(target) as (cable, address), line_to(f"grpc://{address}") as far:
            await far.ask("m")
            cable.cut(for_good=True)
            far.line.restart()  # as after a fault: the next question needs a new session
            asked = asyncio.create_task(far.ask("n"))
            await asyncio.sleep(0.5)
            assert not asked.done()
            cable.plugged = True
            choice, _ = await asked
            assert isinstance(choice, MakeBid), choice


async def test_an_error_of_ours_in_making_the_link_again_is_not_charged_to_the_bot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bot = Meek()

    def fail(_: Way) -> None:
        raise OSError("too many open files")

    async def ask_without_files() -> None:
        with served(bot) as target:
            async with (
                cable_to(target) as (cable, address),
                line_to(f"grpc://{address}") as far,
            ):
                bot.free.clear()
                asking = asyncio.create_task(far.ask("m"))
                await until(lambda: bot.asked == 1, "the bot is asked")
                monkeypatch.setattr(Way, "open", fail)
                cable.cut()
                assert far.broken is not None
                try:
                    await asyncio.wait({far.broken, asking}, return_when="FIRST_COMPLETED")
                    assert not asking.done()
                    await far.broken
                finally:
                    bot.free.set()
                    asking.cancel()

    with pytest.raises(OSError, match="too many open files"):
        await ask_without_files()


def slowly() -> float:
    """Returns a time that goes half as fast, as on a host that stands still now and then."""
    return time.monotonic() / 2


@pytest.mark.parametrize("style", STYLES)
async def test_a_bot_that_is_not_back_in_its_time_has_crashed_disconnected(
    style: CallStyle,
) -> None:
    bot = Meek()
    terms = replace(TERMS, move_time=0.6, first_move=0.6)
    with served(bot) as target:
        async with (
            cable_to(target) as (cable, address),
            line_to(f"grpc://{address}", terms, style=style, monotonic=slowly) as far,
        ):
            bot.free.clear()
            asking = asyncio.create_task(far.ask("m"))
            await until(lambda: bot.asked == 1, "the bot is asked")
            cable.cut(for_good=True)
            fault, charge = await asking
            bot.free.set()
            assert isinstance(fault, Fault)
            assert fault.kind is FaultKind.CRASHED
            assert charge == Charge(0.6), "lost once its time is over, and not before"
            assert fault.detail.startswith("disconnected, and not back in time: UNAVAILABLE")
            cable.plugged = True
            choice, _ = await far.ask("n", bank=20.0)
            assert isinstance(choice, MakeBid), "the next question finds it again"
            assert far.line.starts == 2


async def test_what_was_judged_is_not_asked_again_when_the_link_comes_back() -> None:
    bot = Meek()
    terms = replace(TERMS, move_time=0.3, first_move=0.3)
    with served(bot) as target:
        async with (
            cable_to(target) as (cable, address),
            line_to(f"grpc://{address}", terms, style=CallStyle.STREAM) as far,
        ):
            bot.free.clear()
            fault, _ = await far.ask("m")
            assert isinstance(fault, Fault)
            assert fault.kind is FaultKind.TIMEOUT
            await until(lambda: bot.asked == 1, "the bot has begun to think")
            cable.cut()
            bot.free.set()
            choice, _ = await far.ask("n", bank=20.0)
            assert isinstance(choice, MakeBid)
            assert bot.asked == 2


class HeldTime:
    """A time that goes as ever until it is held, and then only by hand."""

    def __init__(self) -> None:
        self.held: float | None = None

    def __call__(self) -> float:
        return time.monotonic() if self.held is None else self.held

    def pass_by(self, seconds: float, clock: RunningClock) -> None:
        """Lets time go by, now that it is held, for a *clock* that looks all the while."""
        for _ in range(round(seconds / TICK)):
            assert self.held is not None
            self.held += TICK
            clock.look()


@pytest.mark.parametrize("bank", [None, 20.0])
async def test_a_link_that_drops_after_one_of_a_batch_was_late_gives_the_rest_no_new_clock(
    bank: float | None,
) -> None:
    bot, now = Meek(), HeldTime()
    terms = replace(TERMS, move_time=1.5, first_move=20.0)
    with served(bot) as target:
        async with (
            cable_to(target) as (cable, address),
            line_to(f"grpc://{address}", terms, style=CallStyle.STREAM, monotonic=now) as far,
        ):
            assert far.clock is not None
            await far.ask("warm")
            bot.free.clear()
            late, other = (asyncio.create_task(far.ask(*of)) for of in (("a",), ("b", bank)))
            fault, _ = await late
            now.held = now()
            assert isinstance(fault, Fault)
            assert fault.kind is FaultKind.TIMEOUT
            before = cable.links
            now.pass_by(0.2, far.clock)
            cable.cut()
            await until(lambda: cable.links > before, "the link is made again")
            now.pass_by(0.1, far.clock)
            bot.free.set()
            choice, charge = await other
            assert isinstance(choice, MakeBid)
            assert 0.3 <= charge.seconds < 1.5, "its clock ran on"
            assert far.line.starts == 1
            assert far.line.strays == 0, "what was late is not asked again"


async def test_a_bot_out_of_reach_is_lost_by_the_clock_of_the_line_which_leaves_stalls_out() -> (
    None
):
    bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
    bench.is_remote = True
    bench.ask("a", "b")
    await settle()
    bench.bot.outage = "disconnected"
    bench.time.pass_by(0.8)
    for _ in range(2):
        bench.time.stall(0.3)
    bench.time.pass_by(0.2)
    await settle()
    assert not bench.faults
    bench.time.pass_by(0.1)
    await settle()
    charge = Charge(1.05, pytest.approx(0.05))  # type: ignore[arg-type]
    assert bench.faults == {"a": (Fault(FaultKind.CRASHED, "disconnected"), charge)}
    assert [session.asked for session in bench.sessions] == [[("a", 1), ("b", 1)], [("b", 1)]]


async def test_an_answer_that_comes_when_the_bot_is_lost_already_costs_no_other_table() -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
    bench.is_remote = True
    bench.ask("a", "b")
    await settle()
    bench.bot.outage = "disconnected"
    bench.time.threads.still = {(1, b"waits")}  # so that the judgement is put off
    bench.time.pass_by(1.1)
    await settle()
    assert not bench.faults
    bench.bot.answer("a")
    await settle()
    assert bench.kinds == {"a": FaultKind.CRASHED}
    assert bench.bot.asked == [("b", 1)]


# What the way may take.


def asked(bank: float | None) -> Ask:
    def ignore(*_: object) -> None:
        pass

    question = Outcomes(None)._question  # type: ignore[arg-type]
    return Ask("m", question, bank, None, ignore, ignore, ignore)


def test_the_way_is_allowed_for_and_not_taken_from_the_bank() -> None:
    terms = ClockTerms(move_time=1.0, first_move=1.0, grace=0.05, network=0.25)
    for seconds, from_bank in ((1.2, 0.0), (1.75, 0.5)):
        clock = Outstanding(terms)
        clock.add([asked(bank=2.0)], Sending(0.0, 0.0), 0.0)
        assert clock.overdue(seconds) is None
        charge = clock.charge(seconds)
        assert charge.seconds == pytest.approx(seconds)
        assert charge.from_bank == pytest.approx(from_bank)
    assert clock.overdue(3.29) is None
    late = clock.overdue(3.31)
    assert late is not None
    assert late.charge == Charge(3.25, 2.0), "who is late has used all it had, and the whole bank"
    assert late.allowed == pytest.approx(3.25)


async def test_only_remote_bots_get_the_time_for_the_way() -> None:
    terms = ClockTerms(move_time=0.001, first_move=0.001, grace=0.0, network=20.0)
    bot = Meek()
    bot.free.clear()
    with served(bot) as address:
        entrants = {
            "far": [parse_bot(f"grpc://{address}", Path())],
            "here": [parse_bot("sampler", Path())],
        }
        async with (
            Keeper() as keeper,
            RunningClock() as clock,
            BotPool(entrants, keeper, clock, terms, sessions=SessionTerms(RULES, 20.0)) as pool,
        ):
            far, here = pool.seat([LineKey("far", 0, 0), LineKey("here", 0, 0)])
            asking = asyncio.create_task(Outcomes(far).ask("m"))  # type: ignore[arg-type]
            fault, _ = await Outcomes(here).ask("m")  # type: ignore[arg-type]
            assert isinstance(fault, Fault)
            assert fault.kind is FaultKind.TIMEOUT
            await until(lambda: bot.asked, "the remote bot is asked")
            bot.free.set()
            choice, _ = await asking
            assert isinstance(choice, MakeBid)
