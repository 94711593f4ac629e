"""Whole hands: every choice put to our rules, and every number they give beside the file's."""

from __future__ import annotations

from collections.abc import Iterator

from vector_compare import same
from vector_reading import (
    Json,
    QuestionError,
    read_bid,
    read_suit,
    read_tile,
    read_tiles,
    read_trump,
    write_bid,
    write_suit,
    write_tiles,
    write_trump,
)

from referee.match.matches import is_forced
from referee.rules import (
    Choice,
    Deal,
    Dealt,
    Discard,
    Exchange,
    Kind,
    MakeBid,
    NameTrump,
    Play,
    Rules,
    Trump,
    match_end,
)
from referee.rules.tiles import mask_of


class HandCheck:
    """One hand of a file, played through our rules."""

    def __init__(self, rules: Rules, data: dict[str, Json]) -> None:
        self.rules = rules
        self.data = data
        self._used = {"id", "preset", "set", "note", "basis", "rests_on", "core", "tricks"}
        self.compared = 0
        self.differences: list[tuple[str, Json, Json]] = []
        self.deal = self._dealt()

    def run(self) -> Deal | None:
        """Plays the hand; returns its last state, or ``None`` if a choice was not legal."""
        if not (self._bid() and self._name_and_exchange() and self._play_tricks()):
            return None
        self._compare_end()
        return self.deal

    def same(self, what: str, expect: Json, got: Json) -> bool:
        """Compares one fact."""
        self.compared += 1
        if same(expect, got):
            return True
        self.differences.append((what, expect, got))
        return False

    @property
    def unused(self) -> list[str]:
        """The keys that were not compared."""
        return sorted(set(self.data) - self._used)

    def _get(self, *names: str, default: Json = None) -> Json:
        self._used.update(names)
        return next((self.data[name] for name in names if name in self.data), default)

    def _dealt(self) -> Deal:
        rules = self.rules
        hands = [read_tiles(hand) for hand in self._get("deal", "hands")]
        middle = self._get("middle", "widow", default=[])
        middle = read_tiles([middle] if isinstance(middle, str) else middle or [])
        dealt = sorted(tile for hand in (*hands, middle) for tile in hand)
        sizes = [len(hand) for hand in hands]
        self.same("sizes of the hands", [7] * rules.players, sizes)
        self.same("tiles dealt", write_tiles(rules.tiles), write_tiles(dealt))
        if sizes != [7] * rules.players:
            raise QuestionError(f"{len(hands)} hands of {sizes} tiles")
        bids = self._get("bids", default=[])
        first = self._get("first_bidder", "first")
        if first is None:
            first = bids[0]["seat"] if bids and isinstance(bids[0], dict) else 0
        forced = self._get("forced")
        if forced is None:
            redeals = self._get("redeals", "redeals_before", default=0) or 0
            forced = is_forced(rules, len(redeals) if isinstance(redeals, list) else redeals)
        dealt = Dealt(tuple(map(mask_of, hands)), tuple(middle))
        return Deal.start(rules, dealt, first, forced=bool(forced))

    def _choose(self, what: str, choice: Choice) -> bool:
        decision = self.deal.decision
        legal = () if decision is None else decision.legal
        self.compared += 1
        if choice not in legal:
            self.differences.append((what, str(choice), [str(each) for each in legal]))
            return False
        self.deal = self.deal.play(choice)
        return True

    def _bid(self) -> bool:
        for at, entry in enumerate(self._get("bids", default=[])):
            what, value = f"bid {at}", entry
            if isinstance(entry, dict):
                value = entry["bid"]
                if not self.same(f"{what}: seat", entry.get("seat"), self.deal.auction.turn):
                    return False
                if "legal" in entry:
                    self._compare_bids(what, entry["legal"])
            bid = read_bid(value)
            if bid is None:
                self.differences.append((what, value, "no such bid"))
                return False
            if not self._choose(what, MakeBid(bid)):
                return False
        auction = self.deal.auction
        self.same("auction over", True, auction.turn is None)
        if "bidder" in self.data or "declarer" in self.data:
            self.same("bidder", self._get("bidder", "declarer"), self.deal.declarer)
        if "bid" in self.data:
            bid = self._get("bid")
            self.same("bid", "pass" if bid is None else bid, write_bid(self.deal.contract))
        return auction.turn is None

    def _compare_bids(self, what: str, expect: list[Json]) -> None:
        decision = self.deal.decision
        legal = decision.legal if decision else ()
        got = [str(write_bid(c.bid)) for c in legal if isinstance(c, MakeBid)]
        self.same(f"{what}: legal", sorted(map(str, expect)), sorted(got))

    def _name_and_exchange(self) -> bool:
        discard = self._get("discard", "discarded")
        takes = self._get("took", "taken", "take", "took_middle", "takes", "exchanged")
        if takes is None or takes in ("optional", "take_then_discard", "none"):
            takes = discard is not None
        takes = bool(takes) and str(takes).lower() not in ("left", "leave", "no", "not_taken")
        while self.deal.kind not in (Kind.PLAY, None):
            match self.deal.kind:
                case Kind.TRUMP:
                    ok = self._choose("trump", NameTrump(read_trump(self._get("trump"))))
                case Kind.EXCHANGE:
                    ok = self._choose("exchange", Exchange(takes))
                case _:
                    if discard is None:
                        self.differences.append(("discard", None, "a tile must be discarded"))
                        return False
                    ok = self._choose("discard", Discard(read_tile(discard)))
            if not ok:
                return False
        if self.deal.is_thrown_in:
            return self.same("trump", self._get("trump"), None)
        done = None if self.deal.discarded is None else str(self.deal.discarded)
        return self.same("discard", discard, done)

    @property
    def _trump(self) -> Trump:
        return Trump.NONE if self.deal.trump is None else self.deal.trump

    def _tricks(self) -> Iterator[tuple[dict[str, Json], list[dict[str, Json]]]]:
        """Yields each trick with its plays, from a list of tricks or of tiles."""
        players = self.rules.players
        flat = self._get("plays", default=[])
        tricks = self._get("tricks")
        if not isinstance(tricks, list) or not all(isinstance(t, dict) for t in tricks):
            tricks = [{"plays": flat[at : at + players]} for at in range(0, len(flat), players)]
        for trick in tricks:
            plays = [p if isinstance(p, dict) else {"tile": p} for p in trick.get("plays", [])]
            yield trick, plays

    def _play_tricks(self) -> bool:
        for number, (trick, plays) in enumerate(self._tricks(), 1):
            if "leader" in trick:
                self.same(f"trick {number}: leader", trick["leader"], self.deal.turn)
            for place, play in enumerate(plays):
                if not self._play(f"trick {number}, play {place}", trick, play, place == 0):
                    return False
            if "led_suit" in trick:
                led = write_suit(self.deal.suits[-1], self._trump)
                self.same(f"trick {number}: led suit", self._plain(trick["led_suit"]), led)
            if "winner" in trick and len(plays) == self.rules.players:
                self.same(f"trick {number}: winner", trick["winner"], self._last_winner())
        return True

    def _plain(self, suit: Json) -> Json:
        return write_suit(read_suit(suit, self._trump), self._trump)

    def _last_winner(self) -> int | None:
        """Returns who won the last finished trick: the next leader, or whoever gained one."""
        if not self.deal.is_over:
            return self.deal.leaders[-1]
        counted = [self.deal.leaders[1:].count(seat) for seat in range(self.rules.players)]
        gained = [won - seen for won, seen in zip(self.deal.tricks_won, counted, strict=True)]
        return gained.index(1) if 1 in gained else None

    def _play(self, what: str, trick: Json, play: dict[str, Json], leads: bool) -> bool:
        if "seat" in play and not self.same(f"{what}: seat", play["seat"], self.deal.turn):
            return False
        decision = self.deal.decision
        legal = [c for c in decision.legal if isinstance(c, Play)] if decision else []
        if "legal" in play:
            got = write_tiles(dict.fromkeys(c.tile for c in legal))
            self.same(f"{what}: legal", sorted(map(_written, play["legal"])), sorted(got))
        tile = read_tile(play["tile"])
        called = None
        if leads and any(c.called is not None for c in legal):
            names = ("called", "calls", "call", "called_suit")
            told = next((d[n] for d in (play, trick) for n in names if n in d), None)
            told = trick.get("led_suit") if told is None else told
            calls = [c.called for c in legal if c.tile == tile]
            called = read_suit(told, self._trump) if told is not None else None
            called = calls[0] if told is None and calls else called
        return self._choose(what, Play(tile, called))

    def _compare_end(self) -> None:
        deal = self.deal
        ended = any(name in self.data for name in ("tricks_won", "made", "delta"))
        if ended:
            self.same("deal over", True, deal.is_over)
        if not deal.is_over or deal.is_thrown_in:
            self._compare({"tricks_won": list(deal.tricks_won), "made": None, "delta": None})
            return
        self._compare(self.facts())

    def facts(self) -> dict[str, Json]:
        """Returns what the deal came to, by the names of the file."""
        deal, rules = self.deal, self.rules
        facts: dict[str, Json] = {"tricks_won": list(deal.tricks_won), "over": deal.is_over}
        if deal.declarer is None or not deal.is_over:
            return facts
        score = deal.score()
        facts |= {
            "made": score.made,
            "delta": list(score.points),
            "bidder": deal.declarer,
            "bid": write_bid(deal.contract),
            "trump": write_trump(self._trump),
        }
        before = self._get("scores_before", "scores")
        if isinstance(before, list):
            after = [a + b for a, b in zip(before, score.points, strict=True)]
            end = match_end(rules, after, rules.side_of(deal.declarer), score)
            facts |= {"scores_after": after, "game_over": end.is_over, "winner": end.winner}
        return facts

    def _compare(self, facts: dict[str, Json]) -> None:
        for name, got in facts.items():
            if name in ("bidder", "bid", "trump") or name not in self.data:
                continue
            expect = self._get(name)
            if name == "tricks_won" and len(expect) < len(got):
                self.same(name, expect, [got[0] + got[2], got[1] + got[3]])
            elif got is None and expect == [0] * self.rules.side_count:
                self.same(name, expect, expect)  # nobody scores in a deal that is thrown in
            else:
                self.same(name, expect, got)


def _written(text: Json) -> str:
    return str(read_tile(text))
