"""A recorded match as the steps in which it is watched: every decision with what came of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from referee.match import (
    DealLine,
    DealRecord,
    Fault,
    FaultKind,
    FinishedDeal,
    MatchRecord,
    deal_states,
    finished_deals,
)
from referee.match.replay import last_state
from referee.rules import (
    Bid,
    Choice,
    Deal,
    Decision,
    Discard,
    Exchange,
    MakeBid,
    NameTrump,
    Rules,
    Tile,
    Trump,
)
from referee.rules.tiles import tiles_in
from tournaments.results import FaultRow

_TRUMPS = ("blanks", "ones", "twos", "threes", "fours", "fives", "sixes", "doubles", "no trump")


def trump_word(trump: Trump) -> str:
    """Returns a trump as people say it.

    >>> trump_word(Trump.FIVES)
    'fives'
    """
    return _TRUMPS[trump]


def bid_word(bid: Bid) -> str:
    """Returns a bid as people say it.

    >>> bid_word(Bid.FIVE), bid_word(Bid.MOON)
    ('5', '21 (moon)')
    """
    return {Bid.MOON: "21 (moon)", Bid.DOUBLE_MOON: "42 (double moon)"}.get(bid, str(bid))


@dataclass(frozen=True, slots=True)
class Step:
    """One decision, and what came of it."""

    number: int
    """The number of the decision in the match, from 1, as faults tell it."""
    decision: Decision
    choice: Choice | None
    """What was chosen; ``None`` if the match was forfeited here."""
    before: Deal
    after: Deal
    """The deal with the choice made; as before if there is none."""
    was_asked: bool
    """Whether the bot was asked: not where only one choice was legal."""
    micros: int | None = None
    """What the bot was charged, in microseconds; ``None`` if it was not asked or nobody knows."""
    fault: Fault | None = None
    """What the bot did wrong, so that the choice stands in its place."""

    @property
    def seat(self) -> int:
        """Who was to choose."""
        return int(self.decision.seat)

    @property
    def winner(self) -> int | None:
        """Who took the trick that this choice ended, or ``None`` if it ended none."""
        pairs = zip(self.before.tricks_won, self.after.tricks_won, strict=True)
        return next((seat for seat, (old, new) in enumerate(pairs) if new > old), None)

    @property
    def is_lead(self) -> bool:
        """Whether this choice leads to a trick."""
        return len(self.after.suits) > len(self.before.suits)

    @property
    def gained(self) -> tuple[int, Tile] | None:
        """The seat whose hand the widow joined with this choice, and the widow; or ``None``."""
        if self.after.taken and not self.before.taken:
            declarer, widow = self.after.declarer, self.after.dealt.widow
            assert declarer is not None
            assert widow is not None
            return int(declarer), widow
        return None

    @property
    def text(self) -> str:
        """The choice as a sentence without its subject."""
        match self.choice:
            case None:
                return "forfeits the match"
            case MakeBid(bid):
                return f"bids {bid_word(bid)}" if bid else "passes"
            case NameTrump(trump):
                return "plays without trump" if trump is Trump.NONE else f"names {_TRUMPS[trump]}"
            case Exchange(take):
                return "takes the widow" if take else "leaves the widow"
            case Discard(tile):
                return f"discards {tile}"
            case play:
                verb = "leads" if self.is_lead else "plays"
                return f"{verb} {str(play).removeprefix('play ')}"


@dataclass(frozen=True, slots=True)
class ReplayDeal:
    """One deal of a replay."""

    number: int
    first: int
    """The number of its first decision in the match."""
    finished: FinishedDeal
    """The deal at its end, with the match score after it."""
    before: tuple[int, ...]
    """By side: the match score before it; empty if nobody knows."""
    steps: tuple[Step, ...]

    @property
    def deal(self) -> Deal:
        """The deal at its end."""
        return self.finished.deal

    def hand(self, seat: int) -> tuple[Tile, ...]:
        """Returns what *seat* was dealt, the highest tile first."""
        return tuple(tiles_in(self.deal.dealt.hands[seat])[::-1])


@dataclass(frozen=True, slots=True)
class Replay:
    """A match, or some deals of it, to be watched."""

    table: str
    """The id of the table, such as ``17.2``; empty if there is none."""
    rules: Rules
    seats: tuple[str, ...]
    deals: tuple[ReplayDeal, ...]
    match: MatchRecord | None = None
    """The whole match; ``None`` for a deal that came alone."""

    @property
    def has_times(self) -> bool:
        """Whether it is known how long the bots took."""
        return any(step.micros is not None for deal in self.deals for step in deal.steps)


class _Timings(msgspec.Struct):
    """What the timings of a table say of single decisions."""

    deals: tuple[tuple[int | None, ...], ...] = ()


_read_timings = msgspec.json.Decoder(_Timings).decode


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside a record, and tells more of its decisions."""

    micros: tuple[tuple[int | None, ...], ...] = ()
    """By deal, by choice: what the bot was charged, in microseconds."""
    faults: Mapping[int, Fault] = field(default_factory=dict)
    """By the number of the decision in the match: what happened."""

    @classmethod
    def of(cls, timings: str, faults: Iterable[FaultRow]) -> Beside:
        """Returns what the *timings* and *faults* of a table tell, as they are stored."""
        told = {
            row.decision: Fault(FaultKind(row.kind), row.detail, row.exit_status, row.stderr_tail)
            for row in faults
        }
        return cls(_read_timings(timings).deals if timings else (), told)


