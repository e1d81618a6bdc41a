"""Prepared calls: the arrays are looked up when they were replaced, and not otherwise."""

from typing import NamedTuple

import numpy as np

from ecs_softbody import Particles, Simulation, blueprints
from ecs_softbody.parallel.compiling import kernel
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.storage.store import Replaced


class Pair(NamedTuple):
    source: np.ndarray
    target: np.ndarray


@kernel
def add_scaled(pair: Pair, factor: float, offset: int) -> float:
    for k in range(pair.target.shape[0]):
        pair.target[k] += factor * pair.source[k] + offset
    return pair.target[0]


def test_the_arrays_are_looked_up_when_they_were_replaced() -> None:
    pairs = [Pair(np.ones(3), np.zeros(3)), Pair(np.full(2, 10.0), np.zeros(2))]
    asked: list[int] = []

    def arrays() -> tuple[Pair]:
        asked.append(1)
        return (pairs[0],)

    replaced = Replaced()
    call = PreparedCall(add_scaled, arrays, replaced)
    assert call(2.0, 1) == 3.0
    assert call(3.0, 0) == 6.0
    assert len(asked) == 1
    pairs.pop(0)
    replaced.count += 1
    assert call(1.0, 0) == 10.0
    assert len(asked) == 2
    assert pairs[0].target.tolist() == [10.0, 10.0]


def test_every_change_of_packed_arrays_is_counted() -> None:
    sim = Simulation()
    entities = [sim.spawn(*blueprints.blob((3 * k, 0), 1.0)) for k in range(3)]
    sim.step()
    before = sim.buffers.replaced.count
    views = sim.buffers[Particles].rows["position"]
    sim.step()
    assert sim.buffers.replaced.count == before
    assert sim.buffers[Particles].rows["position"] is views
    sim.despawn(entities[0])
    sim.step()
    assert sim.buffers.replaced.count > before


def test_a_call_runs_on_the_arrays_that_it_was_bound_to_last() -> None:
    call = PreparedCall(add_scaled)
    call.bind(Pair(np.ones(3), np.zeros(3)))
    assert [call(2.0, 1), call(3.0, 0)] == [3.0, 6.0]
    call.bind(Pair(np.full(2, 10.0), np.zeros(2)))
    assert [call(1.0, 0), call(1.0, 0)] == [10.0, 20.0]


def test_arrays_that_are_laid_out_otherwise_are_read_right() -> None:
    call = PreparedCall(add_scaled)
    call.bind(Pair(np.ones(3), np.zeros(3)))
    assert call(1.0, 0) == call(0.0, 0) == 1.0
    for source in (
        np.arange(6.0)[1::2],
        np.array([1, 3, 5], np.int64),
        np.array([1.0, 3.0, 5.0], np.float32),
    ):
        target = np.zeros(3)
        call.bind(Pair(source, target))
        call(1.0, 0)
        assert target.tolist() == [1.0, 3.0, 5.0]


def test_a_call_is_bound_again_only_to_other_arrays() -> None:
    call = PreparedCall(add_scaled)
    first = (Pair(np.ones(3), np.zeros(3)), 1.0)
    second = (Pair(np.full(2, 10.0), np.zeros(2)), 1.0)
    bound = call.bind(*first)
    assert call.bind(*first) is bound
    results = [call.bind(*arrays)(0) for arrays in (first, second, first, second)]
    assert results == [1.0, 10.0, 2.0, 20.0]
    assert call(0) == 30.0
