"""`moon replay ask`: a question of a record, put to a bot or saved as a state."""

from __future__ import annotations

import hashlib
from pathlib import Path

import click

from referee.bots.terms import ClockTerms, RemoteTerms
from referee.errors import ConfigError, NotFoundError
from referee.match import MatchRecord, Question
from referee.match.questions import RecordedChoice, question_at
from referee.wire.states import StoredQuestion
from tournaments.cli.ask import asking_options, put, show_answer, stand_terms
from tournaments.kit.states import save_state, state_text, stored
from tournaments.reports.reading import entries, located


@click.command()
@click.argument("where", metavar="FILE | STORE | -")
@click.option("--table", metavar="ID", help="The match, such as 17.2; not needed if it is alone.")
@click.option("--decision", type=click.IntRange(1), required=True, metavar="N",
              help="The number of the decision in its match, as faults show it.")  # fmt: skip
@click.option("--bot", metavar="BOT", help="Who is asked; without it the state is only written.")
@click.option("--save", type=click.Path(dir_okay=False), metavar="FILE",
              help="Write the state there, for `moon ask`.")  # fmt: skip
@asking_options
def ask(
    where: str,
    table: str | None,
    decision: int,
    bot: str | None,
    save: str | None,
    move_time: float | None,
    startup: float,
    sandbox: str | None,
    limits: tuple[str, ...],
    tls: str | None,
    dial_in: str | None,
    as_json: bool,
) -> int:
    """Put a question of a recorded match to BOT again, or save it as a state.

    The seat sees what it saw then. Without --bot and --save the state is written to standard
    output. Exits with 4 if the answer is not a legal one in time.
    """
    match = _match(located(where), table)
    found = question_at(match, decision)
    question = _as_sent(match, found.question, move_time)
    if save is not None:
        save_state(Path(save), question)
    elif bot is None:
        click.echo(state_text(question), nl=False)
    if bot is None:
        return 0
    terms = stand_terms(question, move_time, startup, sandbox, limits, RemoteTerms(tls, dial_in))
    notes = [f"recorded  {_recorded(match, found)}"]
    return show_answer(put(bot, question, terms), notes, as_json=as_json)


def _match(where: str, table: str | None) -> MatchRecord:
    found = [entry for entry in entries(where, table) if isinstance(entry, MatchRecord)]
    if not found:
        raise NotFoundError(f"{where}: holds no match; a chat line is one deal and no whole match")
    if len(found) > 1:
        raise ConfigError(where, "--table", "there are many matches; say which, like --table 0.0")
    return found[0]


def _as_sent(match: MatchRecord, asked: Question, move_time: float | None) -> StoredQuestion:
    """Returns *asked* as a message; what the match was called is not recorded, nor the clock."""
    name = f"{match.table}/{asked.seat}"
    match_id = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
    return stored(asked, match_id, move_time or ClockTerms().move_time)


def _recorded(match: MatchRecord, found: RecordedChoice) -> str:
    who = match.seats[found.question.seat]
    if found.choice is None:
        return f"{who} forfeited here"
    how = ""
    if found.is_substitute:
        how = " (a substitute, made by the referee)"
    elif not found.is_asked:
        how = " (the only legal choice, not asked for)"
    return f"{who}: {found.choice}{how}"
