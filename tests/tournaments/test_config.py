"""The tournament file seen from outside: what it means, and what is said when it means nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.bots.spec import BotSpec, unnamed
from referee.bots.terms import NETWORK, CallStyle, ClockTerms, RemoteTerms
from referee.errors import ConfigError, MoonError, NotFoundError
from referee.match import TableTerms
from referee.rules import RulesError, rules_text
from tournaments.config import TournamentConfig, load_config, store_path
from tournaments.durations import parse_duration
from tournaments.identity import canonical, differences
from tournaments.runner.jobs import Job

EXAMPLES = Path(__file__).parents[2] / "tournaments" / "examples"
THREE = 'bots = ["greedy", "counter", "random"]\n'
PAIRS = 'rules = "tournament-4p"\nbots = ["greedy", "counter", "random"]\n'

Load = Callable[[str], TournamentConfig]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Reads a file in a folder in which some bots lie."""
    for name in ("mine.py", "x/c.py", "y/c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    def read(text: str) -> TournamentConfig:
        file = tmp_path / "night.toml"
        file.write_text(text, encoding="utf-8")
        return load_config(file)

    return read


def content(bot: BotSpec) -> str:
    return f"hash of {unnamed(bot.source)}"


def bots_of(config: TournamentConfig) -> list[tuple[str, list[str]]]:
    """Returns the name of each entrant, and the texts of its bots."""
    return [(e.name, [bot.source for bot in e.bots]) for e in config.entrants]


def test_a_list_of_bots_is_enough(load: Load, tmp_path: Path) -> None:
    config = load(THREE)
    assert [e.name for e in config.entrants] == ["greedy", "counter", "random"]
    assert rules_text(config.rules) == "tournament-3p"
    assert (config.name, config.rounds, config.deals, config.seed) == ("night", 1, None, None)
    assert config.store == tmp_path / "night.sqlite"
    assert config.workers >= 1


def test_every_key_of_the_file_arrives(load: Load, tmp_path: Path) -> None:
    config = load(
        """
        name = "Friday"
        bots = ["old=greedy", { bot = "./mine.py", name = "mine!" }, { bot = "counter" }]
        rules = "kelley-3p"
        seed = 42
        rounds = 3
        deals = 12
        max_deals = 40
        workers = 5
        store = "runs/friday.db"
        call = "unary"
        ask_forced = true
        max_batch = 7
        tables_in_flight = 9
        tls = "certificates"
        dial_in = "/run/gate"
        [rule]
        min_bid = 3
        moon_bid = true
        trumps = [1, "doubles", "none"]
        [clock]
        move_time = "250ms"
        bank = 90
        startup = "1m"
        first_move = 2.5
        network = "80ms"
        strikes = 0
        """
    )
    assert config.name == "Friday"
    assert bots_of(config) == [
        ("old", ["old=greedy"]),
        ("mine!", ["./mine.py"]),
        ("counter", ["counter"]),
    ]
    assert rules_text(config.rules) == "kelley-3p min_bid=3 trumps=1,doubles,none"
    assert (config.seed, config.rounds, config.deals, config.max_deals) == ("42", 3, 12, 40)
    assert (config.workers, config.max_batch, config.tables_in_flight) == (5, 7, 9)
    assert config.store == tmp_path / "runs" / "friday.db"
    assert config.call is CallStyle.UNARY
    assert config.clock == ClockTerms(0.25, bank=90.0, startup=60.0, first_move=2.5, network=0.08)
    assert config.remote == RemoteTerms(str(tmp_path / "certificates"), "/run/gate")
    assert config.table == TableTerms(strikes=0, ask_forced=True)


def test_what_the_file_leaves_out_is_as_in_a_single_match(load: Load) -> None:
    config, job = load(THREE + '[clock]\nbank = "0s"'), Job("tournament-3p", {}, "")
    assert config.clock == job.clock == ClockTerms(network=NETWORK)
    assert config.remote == job.remote == RemoteTerms()
    assert config.table == job.table
    assert (config.call, config.max_batch) == (job.call, job.max_batch)
    assert (config.max_deals, config.tables_in_flight) == (job.max_deals, job.tables_in_flight)


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        pytest.param("bot = []", "bot", "did you mean 'bots'?", id="typo"),
        pytest.param(THREE + "roundz = 2", "roundz", "did you mean 'rounds'?", id="typo-2"),
        pytest.param(THREE + "qqq = 2", "qqq", "known: ask_forced, bots,", id="unknown"),
        pytest.param(
            THREE + "[clock]\nmove_timeot = 2",
            "clock.move_timeot",
            "did you mean 'move_time'?",
            id="typo-in-table",
        ),
        pytest.param(
            THREE + "move_time = 2", "move_time", "belongs in the table [clock]", id="other-table"
        ),
        pytest.param(
            THREE + "min_bid = 3", "min_bid", "belongs in the table [rule]", id="rule-outside"
        ),
        pytest.param(
            THREE + "[clock]\nrounds = 3", "clock.rounds", "belongs above the tables", id="below"
        ),
        pytest.param(
            THREE + "[rule]\nmin_bit = 3", "rule.min_bit", "did you mean 'min_bid'?", id="option"
        ),
        pytest.param(
            THREE + "[rule]\nself = 3", "rule.self", "there is no such key", id="option-self"
        ),
        pytest.param(
            THREE + "[rule]\nmin_bid = 9", "rule.min_bid", "'9' is not one of 3, 4, 5", id="value"
        ),
        pytest.param(
            THREE + "[rule]\nplayers = 4", "rule.sides", "use pairs_02_13", id="combination"
        ),
        pytest.param(
            THREE + 'rules = "turnament-3p"', "rules", "did you mean 'tournament-3p'?", id="preset"
        ),
        pytest.param(
            THREE + 'rules = { preset = "tournament-3p" }',
            "rules",
            "expected a text, got a table",
            id="rules-table",
        ),
        pytest.param("rounds = 2", "bots", "is missing", id="no-bots"),
        pytest.param("bots = 3", "bots", "expected a list of bots, got 3", id="bots-number"),
        pytest.param('bots = ["greedy"]', "bots", "at least 3 entrants, got 1", id="few"),
        pytest.param(
            'bots = ["greedy", 3, "random"]', "bots[1]", 'expected a bot like "greedy"', id="bot"
        ),
        pytest.param('bots = ["", "random"]', "bots[0]", "expected a bot", id="bot-empty"),
        pytest.param(
            'bots = ["random", "gredy"]',
            "bots[1]",
            "gredy: no bot, folder or file of this name (did you mean 'greedy'?)",
            id="no-such-bot",
        ),
        pytest.param(
            'bots = [["random", "greedy"]]', "bots[0]", 'rules = "tournament-4p"', id="pair-of-3"
        ),
        pytest.param(
            PAIRS[:-2] + ', ["a", "b", "c"]]', "bots[3]", "a pair is two bots, got 3", id="trio"
        ),
        pytest.param(
            'bots = [{ name = "x" }, "greedy"]', "bots[0].bot", "is missing", id="bot-missing"
        ),
        pytest.param(
            'bots = [{ bot = "greedy", nam = "y" }, "random"]',
            "bots[0].nam",
            "did you mean 'name'?",
            id="bot-key",
        ),
        pytest.param(
            'bots = [{ bot = "greedy", name = "a" }, { bot = "random", name = "A" }]',
            "bots[1]",
            "random: the name 'A' is too like 'a', that of another bot: greedy; write NAME=BOT",
            id="like-name",
        ),
        pytest.param(
            'bots = ["x/c.py", "y/c.py"]',
            "bots[1]",
            "y/c.py: has the same name as another bot, 'c': x/c.py; write NAME=BOT",
            id="same-name",
        ),
        pytest.param(
            'bots = [{ bot = "old=greedy", name = "x" }]',
            "bots[0].name",
            "'old=greedy' has a name in front; give one name",
            id="two-names",
        ),
        pytest.param(
            'bots = [{ bot = "greedy", name = "a\\nb" }]',
            "bots[0].name",
            "invisible character U+000A",
            id="newline",
        ),
        pytest.param(
            'bots = [{ bot = "greedy", name = "a\\u202Eb" }]',
            "bots[0].name",
            "invisible character U+202E",
            id="right-to-left",
        ),
        pytest.param(
            f'bots = [{{ bot = "greedy", name = "{"n" * 300}" }}]',
            "bots[0].name",
            "has 300 characters, at most 40",
            id="long-name",
        ),
        pytest.param('bots = ["./a\\tb"]', "bots[0]", "not printable text", id="tab-in-path"),
        pytest.param(THREE + 'store = "~nobody_of_this_name/x"', "store", "home", id="no-home"),
        pytest.param(THREE + 'store = "a\\u0000"', "store", "is no name of a file", id="zero"),
        pytest.param(
            THREE + 'rounds = "ten"',
            "rounds",
            "expected a whole number, got the text 'ten'",
            id="number",
        ),
        pytest.param(THREE + "rounds = true", "rounds", "whole number, got true", id="flag-number"),
        pytest.param(THREE + "rounds = 1.5", "rounds", "whole number, got 1.5", id="fraction"),
        pytest.param(THREE + "rounds = 0", "rounds", "must be at least 1, got 0", id="zero"),
        pytest.param(
            "bots = [" + 101 * '"greedy",' + "]", "bots", "at most 100", id="many entrants"
        ),
        pytest.param(THREE + "rounds = 999999", "rounds", "must be at most 100000", id="many"),
        pytest.param(THREE + "workers = 0", "workers", "must be at least 1", id="no-workers"),
        pytest.param(THREE + "deals = -1", "deals", "must be at least 1, got -1", id="negative"),
        pytest.param(THREE + "ask_forced = 1", "ask_forced", "true or false, got 1", id="flag"),
        pytest.param(THREE + 'call = "steam"', "call", "did you mean 'stream'?", id="call"),
        pytest.param(THREE + "call = 1", "call", 'one of "auto", "unary", "stream"', id="call-1"),
        pytest.param(THREE + 'seed = ""', "seed", 'got ""', id="seed-empty"),
        pytest.param(THREE + "seed = 1.5", "seed", "a text or a whole number", id="seed"),
        pytest.param(
            THREE + "seed = 2026-11-30", "seed", "the date or time 2026-11-30", id="seed-date"
        ),
        pytest.param(THREE + 'name = "a\\u0007"', "name", "invisible character U+0007", id="name"),
        pytest.param(THREE + "clock = 2", "clock", "expected a table [clock], got 2", id="clock"),
        pytest.param(
            THREE + '[clock]\nmove_time = "2 hours"',
            "clock.move_time",
            'expected a time like "500ms", "2s", "1m"',
            id="duration",
        ),
        pytest.param(
            THREE + "[clock]\nmove_time = 0", "clock.move_time", "between 1ms and 24h", id="no-time"
        ),
        pytest.param(
            THREE + "[clock]\nmove_time = -1",
            "clock.move_time",
            "24h, got -1",
            id="past",
        ),
        pytest.param(
            THREE + "[clock]\nmove_time = nan", "clock.move_time", "between 1ms and 24h", id="nan"
        ),
        pytest.param(
            THREE + '[clock]\nbank = "25h"', "clock.bank", "between 0s and 24h", id="too-long"
        ),
    ],
)
def test_a_wrong_file_is_refused_with_file_key_and_what_was_expected(
    load: Load, tmp_path: Path, text: str, key: str, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'night.toml'}: {key}: ")
    assert said in message
    assert (caught.value.key, caught.value.exit_code) == (key, 2)
    assert "\n" not in message


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param(b"bots = [", "is not TOML: ", id="torn"),
        pytest.param(b"a = 1\nb = = 2", "(at line 2, column 5)", id="syntax"),
        pytest.param(b'name = "\xff"', "is not UTF-8 text (byte 8)", id="encoding"),
    ],
)
def test_a_file_that_is_no_toml_is_refused_with_the_place(
    tmp_path: Path, raw: bytes, said: str
) -> None:
    file = tmp_path / "night.toml"
    file.write_bytes(raw)
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert said in str(caught.value)


