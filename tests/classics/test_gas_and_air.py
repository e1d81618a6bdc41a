"""The classics with fields: the pressure soft body (Matyka 2004) and quadratic
friction of the air.
"""

import numpy as np
import pytest

from ecs_softbody import Drag, Particles, PressureBody, Simulation, StaticCollider, blueprints
from tests.helpers.bodies import ring_of
from tests.helpers.measures import signed_area
from tests.helpers.stepping import run_frames

G = 9.81


def gas_ring(count=16, radius=1.0, *, stiffness=200.0, gas=50.0):
    return *ring_of(count, radius, stiffness=stiffness, damping=1.0), PressureBody(
        range(count), nRT=gas
    )


def test_pressure_is_nRT_over_volume():
    sim = Simulation(gravity=(0, 0))
    body, skin, gas = gas_ring()
    sim.spawn(body, skin, gas)
    for _ in range(60):
        sim.step()
        assert gas.pressure * gas.area == pytest.approx(50.0, rel=1e-9)
    assert gas.area == pytest.approx(signed_area(body.position), rel=0.02), (
        "it is that of the last substep"
    )


def test_spring_normals_equal_the_area_gradient():
    """Force of the gas on the ring, from the change of momentum of one substep: Σ P L n / 2 over
    both edges.
    """
    sim = Simulation(gravity=(0, 0), substeps=1)
    body, _, gas = gas_ring(gas=3.0)
    rng = np.random.default_rng(0)
    body.position += rng.normal(size=body.position.shape) * 0.1
    place = body.position.copy()
    sim.spawn(body, gas)
    sim.step(1e-3)
    force = body.mass[:, None] * body.velocity / 1e-3
    edge = np.roll(place, -1, axis=0) - place
    normal_times_length = np.column_stack([edge[:, 1], -edge[:, 0]])
    half = 0.5 * 3.0 / signed_area(place) * normal_times_length
    assert np.allclose(force, half + np.roll(half, 1, axis=0), rtol=1e-9, atol=1e-9)


def test_more_gas_makes_a_larger_body_while_it_runs():
    sim = Simulation(gravity=(0, 0))
    body, skin, gas = gas_ring()
    sim.spawn(body, skin, gas)
    radii = []
    for amount in (0.0, 50.0, 200.0):
        gas.nRT = amount
        run_frames(sim, 400)
        radii.append(np.hypot(*body.position.T).mean())
    assert radii[0] == pytest.approx(1.0, abs=0.01)
    for radius, amount in zip(radii[1:], (50.0, 200.0), strict=True):
        assert radius * (radius - 1) == pytest.approx(
            amount / (2 * 16 * 200.0 * np.sin(np.pi / 16) ** 2), rel=0.01
        )


def test_pressure_body_is_squashed_by_the_ground_and_stays_whole():
    sim = Simulation()
    body, *rest = blueprints.blob((0, 3), 0.5)
    gas = rest[1]
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    rest_area = signed_area(body.position)
    flattest = 1.0
    for _ in range(600):
        sim.step()
        flattest = min(flattest, np.ptp(body.position[:, 1]) / np.ptp(body.position[:, 0]))
        assert gas.area > 0.0
        assert (body.position[:, 1] > 0.0).all()
    assert 0.3 < flattest < 0.5, "players remember soft bodies for the squash"
    assert signed_area(body.position) == pytest.approx(rest_area, rel=0.02)
    assert np.abs(body.velocity).max() < 0.1


@pytest.mark.brief(6)
@pytest.mark.parametrize("particles", [12, 24, 40])
@pytest.mark.parametrize("radius", [0.25, 1.0])
def test_gas_skin_and_weight_are_in_balance(particles, radius):
    """The virial of a body at rest is zero: gas 2 P A, skin -Σ T L, weight and the ground's
    reaction -Σ m g height.
    """
    sim = Simulation()
    body, skin, gas, collider = blueprints.blob(
        (0, radius), radius, particles=particles, friction=0.0
    )
    sim.spawn(body, skin, gas, collider)
    sim.spawn(StaticCollider([(-20, 0), (20, 0)]))
    run_frames(sim, 600)
    assert sim.asleep_count == 1
    length = np.hypot(*(body.position[skin.pairs[:, 1]] - body.position[skin.pairs[:, 0]]).T)
    of_gas = 2.0 * gas.pressure * signed_area(body.position[gas.outline])
    of_skin = (skin.stiffness * (length - skin.rest_length)) @ length
    of_weight = G * body.mass @ (body.position[:, 1] - body.radius)
    assert of_weight > 0.04 * of_gas
    assert of_gas == pytest.approx(of_skin + of_weight, rel=0.01)


