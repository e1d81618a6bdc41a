"""Events of contacts: each pair begins once and ends once, whatever the game does meanwhile."""

from __future__ import annotations

import esper
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody import (
    ALL,
    Collider,
    ContactEvent,
    Particles,
    ShapeMatching,
    Simulation,
    StaticCollider,
    blueprints,
)
from tests.helpers.listener import NAMES, Listener, ground, resting_ball
from tests.helpers.stepping import run_frames


def test_a_ball_that_falls_and_stays_begins_once():
    sim = Simulation()
    heard = Listener()
    ball = sim.spawn(*blueprints.ball((0, 1), 0.2, restitution=0.0))
    floor = ground(sim)
    run_frames(sim, 120)
    assert heard.of("contact_begin") == [[ball, floor]]
    assert heard.of("contact_end") == []
    assert len(heard.of("contact_stay")) > 30  # then it sleeps
    assert sim.touching.tolist() == [[ball, floor]]


def test_the_event_tells_impulse_point_and_normal():
    """At rest the impulse of a frame is m g dt; the point is on the ground, the normal points from
    b to a.
    """
    sim = Simulation()
    heard = Listener("contact_stay")
    body = Particles([(2, 0.2)], radius=0.2, mass=3.0)
    ball = sim.spawn(body, Collider())
    floor = ground(sim)
    run_frames(sim, 60)
    event = heard.events[-1]
    assert (event.entity_a, event.entity_b, event.sensor) == (ball, floor, False)
    assert event.impulse == pytest.approx(3.0 * 9.81 / 60, rel=0.01)
    assert event.point == pytest.approx((2, 0), abs=2e-3)
    assert event.normal == pytest.approx((0, 1))
    turned = event.of(floor)
    assert (turned.entity_a, turned.entity_b, turned.normal) == (floor, ball, (-0.0, -1.0))
    assert event.of(ball) is event


def test_the_impulse_of_a_blob_is_the_sum_over_its_contacts():
    sim = Simulation(sleeping=False)
    heard = Listener("contact_stay")
    sim.spawn(*blueprints.blob((0, 0.6), 0.5, mass=2.0))
    ground(sim)
    run_frames(sim, 300)
    impulses = [event.impulse for event in heard.events[-30:]]
    assert np.mean(impulses) == pytest.approx(2.0 * 9.81 / 60, rel=0.02)


def test_the_begin_of_a_stop_carries_all_momentum():
    """Two discs that stop each other: the impulses of begin and stay sum to m v; the smaller entity
    comes first.
    """
    sim = Simulation(gravity=(0, 0))
    heard = Listener()
    first = sim.spawn(Particles([(1, 0)], velocity=(-3, 0), radius=0.3), Collider())
    second = sim.spawn(Particles([(-1, 0)], velocity=(3, 0), radius=0.3), Collider())
    run_frames(sim, 60)
    assert heard.of("contact_begin") == [[first, second]]
    assert sum(event.impulse for event in heard.events) == pytest.approx(3.0, rel=1e-6)
    assert heard.events[0].normal == pytest.approx((1, 0))


@pytest.mark.brief(6)
@pytest.mark.parametrize("body", ["ball", "blob"])
@pytest.mark.parametrize("speed", [5.0, 60.0, 300.0])
def test_a_bounce_within_one_frame_begins_and_ends(body, speed):
    sim = Simulation(gravity=(0, 0), substeps=16)
    heard = Listener()
    components = blueprints.ball((0, 2), 0.3) if body == "ball" else blueprints.blob((0, 2), 0.3)
    components[0].velocity = (0, -speed)
    next(component for component in components if isinstance(component, Collider)).restitution = 1.0
    flier = sim.spawn(*components)
    floor = ground(sim)
    run_frames(sim, 120)
    assert components[0].position[:, 1].min() > 0.5
    # a blob may land with one side, then the other
    periods = 1 if body == "ball" else len(heard.of("contact_begin"))
    assert heard.of("contact_begin") == heard.of("contact_end") == [[flier, floor]] * periods
    begin, end = (
        next(e for e, log in zip(heard.events, heard.log, strict=True) if log[0] == n)
        for n in NAMES[::2]
    )
    assert periods >= 1
    assert begin.impulse > 0.0
    assert end.impulse == 0.0
    assert end.normal == pytest.approx(begin.normal, abs=0.2)


def test_a_bounce_whose_contacts_are_lost_before_the_frame_ends():
    """A blob that bounces in the middle of a long frame: at its end no contact is left, but what
    they pushed counts.
    """
    sim = Simulation(gravity=(0, 0), substeps=64)
    heard = Listener()
    body, *others, collider = blueprints.blob((0, 1.5), 0.3, mass=1.0, restitution=0.9)
    body.velocity = (0, -20)
    flier = sim.spawn(body, *others, collider)
    floor = ground(sim)
    pushed = 0.0
    for _ in range(5):
        before = body.velocity[:, 1].mean()
        sim.step(0.1)
        pushed += body.velocity[:, 1].mean() - before
    assert body.position[:, 1].min() > 1.0
    assert len(sim.contacts) == 0
    assert heard.of("contact_begin") == heard.of("contact_end") == [[flier, floor]]
    assert sum(event.impulse for event in heard.events) == pytest.approx(pushed, rel=1e-6)


