"""The class a bot author extends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias

from referee.rules import Bid, Kind, Play, Tile, Trump
from referee.sdk.params import Param, check_names, given
from referee.sdk.views import View
from referee.wire.notices import DealEnded, MatchEnded

Value: TypeAlias = Bid | Trump | bool | Tile | Play
"""What a bot's functions answer with."""

AnyView: TypeAlias = View[Any]
"""A view, whatever it asks."""


class Bot:
    """Plays seats at tables of Moon.

    Override what you want to decide yourself; each function left out takes the first legal answer.
    A bot may be asked about many matches in turn, so decide from the view alone: it holds
    everything. Functions are called one at a time, never at once.

        class Tall(Bot):
            def play(self, view):
                return max(view.legal)
    """

    name: ClassVar[str] = ""
    """What the bot is called; the name of the class if left empty."""
    version: ClassVar[str] = "0"
    author: ClassVar[str] = ""
    rule_sets: ClassVar[Sequence[str]] = ()
    """The presets of rules it plays; empty means every one."""
    max_batch: ClassVar[int] = 256
    """The largest number of decisions it wants open at a time."""

    def bid(self, view: View[Bid]) -> Bid:
        """Returns a bid, or ``Bid.PASS``."""
        return view.legal[0]

    def trump(self, view: View[Trump]) -> Trump:
        """Returns the trump, having won the auction."""
        return view.legal[0]

    def exchange(self, view: View[bool]) -> bool:
        """Returns whether to take the widow, under rules where it may be left."""
        return view.legal[0]

    def discard(self, view: View[Tile]) -> Tile:
        """Returns the tile to lay away, having taken the widow."""
        return view.legal[0]

    def play(self, view: View[Tile]) -> Tile | Play:
        """Returns the tile to play, or one of ``view.calls`` to choose the suit it is led as."""
        return view.legal[0]

    def decide(self, view: AnyView) -> Value:
        """Returns the answer to *view*, whatever it asks, from the function for it."""
        match view.kind:
            case Kind.PLAY:
                return self.play(view)
            case Kind.BID:
                return self.bid(view)
            case Kind.TRUMP:
                return self.trump(view)
            case Kind.EXCHANGE:
                return self.exchange(view)
            case Kind.DISCARD:
                return self.discard(view)

    def decide_batch(self, views: Sequence[AnyView]) -> Sequence[Value]:
        """Returns the answers to *views*, in their order.

        Override it when many decisions together cost less than one after the other, as in a neural
        network. It is then called for single decisions too. The clock allows one move time for
        each decision, and what is returned is sent together.
        """
        return [self.decide(view) for view in views]

    def deal_ended(self, notice: DealEnded) -> None:
        """Is told how a deal ended. The referee sends it only to bots that override this."""

    def match_ended(self, notice: MatchEnded) -> None:
        """Is told how a match ended. The referee sends it only to bots that override this."""

    @classmethod
    def params(cls) -> dict[str, Param[Any]]:
        """Returns the parameters of this class, by name."""
        members = [vars(base).items() for base in reversed(cls.__mro__)]
        return {n: value for base in members for n, value in base if isinstance(value, Param)}

    @classmethod
    def with_params(cls, texts: Mapping[str, str]) -> Self:
        """Returns a bot of this class with the parameters in *texts*.

        What the environment of this process says of parameters is ignored.

        Raises:
            ConfigError: if a parameter is unknown, or its text is no value of its type.
        """
        check_names(cls.params(), texts)
        with given(texts):
            bot = cls()
            bot.read_params()
        return bot

    def read_params(self) -> dict[str, object]:
        """Returns the value of every parameter, by name.

        Raises:
            ConfigError: if a text that was given is no value of the parameter's type.
        """
        return {name: getattr(self, name) for name in self.params()}
