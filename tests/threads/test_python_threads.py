"""Two simulations stepped from two Python threads: esper has one current world, so they have to
take turns.
"""

import threading

import esper
import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.parallel import workers
from ecs_softbody.parallel.compiling import IS_PYTHON
from tests.helpers.internals import share_every_frame
from tests.helpers.stepping import run_frames


def world(name):
    sim = Simulation(world=name, threads=2)
    share_every_frame(sim)
    sim.spawn(StaticCollider([(-1, 30), (-1, 0), (31, 0), (31, 30)]))
    for k in range(100):
        sim.spawn(*blueprints.blob((0.5 + (k % 25) * 1.2, 1.0 + 1.2 * (k // 25)), 0.4))
    return sim


@pytest.mark.slow
@pytest.mark.skipif(IS_PYTHON, reason="one thread, and slow, without compiled code")
def test_two_python_threads_that_take_turns_get_the_same_bits(monkeypatch):
    monkeypatch.setattr(workers, "processor_count", lambda: 2)
    sims = [world("first"), world("second")]
    alone = world("alone")
    lock = threading.Lock()

    def run(sim):
        for _ in range(40):
            with lock:
                sim.step()

    threads = [threading.Thread(target=run, args=(sim,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    run_frames(alone, 40)
    expected = alone.buffers[Particles].rows["position"]
    assert all(np.array_equal(sim.buffers[Particles].rows["position"], expected) for sim in sims)


def in_another_thread(call):
    """Call something in another thread, and return what it raised."""
    raised = []

    def run():
        try:
            call()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60.0)
    return raised


CALLS = {
    "step": lambda sim: sim.step(),
    "spawn": lambda sim: sim.spawn(*blueprints.ball((0, 3), 0.5)),
    "despawn": lambda sim: sim.despawn(1),
    "get": lambda sim: sim.get(1, Particles),
    "with": lambda sim: sim.__enter__(),
    "snapshot": lambda sim: sim.snapshot(),
    "ray": lambda sim: sim.raycast((0, 9), (0, 0)),
    "cut": lambda sim: sim.cut((-1, 3), (1, 3)),
    "close": lambda sim: sim.close(),
    "activate": lambda sim: sim.activate(),
    "another": lambda sim: Simulation(world="another"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_second_thread_is_refused_while_one_is_inside(name):
    inner = Simulation(world="inside")
    other = Simulation(world="outside")
    other.spawn(*blueprints.ball((0, 3), 0.5))
    other.step()
    for within in (inner, other):
        with within:
            [error] = in_another_thread(lambda: CALLS[name](other))
            assert isinstance(error, RuntimeError)
            assert "another thread is inside" in str(error)
            assert esper.current_world == within.world
    other.step()
    assert in_another_thread(other.step) == []


def test_a_second_thread_is_refused_in_a_step():
    first = Simulation(world="first")
    second = Simulation(world="second")
    raised = []

    class Steps(esper.Processor):
        def process(self, dt):
            raised.extend(in_another_thread(second.step))

    first.add_processor(Steps())
    first.step()
    assert len(raised) == first.substeps
    assert {type(error) for error in raised} == {RuntimeError}
    first.step()
    second.step()


def test_a_thread_that_ended_inside_keeps_nobody_out():
    sim = Simulation(world="left open")
    assert in_another_thread(sim.__enter__) == []
    sim.step()
    assert sim.frame == 1
