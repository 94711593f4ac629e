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

BOTS = ("./dice.py", "./tall.py", "./hides.py")
TABLES_A_ROUND = 6
VICTIMS = ("runner", "worker", "keeper", "runner", "worker", "keeper", "everybody")
GONE = 1.0
"""Seconds within which everybody has to be gone."""
PATIENCE = 30.0

HIDES = """
import os, sys, time
from referee.sdk import Bot, serve

class Hides(Bot):
    "Leaves a process that has left its session and its parent, but not its folder."
    name = "hides"

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open(os.devnull, "r+") as nothing:
            for number in range(3):
                os.dup2(nothing.fileno(), number)
        os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"], {})
    os._exit(0)
serve(Hides())
"""


class Trial:
    """One tournament that is killed again and again, until it is played."""

    def __init__(self, home: League, file: Path, store: Path, rng: random.Random) -> None:
        self.kills: Counter[str] = Counter()
        self.gone: dict[str, list[float]] = {}
        self.announced: dict[int, dict[str, object]] = {}
        self.complaints: list[str] = []
        self._home, self._file, self._store, self._rng = home, file, store, rng

    def play(self, kills: int, tables: int) -> None:
        """Plays to the end, and kills at most so often on the way."""
        for _ in range(kills + 10):
            run = Run(self._home, self._file, "--store", self._store)
            while self.kills.total() < kills and not run.has_ended:
                run.wait_for(len(run.announced) + self._rng.randrange(tables // 15))
                time.sleep(self._rng.uniform(0.0, 0.5))
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
        victim = self._rng.choice(VICTIMS)
        runner = run.process.pid
        workers = [p for p in below(runner) if "runner.worker" in command_line(p.pid)]
        keepers = [p for p in below(runner) if "keeper.py" in command_line(p.pid)]
        everybody = [*below(runner)]
        match victim:
            case "runner":
                struck, doomed = [runner], everybody
            case "everybody":
                # Nobody is left who could end the bots; the next run does that. It knows them by a
                # mark; nobody can know one that threw it away, so those are taken out here.
                lost = [p for p in everybody if not has_mark(p.pid)]
                struck, doomed = [runner, *(p.pid for p in lost)], []
            case _:
                found = workers if victim == "worker" else keepers
                if not found:
                    return True
                chosen = self._rng.choice(found)
                struck, doomed = [chosen.pid], [chosen, *below(chosen.pid)]
        numbers = [signal.SIGKILL]
        if len(struck) > 1:  # stopped first, so that nobody sees another one die
            numbers.insert(0, signal.SIGSTOP)
        for number in numbers:
            for pid in struck:
                send(pid, number)
        self.kills[victim] += 1
        if victim == "runner":
            run.end()
            doomed = [*doomed, *belonging_to(self._home.folder)]
        self._wait_gone(victim, doomed)
        return victim in ("worker", "keeper")

    def _wait_gone(self, victim: str, doomed: Iterable[Process]) -> None:
        began = time.monotonic()
        left = set(doomed)
        while left := left & running().keys():
            if time.monotonic() - began > PATIENCE:
                names = sorted(command_line(process.pid) for process in left)
                self.complaints.append(f"a killed {victim} left running: {names}")
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
    rounds = -(-options.tables // TABLES_A_ROUND)
    rng = random.Random(options.seed)
    with league() as home:
        (home.folder / "hides.py").write_text(HIDES)
        keys = {"rounds": rounds, "workers": options.workers, "deals": 3, "tables_in_flight": 8}
        file = home.write("night.toml", bots=BOTS, **keys)
        print(f"{rounds * TABLES_A_ROUND} tables, {', '.join(BOTS)}, {options.workers} workers")
        through = home.folder / "through.sqlite"
        began = time.monotonic()
        home.moon("tournament", "run", file, "--store", through)
        print(f"through: {time.monotonic() - began:.1f} s", flush=True)
        trials, good = [], True
        expected = told(home, through)
        while sum(trial.kills.total() for trial in trials) < options.kills:
            killed = home.folder / f"killed-{len(trials)}.sqlite"
            trial = Trial(home, file, killed, rng)
            trials.append(trial)
            left = options.kills - sum(trial.kills.total() for trial in trials)
            trial.play(left, rounds * TABLES_A_ROUND)
            good = report(trial, expected, told(home, killed)) and good
        home.check_nothing_runs()
        leftovers = [path.name for path in home.folder.glob("moon-*")]
    total = sum((trial.kills for trial in trials), Counter())
    announced = sum(len(trial.announced) for trial in trials)
    print(f"\n{total.total()} kills ({', '.join(f'{n} {who}' for who, n in total.items())})")
    print(f"{announced} tables were announced, and all are stored once: {'yes' if good else 'NO'}")
    for who in dict.fromkeys(VICTIMS):
        if times := sorted(t for trial in trials for t in trial.gone.get(who, ())):
            middle = times[len(times) // 2]
            print(f"after the kill of a {who}: {middle:.2f} s (median), {times[-1]:.2f} s (most)")
    slowest = max(trial.slowest for trial in trials)
    print(f"all gone at most {slowest:.2f} s after a kill (allowed: {GONE:g} s)")
    print(
        f"directories left: {leftovers or 'none'}; {time.monotonic() - began:.0f} s in all; ",
        end="",
    )
    print(f"load of this machine at the end: {os.getloadavg()[1]:.1f}")
    return 0 if good and slowest <= GONE and not leftovers else 1


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
    del standings["measured"]
    return {
        "fingerprint": standings["fingerprint"],
        "standings": _hash(json.dumps(standings)),
        "records": _hash(home.out("tournament", "export", store, "--format", "jsonl")),
    }


def has_mark(pid: int) -> bool:
    try:
        return b"MOON_BOT_MARK=" in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


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
