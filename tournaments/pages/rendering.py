"""Templates made into pages that fetch nothing and run nothing but what they were made with.

Names and messages come from strangers: everything is escaped where it is written, and a policy in
the page's head allows the one script and the one style that stand in it, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from referee import __version__
from referee.text import printable, visible
from tournaments.pages import dominoes
from tournaments.reports.numbers import number

GENERATOR = "moon-league"
"""What the head of every page names as its maker."""
LONGEST_NAME = 90
"""Characters of a name that are shown: a pair of the longest names, which two bots may have."""


def render(
    template: str, *, styles: Iterable[str], scripts: Iterable[str], **values: object
) -> str:
    """Returns a page.

    Args:
        template: The name of its template.
        styles: The names of the style sheets that go into it.
        scripts: The names of the scripts that go into it.
        values: What the template shows.
    """
    style, script = (_together(names) for names in (styles, scripts))
    return (
        _environment()
        .get_template(template)
        .render(policy=policy(style, script), style=style, script=script, **values)
    )


def policy(style: str, script: str) -> str:
    """Returns a content security policy that allows this style and this script, and nothing else.

    Content Security Policy Level 3 (W3C), section 8.3: the hash is that of the text between the
    tags, in base64.
    """
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _source(name: str) -> str:
    return resources.files("tournaments.pages").joinpath("templates", name).read_text("utf-8")


def _together(names: Iterable[str]) -> Markup:
    # Our own files; that none of them ends its element early is for a test to say.
    return Markup("".join(map(_source, names)))  # noqa: S704


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tournaments.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "name": shown_name,
        "plain_name": plain_name,
        "told": told,
        "public": public,
        "millis": duration,
        "number": number,
        "upright": dominoes.upright,
        "lying": dominoes.lying,
    }
    environment.globals |= {
        "definitions": dominoes.definitions,
        "generator": f"{GENERATOR} {__version__}",
    }
    return environment


def plain_name(name: str) -> str:
    """Returns a name as one line of visible characters, cut if it is very long."""
    return printable(name, LONGEST_NAME)


def shown_name(name: str) -> Markup:
    """Returns a name as an element that keeps its direction of writing to itself.

    >>> shown_name("<b>")
    Markup('<bdi class="name">&lt;b&gt;</bdi>')
    """
    return Markup('<bdi class="name">{}</bdi>').format(escape(plain_name(name)))


def told(text: str) -> str:
    """Returns what a stranger wrote, what acts or hides written out, but its lines kept."""
    return visible(text, keep="\n\t")


_QUOTED = re.compile(r"""(["'])(?:file://)?/[^"'\n]*/([^"'/\n]+)\1""")
_BARE = re.compile(r"(?<![\w./…])(?:file://)?/(?:[^\s\"'/:,;()]+/)+([^\s\"'/:,;()]+)")


def without_paths(text: str) -> str:
    """Returns what a stranger wrote with the last name of each absolute path instead of the path.

    Pages are published, and where the files of a league lie is nobody's business.

    >>> without_paths('File "/home/ann lee/bots/tall.py", line 3: no:/srv/x/weights.bin, 1/2')
    'File "…/tall.py", line 3: no:…/weights.bin, 1/2'
    >>> without_paths("see https://example.org/a/b")
    'see https://example.org/a/b'
    """
    return _BARE.sub(r"…/\1", _QUOTED.sub(r"\1…/\2\1", text))


def public(text: str) -> str:
    """Returns what a stranger wrote as `told` does, without absolute paths."""
    return told(without_paths(text))


def duration(micros: float | None) -> str:
    """Returns a time in microseconds for people, or nothing for ``None``.

    >>> duration(840), duration(8_400), duration(12_300), duration(2_040_000)
    ('840 µs', '8.4 ms', '12 ms', '2.0 s')
    """
    if micros is None:
        return ""
    if micros < 1_000:
        return f"{micros:.0f} µs"
    if micros < 10_000:
        return f"{micros / 1000:.1f} ms"
    return f"{micros / 1000:.0f} ms" if micros < 1_000_000 else f"{micros / 1_000_000:.1f} s"
