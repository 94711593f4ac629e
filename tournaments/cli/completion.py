"""`moon completion SHELL`: the script that makes a shell complete `moon`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash:  eval "$(moon completion bash)"              in ~/.bashrc
    zsh:   eval "$(moon completion zsh)"               in ~/.zshrc
    fish:  moon completion fish > ~/.config/fish/completions/moon.fish
    """  # noqa: D301 - click looks for the backspace itself: what follows keeps its lines
    maker = get_completion_class(shell)
    if maker is None:
        raise click.UsageError(f"no completion for {shell}", context)
    root = context.find_root()
    click.echo(maker(root.command, {}, "moon", "_MOON_COMPLETE").source())
