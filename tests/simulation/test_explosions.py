"""sim.explode: whom it throws, how far, and what it leaves alone."""

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, StaticCollider, blueprints
from tests.helpers.stepping import run_frames


def still_world(*bodies):
    sim = Simulation(gravity=(0, 0))
    return sim, [sim.spawn(*body) for body in bodies]


def test_a_disc_takes_the_impulse_on_its_width():
    ball = blueprints.ball((2, 0), 0.25, mass=3.0)
    sim, (entity,) = still_world(ball)
    assert sim.explode((0, 0), radius=8.0, impulse=40.0) == [entity]
    assert ball[0].velocity[0] == pytest.approx((40.0 * 0.75 * 0.5 / 3.0, 0.0))


def test_an_outline_takes_it_on_the_edges_that_face_it():
    """A square far away: one edge of 1 m."""
    ring = np.array([(100.0, -0.5), (101.0, -0.5), (101.0, 0.5), (100.0, 0.5)])
    square = Particles(ring, mass=0.5), Collider(outline=[3, 2, 1, 0])
    sim, _ = still_world(square)
    sim.explode((0, 0), radius=200.0, impulse=10.0)
    momentum = (square[0].mass[:, None] * square[0].velocity).sum(axis=0)
    assert momentum == pytest.approx((5.0, 0.0), rel=0.02)
    assert np.array_equal(square[0].velocity[1:3], np.zeros((2, 2)))


def test_speed_is_given_to_all_whatever_their_mass():
    bodies = blueprints.ball((1, 0), 0.1, mass=0.01), blueprints.ball((0, 1), 0.1, mass=1e4)
    sim, entities = still_world(*bodies)
    assert sim.explode((0, 0), radius=2.0, speed=6.0) == entities
    assert [body[0].velocity[0].tolist() for body in bodies] == [[3.0, 0.0], [0.0, 3.0]]


def test_nothing_happens_at_the_center_beyond_the_radius_or_to_what_is_fixed():
    here = blueprints.ball((0, 0), 0.1)
    far = blueprints.ball((3, 0), 0.1)
    fixed = Particles([(1.0, 0.0)], pinned=True)
    ghost = Particles([(0.5, 0.0)])
    sim, _ = still_world(here, far, (fixed, Collider()), (ghost, Collider(sensor=True)))
    assert sim.explode((0, 0), radius=2.0, impulse=1e6, speed=1e6) == []
    assert np.array_equal(here[0].velocity, np.zeros((1, 2)))


def test_speed_limit_mask_and_ignore():
    bodies = [blueprints.ball((x, 0), 0.1, category=c) for x, c in ((1, 1), (2, 1), (3, 2))]
    sim, entities = still_world(*bodies)
    sim.speed_limit = 50.0
    assert sim.explode((0, 0), radius=9.0, speed=1e9, mask=1, ignore=entities[1]) == [entities[0]]
    assert bodies[0][0].velocity[0] == pytest.approx((50.0, 0.0))


def test_it_wakes_and_walls_shelter():
    sim = Simulation()
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    sim.spawn(StaticCollider([(0, 0), (0, 4)]))
    left, right = [blueprints.box((x, 0.5), 1.0, shape_stiffness=1e5) for x in (-2.0, 2.0)]
    entities = sim.spawn(*left), sim.spawn(*right)
    run_frames(sim, 180)
    assert sim.asleep_count == 2
    assert sim.explode((-1.0, 0.3), radius=9.0, impulse=2.0, blocked=True) == [entities[0]]
    assert [sim.is_asleep(entity) for entity in entities] == [False, True]
    assert sim.explode((-1.0, 0.3), radius=9.0, impulse=2.0) == list(entities)
    sim.step()
    assert left[0].velocity[:, 0].mean() < -0.1


def test_from_inside_a_ring_grows_and_keeps_its_momentum():
    blob = blueprints.blob((0, 0), 1.0, mass=2.0)
    sim, _ = still_world(blob)
    sim.explode((0, 0), radius=5.0, impulse=1.0)
    assert (blob[0].position * blob[0].velocity).sum(axis=1).min() > 0.0
    assert np.abs(blob[0].velocity.sum(axis=0)).max() < 1e-12


def test_the_middle_of_a_ring_that_crosses_itself_is_inside():
    """A star of five points drawn in one stroke goes around its middle twice, which even-odd would
    call outside.
    """
    angle = 0.4 * np.pi * np.arange(5)
    star = (
        Particles(np.column_stack((np.cos(angle), np.sin(angle)))),
        Collider(outline=[0, 2, 4, 1, 3]),
    )
    sim, entities = still_world(star)
    assert sim.explode((0, 0), radius=5.0, impulse=1.0) == entities
    assert (star[0].position * star[0].velocity).sum(axis=1).min() > 0.0


def test_bodies_with_nan_stay_out_of_it():
    broken = blueprints.blob((1, 0), 0.3)
    fine = blueprints.ball((0, 1), 0.1)
    sim, entities = still_world(broken, fine)
    sim.step()
    broken[0].row_arrays["position"][broken[0].row_start] = np.nan
    assert sim.explode((0, 0), radius=3.0, impulse=1.0) == [entities[1]]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"center": (np.nan, 0)}, "center"),
        ({"center": 3}, "center"),
        ({"radius": 0.0}, "radius"),
        ({"radius": np.inf}, "radius"),
        ({"impulse": -1.0}, "impulse"),
        ({"speed": "fast"}, "speed"),
        ({"mask": -1}, "mask"),
        ({"blocked": 2}, "blocked"),
    ],
)
def test_bad_explosions_are_refused(options, named):
    sim, _ = still_world(blueprints.ball((1, 0), 0.1))
    sim.step()
    with pytest.raises(ValueError, match=rf"Simulation\.explode\.{named}: "):
        sim.explode(**({"center": (0, 0), "radius": 2.0, "speed": 1.0} | options))
