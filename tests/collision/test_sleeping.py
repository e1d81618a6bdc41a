"""Sleep: bodies at rest stop for good, as islands, and wake for whatever happens to them."""

import esper
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_softbody import Collider, Drag, Particles, ShapeMatching, Simulation, Springs, StaticCollider, blueprints
from ecs_softbody.processors import Order

G = 9.81


def run(sim, seconds):
    for _ in range(round(60 * seconds)):
        sim.step()


def disc(x, y, *, radius=0.25, **options):
    return Particles([(x, y)], radius=radius, **options), Collider()


def ground(**options):
    return StaticCollider([(-50, 0), (50, 0)], **options)


def rigid_box(center, size=1.0, **options):
    """A box that is stiff enough to come to rest soon."""
    parts = [part for part in blueprints.box(center, size, **options) if not isinstance(part, ShapeMatching)]
    return *parts, ShapeMatching(stiffness=1e6, damping=5.0)


def sleeping_pair(*, gravity=(0.0, -G)):
    """Two discs asleep, one on the other between two posts; returns sim, bodies, entities."""
    sim = Simulation(gravity=gravity)
    lower, upper = disc(0, 0.25), disc(0, 0.75)
    entities = [sim.spawn(*lower), sim.spawn(*upper)]
    sim.spawn(ground())
    sim.spawn(StaticCollider([(-0.26, 0), (-0.26, 3)]))
    sim.spawn(StaticCollider([(0.26, 0), (0.26, 3)]))
    run(sim, 2)
    assert sim.asleep_count == 2
    return sim, (lower[0], upper[0]), entities


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
    with pytest.raises(ValueError, match=r"Simulation.sleeping: 'no' is not allowed; expected True or False"):
        sim.sleeping = "no"


def test_a_body_that_touches_one_that_is_awake_stays_awake():
    """The restless one (it may not sleep) keeps its whole island awake, a lonely one sleeps."""
    sim = Simulation()
    lower, upper, lonely = (sim.spawn(*part) for part in (disc(0, 0.25), disc(0, 0.75, can_sleep=False), disc(5, 0.25)))
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
    """A small swing, 2 cm on 2 m, is a cosine with the period 2 π √(l/g): it never stops at the turn."""
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
    """The upper one is dragged less and presses on the lower one: they sink at 4 to 5 mm/s, which is slow enough."""
    sim = Simulation()
    lower, upper = disc(0, 0), disc(0, 0.5)
    sim.spawn(*lower, Drag(linear=G / 0.004 * 1.5))
    sim.spawn(*upper, Drag(linear=G / 0.004 * 0.5))
    run(sim, 5)
    assert len(sim.contacts) == 1
    assert sim.asleep_count == 0
    assert -0.03 < lower[0].position[0, 1] < -0.02


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
    resting, slow = disc(0, 0), disc(3, 0, velocity=(0.003, 0.0))
    entity = sim.spawn(*resting)
    sim.spawn(*slow)
    run(sim, 5)
    assert sim.is_asleep(entity)
    assert sim.asleep_count == 1
    assert slow[0].position[0, 0] == pytest.approx(3.015, abs=1e-12)


# What wakes


def step_until(sim, condition, frames=120):
    for _ in range(frames):
        if condition():
            return True
        sim.step()
    return False


def test_a_falling_body_wakes_what_it_hits_and_gives_it_its_momentum():
    """Without gravity, all of it: the sleeping disc takes half of the speed as an awake one does."""
    sim = Simulation(gravity=(0, 0))
    target, missile = disc(0, 0), disc(5, 0, velocity=(-3.0, 0.0))
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


def sleeping_on(wall, *, height=0.25):
    sim = Simulation()
    body, collider = disc(0, height)
    entity, platform = sim.spawn(body, collider), sim.spawn(wall)
    run(sim, 1.5)
    assert sim.is_asleep(entity)
    return sim, body, entity, platform


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
        self.wall, self.when, self.calls = wall, when, 0

    def process(self, dt):
        self.calls += 1
        if self.calls == self.when:
            self.wall.vertices[:, 1] -= 1.0


@pytest.mark.parametrize("when", [4, 12, 20, 28])
def test_a_wall_that_a_processor_moves_wakes_even_where_another_body_falls_asleep_meanwhile(when):
    wall = ground()
    sim, body, entity, _ = sleeping_on(wall)
    sim.spawn(StaticCollider([(60, 0), (70, 0)]))
    other = sim.spawn(*disc(65, 0.25))
    assert step_until(sim, lambda: esper.component_for_entity(other, Particles).still_time > 0.47)
    sim.add_processor(Drop(wall, when), priority=1)
    run(sim, 0.5)
    assert sim.is_asleep(other)
    assert not sim.is_asleep(entity)
    assert body.position[0, 1] < 0.0


def test_a_moving_platform_keeps_what_it_carries_awake_and_a_stopped_one_lets_it_sleep():
    sim = Simulation()
    body, collider = disc(0, 0.25)
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


