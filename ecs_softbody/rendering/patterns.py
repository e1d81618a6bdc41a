"""Patterns: pictures made by program, which repeat without a seam. For `Skin(patterns.bricks(),
tile=1.0)`.

Each returns an array (side, side, 4) of bytes. Colours are (red, green, blue) or (red, green, blue,
opacity), 0 to 255.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.errors import FieldError
from ecs_softbody.indices import arange
from ecs_softbody.rendering.palette import Colour, check_colour
from ecs_softbody.validation import check_count

Pattern = NDArray[np.uint8]
LARGEST = 2048
"""Limit of the side of a pattern [px]."""
OVERSAMPLED = 4
"""Samples across and up for each pixel: their mean makes smooth edges."""


def checker(one: Colour, two: Colour, *, count: int = 4, side: int = 128) -> Pattern:
    """Return a board of `count` by `count` fields, an even number."""
    count = check_count("patterns.checker", "count", count)
    if count % 2:
        raise FieldError("patterns.checker", "count", count, "an even number")
    x, y = _grid("checker", side)
    return _painted(
        "checker", ((np.floor(x * count) + np.floor(y * count)) % 2).astype(float), one, two
    )


def stripes(
    one: Colour, two: Colour, *, count: int = 4, slant: int = 0, side: int = 128
) -> Pattern:
    """Return `count` upright stripes of each colour; with `slant` they move that many pairs aside
    on their way up.
    """
    count = check_count("patterns.stripes", "count", count)
    x, y = _grid("stripes", side)
    return _painted("stripes", ((x * count + y * slant) % 1.0 >= 0.5).astype(float), one, two)


def dots(
    one: Colour, two: Colour, *, count: int = 4, size: float = 0.3, side: int = 128
) -> Pattern:
    """Return `count` by `count` dots of colour `two`; `size` is their radius as a share of their
    distance.
    """
    count = check_count("patterns.dots", "count", count)
    x, y = _grid("dots", side)
    away = np.hypot((x * count) % 1.0 - 0.5, (y * count) % 1.0 - 0.5)
    return _painted("dots", (away < size).astype(float), one, two)


def bricks(
    brick: Colour = (176, 86, 66),
    joint: Colour = (214, 200, 184),
    *,
    rows: int = 4,
    side: int = 256,
) -> Pattern:
    """Return a wall of bricks, an even number of rows, every other one moved by half a brick."""
    rows = check_count("patterns.bricks", "rows", rows)
    if rows % 2:
        raise FieldError("patterns.bricks", "rows", rows, "an even number")
    x, y = _grid("bricks", side)
    row = np.floor(y * rows)
    along = (x * (rows // 2) + 0.5 * (row % 2)) % 1.0
    up = (y * rows) % 1.0
    return _painted("bricks", ((up < 0.12) | (along < 0.06)).astype(float), brick, joint)


def noise(one: Colour, two: Colour, *, detail: int = 6, seed: int = 0, side: int = 256) -> Pattern:
    """Return clouds between two colours, such as grass, earth or stone; `detail` is how many there
    are across.
    """
    detail = check_count("patterns.noise", "detail", detail)
    x, y = _grid("noise", side, oversampled=1)
    random = np.random.default_rng(seed)
    total = np.zeros_like(x)
    weight = 0.0
    for octave in range(4):
        count = detail * 2**octave
        total += 0.5**octave * _waves(random.random((count, count)), x, y)
        weight += 0.5**octave
    spread = total / weight
    spread = (spread - spread.min()) / max(float(np.ptp(spread)), 1e-9)
    return _painted("noise", spread, one, two, oversampled=1)


def _waves(values: Floats, x: Floats, y: Floats) -> Floats:
    """Return values on a grid that repeats, smoothly between its points."""
    count = len(values)
    column = x * count
    row = y * count
    i = np.floor(column).astype(np.int64)
    j = np.floor(row).astype(np.int64)
    u = column - i
    v = row - j
    u = u * u * (3.0 - 2.0 * u)
    v = v * v * (3.0 - 2.0 * v)
    a = values[j % count, i % count]
    b = values[j % count, (i + 1) % count]
    c = values[(j + 1) % count, i % count]
    d = values[(j + 1) % count, (i + 1) % count]
    smooth: Floats = (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v
    return smooth


def _grid(name: str, side: int, oversampled: int = OVERSAMPLED) -> tuple[Floats, Floats]:
    """Return x and y of all samples of a pattern, 0 to 1."""
    side = check_count(f"patterns.{name}", "side", side)
    if side > LARGEST:
        raise FieldError(f"patterns.{name}", "side", side, f"at most {LARGEST} pixels")
    places = (arange(side * oversampled) + 0.5) / (side * oversampled)
    x, y = np.meshgrid(places, places)
    return x, y


def _painted(
    name: str, share: Floats, one: Colour, two: Colour, oversampled: int = OVERSAMPLED
) -> Pattern:
    """Return the pattern that mixes two colours by the share (0 to 1) of the second one in each
    sample.
    """
    side = len(share) // oversampled
    share = share.reshape(side, oversampled, side, oversampled).mean(axis=(1, 3))[:, :, None]
    low, high = (_four(name, colour) for colour in (one, two))
    return np.rint(low + (high - low) * share).astype(np.uint8)


def _four(name: str, colour: Colour) -> Floats:
    checked = check_colour("patterns", name, colour)
    return np.array((*checked, 255)[:4], np.float64)
