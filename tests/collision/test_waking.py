"""Waking: sleepers wake for whatever happens to them, and for nothing else."""

import math

import esper
import numpy as np
import pytest

from ecs_softbody import Collider, Drag, Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.processors import Order
from tests.collision.sleepers import G, rigid_box, sleeping_on, sleeping_pair
from tests.helpers.bodies import disc, ground
from tests.helpers.stepping import run, step_until


def test_a_falling_body_wakes_what_it_hits_and_gives_it_its_momentum():
    """Without gravity, all of it: the sleeping disc takes half of the speed
    as an awake one does.
    """
    sim = Simulation(gravity=(0, 0))
    target = disc(0, 0)
    missile = disc(5, 0, velocity=(-3.0, 0.0))
    entity = sim.spawn(*target)
    sim.spawn(*missile)
    run(sim, 1.2)
    assert sim.is_asleep(entity)
    assert step_until(sim, lambda: not sim.is_asleep(entity))
    run(sim, 0.2)
    total = target[0].velocity[0] + missile[0].velocity[0]
    assert total == pytest.approx((-3.0, 0.0), abs=1e-12)
    assert target[0].velocity[0, 0] == pytest.approx(-1.5, abs=1e-9)


def test_a_body_that_passes_by_wakes_nobody():
    sim = Simulation()
    entity = sim.spawn(*disc(0, 0.25))
    sim.spawn(ground())
    run(sim, 1)
    sim.spawn(*disc(0.6, 3))
    run(sim, 1)
    assert sim.is_asleep(entity)


def test_a_spawn_on_top_wakes_the_body_below():
    sim, _, entities = sleeping_pair()
    sim.spawn(*disc(0, 1.35))
    assert step_until(sim, lambda: not sim.is_asleep(entities[0]))
    assert step_until(sim, lambda: sim.asleep_count == 3, frames=300)


def test_deleting_the_body_below_wakes_the_one_above():
    sim, (_, upper), entities = sleeping_pair()
    sim.despawn(entities[0])
    run(sim, 0.1)
    assert upper.velocity[0, 1] < -0.5
    run(sim, 2)
    assert upper.position[0, 1] == pytest.approx(0.25, abs=2e-3)


def test_deleting_and_replacing_the_body_below_in_one_step_wakes_too():
    """The new body takes the slot of the deleted one."""
    sim, (_, upper), entities = sleeping_pair()
    sim.despawn(entities[0])
    sim.spawn(*disc(20, 0.25))
    run(sim, 2)
    assert upper.position[0, 1] == pytest.approx(0.25, abs=2e-3)


@pytest.mark.parametrize("change", ["delete", "velocity", "vertices", "mask", "replace"])
def test_whatever_happens_to_the_ground_wakes_who_stands_on_it(change):
    wall = ground()
    sim, body, entity, platform = sleeping_on(wall)
    if change == "delete":
        sim.despawn(platform)
    elif change == "velocity":
        wall.velocity = (0.0, -1.0)
    elif change == "vertices":
        wall.vertices[:, 1] -= 1.0
    elif change == "mask":
        wall.mask = 0
    else:
        esper.add_component(platform, StaticCollider([(-50, -1), (50, -1)]))
    run(sim, 0.2)
    assert not sim.is_asleep(entity)
    assert body.position[0, 1] < 0.2


class Drop(esper.Processor):
    """Lowers a wall by a metre in the substep `when` from now, after everything else."""

    def __init__(self, wall, when):
        self.wall = wall
        self.when = when
        self.calls = 0

    def process(self, dt):
        self.calls += 1
        if self.calls == self.when:
            self.wall.vertices[:, 1] -= 1.0


@pytest.mark.parametrize("when", [4, 12, 20, 28])
def test_a_wall_that_a_processor_moves_wakes_even_where_another_body_falls_asleep_meanwhile(when):
    wall = ground()
    sim, body, entity, _ = sleeping_on(wall)
    sim.spawn(StaticCollider([(260, 0), (270, 0)]))
    other = sim.spawn(*disc(265, 0.25))
    assert step_until(sim, lambda: esper.component_for_entity(other, Particles).still_time > 0.47)
    sim.add_processor(Drop(wall, when), priority=1)
    run(sim, 0.5)
    assert sim.is_asleep(other)
    assert not sim.is_asleep(entity)
    assert body.position[0, 1] < 0.0


def test_a_moving_platform_keeps_what_it_carries_awake_and_a_stopped_one_lets_it_sleep():
    sim = Simulation()
    body, collider = disc(0, 0.25, inertia_factor=math.inf)
    entity = sim.spawn(body, collider)
    lift = StaticCollider([(-2, 0), (2, 0)], velocity=(0.001, 0.001))
    sim.spawn(lift)
    run(sim, 3)
    assert not sim.is_asleep(entity)
    assert body.velocity[0] == pytest.approx((0.001, 0.001), abs=1e-6)
    lift.velocity = (0, 0)
    run(sim, 1)
    assert sim.is_asleep(entity)


def test_a_platform_that_arrives_wakes_and_lifts():
    sim, body, entity, _ = sleeping_on(ground())
    sim.spawn(StaticCollider([(-2, -1), (2, -1)], velocity=(0.0, 1.0)))
    run(sim, 2)
    assert not sim.is_asleep(entity)
    assert body.position[0, 1] == pytest.approx(1.25, abs=0.02)


