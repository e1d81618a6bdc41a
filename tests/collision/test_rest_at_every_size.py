"""Rest at every size: a drop by its own height takes √size as long, and what sleeps would not have
moved visibly.
"""

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
    """Drop a body, and its twin that may not sleep; compare them when one sleeps and the other
    rests.
    """
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


@pytest.mark.brief(4)
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
    shift = np.random.default_rng(3).uniform(-aside, aside, count)
    bodies = []
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
def test_a_tower_of_twenty_crates_stands_for_a_minute(solver):
    """Crates pass loads on as rigid bodies do; without that the seventeenth made a tower buckle, as
    a column does.
    """
    sim, bodies = tower(20, solver, gap=0.01, shape_stiffness=1e6)
    assert stands(sim, bodies, 60)
    assert sim.asleep_count == 20


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize(("gap", "aside"), [(0.0, 0.0), (0.05, 0.0), (0.0, 0.01), (0.0, 0.03)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_twenty_crates_stand_awake(solver, gap, aside):
    sim, bodies = tower(20, solver, gap=gap, aside=aside, sleeping=False, shape_stiffness=1e6)
    assert stands(sim, bodies, 60)


def test_crates_in_a_bunch_keep_both_momenta():
    """Crates that touch each other pass impulses on as a whole: momentum and angular momentum stay
    exact.
    """
    sim, bodies = tower(4, "saturated", gap=0.01, shape_stiffness=1e6, sleeping=False)
    sim.gravity = (0.0, 0.0)
    places = [(0.0, 9.0), (1.02, 9.1), (0.3, 10.05), (-1.0, 9.3)]
    for body, place in zip(bodies, places, strict=True):
        body.position += np.array(place) - body.position.mean(axis=0)
        body.velocity = 0.4 * (np.array((0.2, 9.4)) - place)

    def momenta():
        place, velocity = (
            np.concatenate([getattr(b, name) for b in bodies]) for name in ("position", "velocity")
        )
        momentum = np.concatenate([body.mass for body in bodies])[:, None] * velocity
        return np.append(
            momentum.sum(axis=0), place[:, 0] @ momentum[:, 1] - place[:, 1] @ momentum[:, 0]
        )

    before = momenta()
    for _ in range(120):
        sim.step()
    assert len(sim.contacts.impulse) or sim.time > 0.0
    assert momenta() == pytest.approx(before, abs=1e-11)
