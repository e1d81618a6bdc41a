"""Rest at every size: a drop by its own height takes √size as long, and what sleeps would not have moved visibly."""

import itertools
import warnings

import numpy as np
import pytest

from ecs_softbody import Simulation, StabilityWarning, StaticCollider, blueprints

SOLVERS = ("saturated", "xpbd")
SECONDS = 3.0
"""Time from the drop to sleep of a body of 1 m."""
LEAST = 1.0
"""Even the smallest may take so long."""
TREMBLING = 2.0
"""A blob of 1 cm is at the limit of what eight substeps carry, and trembles for so long."""
VISIBLE = 0.02
"""How far a sleeper may be from where it would have come to rest, over its size."""
WORLDS = itertools.count()
KINDS = {
    "blob": lambda size, height: blueprints.blob((0.0, height), 0.5 * size),
    "box": lambda size, height: blueprints.box((0.0, height), size),
}


def dropped(kind, size, solver, **options):
    """A body above the ground by its own height."""
    sim = Simulation(world=f"rest {next(WORLDS)}", solver=solver, **options)
    sim.spawn(StaticCollider([(-99.0 * size, 0.0), (99.0 * size, 0.0)]))
    parts = KINDS[kind](size, 1.5 * size)
    sim.spawn(*parts)
    return sim, parts[0]


def check_rest(kind, size, solver):
    """Drop a body, and its twin that may not sleep; compare them when one sleeps and the other rests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        sim, body = dropped(kind, size, solver)
        frames = 0
        while not sim.asleep_count and frames < 600 * max(np.sqrt(size), 1.0):
            sim.step()
            frames += 1
        twin_sim, twin = dropped(kind, size, solver, sleeping=False)
        for _ in range(frames + int(300 * max(np.sqrt(size), 0.2))):
            twin_sim.step()
    assert sim.asleep_count == 1
    least = TREMBLING if kind == "blob" and size < 0.03 else LEAST
    assert frames / 60 <= max(SECONDS * np.sqrt(size), least)
    assert np.abs(body.position - twin.position).max() < VISIBLE * size
    sim.close()
    twin_sim.close()


@pytest.mark.brief(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_it_rests_soon(kind, solver):
    check_rest(kind, 1.0, solver)
    check_rest(kind, 0.05, solver)


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("size", [0.01, 0.1, 0.3, 3.0, 10.0, 100.0])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_size_rests_soon(kind, solver, size):
    check_rest(kind, size, solver)


def tower(count, solver, *, gap=0.0, aside=0.0, sleeping=True, **options):
    """Boxes of 1 m on each other, some way apart and aside."""
    sim = Simulation(world=f"rest {next(WORLDS)}", solver=solver, sleeping=sleeping)
    sim.spawn(StaticCollider([(-99.0, 0.0), (99.0, 0.0)]))
    shift, bodies = np.random.default_rng(3).uniform(-aside, aside, count), []
    for k in range(count):
        parts = blueprints.box((shift[k], 0.5 + (1.0 + gap) * k), 1.0, **options)
        bodies.append(parts[0])
        sim.spawn(*parts)
    return sim, bodies


def stands(sim, bodies, seconds):
    """Whether a tower stands for so long."""
    for _ in range(60 * seconds):
        sim.step()
    centre = np.array([body.position.mean(axis=0) for body in bodies])
    return np.ptp(centre[:, 0]) < 0.25 and np.diff(centre[:, 1]).min() > 0.9


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("sleeping", [True, False])
@pytest.mark.parametrize(("gap", "aside"), [(0.0, 0.0), (0.02, 0.0), (0.05, 0.0), (0.0, 0.01)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_eight_default_boxes_stand_for_a_minute(solver, gap, aside, sleeping):
    sim, bodies = tower(8, solver, gap=gap, aside=aside, sleeping=sleeping)
    assert stands(sim, bodies, 60)


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tower_of_crates_stands(solver):
    """A crate is as stiff as a substep can hold it; with more of them the tower buckles, as a column does."""
    sim, bodies = tower(12, solver, gap=0.01, shape_stiffness=1e6)
    assert stands(sim, bodies, 20)
