"""Draws the standings of a store as the picture in the README.

python docs/standings.py STORE > docs/standings.svg
"""

from __future__ import annotations

import re
import sys

from rich.console import Console
from rich.terminal_theme import MONOKAI

from tournaments.reports.standings_report import heading, not_separated, standings_table
from tournaments.standings import Results
from tournaments.store import Store


def main() -> None:
    """Writes the picture to standard output."""
    with Store.open(sys.argv[1]) as store:
        run = store.run
        results = Results(run.rules, *run.pattern(), store.outcomes())
        table = results.standings()
    screen = Console(record=True, width=88, file=sys.stderr, force_terminal=True, highlight=False)
    screen.print(heading(run, table))
    screen.print(standings_table(table))
    for line in not_separated(table):
        screen.print(line)
    picture = screen.export_svg(title="moon tournament standings", theme=MONOKAI)
    # The picture must not fetch anything: any monospaced font will do.
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    sys.stdout.write(picture.replace("Fira Code", "monospace"))


if __name__ == "__main__":
    main()
