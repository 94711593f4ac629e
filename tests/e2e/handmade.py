"""Results whose standings can be counted by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.rules import DEFAULT_PRESETS
from tournaments.config import TournamentConfig, parse_config
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import Table
from tournaments.store import Store
from tournaments.timing import Times

Auction = tuple[int, str, bool | None]
"""Who bids first, the bids, and whether the contract was made."""


def config(
    *names: str, rounds: int = 1, rules: str = "tournament-3p", form: str = "round-robin"
) -> TournamentConfig:
    """Returns a tournament of *names*, whose bots nobody will start."""
    bots = [f"{name}=random" for name in names]
    data = {
        "name": "night",
        "bots": bots,
        "seed": "s",
        "rounds": rounds,
        "rules": rules,
        "format": form,
    }
    return parse_config(data).described(lambda bot: f"content of {bot.name}")


def result(
    table: Table,
    scores: Sequence[int],
    *auctions: Auction,
    places: Sequence[int] | None = None,
    faults: Sequence[FaultRow] = (),
    micros: Sequence[Sequence[int]] = ((), (), (), ()),
) -> TableResult:
    """Returns what became of *table*: a deal for each auction, places by the scores."""
    order = sorted(scores, reverse=True)
    seats = [Times.of(each).to_json() for each in micros[: len(table.seats)]]
    return TableResult(
        table.number,
        table.block,
        table.lane,
        table.seats,
        "forfeit" if any(not fault.substitute for fault in faults) else "deals",
        tuple(scores),
        tuple(places or (order.index(score) + 1 for score in scores)),
        "".join(json.dumps(line) + "\n" for line in lines(auctions, len(table.seats))),
        json.dumps({"deals": [], "seats": seats}),
        tuple(faults),
    )


def lines(auctions: Sequence[Auction], players: int) -> Iterator[dict[str, object]]:
    """Yields the lines of a record, as far as figures are made of them."""
    yield {"type": "match", "rules": DEFAULT_PRESETS[players]}
    for first, bids, made in auctions or ((0, "pass pass pass", None),):
        yield {"type": "deal", "first": first, "bids": bids, "made": made}
    yield {"type": "end"}


def fault(table: Table, seat: int, kind: str, *, substitute: str = "pass") -> FaultRow:
    """Returns a fault at *table*; without a substitute it is the one that forfeits."""
    return FaultRow(seat, table.seats[seat], kind, deal=0, decision=1, substitute=substitute)


def store_of(path: Path, tournament: TournamentConfig, *groups: Sequence[TableResult]) -> Path:
    """Returns *path*, at which is a store into which the results came in *groups*."""
    with Store.create(path, tournament, code_version="1") as store:
        for group in groups:
            store.add_results(group)
    return path
