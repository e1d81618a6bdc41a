"""Two soft bodies that hit each other bounce as wholes, too: crates that met came apart faster than
they came.
"""

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from tests.helpers.measures import momenta
from tests.helpers.stepping import run_frames

SOLVERS = ["saturated", "xpbd"]
KINDS = {
    "blob": lambda size, e: blueprints.blob((0, 0), 0.5 * size, restitution=e),
    "wheel": lambda size, e: blueprints.wheel((0, 0), 0.5 * size, restitution=e),
    "box": lambda size, e: blueprints.box((0, 0), size, restitution=e),
    "crate": lambda size, e: blueprints.box((0, 0), size, shape_stiffness=1e6, restitution=e),
}
PAIRS = [
    ("blob", "blob"),
    ("wheel", "wheel"),
    ("box", "box"),
    ("crate", "crate"),
    ("blob", "crate"),
    ("box", "blob"),
]


def velocity_of(body: Particles) -> float:
    """Of the centre, to the right [m/s]."""
    return float(np.average(body.velocity[:, 0], weights=body.mass))


def share_of_speed(pair, size, restitution, *, speed=2.0, **options):
    """Two bodies come at each other without gravity:
    the share of their speed at which they part.
    """
    sim = Simulation(gravity=(0, 0), sleeping=False, **options)
    (left, *more), (right, *rest) = (KINDS[kind](size, restitution) for kind in pair)
    reach = left.position[:, 0].max() + left.radius[0]
    right.position[:, 0] += reach - right.position[:, 0].min() + right.radius[0] + 0.1 * size
    left.velocity[:] = (0.5 * speed, 0)
    right.velocity[:] = (-0.5 * speed, 0)
    sim.spawn(left, *more)
    sim.spawn(right, *rest)
    before = momenta(left, right)
    run_frames(sim, 90)
    assert np.allclose(momenta(left, right), before, atol=1e-9 * left.mass.sum() * speed * size)
    sim.close()
    return (velocity_of(right) - velocity_of(left)) / speed


@pytest.mark.brief(8)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_two_that_meet_part_as_asked(pair, restitution, solver):
    share = share_of_speed(pair, 1.0, restitution, solver=solver)
    assert share == pytest.approx(max(restitution, 0.06), abs=0.06 if restitution == 0.0 else 0.02)


@pytest.mark.slow
@pytest.mark.parametrize("substeps", [4, 8, 32])
@pytest.mark.parametrize("size", [0.3, 2.0])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("pair", PAIRS[:4], ids=str)
def test_two_of_any_size_part_as_asked(pair, restitution, size, substeps):
    share = share_of_speed(pair, size, restitution, substeps=substeps)
    assert share == pytest.approx(max(restitution, 0.06), abs=0.07 if restitution == 0.0 else 0.03)


def comes_back(kind, restitution):
    """Of a fall of 3 m on its like that stands on the ground."""
    sim = Simulation(sleeping=False)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    (lower, *more) = KINDS[kind](1.0, restitution)
    (upper, *rest) = KINDS[kind](1.0, restitution)
    lower.position[:, 1] += lower.radius[0] - lower.position[:, 1].min()
    sim.spawn(lower, *more)
    run_frames(sim, 30)
    upper.position[:, 1] += lower.position[:, 1].max() - upper.position[:, 1].min() + 3.0
    sim.spawn(upper, *rest)
    heights = [upper.position[:, 1].mean() for _ in range(120) if sim.step() is None]
    sim.close()
    lowest = int(np.argmin(heights[:60]))
    return (max(heights[lowest:]) - 1.55) / 3.0


@pytest.mark.brief(2)
@pytest.mark.parametrize(("kind", "most"), [("crate", 0.12), ("box", 0.25)])
def test_what_has_a_rest_shape_springs_up_less_from_its_like(kind, most):
    """They came back by 41 and 46 % of the fall, without restitution."""
    shares = [comes_back(kind, restitution) for restitution in (0.0, 0.5)]
    assert shares[0] < most
    assert shares[0] < shares[1] < 0.45
