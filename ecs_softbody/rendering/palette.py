"""The palette: every colour that the included pictures use, in one place.

A colour is (r, g, b) or (r, g, b, a).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.errors import FieldError
from ecs_softbody.validation import check_number, is_whole

Colour = tuple[int, ...]
"""(red, green, blue) or (red, green, blue, alpha), each 0 to 255."""

# The default theme.
SKY_TOP: Colour = (23, 24, 46)
"""Upper end of the default sky."""
SKY_BOTTOM: Colour = (57, 66, 112)
"""Lower end of the default sky."""
FAR: Colour = (40, 45, 80)
GROUND: Colour = (26, 28, 50)
"""Upper part of the default ground."""
GROUND_DEEP: Colour = (17, 18, 34)
"""Lower part of the default ground."""
GROUND_EDGE: Colour = (142, 156, 214)
"""Line along the default ground."""

# Bodies and things in the world.
CORAL: Colour = (240, 98, 92)
AMBER: Colour = (244, 170, 66)
GREEN: Colour = (98, 200, 116)
TEAL: Colour = (56, 188, 192)
BLUE: Colour = (82, 144, 246)
VIOLET: Colour = (154, 114, 238)
PINK: Colour = (238, 112, 180)
GOLD: Colour = (255, 209, 92)
SAND: Colour = (222, 196, 150)
STEEL: Colour = (140, 152, 178)
WATER: Colour = (70, 150, 224)
BODY_COLOURS: tuple[Colour, ...] = (CORAL, TEAL, AMBER, VIOLET, GREEN, PINK, BLUE)
"""Colours of bodies without a fill of their own, by the number of the entity."""

# Texts, panels and screens.
TEXT: Colour = (250, 250, 255)
TEXT_DIM: Colour = (186, 194, 222)
TEXT_ACCENT: Colour = GOLD
TEXT_SHADOW: Colour = (10, 11, 24, 190)
"""Shadow behind texts."""
PANEL: Colour = (14, 15, 32, 208)
"""Background of numbers."""
DIM: Colour = (10, 11, 24, 150)
"""Veil over the world behind a screen."""
KEY_CAP: Colour = (62, 70, 118, 235)
"""Cap of a key, and parts that are empty."""
GOOD: Colour = (120, 226, 140)
BAD: Colour = (226, 62, 74)
SHADOW: Colour = (6, 7, 18, 120)
"""Shadows on the ground, and the shade where bodies touch."""
EYE_WHITE: Colour = (252, 252, 255)
EYE_PUPIL: Colour = (24, 22, 40)

# The debug overlay.
COMPRESSED: Colour = (90, 150, 255)
"""Compressed springs, in the debug overlay."""
RELAXED: Colour = (200, 204, 214)
"""Springs at their rest length, in the debug overlay."""
STRETCHED: Colour = (255, 92, 84)
"""Stretched springs, and joints near their break force, in the debug overlay."""
CONTACT: Colour = (255, 222, 90)
"""Contacts and their normals, in the debug overlay."""
VELOCITY: Colour = (130, 240, 170)
"""Velocities of particles, in the debug overlay."""

WHITE: Colour = (255, 255, 255)
NIGHT: Colour = (14, 10, 34)
"""Colours mixed in to make others lighter and darker."""


def check_colour(owner: str, field: str, value: Any, also: str = "") -> Colour:
    """Return a colour as a tuple of whole numbers; `also` names other allowed values, for the
    message.

    Raises:
        FieldError: if it is not a colour.
    """
    parts = tuple(value) if isinstance(value, tuple | list | np.ndarray) else ()
    if len(parts) in (3, 4) and all(is_whole(part) and 0 <= part <= 255 for part in parts):
        return tuple(int(part) for part in parts)
    if isinstance(value, str):
        hint = (
            "; the colours of this library are in ecs_softbody.rendering.palette, such as "
            "palette.CORAL"
        )
    elif parts and all(
        isinstance(part, int | float | np.number) and 0.0 <= part <= 1.0 for part in parts
    ):
        hint = f"; that would be {tuple(round(255 * part) for part in parts)}"
    else:
        hint = ""
    raise FieldError(
        owner,
        field,
        value,
        f"(r, g, b) or (r, g, b, a), each a whole number from 0 to 255{also}{hint}",
    )


def body_colour(number: int) -> Colour:
    """Return one of the body colours; equal numbers give equal colours."""
    return BODY_COLOURS[number % len(BODY_COLOURS)]


def mixed(first: Colour, second: Colour, share: float) -> Colour:
    """Return `first` with `share` (0 to 1) of `second` in it, and the alpha of `first`."""
    return _mixed_for("mixed", first, second, share)


def _mixed_for(asked: str, first: Colour, second: Colour, share: float) -> Colour:
    """Return the mixed colour that a function was asked for, whose name errors have."""
    try:
        return _mixed(first, second, share)
    except (TypeError, ValueError, IndexError):
        check_colour(f"palette.{asked}", "colour", first)
        check_colour(f"palette.{asked}", "colour", second)
        check_number(f"palette.{asked}", "share", share)
        raise


@lru_cache(maxsize=4096)
def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    red, green, blue = (
        round(a + (b - a) * share) for a, b in zip(first[:3], second[:3], strict=True)
    )
    return (red, green, blue, *first[3:])


def lighter(colour: Colour, share: float = 0.35) -> Colour:
    """Return the colour with `share` of white in it."""
    return _mixed_for("lighter", colour, WHITE, share)


def darker(colour: Colour, share: float = 0.4) -> Colour:
    """Return the colour with `share` of a deep night blue in it."""
    return _mixed_for("darker", colour, NIGHT, share)


def faded(colour: Colour, opacity: float) -> Colour:
    """Return the colour at `opacity` (0 to 1) of its own alpha."""
    try:
        if isinstance(colour, str):
            check_colour("palette.faded", "colour", colour)
        alpha = colour[3] if len(colour) > 3 else 255
        return (*colour[:3], round(alpha * min(max(opacity, 0.0), 1.0)))
    except (TypeError, ValueError, IndexError):
        check_colour("palette.faded", "colour", colour)
        check_number("palette.faded", "opacity", opacity)
        raise


@lru_cache(maxsize=4096)
def rgba(colour: Colour) -> NDArray[np.float32]:
    """Return the colour as four numbers 0 to 1, shape (4,); do not write to it."""
    colour = check_colour("palette.rgba", "colour", colour)
    values = np.array(
        (*colour[:3], colour[3] if len(colour) == 4 else 255), np.float32
    ) / np.float32(255.0)
    values.flags.writeable = False
    return values


def table_of(colours: Sequence[Colour]) -> Floats:
    """Return a table of colours, components 0 to 255, shape (N, 4), for `all_lighter` and similar
    functions.
    """
    return np.array(
        [colour if len(colour) == 4 else (*colour, 255) for colour in colours], np.float64
    )


def all_lighter(table: Floats, share: float | Floats) -> Floats:
    """Apply `lighter` to each colour of a table; `share` is one number, or an array (N, 1)."""
    return _all_mixed(table, WHITE, share)


def all_darker(table: Floats, share: float | Floats) -> Floats:
    """Apply `darker` to each colour of a table."""
    return _all_mixed(table, NIGHT, share)


def _all_mixed(table: Floats, second: Colour, share: float | Floats) -> Floats:
    made = table.copy()
    made[:, :3] = np.rint(table[:, :3] + (np.array(second) - table[:, :3]) * share)
    return made


def all_faded(table: Floats, opacity: Floats) -> Floats:
    """Apply `faded` to each colour of a table with its opacity, shape (N,)."""
    made = table.copy()
    made[:, 3] = np.rint(table[:, 3] * np.clip(opacity, 0.0, 1.0))
    return made


def shares_of(table: Floats) -> NDArray[np.float32]:
    """Apply `rgba` to each colour of a table; the result has the same shape."""
    return table.astype(np.float32) / np.float32(255.0)
