"""`moon league night`: plays rounds until a clock, a number or a wish ends the night at an edge."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import click

from referee import __version__
from referee.bots.sandbox import Tier, check_tier, close_to_bots
from referee.errors import ConfigError
from referee.text import counted
from tournaments.cli.league_options import league_option, open_league
from tournaments.cli.league_standings import print_ladder
from tournaments.cli.night_live import NightProgress
from tournaments.cli.night_times import MinutesType, seconds_until
from tournaments.cli.night_words import asked_lines, end_line, pause_line, prediction
from tournaments.cli.options import heartbeat_option, json_option, workers_option
from tournaments.cli.run_report import note_once, note_sandbox, reported, warn_of_crowding
from tournaments.cli.signals import heeding
from tournaments.cli.terminal import print_json
from tournaments.config import default_workers
from tournaments.holding import held_text, unkept_lines
from tournaments.league.folder import League
from tournaments.league.night import Limits, NightPlay, Why, known_pace
from tournaments.league.nights import (
    NightFile,
    close_night,
    night_files,
    open_night,
    seal_night,
    settle,
)
from tournaments.league.office import LeagueOffice, field_of, night_terms
from tournaments.league.terms import begun_terms
from tournaments.runner.jobs import job_of
from tournaments.schedule.nights import Stage, night_schedule
from tournaments.store import Store

ENDED = {Why.ROUNDS, Why.CLOCK, Why.ASKED}
"""What ends a night for good, as it ends it at the edge of a round."""
INTERRUPTED, VOID_TABLES = 130, 1
SCHEMA = "moon.league.night/1"


@click.command()
@click.option("--until", metavar="TIME", help="Begin no round that does not fit until then: "
              "21:30, or with a date 2026-12-02T21:30.")  # fmt: skip
@click.option("--minutes", "seconds", type=MinutesType(), metavar="N",
              help="The same, from now on; 2h is a time too.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(1), metavar="N",
              help="Rounds at most; without a time, as many as league.toml says.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Say what would be played, and play nothing.")
@workers_option
@heartbeat_option
@league_option
@json_option
def night(
    until: str | None,
    seconds: float | None,
    rounds: int | None,
    dry_run: bool,
    workers: int | None,
    heartbeat: float,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Play a league night in rounds that are each fair by themselves.

    After each round every two entries that may meet have met equally often, and everybody has sat
    in every seat equally often, so the night may end after any of them: when no further round
    fits, when all are played, or at Ctrl-C, which lets the round in play be the last one. Ctrl-C
    again ends at once; the same command then goes on with the night. Who is entered or retired
    meanwhile comes or goes at the edge of a round. When the night is over its seed is published.
    """
    league = open_league(folder)
    if until is not None and seconds is not None:
        raise ConfigError(None, "--until", "give a time or --minutes, not both")
    seconds = seconds if until is None else seconds_until(until)
    if rounds is None and seconds is None:
        rounds = league.config.rounds
    deadline = None if seconds is None else time.monotonic() + seconds
    workers = workers or default_workers()
    if dry_run:
        return _plan(league, Limits(rounds, deadline), workers, as_json=as_json)
    settle(league)
    evening = _Evening(league, Limits(rounds, deadline), workers, heartbeat, as_json=as_json)
    return evening.play()


def _say(text: str) -> None:
    click.echo(f"moon: {text}", err=True)


def _plan(league: League, limits: Limits, workers: int, *, as_json: bool) -> int:
    """Says what a night would be with the field as it is now."""
    if (begun := open_night(league)) is not None:
        with Store.open(begun.path) as store:
            league.config = begun_terms(league, store) or league.config
    names, apart = field_of(league)
    seats = league.config.rules.players
    stage = Stage.of(names, seats=seats, apart=apart)
    blocks = night_schedule([Stage(stage.form, stage.field, stage.house, stage.apart, 1)],
                            seats=seats).blocks  # fmt: skip
    tables = sum(len(block.tables) for block in blocks)
    pace = _last_pace(league, workers)
    if as_json:
        meeting = {"league": league.config.name, "entries": names, "house": stage.house}
        a_round = {"form": stage.form, "tables": tables, "blocks": len(blocks)}
        seconds = None if pace is None else pace * tables
        pairs = sorted(sorted(pair) for pair in stage.apart)
        told = {**meeting, "apart": pairs, **a_round, "round_seconds": seconds}
        print_json("moon.league.night.plan/1", told)
        return 0
    click.echo(f"{league.config.name}: {len(names)} entries play: {', '.join(names)}")
    house = f", with {', '.join(stage.house)}" if stage.house else ""
    click.echo(
        f"a round is {counted(tables, 'table')} in {counted(len(blocks), 'block')} ("
        f"{stage.form}{house})"
    )
    if stage.apart:
        click.echo(f"{len(stage.apart)} pairs of entries of one author do not meet")
    click.echo(prediction(tables, pace, limits, limits.rounds, is_measured=False))
    return 0


