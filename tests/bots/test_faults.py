"""One bot misbehaves at a table of three: it is named, nobody else is harmed, nothing is left."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from referee.bots.exits import KeeperError
from referee.bots.terms import CallStyle, ClockTerms
from referee.errors import BotError
from referee.match import load_matches, verify_match
from referee.rules import seed_key
from tournaments.results import TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Job, TableJob

FAULTY = Path(__file__).parents[1] / "faulty_bots"
CLOCK = ClockTerms(move_time=0.5, first_move=1.5, startup=20.0)
STYLES = ("unary", "stream")


def raw(kind: str, style: str) -> str:
    return f"cmd:{sys.executable} {FAULTY / 'raw.py'} {kind} {style}"


async def play_with(
    bot: str, *, deals: int = 8, call: str = "auto", tables: int = 1
) -> TableResult:
    """Returns what becomes of a match between *bot* and two honest bots; the last of *tables*."""
    job = Job(
        rules="tournament-3p all_pass=force_last",
        entrants={"honest": ("first_legal",), "bad": (bot,), "upright": ("first_legal",)},
        base=str(FAULTY),
        deals=deals,
        clock=CLOCK,
        call=CallStyle(call),
    )
    async with Arena(job) as arena:
        for number in range(tables):
            table = TableJob(number, 0, 0, tuple(job.entrants), seed_key(f"{number}").hex())
            done = await arena.result(table)
            assert done.problem == ""
    return done.result


def check(result: TableResult, kind: str) -> None:
    """Checks that the bad bot alone is charged, and that the record bears everything out."""
    assert {(fault.entrant, fault.kind) for fault in result.faults} == {("bad", kind)}
    assert result.ending == "forfeit"
    assert result.places[1] == 3
    [match] = load_matches(result.record.splitlines())
    verify_match(match)


@pytest.mark.parametrize("call", STYLES)
async def test_a_bot_that_sleeps_past_its_time_has_timeouts(call: str) -> None:
    check(await play_with("./sleeps.py", call=call), "timeout")


@pytest.mark.parametrize("call", STYLES)
async def test_a_bot_that_exits_has_crashed_with_its_exit_code_and_last_words(call: str) -> None:
    result = await play_with("./exits.py", call=call)
    check(result, "crashed")
    assert result.faults[0].exit_status == "exit code 3"
    assert "giving up" in result.faults[0].stderr_tail


@pytest.mark.parametrize("call", STYLES)
async def test_a_tile_that_is_not_held_is_illegal_and_the_legal_ones_are_named(call: str) -> None:
    result = await play_with("./plays_illegal.py", call=call)
    check(result, "illegal")
    assert "legal:" in result.faults[0].question
    assert result.faults[0].substitute.startswith("play ")
    assert result.faults[-1].substitute == "", "the last one had no substitute, it forfeited"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", ["empty", "no_choice", "status"])
async def test_an_empty_or_failed_answer_is_a_protocol_fault(kind: str, style: str) -> None:
    check(await play_with(raw(kind, style)), "protocol")


async def test_a_call_answered_with_another_decisions_number_is_a_protocol_fault() -> None:
    check(await play_with(raw("other_id", "unary")), "protocol")


async def test_a_stream_answer_to_a_question_never_asked_is_dropped_so_time_runs_out() -> None:
    check(await play_with(raw("other_id", "stream")), "timeout")


async def test_a_bot_that_ends_the_stream_has_a_protocol_fault() -> None:
    check(await play_with(raw("ends_stream", "stream")), "protocol")


async def test_answering_twice_changes_nothing() -> None:
    honest = await play_with(raw("plain", "stream"))
    double = await play_with(raw("two_at_once", "stream"))
    assert not double.faults
    assert double.record == honest.record


@pytest.mark.parametrize(
    ("bot", "problem"),
    [
        ("./breaks_at_once.py", "no model file"),
        (raw("wrong_nonce", "unary"), "another process"),
        (raw("wrong_version", "unary"), "moon.v0"),
        ("cmd:/no/such/program", "/no/such/program"),
    ],
)
async def test_a_bot_that_does_not_start_is_told_so_with_the_reason(bot: str, problem: str) -> None:
    job = Job(rules="tournament-3p", entrants={"bad": (bot,)}, base=str(FAULTY), clock=CLOCK)
    async with Arena(job) as arena:
        with pytest.raises(BotError, match="'bad' did not start") as error:
            await arena.start_all()
    assert problem in str(error.value)


async def test_a_bot_that_never_listens_is_given_up_after_its_start_up_budget() -> None:
    clock = ClockTerms(startup=1.0)
    job = Job("tournament-3p", {"bad": ("./never_listens.py",)}, str(FAULTY), clock=clock)
    async with Arena(job) as arena:
        with pytest.raises(BotError, match="within 1 s"):
            await arena.start_all()


async def test_a_bot_that_does_not_start_forfeits_and_the_others_keep_their_places() -> None:
    result = await play_with("./breaks_at_once.py")
    check(result, "start")
    assert result.places == (1, 3, 1), "level scores share a place; nobody gets a present"


async def test_a_bot_that_faulted_out_is_started_afresh_for_the_next_table() -> None:
    result = await play_with("./exits.py", tables=2)
    check(result, "crashed")


async def test_a_lost_keeper_breaks_the_arena_and_is_no_fault_of_a_bot() -> None:
    job = Job("tournament-3p", dict.fromkeys(("a", "b", "c"), ("first_legal",)), str(FAULTY))
    async with Arena(job) as arena:
        await arena.start_all()
        os.kill(arena.keeper.pid, signal.SIGKILL)
        with pytest.raises(KeeperError):
            await arena.result(TableJob(0, 0, 0, ("a", "b", "c"), seed_key("x").hex()))


async def test_a_bot_is_not_asked_to_play_by_rules_that_it_does_not_play() -> None:
    job = Job("tournament-3p", {"bad": ("./plays_pairs_only.py",)}, str(FAULTY), clock=CLOCK)
    async with Arena(job) as arena:
        with pytest.raises(BotError, match="plays only tournament-4p, and this is tournament-3p"):
            await arena.start_all()


async def test_what_a_bot_says_of_itself_reaches_the_terminal_as_one_printable_line() -> None:
    job = Job("tournament-3p", {"bad": (raw("hostile_words", "unary"),)}, str(FAULTY), clock=CLOCK)
    async with Arena(job) as arena:
        with pytest.raises(BotError) as error:
            await arena.start_all()
    assert "\x1b" not in str(error.value)
    assert len(str(error.value)) < 1000


async def test_answers_to_no_open_question_are_counted() -> None:
    job = Job(
        rules="tournament-3p all_pass=force_last",
        entrants={"a": ("first_legal",), "bad": (raw("two_at_once", "stream"),), "c": ("greedy",)},
        base=str(FAULTY),
        deals=1,
    )
    async with Arena(job) as arena:
        await arena.result(TableJob(0, 0, 0, tuple(job.entrants), seed_key("x").hex()))
        strays = arena.pool.strays
    assert set(strays) == {"bad"}
    assert strays["bad"] > 0
