"""What turns rolls on its surface, and comes to rest: friction and rolling resistance, and what
both conserve.
"""

import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    Motor,
    Particles,
    ShapeMatching,
    Simulation,
    StaticCollider,
    blueprints,
)
from tests.helpers.stepping import run_frames

G = 9.81


def wheel(place, *, resistance=0.02, **options):
    """A firm blob, which rolls almost like a hoop."""
    parts = blueprints.blob(place, 0.5, pressure=600.0, friction=1.0, **options)
    collider = next(part for part in parts if isinstance(part, Collider))
    collider.rolling_resistance = resistance
    return parts


def rolled(sim, body, radius, frames):
    """Return how far a body goes, over the way that its surface turns by."""
    start = body.position[:, 0].mean()
    turned = 0.0
    for _ in range(frames):
        sim.step()
        turned -= body.pose().angular_velocity / 60
    return (body.position[:, 0].mean() - start) / (turned * radius)


def driven_wheel(particles, radius, solver, speed=2.0):
    """Return how far a wheel goes on a motor that turns its surface at a speed [m/s], over that
    way.
    """
    sim = Simulation(solver=solver)
    body, *rest = blueprints.wheel((0, radius), radius, mass=2, particles=particles)
    sim.spawn(StaticCollider([(-99, 0), (99, 0)]))
    sim.spawn(Motor((None, sim.spawn(body, *rest)), speed=-speed / radius, max_torque=50.0))
    run_frames(sim, 150)
    start = body.position[:, 0].mean()
    run_frames(sim, 300)
    return (body.position[:, 0].mean() - start) / (5.0 * speed)


def hoop_on_a_slope(
    share, solver="saturated", *, degrees=15.0, speed=0.0, resistance=0.0, particles=48
):
    """Return way over turn in the second second, and the acceleration [m/s²], of a stiff hoop that
    rolls at a speed.

    share: of the radius that is not the thickness of its skin.
    """
    radius = 0.5
    angle = np.radians(degrees)
    sim = Simulation(solver=solver, gravity=(G * np.sin(angle), -G * np.cos(angle)), sleeping=False)
    sim.spawn(StaticCollider([(-9, 0), (999, 0)], friction=1.0))
    around = 2 * np.pi * np.arange(particles) / particles
    ring = share * radius * np.column_stack([np.cos(around), np.sin(around)])
    turn = speed / radius * np.column_stack([ring[:, 1], -ring[:, 0]])
    body = Particles(
        ring + np.array((0, radius)),
        mass=1 / particles,
        radius=(1 - share) * radius,
        velocity=turn + np.array((speed, 0.0)),
    )
    collider = Collider(outline=range(particles), friction=1.0, rolling_resistance=resistance)
    sim.spawn(body, ShapeMatching(stiffness=1e6, damping=10.0), collider)
    run_frames(sim, 60)
    before = body.velocity[:, 0].mean()
    way = rolled(sim, body, radius, 60)
    return way, body.velocity[:, 0].mean() - before


@pytest.mark.brief(4)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize(("particles", "radius"), [(8, 0.4), (16, 0.1)])
def test_a_wheel_rolls_on_its_surface(particles, radius, solver):
    assert driven_wheel(particles, radius, solver) == pytest.approx(1.0, abs=0.02)


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("particles", [8, 9, 12, 16, 24, 32])
@pytest.mark.parametrize(
    ("radius", "turning"), [(0.1, 20.0), (0.15, 4.0), (0.4, 1.5), (0.4, 5.0), (0.9, 4.0)]
)
def test_wheels_of_all_sizes_roll_on_their_surface(particles, radius, turning, solver):
    """With eight particles the edges were shorter than the arc by 2 %, and slow wheels rolled at
    0.96 of w R.
    """
    assert driven_wheel(particles, radius, solver, turning * radius) == pytest.approx(1.0, abs=0.02)


@pytest.mark.brief(6)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("share", [0.5, 0.9, 0.998])
def test_a_hoop_rolls_down_a_slope_as_fast_as_its_inertia_says(share, solver):
    way, acceleration = hoop_on_a_slope(share, solver)
    assert way == pytest.approx(1.0, abs=0.02)
    assert acceleration == pytest.approx(G * np.sin(np.radians(15.0)) / (1 + share**2), rel=0.06)


