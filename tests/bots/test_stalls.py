"""When this host stands still: nobody is charged, nobody is at fault, and it is written down.

The bot is a script and the time is counted by hand, so every case is exact.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.bots.asks import StalledError
from referee.bots.clock import TICK
from referee.bots.lateness import MOST_CREDIT
from referee.bots.sessions import EndReport
from referee.bots.stalls import BREAKS, JUST_AFTER, MAX_REPEATS
from referee.bots.terms import CALL_MARGIN, ClockTerms
from referee.match import FaultKind
from tests.bots.scripted import Bench, settle


def lose(bench: Bench, *, report: EndReport | None = None) -> None:
    """Breaks the connection of the running bot."""
    bench.bot.report = report or EndReport()
    bench.bot.listener.lost("UNAVAILABLE", disconnected=True, question=None)


async def test_a_connection_lost_in_a_stall_is_made_again_and_the_same_is_asked() -> None:
    bench = Bench()
    bench.ask("a", "b")
    await settle()
    bench.time.pass_by(0.9)
    bench.time.stall(3.0)
    lose(bench)
    await settle()
    assert not bench.faults
    assert len(bench.sessions) == 2
    assert bench.bot.batches[0] == bench.sessions[0].batches[0], "the same ids and numbers"
    bench.time.pass_by(0.5)
    bench.bot.answer("a", "b")
    assert bench.choices["a"][1] == pytest.approx(0.25, abs=TICK), "the first time was free"
    assert bench.asks["a"].stalled == pytest.approx(3.0, abs=2 * TICK)
    assert bench.asks["a"].repeats == 1
    assert bench.line.cpu.decisions == 2, "one each, however often it was put"


async def test_a_process_that_ended_by_itself_in_a_stall_has_crashed_all_the_same() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.time.stall(3.0)
    lose(bench, report=EndReport("signal SIGSEGV", "oops"))
    await settle()
    fault, _ = bench.faults["m"]
    assert (fault.kind, fault.exit_status) == (FaultKind.CRASHED, "signal SIGSEGV")
    assert fault.stderr_tail == "oops"


async def test_a_process_that_runs_on_has_hung_up_itself_whatever_the_host_did() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.time.stall(3.0)
    lose(bench, report=EndReport(ran_on=True))
    await settle()
    assert bench.kinds == {"m": FaultKind.PROTOCOL}


@pytest.mark.parametrize(
    ("stall", "after"), [(BREAKS / 2, 0.0), (3.0, JUST_AFTER + 3.0)], ids=["short", "long-ago"]
)
async def test_a_stall_that_cannot_have_broken_it_excuses_nothing(
    stall: float, after: float
) -> None:
    bench = Bench(ClockTerms(move_time=60.0, grace=0.05))
    bench.time.stall(stall)
    bench.time.pass_by(after)
    bench.ask("m")
    await settle()
    lose(bench)
    await settle()
    assert bench.kinds == {"m": FaultKind.CRASHED}


async def test_what_was_said_wrongly_is_wrong_after_a_stall_too() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.time.stall(3.0)
    bench.bot.listener.lost("the bot ended the stream (OK)", disconnected=False, question=None)
    await settle()
    assert bench.kinds == {"m": FaultKind.PROTOCOL}


async def test_a_connection_found_broken_after_a_stall_costs_the_next_question_nothing() -> None:
    bench = Bench()
    bench.ask("a")
    await settle()
    bench.bot.answer("a")
    bench.time.stall(3.0)
    lose(bench)
    await settle()
    bench.ask("b")
    await settle()
    bench.bot.answer("b")
    assert not bench.faults
    assert set(bench.choices) == {"a", "b"}


async def test_too_many_stalls_over_one_question_end_its_table_and_blame_nobody() -> None:
    bench = Bench()
    bench.ask("m")
    for _ in range(MAX_REPEATS + 1):
        await settle()
        assert not bench.errors
        bench.time.stall(3.0)
        lose(bench)
    await settle()
    [error] = bench.errors
    assert isinstance(error, StalledError)
    assert "decision 1 could not be asked: this host stood still 4 times" in str(error)
    assert not bench.faults
    assert not bench.broken
    bench.ask("another")
    await settle()
    bench.bot.answer("another")
    assert set(bench.choices) == {"another"}, "the line goes on"


async def test_a_call_whose_deadline_ran_out_in_a_stall_is_made_again() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    [question] = bench.bot.batches[0]
    bench.time.pass_by(0.5)
    bench.time.stall(CALL_MARGIN + 1.0)
    bench.bot.listener.expired(question, "DEADLINE_EXCEEDED")
    await settle()
    assert not bench.faults
    assert [session.asked for session in bench.sessions] == [[("m", 1)]] * 2, "the first is busy"
    bench.time.pass_by(0.9)
    bench.bot.answer("m")
    assert bench.choices["m"][1] == pytest.approx(0.9, abs=TICK)


async def test_a_call_that_ran_out_of_time_without_a_stall_is_no_stall() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    [question] = bench.bot.batches[0]
    bench.bot.listener.expired(question, "DEADLINE_EXCEEDED")
    await settle()
    assert bench.kinds == {"m": FaultKind.PROTOCOL}


async def test_a_call_that_ends_after_its_question_was_judged_changes_nothing() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    [question] = bench.bot.batches[0]
    bench.time.pass_by(1.2)
    await settle()
    bench.bot.listener.expired(question, "DEADLINE_EXCEEDED")
    await settle()
    assert bench.kinds == {"m": FaultKind.TIMEOUT}
    assert len(bench.sessions) == 1


@pytest.mark.parametrize("is_remote", [True, False], ids=["remote", "here"])
async def test_after_a_sleep_of_the_machine_only_remote_bots_are_dialled_again(
    is_remote: bool,
) -> None:
    bench = Bench()
    bench.is_remote = is_remote
    bench.ask("m")
    await settle()
    bench.time.pass_by(0.9)
    bench.time.sleep(3600.0)
    await settle()
    assert len(bench.sessions) == 1 + is_remote
    bench.time.pass_by(0.05)
    bench.bot.answer("m")
    assert not bench.faults
    assert bench.choices["m"][1] == pytest.approx(0.05 if is_remote else 0.95, abs=2 * TICK)
    assert bench.asks["m"].stalled == pytest.approx(3600.0)
    assert (bench.time.clock.sleeps, bench.time.clock.stalls) == (1, 1)


async def test_a_start_that_a_stall_has_spoilt_is_tried_again() -> None:
    bench = Bench()
    bench.refuse_starts, bench.start_report = 2, EndReport()
    bench.stall_at_start = 3.0
    bench.ask("m")
    await settle()
    bench.bot.answer("m")
    assert not bench.faults
    assert bench.line.starts == 3


async def test_a_program_that_ends_at_its_start_has_not_started_though_the_host_stalled() -> None:
    bench = Bench()
    bench.refuse_starts, bench.stall_at_start = 1, 3.0
    bench.ask("m")
    await settle()
    assert bench.kinds == {"m": FaultKind.START}


async def test_a_handshake_that_was_answered_wrongly_is_no_fault_of_the_host() -> None:
    bench = Bench()
    bench.refuse_starts, bench.start_report = 1, EndReport()
    bench.stall_at_start, bench.answers_wrongly = 3.0, True
    bench.ask("m")
    await settle()
    assert bench.kinds == {"m": FaultKind.START}


async def test_starts_that_stalls_spoil_again_and_again_end_the_tables_that_wait_and_no_other() -> (
    None
):
    bench = Bench()
    bench.refuse_starts, bench.start_report = 1 + MAX_REPEATS, EndReport()
    bench.stall_at_start = 3.0
    bench.ask("m", "n")
    await settle()
    assert [type(error) for error in bench.errors] == [StalledError, StalledError]
    assert not bench.faults
    assert not bench.broken
    bench.ask("later")
    await settle()
    bench.bot.answer("later")
    assert set(bench.choices) == {"later"}, "the line goes on"


async def test_an_answer_that_waited_for_us_while_we_were_late_is_in_time() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.time.pass_by(1.0)
    bench.time.seconds += 0.09  # we are held up, too short for a stall
    bench.time.clock.tick()
    bench.bot.answer("m")
    await settle()
    assert not bench.faults
    assert bench.choices["m"][1] == pytest.approx(1.05), "and is charged no more than it had"


async def test_an_answer_that_had_not_come_when_everything_was_handled_is_late() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.time.pass_by(1.05 + 2 * TICK)
    await settle()
    bench.bot.answer("m")
    assert bench.kinds == {"m": FaultKind.TIMEOUT}
    assert bench.time.clock.stalls == 0


@pytest.mark.parametrize("who", ["we", "the bot"])
async def test_waiting_for_a_processor_is_no_lateness_up_to_half_a_second(who: str) -> None:
    for waited, late, kinds in (
        (0.3, 0.25, {}),
        (0.3, 0.35, {"m": FaultKind.TIMEOUT}),
        (30.0, 0.45, {}),
        (30.0, 0.55, {"m": FaultKind.TIMEOUT}),
    ):
        bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
        bench.ask("m")
        await settle()
        bench.time.pass_by(0.9)
        if who == "we":
            bench.time.threads.wait(waited)
        else:
            bench.bot.threads.wait(waited, thread=2)
        bench.time.pass_by(0.15 + late)
        await settle()
        bench.bot.answer("m")
        assert bench.kinds == kinds, (waited, late)


async def test_nothing_is_judged_while_a_thread_waits_whose_wait_is_not_counted_yet() -> None:
    for counted, kinds in ((0.3, {}), (0.1, {"m": FaultKind.TIMEOUT})):
        bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
        bench.ask("m")
        await settle()
        bench.time.pass_by(1.0)
        bench.bot.threads.still = {(2, b"5 0 1")}
        for _ in range(25):
            bench.time.pass_by(TICK)
            await settle()
        assert not bench.faults
        bench.bot.threads.still = set()
        bench.bot.threads.wait(counted, thread=2)
        bench.bot.answer("m")
        await settle()
        assert bench.kinds == kinds, counted


async def test_a_wait_that_ends_while_its_answer_is_judged_counts() -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
    bench.ask("m")
    await settle()
    bench.time.pass_by(1.0)
    bench.bot.threads.still = {(2, b"5 0 1")}
    bench.time.pass_by(0.1)
    await settle()
    bench.time.pass_by(TICK)  # its credit is reckoned, and before it is judged
    bench.bot.threads.still = set()
    bench.bot.threads.wait(0.3, thread=2)
    await settle()
    bench.bot.answer("m")
    await settle()
    assert not bench.faults


async def test_a_wait_explains_one_stall_and_not_the_next() -> None:
    bench = Bench()
    bench.time.clock.tick()
    bench.time.waited += 0.5
    bench.time.seconds += 0.5
    bench.time.clock.now()
    assert bench.time.clock.stalls == 0
    bench.time.seconds += 0.5
    bench.time.clock.now()
    assert bench.time.clock.stalls == 1


async def test_a_thread_that_works_or_that_waits_for_ever_defers_nothing() -> None:
    for works, until in ((True, 0.1), (False, MOST_CREDIT + 0.1)):
        bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
        bench.ask("m")
        await settle()
        bench.time.pass_by(1.0)
        for look in range(round(until / TICK)):
            bench.bot.threads.still = {(2, b"%d 0 1" % (look * works))}
            bench.time.pass_by(TICK)
            await settle()
        assert bench.kinds == {"m": FaultKind.TIMEOUT}, works


async def test_a_wait_in_the_time_of_an_earlier_answer_excuses_nothing_later() -> None:
    bench = Bench(ClockTerms(move_time=10.0, first_move=10.0, grace=0.05))
    bench.ask("a", "b", "c")
    await settle()
    bench.time.pass_by(9.8)
    bench.time.threads.wait(0.4)
    bench.bot.answer("b")
    bench.time.pass_by(10.3)
    await settle()
    assert bench.kinds == {"a": FaultKind.TIMEOUT}


async def test_a_host_that_is_kept_busy_has_not_stood_still() -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
    bench.ask("m")
    await settle()
    for _ in range(9):  # each time we are ready, and get no processor
        bench.time.waited += 0.19
        bench.time.stall(0.2)
        await settle()
    assert bench.time.clock.stalls == 0
    assert bench.kinds == {"m": FaultKind.TIMEOUT}


async def test_threads_that_give_way_by_choice_earn_nothing() -> None:
    for idle, kinds in ((set(), {}), ({2}, {"m": FaultKind.TIMEOUT})):
        bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
        bench.ask("m")
        await settle()
        bench.bot.threads.idle = idle
        bench.time.pass_by(0.6)
        bench.bot.threads.wait(0.4, thread=2)
        bench.time.pass_by(0.5)
        bench.bot.threads.still = {(2, b"5 0 1")}
        bench.time.pass_by(TICK)
        await settle()
        bench.bot.answer("m")
        await settle()
        assert bench.kinds == kinds, idle


async def test_a_table_that_ends_of_too_many_stalls_may_restart_its_bots() -> None:
    bench = Bench()
    bench.ask("m")
    bench.asks["m"].failed = lambda error: (bench.errors.append(error), bench.line.restart())
    for _ in range(MAX_REPEATS + 1):
        await settle()
        [question] = bench.bot.batches[0]
        bench.time.stall(3.0)
        bench.bot.listener.expired(question, "DEADLINE_EXCEEDED")
    await settle()
    assert [type(error) for error in bench.errors] == [StalledError]
    assert not bench.broken


async def test_a_stall_is_left_out_once_and_not_taken_for_waiting_too() -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
    bench.ask("m")
    await settle()
    bench.time.pass_by(0.9)
    bench.time.stall(0.3)
    bench.time.threads.wait(0.3)
    bench.time.pass_by(0.3)
    await settle()
    assert bench.kinds == {"m": FaultKind.TIMEOUT}


async def test_threads_of_a_bot_that_wait_for_each_other_earn_it_nothing() -> None:
    for used, kinds in ((0.0, {}), (0.3, {}), (0.8, {"m": FaultKind.TIMEOUT})):
        bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
        bench.ask("m")
        await settle()
        bench.time.pass_by(0.6)
        bench.bot.threads.used_in_all += used
        for thread in range(8):
            bench.bot.threads.wait(0.4, thread=thread)
        bench.time.pass_by(0.6)
        await settle()
        bench.bot.answer("m")
        assert bench.kinds == kinds, used


async def test_calls_that_are_written_one_after_the_other_put_off_the_clock_once() -> None:
    bench = Bench()
    bench.ask("a", "b", "c", "d", "e", "f", "g", "h")
    await settle()
    for question in bench.bot.batches[0]:
        bench.bot.listener.sent([question])
        bench.time.pass_by(0.1)
    bench.bot.answer("a")
    assert bench.choices["a"][1] == pytest.approx(0.8, abs=2 * TICK)


async def test_a_thread_that_ends_takes_no_credit_with_it() -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=1.0, grace=0.05))
    bench.time.threads.wait(5.0, thread=7)
    bench.ask("m")
    await settle()
    bench.time.pass_by(0.9)
    del bench.time.threads.seconds[7]
    bench.bot.threads.wait(0.3, thread=2)
    bench.time.pass_by(0.4)
    await settle()
    bench.bot.answer("m")
    assert not bench.faults


async def test_twice_a_short_limit_is_late_on_the_most_crowded_host_too() -> None:
    for late, kinds in ((0.2, {}), (0.25, {"m": FaultKind.TIMEOUT})):
        bench = Bench(ClockTerms(move_time=0.25, first_move=0.25, grace=0.25))
        bench.ask("m")
        await settle()
        bench.time.pass_by(0.1)
        bench.time.threads.wait(30.0)
        bench.time.pass_by(0.15 + late)
        await settle()
        bench.bot.answer("m")
        assert bench.kinds == kinds, late


async def test_waiting_for_a_processor_long_before_the_limit_excuses_nothing() -> None:
    bench = Bench(ClockTerms(move_time=10.0, first_move=10.0, grace=0.05))
    bench.ask("m")
    await settle()
    bench.time.pass_by(9.0)
    bench.time.threads.wait(5.0)
    bench.time.pass_by(1.1)
    await settle()
    assert bench.kinds == {"m": FaultKind.TIMEOUT}


@pytest.mark.parametrize(
    ("terms", "bank", "limit"),
    [
        (ClockTerms(move_time=1.0, first_move=1.0, grace=0.05), None, 1.0),
        (ClockTerms(move_time=0.5, first_move=0.5, grace=0.05), 1.0, 1.5),
        (ClockTerms(move_time=1.0, first_move=3.0, grace=0.05), None, 3.0),
    ],
    ids=["move-time", "bank", "first-move"],
)
async def test_in_every_form_of_clock_a_little_late_is_late_and_in_time_is_not(
    terms: ClockTerms, bank: float | None, limit: float
) -> None:
    for seconds, kinds in (
        (limit - 0.02, {}),
        (limit + 0.04, {}),
        (limit + 0.05 + 0.02, {"m": FaultKind.TIMEOUT}),
        (2 * limit, {"m": FaultKind.TIMEOUT}),
    ):
        bench = Bench(terms)
        bench.ask("m", bank=bank)
        await settle()
        bench.time.pass_by(seconds)
        await settle()
        bench.bot.answer("m")
        assert bench.kinds == kinds, seconds


async def test_a_bot_that_hangs_with_a_second_left_in_its_bank_is_late_after_about_that() -> None:
    bench = Bench(ClockTerms(move_time=0.1, first_move=0.1, grace=0.05))
    bench.ask("m", bank=1.0)
    await settle()
    bench.time.pass_by(1.1)
    await settle()
    assert not bench.faults
    bench.time.pass_by(0.1)
    await settle()
    fault, charge = bench.faults["m"]
    assert fault.kind is FaultKind.TIMEOUT
    assert charge == (pytest.approx(1.1), pytest.approx(1.0))


async def test_the_clock_starts_when_a_question_is_written_but_not_as_late_as_a_bot_likes() -> None:
    for written_after, charged in ((0.06, 0.44), (0.4, 0.4)):
        bench = Bench()
        bench.ask("m")
        await settle()
        bench.time.pass_by(written_after)
        bench.bot.listener.sent(bench.bot.batches[0])
        bench.time.pass_by(0.5 - written_after)
        bench.bot.answer("m")
        assert bench.choices["m"][1] == pytest.approx(charged, abs=TICK)


async def test_what_a_bot_uses_out_of_its_turn_is_told_apart_and_its_start_is_not_counted() -> None:
    bench = Bench()
    bench.cpu_at_start = 4.0
    bench.ask("warm")
    await settle()
    bot = bench.bot
    bot.answer("warm")
    bench.ask("a")
    await settle()
    use = bench.line.cpu
    assert (use.total, use.out_of_turn) == (0.0, 0.0), "what it took to start"
    bot.cpu_used = 4.5
    bot.answer("a")
    bot.cpu_used = 6.5
    bench.ask("b")
    await settle()
    bot.cpu_used = 6.25  # a child has ended
    bot.answer("b")
    assert (use.total, use.out_of_turn) == (pytest.approx(2.5), pytest.approx(2.0))
    bench.line.restart()
    await settle()
    bench.ask("c")
    await settle()
    bench.bot.cpu_used = 4.25
    bench.bot.answer("c")
    assert (use.total, use.out_of_turn) == (pytest.approx(2.75), pytest.approx(2.0))


async def test_a_bot_that_thinks_for_its_bids_alone_is_known_by_them() -> None:
    """By its mean it would look quick, and the bids of many tables would wait for each other."""
    bench = Bench()
    bench.cpu_at_start = used = 4.0
    for name, seconds in (("first", 5.0), ("bid", 1.2), ("play", 0.01), ("bid2", 1.1), ("b", 0.02)):
        bench.ask(name)
        await settle()
        used += seconds
        bench.bot.cpu_used = used
        bench.bot.answer(name)
    assert bench.line.cpu.longest == pytest.approx(1.1), "more than once, so it is a habit"
    bench.ask("x", "y", "z")
    await settle()
    bench.bot.cpu_used = used + 3.9
    bench.bot.answer("x", "y", "z")
    assert bench.line.cpu.longest == pytest.approx(1.2), "three in a batch share what they took"


async def test_the_moments_of_a_question_are_in_order() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.bot.listener.sent(bench.bot.batches[0])
    bench.bot.answer("m")
    ask = bench.asks["m"]
    assert 0.0 < ask.asked <= ask.handed <= ask.written <= ask.arrived


def spoil_a_start(bench: Bench) -> None:
    bench.refuse_starts, bench.stall_at_start, bench.start_report = 1, 2.0, EndReport()
    bench.ask("m")


def be_away_once(bench: Bench) -> None:
    bench.refuse_starts = 1
    bench.ask("first")


@pytest.mark.parametrize("trouble", [spoil_a_start, be_away_once])
async def test_a_remote_bot_that_has_decided_nothing_yet_has_its_first_decision_to_come(
    trouble: Callable[[Bench], None],
) -> None:
    """What counts is whether it has answered, not how often somebody tried to reach it."""
    bench = Bench(ClockTerms(move_time=1.0, first_move=10.0, grace=0.0))
    bench.is_remote = True
    trouble(bench)
    await settle()
    bench.stall_at_start = 0.0
    if "m" not in bench.asks:
        bench.ask("m")
    await settle()
    bench.time.pass_by(1.5)
    await settle()
    bench.bot.answer("m")
    await settle()
    assert "m" in bench.choices


async def test_a_remote_bot_asked_before_the_machine_slept_has_its_first_decision_still() -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=10.0, grace=0.0))
    bench.is_remote = True
    bench.ask("m")
    await settle()
    bench.time.sleep(60.0)
    await settle()
    assert len(bench.sessions) == 2
    bench.time.pass_by(1.5)
    await settle()
    bench.bot.answer("m")
    await settle()
    assert "m" in bench.choices
    bench.ask("n")
    await settle()
    bench.time.sleep(60.0)
    await settle()
    bench.time.pass_by(1.5)
    await settle()
    assert bench.kinds == {"n": FaultKind.TIMEOUT}, "it is known by now"
