"""Packed buffers: one array per column, attributes that are live views of it, and what happens on
changes.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import Collider, Drag, Particles, Simulation, Springs, StaticCollider, blueprints


def still(**options):
    return Simulation(gravity=(0, 0), **options)


def line(count, **options):
    return Particles(np.column_stack([np.arange(count), np.zeros(count)]), **options)


class Blink:
    """A component of a game that the physics knows nothing about."""


def test_all_bodies_share_one_contiguous_buffer_per_column():
    sim = still()
    bodies = [line(3), line(5), line(1)]
    springs = [Springs([(0, 1), (1, 2)], stiffness=1.0), Springs([(0, 4)], stiffness=2.0)]
    for k, body in enumerate(bodies):
        sim.spawn(body, *springs[k : k + 1])
    sim.step()
    for name in ("position", "velocity", "mass", "radius", "pinned", "force"):
        column = sim.buffers[Particles].rows[name]
        assert column.flags.c_contiguous
        assert len(column) == 9
        for body in bodies:
            assert np.shares_memory(getattr(body, name), column)
            assert len(getattr(body, name)) == body.row_count
    stiffness = sim.buffers[Springs].rows["stiffness"]
    assert all(np.shares_memory(one.stiffness, stiffness) for one in springs)
    assert np.array_equal(sim.buffers[Springs].rows["stiffness"], [1, 1, 2])


def test_packed_rows_count_from_the_start_of_each_body():
    sim = still()
    sim.spawn(line(3))
    sim.spawn(line(4), Springs([(0, 3), (2, 1)], stiffness=1.0))
    sim.step()
    assert np.array_equal(sim.buffers[Springs].rows["packed_pairs"], [(3, 6), (5, 4)])


def test_writing_through_a_view_moves_the_particle():
    sim = still()
    body = line(2)
    other = line(2)
    sim.spawn(body)
    sim.spawn(other)
    sim.step(1.0)
    body.velocity[1] = (3.0, 4.0)
    other.position[:, 1] += 7.0
    sim.step(1.0)
    assert np.allclose(body.position, [(0, 0), (4, 4)])
    assert np.array_equal(other.position[:, 1], [7, 7])


@pytest.mark.parametrize("packed", [False, True])
def test_rebinding_an_attribute_copies_into_the_buffer(packed):
    sim = still()
    body = line(2)
    sim.spawn(body)
    if packed:
        sim.step(1.0)
    speeds = np.array([(1.0, 0.0), (0.0, 2.0)])
    body.velocity = speeds
    body.mass = 4.0
    speeds[:] = 99.0
    sim.step(1.0)
    assert np.allclose(body.position, [(1, 0), (1, 2)])
    assert np.array_equal(sim.buffers[Particles].rows["mass"], [4, 4])
    assert np.shares_memory(body.velocity, sim.buffers[Particles].rows["velocity"])


def test_in_place_operators_on_attributes_work():
    sim = still()
    body = line(2, velocity=(1.0, 2.0))
    sim.spawn(body)
    sim.step()
    body.velocity *= 2.0
    body.position += (0.0, 5.0)
    assert np.array_equal(body.velocity, [(2, 4), (2, 4)])
    assert body.position[0, 1] > 5.0


def test_values_are_written_too():
    sim = still()
    body = line(1, velocity=(8.0, 0.0))
    drag = Drag()
    sim.spawn(body, drag)
    sim.step()
    assert body.velocity[0, 0] == 8.0
    drag.linear = 100.0
    sim.step()
    assert body.velocity[0, 0] < 8.0
    assert drag.linear == 100.0


def test_platform_values_are_live_views():
    sim = still()
    wall = StaticCollider([(0, 0), (1, 0)])
    sim.spawn(wall)
    sim.step()
    wall.velocity[0] = 60.0
    sim.step(0.5)
    assert np.allclose(wall.vertices, [(30, 0), (31, 0)])


def test_arrays_from_before_packing_turn_nan():
    sim = still()
    body = line(2)
    early = body.position
    sim.spawn(body)
    sim.step()
    assert np.isnan(early).all()
    assert np.isfinite(body.position).all()


def test_arrays_held_across_growth_turn_nan_and_attributes_do_not():
    sim = still()
    body = line(10, velocity=(1, 0))
    sim.spawn(body)
    sim.step()
    held = body.position
    x = body.position[3, 0]
    sim.spawn(line(100))
    sim.step()
    assert np.isnan(held).all()
    assert body.position[3, 0] == pytest.approx(x + 1 / 60)


def test_a_spawn_within_capacity_moves_nothing():
    sim = still()
    body = line(10)
    sim.spawn(body)
    sim.step()
    held = body.position
    sim.spawn(line(5))
    sim.step()
    assert np.shares_memory(held, body.position)
    assert np.isfinite(held).all()


def test_unrelated_changes_do_not_repack():
    """esper clears its caches on any change of any entity;
    only the physics' own components count.
    """
    sim = still()
    entity = sim.spawn(*blueprints.blob((0, 0), 0.5))
    sim.step()
    version = sim.buffers.version
    tables = [sim.buffers[kind].version for kind in (Particles, Springs, Collider)]
    with sim:
        esper.add_component(entity, Blink())
        sim.step()
        esper.remove_component(entity, Blink)
        bystander = esper.create_entity(Blink())
        sim.step()
        esper.delete_entity(bystander)
        sim.step()
    assert [sim.buffers[kind].version for kind in (Particles, Springs, Collider)] == tables
    assert sim.buffers.version == version


def test_a_removed_component_keeps_its_state_and_may_come_back():
    sim = still()
    body = line(2, velocity=(6.0, 0.0))
    entity = sim.spawn(body)
    sim.step(1.0)
    sim.despawn(entity)
    sim.step(1.0)
    assert np.array_equal(body.position, [(6, 0), (7, 0)])
    body.position[:] = 1.0
    sim.spawn(body)
    sim.step(1.0)
    assert np.array_equal(body.position, [(7, 1), (7, 1)])


def test_replaced_components_act_at_once():
    sim = still()
    body = Particles([(0, 0), (2, 0)])
    entity = sim.spawn(body, Springs([(0, 1)], stiffness=0.0, rest_length=1.0))
    sim.step()
    with sim:
        esper.add_component(entity, Springs([(0, 1)], stiffness=10.0, rest_length=1.0))
    sim.step()
    assert body.velocity[0, 0] > 0.0 > body.velocity[1, 0]
    with sim:
        esper.add_component(entity, Particles([(5, 5), (6, 5)]))
    sim.step()
    assert len(sim.buffers[Particles].rows["position"]) == 2
    assert np.array_equal(sim.buffers[Particles].rows["position"][:, 1], [5, 5])
    assert np.array_equal(body.position[:, 1], [0, 0])


def test_rest_lengths_of_none_are_taken_when_first_packed():
    sim = still()
    body = Particles([(0, 0), (3, 4)])
    springs = Springs([(0, 1)], stiffness=1.0)
    assert np.isnan(springs.rest_length).all()
    sim.spawn(body, springs)
    body.position[1] = (6, 8)
    sim.step()
    assert springs.rest_length[0] == pytest.approx(10.0)
    body.position[1] = (1, 0)
    sim.step()
    assert springs.rest_length[0] == pytest.approx(10.0)


def test_clear_database_and_reused_ids():
    """esper starts again at entity 1: the new bodies are not taken for the old ones."""
    sim = still()
    old = line(3, velocity=(1, 0))
    first = sim.spawn(old, Springs([(0, 2)], stiffness=3.0))
    sim.step()
    with sim:
        esper.clear_database()
    new = line(2, velocity=(0, 6))
    second = sim.spawn(new, Springs([(0, 1)], stiffness=5.0))
    assert second == first
    sim.step(1.0)
    assert np.array_equal(new.position, [(0, 6), (1, 6)])
    assert np.allclose(old.position, [(1 / 60, 0), (1 + 1 / 60, 0), (2 + 1 / 60, 0)])
    assert np.array_equal(sim.buffers[Springs].rows["stiffness"], [5])
    with sim:
        esper.clear_database()
    sim.step()
    assert not sim.buffers[Particles].bound


def test_deleted_bodies_leave_inert_rows_and_then_give_them_back():
    sim = still()
    entities = [sim.spawn(*blueprints.blob((3 * k, 0), 0.5)) for k in range(6)]
    sim.step()
    for entity in entities[:-1]:
        sim.despawn(entity)
    sim.step()
    rows = sim.buffers[Particles].rows
    assert np.isfinite(rows["position"]).all()
    capacity = rows.capacity
    for _ in range(20):
        fresh = [sim.spawn(*blueprints.blob((3 * k, 0), 0.5)) for k in range(5)]
        sim.step()
        for entity in fresh:
            sim.despawn(entity)
        sim.step()
    assert rows.capacity == capacity, "like bodies that come and go must not grow the buffers"


def test_compaction_keeps_state_and_links():
    """When most rows are free the rest moves together: nothing else may change."""
    sim = still()
    bodies = [Particles(np.random.default_rng(k).normal(size=(100 + k, 2))) for k in range(30)]
    entities = [
        sim.spawn(body, Springs([(k, 50 + k)], stiffness=1.0 + k, rest_length=0.0))
        for k, body in enumerate(bodies)
    ]
    link = Springs([(99, 28)], stiffness=7.0, rest_length=0.5, between=(entities[29], entities[3]))
    sim.spawn(link)
    sim.step()
    kept = {29: bodies[29], 3: bodies[3]}
    for k, entity in enumerate(entities):
        if k not in kept:
            sim.despawn(entity)
    before = {k: (body.position.copy(), body.velocity.copy()) for k, body in kept.items()}
    sim.step(1e-12)
    assert len(sim.buffers[Particles].rows["position"]) == 129 + 103, "it was not compacted"
    for k, body in kept.items():
        assert np.allclose(body.position, before[k][0], atol=1e-9)
        assert np.allclose(body.velocity, before[k][1], atol=1e-9)
    place = sim.buffers[Particles].rows["position"]
    table = sim.buffers[Springs]
    ends = table.rows["packed_pairs"][link.row_start]
    assert np.array_equal(place[ends[0]], bodies[29].position[99])
    assert np.array_equal(place[ends[1]], bodies[3].position[28])
    sim.step()
    assert np.isfinite(place).all()