@pytest.mark.parametrize("write", WRITES)
def test_a_write_to_any_particle_column_wakes(write):
    sim, (_, upper), entities = sleeping_pair()
    WRITES[write](upper)
    sim.step()
    assert not sim.is_asleep(entities[1])
    assert not sim.is_asleep(entities[0]), "its island wakes as well"
    if "position" in write:
        assert upper.velocity[0, 1] < 0.0


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
        self.entity, self.force, self.frames = entity, force, 8

    def process(self, dt):
        if self.frames:
            esper.component_for_entity(self.entity, Particles).force += self.force
            self.frames -= 1


@pytest.mark.parametrize("order", [Order.PACKING + 50, Order.GRAVITY + 1, Order.CUSTOM_FORCE, Order.COLLISION + 1])
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
    """Ten rigid boxes asleep in a tower: woken, they stay where they are, since contacts keep their impulses."""
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
    moved = max(np.abs(part[0].position - place).max() for part, place in zip(parts, before, strict=True))
    assert moved < 3e-3


# What games see


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
    entity, platform = sim.spawn(body, collider), sim.spawn(ground())
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
        with pytest.raises(ValueError, match=rf"Simulation.{method.__name__}: entity 99 does not exist in world"):
            method(99)


# How well bodies rest


def slide(degrees, seconds, sleeping):
    angle = np.radians(degrees)
    sim = Simulation(sleeping=sleeping)
    normal, down = np.array((-np.sin(angle), np.cos(angle))), np.array((-np.cos(angle), -np.sin(angle)))
    body, *rest = blueprints.box(0.5 * normal, 1.0, angle=angle, friction=0.5)
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([-200 * down, 200 * down], friction=0.5))
    run(sim, 1)
    start = body.position.mean(axis=0) @ down
    speed = (body.velocity.mean(axis=0)) @ down
    run(sim, seconds)
    return body.position.mean(axis=0) @ down - start, (body.velocity.mean(axis=0) @ down - speed) / seconds


@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize(("degrees", "most"), [(24, 0.02), (26, 0.06)])
def test_a_box_stays_on_a_slope_below_the_angle_of_friction(degrees, most, sleeping):
    distance, _ = slide(degrees, 5, sleeping)
    assert abs(distance) <= most


@pytest.mark.parametrize("sleeping", [False, True])
def test_a_box_slides_down_a_steeper_slope_by_the_law(sleeping):
    exact = G * (np.sin(np.radians(28)) - 0.5 * np.cos(np.radians(28)))
    _, acceleration = slide(28, 4, sleeping)
    assert acceleration == pytest.approx(exact, rel=0.05)


def spin_of(body):
    away = body.position - np.average(body.position, axis=0, weights=body.mass)
    speed = body.velocity - np.average(body.velocity, axis=0, weights=body.mass)
    turning = body.mass @ (away[:, 0] * speed[:, 1] - away[:, 1] * speed[:, 0])
    return turning / (body.mass @ (away**2).sum(axis=1))


@pytest.mark.parametrize("sleeping", [False, True])
def test_a_blob_without_gravity_does_not_begin_to_spin(sleeping):
    sim = Simulation(gravity=(0, 0), sleeping=sleeping)
    body, *rest = blueprints.blob((0, 0), 0.5)
    sim.spawn(body, *rest)
    run(sim, 10)
    assert abs(spin_of(body)) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("sleeping", "turned"), [(False, 0.5), (True, 0.5), (True, 0.0), (True, 0.2)])
def test_a_blob_on_flat_ground_does_not_roll_for_a_minute(sleeping, turned):
    """A ring of 24 balances on an edge, and rests on a corner: turned by half an edge, it starts on one."""
    sim = Simulation(sleeping=sleeping)
    body, *rest = blueprints.blob((0, 0.5), 0.5)
    angle = turned * np.pi / 12
    across = np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])
    body.position = (body.position - (0, 0.5)) @ across + (0, 0.5)
    entity = sim.spawn(body, *rest)
    sim.spawn(ground())
    run(sim, 10)
    assert not sleeping or step_until(sim, lambda: sim.is_asleep(entity), frames=80 * 60), "it rocks for too long"
    start = body.position.mean(axis=0)
    run(sim, 60)
    assert np.abs(body.position.mean(axis=0) - start).max() < 1e-3
    assert sim.is_asleep(entity) == sleeping


@pytest.mark.slow
def test_a_tower_of_ten_jelly_boxes_stands_and_sleeps():
    sim = Simulation(substeps=8)
    bodies = []
    for k in range(10):
        body, *rest = rigid_box((0, 0.55 + 1.05 * k))
        sim.spawn(body, *rest)
        bodies.append(body)
    sim.spawn(ground())
    run(sim, 30)
    assert sim.asleep_count == 10
    for k, body in enumerate(bodies):
        x, y = body.position.mean(axis=0)
        assert abs(x) < 0.05
        assert y == pytest.approx(0.5 + 1.03 * k, abs=0.05 * (k + 1))
        assert np.abs(body.velocity).max() <= 1e-3


def is_carried(sim, entity):
    """Whether a chain of listed contacts leads from the entity down to a wall."""
    contacts, walls = sim.contacts, {wall for wall, _ in esper.get_component(StaticCollider)}
    reached, waiting = {entity}, [entity]
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
    st.tuples(st.sampled_from(["spawn", "delete", "push", "lift", "wake", "wall", "wait"]), st.integers(0, 9)),
    min_size=3,
    max_size=8,
)


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
