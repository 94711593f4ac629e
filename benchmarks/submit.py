"""What `moon league submit` says of bots that misbehave: which are refused, and at which step.

    python benchmarks/submit.py [--sandbox basic] [--only E1a,B,T] [--no-samples]

Submits every behaviour of the zoo (tests/zoo) and each bot that comes with the program, each to a
league of its own with the clock and the limits of that behaviour and matches of one deal. A bot
whose verdict should be a fault must be refused; one whose attempts are prevented plays on like
an honest bot, and is rightly taken. Exits with 1 if one is taken that should not be, or a bot of
the program is refused. All of it takes hours on a slow machine; --only takes ids and groups.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from referee.bots.samples import sample_names
from referee.bots.sandbox import Tier, check_tier, close_to_bots
from referee.bots.terms import ClockTerms
from referee.errors import MoonError
from tournaments.holding import sandbox_of
from tournaments.league.folder import League
from tournaments.league.submitting import SubmissionRefusedError, submit
from tournaments.zoo.catalogue import CLOCK, OK, Behaviour, load_catalogue
from tournaments.zoo.stage import Stage

TAKEN = "taken"


def write_bot(folder: Path, programs: Path, behaviour: Behaviour, stage: Stage) -> None:
    """Makes a folder bot of one program of the zoo."""
    shutil.copytree(programs, folder, ignore=shutil.ignore_patterns("__pycache__"))
    program, *arguments = (word.format_map(stage.facts) for word in behaviour.run)
    run = ["python3", program] if program.endswith(".py") else [f"./{program}"]
    lines = ('name = "zoo"', 'version = "1"', f"run = {json.dumps([*run, *arguments])}")
    (folder / "bot.toml").write_text("\n".join(lines))


def outcome(place: Path, text: str, tier: str, clock: ClockTerms, limits: dict[str, float]) -> str:
    """Returns the step at which the bot *text* is refused, with the reason; or that it is taken."""
    league = League.make(place / "league", name="zoo", rules="tournament-3p", sandbox=tier)
    league.config = replace(
        league.config, clock=clock, sandbox=sandbox_of(tier, limits), submit_deals=1
    )
    try:
        asyncio.run(submit(league, text, place, name="zoo", author="zoo"))
    except SubmissionRefusedError as error:
        line = str(error).splitlines()[0].partition("at the step ")[2]
        return line.replace("'", "", 2)
    except MoonError as error:
        return f"broken: {error}"
    return TAKEN


def try_one(behaviour: Behaviour, programs: Path, tier: str) -> str:
    with tempfile.TemporaryDirectory() as name, Stage("00" * 32) as stage:
        place = Path(name)
        write_bot(place / "bot", programs, behaviour, stage)
        return outcome(place, "./bot", tier, behaviour.clock, dict(behaviour.limits))


def try_sample(text: str, tier: str) -> str:
    with tempfile.TemporaryDirectory() as name:
        return outcome(Path(name), text, tier, CLOCK, {})


def tell(name: str, what: str, said: str, since: float, *, wrong: bool) -> None:
    mark = "WRONG " if wrong else ""
    print(f"{name:<12} {mark}{said[:150]}  [{what}; {time.monotonic() - since:.0f} s]", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=["none", "basic", "hardened"], default="basic")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--no-samples", action="store_true")
    options = parser.parse_args()
    close_to_bots()
    check_tier(Tier(options.sandbox))
    catalogue = load_catalogue().only(options.only)
    steps: Counter[str] = Counter()
    wrong = 0
    for behaviour in catalogue.behaviours:
        since = time.monotonic()
        said = try_one(behaviour, catalogue.programs, options.sandbox)
        verdicts = behaviour.verdicts[options.sandbox]
        is_wrong = said.startswith("broken") or (said == TAKEN and OK not in verdicts)
        wrong += is_wrong
        steps[said.partition(":")[0]] += 1
        tell(behaviour.id, f"{'/'.join(verdicts)}: {behaviour.name}", said, since, wrong=is_wrong)
    for text in () if options.no_samples else sample_names():
        since = time.monotonic()
        said = try_sample(text, options.sandbox)
        wrong += said != TAKEN
        tell(text, "sample", said, since, wrong=said != TAKEN)
    counts = ", ".join(f"{count} {step}" for step, count in steps.most_common())
    print(f"{len(catalogue.behaviours)} behaviours in {options.sandbox}: {counts}; {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
