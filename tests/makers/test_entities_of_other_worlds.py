"""Whatever takes an entity refuses one of another world, or of an earlier one of the same name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ecs_softbody import FieldError, Particles, Simulation, StaticCollider, blueprints, scenes
from ecs_softbody.collision.contacts.contact_pairs import ContactEvent

Ask = Callable[[Simulation, int], object]
ASKED: dict[str, Ask] = {
    "center": lambda sim, entity: sim.center(entity),
    "cut": lambda sim, entity: sim.cut((-3, 1), (3, 1.1), entity=entity),
    "cut of several": lambda sim, entity: sim.cut((-3, 1), (3, 1.1), entity=[1, entity]),
    "despawn": lambda sim, entity: sim.despawn(entity),
    "exists": lambda sim, entity: sim.exists(entity),
    "explode": lambda sim, entity: sim.explode((0, 0), radius=1, speed=1, ignore=entity),
    "get": lambda sim, entity: sim.get(entity, Particles),
    "has": lambda sim, entity: sim.has(entity, Particles),
    "is_asleep": lambda sim, entity: sim.is_asleep(entity),
    "nearest_particle": lambda sim, entity: sim.nearest_particle((0, 0), ignore=entity),
    "off": lambda sim, entity: sim.off("landed", print, entity),
    "on": lambda sim, entity: sim.on("landed", print, entity),
    "pass_through": lambda sim, entity: sim.pass_through(entity, 1),
    "pass_through, platform": lambda sim, entity: sim.pass_through(1, entity),
    "pick": lambda sim, entity: sim.pick((0, 0), ignore=entity),
    "point_query": lambda sim, entity: sim.point_query((0, 0), ignore=entity),
    "raycast": lambda sim, entity: sim.raycast((0, 9), (0, 0), ignore=entity),
    "raycast of several": lambda sim, entity: sim.raycast((0, 9), (0, 0), ignore=(1, entity)),
    "raycast_all": lambda sim, entity: sim.raycast_all((0, 9), (0, 0), ignore=entity),
    "region_query": lambda sim, entity: sim.region_query((0, 0), (1, 1), ignore=entity),
    "wake": lambda sim, entity: sim.wake(entity),
    "contacts": lambda sim, entity: sim.contacts.of(entity),
    "contacts of contacts": lambda sim, entity: sim.contacts.of(1).of(entity),
}
NAMES = ("entity", "platform", "ignore")
"""Arguments that are entities."""


@pytest.fixture
def sim() -> Iterator[Simulation]:
    made = Simulation(world="here")
    made.spawn(*blueprints.blob((0, 0.6), 0.5, particles=8))
    made.spawn(StaticCollider([(-5, 0), (5, 0)]))
    made.step()
    yield made
    made.close()


@pytest.mark.parametrize("name", ASKED)
def test_an_entity_of_another_world_is_refused(sim: Simulation, name: str) -> None:
    other = Simulation(world="there")
    theirs = other.spawn(*blueprints.blob((0, 0.6), 0.5, particles=8))
    before = sim.state_hash()
    with pytest.raises(FieldError, match=r"entity 1, one of world 'there', is not") as caught:
        ASKED[name](sim, theirs)
    assert caught.value.value is theirs
    assert caught.value.allowed == "one of this simulation, world 'here'"
    assert sim.state_hash() == before
    other.close()


@pytest.mark.parametrize("name", ASKED)
def test_an_entity_of_an_earlier_simulation_is_refused(name: str) -> None:
    earlier = Simulation(world="again")
    theirs = earlier.spawn(*blueprints.blob((0, 0.6), 0.5, particles=8))
    earlier.close()
    sim = Simulation(world="again")
    sim.spawn(*blueprints.blob((0, 0.6), 0.5, particles=8))
    with pytest.raises(FieldError, match=r"entity 1, one of an earlier simulation"):
        ASKED[name](sim, theirs)
    sim.close()


def test_all_methods_of_a_simulation_that_take_entities_are_asked() -> None:
    asked = {name.partition(" ")[0].rstrip(",") for name in ASKED}
    for name, method in inspect.getmembers(Simulation, callable):
        if name[0] != "_" and not isinstance(method, type):
            taken = set(NAMES) & set(inspect.signature(method).parameters)
            assert not taken or name in asked, f"{name} takes {taken}"


def test_events_and_scenes_refuse_them_too(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text("[entities.ball]\nball = { center = [0, 0.5], radius = 0.5 }\n")
    here, there = (scenes.open(path, world=world) for world in ("here", "there"))
    sim = here.sim
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    events: list[ContactEvent] = []
    sim.on("contact_begin", events.append)
    for _ in range(3):
        sim.step()
    assert events[0].of(here["ball"]).entity_a == here["ball"]
    with pytest.raises(FieldError, match=r"ContactEvent.of.entity: entity 1, one of world 'there'"):
        events[0].of(there["ball"])
    assert here.name_of(here["ball"]) == "ball"
    with pytest.raises(FieldError, match=r"Scene.name_of.entity: entity 1, one of world 'there'"):
        here.name_of(there["ball"])
    for each in (here, there):
        each.sim.close()


def test_handlers_of_an_entity_that_is_gone_can_be_taken_off(sim: Simulation) -> None:
    ball = sim.spawn(*blueprints.ball((3, 0.6), 0.5))
    sim.on("landed", print, ball)
    sim.despawn(ball)
    sim.step()
    sim.off("landed", print, ball)
