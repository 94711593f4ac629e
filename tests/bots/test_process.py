"""A bot as a process of its own: what it is given, how it ends, and what is left of it."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from referee.bots.build import BUILD_LIMIT, build_bots
from referee.bots.exits import BotStartError, KeeperError
from referee.bots.keeper.processes import read_process
from referee.bots.keeper_client import GRACE, Keeper
from referee.bots.process import BotProcess
from referee.bots.rundir import SOCKET_PATH_LIMIT, RunDirectory, remove_tree, sweep_leftovers
from referee.bots.sandbox import Tier
from referee.bots.spec import BotKind, BotSpec, parse_bot
from referee.errors import BotError, ConfigError, MoonError
from referee.sdk.program import LEAVE_WITHIN
from tests.bots.processes import PATIENCE, faulty_bot, is_running, marked, wait_until

ROOT = Path(__file__).resolve().parent.parent.parent


def command(*words: str) -> BotSpec:
    return BotSpec("a bot", BotKind.COMMAND, command=words, cwd=ROOT)


def faulty(name: str, *arguments: str) -> BotSpec:
    return command(*faulty_bot(name, *arguments))


async def shown(process: BotProcess) -> dict[str, object]:
    report = await process.wait_exited(PATIENCE)
    assert report is not None
    assert report.code == 0, process.stderr_tail()
    answer: dict[str, object] = json.loads(report.stdout)
    return answer


HOLDS_A_FOLDER = """
import time
from referee.bots.rundir import temporary_folder
with temporary_folder() as folder:
    print(folder, flush=True)
    time.sleep(600)
