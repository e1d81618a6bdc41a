"""CutEdges: fresh cuts shine for a while, for games with a knife.

Right after a cut, corners of two pieces that lie close together are the cut; runs of such corners
along an outline are drawn as lines that follow the pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Collider, Particles
from ecs_softbody.elementary.rows import mark_met
from ecs_softbody.indices import arange
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour, faded
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Simulation

SHINES = 2.0
"""Duration of the shine [s]."""
WIDTH = 5.0
"""Initial width of the line [points]."""
WET: Colour = (255, 250, 236, 210)
"""Colour of a fresh cut; it fades."""
MET = 0.05
"""Corners of two pieces closer than this fraction of the mean edge were one corner before the cut,
which moves them apart by 1 % of an edge.
"""


@dataclass(slots=True)
class Edge:
    """A stretch of the outline of a piece: rows of its particles, in order."""

    sim: Simulation
    entity: int
    rows: NDArray[np.int64]
    age: float = 0.0  # [s] since the cut

    @property
    def body(self) -> Particles | None:
        """The particles of its piece, None when it is gone."""
        if self.sim.closed:
            return None
        with self.sim:
            return (
                esper.try_component(self.entity, Particles)
                if esper.entity_exists(self.entity)
                else None
            )


class CutEdges:
    """The shining edges of cut pieces; they move with their bodies."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []

    def add(self, sim: Simulation, pieces: Sequence[int]) -> None:
        """Find the edges along which the pieces of one body were joined: call it right after the
        cut.
        """
        with sim:
            found = [
                (piece, np.asarray(collider.outline, np.int64), body.position)
                for piece in pieces
                if esper.entity_exists(piece)
                and (collider := esper.try_component(piece, Collider)) is not None
                and (body := esper.try_component(piece, Particles)) is not None
                and len(collider.outline)
            ]
        if len(found) < 2:
            return
        met = _are_met([position[ring] for _, ring, position in found])
        for (entity, ring, _), marked in zip(found, met, strict=True):
            for run in runs_of(marked):
                self.edges.append(Edge(sim, entity, ring[run]))

    def clear(self) -> None:
        """Remove all edges."""
        self.edges.clear()

    def advance(self, dt: float) -> None:
        """Advance by one frame [s]."""
        for edge in self.edges:
            edge.age += dt
        self.edges = [one for one in self.edges if one.age < SHINES and one.body is not None]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the edges, `alpha` (0 to 1) of the way through the frame."""
        for edge in self.edges:
            body = edge.body
            left = 1.0 - edge.age / SHINES
            if body is None:
                continue
            line = body.position[edge.rows] - (1.0 - alpha) / 60.0 * body.velocity[edge.rows]
            if np.isfinite(line).all():
                width = WIDTH * (0.4 + 0.6 * left)
                picture.stroke(line, width, faded(WET, left), layer=Layer.BODIES + 2)


def _are_met(rings: list[Floats]) -> list[NDArray[np.bool_]]:
    """Return a mask of the corners of some rings (N, 2) that are close to a corner of another
    ring.
    """
    first = [0, *accumulate(map(len, rings))]
    met = np.empty(first[-1], np.bool_)
    mark_met(np.concatenate(rings), np.array(first, np.int64), MET, met)
    return [met[start:end] for start, end in pairwise(first)]


def runs_of(marked: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Return the runs of at least two consecutive marked corners on a ring of corners."""
    known = marked.tolist()
    count = len(marked)
    if all(known) or not any(known):
        return [arange(count + 1) % count] if all(known) and count > 1 else []
    first = known.index(False)
    runs: list[list[int]] = [[]]
    for step in range(count):
        corner = (first + step) % count
        if known[corner]:
            runs[-1].append(corner)
        elif runs[-1]:
            runs.append([])
    return [np.array(run, np.int64) for run in runs if len(run) > 1]
