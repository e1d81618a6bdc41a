"""Surfaces: where the drops and crumbs of effects end: on walls, ground, and the surface of
water.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.components import StaticCollider, Water
from ecs_softbody.indices import arange, argmin, repeat
from ecs_softbody.simulation import Simulation

PARALLEL = 1e-12
"""Paths and edges with a smaller cross product [m²] count as parallel."""


class Surfaces:
    """The walls and waters of a simulation in the current frame."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim

    def are_wet(self, points: Floats) -> NDArray[np.bool_]:
        """Return a mask of the points (P, 2) [m] under water."""
        wet = np.zeros(len(points), np.bool_)
        for water in self._sim.buffers.components(Water).values():
            wet |= _inside(water, points)
        return wet

    def hits(self, start: Floats, end: Floats, sinking: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return the first hit of each path (P, 2) to (P, 2) [m].

        Args:
            start: first ends of the paths.
            end: last ends.
            sinking: mask of the paths that continue below the surface of water, shape (P,).

        Returns:
            The free fraction of each path, in [0, 1], inf without a hit; and the direction of the
            edge hit, shape (P, 2), NaN for water and moving walls.
        """
        share = np.full(len(start), np.inf)
        along = np.full((len(start), 2), np.nan)
        low = np.minimum(start, end).min(axis=0)
        high = np.maximum(start, end).max(axis=0)
        first, last, stand = self._edges()
        near = ((np.maximum(first, last) >= low) & (np.minimum(first, last) <= high)).all(axis=1)
        if near.any():
            first = first[near]
            last = last[near]
            stand = stand[near]
            share, nearest = _first_crossing(start, end, first, last)
            way = (last - first)[nearest]
            long = np.maximum(np.hypot(way[:, 0], way[:, 1]), PARALLEL)
            met = np.isfinite(share) & stand[nearest]
            along[met] = (way / long[:, None])[met]
        for water in self._sim.buffers.components(Water).values():
            wet = _inside(water, end) & (start[:, 1] >= water.level) & ~sinking
            drop = np.maximum(start[:, 1] - end[:, 1], PARALLEL)
            surface = np.where(wet, np.clip((start[:, 1] - water.level) / drop, 0.0, 1.0), np.inf)
            along[surface < share] = np.nan
            share = np.minimum(share, surface)
        return share, along

    def _edges(self) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return both ends of all edges of walls (E, 2) [m], and a mask of the edges of static
        walls.
        """
        first = [np.zeros((0, 2))]
        last = [np.zeros((0, 2))]
        stand = []
        counts = []
        for wall in self._sim.buffers.components(StaticCollider).values():
            corners = wall.vertices
            if len(corners) > 1 and not wall.sensor:
                first += [corners] if wall.closed else [corners[:-1]]
                last += [corners[1:], corners[:1]] if wall.closed else [corners[1:]]
                counts.append(len(first[-1]))
                stand.append(not np.count_nonzero(wall.velocity))
        return (
            np.concatenate(first),
            np.concatenate(last),
            repeat(np.array(stand, np.bool_), counts),
        )


def _inside(water: Water, points: Floats) -> NDArray[np.bool_]:
    """Return which points (P, 2) [m] are in a water."""
    x = points[:, 0]
    y = points[:, 1]
    inside: NDArray[np.bool_] = (
        (x > water.left) & (x < water.right) & (y < water.level) & (y > water.bottom)
    )
    return inside


def _first_crossing(
    start: Floats, end: Floats, first: Floats, last: Floats
) -> tuple[Floats, Integers]:
    """Return the fraction of each of P paths at its first crossing with one of E edges, inf for
    none, and the number of that edge.
    """
    path = (end - start)[:, None]
    edge = (last - first)[None]
    gap = first[None] - start[:, None]
    turn = path[..., 0] * edge[..., 1] - path[..., 1] * edge[..., 0]
    turn = np.where(np.abs(turn) < PARALLEL, np.inf, turn)
    along_path = (gap[..., 0] * edge[..., 1] - gap[..., 1] * edge[..., 0]) / turn
    along_edge = (gap[..., 0] * path[..., 1] - gap[..., 1] * path[..., 0]) / turn
    met = (along_path >= 0.0) & (along_path <= 1.0) & (along_edge >= 0.0) & (along_edge <= 1.0)
    crossing = np.where(met & np.isfinite(turn), along_path, np.inf)
    nearest = argmin(crossing, axis=1)
    return crossing[arange(len(start)), nearest], nearest
