"""Entities that come, go and change in processors and event handlers; links to entities that are
gone.
"""

import itertools

import esper
import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, Springs, blueprints
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


def chain(sim, count):
    """Single particles, each joined to the next by a Springs on an entity of its own."""
    bodies = [Particles([(k, 0)]) for k in range(count)]
    entities = [sim.spawn(body) for body in bodies]
    links = [
        sim.spawn(Springs([(0, 0)], stiffness=10.0, between=pair))
        for pair in itertools.pairwise(entities)
    ]
    return bodies, entities, links


@pytest.fixture
def heard():
    return []


def listen(sim, heard):
    def on_link_removed(entity, component_type, gone):
        heard.append((entity, component_type, gone))

    with sim:
        esper.set_handler("link_removed", on_link_removed)
    return on_link_removed  # esper keeps handlers weakly


def test_deleting_an_entity_removes_the_springs_to_it_and_says_so(heard):
    sim = Simulation(gravity=(0, 0))
    bodies, entities, links = chain(sim, 3)
    handler = listen(sim, heard)
    sim.step()
    sim.despawn(entities[1])
    sim.step()
    assert sorted(heard) == [(links[0], Springs, entities[1]), (links[1], Springs, entities[1])]
    assert not any(esper.has_component(link, Springs) for link in links)
    assert not sim.buffers[Springs].bound
    bodies[0].position[:] = (-5, 0)
    sim.step()
    assert np.array_equal(bodies[0].velocity, [(0, 0)])
    assert handler is not None


@pytest.mark.parametrize("end", [0, 1])
def test_a_link_on_one_of_its_own_ends(end, heard):
    sim = Simulation(gravity=(0, 0))
    a, b = (sim.spawn(Particles([(k, 0)])) for k in range(2))
    with sim:
        esper.add_component((a, b)[end], Springs([(0, 0)], stiffness=1.0, between=(a, b)))
    handler = listen(sim, heard)
    sim.step()
    sim.despawn((a, b)[1 - end])
    sim.step()
    assert heard == [((a, b)[end], Springs, (a, b)[1 - end])]
    sim.despawn((a, b)[end])
    sim.step()
    assert len(heard) == 1
    assert handler is not None


def test_link_made_to_an_entity_that_dies_before_the_next_step(heard):
    sim = Simulation(gravity=(0, 0))
    a, b = (sim.spawn(Particles([(k, 0)])) for k in range(2))
    handler = listen(sim, heard)
    link = sim.spawn(Springs([(0, 0)], stiffness=1.0, between=(a, b)))
    sim.despawn(b)
    sim.step()
    assert heard == [(link, Springs, b)]
    assert handler is not None


def test_ids_reused_after_clear_database_do_not_join_old_links(heard):
    sim = Simulation(gravity=(0, 0))
    chain(sim, 3)
    sim.step()
    with sim:
        esper.clear_database()
    bodies = [Particles([(k, 0)]) for k in range(3)]
    for body in bodies:
        sim.spawn(body)
    bodies[0].position[:] = (-3, 0)
    run_frames(sim, 3)
    assert all(np.array_equal(body.velocity, [(0, 0)]) for body in bodies)
    assert not sim.buffers[Springs].bound


def test_handler_may_spawn_and_despawn(heard):
    sim = Simulation(gravity=(0, 0))
    bodies, entities, _ = chain(sim, 4)
    spawned = []

    def replace(entity, component_type, gone):
        heard.append(gone)
        spawned.append(esper.create_entity(Particles([(0, 9)], velocity=(0, 1))))
        if len(heard) == 1:
            sim.despawn(entities[3])

    with sim:
        esper.set_handler("link_removed", replace)
    sim.step()
    sim.despawn(entities[1])
    run_frames(sim, 3)
    assert heard == [entities[1], entities[1], entities[3]]
    assert len(sim.buffers[Particles].bound) == 2 + 3
    with sim:
        assert all(
            esper.component_for_entity(entity, Particles).position[0, 1] > 9 for entity in spawned
        )
    assert bodies[0].row_count == 1


def test_handlers_are_weak():
    """esper drops a handler that nobody else holds; a game has to keep a reference.

    This is esper's rule, not ours.
    """
    sim = Simulation(gravity=(0, 0))
    _, entities, _ = chain(sim, 2)
    heard = []
    with sim:
        esper.set_handler("link_removed", lambda *arguments: heard.append(arguments))
    sim.step()
    sim.despawn(entities[0])
    sim.step()
    assert heard == []


class Every(esper.Processor):
    """Calls a function with the number of the substep."""

    def __init__(self, action):
        self.action = action
        self.count = 0

    def process(self, dt):
        self.action(self.count)
        self.count += 1


@pytest.mark.brief(6)
@pytest.mark.parametrize("priority", [1000, 875, 300, 150, 75, 10])
def test_a_processor_may_change_anything_in_the_middle_of_a_frame(priority):
    """Spawn, delete, add, replace and remove, at every place in the order, for 20 frames."""
    sim = Simulation(substeps=4)
    sim.spawn(*blueprints.blob((0, 5), 0.5))
    sim.spawn(*blueprints.box((0, 8), 1.0))
    floor = blueprints.ball((0, 2), 0.3)
    sim.spawn(*floor)
    made = []

    def change(n):
        kind = n % 5
        if kind == 0:
            made.append(esper.create_entity(*blueprints.blob((n % 7, 3), 0.4)))
        elif kind == 1:
            esper.create_entity(*blueprints.rope((0, n % 5), (1, n % 5)))
        elif kind == 2 and made:
            esper.delete_entity(made.pop(0))
        elif kind == 3 and made:
            esper.delete_entity(made.pop(0), immediate=True)
        elif kind == 4 and made:
            esper.add_component(
                made[-1], Particles(np.random.default_rng(n).normal(size=(24, 2)), radius=0.1)
            )

    sim.add_processor(Every(change), priority=priority)
    for _ in range(20):
        sim.step()
        for _, body in esper.get_component(Particles):
            assert np.isfinite(body.position).all()


def test_immediate_deletion_before_a_step_and_between_substeps():
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0)], velocity=(1, 0))
    sim.spawn(body)
    doomed = [sim.spawn(Particles([(k, 1)])) for k in range(4)]
    sim.step()
    with sim:
        esper.delete_entity(doomed[0], immediate=True)
        sim.step()
        esper.delete_entity(doomed[1])
        esper.delete_entity(doomed[1])
    sim.step()
    sim.add_processor(Every(lambda n: sim.despawn(doomed[2]) if n == 3 else None))
    sim.step()
    assert body.position[0, 0] == pytest.approx(4 / 60)
    assert len(sim.buffers[Particles].bound) == 2


def test_one_spawn_and_one_despawn_every_frame():
    sim = Simulation()
    living = [sim.spawn(*blueprints.blob((0, 2 * k), 0.5)) for k in range(5)]
    for k in range(60):
        living.append(sim.spawn(*blueprints.blob((5, 2 * (k % 7)), 0.5)))
        sim.despawn(living.pop(0))
        sim.step()
    assert sorted(sim.buffers[Particles].bound) == sorted(living)
    assert sim.buffers[Particles].rows.count < 10 * 24
