"""The command `moon`, and what becomes of an error.

Exit codes: 0 done, 1 a bug of ours, 2 wrong usage or configuration, 3 no such thing, 4 a bot is at
fault, 5 a check failed, 6 not decided, 75 the store is in use, 130 interrupted, 141 the reader of
our output left.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
import traceback
from typing import TYPE_CHECKING

import click

from referee import __version__
from referee.errors import MoonError
from tournaments.cli.lazy import Lazy, LazyGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERNAL, USAGE, NOT_FOUND, INTERRUPTED, CLOSED_PIPE = 1, 2, 3, 130, 141
STDOUT, STDERR = 1, 2

COMMANDS = {
    "play": Lazy("tournaments.cli.play:play", "Play one match between bots and show who won."),
    "compare": Lazy(
        "tournaments.cli.compare:compare", "Find out whether one bot is better than another."
    ),
    "tournament": Lazy(
        "tournaments.cli.tournament:tournament", "Run a round robin, and read what came of it."
    ),
    "lab": Lazy("tournaments.cli.lab:lab", "Study how everybody bids, and what it is worth."),
    "bot": Lazy("tournaments.cli.bot:bot", "Work on a bot, and try what hostile ones can do."),
    "serve-bots": Lazy(
        "tournaments.cli.serve_bots:serve_bots", "Take in bots that dial in over the network."
    ),
    "rules": Lazy("tournaments.cli.rules_commands:rules", "Explain the rules of the game."),
    "replay": Lazy("tournaments.cli.replay:replay", "Show, check and export recorded deals."),
    "bench": Lazy("tournaments.cli.bench:bench", "Measure how fast it all is on this machine."),
    "doctor": Lazy("tournaments.cli.doctor:doctor", "Show how bots can be held on this machine."),
    "completion": Lazy(
        "tournaments.cli.completion:completion", "Print the completion script of a shell."
    ),
}


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "MOON"},
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to write colours; auto heeds NO_COLOR, FORCE_COLOR and whether a terminal reads.",
)
@click.version_option(__version__, "-V", "--version", prog_name="moon")
@click.pass_context
def moon(context: click.Context, color: str) -> None:
    """Referee and league office for bots that play Moon, the domino game.

    A first match, right after installing:  moon play random greedy counter
    """
    context.color = wants_color(color)


def wants_color(wish: str) -> bool | None:
    """Returns whether colours are to be written; None leaves it to whether a terminal reads."""
    if wish != "auto":
        return wish == "always"
    if os.environ.get("FORCE_COLOR"):
        return True
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; what went wrong is said on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name must not end a command
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        return _refuse(error)
    except MoonError as error:
        _say(str(error))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        if sys.stderr.isatty():
            click.echo(err=True)  # ends the line on which the terminal wrote ^C
        _say("interrupted")
        return INTERRUPTED
    except OSError as error:
        return _end_of_output(error)
    except Exception:  # noqa: BLE001 - the last place where it can be caught
        return _report_bug()
    return code


def _end_of_output(error: OSError) -> int:
    """Returns the exit code of a command whose output could not be written."""
    if isinstance(error, BrokenPipeError) and _nobody_reads():
        return CLOSED_PIPE
    if error.errno in (errno.ENOSPC, errno.EIO) and error.filename is None:
        _say(f"cannot write: {(error.strerror or '').lower()}")
        return INTERNAL
    return _report_bug()


def _run(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit code; its errors pass through."""
    if "_MOON_COMPLETE" in os.environ:
        moon.main(prog_name="moon")  # a shell asks for completions: answers and exits
    try:
        with moon.make_context("moon", list(arguments)) as context:
            code = moon.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return code if isinstance(code, int) else 0


def _refuse(error: click.ClickException) -> int:
    """Says what was wrong with the command line and returns the exit code."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return USAGE
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(error.ctx.get_usage(), err=True)
        click.echo(f"Try '{error.ctx.command_path} --help' for help.\n", err=True)
    _say(error.format_message())
    return NOT_FOUND if isinstance(error, click.FileError) else USAGE


def _report_bug() -> int:
    """Prints the exception being handled as the bug it is."""
    _say("this is a bug in moon, please report it with the lines below")
    click.echo(traceback.format_exc(), err=True, nl=False)
    return INTERNAL


def _nobody_reads() -> bool:
    """Returns whether the reader of stdout or stderr is gone, and if so mutes that stream."""
    poll = select.poll()
    for descriptor in (STDOUT, STDERR):
        poll.register(descriptor, 0)
    gone = [descriptor for descriptor, state in poll.poll(0) if state & select.POLLERR]
    for descriptor in gone:
        # What is left in the buffer would be tried again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    return bool(gone)


def _say(message: str) -> None:
    click.echo(f"moon: {message}", err=True)


if __name__ == "__main__":
    sys.exit(main())
