"""Deals and matches drawn for reading, in plain text no wider than a terminal.

Seats are columns, tricks are rows. Every meaning has a sign or a word of its own; colour, if the
caller wants any, only repeats it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from referee.match import DealRecord, FaultMark, FinishedDeal, deal_states
from referee.rules import Choice, Deal, Decision, Discard, Exchange, Hand, Kind, MakeBid, NameTrump
from referee.rules.bids import TRICKS
from referee.rules.options import LedSuit, Rules, Sides
from referee.rules.scoring import side_tricks
from referee.text import visible

LEADS, WINS, STANDS_IN = ">", "*", "!"
LEGEND = f"{LEADS} leads or bids first, {WINS} wins, {STANDS_IN} first legal choice, for a fault"
"""What the signs of a drawing mean."""

_LABEL = 9
_ROOM = {3: 19, 4: 15}
"""By number of players: the widest column that still fits."""


class Role(StrEnum):
    """What a part of a drawing is, for whoever colours it."""

    TITLE = "title"
    WINNER = "winner"
    FAULT = "fault"
    ASIDE = "aside"


Paint: TypeAlias = Callable[[str, Role], str]
"""Returns a text in the colour of its role."""


def plain(text: str, _role: Role) -> str:
    """Returns *text* as it is."""
    return text


_ESCAPES = {Role.TITLE: "1", Role.WINNER: "1;32", Role.FAULT: "1;31", Role.ASIDE: "2"}


def coloured(text: str, role: Role) -> str:
    """Returns *text* with the escapes of a terminal around it."""
    return f"\x1b[{_ESCAPES[role]}m{text}\x1b[0m"


def draw_deal(
    finished: FinishedDeal,
    names: Sequence[str],
    *,
    faults: Sequence[FaultMark] = (),
    seat: int | None = None,
    title: str = "",
    legend: bool = True,
    paint: Paint = plain,
) -> str:
    """Returns one deal as lines of text, without a line end after the last.

    Args:
        finished: The deal. One that is not over is drawn as far as it went; the match score is
            left out if ``scores`` is empty.
        names: By seat: who sits there.
        faults: Where a choice stands in place of a bot's.
        seat: Show only what this seat saw, with what it could have chosen.
        title: The first line; the number of the deal if left out.
        legend: Whether the last line says what the signs mean.
        paint: Colours the parts.
    """
    drawing = _Drawing(finished, names, faults, seat, paint)
    lines = [paint(title or f"deal {finished.number}", Role.TITLE), *drawing.lines()]
    return "\n".join([*lines, paint(f"  {LEGEND}", Role.ASIDE)] if legend else lines)


def side_name(rules: Rules, names: Sequence[str], side: int) -> str:
    """Returns who plays on *side*."""
    if rules.sides is Sides.PAIRS:
        return f"{visible(names[side])} + {visible(names[side + 2])}"
    return visible(names[side])


class _Step(NamedTuple):
    """One choice of the deal."""

    decision: Decision
    choice: Choice
    fault: FaultMark | None

    @property
    def text(self) -> str:
        """The choice, with the sign of a substitute."""
        return _short(self.choice) + (STANDS_IN if self.fault else "")


def _short(choice: Choice) -> str:
    """Returns the tile, bid or trump alone, as it stands in a column."""
    match choice:
        case MakeBid(bid):
            return str(bid)
        case NameTrump(trump):
            return str(trump)
        case Exchange(take):
            return "take" if take else "leave"
        case Discard(tile):
            return str(tile)
        case play:
            return str(play).removeprefix("play ")


class _Cell(NamedTuple):
    """One seat's part of a row."""

    text: str = ""
    leads: bool = False
    wins: bool = False


