"""Head-up display: coins, gems, the charge that turns time back, and time."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.play import say
from ecs_softbody.rendering import Layer, Picture, draw_cached, palette

BELOW_TOP = 42.0  # points from the upper edge to the middle of the line
NARROW = 760.0  # points: in a narrower window the charge stands in a second line
LINE = 62.0  # points to the next line
SIZE = 36.0
LOW_CORNER = 26.0
HIGH_CORNER = 26.0
CHARGE_LEFT = 388.0
CHARGE_LENGTH = 116.0
VEIL = 0.16
"""How much the picture is tinted while time turns back."""


def draw_hud(
    picture: Picture,
    *,
    coins: int,
    all_coins: int,
    secrets: int,
    all_secrets: int,
    time: float,
    best: float | None,
    charge: float,
    ready: bool,
    turning: bool,
) -> None:
    """Write the numbers along the top of the screen; `charge` from 0 to 1."""
    if turning:
        veil = palette.faded(palette.VIOLET, VEIL)
        picture.rectangle(
            (0.0, 0.0), (picture.width, picture.height), veil, layer=Layer.EFFECTS, space="screen"
        )
    ready = ready or turning
    colour = palette.TEXT if turning else palette.VIOLET if ready else palette.TEXT_DIM

    def draw_numbers() -> None:
        _draw_coins(picture, coins, all_coins)
        draw_gems_found(picture, secrets, all_secrets)
        _draw_empty_charge(picture, colour)

    draw_cached(picture, "numbers", (coins, all_coins, secrets, all_secrets, colour), draw_numbers)
    _draw_charge(picture, charge, colour)  # it changes in every frame
    clock = _clock(time)
    ghost = "" if best is None else say("platformer.ghost", clock=_clock(best))
    draw_cached(picture, "clock", (clock, ghost), lambda: _draw_clock(picture, clock, ghost))


def _clock(time: float) -> str:
    return f"{int(time // 60)}:{time % 60:04.1f}"


def _draw_clock(picture: Picture, clock: str, ghost: str) -> None:
    right = picture.width - 20.0
    top = picture.height - BELOW_TOP
    picture.panel((right - 150.0, top - LOW_CORNER), (right, top + HIGH_CORNER), corner=26.0)
    picture.text(clock, (right - 24.0, top), size=SIZE, align="right", vertical="middle")
    if ghost:
        picture.text(ghost, (right - 24.0, top - 46.0), size=22.0, align="right", vertical="middle")


def _place_of_charge(picture: Picture) -> tuple[float, float]:
    """Return the left end of the charge, and the height of its middle [points]."""
    narrow = picture.width < NARROW
    return (
        (20.0, picture.height - BELOW_TOP - LINE)
        if narrow
        else (CHARGE_LEFT, picture.height - BELOW_TOP)
    )


def _draw_empty_charge(picture: Picture, colour: palette.Colour) -> None:
    """Draw two arrows that point back, and the room for the charge."""
    left, top = _place_of_charge(picture)
    right = left + 76.0 + CHARGE_LENGTH
    picture.panel((left, top - LOW_CORNER), (right, top + HIGH_CORNER), corner=26.0)
    for x in (left + 18.0, left + 34.0):
        arrow = [(x, top), (x + 15.0, top + 12.0), (x + 15.0, top - 12.0)]
        picture.polygon(arrow, palette.lighter(colour), layer=Layer.HUD, space="screen")
    _draw_bar(picture, 1.0, palette.faded(palette.TEXT_DIM, 0.25))


def _draw_charge(picture: Picture, charge: float, colour: palette.Colour) -> None:
    """Draw how much charge there is, over the room for it."""
    if charge > 0.02:
        _draw_bar(picture, charge, palette.lighter(colour))


def _draw_bar(picture: Picture, length: float, fill: palette.Colour) -> None:
    left, top = _place_of_charge(picture)
    start = left + 60.0
    picture.panel((start, top - 8.0), (start + CHARGE_LENGTH * length, top + 8.0), fill, corner=8.0)


def _draw_coins(picture: Picture, coins: int, all_coins: int) -> None:
    top = picture.height - BELOW_TOP
    picture.panel((20.0, top - LOW_CORNER), (198.0, top + HIGH_CORNER), corner=26.0)
    draw_coins(picture, (48.0, top), 17.0, 1.0, layer=Layer.HUD, space="screen")
    width = picture.text(f"{coins}", (76.0, top), size=SIZE, colour=palette.GOLD, vertical="middle")
    picture.text(
        f"/ {all_coins}", (84.0 + width, top), size=24.0, colour=palette.TEXT_DIM, vertical="middle"
    )


def draw_gems_found(picture: Picture, found: int, count: int) -> None:
    """Draw as many gems as there are, those found in colour."""
    if count == 0:
        return
    left = 214.0
    step = 46.0
    top = picture.height - BELOW_TOP
    picture.panel(
        (left, top - LOW_CORNER), (left + 20.0 + step * count, top + HIGH_CORNER), corner=26.0
    )
    for number in range(count):
        middle = (left + 10.0 + step * (number + 0.5), top)
        draw_gem(picture, middle, 16.0, dim=number >= found, layer=Layer.HUD, space="screen")


def draw_gem(
    picture: Picture,
    at: ArrayLike,
    size: float,
    *,
    dim: bool = False,
    layer: int = Layer.DECOR,
    space: Literal["world", "screen"] = "world",
) -> None:
    """Draw a cut stone about a place; it is `size` high above and below."""
    outline = size * np.array(((0.0, -1.0), (0.85, 0.25), (0.5, 0.85), (-0.5, 0.85), (-0.85, 0.25)))
    crown = size * np.array(((0.85, 0.25), (0.5, 0.85), (-0.5, 0.85), (-0.85, 0.25)))
    shine = size * np.array(((-0.25, 0.25), (0.25, 0.25), (0.0, -1.0)))
    fill = palette.faded(palette.TEXT_DIM, 0.25) if dim else palette.VIOLET
    picture.polygon(
        np.add(at, outline),
        fill,
        outline=None if dim else palette.darker(palette.VIOLET, 0.4),
        outline_width=2.0,
        layer=layer,
        space=space,
    )
    if not dim:
        picture.polygon(
            np.add(at, crown), palette.lighter(palette.VIOLET, 0.5), layer=layer, space=space
        )
        picture.polygon(
            np.add(at, shine), palette.lighter(palette.VIOLET, 0.3), layer=layer, space=space
        )


def draw_coins(
    picture: Picture,
    positions: ArrayLike,
    radius: float,
    turns: ArrayLike,
    *,
    layer: int = Layer.DECOR,
    space: Literal["world", "screen"] = "world",
) -> None:
    """Draw coins at places (N, 2); `turns` (N,), -1 to 1, is how much of their faces is seen."""
    middle = picture.to_pixels(positions, space).reshape(-1, 2)
    radius_px = picture.length_to_pixels(radius, space)
    wide = np.maximum(np.abs(np.asarray(turns, np.float64)), 0.14)
    shape = radius_px * np.column_stack((wide, np.ones(len(middle))))
    gold = palette.GOLD
    amber = palette.AMBER
    shine = middle + shape * (-0.3, 0.42)
    mesh = picture.mesh(layer)
    mesh.add_ellipses(middle, shape, palette.rgba(palette.darker(amber, 0.35)))
    mesh.add_ellipses(middle, shape * 0.86, palette.rgba(gold))
    mesh.add_ellipses(middle, shape * 0.54, palette.rgba(palette.mixed(gold, amber, 0.55)))
    mesh.add_ellipses(shine, shape * (0.2, 0.14), palette.rgba(palette.TEXT))
