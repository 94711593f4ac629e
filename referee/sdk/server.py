"""A bot as a gRPC server.

The plain threaded server: measured against the asyncio one it is as fast for single calls and for
batched streams, and a bot may block, or run an event loop of its own.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NoReturn, ParamSpec, TypeVar

import grpc
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import bot_service_pb2_grpc as service

from referee.rules import Choice
from referee.sdk.asking import ask_all, choice_of, takes_batches, tell, wanted
from referee.sdk.bot import AnyView, Bot
from referee.sdk.views import View
from referee.wire import PROTOCOL
from referee.wire.choices import fill_answer
from referee.wire.errors import WireError
from referee.wire.notices import NOTIFICATIONS, decode_notice

ArgsP = ParamSpec("ArgsP")
ResultT = TypeVar("ResultT")

THREADS = 8
"""How many calls are served at once. Bots are asked one thing at a time; the others wait."""

SEND_AFTER = 0.005
"""Seconds after which the answers that are ready are sent, though the batch is not done.

The clock allows one move time for each answer, so a slow bot must not hold back what it has. A
message costs a small part of this.
"""

OPTIONS = (
    # Without it two bots could share a port, and each would get some of the other's questions.
    ("grpc.so_reuseport", 0),
    # A referee on another machine looks between questions whether the connection still lives.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
)

LONG = 0.1
"""Seconds from which on a thought is kept, in case the same is asked again."""
KEPT = 512
"""How many long thoughts are kept, at most: more than are out to a bot that thinks so long."""

Log = Callable[[pb.Decision, AnyView, Choice, float], None]
"""Is told of each decision: the message, the view, the choice, the seconds it took."""


class _LongThoughts:
    """What the bot chose after long thought.

    When a line to another machine is lost and made again, what was out is asked again. It is the
    same question under the same number, so the bot need not think again.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], tuple[bytes, Choice]] = {}

    def find(self, decision: pb.Decision) -> Choice | None:
        """Returns what was chosen when just this was asked, if it is kept."""
        kept = self._kept.get((decision.match_id, decision.decision_number))
        if kept is not None and kept[0] == decision.SerializeToString(deterministic=True):
            return kept[1]
        return None

    def keep(self, decision: pb.Decision, choice: Choice) -> None:
        """Keeps *choice*, and in return forgets what has been kept longest."""
        asked = decision.SerializeToString(deterministic=True)
        self._kept[decision.match_id, decision.decision_number] = asked, choice
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]


