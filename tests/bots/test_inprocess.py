"""Bots inside the program: the records and faults of a bot behind a socket, at no table's cost."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from referee.bots import inprocess
from referee.bots.contents import content_hash
from referee.bots.spec import BotKind, parse_bot
from referee.bots.terms import ClockTerms
from referee.errors import BotError, ConfigError
from referee.match import TableTerms, load_matches, verify_match
from referee.rules import derive_key, seed_key
from tests.e2e.inprocess import FOLDER, play, table_jobs, told
from tournaments.results import TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Done, Job, TableJob
from tournaments.runner.runner import Runner

FIXTURES = Path(__file__).parents[1] / "fixtures"
PATIENT = ClockTerms(move_time=60.0, first_move=60.0, startup=60.0)
MEEK = "inproc:sample_bots.first_legal:FirstLegal"
KELLEY = "kelley-3p"
CALLING = "tournament-3p led_suit=leader_calls"


def job_of(*bots: str, rules: str = "tournament-3p all_pass=force_last", **fields: object) -> Job:
    entrants = {name: (bot,) for name, bot in zip(("ann", "bob", "cyd"), bots, strict=True)}
    job = Job(rules=rules, entrants=entrants, base=str(FIXTURES), deals=6, clock=PATIENT)
    return msgspec.structs.replace(job, **fields)


def table_of(job: Job, number: int) -> TableJob:
    key = derive_key(seed_key("inside"), str(number)).hex()
    return TableJob(number, number, 0, tuple(job.entrants), key)


async def played(arena: Arena, tables: Sequence[TableJob]) -> list[TableResult]:
    """Returns what becomes of *tables*, which are all in play at once."""
    outcomes: list[Done] = await asyncio.gather(*(arena.result(table) for table in tables))
    assert [outcome.problem for outcome in outcomes] == [""] * len(tables)
    return [outcome.result for outcome in outcomes]


async def results_of(job: Job, tables: int = 1) -> list[TableResult]:
    async with Arena(job) as arena:
        return await played(arena, [table_of(job, number) for number in range(tables)])


def judged(results: Sequence[TableResult]) -> list[tuple[object, ...]]:
    """Returns all of *results* but what was measured and what only a process has."""
    return [
        (r.ending, r.scores, r.places, r.record, [
            (f.seat, f.kind, f.deal, f.decision, f.question, f.substitute,
             f.detail if f.kind in ("illegal", "protocol") else "")
            for f in r.faults
        ])
        for r in results
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("how", "rules", "kind"),
    [
        ("draws", KELLEY, ""),
        ("draws", CALLING, ""),
        ("raises", KELLEY, "crashed"),
        ("exits", KELLEY, "crashed"),
        ("bad_type", KELLEY, "crashed"),
        ("tires", KELLEY, "crashed"),
        ("bad_tile", KELLEY, "illegal"),
        ("bad_tile", CALLING, "illegal"),
        ("bad_bid", KELLEY, "illegal"),
        ("other_call", CALLING, "illegal"),
        ("bad_call", KELLEY, "protocol"),
        ("bad_call", CALLING, "protocol"),
    ],
)
async def test_what_a_bot_does_is_judged_inside_as_it_is_behind_a_socket(
    how: str, rules: str, kind: str
) -> None:
    inside, behind = [
        await results_of(
            job_of(MEEK, f"bad={bot}?how={how}", MEEK, rules=rules, table=TableTerms(1))
        )
        for bot in ("inproc:misbehaves:Misbehaves", "./misbehaves.py")
    ]
    assert judged(inside) == judged(behind)
    assert {fault.kind for result in inside for fault in result.faults} == ({kind} - {""})
    [match] = load_matches(inside[0].record.splitlines())
    verify_match(match)


async def test_after_a_forfeit_another_bot_comes_in_its_place() -> None:
    inside, behind = [], []
    for results, bot in ((inside, "inproc:misbehaves:Misbehaves"), (behind, "./misbehaves.py")):
        job = job_of(MEEK, f"bad={bot}?how=stiffens", MEEK, rules=KELLEY, table=TableTerms(0))
        async with Arena(job) as arena:
            for number in range(4):
                results.extend(await played(arena, [table_of(job, number)]))
    assert judged(inside) == judged(behind)
    assert [result.ending for result in inside] == ["forfeit"] * 4
    assert any(result.faults[0].decision > 6 for result in inside[1:])


async def test_what_a_bot_says_of_itself_is_said_inside_too() -> None:
    pair = ("inproc:misbehaves:Pairs",) * 2
    job = msgspec.structs.replace(
        job_of(MEEK, MEEK, MEEK), rules="tournament-4p", entrants={"ann": pair}
    )
    async with Arena(job) as arena:
        assert await arena.start_all() == {"ann": "Pairs 1.2 by nobody"}


@pytest.mark.parametrize("how", ["draws", "raises", "draws_short"])
async def test_a_bot_for_batches_is_charged_for_what_it_cannot_take_and_for_nothing_else(
    how: str,
) -> None:
    one, inside, behind = [
        await results_of(
            job_of(MEEK, f"bad={bot}?how={how}", MEEK, table=TableTerms(1), max_batch=most), 6
        )
        for bot, most in (
            ("inproc:together:Batched", 1),
            ("inproc:together:Batched", 256),
            ("./together.py", 256),
        )
    ]
    assert judged(inside) == judged(behind)
    assert judged(inside) == judged(one)
    assert any(result.faults for result in inside) == (how != "draws")


async def test_a_crash_shows_the_error_and_where_it_was() -> None:
    [result] = await results_of(job_of(MEEK, "inproc:misbehaves:Misbehaves?how=raises", MEEK))
    fault = result.faults[0]
    assert fault.detail == "raised ZeroDivisionError: integer division or modulo by zero"
    assert "misbehaves.py" in fault.stderr_tail
    assert "in raises" in fault.stderr_tail


async def test_what_a_bot_prints_stays_out_of_the_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    await results_of(job_of(MEEK, "inproc:misbehaves:Misbehaves", MEEK))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "asked 1\n" in printed.err


async def test_decisions_of_a_bot_inside_are_timed() -> None:
    [result] = await results_of(job_of(MEEK, MEEK, MEEK))
    for seat in json.loads(result.timings)["seats"]:
        assert sum(seat["buckets"].values()) > 0


async def test_a_table_of_many_thousand_decisions_needs_no_deeper_stack() -> None:
    [result] = await results_of(job_of(MEEK, MEEK, MEEK, deals=200))
    seats = json.loads(result.timings)["seats"]
    assert sum(sum(seat["buckets"].values()) for seat in seats) > 2 * sys.getrecursionlimit()


async def test_tables_without_end_leave_the_event_loop_its_turns() -> None:
    job = job_of(MEEK, MEEK, MEEK, deals=1)
    begun = 0
    many = 1000  # with no end of them the test would have none

    def begin(_: object = None) -> None:
        nonlocal begun
        begun += 1
        if begun < many:
            arena.play(table_of(job, begun), begin)

    async with Arena(job) as arena:
        for _ in range(3):
            begin()
        turns = 0
        while begun < many:
            await asyncio.sleep(0)
            turns += 1
    assert turns > 10


async def test_a_slice_of_no_time_still_brings_every_table_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = await results_of(job_of(MEEK, MEEK, MEEK), 4)
    monkeypatch.setattr(inprocess, "SLICE", 0.0)
    assert judged(await results_of(job_of(MEEK, MEEK, MEEK), 4)) == judged(usual)


async def test_a_bot_inside_plays_with_bots_behind_sockets() -> None:
    bots = ("./misbehaves.py", "inproc:misbehaves:Misbehaves", "greedy")
    mixed = await results_of(job_of(*bots), 8)
    apart = await results_of(job_of("./misbehaves.py", "m=./misbehaves.py", "greedy"), 8)
    assert judged(mixed) == judged(apart)


async def test_a_run_with_workers_has_the_records_of_one_loop_over_the_same_bots() -> None:
    entrants = {"ann": ("inproc:dice:Dice",), "bob": ("inproc:meek:Meek",), "cyd": ("./tall.py",)}
    job = Job(rules="tournament-3p", entrants=entrants, base=str(FOLDER), deals=2, clock=PATIENT)
    results: list[TableResult] = []
    tables = table_jobs(job, rounds=2)
    report = await Runner(job, tables, workers=2, on_results=results.extend).run()
    assert (report.problems, report.void) == ([], [])
    files = {
        name: (f"./{text.split(':')[1]}.py",) for name, (text,) in entrants.items() if ":" in text
    }
    plain = msgspec.structs.replace(job, entrants={**entrants, **files})
    assert told(results) == told(play(plain, table) for table in tables)


# What the objects of a bot share, and what they are told.


async def notes_of(job: Job, tables: Sequence[TableJob]) -> list[tuple[object, object, object]]:
    """Returns what `Told` noted while *tables* were played, one after another."""
    async with Arena(job) as arena:
        await arena.start_all()
        notes: list[tuple[object, object, object]] = sys.modules["misbehaves"].Told.notes
        notes.clear()
        for table in tables:
            await played(arena, [table])
        return list(notes)


async def test_no_object_of_a_bot_meets_a_deal_of_a_block_twice() -> None:
    job = job_of("inproc:misbehaves:Told", "bob=inproc:misbehaves:Told", MEEK)
    block = table_of(job, 0)
    names = tuple(job.entrants)
    turned = [
        msgspec.structs.replace(block, lane=lane, seats=names[lane:] + names[:lane])
        for lane in range(3)
    ]
    hands = defaultdict(set)
    for who, deal, hand in await notes_of(job, turned):
        if not isinstance(hand, str):
            hands[who, deal].add(hand)
    objects = {who for who, _ in hands}
    assert len(objects) == 6, "one for each lane of each of the two"
    for held in hands.values():
        # Whatever one object saw of a deal are the leavings of one hand.
        whole = max(held, key=len)
        assert all(hand.mask & ~whole.mask == 0 for hand in held)


async def test_a_pair_of_one_bot_is_two_objects() -> None:
    job = job_of(MEEK, MEEK, MEEK)
    pair = ("inproc:misbehaves:Told",) * 2
    entrants = {"ann": pair, "bob": (MEEK, MEEK)}
    job = msgspec.structs.replace(job, rules="tournament-4p", entrants=entrants)
    table = msgspec.structs.replace(table_of(job, 0), seats=("ann", "bob", "ann", "bob"))
    notes = await notes_of(job, [table])
    assert len({who for who, _, _ in notes}) == 2


async def test_a_bot_is_told_of_a_deal_before_it_is_asked_in_the_next() -> None:
    job = job_of("inproc:misbehaves:Told", MEEK, MEEK)
    notes = [(deal, what) for _, deal, what in await notes_of(job, [table_of(job, 0)])]
    ended = [deal for deal, what in notes if what == "ended"]
    assert ended == list(range(6))
    assert notes[-1] == (None, "over")
    asked = [deal for deal, what in notes[:-1]]
    assert asked == sorted(asked, key=lambda deal: deal if isinstance(deal, int) else -1)


async def test_a_bot_that_breaks_over_a_notice_is_charged_with_its_next_question() -> None:
    [result] = await results_of(job_of(MEEK, "inproc:misbehaves:Told?bad=yes", MEEK))
    assert [(fault.kind, fault.deal) for fault in result.faults] == [
        ("crashed", deal) for deal in (1, 2, 3)
    ]
    assert result.faults[0].detail == "raised RuntimeError: too much"


# Starting.


@pytest.mark.parametrize(
    ("bot", "problem"),
    [
        ("inproc:misbehaves:Misbehave", "did you mean 'Misbehaves'"),
        ("inproc:misbehaves:NO_BOT", "NO_BOT is no Bot"),
        ("inproc:misbehaves:Demanding", "no model file"),
        ("inproc:misbehaves:Pairs", "plays only tournament-4p, and this is tournament-3p"),
        ("inproc:misbehaves:Told?worse=yes", "parameter worse"),
        ("inproc:misbehaves:Told?bad=perhaps", "'perhaps' is not true or false"),
    ],
)
async def test_a_bot_inside_that_cannot_be_made_is_told_so_with_the_reason(
    bot: str, problem: str
) -> None:
    job = job_of(bot, MEEK, MEEK)
    async with Arena(job) as arena:
        with pytest.raises(BotError, match="'ann' did not start") as error:
            await arena.start_all()
        assert problem in str(error.value)
        [result] = await played(arena, [table_of(job, 0)])
    assert [fault.kind for fault in result.faults] == ["start"]
    assert result.places[0] == 3


async def test_a_module_that_breaks_when_it_is_loaded_is_a_bot_that_does_not_start(
    tmp_path: Path,
) -> None:
    (tmp_path / "moon_test_breaks.py").write_text("raise ValueError('half written')\n")
    job = job_of("inproc:moon_test_breaks:Any", MEEK, MEEK, base=str(tmp_path))
    async with Arena(job) as arena:
        with pytest.raises(BotError, match="half written") as error:
            await arena.start_all()
    assert "moon_test_breaks.py" in str(error.value), "it says where"


async def test_another_module_of_the_same_name_is_not_taken_for_the_bot(tmp_path: Path) -> None:
    job = job_of("inproc:misbehaves:Told", MEEK, MEEK)
    await results_of(job)
    (tmp_path / "misbehaves.py").write_text((FIXTURES / "misbehaves.py").read_text())
    path = [place for place in sys.path if place != str(FIXTURES)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", path)
        async with Arena(msgspec.structs.replace(job, base=str(tmp_path))) as arena:
            with pytest.raises(BotError, match="another module misbehaves is loaded"):
                await arena.start_all()


# Naming.


def test_a_bot_inside_is_named_by_its_class() -> None:
    spec = parse_bot("inproc:misbehaves:Told?bad=1", FIXTURES)
    assert (spec.kind, spec.name, spec.code) == (BotKind.INPROC, "Told?bad=1", "misbehaves:Told")
    assert (spec.cwd, spec.command) == (FIXTURES, ())
    assert parse_bot("old=inproc:misbehaves:Told", FIXTURES).name == "old"


def test_a_bot_is_found_and_told_from_others_without_running_any_of_it(tmp_path: Path) -> None:
    (tmp_path / "moon_test_pack").mkdir()
    for name in ("__init__", "mine"):
        (tmp_path / "moon_test_pack" / f"{name}.py").write_text("raise SystemExit('loaded')")
    assert content_hash(parse_bot("inproc:moon_test_pack.mine:Mine", tmp_path))
    with pytest.raises(ConfigError, match="there is no module"):
        parse_bot("inproc:moon_test_pack.yours:Mine", tmp_path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("inproc:misbehaves", "expected inproc:MODULE:CLASS"),
        ("inproc:misbehaves:", "expected inproc:MODULE:CLASS"),
        ("inproc:./misbehaves.py:Told", "expected inproc:MODULE:CLASS"),
        ("inproc:nowhere.at.all:Told", "there is no module nowhere.at.all"),
    ],
)
def test_a_text_that_names_no_class_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        parse_bot(text, FIXTURES)


def test_a_changed_module_is_another_bot(tmp_path: Path) -> None:
    def hashed() -> str:
        return content_hash(parse_bot("inproc:pack.mine:Mine", tmp_path))

    (tmp_path / "pack").mkdir()
    for name in ("__init__", "mine", "beside"):
        (tmp_path / "pack" / f"{name}.py").write_text("")
    first = hashed()
    assert hashed() == first
    (tmp_path / "pack" / "beside.py").write_text("x = 1")
    assert hashed() != first, "a module may use every other one of its package"
