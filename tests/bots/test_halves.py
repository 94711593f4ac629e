"""Entrants of two halves: one bot bids, another plays, and they are two players at one seat."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from referee.bots.asks import Charge
from referee.bots.contents import content_hash
from referee.bots.names import entrant_names
from referee.bots.pool import LineKey
from referee.bots.spec import BotKind, parse_bot
from referee.bots.tables import TableInPlay
from referee.bots.terms import ClockTerms
from referee.errors import BotError, ConfigError
from referee.match import (
    Match,
    MatchReferee,
    TableTerms,
    Terms,
    dump_match,
    load_matches,
    verify_match,
)
from referee.rules import Kind, parse_rules, seed_key
from referee.sdk import View
from referee.sdk.asking import ask as ask_bot
from tests.bots.test_tables import Seat, throw
from tests.e2e.bots.dice import Dice
from tests.e2e.bots.tall import Tall
from tests.e2e.inprocess import FOLDER
from tournaments.config import parse_config
from tournaments.results import TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Job, TableJob, job_of

FIXTURES = Path(__file__).parents[1] / "fixtures"
SPLIT = "inproc:tall:Tall / inproc:dice:Dice"
JOB = Job(
    rules="tournament-3p",
    entrants={"ann": (SPLIT,), "bob": ("inproc:dice:Dice / inproc:tall:Tall",), "cyd": (SPLIT,)},
    base=str(FOLDER),
    deals=3,
    clock=ClockTerms(move_time=60.0, first_move=60.0, startup=60.0, grace=0.1),
)


def table_of(job: Job, number: int = 0) -> TableJob:
    return TableJob(number, number, 0, tuple(job.entrants), seed_key(f"halves {number}").hex())


async def results_of(job: Job, tables: int = 1) -> list[TableResult]:
    async with Arena(job) as arena:
        done = await asyncio.gather(*(arena.result(table_of(job, n)) for n in range(tables)))
    assert [each.problem for each in done] == [""] * tables
    return [each.result for each in done]


@pytest.mark.parametrize(
    ("text", "name", "halves"),
    [
        ("counter / greedy", "counter/greedy", ["counter", "greedy"]),
        ("counter?risk=1 / greedy", "counter?risk=1/greedy", ["counter?risk=1", "greedy"]),
        ("mine=./tall.py / ./dice.py", "mine", ["./tall.py", "./dice.py"]),
        ("cmd:./bot '/' x / greedy", "./bot '/' x/greedy", ["cmd:./bot '/' x", "greedy"]),
        ("greedy / cmd:a ' / '", "greedy/a ' / '", ["greedy", "cmd:a ' / '"]),
        ("inproc:tall:Tall / greedy", "Tall/greedy", ["inproc:tall:Tall", "greedy"]),
    ],
)
def test_a_slash_between_spaces_parts_the_bot_that_bids_from_the_bot_that_plays(
    text: str, name: str, halves: list[str]
) -> None:
    spec = parse_bot(text, FOLDER)
    assert (spec.kind, spec.name, spec.source) == (BotKind.SPLIT, name, text)
    assert [half.source for half in spec.programs] == halves
    assert [half.command for half in spec.halves] == [parse_bot(h, FOLDER).command for h in halves]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("counter/greedy", "write counter / greedy if the first is to bid"),
        ("counter /greedy", "write counter / greedy if"),
        ("counter?risk=1/greedy", "write counter?risk=1 / greedy if"),
        ("counter?risk=1/greedy", "%2F for a slash in the value"),
        ("./tall.py?net=dice.py/./dice.py", "write ./tall.py?net=dice.py / ./dice.py if"),
        ("counter / greedy / random", "got 3 bots"),
        ("/ greedy", "there is no /"),
        ("counter / b=greedy", "the play half 'b=greedy' has a name of its own"),
        ("counter / gredy", "the play half 'gredy': no bot, folder or file of this name (did you"),
        ("cmd:./bot / x", "the play half 'x': no bot"),
        ("cmd:./bot / x", "quote a / that belongs to the command"),
    ],
)
def test_what_may_mean_two_things_is_refused_with_the_way_to_write_it(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        parse_bot(text, FOLDER)
    assert said in str(refusal.value)


def test_a_slash_of_a_path_or_of_a_value_that_is_no_bot_parts_nothing() -> None:
    assert parse_bot("../bots/tall.py", FOLDER).kind is BotKind.FILE
    assert parse_bot("counter?net=a/b.bin", FOLDER).params == (("net", "a/b.bin"),)
    assert parse_bot("counter?risk=1%2Fgreedy", FOLDER).params == (("risk", "1/greedy"),)


def test_halves_count_for_what_an_entrant_is() -> None:
    """Else a run would go on with another play half, or two entrants pass for one."""
    texts = ["counter / greedy", "greedy / counter", "counter / greedy?a=1", "counter", "greedy"]
    assert len({content_hash(parse_bot(text, FOLDER)) for text in texts}) == len(texts)
    named = [[parse_bot(text, FOLDER)] for text in ("counter / greedy", "counter  /  greedy")]
    assert entrant_names(named) == ("counter/greedy", "counter/greedy#2")
    with pytest.raises(ConfigError, match="has the same name as another bot"):
        entrant_names([[parse_bot(f"x={text}", FOLDER)] for text in texts[:2]])


def test_a_tournament_file_takes_them_and_its_identity_holds_them() -> None:
    config = parse_config({"bots": ["counter / greedy", "mine=greedy / random", "random"]})
    assert [entrant.name for entrant in config.entrants] == ["counter/greedy", "mine", "random"]
    assert job_of(config).entrants["mine"] == ("mine=greedy / random",)
    described = config.described(content_hash)
    other = parse_config({"bots": ["counter / greedy", "mine=greedy / counter", "random"]})
    [_, mine, _] = described.identity()["entrants"]
    assert mine["bots"][0]["text"] == "greedy / random"
    assert described.identity() != other.described(content_hash).identity()
    pairs = {"bots": [["grpc://localhost:1 / greedy"] * 2, "greedy"], "rules": "tournament-4p"}
    with pytest.raises(ConfigError, match="a remote bot cannot be its own partner"):
        parse_config(pairs)


def by_hand(job: Job) -> MatchReferee:
    """Returns the match of table 0, with every choice asked of the bot whose half it is."""
    bots = {"tall": Tall(), "dice": Dice()}
    table = table_of(job)
    match = Match.start(job.terms(), bytes.fromhex(table.key))
    referee = MatchReferee(table.id, match, table.seats, job.table)
    while (question := referee.question) is not None:
        halves = ("dice", "tall") if question.seat == 1 else ("tall", "dice")
        bot = bots[halves[question.decision.kind is Kind.PLAY]]
        referee.answer(ask_bot(bot, View.of(question.view)), 0)
    return referee


async def test_each_half_makes_its_own_choices_in_a_process_as_inside() -> None:
    behind = msgspec.structs.replace(
        JOB,
        entrants={
            "ann": ("./tall.py / ./dice.py",),
            "bob": ("./dice.py / inproc:tall:Tall",),
            "cyd": (SPLIT,),
        },
    )
    expected = dump_match(by_hand(JOB).record())
    for job in (JOB, behind):
        [result] = await results_of(job)
        assert result.record == expected
    [match] = load_matches(expected.splitlines())
    verify_match(match)


async def test_how_many_tables_are_in_play_changes_no_record() -> None:
    together = await results_of(JOB, 12)
    async with Arena(JOB) as arena:
        alone = [(await arena.result(table_of(JOB, number))).result for number in range(12)]
    assert [each.record for each in together] == [each.record for each in alone]


async def test_a_fault_is_charged_to_the_entrant_and_names_the_half() -> None:
    job = msgspec.structs.replace(
        JOB,
        entrants={
            "bad": ("inproc:misbehaves:Misbehaves?how=bad_bid / inproc:misbehaves:Misbehaves",),
            "worse": ("inproc:misbehaves:Misbehaves / inproc:misbehaves:Misbehaves?how=raises",),
            "good": ("inproc:misbehaves:Misbehaves",),
        },
        base=str(FIXTURES),
        table=TableTerms(strikes=100),
    )
    [result] = await results_of(job)
    kinds = {(fault.entrant, fault.kind, fault.question.split(";")[0]) for fault in result.faults}
    assert kinds == {("bad", "illegal", "bid"), ("worse", "crashed", "play")}
    for fault in result.faults:
        half = {"bad": "bidding half Misbehaves?how=bad_bid: ",
                "worse": "play half Misbehaves?how=raises: "}[fault.entrant]  # fmt: skip
        assert fault.detail.startswith(half)


async def test_a_half_that_does_not_start_is_named() -> None:
    halves = "inproc:misbehaves:Misbehaves / inproc:misbehaves:Demanding"
    job = msgspec.structs.replace(JOB, entrants={"ann": (halves,)}, base=str(FIXTURES))
    async with Arena(job) as arena:
        with pytest.raises(BotError, match="the play half Demanding of bot 'ann' did not start"):
            await arena.start_all()


async def test_halves_are_processes_of_their_own_on_every_lane_and_place() -> None:
    async with Arena(JOB) as arena:
        keys = [*arena.pool.keys("ann", 0, 0), *arena.pool.keys("ann", 0, 1)]
        assert keys == [LineKey("ann", 0, role, half) for role in (0, 1) for half in (0, 1)]
        lines = arena.pool.seat(keys)
        assert len(set(map(id, lines))) == 4


def test_halves_share_a_seat_and_neither_ids_nor_clock_nor_bank() -> None:
    match = Match.start(Terms(parse_rules("tournament-3p"), 4), seed_key("clock"))
    referee = MatchReferee("0.0", match, ("a", "b", "c"), TableTerms())
    bids, plays, *others = (Seat(()) for _ in range(4))
    ended: list[TableInPlay] = []
    table = TableInPlay(referee, [(bids, plays), *others], ClockTerms(bank=1.0), ended.append)
    table.start()
    spent = {Kind.BID: 0.25, Kind.PLAY: 0.125}
    seen: dict[bool, list[tuple[str, float | None, float | None]]] = {False: [], True: []}
    while not ended:
        [line] = [line for line in (bids, plays, *others) if line.asks]
        [ask] = line.asks
        line.asks.clear()
        is_play = ask.question.decision.kind is Kind.PLAY
        if line is bids or line is plays:
            assert line is (plays if is_play else bids)
            seen[is_play].append((ask.match_id, ask.bank, ask.charged))
        seconds = spent[Kind.PLAY] if is_play else spent[Kind.BID]
        throw(ask, Charge(seconds, from_bank=0.25 if line is bids else 0.0))
    assert len({match_id for match_id, _, _ in seen[False]}) == 1
    assert len({match_id for asked in seen.values() for match_id, _, _ in asked}) == 2
    assert [bank for _, bank, _ in seen[False]][:3] == [1.0, 0.75, 0.5]
    assert {bank for _, bank, _ in seen[True]} == {1.0}
    for kind, asked in ((Kind.BID, seen[False]), (Kind.PLAY, seen[True])):
        assert [charged for _, _, charged in asked[:2]] == [None, spent[kind]]
