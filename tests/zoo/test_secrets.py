"""What a seat is sent, from the first question to the end, tells nothing that it may not know.

Two matches are played on deals that differ only in what one seat cannot see. Up to the first thing
that happens differently before everybody's eyes, that seat must be sent the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.bots.asks import NOTHING, Ask
from referee.bots.tables import TableInPlay
from referee.bots.terms import ClockTerms
from referee.match import Match, MatchReferee, TableTerms, Terms
from referee.match.matches import DealSource
from referee.rules import (
    Dealt,
    Hand,
    Rules,
    deal_tiles,
    derive_key,
    first_bidder,
    preset_rules,
    presets,
    seed_key,
)
from referee.wire.notices import Notice, encode_notice
from referee.wire.packing import pack_decision

PRESETS = sorted(presets())
DEALS = 2


@dataclass
class Line:
    """The line of one seat: it answers at once, and keeps every byte that goes to the bot."""

    table: Table
    seat: int
    sent: list[tuple[object, bool, bytes]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    strays = 0
    is_running = is_idle = True
    introduction = ""

    def ask(self, ask: Ask) -> None:
        self.ids.add(ask.match_id)
        message = pack_decision(
            ask.question.view,
            match_id="id",
            number=ask.question.number,
            move_time_ms=1000,
            bank_ms=1000,
            charged_ms=None if ask.charged is None else 0,
        ).decision
        self.keep(message.SerializeToString())
        self.table.waiting.append(ask)

    def keep(self, message: bytes) -> None:
        table = self.table
        self.sent.append((table.public(), table.looks_into_the_middle(self.seat), message))

    def wants(self, notice: type[Notice]) -> bool:
        return True

    def tell(self, notice: Notice) -> None:
        message = encode_notice(notice)
        for name in ("deal_ended", "match_ended"):
            if message.HasField(name):
                getattr(message, name).match_id = "id"
        self.keep(message.SerializeToString())

    def restart(self) -> None:
        raise AssertionError("nobody is at fault here")

    async def warm_up(self) -> None:
        raise AssertionError("a table starts nobody")

    async def close(self) -> None:
        raise AssertionError("a table ends nobody")


class Table:
    """A match that is played to its end by bots that choose by chance, each by its own."""

    def __init__(self, rules: Rules, source: DealSource, first: int, seed: int) -> None:
        match = Match.of(Terms(rules, DEALS), source, first)
        names = tuple("abcd"[: rules.players])
        self.referee = MatchReferee("0.0", match, names, TableTerms())
        self.waiting: list[Ask] = []
        self.lines = [Line(self, seat) for seat in range(rules.players)]
        self.seed = seed

    def public(self) -> object:
        """Returns what has happened before everybody's eyes."""
        deal = self.referee.match.deal
        finished = [(d.number, d.deal.bids, d.deal.plays) for d in self.referee.finished]
        return finished, deal.bids, deal.trump, deal.taken, deal.plays, self.referee.match.scores

    def looks_into_the_middle(self, seat: int) -> bool:
        """Returns whether *seat* may know the middle, or did in an earlier deal."""
        deals = [finished.deal for finished in self.referee.finished]
        return any(deal.declarer == seat for deal in (*deals, self.referee.match.deal))

    def play(self) -> None:
        TableInPlay(self.referee, self.lines, ClockTerms(bank=1.0), lambda _: None).start()
        while self.waiting:
            ask = self.waiting.pop()
            legal = ask.question.decision.legal
            # What a seat holds decides what it does, and nothing else does.
            rng = random.Random(f"{self.seed} {ask.question.view}")
            ask.answered(rng.choice(legal), NOTHING)


def with_other_secrets(source: DealSource, rules: Rules, seat: int, seed: int) -> DealSource:
    """Returns *source* with the tiles exchanged that *seat* is not dealt.

    With an odd *seed* the middle stays: who wins the auction learns of it, and may.
    """
    kept = seed % 2

    def dealt(number: int) -> Dealt:
        hands, middle = source(number)
        hidden = [tile for tile in rules.tiles if not hands[seat] >> tile & 1]
        if kept:
            hidden = [tile for tile in hidden if tile not in middle]
        random.Random(f"{seed} {number}").shuffle(hidden)
        other = list(hands)
        for place in range(rules.players):
            if place != seat:
                count = hands[place].bit_count()
                other[place] = Hand.of(hidden[:count]).mask
                del hidden[:count]
        return Dealt(tuple(other), middle if kept else tuple(hidden[: len(middle)]))

    return dealt


def pairs(preset: str, seed: int) -> Iterator[tuple[Table, Table, int]]:
    """Yields two matches for each seat, of which the seat may not know which one it plays."""
    rules = preset_rules(preset)
    key = seed_key(f"secrets {seed}")
    first = first_bidder(key, rules)

    def source(number: int) -> Dealt:
        return deal_tiles(key, number, rules)

    for seat in range(rules.players):
        one = Table(rules, source, first, seed)
        other = Table(rules, with_other_secrets(source, rules, seat, seed), first, seed)
        one.play()
        other.play()
        yield one, other, seat


@settings(max_examples=12)
@given(preset=st.sampled_from(PRESETS), seed=st.integers(0, 1_000_000))
def test_all_that_a_seat_is_sent_is_the_same_until_something_differs_in_public(
    preset: str, seed: int
) -> None:
    for one, other, seat in pairs(preset, seed):
        sent = zip(one.lines[seat].sent, other.lines[seat].sent, strict=False)
        for (public, looks, message), (public_there, _, message_there) in sent:
            if public != public_there or (looks and seed % 2 == 0):
                break
            assert message == message_there, "not even its length may differ"


def test_what_the_others_are_sent_does_differ() -> None:
    """The guard of the test above: it compares matches that are not the same."""
    for one, other, seat in pairs("tournament-3p", 7):
        for line, line_there in zip(one.lines, other.lines, strict=True):
            if line.seat != seat:
                assert [m for *_, m in line.sent] != [m for *_, m in line_there.sent]


def test_a_match_is_called_otherwise_towards_each_seat_and_nobody_can_guess_how() -> None:
    ids = [line.ids for one, other, _ in pairs("tournament-3p", 1) for line in one.lines]
    names = [name for some in ids for name in some]
    assert all(len(some) == 1 for some in ids)
    assert len(set(names)) == len(names)
    assert {len(name) for name in names} == {16}, "64 random bits"


@pytest.mark.parametrize("seed", ["", "0", "a" * 1000])
def test_deals_follow_from_a_key_that_is_too_long_to_be_tried(seed: str) -> None:
    key = seed_key(seed)
    assert len(key) == len(derive_key(key, "block 1")) == 32


def test_each_bit_of_the_key_changes_the_deals() -> None:
    rules = preset_rules("tournament-3p")
    key = seed_key("bits")
    flipped = (
        bytes([*key[:at], key[at] ^ 1 << bit, *key[at + 1 :]])
        for at in range(32)
        for bit in range(8)
    )
    deals = {deal_tiles(other, 0, rules) for other in flipped}
    assert len(deals | {deal_tiles(key, 0, rules)}) == 257
