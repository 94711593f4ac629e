"""What the rules refuse."""

from __future__ import annotations

from referee.errors import MoonError


class RulesError(MoonError, ValueError):
    """The rules refuse something."""

    exit_code = 2


class NotationError(RulesError):
    """A text that names nothing of its kind.

    Attributes:
        kind: What was expected, such as ``tile``.
        text: What was given.
    """

    def __init__(self, kind: str, text: object, hint: str = "") -> None:
        super().__init__(f"not a {kind}: {text!r}{f' ({hint})' if hint else ''}")
        self.kind = kind
        self.text = text


class IllegalChoiceError(RulesError):
    """A choice that is not allowed now."""


class OptionError(RulesError):
    """An option, or a combination of options, that makes no sense.

    Attributes:
        option: The name of the option to change.
    """

    def __init__(self, option: str, reason: str, meant: str | None = None) -> None:
        hint = "" if meant is None else f" (did you mean {meant!r}?)"
        super().__init__(f"rule {option}: {reason}{hint}")
        self.option = option