def test_a_missing_file_is_not_found_and_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no such file") as caught:
        load_config(tmp_path / "none.toml")
    assert caught.value.exit_code == 3
    with pytest.raises(ConfigError, match="cannot be read: is a directory"):
        load_config(tmp_path)


def test_a_bot_has_the_same_name_however_it_is_written_in_the_file(load: Load) -> None:
    texts = ['"c=x/c.py"', '{ bot = "x/c.py", name = "c" }', '{ bot = "c=x/c.py" }', '"x/c.py"']
    identities = {canonical(identity(f'bots = [{t}, "greedy", "greedy"]', load)) for t in texts}
    assert len(identities) == 1
    named = json.loads(identities.pop())["entrants"]
    assert [entrant["name"] for entrant in named] == ["c", "greedy", "greedy#2"]


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("500ms", 0.5),
        (" 2 s ", 2.0),
        ("1.5", 1.5),
        ("0", 0.0),
        ("1m", 60.0),
        ("24h", 86_400.0),
        (2, 2.0),
        (0.0004, 0.0),
        (1 / 3, 0.333),
    ],
)
def test_a_duration_is_a_text_with_a_unit_or_seconds(written: object, seconds: float) -> None:
    assert parse_duration(written, positive=False) == seconds


@pytest.mark.parametrize("written", ["", "soon", "2 s s", "-1s", "1e3", "٣s", True, None, [], "ms"])
def test_what_is_no_duration_is_refused_with_examples(written: object) -> None:
    with pytest.raises(ValueError, match='expected a time like "500ms", "2s"'):
        parse_duration(written)


