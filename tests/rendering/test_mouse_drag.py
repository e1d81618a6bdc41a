from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import esper
import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, StabilityWarning, StaticCollider, blueprints
from ecs_softbody.play.mouse_drag import REACH, MouseDrag, nearest_particle
from tests.helpers.stepping import run_frames

ARGUMENTS: dict[str, Any] = {
    "blob": ((0, 0), 0.5),
    "ball": ((0, 0), 0.4),
    "box": ((0, 0), (1, 1)),
    "rope": ((-1, 0), (1, 0)),
}


@pytest.fixture
def sim() -> Iterator[Simulation]:
    made = Simulation(gravity=(0, 0), world="dragging")
    yield made
    made.close()


def middle(sim: Simulation, entity: int) -> Any:
    with sim:
        return esper.component_for_entity(entity, Particles).position.mean(axis=0)


@pytest.mark.brief(4)
@pytest.mark.parametrize("shape", list(ARGUMENTS))
def test_a_body_comes_to_the_mouse_and_nothing_saturates(sim: Simulation, shape: str) -> None:
    entity = sim.spawn(*getattr(blueprints, shape)(*ARGUMENTS[shape]))
    drag = MouseDrag()
    with warnings.catch_warnings():
        warnings.simplefilter("error", StabilityWarning)
        sim.step()
        assert drag.grab(sim, (0.0, 0.0))
        for frame in range(240):
            drag.move((min(0.05 * frame, 3.0), 0.0))
            sim.step()
    assert middle(sim, entity)[0] == pytest.approx(3.0, abs=0.25)


def test_a_thrown_body_flies_on(sim: Simulation) -> None:
    entity = sim.spawn(*blueprints.blob((0, 0), 0.5))
    drag = MouseDrag()
    drag.grab(sim, (0.0, 0.0))
    for frame in range(30):
        drag.move((0.1 * frame, 0.0))
        sim.step()
    drag.release()
    sim.step()
    before = middle(sim, entity)[0]
    run_frames(sim, 30)
    assert (middle(sim, entity)[0] - before) / 0.5 == pytest.approx(6.0, rel=0.3)


def test_a_sleeping_body_wakes_when_it_is_taken(sim: Simulation) -> None:
    sim.gravity = (0.0, -9.81)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    entity = sim.spawn(*blueprints.box((0, 0.5), (1, 1)))
    for _ in range(600):
        sim.step()
        if sim.is_asleep(entity):
            break
    assert sim.is_asleep(entity)
    before = middle(sim, entity)
    drag = MouseDrag()
    assert drag.grab(sim, (0.0, 0.9))
    for frame in range(60):
        drag.move((0.0, 0.9 + 0.02 * frame))
        sim.step()
        assert not sim.is_asleep(entity)
    assert middle(sim, entity)[1] > before[1] + 0.8


def test_nothing_near_is_nothing_held(sim: Simulation) -> None:
    sim.spawn(*blueprints.blob((0, 0), 0.5))
    drag = MouseDrag()
    assert not drag.grab(sim, (50.0, 0.0))
    drag.move((0.0, 0.0))
    drag.release()


def test_a_body_that_goes_away_is_let_go(sim: Simulation) -> None:
    entity = sim.spawn(*blueprints.blob((0, 0), 0.5))
    drag = MouseDrag()
    drag.grab(sim, (0.0, 0.0))
    sim.step()
    sim.despawn(entity)
    sim.step()
    drag.move((1.0, 0.0))
    sim.step()
    assert not drag.holding


def test_pinned_particles_are_not_taken(sim: Simulation) -> None:
    sim.spawn(Particles(np.zeros((1, 2)), pinned=True))
    assert not MouseDrag().grab(sim, (0.0, 0.0))


@pytest.mark.parametrize("seed", range(8))
def test_the_body_taken_is_the_nearest_of_many(sim: Simulation, seed: int) -> None:
    """Bodies that are far by their boxes are left out, and no others."""
    chance = np.random.default_rng(seed)
    bodies: dict[int, Any] = {}
    for _ in range(12):
        x = chance.uniform(-6, 6)
        y = chance.uniform(-6, 6)
        size = chance.uniform(0.2, 2.0)
        parts = (
            blueprints.rope((x, y), (x + 4 * size, y))
            if chance.random() < 0.3
            else blueprints.blob((x, y), size)
        )
        bodies[sim.spawn(*parts)] = parts[0]
    for point in chance.uniform(-9, 9, (20, 2)):
        best = []
        for entity, body in bodies.items():
            away = np.hypot(*(body.position - point).T) - body.radius
            middle = body.position.mean(axis=0)
            spread = np.hypot(*(body.position - middle).T).max()
            if away.min() < REACH or np.hypot(*(middle - point)) < max(REACH, spread):
                best.append((away.min(), entity, int(away.argmin())))
        expected = min(best)[1:] if best else None
        assert nearest_particle(sim, (float(point[0]), float(point[1]))) == expected
