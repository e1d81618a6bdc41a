"""Reaching what is in a simulation: get, has, exists, entities, center, pick, on and off."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    ContactEvent,
    DistanceLimits,
    Drag,
    FieldError,
    Motor,
    MouseJoint,
    Particles,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)


@dataclass
class Enemy:
    lives: int = 3


@pytest.fixture
def sim() -> Simulation:
    made = Simulation(world="reaching")
    made.spawn(StaticCollider([(-5, 0), (5, 0)]))
    return made


JOINTS = {
    "Springs": lambda a, b: Springs([(0, 0)], stiffness=10.0, between=(a, b)),
    "DistanceLimits": lambda a, b: DistanceLimits([(0, 0)], between=(a, b)),
    "Attachment": lambda a, b: Attachment((a, b)),
    "Motor": lambda a, b: Motor((a, b), speed=1.0),
    "MouseJoint": lambda a, b: MouseJoint(b, target=(0, 3)),
}


@pytest.mark.brief(5)
@pytest.mark.parametrize("name", JOINTS)
def test_a_joint_refuses_an_entity_of_another_world(name: str) -> None:
    other = Simulation(world="other")
    theirs = [other.spawn(*blueprints.blob((0, 3), 0.5)) for _ in range(2)]
    sim = Simulation(world="mine")
    mine = [sim.spawn(*blueprints.blob((x, 3), 0.5)) for x in (0, 2)]
    sim.activate()
    assert sim.exists(sim.spawn(JOINTS[name](*mine)))
    with pytest.raises(FieldError, match=r"one of world 'other', .* world, 'mine'") as caught:
        JOINTS[name](mine[0], theirs[1])
    assert caught.value.owner == name
    assert caught.value.value == theirs[1]
    with other:
        assert JOINTS[name](*theirs) is not None
    other.close()
    again = Simulation(world="other")
    fresh = [again.spawn(*blueprints.blob((0, 3), 0.5)) for _ in range(2)]
    with (
        again,
        pytest.raises(ValueError, match=rf"{name}\.\w+: entity 2, one of an earlier simulation"),
    ):
        JOINTS[name](fresh[0], theirs[1])


def test_get_returns_the_live_component(sim: Simulation) -> None:
    blob = sim.spawn(*blueprints.blob((0, 3), 0.5))
    enemy = sim.spawn(Enemy(2))
    sim.get(blob, Particles).velocity += (1.0, 0.0)
    sim.step()
    assert sim.get(blob, Particles).velocity[:, 0].mean() == pytest.approx(1.0, abs=1e-6)
    assert sim.get(enemy, Enemy).lives == 2


def test_what_is_not_there_names_entity_component_and_what_there_is(sim: Simulation) -> None:
    ball = sim.spawn(*blueprints.ball((0, 3), 0.5))
    with pytest.raises(
        ValueError,
        match=r"Simulation.get.kind: Drag is not allowed; .* entity 2 has: Collider, Particles$",
    ):
        sim.get(ball, Drag)
    with pytest.raises(
        ValueError, match=r"Simulation.get.entity: 99 is not allowed; .* exists in world 'reaching'"
    ):
        sim.get(99, Drag)
    with pytest.raises(
        TypeError,
        match=r"'Particls' is not allowed; expected the class .* \(did you mean Particles\?\)",
    ):
        sim.get(ball, "Particls")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"expected the number of an entity"):
        sim.get("ball", Particles)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError,
        match=r"Simulation.get: missing a required argument: 'kind'. .*get\(entity, kind\)",
    ):
        sim.get(ball)  # type: ignore[call-arg]


def test_the_number_of_another_world_is_an_error(sim: Simulation) -> None:
    ball = sim.spawn(*blueprints.ball((0, 3), 0.5))
    other = Simulation(world="other")
    for _ in range(2):
        theirs = other.spawn(*blueprints.ball((0, 3), 0.5))
    assert theirs == ball  # the same number
    asked: list[Callable[[], object]] = [
        lambda: sim.get(theirs, Particles),
        lambda: sim.exists(theirs),
        lambda: sim.has(theirs, Particles),
        lambda: sim.center(theirs),
        lambda: sim.despawn(theirs),
        lambda: sim.on("contact_end", print, theirs),
    ]
    for ask in asked:
        with pytest.raises(FieldError, match="entity 2, one of world 'other', is not") as caught:
            ask()
        assert caught.value.value is theirs
        assert caught.value.allowed == "one of this simulation, world 'reaching'"
    # a plain number is what it says
    assert sim.get(int(theirs), Particles) is sim.get(ball, Particles)


def test_the_number_of_the_last_round_is_an_error(sim: Simulation) -> None:
    old = sim.spawn(*blueprints.ball((0, 3), 0.5))
    sim.close()
    again = Simulation(world="reaching")
    for _ in range(3):
        again.spawn(*blueprints.ball((0, 3), 0.5))
    with pytest.raises(
        ValueError, match=r"entity 2, one of an earlier simulation, which was closed"
    ):
        again.get(old, Particles)


def test_a_second_simulation_on_a_world_still_knows_its_entities(sim: Simulation) -> None:
    ball = sim.spawn(*blueprints.ball((0, 3), 0.5))
    assert Simulation(world="reaching").exists(ball)


def test_entities_are_plain_numbers_elsewhere(sim: Simulation) -> None:
    ball = sim.spawn(*blueprints.ball((0, 0.3), 0.5))
    sim.step()
    assert {ball: "x"}[2] == "x"
    assert (sim.contacts.entity_a == ball).any()
    assert type(copy.copy(ball)) is int
    assert pickle.loads(pickle.dumps(ball)) == ball
    assert repr(ball) == "2"


def test_has_exists_and_entities(sim: Simulation) -> None:
    blob = sim.spawn(*blueprints.blob((0, 3), 0.5), Enemy())
    ball = sim.spawn(*blueprints.ball((2, 3), 0.5))
    assert sim.has(blob, Particles, Enemy)
    assert not sim.has(ball, Particles, Enemy)
    assert sim.entities() == [1, blob, ball]
    assert sim.entities(Particles) == [blob, ball]
    assert sim.entities(Particles, Springs, Enemy) == [blob]
    sim.despawn(blob)
    assert not sim.exists(blob)
    assert not sim.has(blob, Particles)
    assert sim.entities(Particles) == [ball]
    assert not sim.exists(77)


def test_center_is_that_of_the_mass(sim: Simulation) -> None:
    pair = sim.spawn(Particles([(0, 0), (3, 0)], mass=[2.0, 1.0]))
    assert sim.center(pair) == pytest.approx((1.0, 0.0))
    assert sim.center(1) == pytest.approx((0.0, 0.0))
    pair_center = sim.center(pair)
    pair_center += 9.0  # a copy
    assert sim.center(pair) == pytest.approx((1.0, 0.0))
    with pytest.raises(
        ValueError, match=r"entity 3 has neither Particles nor a StaticCollider; it has Enemy"
    ):
        sim.center(sim.spawn(Enemy()))


def test_pick_finds_what_is_at_a_point(sim: Simulation) -> None:
    ball = sim.spawn(*blueprints.ball((0, 3), 0.5))
    assert sim.pick((0.1, 3.1)) == ball
    assert sim.pick((0.8, 3)) is None
    assert sim.pick((0.8, 3), radius=0.5) == ball
    assert sim.pick((0.1, 3.1), ignore=ball) is None
    # what it returns can be asked about
    sim.get(sim.pick((0, 3)), Particles).velocity = (1, 0)


@pytest.mark.slow
def test_handlers_are_kept_and_are_called_in_order(sim: Simulation) -> None:
    ball = sim.spawn(*blueprints.ball((0, 0.6), 0.5, restitution=0.0))
    told: list[tuple[str, int]] = []
    sim.on("contact_begin", lambda event: told.append(("first", event.entity_b)))
    sim.on("contact_begin", lambda event: told.append(("second", event.entity_a)), entity=1)

    def within() -> None:
        sim.on("contact_begin", lambda event: told.append(("third", event.entity_b)), ball)

    within()
    gc.collect()
    for _ in range(30):
        sim.step()
    assert told == [("first", 1), ("second", 1), ("third", 1)]


def test_only_the_events_of_this_world(sim: Simulation) -> None:
    other = Simulation(world="other")
    told = []
    other.spawn(StaticCollider([(-5, 0), (5, 0)]))
    other.spawn(*blueprints.ball((0, 0.5), 0.5))
    sim.on("contact_begin", told.append)  # while the other world is the current one
    for _ in range(10):
        other.step()
        sim.step()
    assert told == []


def test_off_takes_a_handler_away_also_while_it_runs(sim: Simulation) -> None:
    sim.spawn(*blueprints.ball((0, 0.5), 0.5))
    calls = []

    def once(event: ContactEvent) -> None:
        calls.append(event)
        sim.off("contact_stay", once)

    handler = sim.on("contact_stay", calls.append)
    sim.on("contact_stay", once)
    for _ in range(5):
        sim.step()
    sim.off("contact_stay", handler)
    count = len(calls)
    sim.step()
    assert len(calls) == count
    with pytest.raises(ValueError, match=r"keep what `on` returns"):
        sim.off("contact_stay", handler)
    with sim:
        assert "contact_stay" not in esper.event_registry


def test_names_and_handlers_are_checked(sim: Simulation) -> None:
    with pytest.raises(
        ValueError, match=r"no event 'contact_begun' \(did you mean contact_begin\?\)"
    ):
        sim.on("contact_begun", print)
    with pytest.raises(
        ValueError, match=r"Simulation.off.name: there is no event 'hit'; expected contact_begin"
    ):
        sim.off("hit", print)
    with pytest.raises(
        TypeError, match=r"on.handler: None is not allowed; expected a function, without calling it"
    ):
        sim.on("contact_begin", None)  # type: ignore[type-var]
    with pytest.raises(ValueError, match=r"Simulation.on.entity: 9 is not allowed"):
        sim.on("contact_begin", print, 9)


def test_all_handlers_are_called_before_the_first_exception_is_raised(sim: Simulation) -> None:
    sim.spawn(*blueprints.ball((0, 0.5), 0.5))
    told = []
    sim.on("contact_begin", lambda event: 1 / 0)
    sim.on("contact_begin", lambda event: {}[1])
    sim.on("contact_begin", told.append)
    with pytest.raises(ZeroDivisionError) as error:
        sim.step()
    assert "KeyError" in error.value.__notes__[0]
    assert len(told) == 1


def test_other_events_reach_those_whom_they_concern(sim: Simulation) -> None:
    a = sim.spawn(*blueprints.ball((0, 3), 0.2))
    b = sim.spawn(*blueprints.ball((1, 3), 0.2))
    link = sim.spawn(Springs([(0, 0)], stiffness=5.0, between=(a, b)))
    told = []
    sim.on("link_removed", lambda *event: told.append(("all", event[0])))
    sim.on("link_removed", lambda *event: told.append(("of b", event[2])), entity=b)
    sim.on("link_removed", lambda *event: told.append(("of a", event[2])), entity=a)
    sim.step()
    sim.despawn(b)
    sim.step()
    assert told == [("all", link), ("of b", b)]


def test_close_lets_go_of_the_handlers() -> None:
    for number in range(2):
        sim = Simulation()  # the world "default" stays when it is closed
        told: list[int] = []
        sim.on("contact_begin", lambda event, number=number, told=told: told.append(number))
        sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
        sim.spawn(*blueprints.ball((0, 0.5), 0.5))
        sim.step()
        assert told == [number]
        sim.close()
    with pytest.raises(RuntimeError, match=r"is closed"):
        sim.on("contact_begin", print)


@pytest.mark.slow
def test_nothing_is_printed_at_the_end_of_a_program() -> None:
    code = (
        "from ecs_softbody import *\n"
        "from ecs_softbody import blueprints\n"
        "sim, other = Simulation(world='a'), Simulation(world='b')\n"
        "sim.on('contact_begin', lambda event: None)\n"
        "other.on('contact_end', lambda event: None)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@pytest.mark.parametrize("speed", [0.5, 5.0, 60.0])
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_an_event_tells_how_fast_a_ball_hit(speed: float, solver: str) -> None:
    sim = Simulation(gravity=(0, 0), solver=solver)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    heavy = sim.spawn(
        *blueprints.ball((0, 1), 0.25, mass=9.0, velocity=(3.0, -speed), restitution=0.0)
    )
    begun = []
    ended = []
    sim.on("contact_begin", begun.append, entity=heavy)
    sim.on("contact_end", ended.append)
    for _ in range(round(60 * 1.5 / speed) + 2):
        sim.step()
    (event,) = begun
    assert event.speed == pytest.approx(speed, rel=1e-6)
    assert event.of(1).speed == event.speed
    sim.get(heavy, Particles).velocity = (0.0, 4.0)
    for _ in range(10):
        sim.step()
    assert [end.speed for end in ended] == [0.0]


def test_the_speed_is_that_of_both_and_of_soft_bodies_too() -> None:
    sim = Simulation(gravity=(0, 0))
    a = sim.spawn(*blueprints.blob((-2, 0), 0.5, velocity=(3.0, 0.0)))
    sim.spawn(*blueprints.blob((2, 0), 0.5, velocity=(-1.0, 0.0), mass=20.0))
    begun = []
    sim.on("contact_begin", begun.append, a)
    for _ in range(80):
        sim.step()
    assert begun[0].speed == pytest.approx(4.0, rel=0.05)


def test_resting_contacts_have_hardly_any_speed(sim: Simulation) -> None:
    sim.spawn(*blueprints.ball((0, 0.5), 0.5))
    stays = []
    for _ in range(20):
        sim.step()
    sim.on("contact_stay", stays.append)
    for _ in range(5):
        sim.step()
    assert max(event.speed for event in stays) < 0.05
    assert np.isfinite([event.speed for event in stays]).all()