"""


def test_a_signal_that_ends_the_program_leaves_no_temporary_folder() -> None:
    """As while a sandbox is tried, when nobody heeds signals yet."""
    words = [sys.executable, "-c", HOLDS_A_FOLDER]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        folder = Path(holder.stdout.readline().strip())
        assert folder.is_dir()
        holder.terminate()
        assert holder.wait(PATIENCE) == 128 + signal.SIGTERM
    assert not folder.exists()


@pytest.fixture
async def spaces(keeper: Keeper) -> AsyncIterator[Callable[[], list[Path]]]:
    """What lists the directories of the bots that live now."""
    yield lambda: [path for path in keeper.directory.path.iterdir() if path.is_dir()]
    assert not [path for path in keeper.directory.path.iterdir() if path.is_dir()]


async def test_a_bot_gets_an_environment_made_from_nothing(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOON_STORE", "HTTPS_PROXY", "SECRET", "PYTHONSTARTUP"):
        monkeypatch.setenv(name, "none of its business")
    spec = replace(faulty("shows_itself"), params=(("risk", "0.3"), ("x", "a b")))
    async with BotProcess(spec, keeper) as process:
        environment = (await shown(process))["env"]
    assert isinstance(environment, dict)
    place = process.target.removeprefix("unix:").removesuffix("/s")
    path = environment.pop("PATH").split(os.pathsep)
    assert path[0] == str(Path(sys.executable).parent)
    assert environment.pop("MOON_BOT_MARK").startswith(keeper.directory.token)
    environment.pop("LD_LIBRARY_PATH", None)
    roots = environment.pop("PYTHONPATH", "").split(os.pathsep)
    assert str(Path.home()) not in roots
    assert environment == {
        "HOME": f"{place}/home",
        "TMPDIR": f"{place}/tmp",
        "LANG": "C.UTF-8",
        "MOON_BOT_LISTEN": f"unix:{place}/s",
        "MOON_PROTOCOL": "moon.v1",
        "DOTNET_USE_POLLING_FILE_WATCHER": "1",
        "MOON_BOT_PARAM_RISK": "0.3",
        "MOON_BOT_PARAM_X": "a b",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


async def test_a_bot_that_is_no_python_program_gets_no_python_settings(keeper: Keeper) -> None:
    async with BotProcess(command("env"), keeper) as process:
        report = await process.wait_exited(PATIENCE)
    assert report is not None
    assert b"MOON_BOT_LISTEN" in report.stdout
    assert b"PYTHON" not in report.stdout


async def test_a_bots_own_python3_can_import_what_a_bot_may_import(
    keeper: Keeper, tmp_path: Path
) -> None:
    (tmp_path / "bot.toml").write_text(
        'name = "b"\nversion = "1"\nrun = ["python3", "-c", "import moon.v1, referee.rules, grpc"]'
    )
    async with BotProcess(parse_bot(".", tmp_path), keeper) as process:
        report = await process.wait_exited(PATIENCE)
        assert report is not None
        assert report.code == 0, process.stderr_tail()


async def test_a_bot_runs_in_its_folder_or_else_in_its_own_home(keeper: Keeper) -> None:
    async with BotProcess(faulty("shows_itself"), keeper) as process:
        assert (await shown(process))["cwd"] == str(ROOT)
    async with BotProcess(replace(faulty("shows_itself"), cwd=None), keeper) as process:
        home = process.target.removeprefix("unix:").removesuffix("/s") + "/home"
        assert (await shown(process))["cwd"] == home


async def test_a_bot_has_a_place_of_its_own_that_is_closed_to_others_and_removed(
    keeper: Keeper, spaces: Callable[[], list[Path]]
) -> None:
    async with (
        BotProcess(command("sleep", "600"), keeper) as one,
        BotProcess(command("sleep", "600"), keeper) as other,
    ):
        assert one.target != other.target
        assert len(spaces()) == 2
        for path in (*spaces(), *(p for space in spaces() for p in space.iterdir())):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
        await one.stop()
        assert len(spaces()) == 1
        await one.stop()


def test_a_bot_has_the_time_to_leave_that_authors_are_promised_and_the_sdk_needs_less() -> None:
    promise = (ROOT / "proto/README.md").read_text()
    assert "SIGTERM and, two seconds later, SIGKILL" in promise
    assert GRACE == 2.0
    assert LEAVE_WITHIN < GRACE


async def test_a_bot_that_breaks_at_once_is_reported_with_its_traceback(keeper: Keeper) -> None:
    async with BotProcess(faulty("breaks_at_once"), keeper) as process:
        report = await process.wait_exited(PATIENCE)
        assert report is not None
        assert process.exit_status == "exit code 1"
        assert "RuntimeError: no model file" in process.stderr_tail()
        assert process.stderr_tail(5) == "file\n"


async def test_a_bot_that_exits_with_zero_is_noticed_like_any_other(keeper: Keeper) -> None:
    called = asyncio.Event()
    async with BotProcess(faulty("leaves_children"), keeper) as process:
        process.on_exit(called.set)
        await asyncio.wait_for(called.wait(), PATIENCE)
        assert process.exit_status == "exit code 0"


async def test_a_bot_that_we_ended_has_no_exit_status_of_its_own(keeper: Keeper) -> None:
    async with BotProcess(command("sleep", "600"), keeper) as process:
        assert await process.wait_exited(0) is None
        assert (process.exit_status, process.stderr_tail()) == ("", "")
    assert process.exit_status == ""
    assert process.report is not None
    assert process.report.killed


async def test_a_bot_is_not_to_blame_for_a_directory_of_ours_that_was_closed(
    keeper: Keeper,
) -> None:
    async with BotProcess(command("sleep", "600"), keeper) as process:
        directory = Path(process.target.removeprefix("unix:")).parents[1]
        process.check_room()
        mode = stat.S_IMODE(directory.stat().st_mode)
        directory.chmod(0o600)
        try:
            with pytest.raises(KeeperError, match=f"was closed: {directory}"):
                process.check_room()
        finally:
            directory.chmod(mode)
        process.check_room()


async def test_what_a_running_bot_complains_of_can_be_read(keeper: Keeper) -> None:
    async with (
        BotProcess(command("sh", "-c", "echo help >&2; exec sleep 600"), keeper) as process,
        asyncio.timeout(PATIENCE),
    ):
        while await process.recent_stderr() != "help\n":
            assert process.report is None


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("python9", "bot.py"), "a bot: cannot run 'python9' in .*: no such file or directory"),
        (("./LICENSE",), "a bot: cannot run './LICENSE' in .*: permission denied"),
    ],
)
async def test_a_bot_that_cannot_be_run_is_refused_by_name_and_leaves_nothing(
    keeper: Keeper, spaces: Callable[[], list[Path]], words: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(BotStartError, match=problem):
        await BotProcess(command(*words), keeper).start()
    assert spaces() == []


async def test_the_loss_of_the_keeper_is_never_shown_as_the_end_of_a_bot(runtime: Path) -> None:
    async with Keeper() as keeper, BotProcess(command("sleep", "600"), keeper) as process:
        ended: list[str] = []
        process.on_exit(lambda: ended.append("no, it was we"))
        os.kill(keeper.pid, signal.SIGKILL)
        with pytest.raises(KeeperError):
            await process.wait_exited(PATIENCE)
        with pytest.raises(KeeperError):
            _ = process.exit_status
        assert ended == []


# Directories.


async def test_what_a_bot_leaves_in_its_home_is_removed_and_no_link_is_followed(
    keeper: Keeper, spaces: Callable[[], list[Path]], tmp_path: Path
) -> None:
    (tmp_path / "precious").write_text("kept")
    async with BotProcess(faulty("litters_its_home", str(tmp_path)), keeper) as process:
        report = await process.wait_exited(PATIENCE)
        assert report is not None
        assert report.stdout == b"ready\n", process.stderr_tail()
    assert spaces() == []
    assert (tmp_path / "precious").read_text() == "kept"


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, if we have them: root may enter locked directories."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_locked_directories_are_removed_by_an_owner_without_special_rights() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        with as_nobody():
            top = Path(name, "top")
            (top / "locked" / "inner").mkdir(parents=True)
            (top / "locked" / "inner" / "file").write_text("x")
            for path in (top / "locked" / "inner", top / "locked", top):
                path.chmod(0)
            remove_tree(top)
            assert not top.exists()


def test_a_link_in_the_place_of_a_directory_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "file").write_text("kept")
    (tmp_path / "link").symlink_to("target")
    remove_tree(tmp_path / "link")
    assert (tmp_path / "target" / "file").exists()


def test_the_path_of_a_socket_fits_or_the_reason_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("x" * SOCKET_PATH_LIMIT)
    deep.mkdir()
    with pytest.raises(MoonError, match=r"too long for the path of a socket.*set TMPDIR"):
        RunDirectory.make(deep)
    with tempfile.TemporaryDirectory(prefix="m") as short:
        monkeypatch.setattr(tempfile, "tempdir", short)
        for unusable in (str(deep), "/no/such/directory", "not/absolute"):
            monkeypatch.setenv("XDG_RUNTIME_DIR", unusable)
            directory = RunDirectory.make()
            assert directory.path.parent == Path(short)
            assert len(os.fsencode(directory.place().socket)) < SOCKET_PATH_LIMIT
            directory.remove()


def test_nowhere_to_make_a_directory_is_said_with_the_reason() -> None:
    with pytest.raises(MoonError, match=r"/proc: .*set TMPDIR"):
        RunDirectory.make(Path("/proc"))


def dead_pid() -> int:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


def plant(base: Path, name: str) -> Path:
    path = base / name
    path.mkdir(mode=0o700)
    (path / "lock").touch()
    (path / "1").mkdir()
    return path


def test_only_what_a_dead_owner_left_is_swept(tmp_path: Path) -> None:
    mine = RunDirectory.make_in(tmp_path)
    dead = plant(tmp_path, f"moon-{dead_pid()}-1-aaaaaa")
    reused = plant(tmp_path, f"moon-{os.getpid()}-1-aaaaaa")
    me = read_process(os.getpid())
    assert me is not None
    unlocked = plant(tmp_path, f"moon-{me.pid}-{me.born}-eeeeee")
    half = plant(tmp_path, f"moon-{dead_pid()}-1-bbbbbb")
    (half / "lock").unlink()
    kept = [mine.path, unlocked, plant(tmp_path, "moon-x"), plant(tmp_path, "moonlight-1-1-aaaaaa")]
    held = plant(tmp_path, f"moon-{dead_pid()}-1-cccccc")
    link = tmp_path / f"moon-{dead_pid()}-1-dddddd"
    link.symlink_to(plant(tmp_path, "elsewhere"))
    with (held / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert set(sweep_leftovers(tmp_path)) == {dead.name, reused.name, half.name}
    assert all(path.exists() for path in (*kept, held, link, link / "1"))
    assert not any(path.exists() for path in (dead, reused, half))
    mine.remove()


def test_bots_of_a_dead_owner_are_ended_before_their_directory_goes(tmp_path: Path) -> None:
    left = plant(tmp_path, f"moon-{dead_pid()}-1-abcdef")
    environment = {"MOON_BOT_MARK": f"{left.name}.7"}
    other = {"MOON_BOT_MARK": f"{left.name}0.7"}
    with (
        subprocess.Popen(["sleep", "600"], env=environment, start_new_session=True) as bot,
        subprocess.Popen(["sleep", "600"], env=other, start_new_session=True) as neighbour,
    ):
        wait_until(lambda: marked(f"{left.name}.") == [bot.pid], "it runs")
        try:
            assert sweep_leftovers(tmp_path) == (left.name,)
            assert bot.wait(PATIENCE) == -signal.SIGKILL
            assert is_running(neighbour.pid)
        finally:
            bot.kill()
            neighbour.kill()


# Builds.


def buildable(tmp_path: Path, *build: str, name: str = "b") -> BotSpec:
    words = json.dumps(list(build))
    text = f'name = "{name}"\nversion = "1"\nrun = ["./run"]\nbuild = {words}\n'
    (tmp_path / "bot.toml").write_text(text)
    return parse_bot(".", tmp_path)


async def build(
    specs: list[BotSpec], tier: Tier = Tier.BASIC, limit: float = BUILD_LIMIT
) -> list[str]:
    """Builds *specs* and returns what was said of it."""
    said: list[str] = []
    await build_bots(specs, tier, said.append, limit=limit)
    return said


def built(folder: Path) -> bool:
    return (folder / "log").exists()


async def test_a_build_is_told_of_and_refused_where_bots_are_strangers(
    runtime: Path, tmp_path: Path
) -> None:
    spec = buildable(tmp_path, "sh", "-c", "echo built >> log")
    with pytest.raises(ConfigError, match="would run with your rights, which nothing of a bot"):
        await build([spec], Tier.HARDENED)
    assert not built(tmp_path)
    assert await build([spec]) == [
        f"building b with your rights: sh -c 'echo built >> log' in {tmp_path}"
    ]
    assert await build([command("true")], Tier.HARDENED) == []


async def test_a_build_runs_once_for_all_bots_of_its_folder(runtime: Path, tmp_path: Path) -> None:
    spec = buildable(tmp_path, "sh", "-c", "echo built >> log")
    await build([spec, replace(spec, params=(("x", "1"),)), command("true")])
    assert (tmp_path / "log").read_text() == "built\n"


async def test_a_build_has_the_users_environment_without_our_secrets(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOFLAGS", "-mod=vendor")
    monkeypatch.setenv("MOON_STORE", "postgresql://me:hunter2@host/db")
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    await build([buildable(tmp_path, "sh", "-c", "env > log")])
    log = (tmp_path / "log").read_text()
    assert "GOFLAGS=-mod=vendor" in log
    assert "hunter2" not in log


async def test_a_build_that_fails_is_refused_with_what_it_printed(
    runtime: Path, tmp_path: Path
) -> None:
    spec = buildable(tmp_path, "sh", "-c", "echo compiling; echo bot.c:1: oops >&2; exit 3")
    with pytest.raises(BotError, match=r"^b: the build .* failed with exit code 3\n") as failure:
        await build([spec])
    assert str(failure.value).endswith("compiling\nbot.c:1: oops")
    assert failure.value.exit_code == 4


async def test_a_build_that_takes_too_long_is_ended_with_its_children(
    runtime: Path, tmp_path: Path
) -> None:
    spec = buildable(tmp_path, "sh", "-c", "sleep 600 & echo $! > pid; wait")
    with pytest.raises(BotError, match=r"took more than 0\.5 s"):
        await build([spec], limit=0.5)
    assert not is_running(int((tmp_path / "pid").read_text()))


async def test_a_build_command_that_is_missing_is_named(runtime: Path, tmp_path: Path) -> None:
    with pytest.raises(BotError, match="cannot be started: cannot run 'no_such_make'"):
        await build([buildable(tmp_path, "no_such_make")])
