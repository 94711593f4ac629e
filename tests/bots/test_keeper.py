"""The keeper, with real processes: how they start and end, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import TypeVar

import pytest

from referee.bots import keeper_client
from referee.bots.exits import BotStartError, KeeperError
from referee.bots.keeper import processes as program
from referee.bots.keeper_client import Keeper, KeptProcess
from referee.bots.rundir import sweep_leftovers
from tests.bots.processes import (
    PATIENCE,
    children,
    faulty_bot,
    is_running,
    marked,
    memory_peak,
    open_files,
    wait_until,
)

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent.parent


async def start(keeper: Keeper, *command: str) -> KeptProcess:
    return await keeper.spawn(command, cwd=Path("/"), env={"PATH": os.environ["PATH"]})


async def written(process: KeptProcess, text: str = "\n") -> str:
    """Returns what *process* wrote to standard error once it holds *text*, or its first line."""
    async with asyncio.timeout(PATIENCE):
        while text not in (output := await process.stderr_tail()):
            pass
    return output


async def in_time(what: Awaitable[T]) -> T:
    return await asyncio.wait_for(what, PATIENCE)


async def test_a_program_that_ends_by_itself_is_reported_with_its_code_and_output(
    keeper: Keeper,
) -> None:
    process = await start(keeper, *faulty_bot("breaks_at_once"))
    report = await in_time(process.exited)
    assert (report.code, report.signal, report.killed, str(report)) == (
        1,
        None,
        False,
        "exit code 1",
    )
    assert "RuntimeError: no model file" in await process.stderr_tail()


async def test_a_program_that_a_signal_ends_is_reported_with_the_signal(keeper: Keeper) -> None:
    process = await start(keeper, *faulty_bot("ends_by_signal", "SIGSEGV"))
    report = await in_time(process.exited)
    assert (report.code, report.killed, str(report)) == (None, False, "signal SIGSEGV")


async def test_a_program_that_ended_while_the_keeper_was_held_up_was_not_killed(
    keeper: Keeper,
) -> None:
    process = await start(keeper, "sh", "-c", "echo up >&2; sleep 0.2; exit 3")
    await written(process)
    os.kill(keeper.pid, signal.SIGSTOP)
    try:
        wait_until(lambda: not is_running(process.pid), "it has ended")
        end = asyncio.create_task(process.kill())
        await asyncio.sleep(0)  # it has been told
    finally:
        os.kill(keeper.pid, signal.SIGCONT)
    await in_time(end)
    report = await in_time(process.exited)
    assert (report.code, report.killed) == (3, False)


async def test_a_program_that_ends_long_after_it_was_given_up_disturbs_nobody(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = await start(keeper, "sleep", "3600")
    late: list[dict[str, object]] = []
    hear = keeper._hear

    def hear_late(event: dict[str, object]) -> None:
        (late.append if event["event"] == "exited" else hear)(event)

    monkeypatch.setattr(keeper, "_hear", hear_late)
    await in_time(process.kill(0))
    monkeypatch.undo()
    for event in late:
        hear(event)
    other = await start(keeper, "true")
    assert (await in_time(other.exited)).code == 0


async def test_a_program_that_ignores_sigterm_is_ended_after_its_grace(keeper: Keeper) -> None:
    process = await start(keeper, *faulty_bot("ignores_sigterm"))
    await written(process, "ready")
    assert await in_time(process.kill(0.05)) == ()
    report = process.exited.result()
    assert (report.signal, report.killed) == (signal.SIGKILL, True)
    assert not is_running(process.pid)


async def test_a_program_that_heeds_sigterm_is_not_killed_harder(keeper: Keeper) -> None:
    process = await start(keeper, "sleep", "600")
    await in_time(process.kill(PATIENCE))
    assert process.exited.result().signal == signal.SIGTERM


async def test_a_stopped_program_is_ended(keeper: Keeper) -> None:
    process = await start(keeper, *faulty_bot("ends_by_signal", "SIGSTOP"))
    await written(process, "ready")
    assert await in_time(process.kill(0.05)) == ()
    assert not is_running(process.pid)


async def test_children_left_by_a_program_that_exits_are_ended_without_being_asked(
    keeper: Keeper,
) -> None:
    process = await start(keeper, *faulty_bot("leaves_children"))
    report = await in_time(process.exited)
    assert report.code == 0
    left = [int(pid) for pid in report.stdout.split()]
    assert len(left) == 2
    wait_until(lambda: not any(map(is_running, left)), "the children are gone")


@pytest.mark.parametrize("how", ["stay", "leave", "hide"])
async def test_a_process_in_a_session_of_its_own_is_ended_with_its_bot(
    keeper: Keeper, how: str
) -> None:
    arguments = {"stay": ["stay"], "leave": [], "hide": ["stay", "hide"]}[how]
    process = await start(keeper, *faulty_bot("double_forks", *arguments))
    hidden = int(await written(process))
    assert how == "leave" or is_running(hidden)
    assert await in_time(process.kill(0)) == ()
    assert not is_running(hidden)


async def test_the_end_of_one_bot_does_not_touch_the_helpers_of_another(keeper: Keeper) -> None:
    other = await start(keeper, *faulty_bot("double_forks", "stay"))
    helper = int(await written(other))
    process = await start(keeper, "sleep", "600")
    await in_time(process.kill())
    assert is_running(other.pid)
    assert is_running(helper)


async def test_what_outlives_a_program_that_was_told_to_end_is_named_and_then_ended(
    keeper: Keeper,
) -> None:
    process = await start(keeper, *faulty_bot("double_forks", "stay"))
    helper = int(await written(process))
    assert await in_time(process.kill(PATIENCE, settle=0.2)) == ()
    assert process.outlived == (helper,)
    assert not is_running(helper)

    deaf = await start(keeper, *faulty_bot("ignores_sigterm"))
    await written(deaf, "ready")
    await in_time(deaf.kill(0.05, settle=5.0))
    tidy = await start(keeper, "sleep", "600")
    await in_time(tidy.kill(PATIENCE, settle=5.0))
    assert (deaf.outlived, tidy.outlived) == ((), ()), "killed, or with nothing left"


async def test_a_fork_bomb_with_a_session_for_each_is_ended_to_the_last(keeper: Keeper) -> None:
    process = await start(keeper, *faulty_bot("fork_bomb"))
    await written(process, "ready")
    assert len(marked(keeper.directory.token)) > 50
    assert await in_time(process.kill(0)) == ()
    assert marked(keeper.directory.token) == []


async def test_fifty_megabytes_on_both_streams_stall_nobody_and_take_no_memory(
    keeper: Keeper,
) -> None:
    await in_time((await start(keeper, "true")).exited)
    before = memory_peak(keeper.pid)
    process = await start(keeper, *faulty_bot("chatters"))
    await written(process, "done complaining")
    await in_time(process.kill())
    report = process.exited.result()
    assert len(report.stdout) == len(report.stderr) == 65536
    assert report.stdout.endswith(b"line after line\ndone talking\n")
    assert memory_peak(keeper.pid) - before < 8 * 1024


async def test_a_line_of_ten_megabytes_without_an_end_stalls_nobody(keeper: Keeper) -> None:
    process = await start(keeper, *faulty_bot("long_line"))
    await written(process, "written")
    await in_time(process.kill())
    assert process.exited.result().stdout == b"x" * 65536


async def test_the_last_words_of_a_program_are_read_to_their_end(
    keeper: Keeper, tmp_path: Path
) -> None:
    process = await start(keeper, *faulty_bot("dies_complaining", str(tmp_path / "go")))
    await written(process, "ready")
    os.kill(keeper.pid, signal.SIGSTOP)  # so that the program has ended before anything is read
    (tmp_path / "go").touch()
    wait_until(lambda: not is_running(process.pid), "the program has ended")
    os.kill(keeper.pid, signal.SIGCONT)
    report = await in_time(process.exited)
    assert report.stderr == b"x" * (65536 - 8) + b"the end\n"


async def test_binary_noise_becomes_text_that_a_terminal_can_show(keeper: Keeper) -> None:
    process = await start(keeper, *faulty_bot("binary_noise"))
    report = await in_time(process.exited)
    assert report.code == 7
    assert report.stderr.startswith(bytes(range(256)))
    text = await process.stderr_tail(65536)
    assert text.endswith("caf\\xc3\\x1b[2J\\x1b]0;owned\\x07\nthe end\n")
    assert all(char.isprintable() or char in "\n\t" for char in text)


async def test_a_program_that_closes_its_output_has_not_ended(keeper: Keeper) -> None:
    process = await start(keeper, *faulty_bot("closes_its_output"))
    await written(process, "bye")
    await in_time((await start(keeper, "true")).exited)  # long enough for an end to be noticed
    assert is_running(process.pid)
    assert not process.exited.done()


async def test_a_program_gets_its_environment_and_no_open_file_of_ours(keeper: Keeper) -> None:
    command = faulty_bot("shows_itself", "two words", "$HOME;*")
    process = await keeper.spawn(command, cwd=Path("/usr"), env={"A": "ü\n="})
    report = await in_time(process.exited)
    shown = json.loads(report.stdout)
    mark = shown["env"].pop("MOON_BOT_MARK")
    assert mark.startswith(keeper.directory.token)
    assert shown["env"].pop("LC_CTYPE", None) in {None, "C.UTF-8"}  # Python's own, without LANG
    assert shown == {
        "env": {"A": "ü\n="},
        "files": [0, 1, 2],
        "cwd": "/usr",
        "input": "",
        "session": True,
        "argv": ["two words", "$HOME;*"],
    }


@pytest.mark.parametrize(
    ("command", "cwd", "problem"),
    [
        pytest.param("no_such_program", "/", "no such file", id="missing-program"),
        pytest.param("./plain", ".", "permission denied", id="not-executable"),
        pytest.param("./no_interpreter", ".", "names an interpreter", id="missing-interpreter"),
        pytest.param("./no_format", ".", "neither a binary", id="no-format"),
        pytest.param("/", "/", "permission denied", id="directory"),
        pytest.param("true", "gone", "gone does not exist", id="missing-directory"),
        pytest.param("a\0b", "/", "null", id="nul"),
    ],
)
async def test_a_program_that_cannot_be_run_is_refused_with_the_reason(
    keeper: Keeper, tmp_path: Path, command: str, cwd: str, problem: str
) -> None:
    for name, text in (("plain", "x"), ("no_interpreter", "#!/no/such\n"), ("no_format", "\x01")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o644 if name == "plain" else 0o755)
    with pytest.raises(BotStartError, match=problem) as refusal:
        await keeper.spawn([command], cwd=tmp_path / cwd, env={"PATH": os.environ["PATH"]})
    assert refusal.value.exit_code == 4
    assert children(keeper.pid) == []


async def test_many_programs_leave_no_zombie_and_no_open_file_in_the_keeper(
    keeper: Keeper,
) -> None:
    await in_time((await start(keeper, "true")).kill())
    before = open_files(keeper.pid)
    started = await asyncio.gather(*(start(keeper, "true") for _ in range(60)))
    await in_time(asyncio.gather(*(process.kill() for process in started)))
    assert open_files(keeper.pid) == before
    assert children(keeper.pid) == []


async def test_a_start_that_is_given_up_leaves_no_process(keeper: Keeper) -> None:
    starting = asyncio.ensure_future(start(keeper, "sleep", "600"))
    await asyncio.sleep(0)  # the request is on its way
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await in_time((await start(keeper, "true")).kill())  # whose requests come after those
    wait_until(lambda: children(keeper.pid) == [], "it is gone")


async def test_signals_meant_for_the_terminal_end_no_bot(keeper: Keeper) -> None:
    process = await start(keeper, "sleep", "600")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(keeper.pid, number)
    await in_time((await start(keeper, "true")).exited)
    assert is_running(process.pid)


async def test_the_death_of_the_keeper_is_our_fault_and_its_bots_end(runtime: Path) -> None:
    async with Keeper() as keeper:
        hidden = await start(keeper, *faulty_bot("double_forks", "stay"))
        child = int(await written(hidden))
        process = await start(keeper, *faulty_bot("ignores_sigterm"))
        os.kill(keeper.pid, signal.SIGKILL)
        with pytest.raises(KeeperError, match="signal 9") as failure:
            await in_time(process.exited)
        assert failure.value.exit_code == 1
        await in_time(process.kill())
        assert not any(map(is_running, (process.pid, hidden.pid, child)))
        with pytest.raises(KeeperError):
            await hidden.stderr_tail()
        with pytest.raises(KeeperError):
            await start(keeper, "true")


async def test_a_keeper_that_breaks_says_where(keeper: Keeper, runtime: Path) -> None:
    async with Keeper() as broken:
        with pytest.raises(KeeperError, match="KeyError: 'no such request'"):
            await broken.ask("no such request")


@contextlib.asynccontextmanager
async def silent_keeper(*command: str) -> AsyncIterator[tuple[Keeper, KeptProcess]]:
    """Yields a keeper that was stopped while it ran *command*, and that program."""
    async with Keeper() as keeper:
        process = await start(keeper, *command)
        keeper.silence = 0.2
        os.kill(keeper.pid, signal.SIGSTOP)
        yield keeper, process


async def test_a_keeper_that_ends_nothing_is_given_up_and_its_bots_end(runtime: Path) -> None:
    async with silent_keeper(*faulty_bot("ignores_sigterm")) as (_, process):
        await in_time(process.kill(0))
        assert not is_running(process.pid)
        with pytest.raises(KeeperError):
            process.exited.result()


async def test_a_keeper_that_starts_nothing_is_given_up_and_its_bots_end(runtime: Path) -> None:
    async with silent_keeper("sleep", "600") as (keeper, process):
        with pytest.raises(KeeperError, match=r"said nothing for 0\.2 s"):
            await in_time(start(keeper, "true"))
        await in_time(process.kill(0))
        assert not is_running(process.pid)


async def test_a_keeper_that_does_not_answer_is_given_up(runtime: Path) -> None:
    async with silent_keeper("sleep", "600") as (_, process):
        with pytest.raises(KeeperError, match=r"said nothing for 0\.2 s"):
            await in_time(process.stderr_tail())


async def test_a_stopped_keeper_without_bots_does_not_hold_up_the_end(runtime: Path) -> None:
    async with asyncio.timeout(PATIENCE), Keeper() as keeper:
        keeper.silence = 0.2
        os.kill(keeper.pid, signal.SIGSTOP)


ELSEWHERE = """
import sys
from pathlib import Path
sys.path.append(sys.argv[1])
from referee.bots.keeper import processes, service, watch
processes.PROC = watch.PROC = Path("/no/proc")
service.CAN_PEEK = False
service.main(int(sys.argv[2]), int(sys.argv[3]))
"""


async def test_a_system_without_process_files_ends_what_is_in_the_group_of_a_bot(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start_elsewhere(control: socket.socket, stderr: int) -> subprocess.Popen[bytes]:
        fd = control.fileno()
        arguments = [str(ROOT), str(fd), str(os.getpid())]
        command = [sys.executable, "-I", "-S", "-c", ELSEWHERE, *arguments]
        return subprocess.Popen(command, pass_fds=[fd], stderr=stderr, start_new_session=True)

    monkeypatch.setattr(keeper_client, "start_keeper", start_elsewhere)
    monkeypatch.setattr(program, "PROC", Path("/no/proc"))
    async with Keeper() as keeper:
        leaver = await start(keeper, *faulty_bot("leaves_children"))
        left = [int(pid) for pid in (await in_time(leaver.exited)).stdout.split()]
        stubborn = await start(keeper, *faulty_bot("ignores_sigterm"))
        await written(stubborn, "ready")
        await in_time(stubborn.kill(0.05))
        assert stubborn.exited.result().signal == signal.SIGKILL
        last = await start(keeper, "sleep", "600")
    wait_until(lambda: not any(map(is_running, [*left, last.pid])), "they are gone")


def test_a_process_that_got_the_number_of_another_is_not_ended_for_it() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        entry = program.read_process(process.pid)
        assert entry is not None
        program.kill_process(entry._replace(born=entry.born - 1))
        os.write(process.stdin.fileno(), b"alive\n")
        assert process.stdout.readline() == b"alive\n"
        program.kill_process(entry)
        assert process.wait() == -signal.SIGKILL


REFEREE = """
import asyncio, os, sys
from pathlib import Path
from referee.bots.keeper_client import Keeper

