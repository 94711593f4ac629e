"""A table in play: what each seat is asked and told, what it is charged, and how it all ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from referee.bots.asks import Ask, Charge, Sending
from referee.bots.cpu import CpuUse
from referee.bots.tables import TableInPlay, Watch
from referee.bots.terms import ClockTerms
from referee.match import (
    Fault,
    FaultKind,
    FaultMark,
    FinishedDeal,
    Match,
    MatchReferee,
    TableTerms,
    Terms,
    dump_match,
)
from referee.rules import parse_rules, seed_key
from referee.sdk import View
from referee.sdk.asking import ask as ask_bot
from referee.wire.notices import DealEnded, MatchEnded, Notice
from tests.e2e.bots.dice import Dice

TIMEOUT = Fault(FaultKind.TIMEOUT, "no answer within 1 s")


@dataclass
class Seat:
    """A line that keeps what it is asked, for the test to answer, and what it is told."""

    wanted: tuple[type[Notice], ...] = ()
    strays: int = 0
    cpu: CpuUse = field(default_factory=CpuUse)
    asks: deque[Ask] = field(default_factory=deque)
    told: list[Notice] = field(default_factory=list)
    restarts: int = 0
    is_running: bool = True
    is_idle: bool = True
    introduction: str = ""

    def ask(self, ask: Ask) -> None:
        self.asks.append(ask)

    def wants(self, notice: type[Notice]) -> bool:
        return notice in self.wanted

    def tell(self, notice: Notice) -> None:
        self.told.append(notice)

    def restart(self) -> None:
        self.restarts += 1

    async def warm_up(self) -> None:
        raise AssertionError("a table starts nobody")

    async def close(self) -> None:
        raise AssertionError("a table ends nobody")


def throw(ask: Ask, charge: Charge) -> None:
    """Answers as a die would."""
    ask.answered(ask_bot(Dice(), View.of(ask.question.view)), charge)


class Bench:
    """A table, its seats, and what became of it."""

    def __init__(
        self,
        rules: str = "tournament-3p",
        *,
        deals: int = 3,
        bank: float | None = None,
        strikes: int = 2,
        wanted: tuple[type[Notice], ...] = (),
        watch: Watch | None = None,
        seed: str = "s",
    ) -> None:
        parsed = parse_rules(rules)
        names = tuple("abcd"[: parsed.players])
        match = Match.start(Terms(parsed, deals), seed_key(seed))
        self.referee = MatchReferee("0.0", match, names, TableTerms(strikes))
        self.seats = [Seat(wanted) for _ in names]
        self.ended: list[TableInPlay] = []
        self.ids: list[set[str]] = [set() for _ in names]
        self.table = TableInPlay(
            self.referee, self.seats, ClockTerms(bank=bank), self.ended.append, watch
        )
        self.table.start()

    def open(self) -> tuple[int, Ask]:
        """Returns the one open question, and its seat; nobody else is asked meanwhile."""
        [seat] = [seat for seat, line in enumerate(self.seats) if line.asks]
        [ask] = self.seats[seat].asks
        self.seats[seat].asks.clear()
        self.ids[seat].add(ask.match_id)
        return seat, ask

    def answer(self) -> None:
        """Answers the open question as a die would."""
        _, ask = self.open()
        throw(ask, Charge(0.001))

    def play_on(self, until: Callable[[], bool] = lambda: False) -> None:
        """Plays to the end, or until something is so."""
        while not self.ended and not until():
            self.answer()


@pytest.mark.parametrize("rules", ["tournament-3p", "tournament-4p"])
def test_a_match_is_played_to_its_end_and_ends_once(rules: str) -> None:
    bench = Bench(rules)
    bench.play_on()
    assert bench.ended == [bench.table]
    assert bench.table.error is None
    alone = MatchReferee(
        "0.0", Match.start(bench.referee.terms, seed_key("s")), bench.referee.seats
    )
    while (question := alone.question) is not None:
        alone.answer(ask_bot(Dice(), View.of(question.view)), 0)
    assert dump_match(bench.referee.record()) == dump_match(alone.record())


def test_one_timeout_is_one_fault_in_the_report_the_record_and_the_times() -> None:
    bench = Bench("tournament-3p all_pass=force_last")
    victim, ask = bench.open()
    ask.faulted(TIMEOUT, Charge(2.0))
    bench.play_on()
    referee = bench.referee
    assert [(fault.seat, fault.fault.kind) for fault in referee.faults] == [
        (victim, FaultKind.TIMEOUT)
    ]
    assert [mark.kind for deal in referee.deals for mark in deal.faults] == [FaultKind.TIMEOUT]
    assert dump_match(referee.record()).count('"timeout"') == 1
    charged = [us for times in referee.times for us in times.micros if us is not None]
    assert charged.count(2_000_000) == 1
    assert bench.table.charged[victim].count(2_000_000) == 1


def test_two_strikes_have_substitutes_and_the_third_forfeits() -> None:
    bench = Bench("tournament-3p all_pass=force_last", strikes=2)
    victim, ask = bench.open()
    ask.faulted(TIMEOUT, Charge(2.0))
    while not bench.ended:
        seat, ask = bench.open()
        if seat == victim:
            ask.faulted(TIMEOUT, Charge(2.0))
        else:
            throw(ask, Charge(0.0))
    assert [bool(fault.substitute) for fault in bench.referee.faults] == [True, True, False]
    result = bench.referee.result
    assert result is not None
    assert result.forfeit == victim


def test_every_question_has_the_times_of_its_way_and_the_stalls_in_it() -> None:
    bench = Bench()
    number = 0
    while not bench.ended:
        _, ask = bench.open()
        number += 1
        ask.handed = ask.asked + 0.001
        ask.sending = Sending(0.0, 0.0, ask.asked + 0.003)
        ask.arrived = ask.asked + 0.007
        if number == 4:
            ask.stalled = 3.0
            stalled = ask.question.number
        throw(ask, Charge(0.004))
    overhead = bench.table.overhead
    assert [len(part) for part in (overhead.queue, overhead.send, overhead.receive)] == [number] * 3
    assert set(overhead.queue) <= {999, 1000}
    assert set(overhead.send) <= {1999, 2000}
    assert bench.table.stalls == [(stalled, 3.0)]


def test_a_question_that_was_never_sent_has_only_waited() -> None:
    bench = Bench()
    _, ask = bench.open()
    ask.faulted(Fault(FaultKind.START, "no interpreter"), Charge(0.0))
    overhead = bench.table.overhead
    assert overhead.queue[0] >= 0
    assert (overhead.send, overhead.receive) == ([0], [0])


def test_a_seat_knows_its_match_by_an_id_that_tells_nothing() -> None:
    first, second = Bench(), Bench()
    first.play_on()
    second.play_on()
    ids = first.ids + second.ids
    assert all(len(each) == 1 for each in ids), "one id for a seat and a match"
    assert len(set.union(*ids)) == 6, "and another one for everybody else, and every time"


def test_each_seat_is_told_what_its_own_last_answer_was_charged() -> None:
    bench = Bench()
    last: dict[int, float] = {}
    number = 0
    while not bench.ended:
        seat, ask = bench.open()
        assert ask.charged == last.get(seat)
        number += 1
        last[seat] = number / 1000
        throw(ask, Charge(number / 1000))
    charged = [micros for seat in bench.table.charged for micros in seat]
    assert sorted(charged) == [1000 * (n + 1) for n in range(number)], "everything is kept"


def test_a_bank_pays_what_is_taken_from_it_and_never_more() -> None:
    bench = Bench(bank=10.0)
    left: dict[int, float] = {}
    for charge in (Charge(1.0), Charge(5.0, from_bank=3.0), Charge(9.0, from_bank=8.0)) * 3:
        seat, ask = bench.open()
        assert ask.bank == left.get(seat, 10.0)
        left[seat] = max(0.0, left.get(seat, 10.0) - charge.from_bank)
        throw(ask, charge)
    assert min(left.values()) == 0.0, "nobody owes anything"
    assert Bench().open()[1].bank is None, "where there is no bank, none is shown"


def test_a_fault_costs_a_substitute_then_the_match_and_only_that_bot_is_restarted() -> None:
    bench = Bench("tournament-3p all_pass=force_last", strikes=1)
    victim, ask = bench.open()
    ask.faulted(TIMEOUT, Charge(2.0, from_bank=0.0))
    assert not bench.ended, "the first one has a substitute"
    while not bench.ended:
        seat, ask = bench.open()
        if seat == victim:
            ask.faulted(TIMEOUT, Charge(2.0))
        else:
            throw(ask, Charge(0.0))
    result = bench.referee.result
    assert result is not None
    assert result.forfeit == victim
    assert bench.ended == [bench.table]
    assert [line.restarts for line in bench.seats] == [int(s == victim) for s in range(3)]
    assert bench.table.charged[victim] == [2_000_000, 2_000_000]


def test_whoever_watches_sees_every_deal_with_its_faults_the_broken_one_too() -> None:
    seen: list[tuple[FinishedDeal, Sequence[FaultMark]]] = []
    bench = Bench(strikes=1, deals=5, watch=lambda deal, faults: seen.append((deal, faults)))
    seat, ask = bench.open()
    ask.faulted(TIMEOUT, Charge(1.0))
    bench.play_on(lambda: len(seen) == 2)
    while not bench.ended:
        asked, ask = bench.open()
        if asked == seat:
            ask.faulted(TIMEOUT, Charge(1.0))
        else:
            throw(ask, Charge(0.0))
    assert [deal.number for deal, _ in seen] == list(range(len(seen)))
    assert len(seen) > 2
    assert [len(faults) for _, faults in seen] == [1, *[0] * (len(seen) - 2), 1]
    assert seen[-1][0].score is None, "nobody finished the last one"


def test_a_bot_that_wants_to_know_is_told_each_deal_and_the_end_under_its_own_id() -> None:
    bench = Bench(wanted=(DealEnded, MatchEnded))
    bench.play_on()
    result = bench.referee.result
    assert result is not None
    for seat, line in enumerate(bench.seats):
        *deals, end = line.told
        assert {notice.match_id for notice in line.told} == bench.ids[seat]
        assert [notice.seat for notice in line.told] == [seat] * 4
        numbers = [notice.deal_number for notice in deals if isinstance(notice, DealEnded)]
        assert numbers == [0, 1, 2]
        assert isinstance(end, MatchEnded)
        assert (end.scores, end.places) == (result.scores, result.places)
    last = bench.seats[0].told[-2]
    assert isinstance(last, DealEnded)
    assert last.scores == result.scores


def test_a_bot_that_does_not_want_to_know_is_told_nothing() -> None:
    bench = Bench(wanted=(MatchEnded,))
    bench.play_on()
    assert [len(line.told) for line in bench.seats] == [1, 1, 1]
    silent = Bench()
    silent.play_on()
    assert [line.told for line in silent.seats] == [[], [], []]


def test_what_breaks_on_our_side_voids_the_table_once_and_is_told() -> None:
    broken = OSError("the watcher is gone")

    def watch(deal: FinishedDeal, faults: Sequence[FaultMark]) -> None:
        raise broken

    bench = Bench(watch=watch)
    bench.play_on()
    assert bench.ended == [bench.table]
    assert bench.table.error is broken
    assert not any(line.asks for line in bench.seats), "nobody is asked any more"


def test_a_question_that_cannot_be_put_voids_the_table_and_blames_nobody() -> None:
    bench = Bench()
    _, ask = bench.open()
    ask.failed(ValueError("no such tile on the wire"))
    assert bench.ended == [bench.table]
    assert isinstance(bench.table.error, ValueError)
    assert not bench.referee.faults
