"""Two simulations stepped from two Python threads: esper has one current world, so they have to take turns."""

import threading

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
    monkeypatch.setattr(workers, "core_count", lambda: 2)
    sims, alone, lock = [world("first"), world("second")], world("alone"), threading.Lock()

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
