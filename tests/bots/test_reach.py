"""What a bot may read: what it is made of, and neither secrets nor rivals, however it asks."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.bots.reach import others, reach_of
from referee.bots.spec import parse_bot

Readable = Callable[..., set[str]]


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A folder as people have it: bots, a store and a tournament file, certificates, documents."""
    files = {
        "league/bot.py": "import helper, package, tls, Documents, key, store, night, sub.deep",
        "league/helper.py": "import far",
        "league/far.py": "",
        "league/package/__init__.py": "",
        "league/package/weights.bin": "",
        "league/tls/ca.key": "secret",
        "league/Documents/tax.pdf": "secret",
        "league/night.toml": "secret",
        "league/night.sqlite": "secret",
        "league/night.sqlite-wal": "secret",
        "league/sub/deep.js": "",
        "league/folder/bot.toml": 'name = "f"\nversion = "1"\nrun = ["python3", "x.py"]',
        "league/folder/x.py": "",
        "league/folder/data/book.bin": "",
        "league/folder/data/run.sqlite": "secret",
        "id_rsa": "secret",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "league/key.py").symlink_to("../id_rsa")
    (tmp_path / "league/store.py").symlink_to("night.sqlite")
    (tmp_path / "league/folder/out").symlink_to("../../id_rsa")
    (tmp_path / "league/folder/in").symlink_to("data/run.sqlite")
    (tmp_path / "elsewhere").symlink_to("league")
    return tmp_path / "league"


@pytest.fixture
def readable(league: Path) -> Readable:
    """Lists every file near the league that a bot may read; links as what they lead to."""

    def read(text: str, *hidden: str, base: Path = league) -> set[str]:
        found: set[Path] = set()
        for path in reach_of(parse_bot(text, base), [base / name for name in hidden]).readable:
            real = path.resolve()
            found |= {real} if real.is_file() else {p for p in real.rglob("*") if p.is_file()}
        home = league.parent
        return {str(p.relative_to(home)) for p in found if p.is_relative_to(home)}

    return read


ITSELF = {
    "league/bot.py",
    "league/helper.py",
    "league/far.py",
    "league/package/__init__.py",
    "league/package/weights.bin",
}


def test_a_bot_of_one_file_reads_its_modules_and_no_folder_or_link_that_it_names(
    readable: Readable,
) -> None:
    assert readable("./bot.py", "night.sqlite", "night.toml") == ITSELF


def test_a_file_bot_reached_by_another_spelling_reads_no_more(
    readable: Readable, league: Path
) -> None:
    base = league.parent / "elsewhere"
    assert readable("./bot.py", "night.sqlite", base=base) == ITSELF


@pytest.mark.parametrize(
    "hidden", ["folder/data/run.sqlite", "folder/../folder/data/run.sqlite"], ids=["plain", "dots"]
)
def test_a_store_in_the_folder_of_a_bot_is_left_out_and_so_is_every_way_to_it(
    readable: Readable, hidden: str
) -> None:
    found = readable("./folder", hidden)
    assert found == {"league/folder/bot.toml", "league/folder/x.py", "league/folder/data/book.bin"}


def test_a_folder_bot_run_from_inside_does_not_read_the_store_beside_it(
    readable: Readable, league: Path
) -> None:
    inside = league / "folder" / "data"
    assert "league/folder/data/run.sqlite" not in readable("..", "run.sqlite", base=inside)
    assert "league/folder/data/book.bin" in readable("..", "run.sqlite", base=inside)


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("cmd:node sub/deep.js", {"league/sub/deep.js"}),
        ("cmd:node ../league/sub/deep.js", {"league/sub/deep.js"}),
        ("cmd:cat night.sqlite", set[str]()),
    ],
)
def test_a_command_reads_the_files_that_it_names_and_nothing_beside_them(
    readable: Readable, text: str, files: set[str]
) -> None:
    assert readable(text, "night.sqlite") == files


def test_a_name_that_begins_like_a_hidden_one_is_not_hidden(
    readable: Readable, league: Path
) -> None:
    (league / "night_bot.py").touch()
    assert readable("./night_bot.py", "night") == {"league/night_bot.py"}


def test_what_rivals_are_made_of_is_hidden_but_nothing_that_is_ones_own(league: Path) -> None:
    one, two, three, part = (
        parse_bot(text, league) for text in ("./bot.py", "./far.py", "./folder", "./folder/x.py")
    )
    assert others(one, [one, two, three]) == ((league / "far.py"), (league / "folder"))
    assert others(part, [part, three]) == (), "the folder that it lies in is its own too"
    read = reach_of(one, others(one, [one, two])).readable
    assert league / "helper.py" in read
    assert league / "far.py" not in read


def test_a_python_whose_libraries_hold_something_hidden_still_finds_them() -> None:
    libraries = Path(sysconfig.get_path("purelib"))
    spec = parse_bot("greedy", Path())
    assert libraries not in reach_of(spec).listable, "it may read all of it, names too"
    reach = reach_of(spec, [libraries / "a_package" / "rivals"])
    assert libraries in reach.listable
    assert libraries not in reach.system
