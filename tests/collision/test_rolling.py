"""Round bodies come to rest: rolling resistance is a couple over force and radius, and conserves what has to stay."""

import numpy as np
import pytest

from ecs_softbody import Collider, Simulation, StaticCollider, blueprints

G = 9.81


def wheel(place, *, resistance=0.02, **options):
    """A firm blob, which rolls almost like a hoop."""
    parts = blueprints.blob(place, 0.5, pressure=600.0, friction=1.0, **options)
    collider = next(part for part in parts if isinstance(part, Collider))
    collider.rolling_resistance = resistance
    return parts


def spin_of(body):
    """Angular velocity by angular momentum [rad/s]."""
    return body.pose().angular_velocity


def rolling(resistance, *, seconds, speed=3.0):
    """Let a wheel roll on flat ground; return its speeds, frame by frame."""
    sim = Simulation(sleeping=False)
    body, *rest = wheel((0, 0.5), resistance=resistance)
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(-50, 0), (200, 0)], friction=1.0))
    for _ in range(120):
        sim.step()
    arm = body.position - body.position.mean(axis=0)
    body.velocity = np.array((speed, 0.0)) - speed / 0.45 * np.column_stack([-arm[:, 1], arm[:, 0]])
    speeds = []
    for _ in range(round(60 * seconds)):
        sim.step()
        speeds.append(body.velocity[:, 0].mean())
    return np.array(speeds)


def test_a_hoop_slows_down_by_half_of_the_coefficient_times_gravity():
    """a = c g r R / (R² + r²), r the radius of gyration: c g / 2 for a hoop; on top of what rolls without it."""
    slowing = {c: (s[120] - s[300]) / 3.0 for c in (0.0, 0.05) for s in [rolling(c, seconds=6)]}
    assert slowing[0.05] - slowing[0.0] == pytest.approx(0.05 * G / 2, rel=0.15)


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
            float((b.mass * (b.position[:, 0] * b.velocity[:, 1] - b.position[:, 1] * b.velocity[:, 0])).sum())
            for b in (parts[0] for parts in bodies)
        )

    start = turning()
    for _ in range(60):
        sim.step()
        assert sum((p[0].mass[:, None] * p[0].velocity).sum(axis=0) for p in bodies) == pytest.approx((0, 0), abs=1e-12)
        assert turning() == pytest.approx(start, abs=1e-11)


def test_it_never_turns_a_body_the_other_way():
    speeds = rolling(5.0, seconds=4, speed=1.0)
    assert speeds[-1] == pytest.approx(0.0, abs=0.02)
    assert speeds.min() > -0.3
