"""Sleep: bodies at rest stop for good, as islands, where something carries them."""

from dataclasses import dataclass

import esper
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_softbody import Drag, Particles, Simulation, Springs, StaticCollider, blueprints
from ecs_softbody.collision.contacts.sleeping import joined
from ecs_softbody.storage.resource import Array
from tests.collision.sleepers import G, rigid_box, sleeping_pair
from tests.helpers.bodies import disc, ground
from tests.helpers.stepping import run


def test_a_body_on_the_ground_falls_asleep_and_does_not_move_any_more():
    sim = Simulation()
    body, *rest = rigid_box((0, 0.6))
    entity = sim.spawn(body, *rest)
    sim.spawn(ground())
    run(sim, 5)
    assert sim.is_asleep(entity)
    assert sim.asleep_count == 1
    before = body.position.copy()
    assert not body.velocity.any()
    run(sim, 2)
    assert np.array_equal(body.position, before)
    assert not body.velocity.any()
    assert not body.force.any()


@pytest.mark.parametrize(("sleeping", "can_sleep"), [(False, True), (True, False)])
def test_nobody_falls_asleep_where_it_is_switched_off(sleeping, can_sleep):
    sim = Simulation(sleeping=sleeping)
    sim.spawn(*disc(0, 0.25, can_sleep=can_sleep))
    sim.spawn(ground())
    run(sim, 3)
    assert sim.asleep_count == 0


def test_switching_sleep_off_wakes_everybody():
    sim, _, _ = sleeping_pair()
    sim.sleeping = False
    sim.step()
    assert sim.asleep_count == 0
    with pytest.raises(
        ValueError, match=r"Simulation.sleeping: 'no' is not allowed; expected True or False"
    ):
        sim.sleeping = "no"


def test_a_body_that_touches_one_that_is_awake_stays_awake():
    """The restless one (it may not sleep) keeps its whole island awake, a lonely one sleeps."""
    sim = Simulation()
    lower, upper, lonely = (
        sim.spawn(*part) for part in (disc(0, 0.25), disc(0, 0.75, can_sleep=False), disc(5, 0.25))
    )
    sim.spawn(ground())
    sim.spawn(StaticCollider([(-0.26, 0), (-0.26, 3)]))
    sim.spawn(StaticCollider([(0.26, 0), (0.26, 3)]))
    run(sim, 3)
    assert [sim.is_asleep(entity) for entity in (lower, upper, lonely)] == [False, False, True]


def test_bodies_joined_by_springs_sleep_and_wake_together():
    sim = Simulation()
    entities = [sim.spawn(*disc(x, 0.25)) for x in (0.0, 2.0, 6.0)]
    sim.spawn(Springs([(0, 0)], stiffness=50.0, damping=20.0, between=(entities[0], entities[1])))
    sim.spawn(ground())
    run(sim, 3)
    assert sim.asleep_count == 3
    sim.wake(entities[0])
    assert [sim.is_asleep(entity) for entity in entities] == [False, False, True]


@pytest.mark.parametrize("substeps", [1, 8])
def test_a_body_at_the_top_of_its_flight_stays_awake(substeps):
    """Up at 3 m/s and down again, by the parabola of the integrator."""
    sim = Simulation(substeps=substeps)
    body, collider = disc(0, 5, velocity=(0.0, 3.0))
    sim.spawn(body, collider)
    run(sim, 1)
    h = 1 / 60 / substeps
    n = 60 * substeps
    assert body.position[0, 1] == pytest.approx(5 + 3.0 - 0.5 * G * h * h * n * (n + 1), abs=1e-9)
    assert sim.asleep_count == 0


def test_a_pendulum_swings_through_its_turning_points():
    """A small swing, 2 cm on 2 m, is a cosine with the period 2 π √(l/g): it never stops at the
    turn.
    """
    sim = Simulation()
    body = Particles([(0, 0), (0.02, -2.0)], pinned=[True, False])
    sim.spawn(body, Springs([(0, 1)], stiffness=1e5, damping=10.0))
    highest = 0.0
    for frame in range(60 * 12):
        sim.step()
        if frame > 60 * 9:
            highest = max(highest, abs(body.position[1, 0]))
    assert sim.asleep_count == 0
    assert highest == pytest.approx(0.02, rel=0.02)


