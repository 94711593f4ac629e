"""The names of entries and authors: nobody can take one for another, or hide behind one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby

from referee.bots.names import NameRefusedError, check_name
from referee.errors import ConfigError

DISTINCT = 34
"""By how many of its first characters a name has to differ from all others: what is left of it
where the number of a version stands behind it, in the 40 characters that a table has for both."""

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What is a letter, a mark or a sign to Unicode and shows nothing."""
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_MARKS = 2
"""How many marks may stand on one letter: some scripts need two, and a heap hides others."""
_KNOWN = re.compile(
    "ARMENIAN|BENGALI|BOPOMOFO|CHEROKEE|CJK|COPTIC|CYRILLIC|DEVANAGARI|ETHIOPIC|GEORGIAN|GREEK"
    "|GUJARATI|GURMUKHI|HANGUL|HIRAGANA|IDEOGRAPHIC|KANNADA|KATAKANA|KHMER|LAO|LATIN|MALAYALAM"
    "|MYANMAR|ORIYA|SINHALA|TAMIL|TELUGU|THAI|TIBETAN"
)
"""Scripts that names may be written in: `look` has the letters of theirs that look Latin."""
_ALPHABETS = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GEORGIAN", "GREEK", "LATIN"})
"""Scripts that have letters in common with one another, by sight."""

_PAIRS = (
    "АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ҮY ӀI ԚQ ԜW ԌG "
    "аa еe ѕs іi јj оo рp сc уy хx һh ԁd ԛq ԝw ӏl вb кk мm нh тt гr пn ѵv ҫc ҽe "
    "ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC Ϳj "
    "αa γy εe ηn ιi κk νv οo ρp σo τt υu χx ωw ϲc ϳj "
    "օo սu ոn հh ցg զq ԱU ՍU ՏS ՕO Լl "
    "ᎪA ᏴB ᏟC ᎠD ᎬE ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᏚS ᎢT ᏙV ᎳW ᏃZ "
    "ⲞO ⲟo Ⲥc ⲥc ⲢP ⲣp ⲦT ⲬX ⲔK ⲎH ⲘM ⲚN ⲀA Ⲃb "
    "ıi ɑa ɡg ɩi ɪi ʀr ʏy ʙb ɢg ʜh ʟl ɴn ᴀa ᴄc ᴅd ᴇe ᴊj ᴋk ᴍm ᴏo ᴘp ᴛt ᴜu ᴠv ᴡw ᴢz "
    "ꜰf ꜱs øo đd łl ħh"
)
_ALIKE = str.maketrans({pair[0]: pair[1] for pair in _PAIRS.split()})
_STROKES = str.maketrans("01i|!", "ollll")
"""What is told apart in few fonts, or in none that everybody uses."""


def check_league_name(name: str, what: str = "name") -> str:
    r"""Returns *name* in its one form: compatible characters made equal, single spaces.

    >>> check_league_name("  \uff34all   bot ")
    'Tall bot'

    Args:
        name: What somebody wrote.
        what: What it is the name of, for messages.

    Raises:
        NameRefusedError: if it is empty or longer than 40 characters, would not show as it is, is
            written from right to left, or mixes alphabets that share letters by sight.
    """
    plain = " ".join(unicodedata.normalize("NFKC", name).split(" ")).strip()
    plain = check_name(re.sub(" +", " ", plain))
    problem = _problem(plain)
    if problem:
        raise NameRefusedError(f"the {what} {plain!r} {problem}")
    return plain


def check_reason(text: str, option: str) -> str:
    r"""Returns the reason *text*, which is published, without spaces around it.

    >>> check_reason("one\x1b[2Jtwo", "--why")
    Traceback (most recent call last):
    referee.errors.ConfigError: --why: holds U+001B, which does not show as it is; leave it out

    Args:
        text: What somebody wrote; may be empty.
        option: Where, for messages.

    Raises:
        ConfigError: if it would not show as it is: control characters, line ends, marks that turn
            the direction of writing, or letters that are written from right to left.
    """
    for character in text:
        turns = unicodedata.bidirectional(character) in _RIGHT_TO_LEFT
        if turns or not character.isprintable():
            why = "is written from right to left" if turns else "does not show as it is"
            code = f"U+{ord(character):04X}"
            raise ConfigError(None, option, f"holds {code}, which {why}; leave it out")
    return text.strip()


def look(name: str) -> str:
    r"""Returns what two names share if people may take one for the other.

    Case, accents, spaces and punctuation do not count, nor what looks alike: letters of other
    alphabets, ``0`` and ``o``, ``1`` and ``l`` and ``i``, ``rn`` and ``m``, ``vv`` and ``w``.

    >>> look("Tall-Bot") == look("ta11 b0t") == look("\u0422\u0430ll bot")
    True
    """
    plain = unicodedata.normalize("NFKC", name).translate(_ALIKE)
    letters = (c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    folded = "".join(map(_digit, letters)).casefold().translate(_ALIKE).translate(_STROKES)
    shape = "".join(c for c in folded if c.isalnum())
    return shape.replace("rn", "m").replace("vv", "w")


def too_like(name: str, others: Iterable[str]) -> str | None:
    """Returns the one of *others* that people may take *name* for, but for *name* itself."""
    own = look(name[:DISTINCT])
    return next((o for o in others if o != name and look(o[:DISTINCT]) == own), None)


def _digit(character: str) -> str:
    value = unicodedata.digit(character, None)
    return character if value is None else str(value)


def _problem(name: str) -> str:
    """Returns what is wrong with *name*, empty if nothing is."""
    if found := _INVISIBLE.search(name):
        return f"holds U+{ord(found[0]):04X}, which shows nothing"
    if problem := _letters_problem(name):
        return problem
    if "#" in name:
        return "holds a #, which stands before the number of a version"
    if name.startswith("-"):
        return "begins with a -, as options do"
    if not look(name):
        return "has no letter and no digit"
    if _most_marks(name) > _MARKS:
        return f"has more than {_MARKS} marks on one letter"
    return ""


def _letters_problem(name: str) -> str:
    """Returns what is wrong with the letters of *name*, empty if nothing is."""
    for character in name:
        script = _script(character)
        if unicodedata.bidirectional(character) in _RIGHT_TO_LEFT:
            return f"holds {character!r}, which is written from right to left"
        if character.isalpha() and not _KNOWN.fullmatch(script):
            return (
                f"holds {character!r}, a letter of an alphabet ({script.capitalize()}) that is not "
                "told apart from others here; write it in another one, such as Latin"
            )
    scripts = {_script(c) for c in name if c.isalpha()} & _ALPHABETS
    if len(scripts) > 1:
        return f"mixes {' and '.join(sorted(s.capitalize() for s in scripts))} letters; use one"
    return ""


def _script(character: str) -> str:
    return re.split("[ -]", unicodedata.name(character, "unknown"))[0]


def _most_marks(name: str) -> int:
    runs = groupby(name, key=lambda c: unicodedata.category(c) in {"Mn", "Me"})
    return max((len(list(run)) for is_mark, run in runs if is_mark), default=0)
