"""Water is drawn over bodies; the debug overlay shows where fields are."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import PointGravity, Simulation, Water, Wind, blueprints
from ecs_softbody.rendering import Layer, Look, Picture, View
from ecs_softbody.rendering.land.water import SURFACE
from ecs_softbody.rendering.overlay.debug_overlay import DebugOverlay
from ecs_softbody.rendering.scene.scene_painter import ScenePainter


def painted(*components: object) -> tuple[Simulation, Picture]:
    sim = Simulation()
    sim.spawn(*blueprints.blob((0, 0.2), 0.5))
    sim.spawn(*components)
    sim.step()
    picture = Picture(320, 180, View((0.0, 0.0), 6.0, 320, 180))
    ScenePainter().draw(sim, picture)
    return sim, picture


def test_water_covers_what_is_below_its_level() -> None:
    _, picture = painted(Water(0.5, left=-2.0, right=1.0))
    mesh = picture.mesh(SURFACE)
    assert Layer.EYES < SURFACE < Layer.EFFECTS
    low, high = picture.view.to_pixels([(-2.2, -9.0), (1.2, 0.7)])
    places = mesh.vertices[:, :2]
    assert (places > low).all()
    assert (places < high).all()


@pytest.mark.parametrize(
    "hidden",
    [(Water(-9.0),), (Water(0.0), Look(style="none")), (Water(0.0, left=90.0),), (Wind((1, 0)),)],
)
def test_water_that_is_not_seen_costs_no_triangles(hidden: tuple[object, ...]) -> None:
    _, picture = painted(*hidden)
    assert picture.mesh(SURFACE).index_count == 0


def test_the_overlay_shows_all_fields_and_survives_infinite_ones() -> None:
    sim, _ = painted(Water(0.5), Wind((3, 0)), PointGravity((1, 1), strength=1.0, reach=2.0))
    sim.spawn(Wind((0, 2), region=((50, 0), (60, 9))), PointGravity(strength=1.0))
    sim.step()
    shown = []
    for fields in (False, True):
        picture = Picture(320, 180, View((0.0, 0.0), 6.0, 320, 180))
        DebugOverlay(fields=fields).draw(sim, picture, 1.0, {})
        shown.append(picture.mesh(Layer.DEBUG).index_count)
        assert np.isfinite(picture.mesh(Layer.DEBUG).vertices).all()
    assert shown[1] > shown[0] + 100