def replay_of(
    match: MatchRecord, beside: Beside | None = None, only: Collection[int] | None = None
) -> Replay:
    """Returns a match to be watched.

    Args:
        match: The match.
        beside: What is known besides.
        only: The numbers of the deals that are wanted; all if left out.

    Raises:
        RecordMismatchError: at a choice that the rules do not allow.
    """
    beside = beside or Beside()
    rules = match.terms.rules
    deals: list[ReplayDeal] = []
    scores, first = (0,) * rules.side_count, 1
    for at, (record, finished) in enumerate(zip(match.deals, finished_deals(match), strict=True)):
        micros = beside.micros[at] if at < len(beside.micros) else ()
        where = f"table {match.table}, deal {record.number}"
        steps = tuple(_steps(rules, record, where, first, micros, beside.faults))
        if only is None or record.number in only:
            deals.append(ReplayDeal(record.number, first, finished, scores, steps))
        scores = finished.scores
        first += sum(step.choice is not None for step in steps)
    return Replay(match.table, rules, match.seats, tuple(deals), match)


def replay_of_line(line: DealLine, where: str) -> Replay:
    """Returns the deal of a chat line to be watched; its decisions are counted from 1.

    Args:
        line: The deal.
        where: What it is called in an error.

    Raises:
        RecordMismatchError: at a choice that the rules do not allow.
    """
    deal = last_state(line.rules, line.deal, where)
    score = deal.score() if deal.is_over and not deal.is_thrown_in else None
    finished = FinishedDeal(line.deal.number, deal, score, ())
    steps = tuple(_steps(line.rules, line.deal, where, 1, (), {}))
    return Replay(
        "", line.rules, line.seats, (ReplayDeal(line.deal.number, 1, finished, (), steps),)
    )


class _Place(NamedTuple):
    """A state of the deal, and what was chosen in it."""

    before: Deal
    choice: Choice | None
    after: Deal


def _places(rules: Rules, record: DealRecord, where: str) -> Iterator[_Place]:
    """Yields every state in which something was asked; the last one has no choice if it broke."""
    after = Deal.start(rules, record.dealt, record.first_bidder, forced=record.forced)
    for before, choice in deal_states(rules, record, where):
        after = before.play(choice)
        yield _Place(before, choice, after)
    if not after.is_over:
        yield _Place(after, None, after)


def _steps(
    rules: Rules,
    record: DealRecord,
    where: str,
    first: int,
    micros: Sequence[int | None],
    faults: Mapping[int, Fault],
) -> Iterator[Step]:
    marks = {mark.at: mark for mark in record.faults}
    for at, (before, choice, after) in enumerate(_places(rules, record, where)):
        mark = marks.get(at)
        if choice is None and mark is None:
            return  # a deal that ends here without a fault was written down only so far
        fault = faults.get(first + at)
        if mark is not None and (fault is None or fault.kind is not mark.kind):
            fault = Fault(mark.kind, "")
        assert before.decision is not None
        yield Step(
            number=first + at,
            decision=before.decision,
            choice=choice,
            before=before,
            after=after,
            was_asked=at not in record.unasked,
            micros=micros[at] if at < len(micros) else None,
            fault=fault if mark is not None else None,
        )
