"""Grids: cells that are full become as few rectangles as rows have runs, for merging; and where numbers are in one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.imports.budget import Budget
from ecs_softbody.imports.reading import package


def boxes_of(full: Flags, low: Floats, cell: Floats, budget: Budget) -> list[Any]:
    """Return polygons of shapely that cover the full cells (rows from the bottom, columns): one for each run.

    Args:
        full: which cells are.
        low: lower left corner of the grid [m].
        cell: width and height of a cell [m].
        budget: for merging them.
    """
    shapely = package("shapely")
    padded = np.pad(full, ((0, 0), (1, 1)))
    change = np.diff(padded.astype(np.int8), axis=1)
    row, start = np.nonzero(change == 1)
    stop = np.nonzero(change == -1)[1]
    budget.spend("pieces", len(row))
    left, right = low[0] + start * cell[0], low[0] + stop * cell[0]
    bottom = low[1] + row * cell[1]
    return list(shapely.box(left, bottom, right, bottom + cell[1]))


def places_of(numbers: Integers, budget: Budget) -> Iterator[tuple[int, Integers]]:
    """Yield each number above 0 in an array of any shape, the smallest first, and where it is (N, axes), in turn."""
    places = np.argwhere(numbers > 0)
    found = numbers[numbers > 0]
    order = np.argsort(found, kind="stable")
    each, starts = np.unique(found[order], return_index=True)
    budget.spend("different tiles", len(each))
    parts = np.split(places[order], starts[1:]) if len(each) else []
    yield from zip(each.tolist(), parts, strict=True)
