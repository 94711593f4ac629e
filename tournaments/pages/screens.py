"""A replay on a terminal: one decision as a screen, and all of them as lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from referee.rules import Deal, Discard, Hand, Kind
from referee.rules.tiles import tiles_in
from referee.text import counted, visible
from tournaments.pages.rendering import duration
from tournaments.pages.sheets import Sheet
from tournaments.pages.steps import Replay, ReplayDeal, Step, bid_word, trump_word
from tournaments.reports.drawing import LEADS, STANDS_IN, WINS, side_name

KEYS = "right, left: decision  down, up: deal  home, end  0 1 2 ..: seen by  a: all  q: quit"
HIDDEN = "(hidden)"


class Position(NamedTuple):
    """Where in a replay somebody looks."""

    deal: int = 0
    """The place of the deal among those of the replay."""
    made: int = 0
    """How many decisions of the deal are made."""


START = Position()
"""Where a replay begins."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What is to be seen of a replay at a position."""

    replay: Replay
    at: Position = START
    seat: int | None = None
    """Whose view it is; ``None`` shows everything."""

    @property
    def _deal(self) -> ReplayDeal:
        return self.replay.deals[self.at.deal]

    @property
    def _step(self) -> Step | None:
        return self._deal.steps[self.at.made - 1] if self.at.made else None

    @property
    def _state(self) -> Deal:
        steps = self._deal.steps
        if not steps:
            return self._deal.deal
        return self._step.after if self._step else steps[0].before

    def moved(self, by: int) -> Position:
        """Returns the position so many decisions on; a deal's end is followed by the next deal."""
        deal, count = self.at.deal, self.at.made + by
        if count < 0:
            return Position(deal - 1, len(self.replay.deals[deal - 1].steps)) if deal else self.at
        if count > len(self._deal.steps):
            return Position(deal + 1) if deal + 1 < len(self.replay.deals) else self.at
        return Position(deal, count)

    def moved_deal(self, by: int) -> Position:
        """Returns the beginning of the deal so many on, or the end that there is."""
        return Position(min(max(self.at.deal + by, 0), len(self.replay.deals) - 1))

    def at_end(self) -> Position:
        """Returns the end of the deal."""
        return Position(self.at.deal, len(self._deal.steps))

    def _name(self, seat: int) -> str:
        return f"{seat} {visible(self.replay.seats[seat])}"

    def _hides(self, seat: int | None) -> bool:
        return self.seat is not None and self.seat != seat

    def lines(self) -> Iterator[Text]:
        """Yields the screen, line by line."""
        yield self._head()
        yield self._contract()
        yield Text()
        room = max(cell_len(self._name(seat)) for seat in range(len(self.replay.seats)))
        for seat in range(len(self.replay.seats)):
            yield self._hand(seat, room)
        yield from self._aside(room)
        yield Text()
        yield from self._table()
        yield Text()
        yield from self._told()

    def _head(self) -> Text:
        table = f"table {self.replay.table}, " if self.replay.table else ""
        place = f"{self.at.made} of {len(self._deal.steps)} decisions"
        head = Text(f"{table}deal {self._deal.number}", style="bold")
        head.append(f"  {place}", style="dim")
        scores = self._deal.before
        if self.at == self.at_end() and self._deal.finished.scores:
            scores = self._deal.finished.scores
        if scores:
            names = (side_name(self.replay.rules, self.replay.seats, s) for s in range(len(scores)))
            told = ", ".join(f"{name} {score}" for name, score in zip(names, scores, strict=True))
            head.append(f"  {told}")
        return head

    def _contract(self) -> Text:
        state = self._state
        if state.declarer is None:
            first = self._name(state.auction.first_bidder)
            return Text("everybody passed" if state.is_thrown_in else f"{first} bids first")
        said = "" if state.trump is None else f", {trump_word(state.trump)}"
        return Text(f"{self._name(state.declarer)} plays {bid_word(state.contract)}{said}")

    def _hand(self, seat: int, room: int) -> Text:
        state, step = self._state, self._step
        chooses = step is not None and step.seat == seat
        line = Text(LEADS if chooses else " ", style="bold")
        line.append(f" {set_cell_size(self._name(seat), room)}  ", style="bold" if chooses else "")
        held = HIDDEN if self._hides(seat) else str(Hand(state.hands[seat]))
        line.append(f"{held:<32}", style="dim" if held == HIDDEN else "")
        if state.leaders:
            won = state.tricks_won[seat]
            line.append(f"  {counted(won, 'trick')}")
        return line

    def _aside(self, room: int) -> Iterator[Text]:
        state = self._state
        widow = state.dealt.widow
        if widow is not None and not state.taken:
            hidden = self.seat is not None
            yield Text(f"  {'widow':<{room}}  {HIDDEN if hidden else widow}", style="dim")
        if state.discarded is not None:
            shown = HIDDEN if self._hides(state.declarer) else state.discarded
            yield Text(f"  {'discard':<{room}}  {shown}", style="dim")

    def _table(self) -> Iterator[Text]:
        """Yields the bids while there is no contract, then the trick."""
        steps = self._deal.steps[: self.at.made]
        plays = [step for step in steps if step.decision.kind is Kind.PLAY]
        if not plays:
            bids = [step for step in steps if step.decision.kind is Kind.BID]
            for step in bids:
                yield self._laid(step, step.text)
            return
        players = self.replay.rules.players
        start = (len(plays) - 1) // players * players
        yield Text(f"  trick {start // players + 1}", style="dim")
        for step in plays[start:]:
            yield self._laid(step, step.text, wins=plays[-1].winner == step.seat)

    def _laid(self, step: Step, text: str, *, wins: bool = False) -> Text:
        line = Text(f"    {self._name(step.seat)} {text}{STANDS_IN if step.fault else ''}")
        if wins:
            line.append(f" {WINS} takes the trick", style="bold green")
        return line

    def _told(self) -> Iterator[Text]:
        step = self._step
        if step is None:
            yield Text("the tiles are dealt")
            return
        yield from _decision(self, step)
        if self.at == self.at_end():
            yield Text(Sheet(self.replay, self._deal).outcome, style="bold")

    def said(self, step: Step) -> str:
        """Returns what was chosen, as far as the seat that looks saw it."""
        hidden = isinstance(step.choice, Discard) and self._hides(step.seat)
        return "discards a tile" if hidden else step.text


