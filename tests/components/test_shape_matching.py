"""ShapeMatching: stiff bodies, saturated at any stiffness, that keep the shape which they had when
first packed.
"""

import warnings

import esper
import numpy as np
import pytest

from ecs_softbody import Particles, ShapeMatching, Simulation, Springs, StaticCollider, blueprints
from tests.helpers.stepping import run_frames


def square(side=1.0):
    return side * np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


def shape_of(body):
    """All distances between the particles."""
    return np.linalg.norm(body.position[:, None] - body.position[None], axis=2)


@pytest.mark.brief(3)
@pytest.mark.parametrize("stiffness", [20.0, 1e3, 1e12])
def test_a_deformed_body_returns_to_its_shape(stiffness):
    sim = Simulation(gravity=(0, 0))
    body = Particles(square(), mass=[1.0, 2.0, 0.5, 1.0])
    sim.spawn(body, ShapeMatching(stiffness=stiffness, damping=2.0))
    sim.step()
    shape = shape_of(body)
    body.position += [(0.2, 0.1), (-0.3, 0.4), (0.0, -0.2), (0.5, 0.5)]
    run_frames(sim, 900)
    assert np.allclose(shape_of(body), shape, atol=1e-3)


def test_momentum_and_angular_momentum_are_exact():
    sim = Simulation(gravity=(0, 0))
    body = Particles(
        square(), velocity=[(1, 2), (0, -3), (2, 0), (-1, 1)], mass=[1.0, 2.0, 0.5, 1.0]
    )
    sim.spawn(body, ShapeMatching(stiffness=300.0, damping=1.0))

    def momenta():
        x = body.position
        v = body.velocity
        m = body.mass
        return np.array([*(m @ v), m @ (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])])

    before = momenta()
    run_frames(sim, 300)
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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")
@pytest.mark.parametrize(
    ("size", "rows", "springs"),
    [(1.0, 6, {"stiffness": 2e4, "damping": 5.0}), (1.0, 8, {}), (0.3, 5, {})],
    ids=["stiff springs", "fine", "small"],
)
def test_a_tower_of_ten_stiff_boxes_stands_for_half_a_minute(size, rows, springs):
    """What shape matching is for: at 8 substeps boxes of springs alone topple."""
    sim = Simulation(substeps=8)
    bodies = []
    for k in range(10):
        parts = blueprints.box(
            (0, (0.5 + k) * size), size, rows=rows, columns=rows, mass=1.0, **springs
        )
        sim.spawn(
            *(part for part in parts if type(part) is not ShapeMatching),
            ShapeMatching(stiffness=1e6),
        )
        bodies.append(parts[0])
    sim.spawn(StaticCollider([(-20, 0), (20, 0)]))
    run_frames(sim, 1800)
    assert max(abs(body.position[:, 0].mean()) for body in bodies) < 0.05 * size
    assert bodies[-1].position[:, 1].mean() == pytest.approx(9.5 * size, abs=0.1 * size)
    assert max(np.abs(body.velocity).max() for body in bodies) <= 1e-3
    assert sim.asleep_count == 10


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
    run_frames(sim, 5)
    larger = Particles(square(2.0))
    with sim:
        esper.add_component(entity, larger)
    run_frames(sim, 300)
    assert np.allclose(larger.position, square(2.0), atol=1e-6)


def test_the_rest_shape_survives_a_new_simulation():
    """A body that is squeezed when a second Simulation takes over goes back to its first shape."""
    sim = Simulation(gravity=(0, 0))
    body = Particles(square())
    sim.spawn(body, ShapeMatching(stiffness=500.0, damping=5.0))
    run_frames(sim, 2)
    shape = shape_of(body)
    body.position[:, 0] *= 0.5
    sim = Simulation(gravity=(0, 0))
    run_frames(sim, 600)
    assert np.allclose(shape_of(body), shape, atol=1e-3)


STRIP = np.array([(0.3 * column, 0.3 * row) for column in range(7) for row in range(2)])
CELLS = [[2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3] for k in range(6)]


