"""Views of components: what may be written through them, and what becomes of those of a body that
is gone.
"""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    Collider,
    Muscles,
    Particles,
    PressureBody,
    ShapeMatching,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from ecs_softbody.storage import Component, declared_columns, declared_values
from tests.helpers.internals import row_arrays_of, table_arrays
from tests.snapshots.full_world import spawn_everything

READ_ONLY = [
    (kind, name)
    for kind in Component.types
    for name, entry in {**declared_columns(kind), **declared_values(kind)}.items()
    if entry.is_read_only and not entry.stage
]
Parts = tuple[Component, ...]


def blob(x: float = 0.0) -> Parts:
    return blueprints.blob((x, 3.0), 0.5, particles=8)


@pytest.fixture(scope="module")
def full() -> Iterator[Simulation]:
    made = Simulation(world="full of views")
    spawn_everything(made)
    for _ in range(3):
        made.step()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("kind", "name"), READ_ONLY, ids=lambda value: getattr(value, "__name__", value)
)
def test_what_only_the_engine_writes_says_so(
    full: Simulation, kind: type[Component], name: str
) -> None:
    owners = full.entities(kind)
    if not owners:
        pytest.skip("none in this world")
    component: Any = full.get(owners[0], kind)
    for one in (component, copy.copy(component)):
        before = np.copy(getattr(one, name))
        with pytest.raises(AttributeError, match=rf"{kind.__name__}\.{name} is (written|fixed)"):
            setattr(one, name, before)
        if before.ndim and before.size:
            with pytest.raises(ValueError, match=rf"{kind.__name__}\.{name} is (written|fixed)"):
                getattr(one, name)[...] = 10**6
            with pytest.raises(ValueError, match=rf"{kind.__name__}\.{name} is (written|fixed)"):
                getattr(one, name)[:1] += 1
        assert np.array_equal(getattr(one, name), before, equal_nan=before.dtype.kind == "f")


def test_what_is_made_of_a_fixed_column_is_an_array_as_any_other(sim: Simulation) -> None:
    parts = blob()
    sim.spawn(*parts)
    sim.step()
    springs = next(part for part in parts if isinstance(part, Springs))
    for made in (
        springs.pairs + 1,
        springs.pairs.copy(),
        copy.deepcopy(springs.pairs),
        np.roll(springs.pairs, 1),
    ):
        made[0] = 7
        assert made[0, 0] == 7
    assert type(springs.pairs * 2) is np.ndarray
    assert type(pickle.loads(pickle.dumps(springs.pairs))) is np.ndarray
    assert springs.pairs.max() == 7
    with pytest.raises(ValueError, match="fixed after creation"):
        springs.pairs.fill(3)
    with pytest.raises(ValueError, match="WRITEABLE"):
        springs.pairs.flags.writeable = True


def test_what_a_maker_may_write_is_written(sim: Simulation) -> None:
    body, *rest = blob()
    sim.spawn(body, *rest)
    sim.step()
    assert isinstance(body, Particles)
    for name in (
        "position",
        "velocity",
        "mass",
        "radius",
        "force",
        "frame_position",
        "rest_offset",
    ):
        getattr(body, name)[...] += 0.125
        assert np.array_equal(getattr(body, name), sim.buffers[Particles].rows[name])


BAD_ROWS = [-1, -(10**6), -(2**31), 8, 10**6, 2**31 - 1]
COUNTING = [
    (Springs, "pairs"), (PressureBody, "outline"), (Collider, "outline"), (Muscles, "rows"),
    (ShapeMatching, "members"),
]  # fmt: skip


def with_all() -> Parts:
    """Return a blob that also has a component of each kind that counts its rows."""
    parts = list(blob())
    parts += [ShapeMatching(stiffness=10.0, groups=[range(8)]), Muscles([0, 1])]
    return tuple(parts)