def _decision(screen: Screen, step: Step) -> Iterator[Text]:
    """Yields the decision at which somebody looks, its fault, and what else was legal."""
    time = duration(step.micros) if step.was_asked else "only one choice was legal"
    line = Text(f"decision {step.number}: ", style="dim")
    name = visible(screen.replay.seats[step.seat])
    line.append(f"{name} {screen.said(step)}", style="bold not dim")
    line.append(f"  {time}" if time else "")
    yield line
    if step.fault is not None:
        detail = f": {visible(step.fault.detail)}" if step.fault.detail else ""
        stands = "; the first legal choice stands in" if step.choice else ""
        yield Text(f"{step.fault.kind}{detail}{stands}", style="bold red")
    if step.was_asked and screen.seat in (None, step.seat):
        legal = ", ".join(
            map(str, tiles_in(step.before.legal_mask()))
            if step.decision.kind is Kind.PLAY
            else map(str, step.decision.legal)
        )
        yield Text(f"legal: {legal}", style="dim")


def listing(replay: Replay, seat: int | None = None) -> Iterator[str]:
    """Yields every decision of *replay* as a line, as *seat* saw it if one is given."""
    room = max(cell_len(visible(name)) for name in replay.seats) + 2
    for number, deal in enumerate(replay.deals):
        screen = Screen(replay, Position(number), seat)
        yield f"deal {deal.number}"
        for line in screen.lines():
            if line.plain.startswith(("  ", "> ")) and line.plain.strip():
                yield line.plain.rstrip()
        for step in deal.steps:
            yield _line(screen, step, room)
        yield f"  {Sheet(replay, deal).outcome}"


def _line(screen: Screen, step: Step, room: int) -> str:
    name = f"{step.seat} {visible(screen.replay.seats[step.seat])}"
    winner = step.winner
    parts = [
        f"  {step.number:>4}  {set_cell_size(name, room)}  {screen.said(step)}",
        "" if winner is None else f"{visible(screen.replay.seats[winner])} takes the trick",
        "" if step.fault is None else f"{step.fault.kind}{STANDS_IN}",
        duration(step.micros) if step.was_asked else "forced",
    ]
    return "  ".join(filter(None, parts))
