"""What a class calls workspace is none of its state: rubbish in it changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.collision.contacts.contact_list import ContactList
from ecs_softbody.state import columns
from ecs_softbody.state.kinds import Kind, kind_of, scratch_of, transient_of
from ecs_softbody.storage.store import Store
from tests.helpers.internals import stages_of
from tests.snapshots.full_world import run, spawn_everything


def fill_with_rubbish(value: Any) -> int:
    """Fill arrays, and those in tuples; return how many."""
    if isinstance(value, tuple | list):
        return sum(map(fill_with_rubbish, value))
    if not isinstance(value, np.ndarray) or not value.size:
        return 0
    if value.dtype.kind == "f":
        value.fill(np.nan)
    elif value.dtype.names:
        value.view(np.uint8).fill(0xFF)
    else:
        value.fill(1 if value.dtype.kind == "b" else 0x5A)
    return 1


def spoil_workspace(root: Any) -> int:
    """Fill all workspace that is reached from an object; return how many arrays."""
    seen: dict[int, Any] = {}
    waiting = [root]
    workspace = []
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, dict) and not isinstance(value, Store):
            waiting += value.values()
        elif isinstance(value, list | tuple | set):
            waiting += value
        elif type(value).__module__.startswith("ecs_softbody") and kind_of(type(value)) in (
            Kind.OBJECT,
            None,
        ):
            scratch = scratch_of(type(value))
            transient = transient_of(type(value))
            for name, each in vars(value).items() if hasattr(value, "__dict__") else ():
                if name in scratch:
                    workspace.append((value, each))
                elif name not in transient:
                    waiting.append(each)
    filled = 0
    for owner, value in workspace:
        in_use = [array.copy() for array in owner.arrays] if isinstance(owner, ContactList) else []
        filled += fill_with_rubbish(value.arrays if isinstance(value, ContactList) else value)
        for array, content in zip(owner.arrays if in_use else (), in_use, strict=True):
            array[...] = content
    return filled


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_rubbish_in_workspace_changes_nothing(solver: str) -> None:
    found = []
    for spoils in (False, True):
        sim = Simulation(world="workspace", substeps=4, solver=solver)
        bodies = spawn_everything(sim)
        hashes = run(sim, bodies, range(35))
        for frame in range(35, 60):
            if spoils:
                assert spoil_workspace(stages_of(sim)) > 20
            hashes += run(sim, bodies, range(frame, frame + 1))
        found.append(hashes)
        sim.close()
    assert found[0] == found[1]


def test_every_name_of_workspace_is_there() -> None:
    sim = Simulation(world="workspace")
    seen: set[int] = set()
    waiting: list[Any] = [stages_of(sim)]
    checked = 0
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, Store):
            continue
        seen.add(id(value))
        if isinstance(value, dict | list | tuple):
            waiting += value.values() if isinstance(value, dict) else value
        elif type(value).__module__.startswith("ecs_softbody") and hasattr(value, "__dict__"):
            for name in (
                (scratch_of(type(value)) | transient_of(type(value)))
                if not isinstance(value, type)
                else ()
            ):
                assert hasattr(value, name), f"{type(value).__name__}.{name}"
                checked += 1
            waiting += vars(value).values()
    assert checked > 30
    sim.close()


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
