"""What is left of runs that are killed again and again: everything.

    python benchmarks/kill.py [--kills 200] [--tables 240] [--seed 1] [--workers 2]

Plays a tournament through, then the same one with `kill -9` at random moments of a random process
(the runner, a worker or a keeper, or all of them at once), continued each time; and from the start
again with another store until there were enough kills. It compares what all say: the standings
(measured times apart), every record, and the fingerprint. Every table that a run had announced as
stored must be in the store with what was announced. After each kill it looks how long anybody lives
that nobody keeps any more. Exits with 1 if anything differs, or lives for too long; a machine that
is busy with other things takes longer than one that is not.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from referee.errors import StoreError
from tests.e2e.events import Run
from tests.e2e.league import League, league
from tests.e2e.processes import Process, belonging_to, below, command_line, running
from tournaments.results import TableResult
from tournaments.store import Store

INSIDERS = ("inproc:dice:Dice", "inproc:tall:Tall")
"""Two bots inside the workers, so that a run is soon in the middle of its tables again."""
BOTS = {
    "hides": ("runner", "worker", "keeper"),
    "leaves": ("runner", "worker", "keeper", "everybody"),
}
"""By bot: who is killed while it plays. Both leave a process outside of their session; the one that
hides takes the mark off it, so that only those above still know it."""
TABLES_A_ROUND = 6
GONE = 1.0
"""Seconds within which everybody has to be gone."""
PATIENCE = 30.0
COMING_UP = 2.0
"""Seconds in which a bot that nobody keeps may start somebody still."""

BOT = """
import os, sys, time
from referee.sdk import Bot, serve

class Leaver(Bot):
    name = "{name}"

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(3):
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        words = [sys.executable, "-c", "import time; time.sleep(600)"]
        os.execve(words[0], words, {variables})
    os._exit(0)
