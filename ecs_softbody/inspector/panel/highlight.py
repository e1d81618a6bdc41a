"""Highlight: a line around the entity that was chosen, in the world."""

from __future__ import annotations

import numpy as np

from ecs_softbody.components import Collider, Particles, StaticCollider
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Simulation

WIDTH = 3.5  # points
SPOT = 4.5  # radius of the mark on a particle without an outline [points]


def draw_highlight(sim: Simulation, entity: int, picture: Picture, alpha: float) -> None:
    """Add a line around an entity that exists, `alpha` (0 to 1) of the way through the frame."""
    colour = palette.faded(palette.GOLD, 0.95)
    if sim.has(entity, StaticCollider):
        picture.stroke(sim.get(entity, StaticCollider).vertices, WIDTH, colour, layer=Layer.DEBUG)
    if not sim.has(entity, Particles):
        return
    body = sim.get(entity, Particles)
    before = body.frame_position if body.table is not None else body.position
    places = before + alpha * (body.position - before)
    outline = (
        sim.get(entity, Collider).outline if sim.has(entity, Collider) else np.zeros(0, np.int32)
    )
    if len(outline) > 2:
        picture.stroke(places[outline], WIDTH, colour, closed=True, layer=Layer.DEBUG)
        return
    if len(places) == 1 and body.radius[0] > 0.0:
        turn = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
        ring = body.radius[0] * np.column_stack((np.cos(turn), np.sin(turn)))
        picture.stroke(places[0] + ring, WIDTH, colour, closed=True, layer=Layer.DEBUG)
        return
    picture.discs(places, SPOT * picture.point / picture.view.scale, colour, layer=Layer.DEBUG)
