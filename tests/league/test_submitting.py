"""`moon league submit`: who passes every step is entered, and nobody else leaves a trace."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from tests.league.leagues import entered, make, snapshot, with_terms, write_bot
from tournaments.cli.main import main
from tournaments.league.folder import League
from tournaments.league.submitting import Step, SubmissionRefusedError, submit

ZOO = Path(__file__).parents[1] / "zoo" / "programs"
QUICKLY = ("first-bid",)
"""The steps of the check that are taken here; the check has tests of its own."""


@pytest.fixture
def club(tmp_path: Path) -> League:
    return with_terms(make(tmp_path / "club"), deals="1", move_time='"20s"', build_time='"60s"')


def refused(league: League, text: str, name: str = "mine", author: str | None = "Ann") -> str:
    """Returns what whoever submits *text* in vain is told, when nothing was changed by it."""
    before = snapshot(league.folder)
    with pytest.raises(SubmissionRefusedError) as error:
        asyncio.run(
            submit(league, text, league.folder.parent, name=name, author=author, checks=QUICKLY)
        )
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


ILLEGAL = """\
from referee.rules import TILES
from referee.sdk import Bot, serve

class Illegal(Bot):
    def bid(self, view):
        return view.legal[-1]

    def play(self, view):
        return next(tile for tile in TILES if tile not in view.hand)

serve(Illegal())
"""
BUILD = """\
cp bot.txt bot.py
mkdir lib && echo 'RISK = 3' > lib/know.py
echo built > "$HOME/rest" && echo built > "$TMPDIR/rest"
"""


@pytest.mark.timeout(900)
def test_a_bot_that_has_to_be_built_is_built_once_plays_and_is_entered_as_it_came_out(
    club: League, tmp_path: Path
) -> None:
    text = folder_bot(tmp_path / "made", BUILD)
    (tmp_path / "made" / "bot.txt").write_bytes(write_bot(tmp_path, "mine").read_bytes())
    said: list[str] = []
    done = asyncio.run(submit(club, text, tmp_path, author="Ann", say=said.append, checks=QUICKLY))
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


def zoo_bot(folder: Path, *run: str) -> str:
    shutil.copytree(ZOO, folder, ignore=shutil.ignore_patterns("__pycache__"))
    toml = f'name = "zoo"\nversion = "1"\nrun = {json.dumps(["python3", *run])}\n'
    (folder / "bot.toml").write_text(toml)
    return f"./{folder.name}"


@pytest.mark.parametrize(
    ("text", "step", "problem"),
    [
        ("cmd:python3 bot.py", Step.FILES, "a command has no files that can be frozen"),
        ("grpc://host:1", Step.FILES, "a remote bot has no files"),
        ("counter / greedy", Step.FILES, "an entrant of two halves is two bots; submit one"),
        ("./nowhere", Step.FILES, "there is no"),
        ("./mine.py", Step.NAME, "U+202E"),
    ],
)
def test_what_cannot_be_frozen_or_named_is_refused_before_anything_runs(
    club: League, tmp_path: Path, text: str, step: Step, problem: str
) -> None:
    write_bot(tmp_path, "mine")
    said = refused(club, text, "a\u202eb" if step is Step.NAME else "mine")
    assert f"step '{step}'" in said
    assert problem in said


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("run", "step", "problem"),
    [
        pytest.param(
            ("beginnings.py", "exits-3"),
            Step.CHECK,
            "step 2, starts within its budget: ended",
            id="never-starts",
        ),
        pytest.param(("http2.py", "exits-0"), Step.CHECK, "bids with an empty", id="crashes"),
        pytest.param((), Step.MATCHES, "illegal in the match against itself, deal 0", id="illegal"),
    ],
)
def test_a_bot_at_fault_is_refused_at_the_step_that_finds_it_and_leaves_nothing(
    club: League, tmp_path: Path, run: tuple[str, ...], step: Step, problem: str
) -> None:
    text = zoo_bot(tmp_path / "faulty", *run) if run else "./illegal.py"
    (tmp_path / "illegal.py").write_text(ILLEGAL)
    said = refused(club, text)
    assert f"step '{step}'" in said
    assert problem in said
    assert ("moon bot check" if step is Step.CHECK else "moon play") in said


def test_the_commands_make_a_league_and_say_who_is_in_it_and_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_bot(tmp_path, "mine")
    assert main(["league", "init", "club", "--name", "Tuesday", "--sandbox", "basic"]) == 0
    entered(League.open(tmp_path / "club"), write_bot(tmp_path, "tall"), "tall")
    for line, code, text in [
        ("init club", 3, "is there already"),
        ("submit ./mine.py", 3, "moon league init"),
        ("submit ./mine.py --league club", 2, "--author: is missing; say whose mine is"),
        ("submit ./mine.py --league club --author A --as #1", 2, "holds a #"),
        ("bots disqualify tall --league club", 2, "Missing option '--why'"),
        ("bots show small --league club", 3, "no entry 'small'"),
    ]:
        assert main(["league", *line.split()]) == code
        assert text in capsys.readouterr().err
    monkeypatch.chdir(tmp_path / "club" / "nights")
    assert main(["league", "bots", "disqualify", "tall", "--why", "it signalled"]) == 0
    assert main(["league", "bots", "--json"]) == 0
    out = capsys.readouterr().out
    [row] = json.loads(out[out.index("{") :])["entries"]
    assert (row["entry"], row["status"]) == ("tall#1", "disqualified")
    assert row["reason"] == "it signalled"
    assert main(["league", "bots", "restore", "tall", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["entry"], document["status"]) == (
        "moon.league.bots.restore/1", "tall#1", "active",
    )  # fmt: skip
    assert main(["league", "bots", "show", "tall"]) == 0
    shown = capsys.readouterr().out
    assert [line.partition("Z  ")[2] for line in shown.splitlines() if "Z  " in line] == [
        "entered",
        "disqualified: it signalled",
        "restored",
    ]