@pytest.mark.parametrize(
    "written", ["0s", 0, "0.4ms", -1, "25h", 86_401, 1e300, float("inf"), "9" * 400]
)
def test_a_duration_out_of_bounds_is_refused_with_the_bounds(written: object) -> None:
    with pytest.raises(ValueError, match="must be between 1ms and 24h"):
        parse_duration(written)


def test_changes_of_the_rules_come_on_top_of_those_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "night.toml"
    file.write_text(THREE + 'rules = "kelley-3p"\n[rule]\nmin_bid = 3\n')
    changed = load_config(file, {"rules": "tournament-3p"}, ["min_bid=5", "target=7"])
    assert rules_text(changed.rules) == "tournament-3p min_bid=5 target=7"
    for changes, said in [
        (["min_bid=4", "min_bid=5"], "rule min_bid: is set twice, to '4' and '5'"),
        (["min_bid"], "not a rule change: 'min_bid' (write name=value, like min_bid=3)"),
        (["min_bit=4"], "rule min_bit: there is no such option (did you mean 'min_bid'?)"),
    ]:
        with pytest.raises(RulesError) as refusal:
            load_config(file, {}, changes)
        assert (str(refusal.value), refusal.value.exit_code) == (said, 2)


def test_one_bot_is_a_pair_of_itself_and_a_list_a_pair_of_two(load: Load) -> None:
    config = load(
        'rules = "tournament-4p"\n'
        'bots = ["greedy", ["counter", "greedy"], { bot = ["mine.py", "x/c.py"], name = "mix" }]'
    )
    assert bots_of(config) == [
        ("greedy", ["greedy", "greedy"]),
        ("counter+greedy", ["counter", "greedy"]),
        ("mix", ["mine.py", "x/c.py"]),
    ]
    assert config.schedule().tables[0].seats == ("greedy", "counter+greedy") * 2


