"""What the program joins by hand is, to the byte, what protobuf would have written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moon.v1 import bot_service_pb2 as pb

from referee.rules import View, preset_rules, presets
from referee.wire.packing import pack_decision
from tests.wire.reference import request_of
from tests.wire.walks import questions

PRESETS = sorted(presets())
LARGEST = 2**31 - 1
FEW = settings(max_examples=30)


@FEW
@given(preset=st.sampled_from(PRESETS), seed=st.integers(0, 1_000_000), data=st.data())
def test_a_question_has_the_bytes_that_protobuf_would_write(
    preset: str, seed: int, data: st.DataObject
) -> None:
    millis = st.none() | st.integers(0, LARGEST)
    number, bank, charged = data.draw(st.tuples(st.integers(1, 9999), millis, millis))
    for seen in questions(preset_rules(preset), range(seed, seed + 1)):
        packed = pack_decision(
            seen, match_id="0123abcd", number=number, move_time_ms=2000, bank_ms=bank,
            charged_ms=charged,
        )  # fmt: skip
        wanted = request_of(
            seen, match_id="0123abcd", decision_number=number, move_time_ms=2000, bank_ms=bank,
            charged_ms=charged,
        )  # fmt: skip
        assert packed == ("0123abcd", number, wanted)


@pytest.fixture(scope="module")
def last() -> View:
    """Returns a question late in a deal, which has something to say in most fields."""
    return questions(preset_rules("kelley-3p"), range(4, 5))[-1]


@pytest.mark.parametrize(
    "changes",
    [
        {"scores": (-(2**31), LARGEST, 0)},
        {"scores": ()},
        {"deal_number": 0, "deals": 0},
        {"deal_number": LARGEST, "deals": LARGEST},
        {"deal_number": 127, "deals": 128},
    ],
)
def test_numbers_of_every_length_are_written_as_protobuf_writes_them(
    last: View, changes: dict[str, object]
) -> None:
    seen = replace(last, **changes)  # type: ignore[arg-type]
    packed = pack_decision(seen, match_id="m", number=2**31 - 1, move_time_ms=0)
    wanted = request_of(seen, match_id="m", decision_number=2**31 - 1, move_time_ms=0)
    assert packed.data == wanted


@pytest.mark.parametrize("match_id", ["", "é" * 64, "m" * 300, "x" * 3000])
def test_an_id_of_any_length_is_written_as_protobuf_writes_it(last: View, match_id: str) -> None:
    packed = pack_decision(last, match_id=match_id, number=1, move_time_ms=1)
    assert packed.data == request_of(last, match_id=match_id, decision_number=1, move_time_ms=1)


def test_requests_for_one_decision_each_are_together_a_request_for_all() -> None:
    """A batch is sent as its messages, one after the other."""
    batch = [
        pack_decision(seen, match_id=f"match {n}", number=n + 1, move_time_ms=1000)
        for n, seen in enumerate(questions(preset_rules("domino-play-3p"), range(3)))
    ]
    request = pb.PlayRequest.FromString(b"".join(message.data for message in batch))
    assert list(request.decisions) == [message.decision for message in batch]


def test_a_number_that_the_protocol_cannot_hold_is_refused_and_not_cut(last: View) -> None:
    with pytest.raises(ValueError, match="does not fit into 32 bits: 2147483648"):
        pack_decision(last, match_id="m", number=1, move_time_ms=LARGEST + 1)
    with pytest.raises(ValueError, match="32 bits"):
        pack_decision(last, match_id="m", number=LARGEST + 1, move_time_ms=1)
