"""The classics with springs along a line: numbers of the 1-D spring, damping of three kinds, the
spring of one step.
"""

import numpy as np
import pytest

from ecs_softbody import Drag, Particles, Simulation, Springs, blueprints
from tests.helpers.stepping import run

G = 9.81


def hung(sim, *, mass=2.0, stiffness=50.0, damping=0.0, rest=1.0, length=None):
    body = Particles(
        [(0, 0), (0, -(rest if length is None else length))], mass=mass, pinned=[True, False]
    )
    springs = Springs([(0, 1)], stiffness=stiffness, damping=damping, rest_length=rest)
    sim.spawn(body, springs)
    return body, springs


def test_one_dimensional_spring_with_its_numbers():
    """Stretch, force, velocity and period, as a tutorial writes them on the screen: F = -k x, T = 2
    π √(m/k).
    """
    sim = Simulation(gravity=(0, 0))
    body, springs = hung(sim, length=1.4)
    seen = []

    def numbers():
        stretch = -body.position[1, 1] - springs.rest_length[0]
        return {
            "stretch": stretch,
            "force": -springs.stiffness[0] * stretch,
            "velocity": -body.velocity[1, 1],
        }

    sim.step(1e-9)
    assert numbers()["stretch"] == pytest.approx(0.4)
    assert numbers()["force"] == pytest.approx(-20.0)
    period = 2 * np.pi * np.sqrt(2.0 / 50.0)
    for _ in range(200):
        sim.step(period / 200)
        seen.append(numbers())
    assert seen[-1]["stretch"] == pytest.approx(0.4, rel=0.01)
    assert seen[99]["stretch"] == pytest.approx(-0.4, rel=0.01)
    assert seen[49]["velocity"] == pytest.approx(-0.4 * np.sqrt(50.0 / 2.0), rel=0.01)


def test_a_hung_mass_rests_where_weight_and_spring_are_equal():
    sim = Simulation()
    body, _ = hung(sim, damping=10.0)
    run(sim, 6)
    assert -body.position[1, 1] == pytest.approx(1.0 + 2.0 * G / 50.0, abs=1e-6)


@pytest.mark.parametrize(("ratio", "turns"), [(0.0, 8), (0.05, 7), (1.0, 0), (2.5, 0)])
def test_undamped_under_critically_and_over_damped(ratio, turns):
    """c = 2 ζ √(k m): how often the mass passes its rest place, and whether the swing dies out."""
    sim = Simulation(gravity=(0, 0))
    body, _ = hung(sim, mass=1.0, stiffness=4 * np.pi**2, damping=4 * np.pi * ratio, length=1.5)
    stretch = []
    for _ in range(240):
        sim.step()
        stretch.append(-body.position[1, 1] - 1.0)
    passes = (np.diff(np.sign(stretch)) != 0).sum()
    assert abs(passes - turns) <= (1 if turns else 0)
    late = np.abs(stretch[-60:]).max()
    assert late == pytest.approx(0.5 * np.exp(-2 * np.pi * ratio * 3), abs=0.06)


def test_critical_damping_is_the_fastest_without_overshoot():
    rest_times = {}
    for ratio in (0.5, 1.0, 2.0):
        sim = Simulation(gravity=(0, 0), world=f"ratio {ratio}")
        body, _ = hung(sim, mass=1.0, stiffness=400.0, damping=40.0 * ratio, length=1.5)
        away = []
        for _ in range(240):
            sim.step()
            away.append(abs(-body.position[1, 1] - 1.0) > 0.01)
        rest_times[ratio] = np.flatnonzero(away).max()
    assert rest_times[1.0] < rest_times[0.5]
    assert rest_times[1.0] < rest_times[2.0]


@pytest.mark.parametrize("length", [0.1, 0.9, 3.0, 17.0])
def test_the_spring_that_returns_in_one_step(length):
    """k = m/h², c = m/h."""
    sim = Simulation(gravity=(0, 0), substeps=1)
    body, _ = hung(sim, mass=3.0, stiffness=3.0 * 60**2, damping=3.0 * 60, length=length)
    sim.step(1 / 60)
    assert body.position[1] == pytest.approx((0.0, -1.0), abs=1e-12)


