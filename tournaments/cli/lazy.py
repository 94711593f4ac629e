"""A group of commands that imports a command's module only when that command runs.

Help, completion and the answer to a mistyped name come from the table alone and cost no import:

    COMMANDS = {"run": Lazy("tournaments.cli.run:run", "Play what is missing.")}

    @click.group(cls=LazyGroup, lazy=COMMANDS)
    def tournament() -> None: ...
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class Lazy(NamedTuple):
    """One row of the table: where a command is, and the line that help shows for it."""

    target: str
    help: str

    def load(self) -> click.Command:
        """Returns the command, importing its module."""
        module, _, attribute = self.target.partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self.target} is no command but {command!r}")
        return command


class LazyGroup(click.Group):
    """A click group whose commands are rows of a table, shown in the table's order."""

    def __init__(
        self, name: str | None = None, *, lazy: Mapping[str, Lazy], **settings: object
    ) -> None:
        # What stands in `commands` is only a name and a line of help; it is never run.
        signs = {name: click.Command(name, short_help=row.help) for name, row in lazy.items()}
        super().__init__(name, signs, **settings)  # type: ignore[arg-type]
        self.lazy = dict(lazy)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order of the table."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command that the first argument names, now imported, and what follows."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in self.lazy:
            command = self.lazy[name].load()
        return name, command, rest
