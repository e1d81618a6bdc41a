"""Touching: soft darkness where bodies touch each other, the ground or a wall."""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.indices import lexsort
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import SHADOW, faded, rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Contacts

RADIUS = 0.11
"""Radius of the shade at a contact [m]."""
OPACITY = 0.55
"""Opacity of the middle of this shade."""
NEIGHBOURS = 0.5
"""Distance [m] up to which two contacts of a pair are joined."""
ALIKE = 0.8
"""Cosine between the normals of two contacts above which they are joined."""
STEPS = 3
"""Parts into which the way between two that are joined is divided."""


def draw_touching(picture: Picture, contacts: Contacts) -> None:
    """Add a shade at every contact of a frame, and along the way between neighbours."""
    places = places_of(contacts)
    if len(places):
        tint = rgba(faded(SHADOW, OPACITY))
        radius = picture.length_to_pixels(RADIUS)
        picture.mesh(Layer.BODIES + 1).add_ellipses(
            picture.to_pixels(places), (radius, radius), tint, 1.0
        )


def places_of(contacts: Contacts) -> Floats:
    """Return where shades lie (N, 2) [m]."""
    order = lexsort((contacts.row_a, contacts.entity_b, contacts.entity_a))
    order = order[contacts.entity_a[order] != contacts.entity_b[order]]
    a = contacts.entity_a[order]
    b = contacts.entity_b[order]
    normal = contacts.normal[order]
    point = contacts.point[order]
    way = point[1:] - point[:-1]
    joined = (a[1:] == a[:-1]) & (b[1:] == b[:-1]) & (_dots(normal[1:], normal[:-1]) > ALIKE)
    joined &= _dots(way, way) < NEIGHBOURS**2
    first = point[:-1][joined]
    way = way[joined]
    return np.concatenate([point, *(first + step / STEPS * way for step in range(1, STEPS))])


def _dots(first: Floats, second: Floats) -> Floats:
    """Return the scalar product of each row (N, 2) with its fellow."""
    return np.asarray(first[:, 0] * second[:, 0] + first[:, 1] * second[:, 1])
