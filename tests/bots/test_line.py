"""A line to a bot: what waits, whose time runs, and who is charged when something goes wrong.

The bot is a script and the time is counted by hand, so every case is exact.
"""

from __future__ import annotations

import pytest
from moon.v1 import bot_service_pb2 as pb

from referee.bots.asks import Ask, Charge
from referee.bots.clock import TICK
from referee.bots.life import MAX_FAILED_STARTS
from referee.bots.sessions import EndReport
from referee.bots.terms import ClockTerms
from referee.match import FaultKind
from referee.rules import Bid, MakeBid
from referee.wire.choices import encode_answer
from tests.bots.scripted import Bench, settle


async def test_an_answer_is_passed_on_with_the_time_it_took() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.time.pass_by(0.4)
    bench.bot.answer("m", bid=Bid.FOUR)
    choice, charged = bench.choices["m"]
    assert choice == MakeBid(Bid.FOUR)
    assert charged == pytest.approx(0.4, abs=TICK)


async def test_questions_that_come_together_leave_in_one_message() -> None:
    bench = Bench()
    bench.ask("a", "b", "c")
    await settle()
    assert [len(batch) for batch in bench.bot.batches] == [3]


async def test_no_more_is_out_than_the_window_allows() -> None:
    bench = Bench(window=2)
    bench.ask("a", "b", "c")
    await settle()
    assert bench.bot.asked == [("a", 1), ("b", 1)]
    bench.bot.answer("a", "b")
    await settle()
    assert bench.bot.asked[2:] == [("c", 1)]


async def test_what_comes_while_a_batch_is_out_leaves_in_one_message_after_it() -> None:
    bench = Bench()
    bench.ask("a", "b")
    await settle()
    bench.bot.answer("b")
    bench.ask("c")
    await settle()
    bench.ask("d")
    await settle()
    assert len(bench.bot.batches) == 1
    bench.bot.answer("a")
    await settle()
    assert bench.bot.asked[2:] == [("c", 1), ("d", 1)]
    assert len(bench.bot.batches) == 2


async def test_a_late_answer_is_a_timeout_and_never_the_answer_to_the_next_question() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.time.pass_by(1.2)
    await settle()
    assert bench.kinds == {"m": FaultKind.TIMEOUT}
    bench.question = bench.question._replace(number=2)
    bench.ask("m")
    await settle()
    bench.bot.answer("m", number=1, bid=Bid.SEVEN)
    assert not bench.choices
    assert bench.line.strays == 1
    bench.bot.answer("m", number=2, bid=Bid.FIVE)
    assert bench.choices["m"][0] == MakeBid(Bid.FIVE)


async def test_an_answer_within_the_grace_is_in_time() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.time.pass_by(1.02)
    bench.bot.answer("m")
    assert bench.choices
    assert not bench.faults


async def test_a_bot_is_not_charged_while_this_host_stands_still() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.time.pass_by(0.5)
    bench.time.stall(3.0)
    assert not bench.faults
    bench.bot.answer("m")
    assert bench.choices["m"][1] == pytest.approx(0.5, abs=0.1)
    assert bench.time.clock.stalls == 1


async def test_a_batch_has_one_move_time_for_each_answer_not_one_for_all() -> None:
    bench = Bench()
    bench.ask("a", "b", "c")
    await settle()
    for name in "abc":
        bench.time.pass_by(0.8)
        bench.bot.answer(name)
    assert set(bench.choices) == set("abc")
    assert not bench.faults


async def test_a_hanging_bot_is_charged_one_timeout_for_each_move_time() -> None:
    bench = Bench()
    bench.ask("a", "b", "c")
    await settle()
    bench.time.pass_by(1.1)
    await settle()
    assert bench.kinds == {"a": FaultKind.TIMEOUT}
    bench.time.pass_by(1.1)
    await settle()
    assert bench.kinds == {"a": FaultKind.TIMEOUT, "b": FaultKind.TIMEOUT}