def test_trembling_at_rest_does_not_flicker():
    """A ball that hops less than the gap that ends a contact, again and again."""
    sim = Simulation()
    heard = Listener("contact_begin", "contact_end")
    ball = resting_ball(sim)
    floor = ground(sim)
    run_frames(sim, 10)
    body = esper.component_for_entity(ball, Particles)
    for _ in range(100):
        body.velocity[0, 1] = 0.1  # up to 0.5 mm
        run_frames(sim, 2)
    assert heard.take() == [("contact_begin", ball, floor)]
    body.velocity[0, 1] = 1.0
    run_frames(sim, 30)
    assert heard.take() == [("contact_end", ball, floor), ("contact_begin", ball, floor)]


@pytest.mark.slow
def test_what_has_come_to_rest_keeps_touching():
    """A blob, a stack of three boxes and a blob that leans on a wall: after they settled no pair
    ends or begins.
    """
    sim = Simulation()
    sim.spawn(*blueprints.blob((-4, 0.6), 0.5))
    for k in range(3):
        box = blueprints.box((0, 0.6 + 1.1 * k), 1.0)
        sim.spawn(
            *(part for part in box if type(part) is not ShapeMatching),
            ShapeMatching(stiffness=1e5, damping=5.0),
        )
    sim.spawn(*blueprints.blob((8.4, 0.6), 0.5))
    sim.spawn(StaticCollider([(-9, 0), (9, 0), (9, 9)]))
    run_frames(sim, 300)
    heard = Listener("contact_begin", "contact_end")
    run_frames(sim, 180)
    assert heard.log == []
    assert len(sim.touching) == 5


def delete_now(sim, entity):
    esper.delete_entity(entity, immediate=True)


def remove_collider(sim, entity):
    kind = StaticCollider if esper.has_component(entity, StaticCollider) else Collider
    esper.remove_component(entity, kind)


def filter_out(sim, entity):
    kind = StaticCollider if esper.has_component(entity, StaticCollider) else Collider
    esper.component_for_entity(entity, kind).mask = 0


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("remove", [Simulation.despawn, delete_now, remove_collider, filter_out])
def test_whatever_goes_while_touching_ends_once(remove, which):
    sim = Simulation()
    pair = (resting_ball(sim), ground(sim))
    run_frames(sim, 10)
    heard = Listener()
    remove(sim, pair[which])
    run_frames(sim, 10)
    assert heard.log == [("contact_end", *pair)]
    assert len(sim.touching) == 0


def test_numbers_that_are_used_again_end_and_begin():
    sim = Simulation()
    heard = Listener("contact_begin", "contact_end")
    pair = (resting_ball(sim), ground(sim))
    run_frames(sim, 5)
    esper.clear_database()
    assert (resting_ball(sim), ground(sim)) == pair
    run_frames(sim, 5)
    assert heard.log == [("contact_begin", *pair), ("contact_end", *pair), ("contact_begin", *pair)]


def test_a_slot_that_is_used_again_is_another_body():
    """A ball is replaced by another one at the same place in one go, so that it takes over its rows
    and slot.
    """
    sim = Simulation()
    heard = Listener("contact_begin", "contact_end")
    old = resting_ball(sim)
    floor = ground(sim)
    run_frames(sim, 5)
    sim.despawn(old)
    new = resting_ball(sim)
    run_frames(sim, 5)
    assert heard.log == [
        ("contact_begin", old, floor),
        ("contact_end", old, floor),
        ("contact_begin", new, floor),
    ]


def test_a_body_whose_place_in_the_buffers_moves_goes_on_touching():
    sim = Simulation()
    heard = Listener("contact_begin", "contact_end")
    others = [sim.spawn(*blueprints.blob((3 * k, 50), 0.5)) for k in range(60)]
    ball = resting_ball(sim)
    floor = ground(sim)
    run_frames(sim, 5)
    for entity in others:
        sim.despawn(entity)
    run_frames(sim, 2)
    for k in range(200):
        sim.spawn(*blueprints.ball((k, 50), 0.2))
    run_frames(sim, 5)
    assert heard.log == [("contact_begin", ball, floor)]


def test_who_listens_later_gets_no_begin_but_the_rest():
    sim = Simulation()
    ball = resting_ball(sim)
    floor = ground(sim)
    run_frames(sim, 5)
    heard = Listener()
    run_frames(sim, 2)
    sim.despawn(ball)
    run_frames(sim, 2)
    assert heard.log == [("contact_stay", ball, floor)] * 2 + [("contact_end", ball, floor)]