serve(Leaver())
"""


class Trial:
    """One tournament that is killed again and again, until it is played."""

    def __init__(self, home: League, bot: str, store: Path, rng: random.Random) -> None:
        self.kills: Counter[str] = Counter()
        self.gone: dict[str, list[float]] = {}
        self.announced: dict[int, dict[str, object]] = {}
        self.complaints: list[str] = []
        self._left: set[Process] = set()
        self._home, self._store, self._rng = home, store, rng
        self._file, self._victims = home.folder / f"{bot}.toml", BOTS[bot]

    def play(self, kills: int, tables: int) -> None:
        """Plays to the end, and kills at most so often on the way."""
        for _ in range(kills + 10):
            run = Run(self._home, self._file, "--store", self._store)
            while self.kills.total() < kills and not run.has_ended:
                if self._rng.random() < 0.5:  # else it may be killed while it comes up
                    run.wait_for(len(run.announced) + self._rng.randrange(1, tables // 24))
                run.wait(self._rng.uniform(0.0, 2.0))
                if not run.has_ended and not self._kill_one(run):
                    break
            code = run.end()
            self._check(run)
            if code == 0:
                return
            if code not in (1, -signal.SIGKILL):
                self.complaints.append(f"it ended with {code}: {run.said}")
                return
        self.complaints.append("it does not come to an end")

    def _kill_one(self, run: Run) -> bool:
        """Kills somebody, and returns whether the run goes on."""
        victim = self._rng.choice(self._victims)
        runner = run.process.pid
        workers = [p for p in below(runner) if "runner.worker" in command_line(p.pid)]
        keepers = [p for p in below(runner) if "keeper/__main__.py" in command_line(p.pid)]
        everybody = [*below(runner)]
        match victim:
            case "runner":
                struck, doomed = [runner], everybody
            case "everybody":
                # Nobody is left who could end the bots; the next run does that, by their marks.
                struck, doomed = [runner, *(p.pid for p in (*workers, *keepers))], []
            case _:
                found = workers if victim == "worker" else keepers
                if not found:
                    return True
                chosen = self._rng.choice(found)
                struck, doomed = [chosen.pid], [chosen, *below(chosen.pid)]
        for number in (signal.SIGSTOP, signal.SIGKILL):  # nobody sees another one die
            for pid in struck:
                send(pid, number)
        self.kills[victim] += 1
        if victim == "runner":
            run.process.wait()
            doomed = [*doomed, *(belonging_to(self._home.folder) - self._left)]
        elif victim == "everybody":
            run.process.wait()
            self._note_who_is_left()
        self._wait_gone(victim, set(doomed) - self._left)
        return victim in ("worker", "keeper")

    def _note_who_is_left(self) -> None:
        """Takes note of those that nobody keeps until a run comes so far as to sweep.

        A bot that was coming up when everybody was killed may start somebody still.
        """
        until = time.monotonic() + COMING_UP
        while time.monotonic() < until:
            self._left |= belonging_to(self._home.folder)
            time.sleep(0.05)

    def _wait_gone(self, victim: str, doomed: Iterable[Process]) -> None:
        began = time.monotonic()
        left = set(doomed)
        while left := left & running().keys():
            if time.monotonic() - began > PATIENCE:
                names = sorted(command_line(process.pid) for process in left)
                self.complaints.append(f"a killed {victim} left running: {names}")
                self._left |= left
                break
            time.sleep(0.01)
        self.gone.setdefault(victim, []).append(time.monotonic() - began)

    @property
    def slowest(self) -> float:
        """The longest that anybody lived on after a kill, in seconds."""
        return max((max(times) for times in self.gone.values()), default=0.0)

    def _check(self, run: Run) -> None:
        """Compares what was announced with what is stored."""
        stored = read(self._store)
        for event in run.announced:
            number = int(str(event["number"]))
            if number in self.announced:
                self.complaints.append(f"table {event['table']} was announced twice")
            self.announced[number] = event
        for number, event in self.announced.items():
            result = stored.get(number)
            if result is None:
                self.complaints.append(f"table {event['table']} was announced and is lost")
            elif [list(result.scores), list(result.places)] != [event["scores"], event["places"]]:
                self.complaints.append(f"table {event['table']} is stored with another result")


def main() -> int:
    options = _options()
    rng = random.Random(options.seed)
    began = time.monotonic()
    trials: list[Trial] = []
    good, kills = True, 0
    with league() as home:
        expected = {bot: play_through(home, bot, options) for bot in BOTS}
        while kills < options.kills:
            bot = list(BOTS)[len(trials) % 2]
            store = home.folder / f"killed-{len(trials)}.sqlite"
            trials.append(trial := Trial(home, bot, store, rng))
            trial.play(options.kills - kills, options.tables)
            kills += trial.kills.total()
            good = report(trial, expected[bot], told(home, store)) and good
        home.check_nothing_runs()
        leftovers = [path.name for path in home.folder.glob("moon-*")]
    total = sum((trial.kills for trial in trials), Counter())
    announced = sum(len(trial.announced) for trial in trials)
    print(f"\n{total.total()} kills ({', '.join(f'{n} {who}' for who, n in total.items())})")
    print(f"{announced} tables were announced, and all are stored once: {'yes' if good else 'NO'}")
    for who in BOTS["leaves"]:
        if times := sorted(t for trial in trials for t in trial.gone.get(who, ())):
            middle = times[len(times) // 2]
            print(f"after the kill of {who}: {middle:.2f} s (median), {times[-1]:.2f} s (most)")
    slowest = max(trial.slowest for trial in trials)
    print(f"all gone at most {slowest:.2f} s after a kill (allowed: {GONE:g} s)")
    print(
        f"directories left: {leftovers or 'none'}; {time.monotonic() - began:.0f} s in all; ",
        end="",
    )
    print(f"load of this machine at the end: {os.getloadavg()[1]:.1f}")
    return 0 if good and slowest <= GONE and not leftovers else 1


def play_through(home: League, bot: str, options: argparse.Namespace) -> dict[str, str]:
    """Plays the tournament of *bot* without a kill, and returns what is told of it."""
    variables = "{}" if bot == "hides" else "dict(os.environ)"
    (home.folder / f"{bot}.py").write_text(BOT.format(name=bot, variables=variables))
    rounds = -(-options.tables // TABLES_A_ROUND)
    keys = {"rounds": rounds, "workers": options.workers, "deals": 3, "tables_in_flight": 8}
    file = home.write(f"{bot}.toml", bots=(*INSIDERS, f"./{bot}.py"), **keys)
    store = home.folder / f"{bot}.sqlite"
    began = time.monotonic()
    home.moon("tournament", "run", file, "--store", store)
    print(
        f"{bot}: {rounds * TABLES_A_ROUND} tables in {time.monotonic() - began:.1f} s", flush=True
    )
    return told(home, store)


def report(trial: Trial, through: dict[str, str], killed: dict[str, str]) -> bool:
    """Prints what became of *trial* and returns whether all is as it has to be."""
    print(f"killed {trial.kills.total()} times: gone after {trial.slowest:.2f} s at most; ", end="")
    same = {name: one == killed[name] for name, one in through.items()}
    print(", ".join(f"{name} {'equal' if is_so else 'DIFFERENT'}" for name, is_so in same.items()))
    for complaint in trial.complaints:
        print(f"  {complaint}")
    sys.stdout.flush()
    return all(same.values()) and not trial.complaints


def read(store: Path) -> dict[int, TableResult]:
    try:
        with Store.open(store) as opened:
            return {result.number: result for result in opened.results()}
    except StoreError:  # killed before it was made
        return {}


def told(home: League, store: Path) -> dict[str, str]:
    """Returns all that the commands tell of *store*, what was measured apart, by what it is."""
    standings = json.loads(home.out("tournament", "standings", store, "--json"))
    del standings["measured"], standings["host"]
    return {
        "fingerprint": standings["fingerprint"],
        "standings": _hash(json.dumps(standings)),
        "records": _hash(home.out("tournament", "export", store, "--format", "jsonl")),
    }


def send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--tables", type=int, default=240, help="rounded up to whole rounds")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
