"""The deal function is what its page says, byte by byte, so that others can recompute a deal."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.rules import deal_tiles, derive_key, first_bidder, preset_rules, seed_key
from referee.rules.tiles import tiles_in

PAGE = (Path(__file__).parents[2] / "docs" / "deals.md").read_text(encoding="utf-8")
EXAMPLES = [
    {key: text for line in block.splitlines() for key, text in [re.split(r"  +", line, maxsplit=1)]}
    for block in re.findall(r"^```text\n(seed .*?)```", PAGE, re.MULTILINE | re.DOTALL)
]
PRESETS = {"22": "wikihow-3p", "21": "wikihow-3p-no00", "28": "wikihow-4p"}


# The function, from the prose of the page and nothing else.


def sets_of_tiles(size: str) -> list[str]:
    full = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]
    without = {"28": [], "22": [f"{n}-0" for n in range(1, 7)], "21": [f"{n}-0" for n in range(7)]}
    return [tile for tile in full if tile not in without[size]]


def stream(key: bytes, label: bytes) -> Iterator[int]:
    for part in range(2**32):
        message = label + bytes([part >> 24 & 255, part >> 16 & 255, part >> 8 & 255, part & 255])
        yield from hmac.new(key, message, hashlib.sha256).digest()


def draw(source: Iterator[int], count: int, skipped: list[int]) -> int:
    while True:
        byte = next(source)
        if byte < 256 // count * count:
            return byte % count
        skipped.append(byte)


def shuffled(key: bytes, number: int, tiles: list[str]) -> tuple[list[str], list[str]]:
    source = stream(key, b"deal/" + bytes(number >> 8 * place & 255 for place in range(7, -1, -1)))
    order, draws = list(tiles), []
    for place in range(len(tiles) - 1, 0, -1):
        skipped: list[int] = []
        other = draw(source, place + 1, skipped)
        draws += [*(f"({byte})" for byte in skipped), str(other)]
        order[place], order[other] = order[other], order[place]
    return order, draws


def key_of(seed: str) -> bytes:
    return hashlib.sha256(b"moon-league/seed/v1\n" + seed.encode()).digest()


def lot(key: bytes, players: int) -> int:
    return draw(stream(key, b"lot/"), players, [])


def example_of(seed: str, size: str, number: int) -> dict[str, str]:
    """Returns an example as the page shows it."""
    players = 4 if size == "28" else 3
    key = key_of(seed)
    order, draws = shuffled(key, number, sets_of_tiles(size))
    label = b"deal/" + number.to_bytes(8, "big")
    found = stream(key, label)
    return {
        "seed": seed,
        "game": f"{size} tiles, {players} players, deal {number}",
        "key": key.hex(),
        "label": label.hex(),
        "part 0": bytes(next(found) for _ in range(32)).hex(),
        "draws": " ".join(draws),
        "order": " ".join(order),
        **{f"seat {s}": " ".join(order[7 * s : 7 * s + 7]) for s in range(players)},
        "middle": " ".join(order[7 * players :]) or "nothing",
        "first": f"seat {lot(key, players)} bids first in deal 0",
    }


def ours(seed: str, size: str, number: int) -> tuple[list[set[str]], list[str], int]:
    rules = preset_rules(PRESETS[size])
    key = seed_key(seed)
    dealt = deal_tiles(key, number, rules)
    hands = [{str(tile) for tile in tiles_in(mask)} for mask in dealt.hands]
    return hands, [str(tile) for tile in dealt.middle], first_bidder(key, rules)


def parts(example: dict[str, str]) -> tuple[str, str, int]:
    size, number = re.findall(r"^(\d+) tiles|(\d+)$", example["game"])
    return example["seed"], size[0], int(number[1])


def test_the_page_has_an_example_of_each_tile_set_and_of_a_skipped_byte() -> None:
    assert [parts(example)[1] for example in EXAMPLES] == ["22", "21", "28"]
    assert any(") (" in example["draws"] for example in EXAMPLES)
    assert any(len(example["draws"].split()) > 32 for example in EXAMPLES)
    assert any(parts(example)[2] > 255 for example in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["game"])
def test_an_example_of_the_page_follows_from_its_prose(example: dict[str, str]) -> None:
    assert example == example_of(*parts(example))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["game"])
def test_an_example_of_the_page_is_what_we_deal(example: dict[str, str]) -> None:
    hands, middle, first = ours(*parts(example))
    assert hands == [set(example[f"seat {seat}"].split()) for seat in range(len(hands))]
    assert (" ".join(middle) or "nothing") == example["middle"]
    assert example["first"] == f"seat {first} bids first in deal 0"


@pytest.mark.parametrize("size", ["22", "21", "28"])
def test_any_deal_follows_from_the_prose(size: str) -> None:
    rules = preset_rules(PRESETS[size])
    for seed in ("", "a", " a ", "Gute Nacht, Mond! 🌙", "x" * 1000):
        key = key_of(seed)
        for number in (*range(100), 255, 256, 2**32, 2**64 - 1):
            order, _ = shuffled(key, number, sets_of_tiles(size))
            dealt = deal_tiles(seed_key(seed), number, rules)
            for seat, mask in enumerate(dealt.hands):
                assert {str(tile) for tile in tiles_in(mask)} == set(order[7 * seat : 7 * seat + 7])
            assert [str(tile) for tile in dealt.middle] == order[7 * rules.players :]


def test_a_derived_key_is_the_hash_of_its_label_under_the_other() -> None:
    key = key_of("a master seed")
    for label in ("block/0", "block/17", "ü"):
        expected = hmac.new(key, b"derive/" + label.encode(), hashlib.sha256).digest()
        assert derive_key(key, label) == expected
    (derived,) = re.findall(
        r"`block/17` under the key of the first example is\n`([0-9a-f]{64})`", PAGE
    )
    assert derive_key(key_of(EXAMPLES[0]["seed"]), "block/17").hex() == derived


# Fair to every tile and seat.


def chi_square(counts: Counter[object], cells: int) -> float:
    mean = counts.total() / cells
    seen = sum((count - mean) ** 2 / mean for count in counts.values())
    return seen + (cells - len(counts)) * mean


@pytest.mark.parametrize("size", ["22", "21", "28"])
def test_every_tile_comes_to_every_place_equally_often(size: str) -> None:
    """With the seeds fixed the figure is fixed; it lies within 5 sigma of what chance gives."""
    rules = preset_rules(PRESETS[size])
    key = seed_key("uniform")
    places: Counter[object] = Counter()
    pairs: Counter[object] = Counter()
    deals = 4_000
    for number in range(deals):
        dealt = deal_tiles(key, number, rules)
        where = [*map(tiles_in, dealt.hands), dealt.middle]
        holder = {tile: place for place, held in enumerate(where) for tile in held}
        for tile, place in holder.items():
            if place < rules.players:
                places[tile, place] += 1
        pairs[holder[rules.tiles[-1]] == holder[rules.tiles[-2]]] += 1
    total, freedom = len(rules.tiles), (len(rules.tiles) - 1) * (rules.players - 1)
    value = chi_square(places, total * rules.players)
    assert value < freedom + 5 * (2 * freedom) ** 0.5
    # Two given tiles lie in one hand as often as they should.
    chance = rules.players * 7 * 6 / (total * (total - 1))
    sigma = (deals * chance * (1 - chance)) ** 0.5
    assert abs(pairs[True] - deals * chance) < 5 * sigma


@pytest.mark.parametrize("players", [3, 4])
def test_every_seat_bids_first_equally_often(players: int) -> None:
    rules = preset_rules("wikihow-3p" if players == 3 else "wikihow-4p")
    lots: Counter[object] = Counter(first_bidder(seed_key(f"{n}"), rules) for n in range(4_000))
    assert chi_square(lots, players) < (players - 1) + 5 * (2 * (players - 1)) ** 0.5


def test_deals_of_one_match_and_of_two_seeds_have_nothing_in_common() -> None:
    rules = preset_rules("wikihow-4p")
    deals = {deal_tiles(seed_key(f"{s}"), n, rules) for s in range(50) for n in range(50)}
    assert len(deals) == 2_500


# The verifier in another language.


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["game"])
def test_the_verifier_of_the_page_deals_the_same(example: dict[str, str], tmp_path: Path) -> None:
    (program,) = re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "deal.mjs"
    path.write_text(program, encoding="utf-8")
    seed, size, number = parts(example)
    done = subprocess.run(
        ["node", str(path), seed, size, str(number)],
        capture_output=True,
        text=True,
        check=True,
    )
    players = 4 if size == "28" else 3
    assert json.loads(done.stdout) == {
        "hands": [example[f"seat {seat}"].split() for seat in range(players)],
        "middle": [] if example["middle"] == "nothing" else example["middle"].split(),
        "first": int(example["first"].split()[1]),
    }
