"""Worlds end: rounds that are over, files that were read again and simulations that nobody has are
not kept.
"""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path

import esper
import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, blueprints, scenes
from ecs_softbody.play import Game
from ecs_softbody.play.reloading import Reloading
from included import included_games

TIMES = 20
FLAT = 250_000
"""Bytes that twenty rounds may leave behind; one world of the smallest game takes more."""
SCENE = """
[world]
substeps = 4
[entities.ball]
ball = {center = [0, 3], radius = 0.5}
[entities.floor]
StaticCollider = {vertices = [[-5, 0], [5, 0]]}
"""


def alive() -> list[Simulation]:
    """Return all simulations that Python has, also those that it was told to leave alone."""
    gc.unfreeze()
    gc.collect()
    gc.collect()  # what belonged to a simulation that was found just now
    return [one for one in gc.get_objects() if isinstance(one, Simulation)]


def kept_of(repeat: Callable[[], object]) -> int:
    """Return the bytes that stay of doing something many times; what is kept of the first times is
    known already.
    """
    for _ in range(3):
        repeat()
    tracemalloc.start()
    try:
        repeat()
        alive()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(TIMES):
            repeat()
        alive()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("name", included_games())
def test_rounds_before_are_gone(name: str) -> None:
    before = {id(one) for one in alive()}
    game = included_games()[name].load()()

    def play_a_round() -> None:
        game.begin()
        for _ in range(2):
            game.advance(game.autopilot())

    assert kept_of(play_a_round) < FLAT
    assert [one for one in alive() if id(one) not in before] == [game.sim]
    game.close()


class OfAFile(Game):
    """A game whose world is a file."""


@pytest.mark.slow
def test_worlds_of_a_file_that_was_read_again_are_gone(tmp_path: Path) -> None:
    path = tmp_path / "level.toml"
    path.write_text(SCENE)
    game = OfAFile()
    OfAFile.scene = path
    game.begin()
    (reloading,) = game.wrappers
    assert isinstance(reloading, Reloading)
    times = iter(range(1000))

    def change() -> None:
        path.write_text(f"{SCENE}# {next(times)}{'.' * 10}\n" + "#" * next(times) + "\n")
        assert reloading.begins_anew()
        game.advance(game.autopilot())

    before = {id(one) for one in alive()} - {id(game.sim)}
    assert kept_of(change) < FLAT
    assert [one for one in alive() if id(one) not in before] == [game.sim]
    game.close()


@pytest.mark.slow
def test_a_simulation_that_a_scene_was_loaded_into_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "level.toml"
    path.write_text(SCENE)
    before = len(alive())

    def load() -> None:
        sim = Simulation(world="loaded")
        assert scenes.load(sim, path)["ball"]
        sim.step()
        sim.close()

    assert kept_of(load) < FLAT
    assert len(alive()) == before


def test_the_scene_of_a_simulation_is_the_one_that_was_loaded_last(tmp_path: Path) -> None:
    path = tmp_path / "level.toml"
    path.write_text(SCENE)
    sim = Simulation()
    assert sim.scene is None
    scenes.load(sim, path)
    scene = scenes.load(sim, path)
    assert sim.scene is scene


@pytest.mark.slow
def test_a_simulation_that_is_dropped_goes_with_its_world() -> None:
    before = len(alive())
    heard = []

    def drop() -> None:
        sim = Simulation(world=f"dropped {len(heard)}")
        sim.spawn(*blueprints.blob((0, 3), 0.5))
        # handlers hold the simulation, and are no reason
        sim.on("contact_begin", lambda event: heard.append(sim))
        sim.step()
        heard.append(None)

    def drop_and_go_on() -> None:
        drop()
        gc.collect()
        Simulation(world="another")  # which ends what Python has found

    assert kept_of(drop_and_go_on) < FLAT
    assert len(alive()) == before
    assert not any(name.startswith("dropped") for name in esper.list_worlds())


def test_what_a_dropped_simulation_had_is_given_back() -> None:
    sim = Simulation(world="left")
    body, *rest = blueprints.blob((0, 3), 0.5)
    entity = sim.spawn(body, *rest)
    sim.step()
    place = body.position.copy()
    known = weakref.ref(sim)
    del sim
    gc.collect()
    assert known() is None
    again = Simulation(world="left")
    assert np.array_equal(body.position, place), "a component keeps its numbers"
    assert again.entities() == []
    with pytest.raises(ValueError, match="of an earlier simulation"):
        again.get(entity, Particles)


def test_a_world_begins_empty_whether_or_not_the_dropped_one_was_found() -> None:
    """Python finds a dropped simulation at some moment; what follows does not depend on when."""
    gc.disable()
    try:
        for _ in range(2):
            sim = Simulation(world="again")
            assert sim.entities() == []
            sim.spawn(*blueprints.ball((0, 3), 0.5))
            sim.step()
            del sim
    finally:
        gc.enable()
