"""Dominoes as SVG: every tile is drawn once on a page, and used from there."""

from __future__ import annotations

from markupsafe import Markup

from referee.rules import TILES, Tile

_LOW, _MIDDLE, _HIGH = 13, 25, 37
_SPOTS = {
    0: (),
    1: ((_MIDDLE, _MIDDLE),),
    2: ((_LOW, _LOW), (_HIGH, _HIGH)),
    3: ((_LOW, _LOW), (_MIDDLE, _MIDDLE), (_HIGH, _HIGH)),
    4: ((_LOW, _LOW), (_HIGH, _LOW), (_LOW, _HIGH), (_HIGH, _HIGH)),
    5: ((_LOW, _LOW), (_HIGH, _LOW), (_MIDDLE, _MIDDLE), (_LOW, _HIGH), (_HIGH, _HIGH)),
    6: (
        (_LOW, _LOW), (_HIGH, _LOW), (_LOW, _MIDDLE),
        (_HIGH, _MIDDLE), (_LOW, _HIGH), (_HIGH, _HIGH),
    ),
}  # fmt: skip
"""By pips: where they lie on one half of an upright tile, which is a square of 50."""
_BACK = (
    '<symbol id="tback" viewBox="0 0 50 100"><rect class="back" x="1" y="1" width="48" height="98" '
    'rx="7"/><rect class="inlay" x="8" y="8" width="34" height="84" rx="3"/></symbol>'
)


def definitions() -> Markup:
    """Returns the drawings of all tiles, upright and lying, and of a tile's back; shows nothing.

    An upright tile is 50 wide and 100 high with its higher end on top: ``#t64``. The lying one,
    ``#h64``, is the same turned to the left.
    """
    halves = [
        f'<g id="p{pips}">'
        + "".join(f'<circle class="pip" cx="{x}" cy="{y}" r="5"/>' for x, y in spots)
        + "</g>"
        for pips, spots in _SPOTS.items()
    ]
    # Nothing here comes from outside: numbers and the names of tiles.
    inside = Markup("".join([*halves, *map(_symbols, TILES), _BACK]))  # noqa: S704
    return Markup(
        '<svg class="definitions" aria-hidden="true" width="0" height="0">{}</svg>'
    ).format(inside)


def _symbols(tile: Tile) -> str:
    name = _name(tile)
    face = (
        '<rect class="face" x="1" y="1" width="48" height="98" rx="7"/>'
        '<line class="bar" x1="8" y1="50" x2="42" y2="50"/>'
        f'<use href="#p{tile.high}"/><use href="#p{tile.low}" y="50"/>'
    )
    lying = f'<g transform="translate(0 50) rotate(-90)">{face}</g>'
    return (
        f'<symbol id="t{name}" viewBox="0 0 50 100">{face}</symbol>'
        f'<symbol id="h{name}" viewBox="0 0 100 50">{lying}</symbol>'
    )


def upright(tile: Tile) -> Markup:
    """Returns *tile* as a picture with its name, upright."""
    return _used(tile, "t", "tile")


def lying(tile: Tile) -> Markup:
    """Returns *tile* as a picture with its name, on its side."""
    return _used(tile, "h", "tile lying")


def _used(tile: Tile, kind: str, style: str) -> Markup:
    return Markup('<svg class="{}" role="img" aria-label="{}"><use href="#{}{}"/></svg>').format(
        style, str(tile), kind, _name(tile)
    )


def _name(tile: Tile) -> str:
    return f"{tile.high}{tile.low}"
