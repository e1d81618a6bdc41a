"""Surfaces: where drops end: on walls and ground, and at the surface of water."""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.components import StaticCollider, Water
from ecs_softbody.simulation import Simulation

PARALLEL = 1e-12
"""Paths and edges whose cross product [m²] is smaller do not meet."""


class Surfaces:
    """The walls and waters of a simulation, as they are in this frame."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim

    def shares_until_hit(self, start: Floats, end: Floats) -> Floats:
        """Return which share of each path (P, 2) to (P, 2) [m] is free, in [0, 1]; inf where nothing is met."""
        share = np.full(len(start), np.inf)
        low, high = np.minimum(start, end).min(axis=0), np.maximum(start, end).max(axis=0)
        for first, last in self._edges():
            near = ((np.maximum(first, last) >= low) & (np.minimum(first, last) <= high)).all(axis=1)
            if near.any():
                share = np.minimum(share, _first_crossing(start, end, first[near], last[near]))
        for water in self._sim.buffers.components(Water).values():
            x, y = end[:, 0], end[:, 1]
            wet = (x > water.left) & (x < water.right) & (y < water.level) & (y > water.bottom)
            drop = np.maximum(start[:, 1] - y, PARALLEL)
            share = np.where(wet, np.minimum(share, np.clip((start[:, 1] - water.level) / drop, 0.0, 1.0)), share)
        return share

    def _edges(self) -> list[tuple[Floats, Floats]]:
        edges = []
        for wall in self._sim.buffers.components(StaticCollider).values():
            corners = wall.vertices
            if not wall.sensor and len(corners) > 1:
                following = np.roll(corners, -1, axis=0)
                edges.append((corners, following) if wall.closed else (corners[:-1], following[:-1]))
        return edges


def _first_crossing(start: Floats, end: Floats, first: Floats, last: Floats) -> Floats:
    """Return the share of P paths at which each first crosses one of E edges, inf where it crosses none."""
    path, edge = (end - start)[:, None], (last - first)[None]
    gap = first[None] - start[:, None]
    turn = path[..., 0] * edge[..., 1] - path[..., 1] * edge[..., 0]
    turn = np.where(np.abs(turn) < PARALLEL, np.inf, turn)
    along_path = (gap[..., 0] * edge[..., 1] - gap[..., 1] * edge[..., 0]) / turn
    along_edge = (gap[..., 0] * path[..., 1] - gap[..., 1] * path[..., 0]) / turn
    met = (along_path >= 0.0) & (along_path <= 1.0) & (along_edge >= 0.0) & (along_edge <= 1.0)
    crossing: Floats = np.where(met & np.isfinite(turn), along_path, np.inf).min(axis=1)
    return crossing