def test_a_pressure_body_turned_inside_out_recovers():
    sim = Simulation(gravity=(0, 0))
    body, skin, gas = gas_ring()
    sim.spawn(body, skin, gas)
    sim.step()
    body.position[:, 0] *= -1.0
    sim.step()
    assert gas.area < 0.0
    run_frames(sim, 900)
    assert signed_area(body.position) > 3.0
    assert np.isfinite(body.position).all()


def test_a_blob_is_made_in_balance():
    """The blueprint's skin tension and gas are equal: nothing moves without weight."""
    for options in (
        {},
        {"pressure": 300.0},
        {"particles": 7},
        {"stiffness": 500.0, "pressure": 20.0},
    ):
        sim = Simulation(gravity=(0, 0), world=str(options))
        body, *rest = blueprints.blob((1, 2), 0.5, **options)
        start = body.position.copy()
        sim.spawn(body, *rest)
        run_frames(sim, 60)
        assert np.allclose(body.position, start, atol=1e-9)


def test_quadratic_air_friction_limits_the_fall():
    """A light and a heavy ball of one size: the terminal speed is √(m g / k)."""
    sim = Simulation()
    friction = 0.5 * 1.2 * 0.47 * 0.4
    bodies = [Particles([(k, 0)], mass=mass) for k, mass in enumerate((0.05, 0.8))]
    for body in bodies:
        sim.spawn(body, Drag(quadratic=friction))
    run_frames(sim, 1500)
    speeds = [-body.velocity[0, 1] for body in bodies]
    assert speeds[0] == pytest.approx(np.sqrt(0.05 * G / friction), rel=0.01)
    assert speeds[1] == pytest.approx(4 * speeds[0], rel=0.01)


@pytest.mark.parametrize("substeps", [1, 4, 16])
@pytest.mark.parametrize("terminal", [1e-3, 0.05, 0.63, 7.0, 50.0])
@pytest.mark.parametrize("linear", [0.0, 0.4])
def test_the_terminal_speed_is_that_of_the_textbook_with_any_substep(substeps, terminal, linear):
    """Who falls from rest never gets faster than m g = (a + b v) v; who is faster gets slower,
    within a substep.
    """
    sim = Simulation(substeps=substeps)
    drag = {"linear": linear * G / terminal, "quadratic": (1.0 - linear) * G / terminal**2}
    bodies = [
        Particles([(k, 0)], velocity=[(0, -speed * terminal)])
        for k, speed in enumerate((0.0, 0.9, 4.0))
    ]
    for body in bodies:
        sim.spawn(body, Drag(**drag))
    # 20 time constants of the fastest
    for _ in range(round(60 * max(2.0 * terminal, 0.5))):
        sim.step(1.0 / 60.0)
        assert all(-body.velocity[0, 1] <= terminal * (1 + 1e-12) for body in bodies[:2])
    for body in bodies:
        assert -body.velocity[0, 1] == pytest.approx(terminal, rel=1e-6)


@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5])
def test_air_friction_acts_against_the_motion(angle):
    sim = Simulation(gravity=(0, 0))
    direction = np.array((np.cos(angle), np.sin(angle)))
    body = Particles([(0, 0)], velocity=10.0 * direction)
    sim.spawn(body, Drag(quadratic=0.2))
    run_frames(sim, 60)
    assert body.velocity[0] == pytest.approx(10.0 / (1 + 0.2 * 10.0 * 1.0) * direction, rel=1e-9)
