"""Strata: layers and stones in the ground below a chain; their places come from the world's, so they stay put."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
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
RIGHT, UP = np.array((1.0, 0.0)), np.array((0.0, 1.0))
FADING = 2.5
"""Layers that go on below higher ground fade out over this length [m]."""


def draw_strata(picture: Picture, vertices: Floats, colour: Colour, layer: int) -> None:
    """Add them below a chain of points (V, 2) [m] that runs from left to right, or back."""
    line = vertices if vertices[0, 0] <= vertices[-1, 0] else vertices[::-1]
    left, _, right, _ = picture.view.bounds
    for run in gentle_runs(line):
        if line[run][-1, 0] < left - FADING or line[run][0, 0] > right + FADING:
            continue
        for depth, thickness in LAYERS:
            middle, shares = into_cliffs(line, run, depth, thickness)
            tints = np.tile(rgba(palette.faded(colour, 0.75 - 0.2 * depth)), (len(middle), 1))
            tints[:, 3] *= shares
            upper, lower = (picture.to_pixels(middle + rise * UP) for rise in (0.5 * thickness, -0.5 * thickness))
            picture.mesh(layer).add_band(upper, lower, tints, tints)
    if (np.diff(line[:, 0]) >= 0.0).all():
        _draw_stones(picture, line, colour, layer)


def into_cliffs(line: Floats, run: slice, depth: float, thickness: float) -> tuple[Floats, NDArray[np.float32]]:
    """Return a layer below a run of the chain, level beyond both ends, and how much of it is seen at each point.

    Below higher ground it fades out; above lower ground it ends at the cliff.
    """
    ends, shares = [], []
    for side, path in ((-1.0, line[: run.start + 1][::-1]), (1.0, line[run.stop - 1 :])):
        way, height = side * (path[:, 0] - path[0, 0]), path[:, 1]
        top, free = height[0] - depth + 0.5 * thickness, FADING
        bare = np.flatnonzero(height < top)
        if len(bare):  # where the ground sinks to the layer: between this vertex and the one before it
            last, low = bare[0] - 1, bare[0]
            share = (height[last] - top) / (height[last] - height[low])
            free = min(way[last] + share * (way[low] - way[last]), FADING)  # below 0 under an overhang
        ends.append(path[:1] + side * free * RIGHT)
        shares.append([1.0 - max(free, 0.0) / FADING])
    middle = np.concatenate((ends[0], line[run], ends[1])) - depth * UP
    middle[:, 0] = middle[:, 0].clip(middle[0, 0], middle[-1, 0])
    return middle, np.concatenate((shares[0], np.ones(len(middle) - 2), shares[1])).astype(np.float32)


def gentle_runs(line: Floats, steep: float = STEEP) -> list[slice]:
    """Return which parts of a chain are less steep than a slope, each of two points or more."""
    steps = np.diff(line, axis=0)
    gentle = np.abs(steps[:, 1]) <= steep * steps[:, 0]
    ends = np.flatnonzero(np.diff(np.concatenate(([False], gentle, [False])).astype(np.int8))).tolist()
    return [slice(first, last + 1) for first, last in zip(ends[::2], ends[1::2], strict=True)]


def _draw_stones(picture: Picture, line: Floats, colour: Colour, layer: int) -> None:
    left, _, right, _ = picture.view.bounds
    cells = np.arange(np.floor(max(left, line[0, 0]) / CELL), np.ceil(min(right, line[-1, 0]) / CELL))
    if not len(cells):
        return
    shift, deep, big, tone = (scattered(cells, number) for number in range(4))
    x, size = (cells + shift) * CELL, 0.05 + 0.13 * big**2
    x = np.clip(x, line[0, 0], line[-1, 0])
    covers = np.array([np.interp(x + side * size, *line.T) for side in (-1.5, 0.0, 1.5)]).min(axis=0)
    y = np.interp(x, *line.T) - 0.3 - 2.4 * deep
    hidden = y + size + LEAST_COVER < covers
    centers = picture.to_pixels(np.column_stack((x, y)))[hidden]
    radii = np.column_stack((size, 0.7 * size))[hidden] * picture.view.scale
    colours = np.tile(rgba(colour), (int(hidden.sum()), 1))
    colours[:, :3] *= (0.8 + 0.4 * tone[hidden, None]).astype(np.float32)
    picture.mesh(layer).add_ellipses(centers, radii, np.clip(colours, 0.0, 1.0))


def scattered(cells: Floats, number: int) -> Floats:
    """Return numbers from 0 to 1 that look random, always the same for the same cells."""
    wave: Floats = np.sin(cells * 127.1 + number * 311.7) * 43758.5453
    return wave - np.floor(wave)