async def test_the_bank_of_one_seat_is_no_time_for_another() -> None:
    """A bot could else think as long as the fullest bank at all of its tables, and never pay."""
    bench = Bench()
    bench.ask("rich", bank=4.0)
    bench.ask("poor", bank=0.0)
    await settle()
    bench.time.pass_by(4.5)
    await settle()
    assert not bench.faults, "the rich one may still be answered"
    bench.bot.answer("poor")
    await settle()
    fault, charge = bench.faults["poor"]
    assert (fault.kind, fault.detail) == (FaultKind.TIMEOUT, "no answer within 1 s; bank used up")
    assert charge == Charge(1.0, 0.0)
    bench.time.pass_by(0.9)
    bench.bot.answer("rich")
    assert bench.choices["rich"][1] == pytest.approx(0.9, abs=TICK)


async def test_an_answer_out_of_turn_may_be_late_by_what_its_way_waited_for_a_processor() -> None:
    bench = Bench()
    bench.ask("rich", bank=4.0)
    bench.ask("poor", bank=0.0)
    await settle()
    bench.time.pass_by(0.9)
    bench.time.threads.wait(0.3)
    bench.time.pass_by(0.3)
    bench.bot.answer("poor")
    assert "poor" in bench.choices
    assert not bench.faults


async def test_the_bank_of_the_seat_is_added_to_the_move_time() -> None:
    bench = Bench()
    bench.ask("m", bank=2.0)
    await settle()
    bench.time.pass_by(2.9)
    assert not bench.faults
    bench.time.pass_by(0.3)
    await settle()
    assert bench.kinds == {"m": FaultKind.TIMEOUT}


async def test_only_the_first_decision_of_a_process_has_the_first_move_budget() -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=4.0))
    bench.ask("a")
    await settle()
    bench.time.pass_by(3.0)
    bench.bot.answer("a")
    assert not bench.faults
    bench.ask("b")
    await settle()
    bench.time.pass_by(1.2)
    await settle()
    assert bench.kinds == {"b": FaultKind.TIMEOUT}


async def test_a_crash_over_one_question_is_charged_to_it_and_a_new_process_goes_on() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.bot.report = EndReport("signal 11 (SIGSEGV)", "oops")
    bench.bot.listener.lost("the process ended", disconnected=True, question=None)
    await settle()
    fault, _ = bench.faults["m"]
    assert (fault.kind, fault.exit_status, fault.stderr_tail) == (
        FaultKind.CRASHED,
        "signal 11 (SIGSEGV)",
        "oops",
    )
    bench.ask("n")
    await settle()
    assert len(bench.sessions) == 2
    bench.bot.answer("n")
    assert "n" in bench.choices


async def test_after_a_crash_over_many_only_the_question_that_kills_again_is_charged() -> None:
    bench = Bench()
    bench.ask("a", "bad", "c")
    await settle()
    bench.bot.listener.lost("the process ended", disconnected=True, question=None)
    await settle()
    assert not bench.faults
    assert bench.bot.asked == [("a", 1)], "suspects are asked one at a time"
    bench.bot.answer("a")
    await settle()
    assert bench.bot.asked == [("a", 1), ("bad", 1)]
    bench.bot.listener.lost("the process ended", disconnected=True, question=None)
    await settle()
    assert bench.kinds == {"bad": FaultKind.CRASHED}
    bench.bot.answer("c")
    assert set(bench.choices) == {"a", "c"}
    bench.ask("d", "e")
    await settle()
    assert [q.match_id for q in bench.bot.batches[-1]] == ["d", "e"], (
        "what killed it is found: many again"
    )


async def lost_for_nothing() -> Bench:
    """Returns a line whose process was lost over two questions, and over neither put alone."""
    bench = Bench()
    bench.ask("a", "b")
    await settle()
    bench.bot.listener.lost("the process ended", disconnected=True, question=None)
    await settle()
    for match in ("a", "b"):
        bench.bot.answer(match)
        await settle()
    return bench


async def test_a_bot_that_dies_of_many_questions_is_asked_alone_until_one_can_be_charged() -> None:
    """Else it could be lost for nothing again and again, and each time have a first decision."""
    bench = await lost_for_nothing()
    bench.ask("c", "d")
    await settle()
    assert [q.match_id for q in bench.bot.batches[-1]] == ["c"]
    bench.bot.listener.lost("the process ended", disconnected=True, question=None)
    await settle()
    assert bench.kinds == {"c": FaultKind.CRASHED}


