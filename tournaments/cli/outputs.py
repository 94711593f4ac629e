"""Files that a user has asked for by name."""

from __future__ import annotations

from pathlib import Path

from referee.errors import ConfigError
from tournaments.files import write_whole


def write_output(path: Path, text: str, *, errors: str = "strict") -> None:
    """Writes *text* to *path*, whole or not at all; see `write_whole`.

    Raises:
        ConfigError: if it cannot be written.
    """
    try:
        write_whole(path, text, errors=errors)
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> ConfigError:
    """Returns the complaint about a file that cannot be written."""
    return ConfigError(path, None, f"cannot be written: {(error.strerror or '').lower()}")
