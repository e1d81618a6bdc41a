"""Nothing leaves a room of 2 m × 2 m, whatever its walls are and whatever is in it; corners pass no
soft edge.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_less

from ecs_softbody import Collider, Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.collision.sweep.corner_ccd import passing_time

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")

CORNERS = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
MOTIONS = {
    "still": {},
    "moving": {"velocity": (0.5, 0.2)},
    "turning": {"angular_velocity": 0.5, "pivot": (0, 0)},
}


def room(kind, **motion):
    if kind == "chain":
        return [StaticCollider(CORNERS, closed=True, **motion)]
    walls = []
    for a, b in zip(CORNERS, np.roll(CORNERS, -1, axis=0), strict=True):
        out = np.array((b[1] - a[1], a[0] - b[0])) / 2
        if kind == "segments":
            walls.append(StaticCollider([a, b], **motion))
        elif kind == "thick":
            walls.append(StaticCollider([a + 0.2 * out, b + 0.2 * out], radius=0.2, **motion))
        else:
            ends = a - (b - a) / 4, b + (b - a) / 4
            walls.append(
                StaticCollider([*ends, ends[1] + out, ends[0] + out], closed=True, **motion)
            )
    return walls


def contents(kind, rng):
    if kind == "balls":
        return [
            (
                Particles([(x, y)], velocity=rng.normal(size=2) * 20, radius=0.1),
                Collider(restitution=0.9),
            )
            for x in (-0.75, -0.25, 0.25, 0.75)
            for y in (-0.75, -0.25, 0.25, 0.75)
        ]
    if kind == "blobs":
        return [
            blueprints.blob(at, 0.35, velocity=rng.normal(size=2) * 15)
            for at in ((-0.5, -0.5), (0.5, 0.5))
        ]
    if kind == "boxes":
        return [
            blueprints.box(at, 0.6, velocity=rng.normal(size=2) * 10)
            for at in ((-0.5, -0.5), (0.5, 0.5))
        ]
    points = [
        Particles([(0.2 + 0.25 * k, -0.7)], velocity=rng.normal(size=2) * 20) for k in range(3)
    ]
    return (
        contents("blobs", rng)[:1]
        + contents("boxes", rng)[1:]
        + [(point, Collider()) for point in points]
    )


def check_confinement(walls, content, motion, dt, seed=1):
    """200 steps: every particle, also those inside a box, stays inside the walls; 0.2 m thick ones
    may be dented.
    """
    sim = Simulation(gravity=(0, -10))
    bodies = [
        body
        for body, *rest in contents(content, np.random.default_rng(seed))
        if sim.spawn(body, *rest)
    ]
    for wall in room(walls, **MOTIONS[motion]):
        sim.spawn(wall)
    for _ in range(200):
        sim.step(dt)
        place = np.concatenate([body.position for body in bodies])
        if motion == "moving":
            place = place - sim.time * np.array((0.5, 0.2))
        if motion == "turning":
            c = np.cos(0.5 * sim.time)
            s = np.sin(0.5 * sim.time)
            place = place @ np.array([(c, -s), (s, c)])
        assert_array_less(np.abs(place), 1.2 if walls == "thick" else 1.0)


@pytest.mark.brief(15)
@pytest.mark.parametrize("dt", [1 / 60, 1 / 10])
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("walls", ["chain", "segments", "thick", "slabs"])
def test_a_room_keeps_a_mixed_crowd(walls, motion, dt):
    check_confinement(walls, "mixed", motion, dt)


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize("dt", [1 / 60, 1 / 10])
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("content", ["balls", "blobs", "boxes", "mixed"])
@pytest.mark.parametrize("walls", ["chain", "segments", "thick", "slabs"])
def test_a_room_keeps_whatever_is_in_it(walls, content, motion, dt):
    for seed in range(4):
        check_confinement(walls, content, motion, dt, seed)


def contains(ring, x, y):
    after = np.roll(ring, -1, axis=0)
    crosses = (ring[:, 1] > y) != (after[:, 1] > y)
    rise = np.where(crosses, after[:, 1] - ring[:, 1], 1.0)
    return (
        crosses & (x < ring[:, 0] + (y - ring[:, 1]) / rise * (after[:, 0] - ring[:, 0]))
    ).sum() % 2 == 1


@pytest.mark.brief(12)
@pytest.mark.parametrize("moving", ["body", "wall"])
@pytest.mark.parametrize("speed", [5.0, 20.0, 100.0])
@pytest.mark.parametrize(
    "vertices", [[(0, 0), (0, -5)], [(0, 0), (1, -3), (-1, -3)]], ids=["end", "wedge"]
)
def test_no_corner_comes_through_the_skin_of_a_blob(vertices, speed, moving):
    """Between two points of the skin there is nothing but an edge: the tip of a wall stays outside
    all the same.
    """
    for offset in (0.0, 0.1, 0.2, 0.25):
        sim = Simulation(gravity=(0, 0), world=f"{offset}")
        ring, *rest = blueprints.blob((offset, 1.0), 0.5, particles=12)
        ring.velocity[:] = (0, -speed if moving == "body" else 0)
        sim.spawn(ring, *rest)
        wall = StaticCollider(
            vertices, closed=len(vertices) > 2, velocity=(0, speed if moving == "wall" else 0)
        )
        sim.spawn(wall)
        for _ in range(25):
            sim.step()
            assert not contains(ring.position, *wall.vertices[0])
        sim.close()


@pytest.mark.compiles
@pytest.mark.parametrize("seed", range(5))
def test_the_time_of_passing_a_moving_segment_matches_sampling(seed):
    rng = np.random.default_rng(seed)
    share = np.linspace(0, 1, 4001)[:, None]
    for _ in range(50):
        e, d, f, g = rng.normal(size=(4, 2))
        segment = e + share * (f - e)
        point = d + share * (g - d)
        side = segment[:, 0] * point[:, 1] - segment[:, 1] * point[:, 0]
        time = passing_time(*e, *d, *f, *g)
        if (side[0] > 0) == (side[-1] > 0):
            assert time == 2.0
        else:
            changes = share[1:, 0][(side[1:] > 0) != (side[:-1] > 0)]
            assert np.abs(changes - time).min() < 1e-3