async def test_a_bot_that_was_lost_for_nothing_and_ends_by_itself_is_asked_many_again() -> None:
    bench = await lost_for_nothing()
    bench.bot.listener.lost("the process ended", disconnected=True, question=None)
    await settle()
    bench.ask("c", "d", "e")
    await settle()
    assert bench.kinds == {"c": FaultKind.CRASHED}, "which pays for it"
    assert [q.match_id for q in bench.bot.batches[-1]] == ["d", "e"]


async def test_suspects_that_were_judged_unasked_slow_nobody_down_afterwards() -> None:
    bench = Bench()
    bench.ask("a", "bad", "c")
    await settle()
    bench.refuse_starts = 1
    bench.bot.listener.lost("the process ended", disconnected=True, question=None)
    await settle()
    assert set(bench.kinds.values()) == {FaultKind.START}
    bench.ask("d", "e", "f")
    await settle()
    assert [len(batch) for batch in bench.bot.batches] == [3]


async def test_a_call_that_fails_is_charged_to_its_own_question_and_no_other_is_suspected() -> None:
    bench = Bench()
    bench.ask("a", "bad", "c")
    await settle()
    question = bench.bot.batches[0][1]
    bench.bot.listener.lost("INTERNAL: oops", disconnected=False, question=question)
    await settle()
    assert bench.kinds == {"bad": FaultKind.PROTOCOL}
    assert [[q.match_id for q in batch] for batch in bench.bot.batches] == [["a", "c"]]


async def test_a_call_that_fails_as_the_process_ends_says_nothing_of_its_question() -> None:
    """All calls of a process that died fail, and which is told first is chance."""
    bench = Bench()
    bench.ask("a", "b")
    await settle()
    bench.bot.report = EndReport("signal SIGSEGV")
    question = bench.bot.batches[0][1]
    bench.bot.listener.lost("INTERNAL: oops", disconnected=False, question=question)
    await settle()
    assert not bench.faults
    assert bench.bot.asked == [("a", 1)]


async def test_when_the_link_to_another_machine_is_lost_the_oldest_question_pays_alone() -> None:
    bench = Bench()
    bench.is_remote = True
    bench.ask("a", "b", "c")
    await settle()
    bench.bot.listener.lost("disconnected", disconnected=True, question=None)
    await settle()
    assert bench.kinds == {"a": FaultKind.CRASHED}
    assert bench.bot.asked == [("b", 1), ("c", 1)], "no question is suspected"


async def test_a_broken_stream_of_a_living_process_is_a_protocol_fault() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.bot.listener.lost("the bot ended the stream (OK)", disconnected=False, question=None)
    await settle()
    assert bench.kinds == {"m": FaultKind.PROTOCOL}
    assert bench.sessions[0].ended, "what cannot be spoken with is ended"


async def test_a_bot_that_ends_between_questions_is_charged_the_next_one() -> None:
    bench = Bench()
    bench.ask("a")
    await settle()
    bench.bot.answer("a")
    bench.bot.report = EndReport("exit code 0")
    bench.bot.listener.lost("the process ended", disconnected=True, question=None)
    await settle()
    bench.ask("b")
    await settle()
    assert bench.kinds == {"b": FaultKind.CRASHED}


async def test_what_an_ended_process_still_says_is_nobodys_answer() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    old = bench.bot
    bench.line.restart()
    await settle()
    old.answer("m")
    assert not bench.choices
    assert bench.bot is not old
    bench.bot.answer("m")
    assert "m" in bench.choices


async def test_a_restart_charges_nobody_and_asks_again() -> None:
    bench = Bench()
    bench.ask("a", "b")
    await settle()
    bench.line.restart()
    await settle()
    assert bench.bot.asked == [("a", 1), ("b", 1)]
    assert not bench.faults


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        pytest.param(pb.Answer(), "is unset", id="nothing-at-all"),
        pytest.param(pb.Answer(match_id="m", decision_number=1), "unset", id="no-choice"),
        pytest.param(
            pb.Answer(match_id="m", decision_number=1, bid=0), "unspecified", id="zero-is-no-pass"
        ),
        pytest.param(pb.Answer(match_id="m", decision_number=1, play=1), "bid", id="other-kind"),
    ],
)
async def test_an_answer_that_does_not_fit_is_a_protocol_fault(
    answer: pb.Answer, problem: str
) -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.bot.listener.answered([answer])
    await settle()
    fault, _ = bench.faults["m"]
    assert fault.kind is FaultKind.PROTOCOL
    assert problem in fault.detail
    assert bench.bot.ended, "who cannot be understood is not asked again"


