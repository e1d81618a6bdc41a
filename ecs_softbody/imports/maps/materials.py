"""Materials: pieces of ground that touch become one collider for each material; where two meet,
their corners do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.imports.budget import Budget
from ecs_softbody.imports.reading import package
from ecs_softbody.imports.shapes import polygons_of
from ecs_softbody.imports.things import Thing, found_of, merged
from ecs_softbody.indices import arange, lexsort, repeat

CLEAR = {"opacity": 0.0}
"""Look of hidden ground."""
TOUCHES = 1e-7
"""Corners so near to an edge are on it [m]."""


class Materials:
    """Collects shapely polygons by material: polygons with equal options share one."""

    def __init__(self, path: Path, budget: Budget) -> None:
        self.path = path
        self.budget = budget
        self.checked: set[str] = set()
        self.kinds: dict[str, tuple[dict[str, Any], list[Any]]] = {}
        self.grids: dict[str, list[Any]] = {}
        """Pieces that are outlines of cells, by material; a material made of a single grid needs no
        merging.
        """
        self.count = 0

    def add(self, options: dict[str, Any], polygons: list[Any]) -> None:
        """Add pieces of a material."""
        self.kinds.setdefault(key_of(options), (options, []))[1].extend(polygons)
        self.count += len(polygons)

    def add_grid(self, options: dict[str, Any], outlines: list[Any]) -> None:
        """Add the outlines of the cells of a grid (`outlines_of`), of a material."""
        self.grids.setdefault(key_of(options), []).extend(outlines)
        self.add(options, outlines)

    def hide(self) -> None:
        """Make materials without a look transparent, so that hidden and visible ground share a
        material.
        """
        kinds = self.kinds
        grids = self.grids
        self.kinds = {}
        self.grids = {}
        for key, (options, polygons) in kinds.items():
            clear = options if {"fill", "picture", "opacity"} & options.keys() else options | CLEAR
            self.add(clear, polygons)
            if key in grids:
                self.grids.setdefault(key_of(clear), []).extend(grids[key])

    def check(self, owner: str, options: dict[str, Any]) -> None:
        """Make a line of a material, for whether that can be.

        Raises:
            ValueError: naming the owner, where an option is not allowed.
        """
        key = key_of(options)
        if options and key not in self.checked:
            found_of(Thing(owner, self.path, "", "", np.eye(2), properties=options), self.budget)
            self.checked.add(key)

    def made(self) -> list[tuple[dict[str, Any], Any]]:
        """Return each outline with its options.

        Outlines of two materials that touch have the same corners there.
        """
        owner = self.budget.owner
        shapely = package("shapely")
        for key, (_, polygons) in self.kinds.items():
            grids = self.grids.get(key, []) if len(polygons) > 1 else []
            parts = [part for grid in grids for part in polygons_of(grid)]
            self.budget.spend("areas of cells", len(parts))
            self.budget.spend(
                "corners of cells",
                sum(max(shapely.get_num_coordinates(part) - 5, 0) for part in parts),
            )
        found = [
            (options, merged(owner, polygons, simple=key in self.grids))
            for key, (options, polygons) in self.kinds.items()
            if polygons
        ]
        if len(found) > 1:
            outlines = _joined([outlines for _, outlines in found], self.budget)
            found = [(options, lines) for (options, _), lines in zip(found, outlines, strict=True)]
        return [(options, one) for options, outlines in found for one in outlines]


def key_of(options: dict[str, Any]) -> str:
    """Return a text that is the same for the same options."""
    return repr(sorted(options.items()))


def _joined(kinds: list[list[Any]], budget: Budget) -> list[list[Any]]:
    """Return outlines with a corner more wherever one of another kind has its corner on an edge."""
    shapely = package("shapely")
    every = [one for outlines in kinds for one in outlines]
    numbers = repeat(arange(len(kinds)), [len(outlines) for outlines in kinds])
    corners, whose = shapely.get_coordinates(every, return_index=True)
    budget.spend("meetings", 2 * len(corners))
    tree = shapely.STRtree(shapely.points(corners))
    return [
        [_with_corners(one, tree, corners, numbers[whose] != number, budget) for one in outlines]
        for number, outlines in enumerate(kinds)
    ]


def _with_corners(polygon: Any, tree: Any, corners: Floats, others: Any, budget: Budget) -> Any:
    shapely = package("shapely")
    rings = [_ring(np.asarray(ring.coords), tree, corners, others, budget)
             for ring in (polygon.exterior, *polygon.interiors)]  # fmt: skip
    return shapely.Polygon(rings[0], rings[1:])


def _ring(ring: Floats, tree: Any, corners: Floats, others: Any, budget: Budget) -> Floats:
    shapely = package("shapely")
    edges = shapely.linestrings(np.stack((ring[:-1], ring[1:]), axis=1))
    edge, corner = tree.query(edges, predicate="dwithin", distance=TOUCHES)
    budget.spend("meetings", len(edge))
    away = lengths(corners[corner] - ring[edge])
    inside = (
        others[corner] & (away > TOUCHES) & (lengths(corners[corner] - ring[edge + 1]) > TOUCHES)
    )
    edge = edge[inside]
    corner = corner[inside]
    away = away[inside]
    order = lexsort((away, edge))
    made: Floats = np.insert(ring, edge[order] + 1, corners[corner[order]], axis=0)
    apart = np.append(True, lengths(np.diff(made, axis=0)) > TOUCHES)
    kept: Floats = made[apart]
    return kept
