"""Who plays in a tournament, as its file or a command line says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.bots.names import EntrantNameError, NameRefusedError, check_name, entrant_names
from referee.bots.spec import BotSpec, parse_bot, unnamed
from referee.errors import ConfigError, NotFoundError
from tournaments.schedule import (
    DESIGNS,
    EntrantId,
    Format,
    check_entrants,
    house_bots,
    house_names,
)
from tournaments.toml_reader import Reader, shown

HOUSE_BOT = "greedy"
"""What fills the places of a design that nobody has, if the file names no other."""
MOST_ENTRANTS = 100
"""In one tournament: a round robin of so many at tables of three has 323,400 blocks a round."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """What is ranked: one bot, or at tables of four the two bots of a pair.

    Where single bots change partners and are now and then their own, both bots are the same.
    """

    name: EntrantId
    bots: tuple[BotSpec, ...]
    contents: tuple[str, ...] = ()
    """By bot: the hash of all that it runs; empty until they are `described`."""

    def identity(self) -> dict[str, object]:
        """Returns what it is to a run, as JSON values."""
        contents = self.contents or [""] * len(self.bots)
        return {
            "name": self.name,
            "bots": [
                {"text": unnamed(bot.source), "content": content}
                for bot, content in zip(self.bots, contents, strict=True)
            ],
        }


def described(
    entrants: Sequence[Entrant], describe: Callable[[BotSpec], str], path: Path | None
) -> tuple[Entrant, ...]:
    """Returns *entrants* with the contents of their bots.

    Args:
        entrants: The entrants.
        describe: Returns the hash of all that a bot runs.
        path: The file that names them, for messages.

    Raises:
        NotFoundError: if *describe* does not find what a bot runs.
    """
    done = []
    for index, entrant in enumerate(entrants):
        try:
            contents = tuple(describe(bot) for bot in entrant.bots)
        except NotFoundError as error:
            raise NotFoundError(str(_misplaced(path, index, str(error)))) from None
        done.append(Entrant(entrant.name, entrant.bots, contents))
    return tuple(done)


def read_entrants(top: Reader, form: Format, players: int, base: Path) -> tuple[Entrant, ...]:
    """Returns the entrants that the key ``bots`` names.

    Args:
        top: The tournament file.
        form: The format.
        players: How many sit at a table; with four, entrants are pairs, or change partners.
        base: The folder that the texts of bots are relative to.

    Raises:
        ConfigError: if it means nothing; the message names the place.
    """
    items = top.get("bots")
    if items is None:
        raise top.error("bots", 'is missing; write bots = ["greedy", "counter", "./mybot"]')
    if not isinstance(items, list):
        raise top.error("bots", f"expected a list of bots, got {shown(items)}")
    if len(items) > MOST_ENTRANTS:
        problem = f"names {len(items)} entrants; a tournament has at most {MOST_ENTRANTS}"
        raise top.error("bots", problem)
    given: list[str | None] = []
    bots: list[tuple[BotSpec, ...]] = []
    for index, item in enumerate(items):
        name, texts = _entrant(top, f"bots[{index}]", item, players)
        if len(texts) == 1 and DESIGNS[form].seats_held(players) == 2:
            texts *= 2
        given.append(name)
        try:
            bots.append(tuple(parse_bot(text, base) for text in texts))
            _check_apart(bots[-1])
        except ConfigError as error:
            raise _misplaced(top.path, index, str(error)) from None
    try:
        names = tuple(map(EntrantId, entrant_names(bots, given)))
    except EntrantNameError as error:
        raise _misplaced(top.path, error.entrant, str(error)) from None
    try:
        check_entrants(names, seats=players)
    except ConfigError as error:
        raise top.error("bots", str(error).removeprefix("bots: ")) from None
    return tuple(map(Entrant, names, bots))


def with_house_bots(top: Reader, form: Format, players: int, base: Path) -> tuple[object, int]:
    """Returns the value of ``bots`` with house bots in all places that are left, and their number.

    They are those of ``house`` in turn, and are called ``house-1`` and so on.

    Args:
        top: The tournament file.
        form: The format.
        players: How many sit at a table.
        base: The folder that the texts of bots are relative to.

    Raises:
        ConfigError: if the format does not fit, or ``house`` means nothing.
    """
    items, house = top.get("bots"), _house(top, form, base)
    if not isinstance(items, list):
        return items, 0
    try:
        missing = house_bots(form, players, len(items))
    except ConfigError as error:
        key = "format" if error.key == "format" else "bots"
        raise top.error(key, str(error).removeprefix(f"{key}: ")) from None
    for index, item in enumerate(items if DESIGNS[form].is_individual else ()):
        if isinstance(item, list) or (isinstance(item, dict) and isinstance(item.get("bot"), list)):
            problem = f'a list of bots is a pair, and the format "{form}" seats single bots'
            raise top.error(f"bots[{index}]", problem)
    names = house_names(missing)
    padding = [{"bot": house[i % len(house)], "name": name} for i, name in enumerate(names)]
    return [*items, *padding], missing


def _house(top: Reader, form: Format, base: Path) -> list[str]:
    """Returns the texts of the house bots."""
    given = top.get("house")
    if given is None:
        return [HOUSE_BOT]
    if DESIGNS[form].size is None:
        raise top.error("house", f'the format "{form}" has a place for everybody and no more')
    texts: list[str] = []
    for text in given if isinstance(given, list) else [given]:
        if not isinstance(text, str) or unnamed(text) != text.strip() or not text.strip():
            raise top.error("house", f"expected bots without names in front, got {shown(text)}")
        try:
            parse_bot(text, base)
        except ConfigError as error:
            raise top.error("house", str(error)) from None
        texts.append(text)
    if not texts:
        raise top.error("house", "names no bot; leave it out for one that comes with the program")
    return texts


def _check_apart(pair: Sequence[BotSpec]) -> None:
    """Refuses a pair of one remote bot with itself: one process would see two hands of a table."""
    apart = [{program.address for program in bot.programs if program.address} for bot in pair]
    if len(set().union(*apart)) < sum(map(len, apart)):
        raise ConfigError(
            None,
            pair[0].source,
            "a remote bot cannot be its own partner, it would see both hands; start it twice, "
            "and give the list of both addresses",
        )


def _misplaced(path: Path | None, index: int, problem: str) -> ConfigError:
    """Returns a complaint about a bot; in a file, by its place there."""
    return ConfigError(path, None if path is None else f"bots[{index}]", problem)


def _entrant(
    top: Reader, key: str, item: object, players: int
) -> tuple[str | None, tuple[str, ...]]:
    """Returns the name that one item of ``bots`` is given, and the texts of its bots."""
    name = None
    if isinstance(item, dict):
        reader = Reader(item, ("bot", "name"), path=top.path, table=key)
        item = reader.get("bot")
        name = _given_name(reader)
        if item is None:
            raise top.error(f"{key}.bot", "is missing")
    texts: list[str] = []
    for text in item if isinstance(item, list) else [item]:
        if not isinstance(text, str) or not text.strip():
            raise top.error(key, f'expected a bot like "greedy" or "./mybot", got {shown(text)}')
        if name is not None and unnamed(text) != text.strip():
            raise top.error(f"{key}.name", f"{text!r} has a name in front; give one name")
        texts.append(text)
    if players == 3 and isinstance(item, list):
        raise top.error(
            key, 'a list of bots is a pair, and pairs play four at a table: rules = "tournament-4p"'
        )
    if isinstance(item, list) and len(item) != 2:
        raise top.error(key, f"a pair is two bots, got {len(item)}")
    return name, tuple(texts)


def _given_name(reader: Reader) -> str | None:
    name = reader.text("name", default="")
    try:
        return check_name(name) if name else None
    except NameRefusedError as error:
        raise reader.error("name", str(error)) from None
