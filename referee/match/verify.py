"""Judging a whole match again: what the rules make of its choices, beside what it says."""

from __future__ import annotations

from collections.abc import Callable

from referee.match.errors import RecordMismatchError
from referee.match.faults import FaultKind, FaultMark
from referee.match.matches import DealSource, FinishedDeal, Match, Result
from referee.match.records import DealRecord, MatchRecord
from referee.match.replay import Choices, card_problems, differs, unplayed
from referee.rules import Decision, IllegalChoiceError, Seat, first_bidder


def verify_match(record: MatchRecord, source: DealSource | None = None, key: bytes = b"") -> None:
    """Judges a whole match again: every choice, fault, trick, score, first bidder, the result.

    Args:
        record: The match.
        source: By deal number, what the secret seed deals; ``None`` if the seed is not known.
        key: The secret key of the match, if known: the lot for the first bid is checked too.

    Raises:
        RecordMismatchError: at the first thing that does not hold.
    """
    for difference in match_differences(record, source, key):
        raise difference


def match_differences(
    record: MatchRecord, source: DealSource | None = None, key: bytes = b""
) -> tuple[RecordMismatchError, ...]:
    """Returns everything in *record* that does not hold, in the order of the match.

    Nothing can be said of what comes after a choice that the rules do not allow, so it is the last.
    The arguments are those of `verify_match`.
    """
    judge = _Judge(record, source, key)
    judge.run()
    return tuple(judge.found)


class _Judge:
    """One match on its way through the rules.

    Attributes:
        found: What does not hold so far.
    """

    def __init__(self, record: MatchRecord, source: DealSource | None, key: bytes) -> None:
        self.found: list[RecordMismatchError] = []
        self._record = record
        self._rules = record.terms.rules
        self._source = source
        self._key = key
        self._where = f"table {record.table}"
        self._strikes = [0] * self._rules.players
        self._forfeit: Seat | None = None

    def run(self) -> None:
        """Judges everything."""
        record, rules = self._record, self._rules
        if len(record.seats) != rules.players:
            return self._differ(f"{len(record.seats)} seats for {rules.players} players")
        if not record.deals:
            return self._differ("has no deal")
        first = record.deals[0].first_bidder
        if self._key:
            first = first_bidder(self._key, rules)
        if not 0 <= first < rules.players:
            return self._differ(f"seat {first} bids first at a table of {rules.players}")
        last = len(record.deals) - 1
        match = Match.of(
            # A match that goes on after the last deal opens one more, which nobody looks at.
            record.terms, lambda number: record.deals[min(number, last)].dealt, first
        )  # fmt: skip
        for number, deal in enumerate(record.deals):
            self._where = f"table {record.table}, deal {number}"
            if match.result is not None:
                return self._differ("stands after the end of the match")
            after = self._deal(match, number, deal)
            if after is None:
                return None
            match = after
        self._where = f"table {record.table}"
        return self._end(match)

    def _differ(self, problem: str, at: int | None = None) -> None:
        where = self._where if at is None else f"{self._where}, choice {at}"
        self.found.append(RecordMismatchError(where, problem))

    def _same(self, name: str, recorded: object, judged: object, at: int | None = None) -> None:
        if recorded != judged:
            self._differ(differs(name, recorded, judged), at)

    def _deal(self, match: Match, number: int, deal: DealRecord) -> Match | None:
        """Returns the match after *deal*, or ``None`` if it cannot go on from there."""
        self._same("n", deal.number, number)
        self._same("first", int(deal.first_bidder), int(match.deal.auction.first_bidder))
        self._same("forced", deal.forced, match.deal.forced)
        problems = list(card_problems(self._rules, deal))
        for problem in problems:
            self._differ(problem)
        if problems:
            return None
        if self._source is not None and self._source(number) != deal.dealt:
            self._differ("the tiles are not the ones the seed deals")
        return self._choices(match, deal)

    def _choices(self, match: Match, deal: DealRecord) -> Match | None:
        choices = Choices(deal, self._rules.players)
        faults = _Faults(deal.faults, self._differ)
        unasked: list[int] = []
        finished: FinishedDeal | None = None
        at = 0
        while finished is None and (decision := match.decision) is not None:
            asked = len(decision.legal) > 1 or self._record.ask_forced
            choice = choices.next(decision)
            mark = faults.at(at)
            if mark is not None:
                self._fault(mark, decision, asked=asked, ends=choice is None)
            if choice is None:
                break
            if mark is not None:
                self._same("the choice in place of the bot's", choice, decision.legal[0], at)
            if not asked:
                unasked.append(at)
            try:
                match = match.play(choice)
            except IllegalChoiceError as error:
                self._differ(str(error), at)
                return None
            finished = match.finished
            at += 1
        faults.check_used()
        for problem in unplayed(deal, finished.deal if finished else match.deal):
            self._differ(problem)
        self._same("unasked", deal.unasked, tuple(unasked))
        return self._close(match, deal, finished)

    def _close(self, match: Match, deal: DealRecord, finished: FinishedDeal | None) -> Match | None:
        score = finished.score if finished else None
        tricks = finished.deal.tricks_won if finished else match.deal.tricks_won
        self._same("tricks", deal.tricks_won, tricks)
        self._same("made", deal.made, score.made if score else None)
        self._same("points", deal.points, score.points if score else None)
        if finished is not None:
            return match
        if self._forfeit is None:
            self._differ("is broken off, but nobody forfeits here")
            return None
        return match.forfeit(self._forfeit)

    def _fault(self, mark: FaultMark, decision: Decision, *, asked: bool, ends: bool) -> None:
        """Judges a fault: whose it is, that the bot was asked, and whether it ends the match."""
        if mark.seat != decision.seat or not asked:
            turn = f"it is seat {decision.seat}'s turn" if asked else "nobody is asked"
            return self._differ(f"seat {mark.seat} cannot be at fault: {turn}", mark.at)
        self._strikes[mark.seat] += 1
        count, allowed = self._strikes[mark.seat], self._record.strikes
        forfeits = mark.kind is FaultKind.START or count > allowed
        if forfeits and ends:
            self._forfeit = decision.seat
        elif forfeits:
            self._differ(
                f"fault {count} of seat {mark.seat} ({mark.kind}) forfeits the match with "
                f"{allowed} allowed, but the deal goes on",
                mark.at,
            )
        return None

    def _end(self, match: Match) -> None:
        result: Result | None = match.result
        if result is None:
            return self._differ("the match goes on, but the record ends here")
        for name, recorded, judged in zip(Result._fields, self._record.result, result, strict=True):
            self._same(name, recorded, judged)
        return None


class _Faults:
    """The faults of a deal, handed out by choice."""

    def __init__(self, marks: tuple[FaultMark, ...], differ: Callable[[str, int], None]) -> None:
        self._marks = list(reversed(marks))
        self._differ = differ

    def at(self, at: int) -> FaultMark | None:
        """Returns the fault at a choice, if the next one is there."""
        if self._marks and self._marks[-1].at == at:
            return self._marks.pop()
        return None

    def check_used(self) -> None:
        """Refuses faults at choices that nobody made, twice at one, or out of order."""
        for mark in reversed(self._marks):
            self._differ("a fault stands where no choice was made, or in the wrong order", mark.at)
