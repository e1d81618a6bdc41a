"""Whatever is thrown out of a scene comes back, and what stays is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody_games.jelly_car import JellyCar
from ecs_softbody_games.labs.cut_and_tear import CutAndTear
from ecs_softbody_games.labs.lab import Lab
from ecs_softbody_games.labs.little_planet import LittlePlanet
from ecs_softbody_games.labs.windy_pond import WindyPond
from ecs_softbody_games.rope_bridge import RopeBridge
from tests.helpers.games import play

SCENES = (LittlePlanet, WindyPond, CutAndTear)


@pytest.fixture(params=SCENES, ids=lambda scene: scene.name)
def scene(request: pytest.FixtureRequest) -> Iterator[Lab]:
    made = request.param()
    made.start()
    yield made
    made.close()


def bodies(scene: Lab) -> list[int]:
    return [
        entity
        for entity in scene.sim.entities(Particles)
        if not scene.get(entity, Particles).pinned.any()
    ]


@pytest.mark.brief(6)
@pytest.mark.parametrize("speed", [(90.0, 25.0), (-60.0, 60.0)])
def test_what_is_thrown_out_comes_back(scene: Lab, speed: tuple[float, float]) -> None:
    play(scene, 30)
    thrown = bodies(scene)[0]
    body = scene.get(thrown, Particles)
    body.position += np.sign(speed) * 40.0
    body.velocity[:] = speed
    play(scene, 60)
    left, bottom, right, top = scene.view
    x, y = scene.center_of(thrown)
    assert left - 2.0 < x < right + 2.0
    assert bottom - 2.0 < y < top + 2.0
    assert np.isfinite(body.position).all()


@pytest.mark.slow
@pytest.mark.brief(3)
def test_what_stays_in_view_is_left_alone(scene: Lab) -> None:
    sounds: list[str] = []
    scene.sounds.play = lambda name, **_: sounds.append(name)  # type: ignore[method-assign, assignment]
    play(scene, 600)
    assert "pop" not in sounds


@pytest.mark.slow
def test_a_scene_whose_view_moves_puts_nothing_back() -> None:
    car = JellyCar()
    car.start()
    sounds: list[str] = []
    car.sounds.play = lambda name, **_: sounds.append(name)  # type: ignore[method-assign, assignment]
    play(car, 120, "right")
    car.close()
    assert "pop" not in sounds


@pytest.mark.slow
def test_a_broken_bridge_carries_nothing_and_says_what_broke_it() -> None:
    bridge = RopeBridge()
    bridge.start()
    weights = len(bridge.weights_left)
    for _ in range(10):
        play(bridge, 1, "space")
        play(bridge, 54)
    assert bridge.broken
    numbers = dict(bridge.numbers())
    assert "on the bridge" not in numbers
    assert 20.0 <= bridge.broke_at <= bridge.best
    assert numbers["broke at"] == f"{bridge.broke_at:.0f} kg"
    assert len(bridge.weights) <= weights
    best = bridge.best
    bridge.start()
    assert bridge.best == best
    assert bridge.broke_at == 0.0
    bridge.close()
