"""Walls that move, turn and run: what they carry, what they never let through, and that they keep
their shape.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, StaticCollider, blueprints
from tests.helpers.stepping import run, run_frames

G = 9.81


def edge_lengths(vertices):
    return np.hypot(*np.diff(vertices, axis=0).T)


@pytest.mark.parametrize("dt", [1 / 60, 1 / 10])
def test_a_turning_platform_keeps_its_shape_and_its_angle(dt):
    """pivot + R(ω t) arm, where the pivot moves with the velocity."""
    corners = np.array([(3.0, 1.0), (5.0, 1.5), (4.0, 2.5)])
    platform = StaticCollider(
        corners, closed=True, angular_velocity=2.0, pivot=(1, 1), velocity=(0.5, -0.25)
    )
    sim = Simulation()
    sim.spawn(platform)
    frames = 400
    for _ in range(frames):
        sim.step(dt)
    turned = 2.0 * sim.time
    moved = sim.time * np.array((0.5, -0.25))
    rotation = np.array([(np.cos(turned), -np.sin(turned)), (np.sin(turned), np.cos(turned))])
    assert platform.angle == pytest.approx(turned, rel=1e-12)
    assert platform.pivot == pytest.approx(np.array((1, 1)) + moved, abs=1e-9)
    assert platform.vertices == pytest.approx(
        (corners - (1, 1)) @ rotation.T + (1, 1) + moved, abs=1e-9
    )
    assert edge_lengths(platform.vertices) == pytest.approx(edge_lengths(corners), rel=1e-13)


@pytest.mark.slow
def test_a_platform_that_turns_for_long_keeps_its_edges():
    corners = np.array([(-2.0, 0.0), (0.0, 0.3), (2.0, 0.0)])
    platform = StaticCollider(corners, angular_velocity=3.7, velocity=(0.01, 0.02))
    sim = Simulation(substeps=1)
    sim.spawn(platform)
    run_frames(sim, 100_000)
    assert edge_lengths(platform.vertices) == pytest.approx(edge_lengths(corners), rel=1e-12)


def test_the_pivot_is_the_mean_of_the_vertices_unless_given():
    assert StaticCollider([(0, 0), (2, 0), (4, 3)]).pivot == pytest.approx((2.0, 1.0))
    assert StaticCollider([(0, 0), (2, 0)], pivot=(7, 8)).pivot == pytest.approx((7.0, 8.0))


def test_vertices_and_pivot_that_a_game_writes_stay_written():
    platform = StaticCollider([(-1, 0), (1, 0)], angular_velocity=1.0)
    sim = Simulation()
    sim.spawn(platform)
    run(sim, 1)
    before = platform.vertices.copy()
    platform.vertices += (10, 0)
    platform.pivot += (10, 0)
    platform.angular_velocity = 0.0
    platform.velocity = (0.0, 1.0)
    run(sim, 1)
    assert platform.vertices == pytest.approx(before + np.array((10, 1)), abs=1e-9)
    platform.pivot = platform.vertices[0]
    held = platform.vertices[0].copy()
    platform.angular_velocity = 1.0
    platform.velocity = (0, 0)
    run(sim, 1)
    assert platform.vertices[0] == pytest.approx(held, abs=1e-12)
    assert edge_lengths(platform.vertices) == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"angular_velocity": np.nan}, "StaticCollider.angular_velocity: nan"),
        ({"pivot": (1, 2, 3)}, "StaticCollider.pivot: shape"),
        ({"surface_velocity": np.inf}, "StaticCollider.surface_velocity: inf"),
    ],
)
def test_bad_motion_is_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        StaticCollider([(0, 0), (1, 0)], **bad)


@pytest.mark.brief(3)
@pytest.mark.parametrize("omega", [0.2, -0.2])
@pytest.mark.parametrize(("make", "turns"), [("box", 1.0), ("ball", 5.0 / 5.2)])
def test_a_body_rides_a_turning_wheel(make, turns, omega):
    """On top of a wheel of 5 m a body goes along with the rim. The centre of a disc that does not
    turn has the speed ω R of the rim: ω R / (R + r) round the axle.
    """
    sim = Simulation()
    angle = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    rim = 5.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    sim.spawn(StaticCollider(rim, closed=True, angular_velocity=omega, friction=1.0))
    body, *rest = (
        blueprints.box((0, 5.21), 0.4) if make == "box" else blueprints.ball((0, 5.2), 0.2)
    )
    body.inertia_factor = np.inf
    sim.spawn(body, *rest)
    run(sim, 0.5)
    start = np.arctan2(*body.position.mean(axis=0))
    run(sim, 1.5)
    assert np.arctan2(*body.position.mean(axis=0)) - start == pytest.approx(
        -1.5 * omega * turns, rel=0.05
    )


def test_a_disc_far_from_the_pivot_of_a_plank_moves_with_the_point_below_it():
    """The plank turns by ω t and lifts the disc, which rolls on it by r ω t since it does not turn
    itself.
    """
    sim = Simulation()
    sim.spawn(StaticCollider([(-1, 0), (3, 0)], pivot=(0, 0), angular_velocity=0.1, friction=1.0))
    body = Particles([(2, 0.1)], radius=0.1, inertia_factor=np.inf)
    sim.spawn(body, Collider(friction=1.0))
    run(sim, 2)
    turn = 0.2
    along = np.array((np.cos(turn), np.sin(turn)))
    normal = np.array((-np.sin(turn), np.cos(turn)))
    assert body.position[0] == pytest.approx((2 + 0.1 * turn) * along + 0.1 * normal, abs=1e-3)
    assert body.velocity[0] == pytest.approx(0.1 * (2 + 0.1 * turn) * normal, abs=1e-3)


@pytest.mark.brief(8)
@pytest.mark.parametrize("omega", [20.0, -20.0])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 10])
@pytest.mark.parametrize("closed", [False, True])
def test_a_spinning_paddle_lets_nothing_through(closed, dt, omega):
    """A paddle that reaches through the wall of a round room sweeps discs: each stays on its side
    of it.
    """
    sim = Simulation(gravity=(0, 0))
    corners = (
        [(-1.2, 0), (1.2, 0)]
        if not closed
        else [(-1.2, -0.02), (1.2, -0.02), (1.2, 0.02), (-1.2, 0.02)]
    )
    paddle = StaticCollider(corners, closed=closed, angular_velocity=omega)
    sim.spawn(paddle)
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    sim.spawn(StaticCollider(1.05 * np.column_stack([np.cos(angle), np.sin(angle)]), closed=True))
    bodies = []
    sides = []
    for k in range(10):
        place = (0.15 + 0.08 * k) * np.array((np.cos(2.4 * k + 0.3), np.sin(2.4 * k + 0.3)))
        body = Particles([place], radius=0.04)
        sim.spawn(body, Collider(restitution=0.3 * (k % 3)))
        bodies.append(body)
        sides.append(place[1] > 0)
    for _ in range(120):
        sim.step(dt)
        (ax, ay), (bx, by) = np.array(paddle.vertices[:2])
        for body, above in zip(bodies, sides, strict=True):
            x, y = body.position[0]
            assert np.hypot(x, y) < 1.05
            assert ((bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0) == above


@pytest.mark.brief(2)
@pytest.mark.parametrize(
    "make", [lambda: blueprints.box((0, 0.51), 1.0), lambda: blueprints.ball((0, 0.2), 0.2)]
)
def test_an_elevator_carries_up_and_down_without_a_bounce(make):
    """2 m/s up, then down (less than g t of a frame), then up again: at most a few mm off the
    floor.
    """
    sim = Simulation()
    lift = StaticCollider([(-2, 0), (2, 0)])
    sim.spawn(lift)
    body, *rest = make()
    sim.spawn(body, *rest)
    run(sim, 1.5)
    for target in (2.0, -2.0, 2.0, 0.0):
        while lift.velocity[1] != target:
            # 6 m/s², less than gravity
            lift.velocity[1] += np.clip(target - lift.velocity[1], -0.1, 0.1)
            sim.step()
            assert_on(lift, body)
        for _ in range(40):
            sim.step()
            assert_on(lift, body)


def assert_on(lift, body):
    above = (body.position[:, 1] - body.radius).min() - lift.vertices[0, 1]
    assert -0.003 < above < 0.003


@pytest.mark.parametrize("speed", [5.0, 50.0, 300.0])
def test_a_wall_that_comes_fast_sweeps_along_what_stands_in_its_way(speed):
    sim = Simulation(gravity=(0, 0))
    wall = StaticCollider([(-1, -2), (-1, 2)], velocity=(speed, 0))
    sim.spawn(wall)
    bodies = [Particles([(0.37 * k, 0.5 * k - 1)], radius=0.05) for k in range(5)]
    for body in bodies:
        sim.spawn(body, Collider())
    blob, *rest = blueprints.blob((6, 0), 0.5)
    sim.spawn(blob, *rest)
    for _ in range(40):
        sim.step()
        assert all((body.position[:, 0] > wall.vertices[0, 0]).all() for body in [*bodies, blob])


def test_a_wall_that_a_game_starts_within_a_frame_sweeps_along_too():
    class Starter(esper.Processor):
        def process(self, dt):
            wall.velocity = (100.0, 0.0)

    sim = Simulation(gravity=(0, 0))
    wall = StaticCollider([(-0.3, -2), (-0.3, 2)])
    sim.spawn(wall)
    body = Particles([(0, 0)], radius=0.05)
    sim.spawn(body, Collider())
    sim.step()
    sim.add_processor(Starter())
    run_frames(sim, 5)
    assert body.position[0, 0] > wall.vertices[0, 0]


@pytest.mark.brief(4)
@pytest.mark.parametrize("speed", [2.0, -2.0])
@pytest.mark.parametrize("carried", [0.0, 1.5])
def test_a_conveyor_brings_a_box_to_its_speed(speed, carried):
    """With μ g while it slips, then at the speed of the belt, added to that of a platform that
    moves as well.
    """
    sim = Simulation()
    belt = StaticCollider(
        [(-90, 0), (0, 0), (90, 0)], surface_velocity=speed, friction=0.3, velocity=(carried, 0)
    )
    sim.spawn(belt)
    body = Particles([(0, 0.2)], radius=0.2, velocity=(carried, 0), inertia_factor=np.inf)
    sim.spawn(body, Collider(friction=0.3))
    run(sim, 0.4)
    assert body.velocity[0, 0] - carried == pytest.approx(np.sign(speed) * 0.3 * G * 0.4, rel=0.02)
    run(sim, 1.0)
    assert body.velocity[0] == pytest.approx((speed + carried, 0.0), abs=1e-6)
    box, *rest = blueprints.box((10, 0.51), 1.0, velocity=(carried, 0), friction=0.3)
    sim.spawn(box, *rest)
    run(sim, 2.5)
    assert box.velocity[:, 0].mean() == pytest.approx(speed + carried, rel=0.05)
    assert belt.vertices[1] == pytest.approx((carried * sim.time, 0.0), abs=1e-9)


def test_a_conveyor_runs_uphill_and_stops():
    sim = Simulation()
    slope = np.array((np.cos(0.3), np.sin(0.3)))
    belt = StaticCollider([-9 * slope, 9 * slope], surface_velocity=1.0, friction=0.9)
    sim.spawn(belt)
    body = Particles([0.1 * np.array((-slope[1], slope[0]))], radius=0.1, inertia_factor=np.inf)
    sim.spawn(body, Collider(friction=0.9))
    run(sim, 2)
    assert body.velocity[0] == pytest.approx(slope, abs=1e-3)
    belt.surface_velocity = 0.0
    run(sim, 1)
    assert body.velocity[0] == pytest.approx((0, 0), abs=1e-3)


@pytest.mark.parametrize("motion", [{"angular_velocity": -4.0}, {"surface_velocity": -2.0}])
@pytest.mark.parametrize("thick", ["circle", "edge"])
def test_the_surface_of_a_thick_wall_runs_with_its_radius(thick, motion):
    """A circle of 0.5 m turns under a disc that only moves sideways: it reaches ω r = -2 m/s at
    once. The surface of a thick edge is as far from its middle.
    """
    sim = Simulation()
    vertices = [(0, 0)] if thick == "circle" else [(-1e-3, 0), (1e-3, 0)]
    sim.spawn(StaticCollider(vertices, radius=0.5, friction=4.0, **motion))
    body = Particles([(0, 0.7)], radius=0.2, inertia_factor=np.inf)
    sim.spawn(body, Collider(friction=4.0))
    sim.step(1 / 60)
    sim.step(1 / 60)
    sign = -1.0 if "angular_velocity" in motion or thick == "circle" else 1.0
    friction_speed = 4.0 * G * 2 / 60
    assert body.velocity[0, 0] == pytest.approx(-sign * min(2.0, friction_speed), rel=0.1)
