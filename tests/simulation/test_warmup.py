"""Warming up compiles everything, tells how far it is,
and leaves no trace in the caller's world.
"""

import importlib
import pkgutil

import esper
import numpy as np
import pytest

import ecs_softbody
from ecs_softbody import Particles, Simulation, blueprints
from ecs_softbody.parallel import compiling
from ecs_softbody.parallel.compiling import Kernel
from tests.simulation.everything import add_everything


def kernels():
    """Return every compiled function of the physics, by module and name."""
    found = {}
    for entry in pkgutil.walk_packages(ecs_softbody.__path__, "ecs_softbody."):
        if entry.name.endswith("__main__") or entry.name.startswith("ecs_softbody.building"):
            continue
        module = importlib.import_module(entry.name)
        found |= {
            f"{module.__name__}.{name}": value.compiled
            for name, value in vars(module).items()
            if isinstance(value, Kernel) and value.function.__module__ == module.__name__
        }
    return found


def test_progress_counts_up_to_the_total():
    told = []
    sim = Simulation()
    sim.warmup(lambda *step: told.append(step))
    done, totals, names = zip(*told, strict=True)
    assert list(done) == list(range(1, len(told) + 1))
    assert set(totals) == {len(told)}
    assert len(set(names)) == len(told)


def test_the_callers_world_stays_as_it_was():
    sim = Simulation()
    entity = sim.spawn(*blueprints.blob((0, 3), 0.5))
    world = esper.current_world
    worlds = set(esper.list_worlds())
    for _ in sim.warmup_steps():
        assert esper.current_world == world
        assert list(esper.get_entities()) == [entity]
    assert set(esper.list_worlds()) == worlds
    assert sim.time == 0.0


def test_stopping_half_way_leaves_no_world_behind():
    worlds = set(esper.list_worlds())
    steps = Simulation(world="half way").warmup_steps()
    next(steps)
    steps.close()
    assert set(esper.list_worlds()) == worlds | {"half way"}


@pytest.mark.skipif(compiling.ASKED != "numba", reason="compiles nothing")
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_nothing_is_left_to_compile_after_it(solver):
    """A game never stutters because a kernel meets new types: one signature each serves every
    world.
    """
    sim = Simulation(world="everything", solver=solver)
    sim.warmup()
    before = {name: len(kernel.signatures) for name, kernel in kernels().items()}
    add_everything(sim)
    for frame in range(30):
        if frame == 10:
            assert sim.cut((7, 1.2), (12, 1.5))
        sim.step()
    sim.explode((0, 0), radius=3.0, impulse=1.0, blocked=True)
    assert np.isfinite(sim.buffers[Particles].rows["position"]).all()
    after = {name: len(kernel.signatures) for name, kernel in kernels().items()}
    assert after == before
