"""What is shown on standard error while something is played, above the lines that are said."""

from __future__ import annotations

from typing import Self

from rich.console import RenderableType
from rich.live import Live

from tournaments.cli.terminal import console


class LiveScreen:
    """Shows a picture on a terminal, and nothing elsewhere. Use it as a context manager."""

    def __init__(self) -> None:
        """Makes a screen that shows nothing yet."""
        self._screen = console(stderr=True)
        self._live: Live | None = None

    def __enter__(self) -> Self:
        """Begins to show."""
        if self._screen.is_terminal:
            self._live = Live(
                self._picture(), console=self._screen, transient=True, refresh_per_second=4
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the display."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def say(self, text: str) -> None:
        """Writes a line, above the picture if there is one."""
        self._screen.print(f"moon: {text}", soft_wrap=True)

    def _picture(self) -> RenderableType:
        """Returns what is to be seen now."""
        raise NotImplementedError