def test_where_the_run_is_can_be_told_when_its_bots_are_gone(load: Load, tmp_path: Path) -> None:
    config = load('bots = ["mine.py", "greedy", "random"]\nstore = "runs/x.db"')
    (tmp_path / "mine.py").unlink()
    with pytest.raises(ConfigError, match=r"bots\[0\]"):
        load_config(tmp_path / "night.toml")
    assert store_path(tmp_path / "night.toml") == config.store == tmp_path / "runs" / "x.db"
    (tmp_path / "night.toml").write_text("stoer = 'x'")
    with pytest.raises(ConfigError, match="did you mean 'store'"):
        store_path(tmp_path / "night.toml")


def identity(text: str, load: Load) -> dict[str, object]:
    return load(text).described(content).identity()


def test_the_identity_is_the_same_for_what_only_changes_speed_or_place(load: Load) -> None:
    speed = 'workers = 3\nmax_batch = 1\ntables_in_flight = 2\nstore = "x.db"\nname = "other"\n'
    assert identity(THREE, load) == identity(speed + THREE, load)
    assert differences(identity(THREE, load), identity(speed + THREE, load)) == ()


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (THREE, THREE + "rounds = 2", "rounds: 1 -> 2"),
        (THREE, THREE + "deals = 9", "deals: none -> 9"),
        (THREE, THREE + "max_deals = 9", "max_deals: 100 -> 9"),
        (THREE, THREE + 'call = "unary"', "call: auto -> unary"),
        (THREE, THREE + "ask_forced = true", "ask_forced: false -> true"),
        (THREE, THREE + "[rule]\nmin_bid = 3", "rule.min_bid: 4 -> 3"),
        (THREE, THREE + '[clock]\nmove_time = "1s"', "clock.move_time: 2s -> 1s"),
        (THREE, THREE + '[clock]\nbank = "1500ms"', "clock.bank: none -> 1.5s"),
        (THREE, THREE + "[clock]\nstrikes = 7", "clock.strikes: 2 -> 7"),
        (THREE + "seed = 12345", THREE + "seed = 67890", "seed: another one"),
        (
            'bots = ["random", "mine.py", "x/c.py"]',
            'bots = ["random", "mine.py", "greedy"]',
            "bots: 'c' is gone; bots: 'greedy' is new",
        ),
        (
            'bots = ["random", "greedy", "x/c.py"]',
            'bots = ["random", "x/c.py", "greedy"]',
            "bots: the order has changed",
        ),
        (
            'bots = ["random", "greedy", "x/c.py"]',
            'bots = ["random", "greedy", "y/c.py"]',
            "bots: 'c' has changed: x/c.py -> y/c.py",
        ),
        (
            'bots = ["random", "greedy", "c=x/c.py"]',
            'bots = ["random", "greedy", "old=x/c.py"]',
            "bots: 'c' is gone; bots: 'old' is new",
        ),
    ],
)
def test_every_change_of_what_is_played_is_told_in_one_line(
    load: Load, before: str, after: str, line: str
) -> None:
    old, new = identity(before, load), identity(after, load)
    assert "; ".join(differences(old, new)) == line


