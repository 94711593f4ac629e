"""A comparison as a fold: tables come in any order, and are judged in that of the schedule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from referee.rules import Rules
from tournaments.compare.designs import Pairing
from tournaments.compare.judges import Judge, Plan
from tournaments.compare.scoring import BlockScore, LeftOut, one_deal_more, score_block
from tournaments.compare.verdicts import Verdict
from tournaments.evidence import MeanSequence, Tally
from tournaments.results import Arrivals, FaultRow, TableResult
from tournaments.schedule import EntrantId, Schedule

TARGET_DEALS = 10
"""What a match to the target is taken for where its number of deals matters before it is played."""


@dataclass(slots=True)
class FaultsOfAKind:
    """The faults of one kind that an entrant made."""

    first: FaultRow
    """The first of them, in the order of the tables."""
    count: int = 0


@dataclass(slots=True)
class Contest:
    """One pairing and all that is known of it: of the blocks up to its verdict, and of no other."""

    pairing: Pairing
    judge: Judge
    sequence: MeanSequence
    """Of the interval that holds at every look, for display."""
    tally: Tally = field(default_factory=Tally)
    verdict: Verdict = Verdict.NOT_DECIDED
    rivals: int = 1
    """Among how many pairings of which nobody is called better it has to stand out, this one
    included: those of now, or of when it was decided."""
    left_out: Counter[LeftOut] = field(default_factory=Counter)
    """By reason: how many blocks were not judged."""
    forfeits: Counter[EntrantId] = field(default_factory=Counter)
    """By entrant: tables forfeited."""
    forfeited_blocks: int = 0
    """Blocks that were judged with a table that one of the two forfeited."""
    faults: Counter[EntrantId] = field(default_factory=Counter)
    kinds_of_faults: dict[tuple[EntrantId, str], FaultsOfAKind] = field(default_factory=dict)
    """By entrant and kind."""
    tables: int = 0
    deals: int = 0
    played_out: int = 0
    """Deals for which tiles were asked for; fewer than all where tables share what is the same."""
    shared: int = 0
    """Blocks whose tables did."""
    differing: int = 0
    """Those of them in which auctions differed."""

    @property
    def is_decided(self) -> bool:
        """Whether there is a verdict."""
        return self.verdict is not Verdict.NOT_DECIDED

    def take(self, score: BlockScore) -> None:
        """Takes the next block."""
        self.forfeits.update(score.forfeits)
        self.faults.update(score.faults)
        for fault in score.fault_rows:
            key = fault.entrant, fault.kind
            self.kinds_of_faults.setdefault(key, FaultsOfAKind(fault)).count += 1
        self.tables += score.tables
        self.deals += score.deals
        self.played_out += score.played_out
        self.shared += score.differs is not None
        self.differing += score.differs is True
        if score.difference is None:
            assert score.left_out is not None
            self.left_out[score.left_out] += 1
            return
        self.forfeited_blocks += bool(score.forfeits)
        self.tally.add(score.difference)
        self.judge.look(self.tally)


class Comparison:
    """Judges blocks one after the other, until every contest has its verdict.

    A block is judged when all its tables have come and every block before it is judged, so that
    the verdicts depend on what was played and not on when it was finished.

    Attributes:
        contests: One for each pairing, in the order in which they were given.
        plan: How verdicts are come to.
    """

    def __init__(
        self,
        rules: Rules,
        schedule: Schedule,
        pairings: Sequence[Pairing],
        plan: Plan,
        *,
        deals: int | None,
    ) -> None:
        """Prepares a comparison.

        Args:
            rules: What is played.
            schedule: The blocks of all *pairings*, as `comparison_schedule` lays them out.
            pairings: Who is compared.
            plan: How verdicts are come to.
            deals: The deals of a match; ``None`` means to the target.
        """
        # All blocks are laid out alike, and hold either of the two equally often.
        tables = schedule.blocks[0].tables
        imagined = one_deal_more(rules, pairings[0], tables, deals or TARGET_DEALS)
        self.plan = plan
        self.contests = tuple(
            Contest(
                p,
                plan.judge(imagined, len(pairings)),
                MeanSequence(imagined, alpha=plan.alpha),
                rivals=len(pairings),
            )
            for p in pairings
        )
        self._rules, self._blocks = rules, schedule.blocks
        self._arrivals = Arrivals(schedule.blocks)

    @property
    def most_blocks(self) -> int:
        """How many blocks each contest may have."""
        return len(self._blocks) // len(self.contests)

    @property
    def is_over(self) -> bool:
        """Whether every contest is decided, or all blocks are judged."""
        return self._arrivals.block is None or all(c.is_decided for c in self.contests)

    def contest_of(self, block: int) -> Contest:
        """Returns the contest that the block with this number belongs to."""
        return self.contests[int(self._blocks[block].cell)]

    def take(self, results: Iterable[TableResult], void: Iterable[TableResult] = ()) -> None:
        """Takes tables, and judges what can be judged now.

        Args:
            results: Tables that were played, in any order.
            void: Tables that will not be: we broke them every time.
        """
        arrivals = self._arrivals
        arrivals.add(results, void)
        while (block := arrivals.block) is not None and not self.is_over:
            contest = self.contest_of(block.number)
            if not contest.is_decided:
                if (tables := arrivals.complete()) is None:
                    return
                contest.take(score_block(self._rules, contest.pairing, tables))
                self._decide()
            arrivals.advance()
        self._finish()

    def _decide(self) -> None:
        rejected = self.plan.rejected([contest.judge for contest in self.contests])
        # The smallest p-value first: the next one has to stand out among fewer.
        pairs = list(zip(self.contests, rejected, strict=True))
        for contest, is_rejected in sorted(pairs, key=lambda pair: pair[0].judge.strength):
            if not contest.is_decided:
                contest.rivals = sum(c.verdict not in _BETTER for c in self.contests)
                contest.verdict = contest.judge.verdict(is_rejected=is_rejected)

    def _finish(self) -> None:
        """Looks a last time at what is open when every block was judged."""
        for contest in self.contests:
            if not contest.is_decided:
                contest.judge.look(contest.tally, last=True)
        self._decide()


_BETTER = (Verdict.FIRST_BETTER, Verdict.SECOND_BETTER)
