"""Many changes at once: components that come or go together are packed together, and only they are
touched.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import Collider, Drag, Particles, Simulation, Springs, blueprints
from ecs_softbody.storage import Component, Table


def rope(x: float, count: int = 3) -> tuple[Particles, Springs]:
    place = np.column_stack([np.full(count, x), np.arange(count)])
    return Particles(place, mass=1.0 + x), Springs(
        [(k, k + 1) for k in range(count - 1)], stiffness=10.0 + x
    )


def check_rope(sim: Simulation, entity: int, parts: tuple[Particles, Springs], x: float) -> None:
    """The attributes, and what kernels see of them, are those of this rope."""
    body, springs = parts
    assert np.array_equal(body.position, rope(x)[0].position)
    assert (body.mass == 1.0 + x).all()
    assert np.allclose(springs.rest_length, 1.0)
    table = sim.buffers[Springs]
    rows = table.rows["packed_pairs"][springs.row_start : springs.row_stop]
    assert np.array_equal(sim.buffers[Particles].rows["position"][rows[:, 0]], body.position[:-1])
    assert np.array_equal(sim.buffers[Particles].rows["body"][rows], np.full((2, 2), body.slot))
    assert table.values["entity"][springs.slot] == entity
    assert table.values["particle_first"][springs.slot] == body.row_start
    assert table.values["particle_last"][springs.slot] == body.row_stop


@pytest.fixture
def sim() -> Simulation:
    return Simulation(gravity=(0, 0), substeps=1)


def test_bodies_fill_gaps_that_do_not_adjoin_and_go_on_at_the_end(sim: Simulation) -> None:
    parts = {x: rope(x) for x in range(6)}
    entities = {x: sim.spawn(*parts[x]) for x in range(6)}
    sim.step()
    starts = {x: parts[x][0].row_start for x in range(6)}
    for x in (1, 4):
        sim.despawn(entities.pop(x))
        parts.pop(x)
    sim.step()
    for x in (7, 8, 9):
        parts[x] = rope(x)
        entities[x] = sim.spawn(*parts[x])
    sim.step()
    assert {parts[x][0].row_start for x in (7, 8, 9)} == {starts[1], starts[4], 18}
    for x, entity in entities.items():
        check_rope(sim, entity, parts[x], float(x))
    serials = sim.buffers[Particles].values["serial"]
    assert len(set(serials.tolist())) == len(serials)


def test_components_that_go_together_keep_their_own_numbers(sim: Simulation) -> None:
    parts = [rope(float(x)) for x in range(5)]
    entities = [sim.spawn(*one) for one in parts]
    sim.step()
    for x in (0, 2, 4):
        sim.despawn(entities[x])
    sim.step()
    for x in (0, 2, 4):
        body, springs = parts[x]
        assert (body.mass == 1.0 + x).all()
        assert np.array_equal(body.position[:, 0], [x, x, x])
        assert not np.shares_memory(body.position, sim.buffers[Particles].rows["position"])
        assert (springs.stiffness == 10.0 + x).all()
    again = sim.spawn(*parts[2])
    sim.step()
    check_rope(sim, again, parts[2], 2.0)


def test_components_with_and_without_engine_columns_come_together(sim: Simulation) -> None:
    first = rope(0.0)
    second = rope(5.0)
    sim.spawn(*first)
    sim.step()
    copy = first[0].copied()
    copy.rest_offset[:] = 7.0
    sim.spawn(copy)
    sim.spawn(*second)
    sim.step()
    assert (copy.rest_offset == 7.0).all(), "what a copy brings along stays"
    assert np.array_equal(second[0].rest_offset, [(0, -1), (0, 0), (0, 1)])


def test_a_change_of_one_body_touches_no_other(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = [blueprints.blob((2.0 * x, 0.0), 0.5) for x in range(50)]
    entities = [sim.spawn(*parts) for parts in bodies]
    sim.step()
    touched: list[object] = []
    for kind in (Particles, Springs, Collider):
        complete = kind.complete
        monkeypatch.setattr(
            kind, "complete", lambda self, rows, f=complete: (touched.append(self), f(self, rows))
        )
    bind = Table.bind

    def noted_bind(table: Table, members: list[tuple[int, Component]]) -> None:
        touched.extend(component for _, component in members)
        bind(table, members)

    monkeypatch.setattr(Table, "bind", noted_bind)
    drag = Drag(linear=1.0)
    with sim:
        esper.add_component(entities[7], drag)
    sim.step()
    assert touched == [drag]
    touched.clear()
    sim.despawn(entities[3])
    sim.step()
    assert touched == []
    new = blueprints.blob((0.0, 9.0), 0.5)
    sim.spawn(*new)
    sim.step()
    assert {id(one) for one in touched} == {id(part) for part in new if isinstance(part, Component)}


def test_components_of_a_closed_world_cost_other_worlds_nothing_and_can_be_used_again() -> None:
    closed = Simulation(gravity=(0, 0), world="closed")
    parts = {x: rope(x) for x in range(3)}
    for x in range(3):
        closed.spawn(*parts[x])
    closed.step()
    closed.close()
    assert not any(one in type(one).loose for own in parts.values() for one in own)
    sim = Simulation(gravity=(0, 0), world="next")
    entity = sim.spawn(*parts[1])
    sim.step()
    check_rope(sim, entity, parts[1], 1)
    esper.switch_world(sim.world)
    other = rope(2)
    esper.add_component(entity, other[1])
    sim.step()
    assert (sim.get(entity, Springs).stiffness == 12.0).all()
