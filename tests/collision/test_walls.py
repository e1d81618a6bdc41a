"""Nothing passes a wall: thin walls at high speed, boxes of several kinds, static circles, head-on
bodies.
"""

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, StaticCollider, blueprints
from tests.helpers.outlines import UNTANGLED, tangles
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")

BOX = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
SIDES = list(zip(BOX, [*BOX[1:], BOX[0]], strict=True))


def test_thin_wall_stops_every_point_of_a_fast_blob():
    """100 and 500 m/s: 0 of 24 points through."""
    for speed in (100.0, 500.0):
        for offset in (0.0, 0.011, 0.13):
            sim = Simulation(gravity=(0, 0), world=f"{speed} {offset}")
            body, *rest = blueprints.blob((-3 - offset, 0), 0.5, velocity=(speed, 0))
            sim.spawn(body, *rest)
            sim.spawn(StaticCollider([(0, -50), (0, 50)]))
            for _ in range(30):
                sim.step()
                assert (body.position[:, 0] < 0.0).all(), (
                    f"{(body.position[:, 0] >= 0).sum()} of 24 are through"
                )


@pytest.mark.brief(4)
@pytest.mark.parametrize("speed", [50.0, 500.0, 5000.0])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 10])
@pytest.mark.parametrize("restitution", [0.0, 0.9])
def test_fast_discs_do_not_tunnel(speed, dt, restitution):
    sim = Simulation(gravity=(0, 0))
    bodies = []
    for k in range(8):
        body = Particles(
            [(-5 - 0.37 * k, k)], velocity=(speed, 0.1 * speed * (k - 4) / 4), radius=0.05
        )
        sim.spawn(body, Collider(restitution=restitution))
        bodies.append(body)
    sim.spawn(StaticCollider([(0, -1e5), (0, 1e5)]))
    for _ in range(20):
        sim.step(dt)
    assert all(body.position[0, 0] < 0.0 for body in bodies)


def room(kind):
    """A room of 2 m × 2 m around the origin."""
    if kind == "chain":
        return [StaticCollider(BOX, closed=True)]
    if kind == "segments":
        return [StaticCollider(side) for side in SIDES]
    slabs = []
    for (ax, ay), (bx, by) in SIDES:
        out = np.array((by - ay, ax - bx)) * 0.25
        a = np.array((ax, ay), float)
        b = np.array((bx, by), float)
        slabs.append(
            StaticCollider(
                [a - (b - a) / 4, b + (b - a) / 4, b + (b - a) / 4 + out, a - (b - a) / 4 + out],
                closed=True,
            )
        )
    return slabs