@pytest.mark.brief(2)
@pytest.mark.parametrize("stiffness", [200.0, 1e12])
def test_overlapping_groups_bring_a_strip_back(stiffness):
    sim = Simulation(gravity=(0, 0))
    body = Particles(STRIP, mass=0.1)
    sim.spawn(body, ShapeMatching(stiffness=stiffness, damping=1.0, groups=CELLS))
    sim.step()
    shape = shape_of(body)
    body.position[:, 1] += 0.4 * body.position[:, 0] ** 2
    body.position += np.random.default_rng(0).normal(size=(14, 2)) * 0.05
    run_frames(sim, 1800)
    assert np.allclose(shape_of(body), shape, atol=0.02)


def test_groups_let_a_strip_bend_where_the_whole_body_would_not():
    """Bent into a quarter of a circle: each cell is nearly its own rest shape, the strip is not."""
    pull = []
    for groups in (CELLS, None):
        sim = Simulation(gravity=(0, 0), world=f"strip {groups is None}")
        body = Particles(STRIP, mass=0.1)
        sim.spawn(body, ShapeMatching(stiffness=100.0, groups=groups))
        sim.step(1e-12)
        angle = STRIP[:, 0] * np.pi / 3.6
        reach = 3.6 / np.pi - STRIP[:, 1]
        body.position = np.column_stack([reach * np.sin(angle), -reach * np.cos(angle)])
        sim.step(1e-9)
        pull.append(np.abs(body.mass[:, None] * body.velocity).max())
    assert 0.0 < pull[0] < 0.2 * pull[1]


@pytest.mark.slow
def test_a_body_hangs_on_a_particle_of_infinite_mass():
    """The free particles sink until the shape carries their weight: k (m/m̄) stretch, in the middle
    of the body.
    """
    sim = Simulation()
    body = Particles(square() - (0.0, 1.0), mass=[1.0, 1.0, np.inf, np.inf])
    sim.spawn(body, ShapeMatching(stiffness=500.0, damping=10.0))
    run_frames(sim, 1800)
    assert np.abs(body.velocity).max() < 1e-6
    # both fixed ones pull up with k (away from their places), which is the weight of the free ones;
    # to it comes half of the share γ of the damping, because a fixed particle has no velocity that
    # gravity
    # gives
    sag = -1.0 - body.position[0, 1]
    damping = 10.0 / 480.0
    assert 500.0 * 0.5 * sag == pytest.approx(9.81 * (1 + damping / 2), rel=1e-3)


def test_groups_may_have_a_stiffness_each():
    shape = ShapeMatching(stiffness=[100.0, 400.0], groups=[[0, 1, 2], [2, 3, 4]])
    assert shape.stiffness == 400.0
    assert shape.share.tolist() == [0.25] * 3 + [1.0] * 3
    assert [rows.tolist() for rows in shape.groups] == [[0, 1, 2], [2, 3, 4]]
    assert ShapeMatching(stiffness=1.0).groups is None


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([], r"\[\]"),
        ([[0]], r"\[0\] in group 0"),
        ([[0, 1], [2, 3, 2]], r"\[2, 3, 2\] in group 1"),
        ([[0, -1]], "-1"),
        ([[0, 1.5]], "1.5"),
        (["ab"], "ab"),
    ],
)
def test_bad_groups_are_refused(groups, message):
    with pytest.raises(ValueError, match=rf"ShapeMatching\.(groups|members): .*{message}"):
        ShapeMatching(stiffness=1.0, groups=groups)


@pytest.mark.parametrize("stiffness", [[1.0, -2.0], [1.0, 2.0, 3.0]])
def test_bad_stiffnesses_of_groups_are_refused(stiffness):
    with pytest.raises(ValueError, match=r"ShapeMatching\.stiffness"):
        ShapeMatching(stiffness=stiffness, groups=[[0, 1], [1, 2]])


