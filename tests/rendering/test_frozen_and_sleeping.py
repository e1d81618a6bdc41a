"""Bodies with NaN do not break the picture, and sleeping ones are dimmed in the debug overlay."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, Springs, StaticCollider, blueprints
from ecs_softbody.rendering import Look, Picture, palette
from ecs_softbody.rendering.overlay.debug_overlay import ASLEEP, DebugOverlay
from ecs_softbody.rendering.screen.view import View
from ecs_softbody.rendering.world.world_painter import WorldPainter
from tests.helpers.stepping import run_frames


def world() -> tuple[Simulation, list[int], list[Particles]]:
    sim = Simulation(world="frozen picture")
    bodies = [
        blueprints.blob((-4, 0.5), 0.5),
        blueprints.ball((-2, 0.5), 0.3),
        blueprints.rope((-1, 3), (1, 3), segments=5),
        blueprints.cloth((2, 3), 1.0),
    ]
    entities = [sim.spawn(*body, Look()) for body in bodies]
    sim.spawn(
        Springs([(0, 0)], stiffness=1.0, between=(entities[0], entities[1])), Look(style="link")
    )
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    sim.step()
    return sim, entities, [body[0] for body in bodies]


def drawn(sim: Simulation) -> Picture:
    picture = Picture(320, 180, View((0.0, 2.0), 12.0, 320, 180))
    WorldPainter().draw(sim, picture)
    DebugOverlay(bounds=True).draw(sim, picture, 1.0, {})
    return picture


@pytest.mark.filterwarnings("ignore::ecs_softbody.FrozenBodyWarning")
@pytest.mark.parametrize("broken", range(4))
@pytest.mark.parametrize("field", ["position", "velocity", "radius"])
def test_the_picture_of_a_world_with_nan_is_finite_and_smaller(field: str, broken: int) -> None:
    sim, _, bodies = world()
    whole = drawn(sim).triangles()[0]
    getattr(bodies[broken], field)[0] = np.nan
    sim.step()
    vertices = drawn(sim).triangles()[0]
    assert np.isfinite(vertices).all()
    if field == "position":
        assert len(vertices) < len(whole), "the broken body is left out"
    sim.close()


def test_a_sleeping_body_is_dimmed() -> None:
    sim = Simulation(world="dimmed")
    sim.spawn(Particles([(0, 0.25)], radius=0.25), Collider())
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    overlay = DebugOverlay(springs=False, velocities=False, contacts=False, numbers=False)

    def opacity() -> float:
        picture = Picture(64, 36)
        overlay.draw(sim, picture, 1.0, {})
        return float(picture.triangles()[0][:, 9].max())

    sim.step()
    assert opacity() == pytest.approx(palette.rgba(palette.TEXT)[3])
    run_frames(sim, 90)
    assert sim.asleep_count == 1
    assert opacity() == pytest.approx(ASLEEP * palette.rgba(palette.TEXT)[3], rel=1e-6)
    sim.close()


def test_the_overlay_shows_a_world_in_which_a_body_was_despawned_since_the_last_step() -> None:
    sim, (first, *_), _ = world()
    sim.despawn(first)
    picture = Picture(320, 180, View((0.0, 2.0), 8.0, 320, 180))
    DebugOverlay().draw(sim, picture, 1.0, {})
    sim.close()
