"""What a command writes for programs."""

from __future__ import annotations

from referee.errors import ConfigError


def one_format(*, as_json: bool, as_csv: bool) -> None:
    """Checks that one kind of document is asked for, as only one can be written.

    Raises:
        ConfigError: if it is both.
    """
    if as_json and as_csv:
        raise ConfigError(None, "--csv", "and --json are two documents; ask for one of them")
