"""`moon league submit`: who passes every step is entered, and nobody else leaves a trace."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.league import League as Office
from tests.e2e.league import league as office
from tests.league.leagues import make, snapshot, with_terms, write_bot
from tournaments.league.folder import League
from tournaments.league.submitting import Step, SubmissionRefusedError, submit

FAULTY = Path(__file__).parents[1] / "faulty_bots"
ZOO = Path(__file__).parents[1] / "zoo" / "programs"


@pytest.fixture
def club(tmp_path: Path) -> League:
    return with_terms(make(tmp_path / "club"), deals="1", move_time='"20s"', build_time='"60s"')


def refused(league: League, text: str, name: str = "mine", author: str | None = "Ann") -> str:
    """Returns what whoever submits *text* in vain is told, when nothing was changed by it."""
    before = snapshot(league.folder)
    with pytest.raises(SubmissionRefusedError) as error:
        asyncio.run(submit(league, text, league.folder.parent, name=name, author=author))
    assert snapshot(league.folder) == before
    said = str(error.value)
    assert said.splitlines()[0].startswith(f"{text} is refused at the step '{error.value.step}': ")
    assert "nothing was entered" in said
    return said


def folder_bot(folder: Path, build: str, run: str = '["python3", "bot.py"]') -> str:
    folder.mkdir()
    toml = f'name = "made"\nversion = "3"\nrun = {run}\nbuild = ["sh", "-c", {json.dumps(build)}]\n'
    (folder / "bot.toml").write_text(toml)
    return f"./{folder.name}"


BUILD = """\
cp bot.txt bot.py
mkdir lib && echo 'RISK = 3' > lib/know.py
echo built > "$HOME/rest" && echo built > "$TMPDIR/rest"
"""


def test_a_bot_that_has_to_be_built_is_built_once_plays_and_is_entered_as_it_came_out(
    club: League, tmp_path: Path
) -> None:
    text = folder_bot(tmp_path / "made", BUILD)
    (tmp_path / "made" / "bot.txt").write_bytes(write_bot(tmp_path, "mine").read_bytes())
    said: list[str] = []
    done = asyncio.run(submit(club, text, tmp_path, author="Ann", say=said.append))
    entry = done.entry
    assert (entry.id, entry.author, club.active) == ("made#1", "Ann", (entry,))
    copy = club.folder / "entries" / entry.content
    assert sorted(str(p.relative_to(copy)) for p in copy.rglob("*") if p.is_file()) == [
        "bot.py", "bot.toml", "bot.txt", "lib/know.py",
    ]  # fmt: skip
    assert club.bot(entry).build == (), "what is built once is never built again"
    assert sorted(p.name for p in (tmp_path / "made").iterdir()) == ["bot.toml", "bot.txt"]
    assert len(done.results) == 6, "against itself, and each bot of the program"
    matches = [line for line in said if line.startswith("match")]
    assert (len(matches), matches[0][-14:]) == (6, "against itself")
    again = refused(club, text, "other", "Bob")
    assert "step 'name'" in again
    assert "the content is that of made#1 by Ann" in again


@pytest.mark.parametrize(
    ("build", "problem"),
    [
        ("echo tried; echo no such header >&2; exit 3", "failed with exit code 3\ntried\nno such"),
        ("kill -9 $$", "failed with signal SIGKILL"),
        ("sleep 100", "took more than 1 s"),
        ("ln -s /etc/passwd bot.py", "bot.py: is a link to /etc/passwd, out of the folder"),
        ("mkfifo bot.py", "bot.py: is neither a file nor a folder nor a link; take it out"),
    ],
)
def test_a_build_that_fails_or_leaves_what_cannot_be_frozen_is_refused_with_its_last_words(
    club: League, tmp_path: Path, build: str, problem: str
) -> None:
    league = with_terms(club, build_time='"1s"' if "sleep" in build else '"60s"')
    said = refused(league, folder_bot(tmp_path / "made", build))
    assert "step 'build'" in said
    assert problem in said
    assert "a build has no network" in said
    assert (tmp_path / "made" / "bot.toml").exists()


def test_a_build_reaches_nothing_but_its_own_copy(club: League, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the seed of tonight")
    build = f"cat {secret}; echo x > {tmp_path}/left; cat {club.folder}/league.toml; exit 7"
    said = refused(club, folder_bot(tmp_path / "made", build))
    assert "failed with exit code 7" in said
    assert "the seed of tonight" not in said
    assert "move_time" not in said
    assert not (tmp_path / "left").exists()


@pytest.mark.parametrize(
    ("text", "step", "problem"),
    [
        ("cmd:python3 bot.py", Step.FILES, "a command has no files that can be frozen"),
        ("grpc://host:1", Step.FILES, "a remote bot has no files"),
        ("./nowhere", Step.FILES, "there is no"),
        ("mine.py?risk=", Step.NAME, "U.202E"),
        ("broken.py", Step.MATCHES, "bot 'candidate' did not start"),
        ("illegal.py", Step.MATCHES, "illegal in the match against itself, deal 0, decision"),
    ],
)
def test_a_refusal_names_the_step_and_leaves_the_league_as_it_was(
    club: League, tmp_path: Path, text: str, step: Step, problem: str
) -> None:
    write_bot(tmp_path, "mine")
    (tmp_path / "broken.py").write_text("raise SystemExit('no model here')")
    (tmp_path / "illegal.py").write_bytes((FAULTY / "plays_illegal.py").read_bytes())
    name = "a\u202eb" if step is Step.NAME else "mine"
    said = refused(club, text, name)
    assert f"step '{step}'" in said
    assert problem.replace("U.", "U+") in said
    if text == "broken.py":
        assert "no model here" in said, "the last that it wrote"


@pytest.fixture
def home() -> Iterator[Office]:
    with office() as made:
        yield made


def test_the_commands_make_a_league_take_a_bot_and_say_who_plays(home: Office) -> None:
    home.moon("league", "init", "club", "--name", "Tuesday", "--sandbox", "basic")
    for words, code, text in [
        (("init", "club"), 3, "is there already"),
        (("submit", "./meek.py", "--league", "club"), 2, "--author: is missing"),
        (
            ("submit", "./meek.py", "--league", "club", "--author", "A", "--as", "#1"),
            2,
            "holds a #",
        ),
        (("bots", "--league", "nowhere"), 3, "moon league init"),
        (("bots", "show", "meek", "--league", "club"), 3, "it has no entries yet"),
    ]:
        assert text in home.moon("league", *words, code=code).stderr
    assert "0 entries shown" in home.out("league", "bots", "--league", "club")