class BotService(service.BotServiceServicer):
    """Answers the referee for one bot."""

    def __init__(self, bot: Bot, log: Log | None = None) -> None:
        self._bot = bot
        self._log = log
        self._batched = takes_batches(bot)
        self._turn = threading.Lock()
        self._thoughts = _LongThoughts()

    def GetBotInfo(  # noqa: N802 - named by the protocol
        self, request: pb.GetBotInfoRequest, context: grpc.ServicerContext
    ) -> pb.GetBotInfoResponse:
        """Says who the bot is."""
        return self.info(request)

    def info(self, request: pb.GetBotInfoRequest) -> pb.GetBotInfoResponse:
        """Returns who the bot is."""
        bot = self._bot
        return pb.GetBotInfoResponse(
            nonce=request.nonce,
            name=bot.name or type(bot).__name__,
            version=bot.version,
            author=bot.author,
            protocol_versions=[PROTOCOL],
            rule_sets=bot.rule_sets,
            max_batch=bot.max_batch,
            serves_play=True,
            notifications=[NOTIFICATIONS[kind] for kind in wanted(bot)],
        )

    def Decide(  # noqa: N802
        self, request: pb.DecideRequest, context: grpc.ServicerContext
    ) -> pb.DecideResponse:
        """Answers one decision."""
        with _refusing(context):
            [response] = self.answers([request.decision])
        return pb.DecideResponse(answer=response.answers[0])

    def Play(  # noqa: N802
        self, request_iterator: Iterable[pb.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.PlayResponse]:
        """Answers decisions as they come."""
        for request in request_iterator:
            with _refusing(context):
                yield from self.answers(request.decisions)

    def Notify(  # noqa: N802
        self, request: pb.NotifyRequest, context: grpc.ServicerContext
    ) -> pb.NotifyResponse:
        """Tells the bot what happened."""
        with _refusing(context):
            self.tell(request)
        return pb.NotifyResponse()

    def tell(self, request: pb.NotifyRequest) -> None:
        """Tells the bot what happened.

        Raises:
            WireError: if *request* means nothing.
        """
        notice = decode_notice(request)
        self._call(tell, self._bot, notice)

    def answers(self, decisions: Sequence[pb.Decision]) -> Iterator[pb.PlayResponse]:
        """Yields the answers to *decisions*, in order, in as few messages as the clock allows.

        Raises:
            WireError: if one of them means nothing.
        """
        if self._batched:
            yield self._answer_batch(decisions)
            return
        since, response, is_empty = time.perf_counter(), pb.PlayResponse(), True
        for decision in decisions:
            view: AnyView = View.read(decision)
            begun = time.perf_counter()
            choice = self._call(self._choose, decision, view)
            done = time.perf_counter()
            # Filled where it travels, it need not be copied there.
            self._finish(response.answers.add(), decision, view, choice, done - begun)
            is_empty = False
            if done - since > SEND_AFTER:
                yield response
                since, response, is_empty = time.perf_counter(), pb.PlayResponse(), True
        if not is_empty:
            yield response

    def _choose(self, decision: pb.Decision, view: AnyView) -> Choice:
        """Returns what the bot chooses."""
        kept = self._thoughts.find(decision)
        if kept is not None:
            return kept
        begun = time.perf_counter()
        choice = choice_of(self._bot, view, self._bot.decide(view))
        if time.perf_counter() - begun > LONG:
            self._thoughts.keep(decision, choice)
        return choice

    def _choose_all(
        self, decisions: Sequence[pb.Decision], views: Sequence[AnyView]
    ) -> Sequence[Choice]:
        """Returns what a bot for batches chooses, in order."""
        found = [self._thoughts.find(decision) for decision in decisions]
        begun = time.perf_counter()
        new = [view for view, kept in zip(views, found, strict=True) if kept is None]
        chosen = iter(ask_all(self._bot, new) if new else ())
        is_long = time.perf_counter() - begun > LONG
        choices = []
        for decision, kept in zip(decisions, found, strict=True):
            choice = next(chosen) if kept is None else kept
            if is_long and kept is None:
                self._thoughts.keep(decision, choice)
            choices.append(choice)
        return choices

    def _answer_batch(self, decisions: Sequence[pb.Decision]) -> pb.PlayResponse:
        views: list[AnyView] = [View.read(decision) for decision in decisions]
        begun = time.perf_counter()
        choices = self._call(self._choose_all, decisions, views)
        each = (time.perf_counter() - begun) / max(1, len(views))
        response = pb.PlayResponse()
        for decision, view, choice in zip(decisions, views, choices, strict=True):
            self._finish(response.answers.add(), decision, view, choice, each)
        return response

    def _finish(
        self,
        answer: pb.Answer,
        decision: pb.Decision,
        view: AnyView,
        choice: Choice,
        seconds: float,
    ) -> None:
        if self._log is not None:
            self._log(decision, view, choice, seconds)
        fill_answer(answer, choice, decision.match_id, decision.decision_number)

    def _call(
        self, function: Callable[ArgsP, ResultT], *args: ArgsP.args, **kwargs: ArgsP.kwargs
    ) -> ResultT:
        """Returns what *function*, which calls the bot, returns; an error in it ends the process.

        A bot that fails is then seen by its author and by the referee as what it is: crashed, with
        the reason on standard error.
        """
        try:
            with self._turn:
                return function(*args, **kwargs)
        except WireError:
            raise  # of a view that cannot be read, which is not the bot's doing
        except BaseException:  # noqa: BLE001 - whatever it was, it ends the bot
            crash()


@contextmanager
def _refusing(context: grpc.ServicerContext) -> Iterator[None]:
    """Ends the call with the reason when a message means nothing."""
    try:
        yield
    except WireError as error:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))


def crash() -> NoReturn:
    """Prints the error that is being handled, and ends the process with exit code 1."""
    traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    # Not `sys.exit`: this is not the main thread, and no answer may go out any more.
    os._exit(1)


def start(
    bot: Bot,
    address: str,
    log: Log | None = None,
    credentials: grpc.ServerCredentials | None = None,
) -> tuple[grpc.Server, int]:
    """Starts serving *bot* at *address* and returns the server and its port.

    Args:
        bot: The bot.
        address: ``unix:/path`` or ``host:port``; port 0 takes a free one.
        log: Is told of each decision.
        credentials: How the bot proves who it is; ``None`` to serve in the clear.

    Raises:
        RuntimeError: if the address cannot be had.
    """
    server = grpc.server(ThreadPoolExecutor(THREADS), options=OPTIONS)
    service.add_BotServiceServicer_to_server(BotService(bot, log), server)
    if credentials is None:
        port = server.add_insecure_port(address)
    else:
        port = server.add_secure_port(address, credentials)
    server.start()
    return server, port