@pytest.mark.parametrize("value", BAD_ROWS)
@pytest.mark.parametrize(("kind", "name"), COUNTING)
def test_both_ends_of_rows_are_checked_where_they_are_packed(
    sim: Simulation, kind: type[Component], name: str, value: int
) -> None:
    good = sim.spawn(*blob(5.0))
    sim.step()
    parts = with_all()
    bad: Any = next(part for part in parts if isinstance(part, kind))
    limit = len(row_arrays_of(next(part for part in parts if isinstance(part, Springs)))["pairs"])
    if kind is Muscles and 0 <= value < limit:
        return
    row_arrays_of(bad)[name].reshape(-1)[1] = value
    entity = sim.spawn(*parts)
    said = (
        rf"{kind.__name__}\.{name} of entity {entity}: {value} in row . is not allowed; "
        r"expected rows of"
    )
    for _ in range(2):
        with pytest.raises(ValueError, match=said):
            sim.step()
    sim.despawn(entity)
    sim.step()
    assert np.isfinite(sim.get(good, Particles).position).all()


@pytest.mark.parametrize("value", BAD_ROWS)
def test_a_copy_with_bad_rows_that_is_put_back_is_refused(sim: Simulation, value: int) -> None:
    entity = sim.spawn(*blob())
    sim.step()
    other = copy.copy(sim.get(entity, Collider))
    row_arrays_of(other)["outline"][2] = value
    with sim:
        esper.add_component(entity, other)
    with pytest.raises(
        ValueError, match=rf"Collider\.outline of entity {entity}: {value} in row 2 is not allowed"
    ):
        sim.step()


def test_rows_of_two_bodies_are_counted_for_each(sim: Simulation) -> None:
    one = sim.spawn(*blob())
    two = sim.spawn(*blob(4.0))
    joint = Attachment((one, two), rows=([0], [1]))
    row_arrays_of(joint)["rows"][1] = -1
    entity = sim.spawn(joint)
    with pytest.raises(
        ValueError, match=rf"Attachment\.rows of entity {entity}: -1 in row 1 is not allowed"
    ):
        sim.step()


VIEWS: dict[str, Callable[[Particles], Any]] = {
    "itself": lambda body: body.position,
    "a part": lambda body: body.position[1:],
    "a part of a part": lambda body: body.position[1:][:, 0],
    "turned": lambda body: body.position.T,
    "a row": lambda body: body.position[0],
    "an iterator": lambda body: iter(body.position),
    "flat": lambda body: body.position.flat,
    "a buffer": lambda body: memoryview(body.position),
    "in an object": lambda body: {"kept": [body.position.reshape(-1)]},
    "what it is made of": lambda body: np.asarray(body.position.base),
}


def write(kept: Any) -> None:
    """Write to whatever was kept."""
    if isinstance(kept, dict):
        kept = kept["kept"][0]
    if isinstance(kept, np.flatiter):
        kept[:] = 1e9
    elif isinstance(kept, memoryview):
        np.asarray(kept)[...] = 1e9
    elif isinstance(kept, np.ndarray):
        kept[...] = 1e9
    else:
        for row in kept:
            row[...] = 1e9


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("stays", [False, True])
def test_a_view_of_a_body_that_is_gone_does_not_write_to_the_next_one(
    sim: Simulation, kind: str, *, stays: bool
) -> None:
    if stays:
        sim.spawn(*blob(5.0))
    first = sim.spawn(*blob())
    sim.step()
    kept = VIEWS[kind](sim.get(first, Particles))
    start = sim.get(first, Particles).row_start
    sim.despawn(first)
    sim.step()
    write(kept)
    next_one = sim.spawn(*blob(-3.0))
    sim.step()
    assert sim.get(next_one, Particles).row_start == start, "its rows are handed on"
    write(kept)
    position = sim.buffers[Particles].rows["position"]
    assert np.abs(position).max() < 10.0
    sim.step()
    assert np.abs(position).max() < 10.0


