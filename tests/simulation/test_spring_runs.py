"""Springs act at once and in full, however a world changes: the forces of every substep are those
of a NumPy twin.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import Muscles, Order, Particles, Plasticity, Simulation, Springs, Tearing
from tests.helpers.stepping import run_frames

LATTICE, RING, TANGLE = "lattice", "ring", "tangle"
"""Sorted for its runs; in runs as it is given; in none."""


def body(kind, place=(0.0, 0.0), *, seed=0, **options):
    """Return Particles and Springs of a body that swings."""
    rng = np.random.default_rng(seed)
    if kind == LATTICE:
        index = np.arange(42).reshape(6, 7)
        ends = [
            (index[:, :-1], index[:, 1:]),
            (index[:-1], index[1:]),
            (index[:-1, :-1], index[1:, 1:]),
        ]
        pairs = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in ends])
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        shape = np.column_stack(np.divmod(np.arange(42), 7)[::-1]).astype(float)
    elif kind == RING:
        i = np.arange(24)
        pairs = np.concatenate([np.column_stack([i, np.roll(i, -step)]) for step in (1, 2)])
        shape = 2.0 * np.column_stack([np.cos(2 * np.pi * i / 24), np.sin(2 * np.pi * i / 24)])
    else:
        pairs = rng.integers(0, 20, (30, 2))
        shape = rng.normal(size=(20, 2))
    stiffness = rng.uniform(100.0, 300.0, len(pairs))
    damping = rng.uniform(0.0, 0.1, len(pairs))
    start = shape + place + rng.normal(scale=0.05, size=shape.shape)
    rest_length = np.linalg.norm(shape[pairs[:, 1]] - shape[pairs[:, 0]], axis=1)
    return Particles(start, **options), Springs(
        pairs, stiffness=stiffness, damping=damping, rest_length=rest_length
    )


class Twin(esper.Processor):
    """Compares the forces of every substep with those of NumPy, and tells how often it did."""

    def __init__(self, sim):
        self.sim = sim
        self.substeps = 0
        self.largest = 0.0

    def process(self, dt):
        rows = self.sim.buffers[Particles].rows
        expected = {}
        for entity, particles in esper.get_component(Particles):
            expected[entity] = np.zeros_like(particles.position)
        for entity, springs in esper.get_component(Springs):
            owners = springs.row_owners(entity)
            if any(self.sim.is_asleep(owner) for owner in owners):
                continue
            ends = [
                esper.component_for_entity(owner, Particles) for owner in (owners[0], owners[-1])
            ]
            (a, b) = springs.pairs.T
            (first, second) = ends
            along = second.position[b] - first.position[a]
            length = np.linalg.norm(along, axis=1)
            n = np.divide(
                along, length[:, None], out=np.zeros_like(along), where=length[:, None] > 1e-12
            )
            speed = ((second.velocity[b] - first.velocity[a]) * n).sum(axis=1)
            pull = (
                springs.effective_stiffness * (length - springs.rest_length)
                + springs.effective_damping * speed
            )
            np.add.at(expected[owners[0]], a, pull[:, None] * n)
            np.subtract.at(expected[owners[-1]], b, pull[:, None] * n)
        for entity, particles in esper.get_component(Particles):
            scale = max(1.0, np.abs(expected[entity]).max())
            assert np.allclose(particles.force, expected[entity], rtol=0.0, atol=1e-11 * scale), (
                entity
            )
            self.largest = max(self.largest, np.abs(particles.force).max())
        assert np.abs(rows["force"].sum(axis=0)).max() <= 1e-11 * max(
            1.0, np.abs(rows["force"]).sum()
        )
        self.substeps += 1


def watched(**options):
    sim = Simulation(gravity=(0, 0), **options)
    twin = Twin(sim)
    sim.add_processor(twin)
    return sim, twin


@pytest.mark.brief(3)
@pytest.mark.parametrize(
    "kinds", [[LATTICE], [RING], [TANGLE], [RING, TANGLE], [TANGLE, LATTICE, RING, TANGLE]]
)
def test_worlds_of_all_kinds(kinds):
    sim, twin = watched()
    for number, kind in enumerate(kinds):
        sim.spawn(*body(kind, (20.0 * number, 0.0), seed=number))
    run_frames(sim, 20)
    assert twin.substeps == 160
    assert twin.largest > 1.0


@pytest.mark.parametrize("kind", [LATTICE, RING, TANGLE])
@pytest.mark.parametrize("field", ["rest_length", "stiffness", "damping"])
def test_what_a_game_writes_acts_in_the_next_substep(kind, field):
    sim, twin = watched()
    _, springs = body(kind, seed=1)
    sim.spawn(body(kind)[0], springs)
    sim.spawn(*body(LATTICE, (50.0, 0.0), seed=2))
    run_frames(sim, 3)
    getattr(springs, field)[5] *= 0.5
    run_frames(sim, 2)
    setattr(springs, field, getattr(springs, field) * 0.8)
    run_frames(sim, 2)
    assert twin.substeps == 56


@pytest.mark.parametrize("kind", [LATTICE, RING])
def test_what_a_processor_writes_before_the_springs_acts_in_that_substep(kind):
    sim, twin = watched()
    parts = body(kind)

    class Writer(esper.Processor):
        def process(self, dt):
            parts[1].rest_length[twin.substeps % 40] *= 1.1

    with sim:
        esper.add_processor(Writer(), priority=Order.SPRING_FORCE + 1)
    sim.spawn(*parts)
    run_frames(sim, 10)
    assert twin.substeps == 80


@pytest.mark.parametrize("kind", [LATTICE, RING])
def test_muscles_and_plasticity_drive_lengths(kind):
    sim, twin = watched()
    particles, springs = body(kind)
    sim.spawn(particles, springs, Muscles(range(0, 40, 3), amplitude=0.3, frequency=2.0))
    sim.spawn(*body(kind, (30.0, 0.0)), Plasticity(yield_strain=0.001))
    run_frames(sim, 20)
    assert twin.substeps == 160


@pytest.mark.slow
def test_bodies_come_and_go():
    """Rows are used again by bodies of the same size, others move when gaps are closed."""
    sim, twin = watched()
    rng = np.random.default_rng(3)
    alive = []
    for number in range(60):
        kind = (LATTICE, RING, TANGLE)[rng.integers(3)]
        if len(alive) > 6 or (alive and rng.random() < 0.4):
            sim.despawn(alive.pop(rng.integers(len(alive))))
        else:
            alive.append(sim.spawn(*body(kind, (25.0 * number, 0.0), seed=number)))
        sim.step()
    assert twin.substeps == 480


def test_many_rows_come_and_go_and_the_buffers_close_up():
    sim, twin = watched(substeps=1)
    alive = [sim.spawn(*body(LATTICE, (25.0 * number, 0.0), seed=number)) for number in range(40)]
    sim.step()
    for entity in alive[:35]:
        sim.despawn(entity)
        sim.step()
    sim.spawn(*body(RING, (0.0, 50.0)))
    run_frames(sim, 3)
    assert twin.substeps == 39


def test_springs_that_are_replaced_and_removed():
    sim, _ = watched()
    particles, springs = body(LATTICE)
    entity = sim.spawn(particles, springs)
    run_frames(sim, 2)
    with sim:
        esper.add_component(entity, Springs(springs.pairs[::-1], stiffness=50.0))
    run_frames(sim, 2)
    with sim:
        esper.remove_component(entity, Springs)
    run_frames(sim, 2)
    assert np.array_equal(particles.force, np.zeros_like(particles.force))


def test_links_of_two_bodies_are_runs_as_well():
    sim, twin = watched()
    two = [sim.spawn(*body(LATTICE, (0.0, 10.0 * number), seed=number)) for number in range(2)]
    pairs = np.column_stack([np.arange(0, 42, 2), np.arange(0, 42, 2)])
    sim.spawn(Springs(pairs, stiffness=20.0, between=(two[0], two[1])))
    run_frames(sim, 10)
    sim.despawn(two[0])
    run_frames(sim, 2)
    assert twin.substeps == 96


@pytest.mark.brief(2)
@pytest.mark.parametrize("kind", [LATTICE, RING])
def test_bodies_that_sleep_and_wake(kind):
    """Strength and lengths that were written while a body slept act when it wakes, within the
    frame.
    """
    sim, twin = watched()
    quiet, springs = body(kind)
    quiet.position[:] = np.round(quiet.position, 12)
    entity = sim.spawn(quiet, springs)
    springs.rest_length = np.linalg.norm(
        np.diff(quiet.position[springs.pairs], axis=1)[:, 0], axis=1
    )
    moving = sim.spawn(*body(kind, (40.0, 0.0), velocity=(0.0, 1.0), can_sleep=False, seed=1))
    run_frames(sim, 120)
    assert sim.is_asleep(entity)
    assert not sim.is_asleep(moving)
    sim.spawn(*body(LATTICE, (80.0, 0.0), seed=5))
    run_frames(sim, 2)
    springs.rest_length = springs.rest_length * 0.9
    sim.step()
    assert not sim.is_asleep(entity)
    run_frames(sim, 5)
    assert np.abs(quiet.velocity).max() > 0.01
    assert twin.substeps == 8 * 128


def test_a_net_that_tears_goes_on():
    sim, twin = watched()
    particles, springs = body(LATTICE)
    particles.velocity[:7] = (0.0, -30.0)
    sim.spawn(particles, springs, Tearing(strain=0.3))
    count = springs.row_count
    run_frames(sim, 30)
    with sim:
        assert sum(left.row_count for _, left in esper.get_component(Springs)) < count
    assert twin.substeps == 240


@pytest.mark.parametrize("kind", [LATTICE, RING])
def test_a_body_with_nan_harms_no_other(kind):
    def played(number):
        sim = Simulation(gravity=(0, 0), world=f"nan {kind} {number}")
        bodies = [body(kind, (20.0 * k, 0.0), seed=k) for k in range(3)]
        for parts in bodies:
            sim.spawn(*parts)
        run_frames(sim, 3)
        if number:
            bodies[1][0].position[4] = np.nan
            with pytest.warns(UserWarning, match="not allowed"):
                sim.step()
        else:
            sim.step()
        run_frames(sim, 5)
        return bodies[0][0].position.copy(), bodies[2][0].position.copy()

    assert all(np.array_equal(one, two) for one, two in zip(played(0), played(1), strict=True))


def test_same_start_same_result():
    def played(number):
        sim = Simulation(gravity=(0, -1), world=f"again {number}")
        bodies = [
            body(kind, (20.0 * k, 0.0), seed=k)[:] for k, kind in enumerate((TANGLE, LATTICE, RING))
        ]
        for parts in bodies:
            sim.spawn(*parts)
        run_frames(sim, 20)
        return [parts[0].position.copy() for parts in bodies]

    assert all(np.array_equal(one, two) for one, two in zip(played(0), played(1), strict=True))