def test_rows_that_the_body_does_not_have_are_refused():
    sim = Simulation()
    sim.spawn(Particles(square()), ShapeMatching(stiffness=1.0, groups=[[0, 1, 4]]))
    with pytest.raises(ValueError, match=r"ShapeMatching\.members of entity 1: 4"):
        sim.step()


@pytest.mark.parametrize("substeps", [1, 2, 8, 32])
def test_a_deviation_from_the_stiffest_shape_is_gone_in_ten_substeps(substeps):
    """As rigid as a substep can hold it, without a warning: z² + 0.5 z + 0.1 = 0, so |z| = 0.32 in
    a substep.
    """
    rng = np.random.default_rng(3)
    sim = Simulation(gravity=(0, 0), substeps=substeps)
    body = Particles(STRIP, mass=0.1)
    sim.spawn(body, ShapeMatching(stiffness=1e12))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(1e-9 * substeps)
        shape = shape_of(body)
        body.position += 0.01 * rng.normal(size=body.position.shape)
        for _ in range(10):
            sim.step(1e-3)
    assert np.allclose(shape_of(body), shape, atol=2e-4)


@pytest.mark.parametrize("groups", [None, [[0, 1, 2, 3], [2, 3, 0, 1]]])
def test_a_mirror_image_turns_back(groups):
    """No rotation fits a mirror image well; the best one leaves forces that bring it back, without
    a jump.
    """
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (1, 0), (1.2, 1), (0.1, 0.9)], mass=[1.0, 2.0, 0.5, 1.0])
    sim.spawn(body, ShapeMatching(stiffness=500.0, damping=10.0, groups=groups))
    sim.step()
    shape = shape_of(body)
    body.position[:, 0] *= -1.0
    for _ in range(300):
        sim.step()
        assert np.hypot(*body.velocity.T).max() < 40.0
    assert np.allclose(shape_of(body), shape, atol=1e-3)
    x, y = body.position.T
    assert (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() > 0.0


@pytest.mark.brief(4)
@pytest.mark.parametrize("seed", range(4))
def test_saturated_groups_that_overlap_do_not_heat_up(seed):
    """Undamped as asked for; without the damping that comes with a cut, energy grew by up to 45 %
    in 8000 steps.
    """
    rng = np.random.default_rng(seed)
    sim = Simulation(gravity=(0, 0), substeps=1)
    body = Particles(rng.normal(size=(16, 2)), mass=10.0 ** rng.uniform(0, 2, 16))
    groups = [rng.permutation(16)[: rng.integers(2, 7)] for _ in range(8)]
    sim.spawn(body, ShapeMatching(stiffness=1e12, groups=groups))
    sim.step(1e-12)
    body.position += rng.normal(size=(16, 2)) * 0.7
    energy = []
    for _ in range(3000):
        sim.step(1 / 480)
        energy.append(0.5 * body.mass @ (body.velocity**2).sum(axis=1))
    assert np.mean(energy[-500:]) < 0.5 * np.mean(energy[:500])


def test_a_game_may_write_another_rest_shape():
    sim = Simulation(gravity=(0, 0))
    body = Particles(square())
    sim.spawn(body, ShapeMatching(stiffness=500.0, damping=10.0))
    sim.step()
    body.rest_offset *= 2.0
    run_frames(sim, 600)
    assert np.allclose(shape_of(body), 2.0 * shape_of(Particles(square())), atol=1e-3)


def test_springs_beside_a_rest_shape_keep_their_stiffness():
    """The damping that comes with a stiff shape acts on what the springs give, too: they lose
    nothing to it.
    """
    sim = Simulation(gravity=(0, 0))
    springs = Springs([(0, 1), (1, 2), (2, 3), (3, 0)], stiffness=1e5)
    shape = ShapeMatching(stiffness=10.0)
    sim.spawn(Particles(square()), springs, shape)
    sim.step()
    assert (springs.effective_stiffness == 1e5).all()
    shape.stiffness = 1e9
    sim.step()
    assert (springs.effective_stiffness == 1e5).all()