def test_a_body_that_sinks_slowly_in_thick_air_is_not_caught():
    """0.004 m/s for 5 s: without support nobody sleeps."""
    sim = Simulation()
    body = Particles([(0, 0)])
    sim.spawn(body, Drag(linear=G / 0.004))
    run(sim, 5)
    assert sim.asleep_count == 0
    assert body.position[0, 1] == pytest.approx(-0.02, rel=0.02)


def test_two_bodies_that_lean_on_each_other_in_thick_air_sink_on():
    """The upper one is dragged less and presses on the lower one: they sink at 2 m g / (c + c') = 4
    mm/s.
    """
    sim = Simulation()
    lower = disc(0, 0)
    upper = disc(0, 0.5)
    sim.spawn(*lower, Drag(linear=G / 0.004 * 1.5))
    sim.spawn(*upper, Drag(linear=G / 0.004 * 0.5))
    run(sim, 5)
    assert len(sim.contacts) == 1
    assert sim.asleep_count == 0
    assert lower[0].position[0, 1] == pytest.approx(-0.02, rel=1e-3)


def test_who_falls_asleep_beside_sleepers_belongs_to_their_island():
    """Three discs in a row that touch without pressing; the third comes when the others sleep."""
    sim = Simulation(gravity=(0, 0))
    entities = [sim.spawn(*disc(0.5 * k, 0)) for k in range(2)]
    run(sim, 1)
    assert sim.asleep_count == 2
    entities.append(sim.spawn(*disc(1.0, 0)))
    run(sim, 1)
    assert sim.asleep_count == 3
    sim.wake(entities[2])
    assert sim.asleep_count == 0


def test_without_gravity_a_body_at_rest_sleeps_and_a_slow_one_flies_on():
    sim = Simulation(gravity=(0, 0))
    resting = disc(0, 0)
    slow = disc(3, 0, velocity=(0.003, 0.0))
    entity = sim.spawn(*resting)
    sim.spawn(*slow)
    run(sim, 5)
    assert sim.is_asleep(entity)
    assert sim.asleep_count == 1
    assert slow[0].position[0, 0] == pytest.approx(3.015, abs=1e-12)


# What wakes


def test_contacts_of_sleeping_bodies_stay_listed_with_their_impulses():
    sim, _, entities = sleeping_pair()
    carried = sim.contacts.of(entities[0])
    on_ground = carried.impulse[carried.normal[:, 1] > 0.9]
    assert on_ground.sum() == pytest.approx(2 * G / 60, rel=0.02), "the weight of both, for a frame"
    run(sim, 1)
    again = sim.contacts.of(entities[0])
    assert np.array_equal(again.impulse, carried.impulse)
    assert set(again.entity_b.tolist()) == set(carried.entity_b.tolist())
    sim.wake(entities[0])
    assert len(sim.contacts) >= 2
    sim.step()
    assert sim.contacts.of(entities[0]).impulse.max() > 0.1


def test_contacts_survive_other_bodies_and_walls_coming_and_going():
    sim, (lower, _), entities = sleeping_pair()
    others = [sim.spawn(*blueprints.ball((20 + 2 * k, 5), 0.3)) for k in range(80)]
    walls = [sim.spawn(StaticCollider([(60 + k, 0), (60 + k, 1)])) for k in range(80)]
    sim.step()
    for entity in others[::2] + walls[::2]:
        sim.despawn(entity)
    run(sim, 0.1)
    assert sim.is_asleep(entities[0])
    place = lower.position.copy()
    sim.wake(entities[0])
    sim.step()
    assert np.abs(lower.position - place).max() < 1e-4
    contacts = sim.contacts.of(entities[0])
    assert contacts.impulse[contacts.normal[:, 1] > 0.9].sum() == pytest.approx(2 * G / 60, rel=0.1)