def _last_pace(league: League, workers: int) -> float | None:
    """Returns the seconds of a table as the last night that knows had them."""
    for each in reversed(night_files(league)):
        with Store.open(each.path) as store:
            if (pace := known_pace(store, workers)) is not None:
                return pace
    return None


class _Evening:
    """One call of the command: the night as far as it gets."""

    def __init__(
        self, league: League, limits: Limits, workers: int, heartbeat: float, *, as_json: bool
    ) -> None:
        self._league, self._limits, self._workers = league, limits, workers
        self._as_json = as_json
        self._heartbeat = heartbeat
        self._progress: NightProgress | None = None
        self._signals = 0

    def play(self) -> int:
        """Plays, and closes the night if it is over; returns the exit code."""
        close_to_bots()
        found, commitment = seal_night(self._league)
        with Store.open(found.path, readonly=False) as store:
            office = LeagueOffice(self._league, store, self._workers, self._tell)
            self._check_held(store, office.league())
            _say(f"{store.run.name}: the seed is sealed by {commitment}")
            pace = _last_pace(self._league, self._workers)
            play = NightPlay(store, office, self._limits, workers=self._workers, pace=pace)
            try:
                asyncio.run(self._run(store, play, office, found))
            finally:
                play.note_pace()
            rounds, tables = play.rounds, store.counts().played
            paused = pause_line(found, play, tables)
        if play.why is Why.CLOCK and not rounds:
            raise ConfigError(None, None, "no round fits into the time that is left; give it more")
        told: dict[str, object] = {"league": self._league.config.name, "night": found.number}
        told |= {"rounds": rounds, "ended": str(play.why), "commitment": commitment}
        if play.why not in ENDED:
            _say(paused)
            if self._as_json:
                print_json(SCHEMA, {**told, "closed": False})
            return VOID_TABLES if play.why is Why.VOID else INTERRUPTED
        _say(end_line(found, rounds, play.why, tables))
        self._close(found, told)
        return 0

    def _check_held(self, store: Store, league: League) -> None:
        """Checks that bots can be held as the terms of the night say, and writes down how."""
        sandbox = league.config.sandbox
        probe = check_tier(sandbox.tier)
        for line in unkept_lines(probe) if sandbox.tier is not Tier.NONE else ():
            _say(line)
        terms = night_terms(league, store.run.name, store)
        if store.run.code_version != __version__:
            change = f"version of moon: {store.run.code_version} -> {__version__}"
            note_once(store, "changed", change)
        note_sandbox(store, terms, probe)
        warn_of_crowding(store, self._workers, _say)
        _say(held_text(sandbox, freezes=job_of(terms).freezes))

    def _close(self, found: NightFile, told: dict[str, object]) -> None:
        """Closes the night, and writes what is published of it."""
        claims = close_night(self._league, found)
        with Store.open(found.path) as store:
            seed = store.run.seed
        if self._as_json:
            opened = {"fingerprint": claims.fingerprint, "seed": seed}
            print_json(SCHEMA, {**told, "closed": True, **opened})
            return
        print_ladder(League.open(self._league.folder))
        click.echo(f"{found.name}: fingerprint {claims.fingerprint}")
        click.echo(f"{found.name}: seed {seed} opens the seal {claims.commitment}")

    async def _run(
        self, store: Store, play: NightPlay, office: LeagueOffice, night: NightFile
    ) -> None:
        with heeding(lambda _: self._stop(play, night)):
            while play.begin():
                await self._part(store, play, office.league())
                if play.why is not Why.FIELD:
                    break

    async def _part(self, store: Store, play: NightPlay, league: League) -> None:
        """Plays with one field."""
        run = store.run
        terms = night_terms(league, run.name, store)
        progress = self._progress = NightProgress(league, store, terms, self._heartbeat)
        stage = run.stages[-1]
        progress.say(f"{len(stage.field)} entries play: {', '.join(stage.field)}")
        self._foresee(play, play.round_tables())
        told = [time.monotonic()]

        def on_round(tables: int) -> None:
            progress.next_round(tables)
            if time.monotonic() - told[0] >= self._heartbeat:
                told[0] = time.monotonic()
                self._foresee(play, tables)

        with reported(store, play.report, progress.say), progress:
            beating = asyncio.create_task(progress.beat())
            try:
                await play.play(progress.add, on_round, progress.say)
            finally:
                beating.cancel()
                self._progress = None

    def _foresee(self, play: NightPlay, tables: int) -> None:
        left = self._limits.rounds
        more = None if left is None else max(0, left - play.rounds + 1)
        is_measured = play.pace.tables > 0
        told = prediction(tables, play.pace.table, self._limits, more, is_measured=is_measured)
        self._tell(f"round {play.rounds}; {told}")

    def _stop(self, play: NightPlay, night: NightFile) -> None:
        self._signals += 1
        if self._signals == 1:
            for line in asked_lines(night, play):
                self._tell(line)
            play.ask()
        else:
            play.abort()

    def _tell(self, text: str) -> None:
        say: Callable[[str], None] = _say if self._progress is None else self._progress.say
        say(text)
