"""What people may write to name a bot, and what they are told when they write something else."""

from __future__ import annotations

import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from referee.bots.contents import content_hash
from referee.bots.imports import MOST_PARSED
from referee.bots.names import check_name, entrant_names
from referee.bots.samples import sample_names
from referee.bots.spec import BotKind, BotSpec, parse_bot
from referee.errors import ConfigError

BOT_TOML = """
name = "My Bot"
version = "1.2"
run = ["python3", "bot.py"]
"""


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with bots in it, and built-in bots of our own."""
    samples = tmp_path / "installed" / "sample_bots"
    samples.mkdir(parents=True)
    for name in ("__init__", "greedy", "first_legal", "_shared"):
        (samples / f"{name}.py").write_text("raise SystemExit('loaded')")
    monkeypatch.syspath_prepend(samples.parent)
    monkeypatch.delitem(sys.modules, "sample_bots", raising=False)
    base = tmp_path / "base"
    (base / "mybot").mkdir(parents=True)
    (base / "mybot" / "bot.toml").write_text(BOT_TOML)
    (base / "mybot" / "bot.py").write_text("print('one')")
    (base / "empty").mkdir()
    (base / "lone.py").write_text("print('lone')")
    (base / "notes.txt").write_text("")
    return base


def test_built_in_bots_are_found_without_loading_them(base: Path) -> None:
    assert sample_names() == ("first_legal", "greedy")
    spec = parse_bot("greedy", base)
    assert (spec.name, spec.kind, spec.source) == ("greedy", BotKind.SAMPLE, "greedy")
    assert spec.command == (sys.executable, "-m", "sample_bots.greedy")
    assert spec.cwd is None


def test_a_built_in_bot_may_have_the_name_of_a_module_that_its_own_must_not_shadow() -> None:
    assert "random" in sample_names()
    assert parse_bot("random", Path()).command[2] == "sample_bots.random_bot"


@pytest.mark.parametrize("text", ["mybot", "./mybot", "mybot/", "empty/../mybot"])
def test_a_folder_is_run_as_its_bot_file_says(base: Path, text: str) -> None:
    spec = parse_bot(text, base)
    assert (spec.name, spec.kind, spec.version) == ("My Bot", BotKind.FOLDER, "1.2")
    assert (spec.command, spec.build) == (("python3", "bot.py"), ())
    assert spec.cwd is not None
    assert spec.cwd.samefile(base / "mybot")


def test_a_folder_may_have_a_build_command(base: Path) -> None:
    (base / "mybot" / "bot.toml").write_text(BOT_TOML + 'build = ["make", "all"]\n')
    assert parse_bot("mybot", base).build == ("make", "all")


def test_a_python_file_is_run_by_our_python_in_its_own_directory(base: Path) -> None:
    spec = parse_bot("lone.py", base)
    assert (spec.name, spec.kind, spec.cwd) == ("lone", BotKind.FILE, base)
    assert spec.command == (sys.executable, str(base / "lone.py"))


@pytest.mark.parametrize(
    ("text", "command", "name"),
    [
        ("cmd:node bot.js -v", ("node", "bot.js", "-v"), "node bot.js -v"),
        ("cmd: ./bot  'two words' ", ("./bot", "two words"), "./bot 'two words'"),
        ("cmd:A=1 b", ("A=1", "b"), "A=1 b"),
        ("cmd:./bot 'a?b' \\?", ("./bot", "a?b", "?"), "./bot 'a?b' \\?"),
        ("cmd:echo $HOME; rm -r *", ("echo", "$HOME;", "rm", "-r", "*"), "echo $HOME; rm -r *"),
        (
            "cmd:python3 lone.py --with-so-many --arguments",
            ("python3", "lone.py", "--with-so-many", "--arguments"),
            "lone.py",
        ),
    ],
)
def test_a_command_is_split_into_words_and_meets_no_shell(
    base: Path, text: str, command: tuple[str, ...], name: str
) -> None:
    spec = parse_bot(text, base)
    assert (spec.kind, spec.command, spec.cwd) == (BotKind.COMMAND, command, base)
    assert (spec.name, spec.params) == (name, ())


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("grpc://localhost:50051", "localhost:50051"),
        ("grpc://Bots.Example.org:1", "bots.example.org:1"),
        ("grpc://127.0.0.1:65535", "127.0.0.1:65535"),
        ("grpc://[::1]:50051", "[::1]:50051"),
        ("grpc://[2001:DB8:0::7]:443", "[2001:db8::7]:443"),
        ("grpc://my_bot:0080", "my_bot:80"),
    ],
)
def test_a_remote_bot_is_an_address(base: Path, text: str, address: str) -> None:
    spec = parse_bot(text, base)
    assert (spec.kind, spec.address, spec.name) == (BotKind.REMOTE, address, address)
    assert (spec.command, spec.cwd) == ((), None)
    assert spec.is_remote
    assert not spec.plain
    plain = parse_bot(text.replace("grpc", "grpc+insecure"), base)
    assert plain == replace(spec, plain=True, source=plain.source)


def test_a_bot_that_dials_in_is_a_name(base: Path) -> None:
    spec = parse_bot("dial:Far-2", base)
    assert (spec.kind, spec.address, spec.name) == (BotKind.DIAL, "far-2", "far-2")
    assert spec.is_remote
    assert not parse_bot("greedy", base).is_remote


@pytest.mark.parametrize(
    ("text", "name", "params"),
    [
        ("greedy?risk=0.3", "greedy?risk=0.3", {"risk": "0.3"}),
        ("greedy?x=1&risk=0.3", "greedy?risk=0.3&x=1", {"risk": "0.3", "x": "1"}),
        ("greedy?a=b%20c%26d%25", "greedy?a=b%20c%26d%25", {"a": "b c&d%"}),
        ("greedy?a=1=2?3", "greedy?a=1=2?3", {"a": "1=2?3"}),
        ("greedy?a=", "greedy?a=", {"a": ""}),
        ("mybot?depth=2", "My Bot?depth=2", {"depth": "2"}),
        ("./lone.py?depth=2", "lone?depth=2", {"depth": "2"}),
        ("cmd:./bot 'a?b' -x?depth=2", "./bot 'a?b' -x?depth=2", {"depth": "2"}),
        ("grpc://h:1?depth=2", "h:1?depth=2", {"depth": "2"}),
        ("wild=greedy?risk=0.9", "wild", {"risk": "0.9"}),
    ],
)
def test_every_bot_takes_parameters(
    base: Path, text: str, name: str, params: dict[str, str]
) -> None:
    spec = parse_bot(text, base)
    assert (spec.name, spec.params) == (name, tuple(sorted(params.items())))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("old=./mybot", "old"),
        ("old = mybot", "old"),
        ("Größe 2=lone.py", "Größe 2"),
        ("a:b=grpc://h:1", "a:b"),
        ("me=cmd:x=1 y", "me"),
        ("e\u0301=greedy", "\u00e9"),
    ],
)
def test_every_bot_may_be_given_a_name(base: Path, text: str, name: str) -> None:
    spec = parse_bot(text, base)
    assert (spec.name, spec.source) == (name, text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected a built-in bot, a folder"),
        ("   ", "expected a built-in bot, a folder"),
        ("gredy", "did you mean 'greedy'?"),
        ("gredy", "built-in: first_legal, greedy"),
        ("first-legal", "did you mean 'first_legal'?"),
        ("nothing_like_it", "(known: first_legal, greedy); expected a built-in bot"),
        ("_shared", "no bot, folder or file of this name"),
        ("./gone", "there is no "),
        ("gone.py", "there is no "),
        ("notes.txt", "not a .py file; another program is run with cmd:notes.txt"),
        ("empty", "empty has no bot.toml"),
        ("x" * 300, "file name too long"),
        ("~nobody_of_this_name/bot", "cannot be looked up"),
        ("mybot/bot.py/more", "cannot be looked up: not a directory"),
        ("my\nbot", "not printable"),
        ("my\0bot", "not printable"),
        ("my\udcffbot", "not printable"),
        ("\u202egreedy", "not printable"),
        ("cmd:", "names no program"),
        ("cmd:''", "names no program"),
        ("cmd:bot 'open", "cannot be split into words: no closing quotation"),
        ("cmd:./bot a?b", "quote a ? that belongs to the command"),
        ("greedy?", "'' is no parameter; expected name=value"),
        ("greedy?risk", "'risk' is no parameter; expected name=value"),
        ("greedy?=1", "is no parameter"),
        ("greedy?Risk=1", "the name of small letters"),
        ("greedy?a-b=1", "the name of small letters"),
        ("greedy?a=1&a=2", "'a' is given twice"),
        ("greedy?a=%0A", "printable"),
        ("greedy?a=%FF", "printable"),
        ("greedy?a=" + "x" * 201, "at most 200"),
        ("greedy?long=" + "x" * 40, "at most 40; write NAME=BOT to name it"),
        ("=greedy", "the name '' is empty"),
        ("x" * 41 + "=greedy", "41 characters, at most 40"),
        ("localhost:50051", "an address is written grpc://localhost:50051"),
        ("dial:", "'' cannot stand in a certificate"),
        ("dial:../far", "cannot stand in a certificate; expected at most 32 letters"),
        ("http://localhost:1", "expected grpc://HOST:PORT"),
        ("grpc://localhost", "expected grpc://HOST:PORT"),
        ("grpc://localhost:", "expected grpc://HOST:PORT"),
        ("grpc://localhost:0", "a port from 1 to 65535"),
        ("grpc://localhost:65536", "a port from 1 to 65535"),
        ("grpc://user@host:1", "'user@host' is not the name of a host"),
        ("grpc://host:1/path", "expected grpc://HOST:PORT"),
        ("grpc://:1", "'' is not the name of a host"),
        ("grpc://-h:1", "'-h' is not the name of a host"),
        ("grpc://1.2.3:1", "Expected 4 octets"),
        ("grpc://1.2.3.456:1", "456"),
        ("grpc://::1:50051", "expected grpc://HOST:PORT"),
        ("grpc://[::z]:1", "::z"),
    ],
)
def test_text_that_names_no_bot_is_refused_with_what_was_expected(
    base: Path, text: str, problem: str
) -> None:
    with pytest.raises(ConfigError) as refusal:
        parse_bot(text, base)
    message = str(refusal.value)
    assert problem in message
    assert message.isprintable()
    assert message.startswith(text if text.strip() and text.isprintable() else repr(text))


@pytest.mark.parametrize(
    ("line", "key", "problem"),
    [
        ('nmae = "x"', "nmae", "unknown key (did you mean 'name'?)"),
        ('zzz = "x"', "zzz", "unknown key (known: build, name, protocol, run, version)"),
        ("-name", "name", "missing"),
        ("-version", "version", "missing"),
        ("-run", "run", "missing"),
        ('run = "python3 bot.py"', "run", 'must be a program and its arguments, ["python3"'),
        ("run = []", "run", "must be a program"),
        ('run = ["a", 1]', "run", "must be a program"),
        ('run = [""]', "run", "must be a program"),
        ('run = ["a\\u0000b"]', "run", "must be a program"),
        ("build = false", "build", "must be a program"),
        ("version = 1.0", "version", "must be text in quotes, got 1.0"),
        ('protocol = "moon.v9"', "protocol", "must be 'moon.v1', got 'moon.v9'"),
        ('name = "a\\nb"', "name", "invisible character U+000A"),
        ('name = "\\u202Eevil"', "name", "invisible character U+202E"),
        (f'name = "{"x" * 300}"', "name", "300 characters, at most 40"),
        ('version = ""', "version", "empty"),
        ("name = ", None, "is not TOML"),
    ],
)
def test_a_bot_file_with_a_mistake_is_refused_by_its_key(
    base: Path, line: str, key: str | None, problem: str
) -> None:
    path = base / "mybot" / "bot.toml"
    wrong = line.removeprefix("-").partition(" =")[0]
    kept = [text for text in BOT_TOML.splitlines() if not text.startswith(wrong)]
    path.write_text("\n".join(kept if line.startswith("-") else [*kept, line]))
    with pytest.raises(ConfigError) as refusal:
        parse_bot("mybot", base)
    assert (refusal.value.path, refusal.value.key) == (str(path), key)
    assert problem in str(refusal.value)


@pytest.mark.parametrize(
    "name", ["greedy", "two words", "<b>&\"'", "a,b;c", "日本語", "🂡", "x" * 40, "-n", "greedy#2"]
)
def test_a_name_that_shows_as_it_is_is_kept(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " a",
        "a ",
        "a\nb",
        "a\tb",
        "\x1b[2J",
        "a\u202eb",
        "a\u2066b",
        "a\u200bb",
        "a\u2028b",
        "a\x85",
    ],
)
def test_a_name_that_would_not_show_as_it_is_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="the name"):
        check_name(name)


def names(base: Path, *entrants: str | tuple[str, ...]) -> list[str]:
    """Returns the names of bots, and of the pairs among them."""
    texts = [(each,) if isinstance(each, str) else each for each in entrants]
    return list(entrant_names([[parse_bot(text, base) for text in pair] for pair in texts]))


def test_the_same_bot_again_gets_a_number(base: Path) -> None:
    assert names(base, "greedy", "mybot", "greedy", "./mybot", "greedy") == [
        "greedy",
        "My Bot",
        "greedy#2",
        "My Bot#2",
        "greedy#3",
    ]


def test_a_pair_has_the_names_of_its_bots(base: Path) -> None:
    pairs = [("greedy",) * 2, ("a=greedy", "./mybot"), ("a=greedy", "mybot"), ("x=lone.py",) * 2]
    assert names(base, *pairs) == ["greedy", "a+My Bot", "a+My Bot#2", "x"]
    assert names(base, ("x=greedy", "x=lone.py")) == ["x+x"]


def test_a_name_that_was_given_holds_and_the_same_bots_under_it_get_a_number(base: Path) -> None:
    greedy, lone = parse_bot("greedy", base), parse_bot("lone.py", base)
    bots = [[greedy], [greedy], [greedy], [lone]]
    assert entrant_names(bots, ["x", "x", None, "y"]) == ("x", "x#2", "greedy", "y")


def test_a_number_is_never_the_name_of_another_bot(base: Path) -> None:
    assert names(base, "greedy", "greedy", "greedy#2=lone.py") == ["greedy", "greedy#3", "greedy#2"]


def test_a_long_name_is_cut_for_its_number(base: Path) -> None:
    text = "x" * 40 + "=greedy"
    assert names(base, text, text) == ["x" * 40, "x" * 38 + "#2"]


def test_other_parameters_make_another_name(base: Path) -> None:
    assert names(base, "greedy?a=1", "greedy?a=2") == ["greedy?a=1", "greedy?a=2"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("a=greedy", "a=first_legal"), ("mybot", "My Bot=lone.py"), ("a=greedy?x=1", "a=greedy?x=2")],
)
def test_two_bots_of_one_name_are_refused_and_never_merged(
    base: Path, one: str, other: str
) -> None:
    with pytest.raises(ConfigError) as refusal:
        names(base, one, other)
    assert str(refusal.value).startswith(f"{other}: has the same name as another bot, ")
    assert str(refusal.value).endswith(f": {one}; write NAME=BOT to give one of them another")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Greedy=greedy", "greedy"),
        ("\uff47reedy=lone.py", "greedy"),
        ("\ufb01t=greedy", "fit=lone.py"),
        ("stra\u00dfe=greedy", "STRASSE=greedy"),
    ],
)
def test_names_that_people_take_for_each_other_are_refused(
    base: Path, one: str, other: str
) -> None:
    with pytest.raises(ConfigError, match="is too like") as refusal:
        names(base, one, other)
    assert str(refusal.value).startswith(f"{other}: the name ")
    assert str(refusal.value).endswith(f": {one}; write NAME=BOT to give one of them another")


def test_a_pair_whose_name_is_too_long_is_refused_with_the_way_out(base: Path) -> None:
    one, other = f"{'a' * 25}=greedy", f"{'b' * 25}=lone.py"
    with pytest.raises(ConfigError, match="has 51 characters, at most 40; name its bots, NAME=BOT"):
        names(base, "greedy", (one, other))
    assert names(base, (one, "b=lone.py")) == ["a" * 25 + "+b"]


class TestContentHash:
    """A change of what is played changes the hash, and nothing else does."""

    def changes(self, base: Path, text: str, path: Path, contents: str) -> bool:
        before = content_hash(parse_bot(text, base))
        assert content_hash(parse_bot(text, base)) == before
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents)
        return content_hash(parse_bot(text, base)) != before

    @pytest.mark.parametrize(
        ("file", "played"),
        [
            ("bot.py", True),
            ("bot.toml", True),
            ("model/weights.bin", True),
            ("__pycache__/bot.cpython-311.pyc", False),
            ("sub/__pycache__/x.pyc", False),
            (".git/HEAD", False),
        ],
    )
    def test_of_a_folder(self, base: Path, file: str, played: bool) -> None:
        assert self.changes(base, "mybot", base / "mybot" / file, BOT_TOML + "# new") == played

    def test_of_a_folder_does_not_depend_on_its_place_or_name(self, base: Path) -> None:
        before = content_hash(parse_bot("mybot", base))
        (base / "mybot").rename(base / "other")
        assert content_hash(parse_bot("shown=other", base)) == before

    def test_of_a_folder_notices_a_file_that_was_renamed(self, base: Path) -> None:
        before = content_hash(parse_bot("mybot", base))
        (base / "mybot" / "bot.py").rename(base / "mybot" / "tob.py")
        assert content_hash(parse_bot("mybot", base)) != before

    def test_of_a_folder_survives_links_in_a_circle_and_files_that_are_none(
        self, base: Path
    ) -> None:
        (base / "mybot" / "self").symlink_to(base / "mybot")
        (base / "mybot" / "gone").symlink_to("nowhere")
        before = content_hash(parse_bot("mybot", base))
        (base / "mybot" / "gone").unlink()
        (base / "mybot" / "gone").symlink_to("elsewhere")
        assert content_hash(parse_bot("mybot", base)) != before

    def test_of_a_folder_passes_over_what_its_caller_says_is_ours(self, base: Path) -> None:
        def hashed() -> str:
            return content_hash(parse_bot("mybot", base), lambda path: path.name == "night.db")

        before = hashed()
        (base / "mybot" / "night.db").write_text("a store")
        assert hashed() == before
        (base / "mybot" / "book.db").write_text("an opening book")
        assert hashed() != before

    @pytest.mark.parametrize(
        "text", ["lone.py", "cmd:python3 lone.py", f"cmd:{sys.executable} -u lone.py"]
    )
    def test_of_a_python_file_covers_it_and_no_neighbour(self, base: Path, text: str) -> None:
        assert self.changes(base, text, base / "lone.py", "new")
        assert not self.changes(base, text, base / "neighbour.py", "new")

    @pytest.mark.parametrize(
        "text",
        ["lone.py", "cmd:python3 lone.py", f"cmd:{sys.executable} lone.py", "inproc:lone:Bot"],
    )
    @pytest.mark.parametrize(
        ("line", "file"),
        [
            ("import helper", "helper.py"),
            ("import helper as h, sys", "helper.py"),
            ("from helper import x", "helper.py"),
            ("import near", "far.py"),
            ("def late():\n    import helper", "helper.py"),
            ("import helper", "helper.abi3.so"),
            ("import brain", "brain/__init__.py"),
            ("import brain.net", "brain/weights.bin"),
            ("from brain.net import x", "brain/deep/er.py"),
            ("import brain", "far.py"),
            ("import parts.one", "parts/one.py"),
        ],
    )
    def test_of_a_python_file_covers_what_it_imports_from_its_folder(
        self, base: Path, text: str, line: str, file: str
    ) -> None:
        (base / "near.py").write_text("import far")
        (base / "brain").mkdir()
        (base / "brain" / "__init__.py").write_text("")
        (base / "brain" / "net.py").write_text("import far")
        (base / "lone.py").write_text(line)
        assert self.changes(base, text, base / file, "x = 1")

    def test_of_a_python_file_too_long_to_be_parsed_covers_what_its_lines_import(
        self, base: Path
    ) -> None:
        padding = "x = (" + "0," * MOST_PARSED + ")\n"
        (base / "lone.py").write_text(
            f"import helper as h, near\n{padding}if h:\n    from far import z"
        )
        tracemalloc.start()
        try:
            for name in ("helper.py", "near.py", "far.py"):
                assert self.changes(base, "lone.py", base / name, "x = 1")
            assert not self.changes(base, "lone.py", base / "other.py", "x = 1")
            assert tracemalloc.get_traced_memory()[1] < 20 * len(padding)
        finally:
            tracemalloc.stop()

    def test_of_a_python_file_survives_what_is_no_python_and_imports_in_a_circle(
        self, base: Path
    ) -> None:
        (base / "lone.py").write_text("import one, broken, json, not_there")
        (base / "one.py").write_text("import lone, one; x = '\\d'")
        (base / "broken.py").write_bytes(b"import one (\0\xff")
        (base / "json").mkdir()
        assert not self.changes(base, "lone.py", base / "json" / "data.txt", "gives way to json")
        assert self.changes(base, "lone.py", base / "broken.py", "import (")

    def test_of_a_python_file_does_not_depend_on_its_name_or_place(self, base: Path) -> None:
        (base / "lone.py").write_text("import helper")
        (base / "helper.py").write_text("")
        before = content_hash(parse_bot("lone.py", base))
        (base / "lone.py").rename(base / "other.py")
        base.rename(base.with_name("moved"))
        assert content_hash(parse_bot("other.py", base.with_name("moved"))) == before

    def test_of_a_linked_python_file_covers_what_lies_beside_the_file_itself(
        self, base: Path
    ) -> None:
        (base / "lone.py").write_text("import helper")
        (base / "empty" / "link.py").symlink_to(base / "lone.py")
        assert self.changes(base, "empty/link.py", base / "helper.py", "x = 1")
        assert not self.changes(base, "empty/link.py", base / "empty" / "helper.py", "x = 1")

    def test_of_a_command_covers_its_words(self, base: Path) -> None:
        one, two = (content_hash(parse_bot(f"cmd:bot {arg}", base)) for arg in ("a b", "'a b'"))
        assert one != two

    def test_of_a_built_in_bot_covers_what_it_imports(self, base: Path) -> None:
        samples = base.parent / "installed" / "sample_bots"
        for line in (
            "from sample_bots._shared import x",
            "import sample_bots._shared",
            "from sample_bots import _shared",
        ):
            (samples / "greedy.py").write_text(line)
            assert self.changes(base, "greedy", samples / "_shared.py", f"# {line}")
            assert self.changes(base, "greedy", samples / "greedy.py", f"{line}; y = 1")
            assert not self.changes(base, "greedy", samples / "first_legal.py", f"# {line}")

    def test_of_different_bots_differs(self, base: Path) -> None:
        texts = ["greedy", "greedy?a=1", "greedy?a=2", "greedy?b=1", "grpc://h:1", "grpc://h:2"]
        hashes = {content_hash(parse_bot(text, base)) for text in (*texts, "mybot", "lone.py")}
        assert len(hashes) == len(texts) + 2

    def test_does_not_depend_on_the_python_that_runs_us(self, base: Path) -> None:
        spec: BotSpec = parse_bot("lone.py", base)
        other = replace(spec, command=("/other/python", *spec.command[1:]))
        assert content_hash(spec) == content_hash(other)
