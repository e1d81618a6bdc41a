"""Moments have what resources declare and nothing else, and share what has not changed."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from ecs_softbody import Particles, Simulation, Snapshot, StaticCollider, blueprints
from ecs_softbody.state import columns
from ecs_softbody.storage.resource import Resource
from ecs_softbody.storage.store import Store
from tests.helpers.internals import stages_of
from tests.helpers.starts import WHOLE
from tests.simulation.random_full_worlds import FullWorld
from tests.snapshots.full_world import run, spawn_everything

SEEDS = range(200) if WHOLE else [2, 6, 10, 16, 17, 61, 89]
"""The few are those of worlds that found undeclared state, each some of its own."""


def reached_from(root: Any) -> Iterator[Any]:
    """Yield all resources that a stage reaches by any attribute, declared or not."""
    seen: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, Store | type):
            continue
        seen[id(value)] = value
        if isinstance(value, dict | list | tuple):
            waiting += value.values() if isinstance(value, dict) else value
        elif type(value).__module__.startswith("ecs_softbody") and hasattr(value, "__dict__"):
            waiting += vars(value).values()
            if isinstance(value, Resource):
                yield value


def test_every_name_that_is_declared_is_there() -> None:
    sim = Simulation(world="workspace")
    run(sim, spawn_everything(sim), range(3))
    checked = 0
    for resource in reached_from(stages_of(sim)):
        kind = type(resource)
        names = {field.path.partition(".")[0] for field in kind.saved}
        assert not set(kind.bound) & (names | set(kind.made)), kind.__name__
        for name in names.union(kind.made, kind.bound):
            assert name in vars(resource), f"{kind.__name__}.{name}"
            checked += 1
    assert checked > 150
    sim.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_not_declared_needs_no_going_back(seed: int) -> None:
    """Only what resources declare is put back: random worlds go on from any of their moments as
    they did, before and after changes of structure.
    """
    choose = random.Random(seed)
    world = FullWorld(seed, solver=("saturated", "xpbd")[seed % 2])
    moments: list[Snapshot] = []
    hashes: list[str] = []
    acts: list[bool] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for frame in range(80):
            try:
                acts.append(world.choose.chance(0.12))
                if acts[-1]:
                    world.act()
                moments.append(world.sim.snapshot())
                world.sim.step()
            except ValueError:
                break  # the world asks for what has gone
            hashes.append(world.sim.state_hash())
            if choose.random() < 0.2:
                last = world.sim.snapshot()
                for _ in range(2):
                    first = choose.randrange(max(0, frame - 9), frame + 1)
                    world.sim.restore(moments[first])
                    for again in range(first, frame + 1):
                        if again > first and acts[again]:
                            break
                        world.sim.step()
                        assert world.sim.state_hash() == hashes[again], (frame, first, again)
                world.sim.restore(last)
                assert world.sim.state_hash() == hashes[-1], frame
    world.sim.close()


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_what_is_shared_with_the_snapshot_before_has_not_changed(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "LARGE", 0)
    sim = Simulation(world="sharing", substeps=4, solver=solver)
    bodies = [sim.spawn(*blueprints.blob((1.1 * k, 1.0), 0.5)) for k in range(4)]
    sim.spawn(*blueprints.box((2.0, 3.0), 0.8))
    for frame in range(60):
        if frame == 10:
            sim.get(bodies[0], Particles).mass *= 1.5
        if frame == 20:
            sim.get(bodies[1], type(blueprints.blob((0, 0), 1)[1])).stiffness *= 2.0
        if frame == 30:
            sim.get(bodies[3], Particles).pinned[:3] = True
        if frame == 50:
            sim.substeps = 7
        if frame == 40:
            sim.despawn(bodies[2])
        sim.step()
        kept = sim.snapshot().columns.by_array()
        for table in sim.buffers.tables.values():
            for store in (table.rows, table.values):
                for name, array in store.arrays.items():
                    if store.count:
                        same = kept[id(array)].tobytes() == array[: store.count].tobytes()
                        assert same, f"{table.component_type.__name__}.{name} in frame {frame}"
    sim.close()


def test_nothing_is_shared_with_a_future_that_did_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "LARGE", 0)
    sim = Simulation(world="futures")
    body = sim.spawn(*blueprints.blob((0.0, 1.0), 0.5))
    springs = type(blueprints.blob((0, 0), 1)[1])
    sim.step()
    start = sim.snapshot()
    hashes = []
    for stiffness in (40.0, 70.0):
        sim.restore(start)
        sim.get(body, springs).stiffness[:] = stiffness
        sim.step()
        snapshot = sim.snapshot()
        hashes.append(sim.state_hash())
        sim.step()
        sim.restore(snapshot)
        assert sim.state_hash() == hashes[-1]
        assert (sim.get(body, springs).stiffness == stiffness).all()
    assert hashes[0] != hashes[1]
    sim.close()


def test_what_sleepers_know_of_walls_is_looked_at_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(columns, "LARGE", 0)
    sim = Simulation(world="walls")
    sim.spawn(*blueprints.ball((0, 0.2), 0.2, restitution=0.0))
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    wall = StaticCollider([(50, 0), (60, 0)])
    sim.spawn(wall)
    while not sim.asleep_count:
        sim.step()
    moments = []
    friction = [0.4, 0.6, 0.8]
    for each in friction:
        wall.friction = each
        sim.step()
        moments.append(sim.snapshot())
    for moment, each in zip(moments, friction, strict=True):
        sim.restore(moment)
        assert sim.buffers[StaticCollider].values["kept_friction"][1] == each
    sim.close()
