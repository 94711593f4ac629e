"""The command line from outside: names, help, and what becomes of each kind of error."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import click
import pexpect
import pytest

from referee.errors import (
    BotError,
    ConfigError,
    MoonError,
    NotFoundError,
    StoreError,
    VerificationError,
)
from tournaments.cli.lazy import LazyGroup
from tournaments.cli.main import main, moon

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"google", "grpc", "moon", "msgspec", "numpy", "rich", "sqlalchemy", "trueskill"}

INTERRUPTED_IMPORT = """
import sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
from tournaments.cli.entry import main
sys.exit(main())
"""
PROGRAM = """
import os, signal, sys
import click
from tournaments.cli.main import main, moon
from tournaments.cli.terminal import console

@moon.command()
def tomorrow():
    print("ready", flush=True)
    signal.pause()

@moon.command()
def forever():
    while True:
        click.echo("one more line")

@moon.command()
def paint():
    console().print("made", style="bold red")
    click.secho("set", fg="red")

sys.exit(main())
"""


def run(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def modules_imported_by(*arguments: str, env: dict[str, str] | None = None) -> set[str]:
    answer = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tournaments.cli.main", *arguments],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in answer.stderr.splitlines() if line.startswith("import time:")]
    assert lines, answer.stderr
    return {line.rpartition("|")[2].strip() for line in lines}


def every_group(group: LazyGroup = moon) -> list[LazyGroup]:
    found = [group]
    for row in group.lazy.values():
        command = row.load()
        if isinstance(command, LazyGroup):
            found += every_group(command)
    return found


def command_that_raises(error: BaseException) -> click.Command:
    def callback() -> None:
        raise error

    return click.Command("fall", callback=callback)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["nonsense"], ["completion", "bash"]], ids=" ".join
)
def test_what_needs_no_bot_imports_nothing_heavy(arguments: list[str]) -> None:
    loaded = modules_imported_by(*arguments)
    assert not {name.partition(".")[0] for name in loaded} & HEAVY
    assert {name for name in loaded if name.startswith("tournaments.cli.")} <= {
        "tournaments.cli.completion",
        "tournaments.cli.lazy",
    }


def test_a_shell_that_asks_for_names_gets_them_without_importing_a_command() -> None:
    env = {"_MOON_COMPLETE": "bash_complete", "COMP_WORDS": "moon ", "COMP_CWORD": "1"}
    offered = [line.partition(",")[2] for line in run(env=env).stdout.split()]
    assert offered[: len(moon.lazy)] == list(moon.lazy)
    loaded = modules_imported_by(env=env)
    assert not {name.partition(".")[0] for name in loaded} & HEAVY


def test_every_name_in_every_table_is_a_command_that_exists() -> None:
    for group in every_group():
        for name, row in group.lazy.items():
            assert isinstance(row.load(), click.Command), name
            assert row.help.endswith("."), name


def test_help_lists_the_commands_in_the_order_of_the_table() -> None:
    listing = run("--help").stdout.partition("Commands:\n")[2]
    assert [line.split()[0] for line in listing.splitlines()] == [
        *moon.lazy,
        "tomorrow",
        "forever",
        "paint",
    ]


def test_the_version_is_that_of_the_installed_distribution(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"moon, version {version('moon-league')}\n"


@pytest.mark.parametrize(
    ("arguments", "hint"), [(["tornament"], "'tournament'"), (["--colour=never"], "'--color'")]
)
def test_a_typo_is_answered_with_the_nearest_name(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert hint in said.err
    assert said.err.startswith("Usage: moon ")
    assert said.out == ""


def test_no_command_shows_the_help_and_counts_as_wrong_usage(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 2
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (MoonError("no"), 1, "moon: no\n"),
        (ConfigError("a.toml", "seed", "is empty"), 2, "moon: a.toml: seed: is empty\n"),
        (ConfigError(None, None, "is empty"), 2, "moon: is empty\n"),
        (NotFoundError("no bot"), 3, "moon: no bot\n"),
        (StoreError("no file"), 3, "moon: no file\n"),
        (BotError("it died"), 4, "moon: it died\n"),
        (VerificationError("deal 3 differs"), 5, "moon: deal 3 differs\n"),
        (StoreError("in use", locked=True), 75, "moon: in use\n"),
        (KeyboardInterrupt(), 130, "moon: interrupted\n"),
        (click.FileError("x", "gone"), 3, "moon: Could not open file 'x': gone\n"),
    ],
)
def test_a_foreseen_error_is_one_line_and_its_exit_code(
    error: BaseException,
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(moon.commands, "fall", command_that_raises(error))
    assert main(["fall"]) == code
    said = capsys.readouterr()
    assert said.err == line
    assert said.out == ""


@pytest.mark.parametrize("error", [ZeroDivisionError("oops"), BrokenPipeError(32, "a bot's pipe")])
def test_an_unforeseen_error_is_called_a_bug_and_shows_where(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(moon.commands, "fall", command_that_raises(error))
    assert main(["fall"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("moon: this is a bug in moon")
    assert "Traceback" in said
    assert str(error) in said


def test_the_exit_code_that_a_command_returns_is_that_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(moon.commands, "fall", click.Command("fall", callback=lambda: 6))
    assert main(["fall"]) == 6


def test_ctrl_c_ends_with_130_and_no_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "tomorrow"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGINT)
        _, said = program.communicate()
    assert (program.returncode, said) == (130, "moon: interrupted\n")


def test_a_reader_that_leaves_ends_the_program_without_a_word() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "forever"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "one more line\n"
        program.stdout.close()
        assert program.stderr is not None
        assert program.stderr.read() == ""
    assert program.returncode == 141


@pytest.mark.parametrize(
    ("arguments", "env", "colored"),
    [
        (["paint"], {}, False),
        (["paint"], {"NO_COLOR": "1"}, False),
        (["paint"], {"FORCE_COLOR": "1"}, True),
        (["--color=always", "paint"], {"NO_COLOR": "1"}, True),
        (["--color=never", "paint"], {"FORCE_COLOR": "1"}, False),
        (["paint"], {"MOON_COLOR": "always", "TERM": "dumb"}, True),
    ],
)
def test_a_pipe_gets_escapes_only_when_they_are_asked_for(
    arguments: list[str], env: dict[str, str], colored: bool
) -> None:
    answer = run(*arguments, env=env)
    assert answer.stderr == ""
    for line, word in zip(answer.stdout.splitlines(), ("made", "set"), strict=True):
        assert word in line
        assert ("\x1b[" in line) is colored


@pytest.mark.parametrize(
    ("env", "colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_a_terminal_gets_escapes_unless_it_asks_for_none(
    env: dict[str, str], colored: bool
) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-c", PROGRAM, "paint"],
        cwd=str(ROOT),
        env={**os.environ, **env},
        encoding="utf-8",
    )
    screen = child.read()
    child.close()
    assert child.exitstatus == 0, screen
    assert [word in screen for word in ("made", "set")] == [True, True]
    assert ("\x1b[" in screen) is colored


def test_ctrl_c_while_the_commands_are_imported_is_told_without_a_traceback() -> None:
    script = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["moon"]
    assert f"from {script.replace(':', ' import ')}\n" in INTERRUPTED_IMPORT, "this is the command"
    words = [sys.executable, "-c", INTERRUPTED_IMPORT]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "moon: interrupted\n")
