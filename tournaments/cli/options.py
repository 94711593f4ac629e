"""Options that several commands share."""

from __future__ import annotations

from datetime import timedelta

import click

from tournaments.toml_reader import parse_duration


class DurationType(click.ParamType[timedelta]):
    """A duration such as ``500ms``, ``2s``, ``1m`` or a number of seconds."""

    name = "duration"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        """Returns *value* as a duration."""
        if isinstance(value, timedelta):
            return value
        duration = parse_duration(value)
        if duration is None:
            self.fail(f"{value!r} is not a duration; write 500ms, 2s or 1m", param, ctx)
        return duration


DURATION = DurationType()

json_option = click.option("--json", "as_json", is_flag=True, help="Write one JSON document.")

rules_option = click.option(
    "--rules", "rules", metavar="NAME", help="The rules, by a name of `moon rules list`."
)

rule_option = click.option(
    "--rule", "changes", metavar="OPTION=VALUE", multiple=True, help="Change one option of them."
)
