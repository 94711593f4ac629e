"""`moon bot new`: what is begun with it is built, passes the whole check, and plays."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from referee.bots.sandbox import Sandbox, Tier
from referee.bots.spec import parse_bot
from referee.bots.terms import ClockTerms
from referee.errors import ConfigError
from referee.rules import preset_rules
from tournaments.cli.main import main
from tournaments.kit.check import STEPS, check_bot
from tournaments.kit.games import TrialMatch, fixtures, play_in_turn
from tournaments.kit.new import LANGUAGES, new_bot
from tournaments.kit.stand import Stand, StandTerms
from tournaments.kit.trial import CheckTerms

CLOCK = ClockTerms(move_time=60.0, startup=120.0, first_move=120.0, grace=0.2)
TERMS = StandTerms(CLOCK, Sandbox(Tier.BASIC))
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a new bot for Node, built."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not here; the bot for Node is not tried")
    folder = tmp_path_factory.mktemp("node")
    new_bot("new-node", "node", folder)
    spec = parse_bot("./new-node", folder)
    try:
        built = subprocess.run(
            spec.build, cwd=spec.cwd, capture_output=True, text=True, check=False, timeout=120
        )
        problem = built.stderr[-500:] if built.returncode else ""
    except subprocess.TimeoutExpired:
        problem = "the registry does not answer"
    if problem:
        pytest.skip(f"npm cannot fetch what the bot for Node needs: {problem}")
    return folder / "new-node"


def test_a_new_bot_in_python_passes_its_own_test_and_the_check_which_says_so_in_every_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bot", "new", "my-bot"]) == 0
    assert "moon bot check ./my-bot" in capsys.readouterr().out
    roots = os.pathsep.join([str(ROOT), str(ROOT / "proto")])
    subprocess.run(
        [sys.executable, "-m", "unittest", "-q"],
        cwd=tmp_path / "my-bot",
        env={**os.environ, "PYTHONPATH": roots},
        check=True,
        capture_output=True,
    )
    slow = ("--move-time", "60s", "--startup", "120s", "--first-move", "120s")
    assert main(["bot", "check", "./my-bot", "--junit", "report.xml", *slow, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["ok"]) == ("moon.bot.check/1", True)
    verdicts = {step["name"]: step["verdict"] for step in document["steps"]}
    assert verdicts == dict.fromkeys((step.name for step in STEPS), "passed")
    assert [step["number"] for step in document["steps"]] == [*range(1, len(STEPS) + 1)]
    suite = Xml.fromstring(Path("report.xml").read_text())
    assert (suite.get("tests"), suite.get("failures")) == (str(len(STEPS)), "0")


KEEPS = """
import sys
from types import SimpleNamespace

from referee.sdk import Tile, Trump

sys.path.insert(0, sys.argv[1])
from bot import MyBot

hand = [Tile.parse(text) for text in "1-0 2-1 3-1 4-1 5-4 5-5 6-3 6-6".split()]
for trump in (None, Trump.SIXES, Trump.FIVES):
    print(MyBot().discard(SimpleNamespace(hand=hand, legal=sorted(hand), trump=trump)))
"""


def test_a_new_bot_keeps_its_longest_suit_where_no_trump_is_named_yet(tmp_path: Path) -> None:
    new_bot("fresh", "python", tmp_path)
    tried = subprocess.run(
        [sys.executable, "-c", KEEPS, str(tmp_path / "fresh")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "proto")])},
        check=False,
        capture_output=True,
        text=True,
    )
    assert (tried.stdout.split(), tried.stderr) == (["5-4", "1-0", "1-0"], "")


def test_the_page_of_a_new_bot_says_how_to_debug_it_and_where_its_words_go(tmp_path: Path) -> None:
    new_bot("fresh", "python", tmp_path)
    page = (tmp_path / "fresh" / "README.md").read_text()
    assert "`python3 fresh/bot.py --port 5042`" in page
    assert "`moon play grpc://127.0.0.1:5042 greedy counter --debug`" in page
    assert "print(..., file=sys.stderr)" in page
    assert not re.search("debugger.*moon play ./fresh", page), "its standard input is empty"


WORDS = ("none", "true", "false", "view", "deal", "deals", "class", "my-bot")
"""Names that mean something in the languages, or in what a template imports."""

OWN_TESTS = """
import sys, unittest

