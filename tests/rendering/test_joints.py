"""Ropes of distance limits are drawn as ropes; the debug overlay shows every kind of joint."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    DistanceLimits,
    Motor,
    MouseJoint,
    Particles,
    Simulation,
    blueprints,
)
from ecs_softbody.rendering import Layer, Picture, View
from ecs_softbody.rendering.overlay.debug_overlay import DebugOverlay
from ecs_softbody.rendering.overlay.joint_overlay import HALF_COLOUR, LAYER, load_share
from ecs_softbody.rendering.world.topology import links_between, shapes_of
from ecs_softbody.rendering.world.world_painter import WorldPainter

COUNT = 12


def overlay(sim: Simulation, *, joints: bool = True) -> np.ndarray:
    """Vertices of the overlay's triangles, with nothing but joints."""
    picture = Picture(320, 180, View((0.0, 0.0), 8.0, 320, 180))
    shown = DebugOverlay(
        springs=False,
        particles=False,
        velocities=False,
        contacts=False,
        numbers=False,
        profile=False,
        joints=joints,
    )
    shown.draw(sim, picture, 1.0, {})
    return np.array(picture.mesh(LAYER).vertices)


def chain() -> tuple[Particles, DistanceLimits]:
    places = np.column_stack((np.linspace(-2.0, 2.0, COUNT), np.full(COUNT, 1.0)))
    pairs = np.column_stack((np.arange(COUNT - 1), np.arange(1, COUNT)))
    return Particles(places, mass=0.1, pinned=np.arange(COUNT) == 0), DistanceLimits(pairs)


def test_a_chain_of_limits_is_one_line_and_gets_drawn_as_a_rope() -> None:
    sim = Simulation()
    rope = sim.spawn(*chain())
    sim.step()
    (shape,) = shapes_of(sim.buffers)
    assert shape.entity == rope
    assert [path.rows.tolist() for path in shape.paths] == [list(range(COUNT))]
    picture = Picture(320, 180, View((0.0, 0.0), 8.0, 320, 180))
    WorldPainter().draw(sim, picture)
    drawn = picture.mesh(Layer.BODIES - 1).vertices[:, :2]
    low, high = picture.view.to_pixels([(-2.0, 1.0), (2.0, 1.0)])
    assert drawn[:, 0].min() < low[0] + 3
    assert drawn[:, 0].max() > high[0] - 3


def test_limits_between_bodies_are_links() -> None:
    sim = Simulation()
    first, second = (sim.spawn(*blueprints.ball((x, 0), 0.3)) for x in (-1, 1))
    joint = sim.spawn(DistanceLimits([(0, 0)], between=(first, second)))
    sim.step()
    ((entity, pairs),) = links_between(sim.buffers)
    assert entity == joint
    assert pairs.tolist() == [[0, 1]]


def jointed(kind: str) -> Simulation:
    sim = Simulation(gravity=(0.0, 0.0))
    body = sim.spawn(*blueprints.box((0, 0), 1.0))
    wheel = sim.spawn(*blueprints.wheel((0.0, -0.6), 0.4))
    if kind == "limits":
        sim.spawn(*chain())
    elif kind == "nail":
        sim.spawn(Attachment((body, None), at=(0.3, 0.3)))
    else:
        sim.spawn(
            {
                "attachment": lambda: Attachment((body, wheel), at=(0, -0.6)),
                "motor": lambda: Motor((body, wheel), speed=-5.0, max_torque=3.0),
                "mouse": lambda: MouseJoint(body, target=(1.0, 1.0)),
            }[kind]()
        )
    sim.step()
    return sim


@pytest.mark.parametrize("kind", ["attachment", "nail", "limits", "motor", "mouse"])
def test_the_overlay_shows_a_joint_and_survives_what_is_broken(kind: str) -> None:
    sim = jointed(kind)
    assert not len(overlay(sim, joints=False))
    seen = overlay(sim)
    assert len(seen) > 10
    assert np.isfinite(seen).all()
    sim.buffers[Particles].rows["position"][:] = np.nan
    assert np.isfinite(overlay(sim)).all()


def test_a_motor_that_cannot_turn_is_not_shown() -> None:
    sim = Simulation()
    wheel = sim.spawn(*blueprints.wheel((0, 0), 0.4))
    sim.spawn(Motor((None, wheel), speed=0.0, max_torque=0.0))
    sim.step()
    assert not len(overlay(sim))


def test_the_colour_tells_how_near_a_joint_is_to_breaking() -> None:
    force = np.array([0.0, 50.0, 300.0, HALF_COLOUR, np.nan])
    threshold = np.array([10.0, 100.0, 200.0, np.inf, 1.0])
    assert load_share(force, threshold) == pytest.approx([0.0, 0.5, 1.0, 0.5, 0.0])