@pytest.mark.brief(4)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize(("radius", "speed"), [(0.1, 1.0), (0.5, 3.0)])
def test_a_blob_rolls_on_its_surface(radius, speed, solver):
    sim = Simulation(solver=solver, sleeping=False)
    body, *rest = blueprints.blob((0, radius), radius, friction=1.0)
    next(part for part in rest if isinstance(part, Collider)).rolling_resistance = 0.0
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(-50, 0), (200, 0)], friction=1.0))
    run_frames(sim, 60)
    arm = body.position - body.position.mean(axis=0)
    body.velocity = np.array((speed, 0.0)) - speed / radius * np.column_stack(
        [-arm[:, 1], arm[:, 0]]
    )
    run_frames(sim, 60)
    assert rolled(sim, body, radius, 120) == pytest.approx(1.0, abs=0.02)


def rolling(resistance, *, seconds, speed=3.0):
    """Let a wheel roll on flat ground; return its speeds, frame by frame."""
    sim = Simulation(sleeping=False)
    body, *rest = wheel((0, 0.5), resistance=resistance)
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(-50, 0), (200, 0)], friction=1.0))
    run_frames(sim, 120)
    arm = body.position - body.position.mean(axis=0)
    body.velocity = np.array((speed, 0.0)) - speed / 0.5 * np.column_stack([-arm[:, 1], arm[:, 0]])
    speeds = []
    for _ in range(round(60 * seconds)):
        sim.step()
        speeds.append(body.velocity[:, 0].mean())
    return np.array(speeds)


@pytest.mark.brief(4)
@pytest.mark.parametrize("coefficient", [0.02, 0.05])
@pytest.mark.parametrize("share", [0.7, 0.95])
def test_a_hoop_slows_down_by_half_of_the_coefficient_times_gravity(coefficient, share):
    """a = c g r R / (R² + r²), r the radius of gyration: c g / 2 for a thin hoop; apart from its
    corners.
    """
    flat = {"degrees": 0.0, "speed": 2.0, "particles": 128}
    slowing = [-hoop_on_a_slope(share, **flat, resistance=c)[1] for c in (0.0, coefficient)]
    assert slowing[1] - slowing[0] == pytest.approx(
        coefficient * G * share / (1 + share**2), rel=0.03
    )


@pytest.mark.slow
def test_a_thrown_blob_comes_to_rest_and_sleeps():
    sim = Simulation()
    body, *rest = blueprints.blob((0, 2), 0.5, velocity=(3.0, 0.0))
    blob = sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(-90, 0), (90, 0)]))
    while not sim.is_asleep(blob):
        sim.step()
        assert sim.time < 20.0


def test_two_bodies_keep_their_momenta():
    sim = Simulation(gravity=(0, 0))
    bodies = [wheel((-0.49, 0), resistance=0.5)[0:], wheel((0.49, 0.1), resistance=0.0)[0:]]
    for parts, speed in zip(bodies, (1.0, -1.0), strict=True):
        sim.spawn(*parts)
        body = parts[0]
        arm = body.position - body.position.mean(axis=0)
        body.velocity = np.array((speed, 0.0)) + 8.0 * np.column_stack([-arm[:, 1], arm[:, 0]])

    def turning():
        return sum(
            float(
                (
                    b.mass
                    * (b.position[:, 0] * b.velocity[:, 1] - b.position[:, 1] * b.velocity[:, 0])
                ).sum()
            )
            for b in (parts[0] for parts in bodies)
        )

    start = turning()
    for _ in range(60):
        sim.step()
        assert sum(
            (p[0].mass[:, None] * p[0].velocity).sum(axis=0) for p in bodies
        ) == pytest.approx((0, 0), abs=1e-12)
        assert turning() == pytest.approx(start, abs=1e-11)


def test_it_never_turns_a_body_the_other_way():
    speeds = rolling(5.0, seconds=4, speed=1.0)
    assert speeds[-1] == pytest.approx(0.0, abs=0.02)
    assert speeds.min() > -0.3