for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    for name in ("bot", "test_bot"):
        sys.modules.pop(name, None)
    suite = unittest.defaultTestLoader.loadTestsFromName("test_bot")
    if suite.countTestCases() != 1 or not unittest.TextTestRunner().run(suite).wasSuccessful():
        sys.exit(f"{folder} fails")
"""


def test_whatever_a_bot_is_called_it_passes_its_own_test_in_python(tmp_path: Path) -> None:
    for word in WORDS:
        new_bot(word, "python", tmp_path)
    tried = subprocess.run(
        [sys.executable, "-c", OWN_TESTS, *(str(tmp_path / word) for word in WORDS)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "proto")])},
        check=False,
        capture_output=True,
        text=True,
    )
    assert tried.returncode == 0, tried.stderr[-1000:]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not here")
def test_whatever_a_bot_is_called_node_can_read_it(tmp_path: Path) -> None:
    for word in WORDS:
        new_bot(word, "node", tmp_path)
        subprocess.run(["node", "--check", tmp_path / word / "bot.js"], check=True)
        assert json.loads((tmp_path / word / "package.json").read_text())["name"] == word


def test_a_new_bot_for_node_passes_its_own_test_and_the_whole_check(node: Path) -> None:
    subprocess.run(["node", "--test"], cwd=node, check=True, capture_output=True)
    terms = CheckTerms(TERMS, questions=20)
    report = asyncio.run(check_bot(parse_bot(f"./{node.name}", node.parent), terms))
    assert [f"{step.name}: {step.remark}" for step in report.failed] == []
    assert report.summary == "20 of 20 passed", "the new bot claims all that there is"


def test_a_bot_for_node_plays_fifty_matches_in_one_process_as_in_fresh_ones(node: Path) -> None:
    """A fresh process knows nothing of the others; two of the fifty are enough to show it."""
    matches = fixtures(preset_rules("tournament-3p"), "tea", 50, deals=1)

    async def play() -> tuple[Sequence[TrialMatch], Sequence[TrialMatch]]:
        async with Stand(parse_bot(f"./{node.name}", node.parent), TERMS) as stand:
            together = await play_in_turn(stand, stand.line(), matches)
            fresh = []
            for number in (20, 49):
                line = stand.line()
                fresh += await play_in_turn(stand, line, [matches[number]])
            return together, fresh

    together, fresh = asyncio.run(play())
    assert len(together) == 50
    assert not any(match.fault for match in together)
    assert [choices(together[n]) for n in (20, 49)] == [choices(match) for match in fresh]


def choices(match: TrialMatch) -> list[object]:
    return [outcome for _, outcome in match.asked]


def test_a_bot_for_node_does_not_share_its_place_and_ends_with_its_parent(
    node: Path, tmp_path: Path
) -> None:
    env = {**os.environ, "MOON_BOT_LISTEN": f"unix:{tmp_path}/s"}
    parent = subprocess.Popen(
        ["sh", "-c", "node bot.js & echo $!; wait"], cwd=node, env=env, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    bot = int(parent.stdout.readline())
    try:
        wait_for((tmp_path / "s").exists)
        second = subprocess.run(
            ["node", "bot.js"], cwd=node, env=env, capture_output=True, text=True, check=False
        )
        assert second.returncode == 1
        assert "cannot listen on unix:" in second.stderr
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        parent.stdout.close()
    wait_for(lambda: not Path(f"/proc/{bot}").exists())


def wait_for(look: Callable[[], bool]) -> None:
    patience = time.monotonic() + 120
    while not look():
        assert time.monotonic() < patience
        time.sleep(0.05)


def test_a_name_that_is_none_or_is_taken_is_refused_and_nothing_is_made(tmp_path: Path) -> None:
    for name in ("../out", "Tall", "a--b", ""):
        with pytest.raises(ConfigError, match="NAME: must be small letters"):
            new_bot(name, "python", tmp_path)
    with pytest.raises(ConfigError, match="NAME: 'greedy' comes with the program"):
        new_bot("greedy", "python", tmp_path)
    (tmp_path / "taken").mkdir()
    with pytest.raises(ConfigError, match="taken: is there already"):
        new_bot("taken", "python", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_every_language_has_a_template_with_all_that_a_bot_needs() -> None:
    for language in LANGUAGES:
        names = {
            each.name for each in (files("tournaments.kit") / "templates" / language).iterdir()
        }
        assert {"bot.toml.in", "README.md.in"} < names
        assert any("test" in name for name in names)