async def test_who_answers_one_question_in_a_way_that_does_not_fit_is_charged_for_that_alone() -> (
    None
):
    bench = Bench()
    bench.ask("a", "b", "c")
    await settle()
    answer = encode_answer(MakeBid(Bid.PASS), match_id="a", number=1)
    bench.bot.listener.answered([answer, pb.Answer(match_id="b", decision_number=1)])
    await settle()
    assert set(bench.choices) == {"a"}
    assert bench.kinds == {"b": FaultKind.PROTOCOL}
    assert bench.sessions[0].ended
    assert bench.sessions[1].asked == [("c", 1)], "it is put to the next process"


async def test_a_connection_that_breaks_while_the_process_runs_on_is_a_protocol_fault() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.bot.report = EndReport(ran_on=True)
    bench.bot.listener.lost("UNAVAILABLE: closed", disconnected=True, question=None)
    await settle()
    assert bench.kinds == {"m": FaultKind.PROTOCOL}


async def test_what_breaks_in_asking_is_passed_on_and_charged_to_nobody() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    error = RuntimeError("no more descriptors")
    bench.bot.listener.failed(error)
    await settle()
    assert bench.broken == [error]
    assert not bench.faults


async def test_an_answer_to_no_question_is_dropped_and_counted() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.bot.answer("another match")
    bench.bot.answer("m", number=7)
    assert bench.line.strays == 2
    assert not bench.faults
    bench.bot.answer("m")
    assert "m" in bench.choices


async def test_a_bot_that_does_not_start_faults_everything_that_waits() -> None:
    bench = Bench()
    bench.refuse_starts = 1
    bench.ask("a", "b")
    await settle()
    assert bench.kinds == {"a": FaultKind.START, "b": FaultKind.START}
    assert bench.faults["a"][0].stderr_tail == "not found"


async def test_a_bot_that_never_starts_is_not_tried_for_ever() -> None:
    bench = Bench()
    bench.refuse_starts = 100
    for number in range(MAX_FAILED_STARTS + 4):
        bench.ask(f"m{number}")
        await settle()
    assert len(bench.faults) == MAX_FAILED_STARTS + 4
    assert bench.line.starts == MAX_FAILED_STARTS


async def test_a_hundred_timeouts_in_a_row_do_not_wear_the_line_out() -> None:
    bench = Bench()
    for number in range(100):
        bench.ask(f"m{number}")
        await settle()
        bench.time.pass_by(1.1)
        await settle()
    assert len(bench.faults) == 100
    bench.ask("good")
    await settle()
    bench.bot.answer("good")
    assert "good" in bench.choices


async def test_what_is_not_the_bots_fault_is_charged_to_nobody_and_told_to_the_owner() -> None:
    bench = Bench()
    bench.break_starts = True
    bench.ask("m")
    await settle()
    assert [str(error) for error in bench.broken] == ["no keeper"]
    assert not bench.faults


async def test_a_process_that_ends_just_after_its_handshake_is_not_waited_for() -> None:
    bench = Bench()
    await bench.line.warm_up()
    bench.bot.listener.lost("the process ended", disconnected=True, question=None)
    bench.ask("m")
    await settle()
    assert bench.kinds == {"m": FaultKind.CRASHED}
    bench.ask("n")
    await settle()
    bench.bot.answer("n")
    assert "n" in bench.choices


async def test_a_fault_of_a_living_bot_comes_with_what_it_wrote_last() -> None:
    bench = Bench()
    bench.ask("m")
    await settle()
    bench.bot.answer("m", bid=Bid.DOUBLE_MOON)
    await settle()
    fault, _ = bench.faults["m"]
    assert (fault.kind, fault.stderr_tail) == (FaultKind.ILLEGAL, "last words")