def test_a_file_is_the_same_bot_however_the_way_to_it_is_written(load: Load) -> None:
    def written(*bots: str) -> dict[str, object]:
        found = load(THREE).described(lambda bot: "the same").identity()
        entrants = [{"name": str(n), "bots": [{"text": b}]} for n, b in enumerate(bots)]
        return {**found, "entrants": entrants}

    plain = ("fox.py?risk=1", "x/fox.py", "counter / fox.py")
    dotted = ("./fox.py?risk=1", "./x/fox.py", "counter / ./fox.py")
    assert differences(written(*plain), written(*dotted)) == ()
    for one, other in (("greedy", "./greedy"), ("cmd:./a.py", "cmd:a.py"), ("fox.py", "x/fox.py")):
        assert differences(written(one), written(other)), "these may be two bots"


def test_a_bot_that_was_rebuilt_is_another_bot(load: Load) -> None:
    old = load(THREE).described(content).identity()
    new = load(THREE).described(lambda bot: content(bot) + "!").identity()
    assert differences(old, new)[0] == (
        "bots: 'greedy' has changed: another content under the same name"
    )


def test_the_identity_is_plain_json_and_its_text_does_not_depend_on_the_order(load: Load) -> None:
    text = canonical(identity(THREE, load))
    turned = dict(reversed(list(json.loads(text).items())))
    assert canonical(turned) == text
    assert text.isascii()


def test_the_seed_is_shown_nowhere_but_in_the_identity(load: Load) -> None:
    config = load(THREE + 'seed = "very secret"')
    assert "very secret" not in repr(config)
    assert config.identity()["seed"] == "very secret"
    assert config.seeded("drawn").seed == "very secret"
    assert load(THREE).seeded("drawn").seed == "drawn"


def test_a_bot_that_cannot_be_read_is_named_with_its_place_in_the_file(load: Load) -> None:
    def describe(bot: BotSpec) -> str:
        if bot.name == "counter":
            raise NotFoundError("counter.py: cannot be read: permission denied")
        return bot.name

    with pytest.raises(NotFoundError, match=r"night\.toml: bots\[1\]: counter\.py: cannot be read"):
        load(THREE).described(describe)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_the_example_files_can_be_read(file: Path) -> None:
    config = load_config(file)
    assert config.schedule().tables
    assert config.seed is not None


def test_the_examples_are_there() -> None:
    names = {file.name for file in EXAMPLES.glob("*.toml")}
    assert names >= {"simplest.toml", "league-night.toml", "pairs-night.toml"}


