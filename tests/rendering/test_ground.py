"""Static colliders: any style draws any number of vertices."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider
from ecs_softbody.rendering import Look, Picture, View, WorldPainter
from ecs_softbody.rendering.world.look import Style

CORNERS = np.array(((0.0, 0.0), (1.0, 0.5), (0.2, 1.2)))


def triangles(style: Style, count: int, *, closed: bool) -> int:
    """Return how many corners of triangles are drawn."""
    sim = Simulation(world="ground")
    picture = Picture(320, 180)
    sim.spawn(StaticCollider(CORNERS[:count], radius=0.2, closed=closed), Look(style=style))
    picture.clear(320, 180, View((0.0, 0.0), 9.0, 320, 180))
    WorldPainter().draw(sim, picture)
    sim.close()
    vertices, indices = picture.triangles()
    assert np.isfinite(vertices).all()
    return len(indices)


@pytest.mark.parametrize("style", get_args(Style))
@pytest.mark.parametrize(("count", "closed"), [(1, False), (2, False), (3, False), (3, True)])
def test_every_style_draws_any_number_of_vertices(style: Style, count: int, closed: bool) -> None:
    nothing = triangles("none", count, closed=closed)
    assert (triangles(style, count, closed=closed) > nothing) == (style != "none")
