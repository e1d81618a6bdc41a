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
    contacts = space.contacts
    data = contacts.data
    rows, items = contacts.rows.take(chosen, axis=0), contacts.items.take(chosen, axis=0)
    along, impulse, gap = (data[chosen, k] for k in (response.ALONG, response.FRAME_IMPULSE, response.GAP))
    normal = np.empty((len(chosen), 2))
    normal[:, 0], normal[:, 1] = data[chosen, response.NORMAL_X], data[chosen, response.NORMAL_Y]
    # The particle whose entity is items[:, 0]: the point, or for a corner of a wall the nearer end of the edge.
    own, other = rows[:, 0], np.where(along > 0.5, rows[:, 2], rows[:, 1])
    corner = np.flatnonzero(own >= space.offset)
    vertex = own[corner]
    own[corner], other[corner] = other[corner], vertex
    normal[corner] *= -1.0
    entity = np.concatenate([space.colliders.values["entity"], space.walls.entity])
    surface = space.particles["position"].take(own, axis=0) - normal * space.reach[own][:, None]
    surface[corner] = space.walls.vertices[vertex - space.offset]
    return Contacts(
        entity_a=entity[items[:, 0]],
        entity_b=entity[items[:, 1]],
        row_a=local_rows(space, own),
        row_b=local_rows(space, other),
        point=surface,
        normal=normal,
        impulse=impulse,
        gap=gap,
    )


def local_rows(space: CollisionSpace, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return rows counted within their body, -1 for vertices of walls."""
    wall = rows >= space.offset
    packed = np.where(wall, 0, rows)
    local: NDArray[np.int64] = (packed - space.bodies.values["first"][space.particles["body"][packed]]).astype(np.int64)
    local[wall] = -1
    return local
