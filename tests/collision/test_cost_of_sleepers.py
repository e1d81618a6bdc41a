"""What sleeping bodies cost: kernels leave them out, and a crowd of them costs little beside a few
that are awake.
"""

import statistics
import time

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, Springs, StaticCollider, blueprints
from ecs_softbody.processors.solvers import saturation
from ecs_softbody.storage import Component
from tests.collision.sleepers import disc, run

AWAKE = 10


def world(sleepers: int) -> Simulation:
    """Blobs side by side, the first ones asleep, the last ten awake for ever."""
    sim = Simulation(world=f"{sleepers} sleepers")
    sim.spawn(StaticCollider([(-10.0, 0.0), (2.0 * (sleepers + AWAKE), 0.0)]))
    for number in range(sleepers):
        sim.spawn(*blueprints.blob((2.0 * number, 0.5), 0.5))
    for _ in range(400):
        if sim.asleep_count == sleepers:
            break
        sim.step()
    for number in range(AWAKE):
        body, *rest = blueprints.blob((2.0 * (sleepers + number), 0.5), 0.5)
        body.can_sleep = False
        sim.spawn(body, *rest)
    run(sim, 0.5)
    assert sim.asleep_count == sleepers
    return sim


def test_forces_velocities_and_parameters_are_looked_at_for_who_is_awake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sim = world(6)
    particles, springs = (awake_rows(sim, kind) for kind in (Particles, Springs))
    seen: set[int] = set()
    kernel = saturation.find_changed

    def noted(active: np.ndarray, *others: object) -> object:
        seen.add(int((active[:, 1] - active[:, 0]).sum()))
        return kernel(active, *others)

    monkeypatch.setattr(saturation, "find_changed", noted)
    sim.step()
    assert seen == {springs}
    batches = sim._space.solver.batches.arrays
    partitions = sim._space.solver.batches.partitions
    predicted = [
        batches.spans[a:b] for a, b in zip(batches.span_start, batches.span_stop, strict=True)
    ]
    assert sum(int(np.diff(spans).sum()) for spans in predicted[: partitions + 1]) == particles


def test_no_contact_is_prepared_twice_to_find_out_who_wakes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sim = world(2)
    looks = []
    look = sim._space.refresh
    monkeypatch.setattr(sim._space, "refresh", lambda dt: (looks.append(dt), look(dt)))
    sleeper = sim.spawn(*disc(-3.0, 0.25))
    run(sim, 1.5)
    assert sim.is_asleep(sleeper)
    near, *rest = disc(-3.5, 0.25, can_sleep=False)
    sim.spawn(near, *rest)
    sim.step()
    assert sim.is_asleep(sleeper)
    near.velocity[:] = 1.0, 0.0
    sim.step()
    assert not sim.is_asleep(sleeper)
    assert not looks


@pytest.mark.slow
def test_a_thousand_sleepers_cost_little_beside_ten_that_are_awake() -> None:
    alone = world(0)
    crowd = world(1000)
    spent: list[tuple[float, float]] = [(cpu_time(alone), cpu_time(crowd)) for _ in range(60)]
    few, many = (statistics.median(times) for times in zip(*spent, strict=True))
    assert many < 4.5 * few


def awake_rows(sim: Simulation, kind: type[Component]) -> int:
    return sum(
        part.row_count
        for entity, part in sim.buffers[kind].bound.items()
        if not sim.is_asleep(entity)
    )


def cpu_time(sim: Simulation) -> float:
    started = time.process_time()
    sim.step()
    return time.process_time() - started
