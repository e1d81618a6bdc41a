"""Report: contacts in the terms of games, as entities and as rows counted within their bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision import response
from ecs_softbody.collision.contacts import Contacts

if TYPE_CHECKING:
    from ecs_softbody.collision.space import CollisionSpace


def describe(space: CollisionSpace, chosen: NDArray[np.intp]) -> Contacts:
    """Return some of the contacts in the terms of games."""
    if not len(chosen):
        return Contacts.none()
    rows, items, data = space.contacts.rows[chosen], space.contacts.items[chosen], space.contacts.data[chosen]
    point, edge = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    corner = point >= space.offset
    edge = np.where(data[:, response.ALONG] > 0.5, rows[:, 2], edge)
    # The particle whose entity is items[:, 0]: the point, or for a corner of a wall the nearer end of the edge.
    own, other = np.where(corner, edge, point), np.where(corner, point, edge)
    entity = np.concatenate([space.colliders.values["entity"], space.walls.entity])
    normal = np.where(corner[:, None], -1.0, 1.0) * data[:, [response.NORMAL_X, response.NORMAL_Y]]
    surface = space.particles["position"][own] - normal * space.reach[own][:, None]
    if corner.any():
        surface[corner] = space.walls.vertices[point[corner] - space.offset]
    return Contacts(
        entity_a=entity[items[:, 0]],
        entity_b=entity[items[:, 1]],
        row_a=local_rows(space, own),
        row_b=local_rows(space, other),
        point=surface,
        normal=normal,
        impulse=data[:, response.FRAME_IMPULSE],
        gap=data[:, response.GAP],
    )


def local_rows(space: CollisionSpace, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return rows counted within their body, -1 for vertices of walls."""
    wall = rows >= space.offset
    packed = np.where(wall, 0, rows)
    first = space.bodies.values["first"].astype(np.int64)[space.particles["body"][packed]]
    return np.where(wall, -1, packed - first)
