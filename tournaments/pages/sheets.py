"""A deal laid out for a page: as a sheet to be read, and as the data of the stage that plays it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from referee.rules import Bid, Discard, Exchange, Kind, MakeBid, Tile
from referee.rules.options import Sides
from referee.rules.scoring import side_tricks
from referee.rules.tiles import tiles_in
from referee.text import visible
from tournaments.pages.rendering import plain_name, without_paths
from tournaments.pages.steps import Replay, ReplayDeal, Step, bid_word, trump_word
from tournaments.reports.drawing import side_name


class Cell(NamedTuple):
    """What one seat did in a row of a sheet."""

    seat: int
    step: Step | None = None
    wins: bool = False
    """Whether this bid won the auction, or this tile the trick."""


class Row(NamedTuple):
    """A round of the auction, or a trick."""

    label: str
    cells: tuple[Cell, ...]
    """By seat."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One deal of a replay, as it is read."""

    replay: Replay
    deal: ReplayDeal
    prefix: str = ""
    """What its name on the page begins with, to tell several replays apart."""

    @property
    def id(self) -> str:
        """The name of the deal on its page, such as ``d3``."""
        return f"{self.prefix}d{self.deal.number}"

    @property
    def outcome(self) -> str:
        """What came of the deal, in a few words."""
        deal, score = self.deal.deal, self.deal.finished.score
        if deal.is_thrown_in:
            return "everybody passed: thrown in"
        if deal.declarer is None or not deal.is_over:
            return "broken off by a forfeit"
        name = plain_name(self.replay.seats[deal.declarer])
        said = "" if deal.trump is None else f", {trump_word(deal.trump)}"
        verdict = "" if score is None else f": {'made' if score.made else 'set'}"
        return f"{name} bids {bid_word(deal.contract)}{said}{verdict}"

    @property
    def made(self) -> bool | None:
        """Whether the contract was kept; ``None`` if there was none, or it was broken off."""
        return None if self.deal.finished.score is None else self.deal.finished.score.made

    @property
    def bids(self) -> tuple[Row, ...]:
        """The rounds of the auction."""
        players, deal = self.replay.rules.players, self.deal.deal
        steps = [step for step in self.deal.steps if step.decision.kind is Kind.BID]
        best = [step for step in steps if _bid_of(step) is not Bid.PASS]
        rows: list[list[Cell]] = []
        last = players
        for step in steps:
            place = (step.seat - deal.auction.first_bidder) % players
            if place <= last:
                rows.append([Cell(seat) for seat in range(players)])
            last = place
            wins = deal.declarer is not None and step is best[-1]
            rows[-1][step.seat] = Cell(step.seat, step, wins)
        return tuple(Row("" if at else "bids", tuple(cells)) for at, cells in enumerate(rows))

    @property
    def contract(self) -> tuple[Step, ...]:
        """What the declarer chose before the tricks."""
        return tuple(
            step for step in self.deal.steps if step.decision.kind not in (Kind.BID, Kind.PLAY)
        )

    @property
    def tricks(self) -> tuple[Row, ...]:
        """The tricks that were begun."""
        players = self.replay.rules.players
        steps = [step for step in self.deal.steps if step.decision.kind is Kind.PLAY]
        rows = []
        for start in range(0, len(steps), players):
            trick = steps[start : start + players]
            cells = [Cell(seat) for seat in range(players)]
            for step in trick:
                cells[step.seat] = Cell(step.seat, step, trick[-1].winner == step.seat)
            rows.append(Row(str(start // players + 1), tuple(cells)))
        return tuple(rows)

    @property
    def faults(self) -> tuple[Step, ...]:
        """The decisions at which a bot did something wrong."""
        return tuple(step for step in self.deal.steps if step.fault is not None)

    @property
    def sides(self) -> tuple[tuple[str, int | None, int | None, int | None], ...]:
        """By side: its name, tricks, points, and the match score after; ``None`` if unknown."""
        rules, finished = self.replay.rules, self.deal.finished
        tricks = side_tricks(rules, finished.deal.tricks_won)
        points = finished.score.points if finished.score else None
        return tuple(
            (
                side_name(rules, self.replay.seats, side),
                tricks[side] if finished.deal.plays else None,
                points[side] if points else None,
                finished.scores[side] if finished.scores else None,
            )
            for side in range(rules.side_count)
        )


def sheets_of(replay: Replay, prefix: str = "") -> tuple[Sheet, ...]:
    """Returns the deals of a replay as sheets; their names on the page begin with *prefix*."""
    return tuple(Sheet(replay, deal, prefix) for deal in replay.deals)


def _bid_of(step: Step) -> Bid:
    return step.choice.bid if isinstance(step.choice, MakeBid) else Bid.PASS


def stage_data(replay: Replay, prefix: str = "", title: str = "") -> dict[str, object]:
    """Returns what the stage of a page needs to play *replay*, as JSON values.

    Args:
        replay: What is played.
        prefix: What the names of its deals on the page begin with.
        title: What it is called on the page.
    """
    rules = replay.rules
    pairs = rules.sides is Sides.PAIRS
    return {
        "title": title,
        "seats": [plain_name(name) for name in replay.seats],
        "sides": [[0, 2], [1, 3]] if pairs else [[seat] for seat in range(rules.players)],
        "deals": [_deal_data(sheet) for sheet in sheets_of(replay, prefix)],
    }


def _deal_data(sheet: Sheet) -> dict[str, object]:
    deal, finished = sheet.deal, sheet.deal.finished
    middle = deal.deal.dealt.middle
    return {
        "id": sheet.id,
        "n": deal.number,
        "first": deal.first,
        "outcome": sheet.outcome,
        "before": list(deal.before),
        "points": list(finished.score.points) if finished.score else None,
        "hands": [_written(deal.hand(seat)) for seat in range(sheet.replay.rules.players)],
        "widow": str(middle[0]) if middle else "",
        "unused": _written(middle[1:]),
        "steps": [_step_data(step) for step in deal.steps],
    }


def _step_data(step: Step) -> dict[str, object]:
    """Returns a step; what is not so, or not known, is left out."""
    after = step.after
    data: dict[str, object] = {"s": step.seat, "k": step.decision.kind.word, "say": step.text}
    optional = {
        "c": _short(step),
        "legal": _written(_legal_tiles(step)),
        "could": " ".join(_could(step)),
        "us": step.micros,
        "forced": not step.was_asked or None,
        "fault": step.fault.kind.value if step.fault else None,
        "detail": visible(without_paths(step.fault.detail)) if step.fault else None,
        "gains": [step.gained[0], str(step.gained[1])] if step.gained else None,
        "wins": step.winner,
        "lead": step.is_lead or None,
        "declarer": None if after.declarer is None else int(after.declarer),
        "bid": bid_word(after.contract) if after.declarer is not None else None,
        "trump": None if after.trump is None else trump_word(after.trump),
    }
    return data | {key: value for key, value in optional.items() if value not in (None, "")}


def _short(step: Step) -> str:
    """Returns what a choice chose, without what it did with it."""
    match step.choice:
        case None:
            return ""
        case MakeBid(bid):
            return str(bid)
        case Exchange():
            return ""
        case choice:
            return str(choice).split()[1] if isinstance(choice, Discard) else _tile_of(step)


def _tile_of(step: Step) -> str:
    """Returns the tile that a step put on the table; empty if it put none."""
    return str(step.after.plays[-1]) if len(step.after.plays) > len(step.before.plays) else ""


def _legal_tiles(step: Step) -> tuple[Tile, ...]:
    """Returns the tiles that could have been played or discarded."""
    if step.decision.kind is Kind.PLAY:
        return tuple(tiles_in(step.before.legal_mask()))
    if step.decision.kind is Kind.DISCARD:
        return tuple(tiles_in(step.before.hands[step.seat]))
    return ()


def _could(step: Step) -> Iterator[str]:
    """Yields what else could have been bid or named."""
    if step.decision.kind in (Kind.BID, Kind.TRUMP):
        for choice in step.decision.legal:
            yield str(choice).split()[-1]


def _written(tiles: tuple[Tile, ...]) -> str:
    return " ".join(map(str, tiles))