def fill(sim, content, seed):
    rng = np.random.default_rng(seed)
    bodies = []
    if content == "discs":
        for k in range(16):
            body = Particles(
                [(-0.75 + 0.5 * (k % 4), -0.75 + 0.5 * (k // 4))],
                velocity=rng.normal(size=2) * 20,
                radius=0.1,
            )
            sim.spawn(body, Collider(restitution=0.9))
            bodies.append(body)
    else:
        for x, y in ((-0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
            body, *rest = blueprints.blob(
                (x, y), 0.35, particles=16, velocity=rng.normal(size=2) * 15
            )
            sim.spawn(body, *rest)
            bodies.append(body)
    return bodies


@pytest.mark.brief(12)
@pytest.mark.parametrize("dt", [1 / 60, 1 / 10])
@pytest.mark.parametrize("kind", ["segments", "chain", "polygons"])
@pytest.mark.parametrize("content", ["discs", "blobs"])
@pytest.mark.parametrize("seed", range(3))
def test_a_room_does_not_leak(content, kind, dt, seed):
    sim = Simulation()
    bodies = fill(sim, content, seed)
    for wall in room(kind):
        sim.spawn(wall)
    for frame in range(150):
        sim.step(dt)
        for body in bodies:
            if frame % 30 == 10 and content == "blobs":
                body.velocity += (17.0, 9.0) if frame % 60 == 10 else (-20.0, 14.0)
            outside = np.abs(body.position).max()
            assert outside < 1.0, f"frame {frame}: {outside}"


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", ["segments", "chain", "polygons"])
def test_a_shaken_room_does_not_leak_for_a_minute(kind):
    sim = Simulation()
    bodies = fill(sim, "discs", seed=2) + fill(sim, "blobs", seed=2)[:1]
    for wall in room(kind):
        sim.spawn(wall)
    for frame in range(3600):
        sim.gravity = (60.0 * np.sin(frame / 7.0), 60.0 * np.cos(frame / 11.0))
        sim.step()
        assert max(np.abs(body.position).max() for body in bodies) < 1.0


def test_static_circle_carries_and_deflects():
    sim = Simulation()
    sim.spawn(StaticCollider([(0, 0)], radius=1.0))
    centred = Particles([(0, 3)], radius=0.2)
    sim.spawn(centred, Collider())
    aside = Particles([(0.5, 3)], radius=0.2)
    sim.spawn(aside, Collider(category=2, mask=1, friction=0.0))
    for _ in range(60):
        sim.step()
        assert min(np.hypot(*body.position[0]) for body in (centred, aside)) > 1.19
    assert centred.position[0] == pytest.approx((0.0, 1.2), abs=2e-3)
    assert aside.position[0, 0] > 1.0


@pytest.mark.parametrize("speed", [20.0, 100.0, 400.0])
def test_static_circle_stops_fast_discs(speed):
    sim = Simulation(gravity=(0, 0))
    sim.spawn(StaticCollider([(0, 0)], radius=1.0))
    body = Particles([(-5, 0.0)], velocity=(speed, 0), radius=0.1)
    sim.spawn(body, Collider())
    for _ in range(30):
        sim.step()
        assert body.position[0, 0] < -1.09


@pytest.mark.brief(3)
@pytest.mark.parametrize("speed", [10.0, 30.0])
@pytest.mark.parametrize("offset", [0.0, 0.2])
def test_blobs_head_on_do_not_swap_or_pass(speed, offset):
    """Closing speed in m/s: each one stays on its own side, and no point of one lies inside the
    other.

    Two that meet off the middle slide along each other, so where they are much later says nothing.
    """
    sim = Simulation(gravity=(0, 0))
    bodies = []
    for side in (-1, 1):
        body, *rest = blueprints.blob(
            (side, side * offset / 2), 0.5, mass=1.0, velocity=(-side * speed / 2, 0)
        )
        sim.spawn(body, *rest)
        bodies.append(body)
    for _ in range(30):
        sim.step()
        left, right = (body.position for body in bodies)
        assert left[:, 0].mean() < right[:, 0].mean()
    run_frames(sim, 90)
    left, right = (body.position for body in bodies)
    assert inside(left, right) == inside(right, left) == 0


@pytest.mark.brief(6)
@pytest.mark.parametrize("offset", [0.0, 0.05, 0.1])
@pytest.mark.parametrize(
    "make",
    [
        lambda at, v: blueprints.blob(at, 0.5, velocity=v),
        lambda at, v: blueprints.box(at, 1.0, velocity=v),
    ],
    ids=["blob", "box"],
)
def test_a_crash_at_100_metres_per_second_leaves_both_whole(make, offset):
    sim = Simulation(gravity=(0, 0))
    pair = [make((side, side * offset / 2), (-50.0 * side, 0.0)) for side in (-1, 1)]
    for parts in pair:
        sim.spawn(*parts)
    run_frames(sim, 120)
    assert pair[0][0].position[:, 0].mean() < pair[1][0].position[:, 0].mean()
    assert (
        tangles([parts[0].position[np.asarray(parts[-1].outline, int)] for parts in pair])
        == UNTANGLED
    )


def inside(points, ring):
    """How many points lie inside a ring."""
    after = np.roll(ring, -1, axis=0)
    count = 0
    for x, y in points:
        crosses = (ring[:, 1] > y) != (after[:, 1] > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            where = ring[:, 0] + (y - ring[:, 1]) / (after[:, 1] - ring[:, 1]) * (
                after[:, 0] - ring[:, 0]
            )
        count += int((crosses & (x < where)).sum() % 2)
    return count


def test_a_pile_of_blobs_does_not_interpenetrate():
    sim = Simulation()
    bodies = []
    for k in range(9):
        body, *rest = blueprints.blob(
            (-1.2 + 1.2 * (k % 3), 0.6 + 1.2 * (k // 3)), 0.5, particles=16
        )
        sim.spawn(body, *rest)
        bodies.append(body)
    sim.spawn(StaticCollider([(-2, 4), (-2, 0), (2, 0), (2, 4)]))
    run_frames(sim, 180)
    for a in bodies:
        assert sum(inside(a.position, b.position) for b in bodies if b is not a) == 0
        assert (a.position[:, 1] > 0.0).all()
        assert np.abs(a.velocity).max() < 4.0


@pytest.mark.parametrize("piece", [0.1, 0.5, 3.0])
def test_a_large_body_among_small_ones_rests_on_short_segments(piece):
    """The cells of the broad phase fit the mean body: a large one must still meet every small piece
    of ground.
    """
    sim = Simulation()
    body, *rest = blueprints.box((0, 2.6), 5.0, rows=6, columns=6)
    sim.spawn(body, *rest)
    for k in range(30):
        sim.spawn(*blueprints.ball((-20 - 0.5 * k, 5), 0.1))
    sim.spawn(StaticCollider([(x, 0.0) for x in np.arange(-10, 10, piece)]))
    for _ in range(90):
        sim.step()
        assert body.position[:, 1].min() > 0.0


def test_a_fast_disc_among_slow_ones_does_not_tunnel_through_short_segments():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(-20, 0.03)], velocity=(300.0, 0.0), radius=0.1)
    sim.spawn(body, Collider())
    for k in range(30):
        sim.spawn(*blueprints.ball((-20 - 0.5 * k, 5), 0.05))
    sim.spawn(StaticCollider([(0.0, y) for y in np.arange(-5, 5, 0.25)]))
    for _ in range(20):
        sim.step()
        assert body.position[0, 0] < 0.0


@pytest.mark.parametrize("speed", [2.0, 10.0])
def test_the_corner_of_a_wall_pokes_into_a_soft_body_and_not_through_its_skin(speed):
    """The free end of a wall is a corner: a blob that falls on it with its skin, not a point, is
    held.
    """
    sim = Simulation(gravity=(0, 0))
    body, *rest = blueprints.blob((0, 1.0), 0.5, particles=12, velocity=(0, -speed))
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(0.06, 0.0), (0.06, -5.0)], radius=0.02))
    for _ in range(60):
        sim.step()
        assert inside([(0.06, 0.0)], body.position) == 0
