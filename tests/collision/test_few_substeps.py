"""Balls without springs need few substeps: piles do not sink, overlap goes down in the same time,
nothing is passed.
"""

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, StaticCollider
from tests.helpers.measures import momenta
from tests.helpers.stepping import run_frames


def drop_balls(substeps, count=80, width=3.5, restitution=0.5, shift=0.0):
    sim = Simulation(substeps=substeps)
    number = np.arange(count)
    radius = 0.1 + 0.2 * (0.618034 * number % 1.0)
    row, column = np.divmod(number, round(width / 0.7))
    place = np.column_stack(
        [0.35 + 0.7 * column + 0.04 * np.sin(12.9898 * number + shift), 0.4 + 0.7 * row]
    )
    sim.spawn(StaticCollider([(0, 50), (0, 0), (width, 0), (width, 50)]))
    bodies = [Particles([place[k]], radius=radius[k], mass=np.pi * radius[k] ** 2) for k in number]
    for body in bodies:
        sim.spawn(body, Collider(restitution=restitution))
    return sim, bodies, radius


def overlaps(bodies, radius):
    """Overlaps of pairs of balls, over the radius of the smaller one."""
    place = np.concatenate([body.position for body in bodies])
    first, second = np.triu_indices(len(place), 1)
    depth = radius[first] + radius[second] - np.hypot(*(place[first] - place[second]).T)
    return (depth / np.minimum(radius[first], radius[second]))[depth > 0.0]


@pytest.mark.slow
def test_a_pile_that_bounces_bears_its_load_as_one_that_does_not():
    """A contact that has bounced starts from what lies on it: from nothing, a pile overlapped by a
    third more.
    """
    found = []
    for restitution in (0.0, 0.5):
        seen = []
        for shift in (0.0, 1.0):
            sim, bodies, radius = drop_balls(1, 1000, 27.3, restitution, shift)
            run_frames(sim, 120)  # until all have landed
            for _ in range(3):
                seen.append(np.percentile(overlaps(bodies, radius), 95))
                run_frames(sim, 60)
            sim.close()
        found.append(np.mean(seen))
    assert found[1] < 1.05 * found[0]


@pytest.mark.brief(3)
@pytest.mark.parametrize("substeps", [1, 2, 8])
def test_a_pile_of_balls_does_not_sink(substeps):
    sim, bodies, radius = drop_balls(substeps)
    run_frames(sim, 300)
    share = overlaps(bodies, radius)
    assert np.percentile(share, 95) < 0.05
    assert share.max() < 0.2
    assert np.percentile(np.hypot(*np.concatenate([body.velocity for body in bodies]).T), 90) < 0.2


@pytest.mark.parametrize("substeps", [1, 2, 8, 32])
def test_overlap_goes_down_in_the_same_time(substeps):
    sim = Simulation(gravity=(0, 0), substeps=substeps)
    bodies = [Particles([(x, 0.0)], radius=0.1) for x in (0.0, 0.18)]
    for body in bodies:
        sim.spawn(body, Collider())
    run_frames(sim, 3)
    overlap = 0.2 - (bodies[1].position[0, 0] - bodies[0].position[0, 0])
    assert overlap - 0.0005 == pytest.approx(0.0195 * np.exp(-50.0 * 3 / 60), rel=0.01)
    assert all((body.velocity == 0.0).all() for body in bodies), "no energy comes of it"


@pytest.mark.parametrize("speed", [10.0, 20.0])
@pytest.mark.parametrize("gap", [0.0, 0.015, 0.1])
def test_what_is_hit_does_not_pass_what_it_was_far_from(gap, speed):
    """The last ball of the row has much speed to spare until the others are hit in the same
    substep.
    """
    sim = Simulation(gravity=(0, 0), substeps=1)
    place = np.array([-0.2 - gap, 0.0, 0.2 + gap, 0.4 + 2.0 * gap])
    bodies = [
        Particles([(x, 0.0)], radius=0.1, velocity=(speed if k == 0 else 0.0, 0.0))
        for k, x in enumerate(place)
    ]
    for body in bodies:
        sim.spawn(body, Collider())
    for _ in range(60):
        sim.step(1 / 480)
        x = np.array([body.position[0, 0] for body in bodies])
        assert (np.diff(x) > 0.2 - 0.004).all()
    assert sum(body.velocity[0, 0] for body in bodies) == pytest.approx(speed, rel=1e-12)


@pytest.mark.brief(15)
@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize("substeps", [1, 2, 8])
@pytest.mark.parametrize("seed", range(5))
def test_discs_keep_their_momenta(substeps, restitution, seed):
    rng = np.random.default_rng(seed)
    sim = Simulation(gravity=(0, 0), substeps=substeps)
    bodies = []
    for x, y in rng.uniform(-2, 2, (30, 2)):
        velocity = -3.0 * np.array((x, y)) + rng.normal(size=2)
        bodies.append(
            Particles([(x, y)], radius=0.2, mass=10.0 ** rng.uniform(-1, 1), velocity=velocity)
        )
        sim.spawn(bodies[-1], Collider(restitution=restitution, friction=0.7))

    start = momenta(*bodies)
    size = sum(float(body.mass @ np.hypot(*body.velocity.T)) for body in bodies)
    for _ in range(60):
        sim.step()
        assert np.abs(momenta(*bodies) - start).max() < 1e-11 * size
