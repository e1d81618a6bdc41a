"""Strata: layers and stones in the ground below a chain; their places come from the world's, so
they stay put.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.indices import flatnonzero, searchsorted
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.picture import Picture

LAYERS = ((0.42, 0.10), (0.95, 0.20), (1.75, 0.30))
"""Depth below the surface and thickness [m]."""
STEEP = 1.6
"""Slope from which a cliff shows no layers."""
CELL = 0.85
"""One stone in each stretch of the ground of this length [m]."""
LEAST_COVER = 0.12
"""Ground above a stone [m]."""
RIGHT = np.array((1.0, 0.0))
"""Unit vector to the right."""
UP = np.array((0.0, 1.0))
"""Unit vector upwards."""
FADING = 2.5
"""Layers that go on below higher ground fade out over this length [m]."""
LARGEST_STONE = 0.2
"""Limit of half the width of a stone [m]."""
MOST_CHAINS = 64
"""Chains whose layers are kept."""


def draw_strata(
    picture: Picture,
    vertices: Floats,
    colour: Colour,
    layer: int,
    seen_from_to: tuple[float, float] | None = None,
) -> None:
    """Add the strata below a chain of points (V, 2) [m] that runs from left to right, or back,
    within an x range.
    """
    line = vertices if vertices[0, 0] <= vertices[-1, 0] else vertices[::-1]
    # Strata are kept in world coordinates, by the bytes of the chain: a picture only moves the
    # visible part.
    strata = _strata_of(np.ascontiguousarray(line, np.float64).tobytes(), colour)
    left, right = seen_from_to or picture.view.bounds[::2]
    seen = flatnonzero((strata.left < right) & (strata.right > left))
    if len(seen):
        first = seen[0]
        last = seen[-1] + 1
        start = strata.point_start[first]
        stop = strata.point_start[last]
        points = picture.to_pixels(strata.points[start:stop])
        triangles = (
            strata.triangles[strata.triangle_start[first] : strata.triangle_start[last]] - start
        )
        picture.mesh(layer).add_fill(points, triangles, strata.colours[start:stop])
    at, until = searchsorted(
        strata.stones[:, 0], (left - LARGEST_STONE, right + LARGEST_STONE)
    ).tolist()
    if at < until:
        centers = picture.to_pixels(strata.stones[at:until])
        picture.mesh(layer).add_ellipses(
            centers, strata.sizes[at:until] * picture.view.scale, strata.tones[at:until]
        )


class Strata(NamedTuple):
    """The layers below one chain, in world coordinates; R gentle runs, one after the other."""

    points: Floats  # (P, 2) [m], of all layers
    triangles: NDArray[np.int32]  # (T, 3)
    colours: NDArray[np.float32]  # (P, 4)
    point_start: NDArray[np.int32]  # (R + 1,) first point of each run
    triangle_start: NDArray[np.int32]  # (R + 1,) first triangle of each run
    left: Floats  # (R,) [m] how far the layers of a run reach
    right: Floats
    stones: Floats  # (S, 2) [m], from left to right
    sizes: Floats  # (S, 2) half their width and height [m]
    tones: NDArray[np.float32]  # (S, 4)


@lru_cache(maxsize=MOST_CHAINS)
def _strata_of(chain: bytes, colour: Colour) -> Strata:
    """Return the layers below a chain of points from left to right: the bytes of (V, 2) [m]."""
    line = np.frombuffer(chain, np.float64).reshape(-1, 2)
    points = [np.zeros((0, 2))]
    triangles = [np.zeros((0, 3), np.int32)]
    colours = [np.zeros((0, 4), np.float32)]
    point_start = [0]
    triangle_start = [0]
    left = []
    right = []
    for run in gentle_runs(line):
        start = point_start[-1]
        quads = triangle_start[-1]
        for depth, thickness in LAYERS:
            middle, shares = into_cliffs(line, run, depth, thickness)
            tints = np.tile(rgba(palette.faded(colour, 0.75 - 0.2 * depth)), (len(middle), 1))
            tints[:, 3] *= shares
            upper, lower = (middle + rise * UP for rise in (0.5 * thickness, -0.5 * thickness))
            points += [upper, lower]
            colours += [tints, tints]
            triangles.append(_between(len(middle), start))
            start = start + 2 * len(middle)
            quads = quads + 2 * len(middle) - 2
        point_start.append(start)
        triangle_start.append(quads)
        left.append(float(line[run][0, 0]) - FADING)
        right.append(float(line[run][-1, 0]) + FADING)
    starts = np.array(point_start, np.int32), np.array(triangle_start, np.int32)
    rising = bool((np.diff(line[:, 0]) >= 0.0).all())
    places, sizes, tones = _stones_of(line if rising else line[:0], colour)
    return Strata(
        np.concatenate(points),
        np.concatenate(triangles),
        np.concatenate(colours),
        *starts,
        np.array(left),
        np.array(right),
        places,
        sizes,
        tones,
    )


def _between(count: int, start: int) -> NDArray[np.int32]:
    """Return the triangles between two lines of points, one after the other, that begin with point
    `start`.
    """
    a = np.arange(start, start + count - 1, dtype=np.int32)[:, None]
    return (a + np.array([0, count, 1, 1, count, count + 1], np.int32)).reshape(-1, 3)


def into_cliffs(
    line: Floats, run: slice, depth: float, thickness: float
) -> tuple[Floats, NDArray[np.float32]]:
    """Return a layer below a run of the chain, level beyond both ends, and how much of it is seen
    at each point.

    Below higher ground it fades out; above lower ground it ends at the cliff.
    """
    ends = []
    shares = []
    for side, path in ((-1.0, line[: run.start + 1][::-1]), (1.0, line[run.stop - 1 :])):
        way = side * (path[:, 0] - path[0, 0])
        height = path[:, 1]
        top = height[0] - depth + 0.5 * thickness
        free = FADING
        bare = flatnonzero(height < top)
        if len(bare):
            # The ground sinks to the layer between the vertices `last` and `low`.
            last = bare[0] - 1
            low = bare[0]
            share = (height[last] - top) / (height[last] - height[low])
            # Under an overhang this is below 0.
            free = min(way[last] + share * (way[low] - way[last]), FADING)
        ends.append(path[:1] + side * free * RIGHT)
        shares.append([1.0 - max(free, 0.0) / FADING])
    middle = np.concatenate((ends[0], line[run], ends[1])) - depth * UP
    middle[:, 0] = middle[:, 0].clip(middle[0, 0], middle[-1, 0])
    return middle, np.concatenate((shares[0], np.ones(len(middle) - 2), shares[1])).astype(
        np.float32
    )


def gentle_runs(line: Floats, steep: float = STEEP) -> list[slice]:
    """Return which parts of a chain are less steep than a slope, each of two points or more."""
    steps = np.diff(line, axis=0)
    gentle = np.abs(steps[:, 1]) <= steep * steps[:, 0]
    ends = flatnonzero(np.diff(np.concatenate(([False], gentle, [False])).astype(np.int8))).tolist()
    return [slice(first, last + 1) for first, last in zip(ends[::2], ends[1::2], strict=True)]


def _stones_of(line: Floats, colour: Colour) -> tuple[Floats, Floats, NDArray[np.float32]]:
    """Return places (S, 2), half widths and heights (S, 2) [m] and colours (S, 4) of the stones
    below a chain.
    """
    if not len(line):
        return np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 4), np.float32)
    cells = np.arange(np.floor(line[0, 0] / CELL), np.ceil(line[-1, 0] / CELL), dtype=np.float64)
    shift, deep, big, tone = (scattered(cells, number) for number in range(4))
    x = (cells + shift) * CELL
    size = 0.05 + 0.13 * big**2
    x = np.clip(x, line[0, 0], line[-1, 0])
    covers = np.array([np.interp(x + side * size, *line.T) for side in (-1.5, 0.0, 1.5)]).min(
        axis=0
    )
    y = np.interp(x, *line.T) - 0.3 - 2.4 * deep
    hidden = y + size + LEAST_COVER < covers
    colours = np.tile(rgba(colour), (int(hidden.sum()), 1))
    colours[:, :3] *= (0.8 + 0.4 * tone[hidden, None]).astype(np.float32)
    places = np.column_stack((x, y))
    sizes = np.column_stack((size, 0.7 * size))
    return places[hidden], sizes[hidden], np.clip(colours, 0.0, 1.0)


def scattered(cells: Floats, number: int) -> Floats:
    """Return numbers from 0 to 1 that look random, always the same for the same cells."""
    wave: Floats = np.sin(cells * 127.1 + number * 311.7) * 43758.5453
    return wave - np.floor(wave)
