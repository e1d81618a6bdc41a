"""Stages read and write what they declare, and nothing else."""

from __future__ import annotations

from fnmatch import filter as filter_names
from fnmatch import fnmatchcase

import esper
import numpy as np
import pytest

from ecs_softbody import Order, Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.processors import SOLVERS
from ecs_softbody.processors.stage import ALL, Stage
from ecs_softbody.storage import Component
from included import included_games
from tests.helpers.internals import stages_of
from tests.helpers.stage_access import SHARED, Access, tables
from tests.simulation.random_full_worlds import FullWorld
from tests.snapshots.full_world import run, spawn_everything

pytestmark = pytest.mark.filterwarnings("ignore")
RESOURCES = {*SHARED.values(), "Activity"}
SEEDS = [*range(8), 20, 23]
"""With the last two, a contact wakes bodies that joints hold."""
FRAMES = 60
"""Enough for a cut, for a hero's first jump, and for bodies that fall asleep."""


def kinds_of_stages() -> list[type[Stage]]:
    """Return the classes of the stages, with any solver."""
    kinds: dict[type[Stage], None] = {}
    for solver in SOLVERS:
        with Simulation(world=f"stages of {solver}", solver=solver) as sim:
            kinds |= dict.fromkeys(type(stage) for stage, _ in stages_of(sim).substep)
    return list(kinds)


def undeclared(access: Access) -> dict[str, list[str]]:
    """Return what stages have read or written without a word of it."""
    found: dict[str, list[str]] = {}
    for kind in access.read.keys() | access.written.keys():
        wrong = []
        if kind.reads != ALL:
            named = {*kind.reads, *(one.__name__ for one in kind.components)}
            wrong += [f"reads {name}" for name in tables(access.read[kind]) - named]
        if kind.writes != ALL:
            wrong += [
                f"writes {name}"
                for name in access.written[kind]
                if not any(fnmatchcase(name, one) for one in kind.writes)
            ]
        if wrong:
            found[kind.__name__] = sorted(wrong)
    return found


def watch_examples(access: Access, solver: str) -> None:
    """Watch a world with the example of every stage."""
    with access.making():
        sim = Simulation(world="examples", solver=solver, substeps=2)
    with sim:
        access.watch(sim)
        for stage, _ in stages_of(sim).substep:
            type(stage).example(sim.spawn)
        for _ in range(12):
            sim.step()
    sim.close()


class Push(esper.Processor):
    """Adds forces [N] to the bodies of a game."""

    def __init__(self, sim: Simulation, access: Access) -> None:
        self._sim = sim
        self._access = access
        self.forces: dict[int, float] = {}

    def process(self, dt: float) -> None:
        for body, force in self.forces.items():
            self._sim.get(body, Particles).force += force
        self._access.note(self._sim)  # what a game writes is written by no stage


def watch_rare_events(access: Access, solver: str) -> None:
    """Watch forces on sleeping bodies, and numbers that are not finite."""
    with access.making():
        sim = Simulation(world="rare", solver=solver, substeps=2)
    access.watch(sim)
    sim.spawn(StaticCollider([(-9.0, 0.0), (9.0, 0.0)]))
    bodies = [sim.spawn(*blueprints.box((2.0 * k, 0.6), 0.8)) for k in range(3)]
    push = Push(sim, access)
    sim.add_processor(push, priority=Order.CUSTOM_FORCE)
    for _ in range(120):
        sim.step()
    assert all(sim.is_asleep(body) for body in bodies)
    for forces in {bodies[0]: 5.0}, {bodies[0]: np.nan}, {bodies[1]: np.nan}, {}:
        push.forces = forces
        sim.step()
    for velocity in np.nan, 0.0:
        sim.get(bodies[2], Particles).velocity[:] = velocity
        sim.step()
    sim.close()


@pytest.mark.parametrize("kind", kinds_of_stages(), ids=lambda kind: kind.__name__)
def test_what_a_stage_declares_is_there(kind: type[Stage]) -> None:
    with Simulation(world="names") as sim:
        columns = {
            f"{one.__name__}.{name}"
            for one in Component.types
            for store in (sim.buffers[one].rows, sim.buffers[one].values)
            for name in store.arrays
        }
    assert kind.reads == ALL or set(kind.reads) <= tables(columns) | RESOURCES
    wrong = [one for one in kind.writes if not filter_names(columns | RESOURCES, one)]
    assert wrong == []


@pytest.mark.parametrize("solver", list(SOLVERS))
def test_examples_and_rare_events_read_and_write_what_is_declared(solver: str) -> None:
    access = Access()
    watch_examples(access, solver)
    watch_rare_events(access, solver)
    assert undeclared(access) == {}


@pytest.mark.slow
def test_all_worlds_read_and_write_what_is_declared_and_all_of_it() -> None:
    access = Access()
    for solver in SOLVERS:
        watch_examples(access, solver)
        watch_rare_events(access, solver)
        with access.making():
            sim = Simulation(world="everything", solver=solver, substeps=2)
        access.watch(sim)
        run(sim, spawn_everything(sim), range(FRAMES))
        sim.close()
    for seed in SEEDS:
        world = FullWorld(seed, solver=list(SOLVERS)[seed % len(SOLVERS)])
        world.sim.substeps = 2
        access.watch(world.sim)
        for _ in range(FRAMES // 2):
            world.act()
            world.sim.step()
        world.sim.close()
    for entry in included_games().values():
        game = entry.load()()
        game.begin()
        game.sim.substeps = 2
        access.watch(game.sim)
        for _ in range(FRAMES):
            game.advance(game.autopilot())
        game.close()
    assert undeclared(access) == {}
    unused = {
        kind.__name__: sorted(
            [
                *(set(kind.reads) - tables(access.read[kind]) - set(ALL)),
                *(one for one in kind.writes if not filter_names(access.written[kind], one)),
            ]
        )
        for kind in kinds_of_stages()
    }
    assert {name: names for name, names in unused.items() if names} == {}