def test_no_error_of_a_file_is_a_bug_of_ours(load: Load) -> None:
    # Every value of every kind under every key: refused as the user's or read, never a crash.
    keys = ["name", "bots", "rules", "rule", "seed", "rounds", "deals", "max_deals", "clock",
            "call", "ask_forced", "workers", "max_batch", "tables_in_flight", "store"]  # fmt: skip
    values = ["1", "-1", "1.5", "true", '"x"', '""', "[]", "[1]", "[[]]", "{}", "{a = 1}",
              "1979-05-27", "inf", '"\\u0000"', "99999999999999999999"]  # fmt: skip
    for key in keys:
        for value in values:
            text = f"{key} = {value}\n" + (THREE if key != "bots" else "")
            try:
                load(text)
            except MoonError as error:
                assert str(error)  # noqa: PT017 - reading it is allowed too


def test_reading_a_file_imports_neither_a_database_nor_grpc() -> None:
    code = (
        "import sys, tournaments.config;"
        "print([m for m in ('sqlalchemy', 'alembic', 'grpc', 'asyncio') if m in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == "[]"


def test_a_remote_bot_is_not_its_own_partner_and_two_addresses_are_a_pair(load: Load) -> None:
    with pytest.raises(ConfigError, match="cannot be its own partner"):
        load('rules = "tournament-4p"\nbots = ["greedy", "grpc://host:5001"]')
    with pytest.raises(ConfigError, match="cannot be its own partner"):
        load('rules = "tournament-4p"\nbots = ["greedy", "dial:far"]')
    pairs = 'bots = ["greedy", ["grpc://host:5001", "grpc://host:5002"]]'
    assert len(load(f'rules = "tournament-4p"\n{pairs}').entrants) == 2


def test_the_time_for_the_way_belongs_to_a_run_only_where_somebody_is_far_away(load: Load) -> None:
    def clock(bots: str) -> object:
        return load(f'bots = {bots}\n[clock]\nnetwork = "80ms"').identity()["clock"]

    assert "network" not in dict(clock('["greedy", "counter", "random"]'))  # type: ignore[call-overload]
    assert dict(clock('["greedy", "counter", "dial:far"]'))["network"] == 0.08  # type: ignore[call-overload]


def test_the_default_format_leaves_the_identity_as_it_was(load: Load) -> None:
    assert "format" not in identity(THREE, load)
    assert identity('format = "round-robin"\n' + THREE, load) == identity(THREE, load)
    assert identity('format = "kirkman"\n' + THREE, load)["format"] == "kirkman"


def test_house_bots_take_the_places_that_a_format_has_left_in_turn(load: Load) -> None:
    text = 'bots = ["random", "greedy", "counter", "a=greedy", "b=greedy"]\nformat = "mendelsohn"\n'
    config = load(text + 'house = ["sampler", "counter"]')
    assert [(e.name, e.bots[0].source) for e in config.entrants[5:]] == [
        ("house-1", "sampler"),
        ("house-2", "counter"),
    ]
    assert config.house == 2
    assert [e.bots[0].source for e in load(text).entrants[5:]] == ["greedy", "greedy"]
    assert len(config.schedule().blocks) == 14


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('format = "round robin"', r'format: expected one of .*did you mean .round-robin'),
        ('format = "circle"', 'format: "circle" is for 4 seats at a table, and there are 3'),
        ('format = "gauntlet"', 'bots: the format "gauntlet" needs at least 4 entrants, got 3'),
        ('house = "greedy"', 'house: the format "round-robin" has a place for everybody'),
        ('format = "kirkman"\nhouse = []', "house: names no bot"),
        ('format = "kirkman"\nhouse = ["x=greedy"]', "house: expected bots without names in front"),
        ('format = "kirkman"\nhouse = ["gredy"]', "house: gredy: "),
        ('format = "kirkman"\nhouse = 3', "house: expected bots without names in front, got 3"),
    ],
)  # fmt: skip
def test_a_format_that_means_nothing_is_refused_with_its_place(
    load: Load, text: str, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        load(f"{text}\n{THREE}")


def test_luck_is_not_adjusted_where_partners_change(load: Load) -> None:
    with pytest.raises(ConfigError, match='luck: the format "whist" changes partners'):
        load(
            'rules = "tournament-4p"\nformat = "whist"\nluck = 1\n'
            'bots = ["greedy", "random", "counter"]'
        )


def test_single_bots_are_no_pairs(load: Load) -> None:
    text = 'rules = "tournament-4p"\nformat = "whist"\nbots = ["greedy", "random", "counter", '
    assert load(f'{text}"sampler"]').house == 0
    with pytest.raises(ConfigError, match=r"bots\[3\]: a list of bots is a pair, and the format"):
        load(f'{text}["greedy", "random"]]')
