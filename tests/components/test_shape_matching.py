"""ShapeMatching: stiff bodies, saturated at any stiffness, that keep the shape which they had when first packed."""

import esper
import numpy as np
import pytest

from ecs_softbody import Particles, ShapeMatching, Simulation, StaticCollider, blueprints


def square(side=1.0):
    return side * np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


def shape_of(body):
    """All distances between the particles."""
    return np.linalg.norm(body.position[:, None] - body.position[None], axis=2)


def run(sim, frames):
    for _ in range(frames):
        sim.step()


@pytest.mark.parametrize("stiffness", [20.0, 1e3, 1e12])
def test_a_deformed_body_returns_to_its_shape(stiffness):
    sim = Simulation(gravity=(0, 0))
    body = Particles(square(), mass=[1.0, 2.0, 0.5, 1.0])
    sim.spawn(body, ShapeMatching(stiffness=stiffness, damping=2.0))
    sim.step()
    shape = shape_of(body)
    body.position += [(0.2, 0.1), (-0.3, 0.4), (0.0, -0.2), (0.5, 0.5)]
    run(sim, 900)
    assert np.allclose(shape_of(body), shape, atol=1e-3)


def test_momentum_and_angular_momentum_are_exact():
    sim = Simulation(gravity=(0, 0))
    body = Particles(square(), velocity=[(1, 2), (0, -3), (2, 0), (-1, 1)], mass=[1.0, 2.0, 0.5, 1.0])
    sim.spawn(body, ShapeMatching(stiffness=300.0, damping=1.0))

    def momenta():
        x, v, m = body.position, body.velocity, body.mass
        return np.array([*(m @ v), m @ (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])])

    before = momenta()
    run(sim, 300)
    assert momenta() == pytest.approx(before, abs=1e-10)


def test_the_frequency_of_breathing_is_that_of_the_law():
    """All particles away from the middle: ω² = k / m."""
    sim = Simulation(gravity=(0, 0), substeps=1)
    body = Particles(square() - 0.5, mass=2.0)
    sim.spawn(body, ShapeMatching(stiffness=200.0))
    sim.step(1e-12)
    body.position *= 1.1
    sizes = []
    for _ in range(2000):
        sim.step(1 / 480)
        sizes.append(np.hypot(*body.position[0]) - np.sqrt(0.5))
    sizes = np.array(sizes)
    up = np.flatnonzero((sizes[:-1] < 0) & (sizes[1:] >= 0))
    times = (up + sizes[up] / (sizes[up] - sizes[up + 1])) / 480
    assert 2 * np.pi * (len(up) - 1) / (times[-1] - times[0]) == pytest.approx(10.0, rel=1e-3)


@pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")
def test_a_tower_of_ten_stiff_boxes_stands():
    """What shape matching is for: at 8 substeps boxes of springs alone topple."""
    sim = Simulation()
    bodies = []
    for k in range(10):
        body, springs, collider = blueprints.box((0, 0.52 + 1.02 * k), 1.0, rows=4, columns=4, mass=1.0)
        sim.spawn(body, springs, collider, ShapeMatching(stiffness=1e6, damping=1.0))
        bodies.append(body)
    sim.spawn(StaticCollider([(-20, 0), (20, 0)]))
    run(sim, 600)
    heights = [body.position[:, 1].mean() for body in bodies]
    assert max(abs(body.position[:, 0].mean()) for body in bodies) < 0.1
    assert heights == sorted(heights)
    assert heights[-1] == pytest.approx(9.5, abs=0.3)
    assert max(np.abs(body.velocity).max() for body in bodies) < 0.05


@pytest.mark.parametrize("value", [-1.0, float("nan"), "stiff", None])
def test_bad_values_are_refused(value):
    with pytest.raises(ValueError, match=r"ShapeMatching\.stiffness"):
        ShapeMatching(stiffness=value)
    with pytest.raises(ValueError, match=r"ShapeMatching\.damping"):
        ShapeMatching(stiffness=1.0, damping=value)


def test_it_needs_particles():
    sim = Simulation()
    sim.spawn(ShapeMatching(stiffness=1.0))
    with pytest.raises(ValueError, match=r"ShapeMatching.*no Particles"):
        sim.step()


def test_new_particles_give_a_new_rest_shape():
    """Replacing the Particles under a ShapeMatching must not pull them into one point."""
    sim = Simulation(gravity=(0, 0))
    entity = sim.spawn(Particles(square()), ShapeMatching(stiffness=500.0, damping=5.0))
    run(sim, 5)
    larger = Particles(square(2.0))
    with sim:
        esper.add_component(entity, larger)
    run(sim, 300)
    assert np.allclose(larger.position, square(2.0), atol=1e-6)


def test_the_rest_shape_survives_a_new_simulation():
    """A body that is squeezed when a second Simulation takes over goes back to its first shape."""
    sim = Simulation(gravity=(0, 0))
    body = Particles(square())
    sim.spawn(body, ShapeMatching(stiffness=500.0, damping=5.0))
    run(sim, 2)
    shape = shape_of(body)
    body.position[:, 0] *= 0.5
    sim = Simulation(gravity=(0, 0))
    run(sim, 600)
    assert np.allclose(shape_of(body), shape, atol=1e-3)