async def test_a_late_question_is_charged_its_limit_and_the_next_one_began_then() -> None:
    bench = Bench(ClockTerms(move_time=2.0, first_move=2.0, grace=0.05))
    bench.ask("late", "next", bank=10.0)
    await settle()
    bench.time.pass_by(12.4)
    await settle()
    bench.bot.answer("late", "next")
    await settle()
    fault, charge = bench.faults["late"]
    assert fault.kind is FaultKind.TIMEOUT
    assert charge == (pytest.approx(12.0), pytest.approx(10.0))
    assert bench.choices["next"][1] == pytest.approx(0.35, abs=TICK), "however late we looked"


async def test_the_late_failure_of_a_call_is_not_charged_to_the_next_question() -> None:
    bench = Bench()
    bench.ask("a")
    await settle()
    [call] = bench.bot.batches[0]
    bench.time.pass_by(1.2)
    bench.ask("b")
    await settle()
    bench.bot.listener.lost("UNKNOWN", disconnected=False, question=call)
    await settle()
    assert bench.kinds == {"a": FaultKind.TIMEOUT}
    assert len(bench.sessions) == 2, "what cannot be spoken with is ended"
    bench.bot.answer("b")
    assert "b" in bench.choices


async def test_a_question_that_cannot_be_put_is_our_fault_and_the_others_go_on() -> None:
    bench = Bench(ClockTerms(move_time=1e9, first_move=1e9))
    bench.ask("m")
    await settle()
    assert len(bench.errors) == 1
    assert not bench.faults
    assert not bench.broken


async def test_a_bot_that_never_answers_has_the_first_move_budget_once() -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=4.0, grace=0.05))
    bench.ask("a", "b")
    await settle()
    bench.time.pass_by(4.2)
    await settle()
    assert set(bench.faults) == {"a"}
    bench.time.pass_by(1.1)
    await settle()
    assert set(bench.faults) == {"a", "b"}


async def test_warming_up_is_not_taken_from_the_bank() -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=4.0, grace=0.05))
    charges: list[Charge] = []
    bench.line.ask(
        Ask(
            "m",
            bench.question,
            10.0,
            None,
            lambda _, charge: charges.append(charge),
            lambda fault, _: None,
            bench.errors.append,
        )
    )
    await settle()
    bench.time.pass_by(3.0)
    bench.bot.answer("m")
    [charge] = charges
    assert charge == (pytest.approx(3.0, abs=0.1), 0.0)


async def test_answers_to_nothing_make_no_answer_cheaper() -> None:
    bench = Bench()
    bench.ask("a", "b", "c")
    await settle()
    bench.time.pass_by(0.3)
    answer = encode_answer(MakeBid(Bid.PASS), match_id="a", number=1)
    stray = encode_answer(MakeBid(Bid.PASS), match_id="nobody", number=1)
    bench.bot.listener.answered([answer, stray, stray])
    assert bench.choices["a"][1] == pytest.approx(0.3, abs=TICK)


async def test_an_answer_that_names_no_question_is_paid_for_by_the_one_that_waited_longest() -> (
    None
):
    """Were nobody charged, a bot could have all its questions put again whenever it liked."""
    bench = Bench()
    bench.ask("a", "b", "c")
    await settle()
    named = encode_answer(MakeBid(Bid.PASS), match_id="a", number=1)
    bench.bot.listener.answered([pb.Answer(), named])
    await settle()
    assert set(bench.choices) == {"a"}, "what another answers is not taken from it"
    assert bench.kinds == {"b": FaultKind.PROTOCOL}
    assert [session.ended for session in bench.sessions] == [True, False]
    assert bench.bot.asked == [("c", 1)]
    bench.bot.answer("c")
    assert set(bench.choices) == {"a", "c"}


@pytest.mark.parametrize("is_remote", [True, False], ids=["remote", "here"])
async def test_a_bot_that_ran_on_elsewhere_has_no_second_first_decision(is_remote: bool) -> None:
    bench = Bench(ClockTerms(move_time=1.0, first_move=10.0, grace=0.05))
    bench.is_remote = is_remote
    bench.ask("a", "b")
    await settle()
    bench.bot.listener.answered([pb.Answer()])
    await settle()
    bench.time.pass_by(2.0)
    await settle()
    late = {"b": FaultKind.TIMEOUT} if is_remote else {}
    assert bench.kinds == {"a": FaultKind.PROTOCOL, **late}