class Touches:
    """Counts the events of contacts."""

    def __init__(self):
        self.begun = self.ended = 0
        esper.set_handler("contact_begin", self.begin)
        esper.set_handler("contact_end", self.end)

    def begin(self, event):
        self.begun += 1

    def end(self, event):
        self.ended += 1


def test_who_falls_asleep_and_wakes_goes_on_touching():
    sim = Simulation()
    touches = Touches()
    body, collider = disc(0, 0.25)
    entity = sim.spawn(body, collider)
    platform = sim.spawn(ground())
    run(sim, 2)
    assert sim.is_asleep(entity)
    assert sim.touching.tolist() == [[entity, platform]]
    sim.wake(entity)
    run(sim, 2)
    assert (touches.begun, touches.ended) == (1, 0)
    body.position += (0.0, 1.0)
    run(sim, 0.1)
    assert (touches.begun, touches.ended) == (1, 1)


def test_unknown_entities_get_one_clear_error():
    sim = Simulation()
    wall = sim.spawn(ground())
    assert not sim.is_asleep(wall)
    sim.wake(wall)
    for method in (sim.is_asleep, sim.wake):
        with pytest.raises(
            ValueError,
            match=rf"Simulation.{method.__name__}.entity: 99 is not allowed; expected an entity that",
        ):
            method(99)


# How well bodies rest


def is_carried(sim, entity):
    """Whether a chain of listed contacts leads from the entity down to a wall."""
    contacts = sim.contacts
    walls = {wall for wall, _ in esper.get_component(StaticCollider)}
    reached = {entity}
    waiting = [entity]
    while waiting:
        near = contacts.of(waiting.pop())
        for other in near.entity_b.tolist():
            if other in walls:
                return True
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return False


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["spawn", "delete", "push", "lift", "wake", "wall", "wait"]),
        st.integers(0, 9),
    ),
    min_size=3,
    max_size=8,
)


@pytest.mark.slow
@settings(max_examples=12)
@given(ACTIONS)
def test_nobody_sleeps_hanging_in_the_air(actions):
    """Whatever a game does, a sleeping body stands on something that still is where it was."""
    sim = Simulation(substeps=4)
    esper.clear_database()
    bodies = [sim.spawn(*disc(0.51 * (k % 3), 0.25 + 0.5 * (k // 3))) for k in range(6)]
    sim.spawn(ground())
    pen = [sim.spawn(StaticCollider([(x, 0), (x, 4)])) for x in (-0.26, 1.29)]
    shelf = StaticCollider([(3, 1), (5, 1)])
    sim.spawn(shelf)
    bodies.append(sim.spawn(*disc(4, 1.25)))
    run(sim, 1.5)
    for action, number in actions:
        entity = bodies[number % len(bodies)] if bodies else None
        if action == "spawn":
            bodies.append(sim.spawn(*disc(0.1 * number, 3.0)))
        elif action == "wall":
            shelf.vertices[:, 1] += 0.1 * (number - 4)
        elif entity is None:
            continue
        elif action == "delete":
            bodies.remove(entity)
            sim.despawn(entity)
        elif action == "push":
            esper.component_for_entity(entity, Particles).velocity = (number - 4.0, 2.0)
        elif action == "lift":
            esper.component_for_entity(entity, Particles).position += (0.0, 0.3 * number)
        elif action == "wake":
            sim.wake(entity)
        for _ in range(6 * number):
            sim.step()
            for body in bodies:
                if sim.is_asleep(body):
                    assert is_carried(sim, body)
    assert len(pen) == 2
    sim.close()


@dataclass
class Records:
    records: np.ndarray

    saved = (Array("records", "contacts", "Any."),)


def test_records_that_are_joined_lie_as_before():
    """numpy's own choice is that of the machine's C, which on 32 bits is another one: files were
    refused there.
    """
    apart = np.dtype({"names": ["wide"], "formats": [np.float64], "offsets": [8], "itemsize": 16})
    both = joined(Records(np.zeros(0, apart)), Records(np.zeros(2, apart)))
    assert both.records.dtype == apart
    assert len(both.records) == 2