async def main(held, *commands):
    async with Keeper() as keeper:
        for command in commands:
            process = await keeper.spawn(command.split("|"), cwd=Path("/"), env={})
            while "\\n" not in await process.stderr_tail():
                pass
        if held == "settling":
            ending = asyncio.create_task(process.kill(settle=5.0))
            await process.exited
        if held == "held" and os.fork() == 0:
            sys.stdin.read()
            os._exit(0)
        print(keeper.pid, keeper.directory.token, flush=True)
        await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


def start_referee(held: str) -> tuple[subprocess.Popen[str], int, str]:
    """Starts a process that runs four bots, and returns it with its keeper and their token."""
    bots = [faulty_bot("ignores_sigterm")] * 2 + [faulty_bot("double_forks", "stay")]
    referee = subprocess.Popen(
        [sys.executable, "-c", REFEREE, held, *map("|".join, bots)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert referee.stdout is not None
    keeper, token = referee.stdout.readline().split()
    return referee, int(keeper), token


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("held", ["alone", "held", "settling"])
def test_no_bot_outlives_its_referee(runtime: Path, number: int, held: str) -> None:
    # "held": another process that the referee forked keeps its end of the conversation open.
    # "settling": it has ended a bot, and lets what that left run on for a while.
    referee, keeper, token = start_referee(held)
    with referee:
        assert len(marked(token)) == (3 if held == "settling" else 4)
        referee.send_signal(number)
        wait_until(lambda: not marked(token), "the bots are gone")
        wait_until(lambda: not is_running(keeper), "the keeper is gone")
    wait_until(lambda: sweep_leftovers() == (token.rstrip("."),), "its directory is given up")
