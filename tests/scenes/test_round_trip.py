"""Any world survives saving and loading with equal values,
and a file loads twice to the same bits.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import esper
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ecs_softbody import (
    Collider,
    Particles,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
    scenes,
)
from ecs_softbody.rendering import Look
from tests.helpers.starts import WHOLE
from tests.scenes.comparing import differences, state
from tests.scenes.drawn_worlds import drawn_worlds, paint_pictures
from tests.simulation.everything import add_everything, add_joints
from tests.simulation.random_full_worlds import FullWorld

NUMBERS = itertools.count()


def there_and_back(sim: Simulation, folder: Path, suffix: str) -> None:
    """Save a world, load the file twice, and compare."""
    path = folder / f"saved{next(NUMBERS)}{suffix}"
    scenes.save(sim, path)
    assert scenes.check(path) == ()
    first = scenes.open(path)
    second = scenes.open(path)
    try:
        assert differences(sim, first.sim) == []
        for _ in range(3):
            first.sim.step()
            second.sim.step()
        assert state(first.sim) == state(second.sim)
        again = folder / f"again{suffix}"
        scenes.save(second.sim, again)
        third = scenes.open(again)
        with third.sim:
            third.sim.buffers.synchronise()
        assert differences(second.sim, third.sim) == []
        third.sim.close()
    finally:
        first.sim.close()
        second.sim.close()
        path.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize("steps", [0, 5])
def test_a_world_with_every_component_there_and_back(
    tmp_path: Path, suffix: str, steps: int
) -> None:
    sim = Simulation(world="everything", gravity=(1.0, -2.0), substeps=3)
    add_everything(sim)
    add_joints(sim)
    for _ in range(steps):
        sim.step()
    there_and_back(sim, tmp_path, suffix)
    sim.close()


def hypothesis_worlds(folder: Path, examples: int) -> None:
    """Have hypothesis build worlds, and send each there and back."""
    paint_pictures(folder)

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        sim=drawn_worlds(folder),
        suffix=st.sampled_from([".toml", ".json"]),
        steps=st.integers(0, 3),
    )
    def one(sim: Simulation, suffix: str, steps: int) -> None:
        for _ in range(steps):
            sim.step()
        there_and_back(sim, folder, suffix)
        sim.close()

    one()


def test_worlds_that_hypothesis_builds(tmp_path: Path) -> None:
    hypothesis_worlds(tmp_path, 6)


@pytest.mark.slow
def test_many_worlds_that_hypothesis_builds(tmp_path: Path) -> None:
    hypothesis_worlds(tmp_path, 400 if WHOLE else 200)


@pytest.mark.brief(27)
@pytest.mark.parametrize("seed", range(25))
def test_random_worlds_of_everything(tmp_path: Path, seed: int) -> None:
    world = FullWorld(seed, verbs=False, solver=("saturated", "xpbd")[seed % 2])
    for _ in range(seed % 3):
        world.sim.step()
    there_and_back(world.sim, tmp_path, (".toml", ".json")[seed % 2])


def test_what_was_not_changed_is_written_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "level.toml"
    path.write_bytes(
        b"# Level one\r\n[entities.ground] # the floor\r\nStaticCollider.vertices = [[-5, "
        b"0],\r\n  [5, 0]] # flat\r\n"
        b"[entities.hero]\r\nat = [0, 1.10]\r\nblob = {radius = 5e-1}\r\n"
    )
    before = path.read_bytes()
    scene = scenes.open(path)
    scene.sim.step()
    scene.sim.close()
    scene = scenes.open(path)
    scenes.save(scene)
    assert path.read_bytes() == before
    scene.sim.close()


def test_only_what_was_changed_is_written(tmp_path: Path) -> None:
    path = tmp_path / "level.toml"
    path.write_text(
        "# Level one\n[world]\nsubsteps = 4 # few\n\n[entities.ground] # the floor\n"
        "StaticCollider = { vertices = [[-5, 0], [5, 0]] } # flat\n\n[entities.hero]\nat "
        "= [0, 1] # here\n"
        "blob = { radius = 0.5 }\nLook = { eyes = 1 } # one\n\n[entities.crate] # gone "
        "soon\nat = [2, 1]\n"
        "box = { size = 0.5 }\n"
    )
    scene = scenes.open(path)
    sim = scene.sim
    sim.get(scene["hero"], Particles).position += (1.5, 0.25)
    sim.get(scene["hero"], Look).eyes = 2
    sim.despawn(scene["crate"])
    sim.substeps = 6
    sim.spawn(*blueprints.ball((0, 3), 0.2))
    scenes.save(scene)
    text = path.read_text()
    for kept in (
        "# Level one",
        "substeps = 6 # few",
        "# flat",
        "at = [1.5, 1.25] # here",
        "Look = { eyes = 2 } # one",
    ):
        assert kept in text
    assert "crate" not in text
    assert "blob = { radius = 0.5 }" in text
    again = scenes.open(path)
    there, here = (one.sim.get(one["hero"], Particles).position for one in (again, scene))
    np.testing.assert_allclose(there, here, rtol=0, atol=1e-12)
    assert len(again) == 3
    sim.close()
    again.sim.close()


def test_changed_values_beside_a_blueprint_come_back(tmp_path: Path) -> None:
    path = tmp_path / "level.json"
    path.write_text(
        '{"entities": {"b": {"blob": {"center": [0, 1], "radius": 0.5}},'
        ' "g": {"blob": {"center": [3, 1], "radius": 0.5}}}}'
    )
    scene = scenes.open(path)
    sim = scene.sim
    sim.get(scene["b"], Springs).stiffness *= 2.0
    sim.get(scene["b"], Collider).friction = 0.5
    sim.get(scene["b"], Particles).velocity[3] = (1.0, 2.0)
    with sim:
        esper.remove_component(scene["g"], Springs)
        esper.add_component(scene["g"], StaticCollider([(0, 0), (1, 0)]))
    scenes.save(scene, tmp_path / "other.toml")
    again = scenes.open(tmp_path / "other.toml")
    assert differences(sim, again.sim) == []
    sim.close()
    again.sim.close()
