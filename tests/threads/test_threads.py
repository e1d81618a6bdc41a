"""Simulation(threads=): the same numbers, bit for bit, whoever does the work."""

import threading

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    Collider,
    Particles,
    ShapeMatching,
    Simulation,
    StaticCollider,
    blueprints,
)
from ecs_softbody.parallel import workers
from ecs_softbody.parallel.compiling import IS_PYTHON
from tests.helpers.internals import collision_space, share_every_frame, workers_of
from tests.helpers.stepping import run_frames

compiled = pytest.mark.skipif(IS_PYTHON, reason="one thread, and slow, without compiled code")


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch):
    monkeypatch.setattr(workers, "processor_count", lambda: 4)


def mixed_world(threads, substeps=4, solver="saturated"):
    """Blobs of springs, boxes, discs with and without outlines, joints, one-way walls, one long
    plank.
    """
    sim = Simulation(world=f"{threads} threads", substeps=substeps, threads=threads, solver=solver)
    if threads > 1:
        share_every_frame(sim)
    sim.spawn(StaticCollider([(-1, 30), (-1, 0), (31, 0), (31, 30)], friction=0.5))
    sim.spawn(StaticCollider([(4, 3), (12, 3)], one_way=(0, 1)))
    sim.spawn(StaticCollider([(20, 2)], radius=1.0, angular_velocity=2.0, restitution=0.5))
    random = np.random.default_rng(5)
    square = np.array([(x, y) for y in range(4) for x in range(4)]) * 0.15
    for k in range(60):
        x = 0.5 * k
        y = 4.0 + 1.3 * (k % 7)
        velocity = random.uniform(-3, 3, (16, 2))
        net = Particles(
            np.add(square, (x, y)), velocity=velocity, radius=0.07, mass=random.uniform(0.5, 2)
        )
        sim.spawn(net, ShapeMatching(stiffness=200.0), Collider(friction=0.3))
        sim.spawn(*blueprints.ball((x + 0.1, y + 12), 0.2, restitution=0.4 * (k % 3)))
        if k % 4 == 0:
            sim.spawn(*blueprints.blob((x, y + 20), 0.4))
        if k % 6 == 0:
            sim.spawn(*blueprints.box((x, y + 24), 0.6))
    rope, *others = blueprints.rope((6, 30), (12, 30))
    sim.spawn(
        rope,
        *(part for part in others if not isinstance(part, Collider)),
        Collider(self_collision=True),
    )
    pair = [sim.spawn(*blueprints.box((14 + k, 28), 0.8)) for k in range(2)]
    sim.spawn(Attachment(pair, at=(14.5, 28)))
    sim.spawn(*blueprints.rod((2, 33), (24, 33)))
    return sim


def run(sim, frames):
    """Step a world in which bodies come and go; return all positions and velocities, and what
    touched.
    """
    entities = [entity for entity, _ in esper.get_component(Particles)]
    heard = []
    for frame in range(frames):
        with sim:
            if frame % 10 == 3:
                sim.despawn(entities.pop(frame % len(entities)))
                entities.append(sim.spawn(*blueprints.blob((3 + frame % 24, 32), 0.5)))
        sim.step()
        heard.append(sim.contacts.impulse.sum())
    rows = sim.buffers[Particles].rows
    contacts = sim.contacts
    return [
        rows["position"].copy(),
        rows["velocity"].copy(),
        np.array(heard),
        contacts.entity_a,
        contacts.impulse,
    ]


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_gives_the_same_bits(threads):
    alone, shared = (run(mixed_world(count), 200) for count in (1, threads))
    assert np.isfinite(alone[0]).all()
    for one, many in zip(alone, shared, strict=True):
        assert np.array_equal(one, many, equal_nan=True)


@compiled
def test_xpbd_gives_the_same_bits():
    alone, shared = (run(mixed_world(count, solver="xpbd"), 60) for count in (1, 2))
    assert all(np.array_equal(one, many) for one, many in zip(alone, shared, strict=True))


