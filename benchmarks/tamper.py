"""Whether a change of one byte is found, wherever it is: in a closed run, and in a league.

    python benchmarks/tamper.py [--changes 500] [--seed 1]

Plays a small run and a league with a closed night, then changes one byte at a time at random, in
the files that `moon verify` stands for, and lets it look; half of the changes hit the run and half
the league. Counts how many are found, and of how many the file was named. Exits with 1 if one was
missed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from referee.errors import MoonError
from tests.league_night.leagues import played_league
from tests.league_night.stores import config, play_pending, store_of
from tournaments.reports.league_verifying import verify_league
from tournaments.reports.verifying import verify_store
from tournaments.sealing import finish, seal
from tournaments.store.digest import digest_path


def closed_run(folder: Path) -> list[Path]:
    """Returns the files of a run that was sealed, played and closed in *folder*."""
    night = config(folder / "night.sqlite")
    with store_of(night) as store:
        seal(store)
        play_pending(store, night)
    finish(night.store)
    return [night.store, digest_path(night.store)]


def found_in(path: Path) -> list[str]:
    """Returns what `moon verify` says of *path*."""
    try:
        return (verify_league if path.is_dir() else verify_store)(path).differences
    except MoonError as error:
        return [str(error)]


def try_one(root: Path, files: list[Path], rng: random.Random) -> tuple[Path, int, list[str]]:
    """Changes one byte of *files*, each of them equally likely, and returns what is said of it."""
    sizes = [file.stat().st_size for file in files]
    [file] = rng.choices(files, weights=sizes)
    data = bytearray(file.read_bytes())
    at = rng.randrange(len(data))
    old = data[at]
    data[at] = rng.choice([each for each in range(256) if each != old])
    file.write_bytes(data)
    said = found_in(root)
    data[at] = old
    file.write_bytes(data)
    return file, at, said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    wish = parser.parse_args()
    rng = random.Random(wish.seed)
    missed: list[str] = []
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = closed_run(folder)
        league = played_league(folder / "league")
        parts = ["league.toml", "audit.jsonl", "entries", "nights"]
        own = [f for part in parts for f in _files(league / part)]
        for number in range(wish.changes):
            root, among = (files[0], files) if number % 2 else (league, own)
            if found := found_in(root) if number < 2 else []:
                raise SystemExit(f"what was not changed does not hold: {found}")
            file, at, said = try_one(root, among, rng)
            what = "league" if root is league else "run"
            counts[what, "changes"] += 1
            counts[what, "found"] += bool(said)
            place = f"{file.parent.name}/" if "entries" in file.parts else file.name
            counts[what, "located"] += any(_names(line, file, place) for line in said)
            if not said:
                missed.append(f"{file.relative_to(folder)}, byte {at}")
    for what in ("run", "league"):
        each = [f"{counts[what, key]} {key}" for key in ("changes", "found", "located")]
        print(f"{what}: {', '.join(each)}")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]


def _names(line: str, file: Path, place: str) -> bool:
    """Returns whether *line* names the file, or of an entry the folder that it is in."""
    return file.name in line or place.rstrip("/") in line


if __name__ == "__main__":
    sys.exit(main())