def test_views_of_values_are_no_worse(sim: Simulation) -> None:
    first = sim.spawn(StaticCollider([(0, 0), (1, 0)]))
    sim.step()
    velocity = sim.get(first, StaticCollider).velocity
    sim.despawn(first)
    sim.step()
    next_one = sim.spawn(StaticCollider([(0, 0), (1, 0)]))
    sim.step()
    velocity[:] = 50.0
    assert np.array_equal(sim.get(next_one, StaticCollider).velocity, (0.0, 0.0))


@pytest.mark.parametrize("after", [False, True])
def test_views_that_were_kept_before_the_memory_moved_are_known(
    sim: Simulation, *, after: bool
) -> None:
    """Buffers grow, snapshots bring memory back: a view of it may be one of a body that is gone
    then.
    """
    first = sim.spawn(*blob())
    sim.step()
    kept = sim.get(first, Particles).position[2:]
    before = sim.snapshot()
    late = sim.spawn(*blob(5.0))
    sim.step()
    kept_late = sim.get(late, Particles).position[:1]
    if after:
        for k in range(20):
            sim.spawn(*blob(10.0 + 2 * k))
        sim.step()
    sim.restore(before)
    assert np.shares_memory(kept, sim.get(first, Particles).position) or kept_late is not None
    other = sim.spawn(*blob(-5.0))
    sim.step()
    kept_late[...] = 1e9
    assert np.abs(sim.get(other, Particles).position).max() < 10.0
    sim.despawn(first)
    sim.step()
    sim.spawn(*blob(-9.0))
    sim.step()
    kept[...] = 1e9
    assert np.abs(sim.buffers[Particles].rows["position"]).max() < 1e3


def test_a_snapshot_makes_views_live_again(sim: Simulation) -> None:
    first = sim.spawn(*blob())
    sim.step()
    kept = sim.get(first, Particles).position
    before = sim.snapshot()
    for _ in range(3):
        sim.step()
    sim.restore(before)
    kept[...] += 1.0
    assert np.array_equal(sim.get(first, Particles).position, kept)


def test_nothing_moves_where_nobody_has_a_view(sim: Simulation) -> None:
    bodies = [sim.spawn(*blob(2.0 * k)) for k in range(4)]
    sim.step()
    kept = sim.get(bodies[0], Particles).position
    memory = table_arrays(sim, Particles)["position"]
    for _ in range(20):
        sim.get(bodies[1], Particles).position[...] += 0.001
        sim.despawn(bodies[1])
        bodies[1] = sim.spawn(*blob(2.0))
        sim.step()
    assert table_arrays(sim, Particles)["position"] is memory
    assert np.array_equal(kept, sim.get(bodies[0], Particles).position)


def test_results_do_not_depend_on_views() -> None:
    """Rows are handed on as ever; only the memory is another one."""

    def run(name: str, *, keeps: bool) -> list[str]:
        sim = Simulation(world=name)
        kept = []
        hashes = []
        sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
        bodies = [sim.spawn(*blob(2.0 * k - 4.0)) for k in range(4)]
        for frame in range(40):
            if frame % 5 == 2:
                gone = bodies.pop(0)
                if keeps:
                    body = sim.get(gone, Particles)
                    kept += [body.position, body.velocity[1:], body.radius]
                sim.despawn(gone)
                bodies.append(sim.spawn(*blob(frame % 7 - 3.0)))
            sim.step()
            hashes.append(sim.state_hash())
        sim.close()
        return hashes

    assert run("keeps", keeps=True) == run("keeps none", keeps=False)


@pytest.mark.slow
def test_memory_is_flat_where_views_are_kept_and_dropped(sim: Simulation) -> None:
    sim.spawn(*blob(9.0))
    counts = []
    for frame in range(600):
        entity = sim.spawn(*blob())
        sim.step()
        kept = sim.get(entity, Particles).position
        sim.despawn(entity)
        sim.step()
        kept[...] = 1e9
        if frame % 200 == 199:
            gc.collect()
            counts.append(sum(isinstance(one, Component) for one in gc.get_objects()))
    assert counts[-1] <= counts[0]
