"""Stars: one to three for a level, kept from one start to the next, and drawn; signs: look here,
press this.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.indices import arange
from ecs_softbody.play import Game, say
from ecs_softbody.rendering import Layer, Picture, palette

MOST = 3
POINTS = 5
ARROW = np.array(
    ((0.0, 0.0), (0.34, 0.4), (0.13, 0.4), (0.13, 0.85), (-0.13, 0.85), (-0.13, 0.4), (-0.34, 0.4))
)
"""Its outline from its tip [m]."""
ARROW_TRIANGLES = (5, 6, 0, 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5)
"""Its triangles, as a polygon would be cut into."""


def key_of(game: Game) -> str:
    """Return the name in the saves of the stars of this level; those of a game without levels are
    on its card, too.
    """
    return f"stars {game.level_number + 1}" if game.levels else "stars"


def best_stars(game: Game) -> int:
    """Return the most stars that the player ever got in this level."""
    return game.saves.whole(key_of(game), 0, 0, MOST)


def keep_stars(game: Game, stars: int) -> bool:
    """Keep the stars of this level when there are more than ever; return whether there are."""
    return game.saves.keep_best(key_of(game), stars, low=0, high=MOST)


def star_words(game: Game, number: int) -> str:
    """Return how many stars the player has in a level, counted from 0; "" for none."""
    best = game.saves.whole(f"stars {number + 1}", 0, 0, MOST)
    return say("menu.stars", count=best) if best else ""


def draw_stars(
    picture: Picture,
    count: int,
    at: ArrayLike,
    size: float = 18.0,
    *,
    layer: int = Layer.HUD,
    space: Literal["world", "screen"] = "screen",
) -> None:
    """Draw three stars in a row about a point, the first `count` of gold;
    their radius is `size`.
    """
    turns = np.pi * (0.5 + arange(2 * POINTS) / POINTS)
    star = (
        np.column_stack((np.cos(turns), np.sin(turns)))
        * np.where(arange(2 * POINTS) % 2, 0.45, 1.0)[:, None]
    )
    for number in range(MOST):
        center = np.add(at, (2.3 * size * (number - 0.5 * (MOST - 1)), 0.0))
        fill = palette.GOLD if number < count else palette.faded(palette.TEXT_DIM, 0.3)
        outline = palette.darker(palette.GOLD, 0.4) if number < count else None
        picture.polygon(
            center + size * star, fill, outline=outline, outline_width=2.0, layer=layer, space=space
        )  # fmt: skip


def draw_won_stars(picture: Picture, count: int) -> None:
    """Draw three large stars above the words that a round is won, in a window of any size."""
    at, unit = above_won(picture)
    draw_stars(picture, count, at, 44.0 * unit, layer=Layer.SCREEN + 1)


def above_won(picture: Picture) -> tuple[tuple[float, float], float]:
    """Return the place above the words that a round is won, and the share of its size that a thing
    of 44 has there.
    """
    unit = min(picture.height / 720.0, picture.width / 720.0, 1.0)
    return (0.5 * picture.width, 0.66 * picture.height + 128.0 * unit), unit


def draw_hopping_arrow(
    picture: Picture, place: ArrayLike, frame: int, *, above: float = 0.0
) -> None:
    """Draw an arrow that hops `above` a place [m], and a ring that grows around that: look here."""
    tip = np.add(place, (0.0, above + 0.55 + 0.25 * abs(np.sin(0.1 * frame))))
    places = tip + ARROW
    picture.mesh(Layer.EFFECTS).add_fill(
        picture.to_pixels(places), ARROW_TRIANGLES, palette.rgba(palette.GOLD)
    )
    picture.stroke(places, 3.0, palette.darker(palette.GOLD, 0.5), closed=True, layer=Layer.EFFECTS)
    picture.disc(
        place,
        0.6 + 0.5 * (frame % 60) / 60.0,
        palette.faded(palette.GOLD, 0.18),
        layer=Layer.EFFECTS,
    )


def draw_key_above(picture: Picture, key: str, place: ArrayLike, frame: int) -> None:
    """Draw the cap of a key, and a tip that points down to a place [m]: this key moves what is
    there.
    """
    if not key:
        return
    x, y = (picture.to_pixels(place) / picture.point).tolist()
    size = 20.0
    y = y + 12.0 + 3.0 * float(np.sin(0.12 * frame))
    half = 0.5 * picture.text_width(key.upper(), size) + 10.0
    cap = (*picture.theme.key_cap[:3], 255)
    picture.polygon(
        [(x - 7.0, y), (x, y - 9.0), (x + 7.0, y)],
        palette.GOLD,
        layer=Layer.EFFECTS,
        space="screen",
    )
    picture.panel(
        (x - half, y),
        (x + half, y + 32.0),
        cap,
        outline=palette.GOLD,
        corner=8.0,
        layer=Layer.EFFECTS,
    )
    middle = (x, y + 16.0)
    picture.text(
        key.upper(),
        middle,
        size=size,
        align="center",
        vertical="middle",
        shadow=False,
        layer=Layer.EFFECTS + 1,
    )