def test_damping_along_the_line_only():
    """A mass that circles around a pin keeps its speed: the dashpot sees no change of length."""
    sim = Simulation(gravity=(0, 0))
    speed = 2.0
    stretch = 0.01
    body = Particles(
        [(0, 0), (1 + stretch, 0)], velocity=[(0, 0), (0, speed)], pinned=[True, False]
    )
    sim.spawn(
        body,
        Springs(
            [(0, 1)], stiffness=speed**2 / (1 + stretch) / stretch, damping=30.0, rest_length=1.0
        ),
    )
    run(sim, 5)
    assert np.hypot(*body.velocity[1]) == pytest.approx(speed, rel=0.01)
    assert np.hypot(*body.position[1]) == pytest.approx(1.01, rel=0.01)


def test_null_force_at_zero_length():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(2, 2), (2, 2)], velocity=(1.0, 0.0))
    sim.spawn(body, Springs([(0, 1)], stiffness=1e6, damping=100.0, rest_length=1.0))
    run(sim, 1)
    assert np.allclose(body.position, (3, 2))


@pytest.mark.slow
def test_springs_that_each_name_two_objects():
    """`between`: two game objects joined by a spring, its rows counted in each of them."""
    sim = Simulation(gravity=(0, 0))
    cart = blueprints.box((0, 0), 1.0)
    trailer = blueprints.ball((3, 0), 0.3, mass=1.0)
    entities = [sim.spawn(*cart), sim.spawn(*trailer)]
    sim.spawn(
        Springs([(14, 0)], stiffness=40.0, damping=2.0, rest_length=2.0, between=tuple(entities))
    )
    cart[0].velocity[:] = (-2.0, 0.0)
    before = cart[0].mass @ cart[0].velocity + trailer[0].mass @ trailer[0].velocity
    run(sim, 10)
    after = cart[0].mass @ cart[0].velocity + trailer[0].mass @ trailer[0].velocity
    assert after == pytest.approx(before, abs=1e-9)
    speeds = [body.velocity[:, 0].mean() for body in (cart[0], trailer[0])]
    assert speeds[0] == pytest.approx(speeds[1], abs=0.02)
    assert np.hypot(*(trailer[0].position[0] - cart[0].position[14])) == pytest.approx(
        2.0, abs=0.02
    )


def test_mouse_driven_and_pinned_masses():
    """A pinned particle that a game moves drags the rope behind it; forces do not move it."""
    sim = Simulation()
    body, springs, _, collider = blueprints.rope((0, 0), (2, 0), segments=8, pin_start=True)
    sim.spawn(body, springs, collider, Drag(linear=0.1))
    for frame in range(120):
        mouse = (frame / 60, 0.5 * np.sin(frame / 20))
        body.position[0] = mouse
        sim.step()
        assert np.array_equal(body.position[0], mouse)
    body.position[0] = (2.0, 0.0)
    run(sim, 8)
    assert body.position[-1] == pytest.approx((2.0, -2.0), abs=0.1)


def test_a_mass_can_be_grabbed_and_let_go():
    """Pinning while it runs holds a particle; letting go gives it back to gravity."""
    sim = Simulation()
    body = Particles([(0, 0)])
    sim.spawn(body)
    run(sim, 0.5)
    body.pinned[0] = True
    body.velocity[:] = 0.0
    held = body.position[0].copy()
    run(sim, 0.5)
    assert np.array_equal(body.position[0], held)
    body.pinned[0] = False
    run(sim, 0.5)
    assert body.velocity[0, 1] == pytest.approx(-0.5 * G)


def test_radius_from_mass_and_density():
    """r = √(m / (π ρ)): twice the radius for four times the mass."""
    assert blueprints.radius_of(np.pi * 0.25 * 3.0, 3.0) == pytest.approx(0.5)
    assert blueprints.radius_of(4.0) == pytest.approx(2 * blueprints.radius_of(1.0))
    small, large = (
        blueprints.ball((0, 0), blueprints.radius_of(m, 2.0), density=2.0)[0] for m in (1.0, 9.0)
    )
    assert (small.mass[0], large.mass[0]) == (pytest.approx(1.0), pytest.approx(9.0))
    assert large.radius[0] == pytest.approx(3 * small.radius[0])
