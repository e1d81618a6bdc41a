"""Vision: how people with the three kinds of colour blindness see colours, and colours that they
tell apart.

The matrices are taken from G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A
Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE Transactions on
Visualization and Computer Graphics 15(6), 2009, for a full deficiency; they hold for linear light.
The lost part is moved into the channels that are still seen, as O. Fidaner, P. Lin and N. Ozguven
proposed ("Analysis of Color Blindness", 2005).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.errors import FieldError

Colours = Literal["usual", "protanopia", "deuteranopia", "tritanopia"]
SEEN: dict[str, Floats] = {
    "protanopia": np.array(
        (
            (0.152286, 1.052583, -0.204868),
            (0.114503, 0.786281, 0.099216),
            (-0.003882, -0.048116, 1.051998),
        )
    ),
    "deuteranopia": np.array(
        (
            (0.367322, 0.860646, -0.227968),
            (0.280085, 0.672501, 0.047413),
            (-0.011820, 0.042940, 0.968881),
        )
    ),
    "tritanopia": np.array(
        (
            (1.255528, -0.076749, -0.178779),
            (-0.078411, 0.930809, 0.147602),
            (0.004733, 0.691367, 0.303900),
        )
    ),
}
"""Linear red, green, blue -> the colour as it is seen."""
_RED_GREEN = np.array(((0.0, 0.0, 0.0), (0.7, 1.0, 0.0), (0.7, 0.0, 1.0)))
"""Part of a colour that eyes with a weakness for red or green miss -> addition: 0.7 of the
missing red to green and to blue, where it is seen.
"""
_BLUE_YELLOW = np.array(((1.0, 0.0, 0.7), (0.0, 1.0, 0.7), (0.0, 0.0, 0.0)))
"""The same for a weakness for blue: 0.7 of the missing blue goes to red and to green."""
_XYZ = np.array(((0.4339, 0.3762, 0.1899), (0.2127, 0.7152, 0.0722), (0.0177, 0.1095, 0.8729)))
"""Linear red, green, blue -> X, Y, Z relative to white."""
KINDS: tuple[Colours, ...] = ("usual", "protanopia", "deuteranopia", "tritanopia")
"""Choices of the setting of colours."""


def correction(kind: Colours) -> NDArray[np.float32]:
    """Return the matrix that colours (0 to 1, as they are on the screen) are multiplied by for a
    kind of vision.

    Raises:
        ValueError: for a word that is not in `KINDS`.
    """
    if kind == "usual":
        return np.eye(3, dtype=np.float32)
    if kind not in SEEN:
        raise FieldError("colours", "", kind, f"one of {', '.join(KINDS)}")
    moved = _BLUE_YELLOW if kind == "tritanopia" else _RED_GREEN
    return (np.eye(3) + moved @ (np.eye(3) - SEEN[kind])).astype(np.float32)


def seen_as(colour: ArrayLike, kind: Colours) -> Floats:
    """Return colours (0 to 1, shape (..., 3), as they are on the screen) as someone with a kind of
    vision sees them.
    """
    if kind == "usual":
        return np.asarray(colour, np.float64)
    screen = np.asarray(colour, np.float64)
    light = np.where(screen <= 0.04045, screen / 12.92, ((screen + 0.055) / 1.055) ** 2.4)
    light = np.clip(light @ SEEN[kind].T, 0.0, 1.0)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)


def difference(
    one: ArrayLike, other: ArrayLike, kind: Colours = "usual", *, corrected: bool = False
) -> float:
    """Return how far two colours are apart for someone with a kind of vision: deltaE of CIE 1976; 2
    is just seen.

    Args:
        one, other: red, green, blue from 0 to 255.
        kind: of vision.
        corrected: as the setting for this kind shows them.
    """
    pair = (
        np.asarray([tuple(np.asarray(colour, np.float64)[:3]) for colour in (one, other)]) / 255.0
    )
    if corrected:
        pair = np.clip(pair @ correction(kind).T, 0.0, 1.0)
    first, second = _lab(seen_as(pair, kind))
    return float(np.linalg.norm(first - second))


def _lab(colours: Floats) -> Floats:
    """Return colours of the screen in CIE L*a*b* under the light D65."""
    light = (
        np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4) @ _XYZ.T
    )
    root = np.where(light > 0.008856, np.cbrt(light), 7.787 * light + 16.0 / 116.0)
    x, y, z = root.T
    return np.stack((116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)), axis=1)
