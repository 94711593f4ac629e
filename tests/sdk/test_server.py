"""A bot as a server, asked by a real client over a real socket."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import grpc
import pytest
from moon.v1 import bot_service_pb2 as pb
from moon.v1.bot_service_pb2_grpc import BotServiceStub

from referee.rules import SEATS, View, preset_rules
from referee.sdk import AnyView, Bid, Bot, DealEnded, MatchEnded, Tile, Value
from referee.sdk import View as BotView
from referee.sdk.asking import ask
from referee.sdk.server import LONG, start
from referee.wire.choices import decode_answer
from referee.wire.notices import encode_notice
from referee.wire.packing import pack_decision
from tests.wire.walks import questions


@contextmanager
def serving(bot: Bot) -> Iterator[BotServiceStub]:
    """Serves *bot* on a socket of its own and yields a client."""
    with tempfile.TemporaryDirectory(prefix="moon-") as folder:
        address = f"unix:{folder}/bot.sock"
        server, _ = start(bot, address)
        with grpc.insecure_channel(address) as channel:
            yield BotServiceStub(channel)
        server.stop(None).wait()


class Drawing(Bot):
    """Answers at random, with the generator of each question."""

    def decide(self, view: AnyView) -> Value:
        return view.rng.choice(view.legal)  # type: ignore[no-any-return]


def asked(count: int, preset: str = "kelley-3p") -> list[View]:
    return questions(preset_rules(preset), range(20))[:count]


def messages(views: Sequence[View]) -> list[pb.Decision]:
    """Returns a question for each of *views*, each of a match of its own."""
    return [
        pack_decision(
            view, match_id=f"match {number}", number=number + 1, move_time_ms=1000
        ).decision
        for number, view in enumerate(views)
    ]


def by_unary(bot: BotServiceStub, decisions: Sequence[pb.Decision]) -> list[pb.Answer]:
    return [bot.Decide(pb.DecideRequest(decision=decision)).answer for decision in decisions]


def by_stream(bot: BotServiceStub, decisions: Sequence[pb.Decision], batch: int) -> list[pb.Answer]:
    starts = range(0, len(decisions), batch)
    requests = [pb.PlayRequest(decisions=decisions[at : at + batch]) for at in starts]
    return [answer for response in bot.Play(iter(requests)) for answer in response.answers]


@pytest.mark.parametrize("preset", ["kelley-3p", "domino-play-3p", "tournament-4p"])
def test_single_calls_and_streams_and_the_program_itself_get_the_same_answers(preset: str) -> None:
    views = asked(60, preset)
    with serving(Drawing()) as bot:
        single = by_unary(bot, messages(views))
        assert by_stream(bot, messages(views), 1) == single
        assert by_stream(bot, messages(views), 25) == single
    inside = [ask(Drawing(), BotView.of(view)) for view in views]
    got = [decode_answer(a, v.decision) for a, v in zip(single, views, strict=True) if v.decision]
    assert got == inside


def test_an_answer_depends_on_the_question_and_not_on_the_match_or_the_clock() -> None:
    views = asked(40)
    other = [
        pack_decision(
            view, match_id="x", number=77, move_time_ms=5, bank_ms=9, charged_ms=3
        ).decision
        for view in reversed(views)
    ]
    with serving(Drawing()) as bot:
        one, two = by_unary(bot, messages(views)), by_unary(bot, other)[::-1]
    for answer in (*one, *two):
        answer.ClearField("match_id")
        answer.ClearField("decision_number")
    assert one == two


def test_each_answer_carries_the_ids_of_its_question() -> None:
    decisions = messages(asked(30))
    with serving(Bot()) as bot:
        answers = by_stream(bot, decisions, 30)
    wanted = [(decision.match_id, decision.decision_number) for decision in decisions]
    assert [(answer.match_id, answer.decision_number) for answer in answers] == wanted


def test_a_bot_that_takes_batches_gets_each_message_whole() -> None:
    sizes = []

    class Batching(Bot):
        def decide_batch(self, views: Sequence[AnyView]) -> Sequence[Value]:
            sizes.append(len(views))
            return [view.legal[-1] for view in views]

    decisions = messages(asked(50))
    with serving(Batching()) as bot:
        together = by_stream(bot, decisions, 20)
        assert sizes == [20, 20, 10]
        assert by_unary(bot, decisions) == together


def test_a_slow_bot_does_not_hold_back_the_answers_it_has() -> None:
    """The clock allows one move time per answer, so 256 answers in one message could be late."""

    class Slow(Bot):
        def decide(self, view: AnyView) -> Value:
            time.sleep(0.02)
            return super().decide(view)

    with serving(Slow()) as bot:
        responses = list(bot.Play(iter([pb.PlayRequest(decisions=messages(asked(4)))])))
    assert [len(response.answers) for response in responses] == [1, 1, 1, 1]


def test_a_bot_is_asked_one_thing_at_a_time() -> None:
    class Touchy(Bot):
        def __init__(self) -> None:
            self.inside = 0
            self.most = 0

        def decide(self, view: AnyView) -> Value:
            self.inside += 1
            self.most = max(self.most, self.inside)
            time.sleep(0.005)
            self.inside -= 1
            return super().decide(view)

    touchy, decisions = Touchy(), messages(asked(12))
    with serving(touchy) as bot:
        calls = [bot.Decide.future(pb.DecideRequest(decision=decision)) for decision in decisions]
        for call in calls:
            call.result()
    assert touchy.most == 1


def test_a_call_that_is_cancelled_does_not_keep_the_bot_from_the_next() -> None:
    release, entered = threading.Event(), threading.Event()

    class Waiting(Bot):
        def bid(self, view: BotView[Bid]) -> Bid:
            entered.set()
            release.wait(30)
            return Bid.PASS

    [decision] = messages(asked(1))
    with serving(Waiting()) as bot:
        stream = bot.Play(iter([pb.PlayRequest(decisions=[decision])]))
        assert entered.wait(30)
        stream.cancel()
        release.set()
        assert bot.Decide(pb.DecideRequest(decision=decision)).answer.bid


class Described(Bot):
    name = "tall one"
    version = "1.2"
    author = "ann"
    rule_sets = ("tournament-3p",)
    max_batch = 8

    def play(self, view: BotView[Tile]) -> Tile:
        return max(view.legal)

    def match_ended(self, notice: MatchEnded) -> None:
        raise NotImplementedError


def test_a_bot_says_who_it_is_and_what_it_wants() -> None:
    with serving(Described()) as bot:
        info = bot.GetBotInfo(pb.GetBotInfoRequest(nonce="n-17", protocol_version="moon.v1"))
    assert info == pb.GetBotInfoResponse(
        nonce="n-17",
        name="tall one",
        version="1.2",
        author="ann",
        protocol_versions=["moon.v1"],
        rule_sets=["tournament-3p"],
        max_batch=8,
        serves_play=True,
        notifications=[pb.NOTIFICATION_MATCH_ENDED],
    )


def test_a_bot_without_a_name_is_called_like_its_class_and_wants_to_hear_nothing() -> None:
    with serving(Drawing()) as bot:
        info = bot.GetBotInfo(pb.GetBotInfoRequest(nonce="n"))
    assert (info.name, list(info.notifications)) == ("Drawing", [])


def test_a_bot_is_told_what_it_asked_for() -> None:
    heard: list[object] = []

    class Listening(Bot):
        def deal_ended(self, notice: DealEnded) -> None:
            heard.append(notice)

    notice = DealEnded("m", SEATS[1], 0, SEATS[0], Bid.FOUR, None, (4, 2, 1), (4, 2, 1), (4, 2, 1))
    with serving(Listening()) as bot:
        bot.Notify(encode_notice(notice))
    assert heard == [notice]


@pytest.mark.parametrize(
    ("decision", "problem"),
    [
        (pb.Decision(match_id="m"), "decision.prompt is unset"),
        (pb.Decision(bid=pb.BidPrompt(legal_bids=[99])), "decision.bid allows 99"),  # type: ignore[list-item]
        (pb.Decision(bid=pb.BidPrompt(legal_bids=[1])), "view.rules cannot be read"),  # type: ignore[list-item]
    ],
)
def test_a_question_that_means_nothing_is_refused_and_the_bot_lives_on(
    decision: pb.Decision, problem: str
) -> None:
    [good] = messages(asked(1))
    with serving(Bot()) as bot:
        for call in (
            lambda: bot.Decide(pb.DecideRequest(decision=decision)),
            lambda: list(bot.Play(iter([pb.PlayRequest(decisions=[decision])]))),
        ):
            with pytest.raises(grpc.RpcError) as caught:
                call()
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert problem in str(caught.value.details())
        assert bot.Decide(pb.DecideRequest(decision=good)).answer.bid


def unreadable() -> pb.Decision:
    """Returns a question that shows a tile which does not exist."""
    [decision] = messages(asked(1))
    decision.view.plays.append(99)  # type: ignore[arg-type]
    return decision


@pytest.mark.parametrize("batched", [False, True])
def test_a_bot_that_looks_at_what_means_nothing_is_not_charged_with_it(batched: bool) -> None:
    """What a view shows is read when the bot looks at it, but it is still the asker's fault."""

    class Looking(Bot):
        def decide(self, view: AnyView) -> Value:
            assert len(view.plays) < 30
            return super().decide(view)

    class LookingAtAll(Looking):
        def decide_batch(self, views: Sequence[AnyView]) -> Sequence[Value]:
            return [self.decide(view) for view in views]

    [good] = messages(asked(1))
    with serving(LookingAtAll() if batched else Looking()) as bot:
        with pytest.raises(grpc.RpcError) as caught:
            bot.Decide(pb.DecideRequest(decision=unreadable()))
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "view.plays holds 99, which stands for nothing" in str(caught.value.details())
        assert bot.Decide(pb.DecideRequest(decision=good)).answer.bid


@pytest.mark.parametrize("batched", [False, True])
def test_what_was_thought_when_the_line_was_lost_is_not_thought_again(batched: bool) -> None:
    """A link to another machine that drops late would cost a long thought, and then the time."""
    begun = threading.Event()
    thoughts = []

    class Deep(Bot):
        def decide(self, view: AnyView) -> Value:
            thoughts.append(view.hand)
            begun.set()
            time.sleep(2 * LONG)
            return super().decide(view)

    class DeepByBatches(Deep):
        def decide_batch(self, views: Sequence[AnyView]) -> Sequence[Value]:
            return [self.decide(view) for view in views]

    first, other = messages(asked(2))
    other.match_id, other.decision_number = first.match_id, first.decision_number
    with serving(DeepByBatches() if batched else Deep()) as bot:
        lost = bot.Decide.future(pb.DecideRequest(decision=first))
        assert begun.wait(10)
        lost.cancel()
        [answer] = by_unary(bot, [first])
        assert answer.decision_number == first.decision_number
        assert len(thoughts) == 1
        assert by_stream(bot, [first, other], 2)[0] == answer
        assert len(thoughts) == 2, "another question under the same number is another question"