class _Drawing:
    """One deal on its way to lines."""

    def __init__(
        self,
        finished: FinishedDeal,
        names: Sequence[str],
        faults: Sequence[FaultMark],
        seat: int | None,
        paint: Paint,
    ) -> None:
        self._finished = finished
        self._deal: Deal = finished.deal
        self._rules = self._deal.rules
        self._names = names
        self._faults = faults
        self._seat = seat
        self._paint = paint
        self._steps = self._read()
        heads = [_cut(self._seat_name(at), _ROOM[len(names)] - 3) for at in range(len(names))]
        self._room = max(9, *(_width(head) + 3 for head in heads))
        self._heads = heads

    def _read(self) -> list[_Step]:
        record = DealRecord.of(self._finished.number, self._deal, None)
        marks = {mark.at: mark for mark in self._faults}
        steps = []
        for number, (state, choice) in enumerate(deal_states(self._rules, record, "deal")):
            assert state.decision is not None
            steps.append(_Step(state.decision, choice, marks.get(number)))
        return steps

    def _of(self, kind: Kind) -> list[_Step]:
        return [step for step in self._steps if step.decision.kind is kind]

    def _seat_name(self, seat: int) -> str:
        return f"{seat} {visible(self._names[seat])}"

    def _hides(self, seat: int | None) -> bool:
        return self._seat is not None and self._seat != seat

    def lines(self) -> Iterator[str]:
        """Yields everything below the title."""
        yield from self._hands()
        yield ""
        yield self._row("", [_Cell(head) for head in self._heads])
        yield from self._auction()
        yield from self._contract()
        yield from self._tricks()
        yield from self._outcome()
        yield from self._notes()

    def _row(self, label: str, cells: Sequence[_Cell], remark: str = "") -> str:
        """Returns a line with a cell for each seat."""
        texts = [_pad(label, _LABEL)]
        for cell in cells:
            text = cell.text + WINS * cell.wins
            space = _pad(text, self._room - 1)[len(text) :]
            painted = self._paint(text, Role.WINNER) if cell.wins else text
            texts.append((LEADS if cell.leads else " ") + painted + space)
        if remark:
            texts.append(self._paint(remark, Role.ASIDE))
        return f"  {''.join(texts)}".rstrip()

    def _line(self, label: str, text: str) -> str:
        return f"  {_pad(label, _LABEL)} {text}".rstrip()

    def _hands(self) -> Iterator[str]:
        hidden = self._paint("(hidden)", Role.ASIDE)
        deal = self._deal
        room = max(_width(self._seat_name(seat)) for seat in range(len(self._names))) + 2
        room = max(room, _LABEL)
        for seat, mask in enumerate(deal.dealt.hands):
            hand = hidden if self._hides(seat) else str(Hand(mask))
            yield f"  {_pad(self._seat_name(seat), room)}{hand}"
        middle = deal.dealt.middle
        if middle:
            saw = self._seat is None or (deal.taken and self._seat == deal.declarer)
            yield f"  {_pad('widow', room)}{middle[0] if saw else hidden}"
        if len(middle) > 1:
            unused = hidden if self._seat is not None else " ".join(map(str, middle[1:]))
            yield f"  {_pad('unused', room)}{unused}"

    def _auction(self) -> Iterator[str]:
        deal, players = self._deal, self._rules.players
        steps = self._of(Kind.BID)
        highest = [step for step in steps if _short(step.choice) != "pass"]
        rows: list[list[_Cell]] = []
        last = players
        for step in steps:
            place = (step.decision.seat - deal.auction.first_bidder) % players
            if place <= last:
                rows.append([_Cell()] * players)
            last = place
            wins = deal.declarer is not None and step is highest[-1]
            rows[-1][step.decision.seat] = _Cell(step.text, step is steps[0], wins)
        for number, cells in enumerate(rows):
            yield self._row("" if number else "bids", cells)
        yield from self._could(steps)

    def _could(self, steps: Sequence[_Step]) -> Iterator[str]:
        """Yields what the seat that looks could have chosen."""
        for step in steps:
            decision = step.decision
            if decision.seat == self._seat and len(decision.legal) > 1:
                legal = ", ".join(map(_short, decision.legal))
                text = f"could {decision.kind.word}: {legal}"
                yield self._paint(self._line("", text), Role.ASIDE)

    def _contract(self) -> Iterator[str]:
        deal = self._deal
        if deal.declarer is None:
            return
        hides = self._hides(deal.declarer)
        taken = "takes the widow" if hides else f"takes {deal.dealt.widow}"
        steps = [*self._of(Kind.TRUMP), *self._of(Kind.EXCHANGE), *self._of(Kind.DISCARD)]
        steps.sort(key=self._steps.index)
        said: list[str] = []
        for step in steps:
            sign = STANDS_IN if step.fault else ""
            match step.choice:
                case NameTrump(trump):
                    said.append(f"trump {trump}{sign}")
                case Exchange(take):
                    said.append((taken if take else "leaves the widow") + sign)
                case Discard(tile):
                    # Where the widow must be taken nobody chose to.
                    said += [] if self._of(Kind.EXCHANGE) else [taken]
                    said.append(f"discards {'a tile' if hides else tile}{sign}")
        if deal.taken and not any(text.startswith(taken) for text in said):
            said.append(taken)
        told = f": {', '.join(said)}" if said else ""
        yield self._line("", f"{self._seat_name(deal.declarer)} plays {deal.contract}{told}")
        yield from self._could(steps)

    def _tricks(self) -> Iterator[str]:
        deal, players = self._deal, self._rules.players
        plays = self._of(Kind.PLAY)
        if plays:
            yield ""
        winners = [*deal.leaders[1:], self._last_winner()]
        for number, leader in enumerate(deal.leaders):
            steps = plays[number * players : (number + 1) * players]
            if not steps:
                continue
            cells = [_Cell()] * players
            won = winners[number] if len(steps) == players else None
            for step in steps:
                seat = step.decision.seat
                cells[seat] = _Cell(step.text.partition(" ")[0], seat == leader, seat == won)
            yield self._row(f"trick {number + 1}", cells, self._led(number))
            yield from self._could(steps)

    def _last_winner(self) -> int | None:
        """Returns who won the trick after which nobody led any more."""
        deal = self._deal
        counted = [deal.leaders[1:].count(seat) for seat in range(len(self._names))]
        gained = [won - seen for won, seen in zip(deal.tricks_won, counted, strict=True)]
        return gained.index(1) if 1 in gained else None

    def _led(self, number: int) -> str:
        deal, rules = self._deal, self._rules
        assert deal.trump is not None
        suit = deal.suits[number]
        is_trump = suit is rules.tables[deal.trump].trump_suit
        verb = "called" if rules.led_suit is LedSuit.LEADER_CALLS else "led"
        return f"{'trump' if is_trump else suit} {verb}"

    def _outcome(self) -> Iterator[str]:
        deal, score = self._deal, self._finished.score
        if deal.plays:
            yield self._row("tricks", [_Cell(str(won)) for won in deal.tricks_won])
        if deal.is_thrown_in:
            yield self._line("", "everybody passed: the deal is thrown in")
        elif not deal.is_over:
            yield self._line("", self._paint("the deal was broken off here", Role.FAULT))
        if score is not None and deal.declarer is not None:
            taken = side_tricks(self._rules, deal.tricks_won)[self._rules.side_of(deal.declarer)]
            early = ", which decides it" if sum(deal.tricks_won) < TRICKS else ""
            outright = score.wins_game is not None or score.loses_game is not None
            game = "; that is the game" if outright else ""
            verdict = "made" if score.made else "set"
            text = f"{deal.contract} bid, {taken} taken{early}: {verdict}{game}"
            yield ""
            yield self._line("contract", text)
            yield self._line("points", self._by_side(score.points, "+"))
        if self._finished.scores:
            yield self._line("match", self._by_side(self._finished.scores, ""))

    def _by_side(self, values: Sequence[int], sign: str) -> str:
        return ", ".join(
            f"{side_name(self._rules, self._names, side)} {value:{sign}}"
            for side, value in enumerate(values)
        )

    def _notes(self) -> Iterator[str]:
        for mark in self._faults:
            name = self._seat_name(mark.seat)
            if mark.at < len(self._steps):
                step = self._steps[mark.at]
                trick = len(self._of(Kind.PLAY)) - len(self._steps) + mark.at
                where = step.decision.kind.word
                if step.decision.kind is Kind.PLAY:
                    where = f"trick {trick // self._rules.players + 1}"
                did = f"{name}, {where}: {mark.kind}; played for it: {self._told(step)}"
            else:
                did = f"{name}: {mark.kind}; the match is forfeited"
            yield self._line("fault", self._paint(did, Role.FAULT))

    def _told(self, step: _Step) -> str:
        hidden = isinstance(step.choice, Discard) and self._hides(step.decision.seat)
        return "discard a tile" if hidden else str(step.choice)


def _width(text: str) -> int:
    """Returns how many columns of a terminal *text* takes."""
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def _pad(text: str, room: int) -> str:
    return text + " " * (room - _width(text))


def _cut(text: str, room: int) -> str:
    """Returns *text*, cut to fit into *room* columns."""
    if _width(text) <= room:
        return text
    while _width(text) > room - 1:
        text = text[:-1]
    return f"{text}…"
