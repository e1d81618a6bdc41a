"""Weight, drag and gas against closed forms."""

import esper
import numpy as np
import pytest

from ecs_softbody import Drag, Particles, PressureBody, Simulation, Springs, StabilityWarning
from tests.helpers.stepping import run_frames

H = 1.0 / 480.0
G = 9.81


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e6])
def test_free_fall_is_the_sum_of_its_substeps(mass):
    """y = y0 + v0 n h - g h² n (n + 1) / 2 to rounding, for any mass."""
    sim = Simulation()
    body = Particles([(1.0, 5.0)], velocity=(2.0, 3.0), mass=mass)
    esper.create_entity(body)
    run_frames(sim, 90)
    n = 90 * 8
    assert body.position[0, 1] == pytest.approx(
        5.0 + 3.0 * n * H - G * H**2 * n * (n + 1) / 2, rel=1e-12
    )
    assert body.position[0, 0] == pytest.approx(1.0 + 2.0 * n * H, rel=1e-12)
    assert body.velocity[0] == pytest.approx((2.0, 3.0 - G * n * H), rel=1e-12)


def test_gravity_may_point_anywhere_and_change():
    sim = Simulation(gravity=(1.0, 2.0), substeps=1)
    body = Particles([(0, 0)])
    esper.create_entity(body)
    sim.step(0.5)
    sim.gravity[1] = 0.0
    sim.step(0.5)
    sim.gravity = (0.0, 4.0)
    sim.step(0.5)
    assert body.velocity[0] == pytest.approx((1.0, 3.0))


def test_pinned_and_infinitely_heavy_particles_do_not_fall():
    sim = Simulation()
    body = Particles([(0, 0), (1, 0), (2, 0)], mass=[1.0, np.inf, 1.0], pinned=[True, False, False])
    esper.create_entity(body, Springs([(0, 1), (1, 2)], stiffness=100.0))
    run_frames(sim, 60)
    assert np.array_equal(body.position[:2], [(0, 0), (1, 0)])
    assert body.position[2, 1] < -0.1


def test_quadratic_drag_follows_its_closed_form():
    """v = v0 / (1 + kd v0 t / m), exactly at every substep, along the direction of flight."""
    sim = Simulation(gravity=(0, 0))
    mass = 0.4
    kd = 0.03
    v0 = 50.0
    body = Particles([(0, 0)], velocity=(30.0, 40.0), mass=mass)
    esper.create_entity(body, Drag(quadratic=kd))
    for _ in range(120):
        sim.step()
        exact = v0 / (1.0 + kd * v0 * sim.time / mass)
        assert body.velocity[0] == pytest.approx((0.6 * exact, 0.8 * exact), rel=1e-10)


def test_linear_drag_decays_exponentially():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0)], velocity=(8.0, 0.0), mass=2.0)
    esper.create_entity(body, Drag(linear=3.0))
    run_frames(sim, 60)
    assert body.velocity[0, 0] == pytest.approx(8.0 * (1.0 + 1.5 * H) ** -480, rel=1e-10)
    assert body.velocity[0, 0] == pytest.approx(8.0 * np.exp(-1.5), rel=5e-3)


@pytest.mark.parametrize(
    ("drag", "speed"), [({"quadratic": 0.5}, np.sqrt(2 * G / 0.5)), ({"linear": 4.0}, 2 * G / 4)]
)
def test_falling_bodies_reach_terminal_velocity(drag, speed):
    """m g = drag, whether started slower or faster; the speed of a substep is off by h g / 2 at
    most.
    """
    sim = Simulation()
    slow = Particles([(0, 0)], mass=2.0)
    fast = Particles([(5, 0)], mass=2.0, velocity=(0, -60.0))
    for body in (slow, fast):
        esper.create_entity(body, Drag(**drag))
    run_frames(sim, 480)
    assert slow.velocity[0] == pytest.approx((0.0, -speed), abs=0.5 * H * G + 1e-4)
    assert fast.velocity[0] == pytest.approx(slow.velocity[0], abs=1e-4)


def test_drag_of_any_strength_only_brakes():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0)], velocity=(100.0, -3.0), mass=1e-3)
    esper.create_entity(body, Drag(linear=1e9, quadratic=1e12))
    sim.step()
    assert np.hypot(*body.velocity[0]) < 1e-6
    assert body.velocity[0, 0] >= 0.0


def ring(count, radius=1.0):
    angle = 2.0 * np.pi * np.arange(count) / count
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def ring_pairs(count):
    return np.column_stack([np.arange(count), (np.arange(count) + 1) % count])


@pytest.mark.brief(2)
@pytest.mark.parametrize("clockwise", [False, True])
def test_pressure_ring_grows_to_its_balance(clockwise):
    """N = 12, k = 100, rest radius 1, nRT = 100: 4 k sin²(π/N) (R - 1) = 2 nRT / (N R), R =
    1.433814.
    """
    sim = Simulation(gravity=(0, 0))
    rows = np.arange(12)[:: -1 if clockwise else 1]
    body = Particles(ring(12))
    gas = PressureBody(rows, nRT=100.0)
    esper.create_entity(body, Springs(ring_pairs(12), stiffness=100.0, damping=20.0), gas)
    run_frames(sim, 1200)
    radius = np.hypot(*body.position.T)
    assert np.allclose(radius, 1.433814, atol=1e-4)
    assert gas.area == pytest.approx(6.0 * 1.433814**2 * np.sin(np.pi / 6), rel=1e-3)
    assert gas.pressure == pytest.approx(100.0 / gas.area, rel=1e-6)


def test_with_ambient_pressure_the_rest_area_is_the_balance():
    """nRT = P A0: nothing moves, and squeezed to 90 % of the radius the ring returns."""
    sim = Simulation(gravity=(0, 0))
    area = 8.0 * np.sin(np.pi / 8)
    body = Particles(ring(16))
    esper.create_entity(
        body,
        Springs(ring_pairs(16), stiffness=300.0, damping=20.0),
        PressureBody(np.arange(16), nRT=500.0 * area, ambient_pressure=500.0),
    )
    run_frames(sim, 60)
    assert np.allclose(body.position, ring(16), atol=1e-12)
    body.position *= 0.9
    run_frames(sim, 900)
    assert np.allclose(np.hypot(*body.position.T), 1.0, atol=1e-4)


def test_skin_and_gas_saturate_together():
    """P = 1e5 Pa in a skin of k = 1e6 N/m: far beyond what substeps carry, yet the area is the
    physical one.
    """
    sim = Simulation(gravity=(0, 0))
    count = 24
    body = Particles(ring(count), mass=1 / count)
    rest_area = 0.5 * count * np.sin(2 * np.pi / count)
    gas = PressureBody(np.arange(count), nRT=1e5 * rest_area)
    esper.create_entity(body, Springs(ring_pairs(count), stiffness=1e6, damping=1.0), gas)
    with pytest.warns(StabilityWarning, match="stiffness"):
        sim.step()
    run_frames(sim, 600)
    half = np.sin(np.pi / count)
    load = 1e5 * rest_area / (2.0 * count * 1e6 * half**2)
    exact = ((1.0 + np.sqrt(1.0 + 4.0 * load)) / 2.0) ** 2
    ratio = np.mean(np.hypot(*body.position.T)) ** 2
    assert exact == pytest.approx(1.67, abs=0.02)
    assert ratio == pytest.approx(exact, rel=0.02)
