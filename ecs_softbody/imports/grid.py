"""Grids: cells that are full become as few rectangles as rows have runs, for merging."""

from __future__ import annotations

from typing import Any

import numpy as np

from ecs_softbody.arrays import Flags, Floats
from ecs_softbody.imports.reading import Unreadable, package

MOST_RUNS = 20_000
"""Stretches of cells that are full, in one layer."""


def boxes_of(owner: str, full: Flags, low: Floats, cell: Floats) -> list[Any]:
    """Return polygons of shapely that cover the full cells (rows from the bottom, columns): one for each run.

    Args:
        owner: for the message.
        full: which cells are.
        low: lower left corner of the grid [m].
        cell: width and height of a cell [m].
    """
    shapely = package("shapely")
    padded = np.pad(full, ((0, 0), (1, 1)))
    change = np.diff(padded.astype(np.int8), axis=1)
    row, start = np.nonzero(change == 1)
    stop = np.nonzero(change == -1)[1]
    if len(row) > MOST_RUNS:
        raise Unreadable(f"{owner} has more than {MOST_RUNS} runs of solid cells, which is not allowed")
    left, right = low[0] + start * cell[0], low[0] + stop * cell[0]
    bottom = low[1] + row * cell[1]
    return list(shapely.box(left, bottom, right, bottom + cell[1]))