@pytest.mark.slow
@compiled
def test_contacts_lie_in_several_batches_here():
    """Otherwise the tests above would test nothing."""
    sim = mixed_world(1)
    run(sim, 200)
    batches = collision_space(sim).solver.batches
    assert batches.partitions > 2
    assert np.count_nonzero(np.diff(batches.start)) > batches.partitions + 1


@pytest.mark.slow
@compiled
def test_a_change_in_the_middle_gives_the_same_bits():
    ways = []
    for plan in ((1, 1, 1), (1, 3, 2), (2, 1, 3)):
        sim = mixed_world(1)
        for count in plan:
            sim.threads = count
            share_every_frame(sim)
            run_frames(sim, 20)
        ways.append(sim.buffers[Particles].rows["position"].copy())
        sim.close()
    assert np.array_equal(ways[0], ways[1])
    assert np.array_equal(ways[0], ways[2])


@pytest.mark.slow
@compiled
def test_two_simulations_have_teams_of_their_own():
    sims = [mixed_world(count) for count in (2, 3)]
    for _ in range(20):
        for sim in sims:
            sim.step()
    first, second = (sim.buffers[Particles].rows["position"] for sim in sims)
    assert np.array_equal(first, second)


@pytest.mark.parametrize("threads", [0, -1, 1.5, 2.0, "2", None, True, float("nan")])
def test_bad_threads(threads):
    with pytest.raises(
        ValueError, match=r"Simulation\.threads: .* is not allowed; expected a whole number >= 1"
    ):
        Simulation(threads=threads)
    sim = Simulation()
    with pytest.raises(ValueError, match=r"Simulation\.threads"):
        sim.threads = threads
    assert sim.threads == 1


def test_threads_is_a_live_property():
    sim = Simulation(threads=2)
    assert sim.threads == 2
    sim.threads = np.int64(3)
    assert sim.threads == 3
    assert type(sim.threads) is int


def test_no_more_threads_run_than_there_are_cores():
    sim = Simulation(threads=1000)
    assert sim.threads == 1000
    assert workers_of(sim).count == (1 if IS_PYTHON else 4)


def own_threads():
    return {thread for thread in threading.enumerate() if thread.name == "ecs_softbody"}


@compiled
def test_threads_begin_with_the_first_shared_frame_and_end_with_the_simulation():
    before = own_threads()
    sim = mixed_world(3)
    assert not own_threads() - before
    sim.step()
    own = own_threads() - before
    assert len(own) == 2
    sim.close()
    for thread in own:
        thread.join(5.0)
        assert not thread.is_alive()


@compiled
def test_one_thread_starts_no_thread():
    before = own_threads()
    sim = mixed_world(1)
    sim.step()
    assert not own_threads() - before


@compiled
def test_warm_up_compiles_what_threads_share():
    from ecs_softbody.collision.detect import discs, margins
    from ecs_softbody.collision.solve import partition, stages
    from ecs_softbody.collision.sweep import ccd
    from ecs_softbody.kernels.forces import shared_springs
    from ecs_softbody.kernels.motion import shared_integration

    kernels = [
        value
        for module in (ccd, partition, stages, discs, margins, shared_integration, shared_springs)
        for value in vars(module).values()
        if hasattr(value, "signatures")
    ]
    sim = mixed_world(2)
    sim.warmup()
    before = [len(kernel.signatures) for kernel in kernels]
    run(sim, 20)
    assert [len(kernel.signatures) for kernel in kernels] == before


def test_without_compiled_code_one_thread_does_it():
    sim = Simulation(threads=2)
    share_every_frame(sim)
    entity = sim.spawn(*blueprints.ball((0, 1), 0.3))
    sim.spawn(StaticCollider([(-3, 0), (3, 0)]))
    run_frames(sim, 20)
    assert 0.25 < esper.component_for_entity(entity, Particles).position[0, 1] < 0.8