def test_the_order_is_ends_begins_stays_each_sorted_by_pair():
    sim = Simulation()
    balls = [resting_ball(sim, x) for x in (0, 2, 4, 6)]
    floor = ground(sim)
    run_frames(sim, 5)
    heard = Listener()
    for ball in balls[:2][::-1]:
        sim.despawn(ball)
    fresh = [resting_ball(sim, x) for x in (-2, -4)]
    sim.step()
    expected = [("contact_end", ball, floor) for ball in balls[:2]]
    expected += [("contact_begin", *pair) for pair in sorted((floor, ball)[::-1] for ball in fresh)]
    expected += [("contact_stay", ball, floor) for ball in balls[2:]]
    assert heard.log == expected


@pytest.mark.slow
def test_tangled_bodies_touch_until_they_have_come_apart():
    """A small blob inside a large one has no contacts with it, and is driven out: one begin, one
    end.
    """
    sim = Simulation(gravity=(0, 0))
    heard = Listener("contact_begin", "contact_end")
    large = sim.spawn(*blueprints.blob((0, 0), 1.0))
    small = sim.spawn(*blueprints.blob((0.3, 0), 0.4))
    sim.step()
    assert sim.touching.tolist() == [[large, small]]
    assert heard.events[0].normal[0] < -0.5
    run_frames(sim, 600)
    assert heard.take() == [("contact_begin", large, small), ("contact_end", large, small)]


def test_a_body_does_not_touch_itself():
    sim = Simulation(gravity=(0, 0))
    heard = Listener()
    body = Particles([(0, 0), (9, 0), (0.1, 0)], radius=0.2)
    sim.spawn(body, Collider(self_collision=True))
    run_frames(sim, 3)
    assert heard.log == []


# What handlers may do


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("step"), st.integers(1, 8)),
        st.tuples(
            st.just("spawn"), st.floats(-2, 2), st.sampled_from(["ball", "blob", "box", "sensor"])
        ),
        st.tuples(st.just("delete"), st.integers(0, 9)),
        st.tuples(st.just("kick"), st.integers(0, 9), st.floats(-20, 20)),
        st.tuples(st.just("filter"), st.integers(0, 9), st.sampled_from([0, 1, ALL])),
    ),
    max_size=25,
)


@pytest.mark.slow
@given(ACTIONS)
def test_begin_and_end_alternate_whatever_happens(actions):
    esper.clear_database()
    sim = Simulation()
    heard = Listener()
    ground(sim)
    bodies = [resting_ball(sim)]
    for kind, *values in actions:
        entity = bodies[values[0] % len(bodies)] if bodies and isinstance(values[0], int) else None
        if kind == "step":
            run_frames(sim, values[0])
        elif kind == "spawn":
            bodies.append(sim.spawn(*a_body(values[1], values[0])))
        elif entity is None or not esper.entity_exists(entity):
            continue
        elif kind == "delete":
            sim.despawn(bodies.pop(values[0] % len(bodies)))
        elif kind == "kick":
            esper.component_for_entity(entity, Particles).velocity = (values[1], values[1])
        else:
            esper.component_for_entity(entity, Collider).mask = values[1]
    sim.step()
    touching: set[tuple[int, int]] = set()
    for name, *members in heard.log:
        pair = tuple(members)
        assert (pair in touching) == (name != "contact_begin")
        touching = touching - {pair} if name == "contact_end" else touching | {pair}
    assert touching == {tuple(pair) for pair in [*sim.touching.tolist(), *sim.sensed.tolist()]}
    heard.stop()
    sim.close()


def a_body(kind, x):
    if kind == "sensor":
        return Particles([(x, 0.4)], radius=0.6, pinned=True), Collider(sensor=True)
    if kind == "box":
        return blueprints.box((x, 1.0), 0.4)
    return getattr(blueprints, kind)((x, 1.0), 0.3)


@pytest.mark.slow
def test_the_same_start_tells_the_same_story_to_the_last_bit():
    def story(world):
        sim = Simulation(world=world)
        with sim:
            heard = Listener()
            for k in range(8):
                sim.spawn(*blueprints.blob((0.3 * (k % 3), 0.6 + 1.1 * k), 0.4))
            sim.spawn(StaticCollider([(-1, 9), (-1, 0), (1.5, 0), (1.5, 9)]))
            sim.spawn(StaticCollider([(-1, 0), (1, 0), (1, 1)], closed=True, sensor=True))
            run_frames(sim, 60)
            heard.stop()
        return heard.log, heard.events

    assert story("one") == story("two")


def test_events_are_frozen_and_compare_by_value():
    event = ContactEvent(1, 2, 0.5, (0.0, 1.0), (1.0, 0.0))
    assert event == ContactEvent(1, 2, 0.5, (0.0, 1.0), (1.0, 0.0))
    with pytest.raises(AttributeError):
        event.impulse = 1.0