def test_a_wall_spawned_into_a_sleeping_body_pushes_it_out():
    sim, body, _, _ = sleeping_on(ground())
    sim.spawn(StaticCollider([(0.2, 0.05), (0.2, 2)]))
    run(sim, 1)
    assert body.position[0, 0] == pytest.approx(-0.05, abs=2e-3)


WRITES = {
    "position": lambda body: body.position.__setitem__((slice(None), 1), body.position[:, 1] + 0.5),
    "assigned position": lambda body: setattr(body, "position", body.position + np.array((0, 0.5))),
    "velocity": lambda body: setattr(body, "velocity", (0.0, 1.0)),
    "mass": lambda body: setattr(body, "mass", 3.0),
    "radius": lambda body: setattr(body, "radius", 0.3),
    "pinned": lambda body: setattr(body, "pinned", True),
    "can_sleep": lambda body: setattr(body, "can_sleep", False),
}


@pytest.mark.brief(3)
@pytest.mark.parametrize("write", WRITES)
def test_a_write_to_any_particle_column_wakes(write):
    sim, (_, upper), entities = sleeping_pair()
    WRITES[write](upper)
    sim.step()
    assert not sim.is_asleep(entities[1])
    assert not sim.is_asleep(entities[0]), "its island wakes as well"
    if "position" in write:
        assert upper.velocity[0, 1] < 0.0


@pytest.mark.brief(6)
@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("Springs", "stiffness", 77.0),
        ("Springs", "damping", 0.5),
        ("Springs", "rest_length", 0.1),
        ("PressureBody", "nRT", 3.0),
        ("PressureBody", "ambient_pressure", 3.0),
        ("Collider", "friction", 0.1),
        ("Collider", "restitution", 0.9),
        ("Collider", "mask", 0),
        ("Collider", "category", 4),
        ("Collider", "self_collision", False),
    ],
)
def test_a_write_to_any_other_component_wakes(kind, field, value):
    sim = Simulation()
    parts = blueprints.blob((0, 0.5), 0.5)
    entity = sim.spawn(*parts)
    sim.spawn(ground())
    assert step_until(sim, lambda: sim.is_asleep(entity), frames=900)
    part = next(part for part in parts if type(part).__name__ == kind)
    setattr(part, field, value)
    sim.step()
    assert not sim.is_asleep(entity)


def test_a_component_that_comes_or_goes_wakes():
    sim, _, entities = sleeping_pair()
    esper.add_component(entities[0], Drag(linear=1.0))
    sim.step()
    assert sim.asleep_count == 0
    run(sim, 2)
    assert sim.asleep_count == 2
    esper.remove_component(entities[1], Collider)
    sim.step()
    assert sim.asleep_count == 0


def test_a_component_of_the_game_wakes_nobody():
    sim, _, entities = sleeping_pair()
    esper.add_component(entities[0], object())
    run(sim, 0.1)
    assert sim.asleep_count == 2


def test_gravity_wakes_when_it_changes():
    sim, (_, upper), _ = sleeping_pair()
    sim.gravity[:] = (0.0, 5.0)
    run(sim, 0.2)
    assert sim.asleep_count == 0
    assert upper.velocity[0, 1] == pytest.approx(1.0, rel=0.05)


class Push(esper.Processor):
    """Pushes one body with a constant force for one frame."""

    def __init__(self, entity, force):
        self.entity = entity
        self.force = force
        self.frames = 8

    def process(self, dt):
        if self.frames:
            esper.component_for_entity(self.entity, Particles).force += self.force
            self.frames -= 1


@pytest.mark.parametrize(
    "order", [Order.PACKING + 50, Order.GRAVITY + 1, Order.CUSTOM_FORCE, Order.FORCED_WAKING + 1]
)
def test_a_force_at_any_place_before_the_contacts_wakes_and_acts_in_full(order):
    """600 N on 1 kg for one frame of 1/60 s, against gravity: (600 - 9.81)/60 m/s."""
    sim, (_, upper), entities = sleeping_pair()
    sim.add_processor(Push(entities[1], (0.0, 600.0)), priority=order)
    sim.step()
    assert not sim.is_asleep(entities[1])
    assert upper.velocity[0, 1] == pytest.approx((600 - G) / 60, rel=1e-6)


def test_a_force_that_lasts_keeps_awake_for_seconds_at_a_time():
    sim, _, entities = sleeping_pair()
    push = Push(entities[1], (0.0, -1.0))
    push.frames = 10**9
    sim.add_processor(push)
    awake = []
    for _ in range(240):
        sim.step()
        awake.append(not sim.is_asleep(entities[1]))
    assert all(awake)


def test_what_wakes_does_not_jump():
    """Ten rigid boxes asleep in a tower: woken, they stay where they are, since contacts keep their
    impulses.
    """
    sim = Simulation()
    parts = [rigid_box((0, 0.51 + 1.01 * k)) for k in range(5)]
    entities = [sim.spawn(*part) for part in parts]
    sim.spawn(ground())
    assert step_until(sim, lambda: sim.asleep_count == 5, frames=1800)
    before = [part[0].position.copy() for part in parts]
    sim.wake(entities[0])
    assert sim.asleep_count == 0
    fastest = 0.0
    for _ in range(20):
        sim.step()
        fastest = max(fastest, *(np.abs(part[0].velocity).max() for part in parts))
    assert fastest < 0.2
    moved = max(
        np.abs(part[0].position - place).max() for part, place in zip(parts, before, strict=True)
    )
    assert moved < 3e-3


# What games see
