"""Scenes in a world: names, prefabs, materials, placement, links, doors; games and the command
line.
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    Collider,
    Particles,
    Simulation,
    Springs,
    StaticCollider,
    Wind,
    blueprints,
    scenes,
)
from ecs_softbody.cli.main import main
from ecs_softbody.play import Controls, Game, Session
from ecs_softbody.rendering import Look, themes
from tests.scenes.comparing import bits, components
from tests.scenes.samples import FULL


@dataclass
class Enemy:
    speed: float = 1.0
    name: str = "bat"


def write(folder: Path, text: str, name: str = "level.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_sample_has_everything_and_runs(tmp_path: Path) -> None:
    path = write(tmp_path, FULL)
    assert scenes.check(path) == ()
    scene = scenes.open(path)
    sim = scene.sim
    assert (sim.substeps, scene.title, scene.data["lives"], len(scene)) == (4, "Everything", 3, 18)
    assert scene.tags == {"player": [scene["hero"]], "goal": [scene["goal"]]}
    assert scene.data_of("hero") == {"lives": 3}
    assert scene.name_of(scene["one"]) == "one"
    assert scene.theme == dataclasses.replace(themes.CANYON, ground=(80, 140, 220))
    collider = sim.get(scene["hero"], Collider)
    assert (collider.friction, collider.restitution, collider.rolling_resistance) == (0.9, 0.8, 0.1)
    assert sim.get(scene["link"], Springs).between == (scene["one"], scene["two"])
    assert sim.get(scene["pin"], Attachment).between == (scene["two"], None)
    assert sim.get(scene["two"], Look).fill == (200, 160, 80)
    for _ in range(30):
        sim.step()
    with pytest.raises(KeyError, match="did you mean hero"):
        scene["heros"]
    sim.close()


def test_bodies_are_those_of_the_blueprints_bit_for_bit(tmp_path: Path) -> None:
    path = write(
        tmp_path, "[entities.a]\nblob = { center = [0.1, 1], radius = 0.6, friction = 0.3 }\n"
    )
    scene = scenes.open(path)
    sim = Simulation(world="code")
    code = sim.spawn(*blueprints.blob((0.1, 1), 0.6, friction=0.3))
    for kind, one in components(sim, code).items():
        if kind == "Particles":
            assert bits(one.position) == bits(scene.sim.get(scene["a"], Particles).position)
    for _ in range(20):
        sim.step()
        scene.sim.step()
    assert bits(sim.get(code, Particles).position) == bits(
        scene.sim.get(scene["a"], Particles).position
    )
    sim.close()
    scene.sim.close()


def test_placement_turns_then_moves(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "[prefabs.step]\nStaticCollider = { vertices = [[0, 0], [1, 0]], one_way = [0, 1] }\n"
        '[entities.a]\nprefab = "step"\nat = [3, 4]\nangle = 1.5707963267948966\n'
        "[entities.w]\nWind = { velocity = [1, 0] }\n",
    )
    scene = scenes.open(path)
    wall = scene.sim.get(scene["a"], StaticCollider)
    np.testing.assert_allclose(wall.vertices, [(3, 4), (3, 5)], atol=1e-12)
    np.testing.assert_allclose(wall.one_way, (-1, 0), atol=1e-12)
    assert scene.sim.get(scene["w"], Wind).velocity.tolist() == [1.0, 0.0]
    scene.sim.close()


def test_files_lie_over_what_they_include(tmp_path: Path) -> None:
    write(
        tmp_path,
        "[entities.a]\nball = { center = [0, 1], radius = 0.5 }\ntags = ['x']\n",
        "base.toml",
    )
    path = write(tmp_path, 'include = "base.toml"\n[entities.a]\nball = { radius = 0.25 }\n')
    scene = scenes.open(path)
    assert scene.sim.get(scene["a"], Particles).radius.tolist() == [0.25]
    assert "x" in scene.tags
    assert [file.name for file in scene.files] == ["level.toml", "base.toml"]
    scene.sim.close()


def test_parts_of_a_games_own(tmp_path: Path) -> None:
    path = write(
        tmp_path, "[entities.a]\nball = { center = [0, 1], radius = 1 }\nEnemy = { speed = 2 }\n"
    )
    assert "Enemy" in str(scenes.check(path)[0])
    scene = scenes.open(path, parts=[Enemy])
    assert scene.sim.get(scene["a"], Enemy) == Enemy(2, "bat")
    scene.sim.get(scene["a"], Enemy).name = "owl"
    scenes.save(scene, tmp_path / "other.toml")
    scene.sim.close()
    again = scenes.open(tmp_path / "other.toml", parts=[Enemy])
    assert again.sim.get(again["a"], Enemy) == Enemy(2, "owl")
    again.sim.close()


def test_the_door_for_other_formats(tmp_path: Path) -> None:
    (tmp_path / "level.tmx15").write_text("0 1")
    path = write(tmp_path, 'import = "level.tmx15"\n')
    assert "expected one of" in str(scenes.check(path)[0])

    def read(file: Path) -> dict[str, object]:
        x, y = map(float, file.read_text().split())
        return {"entities": {"ball": {"ball": {"center": [x, y], "radius": 0.5}}}}

    scenes.add_importer(".tmx15", read)
    scene = scenes.open(path)
    assert scene.sim.center(scene["ball"]).tolist() == [0.0, 1.0]
    scene.sim.close()
    assert "skin" in str(scenes.check(write(tmp_path, '[entities.a]\nskin = "../cat.png"\n'))[0])


BEFORE = "[entities.hero]\nball = { center = [0, 1], radius = 0.5 }\n"


def edit(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, ns=(path.stat().st_mtime_ns + 10**9,) * 2)


def test_a_running_game_takes_a_changed_file_or_shows_what_is_wrong(tmp_path: Path) -> None:
    path = write(tmp_path, BEFORE)

    class Hop(Game):
        scene = path
        started = 0

        def start(self) -> None:
            super().start()
            assert self.loaded is not None
            self.hero = self.loaded["hero"]

    session = Session(Hop, autopilot=True)
    game = session.game
    edit(path, BEFORE.replace("0.5", "0.25"))
    for _ in range(60):
        session.frame(Controls())
    assert game.sim.get(game.hero, Particles).radius.tolist() == [0.25]
    world = game.sim
    edit(path, BEFORE.replace("0.5", "-1"))
    for _ in range(60):
        session.frame(Controls())
    assert game.sim is world
    assert "radius" in str(game.scene_source.problems[0])
    session.picture(640, 360)
    session.restart()  # the file is still wrong
    assert game.sim.get(game.hero, Particles).radius.tolist() == [0.25]
    # right, but the game cannot begin with it
    edit(path, BEFORE.replace("hero", "villain"))
    for _ in range(60):
        session.frame(Controls())
    assert "cannot begin" in str(game.scene_source.problems[0])
    assert game.sim.get(game.hero, Particles).radius.tolist() == [0.25]
    edit(path, BEFORE.replace("0.5", "0.75"))
    for _ in range(60):
        session.frame(Controls())
    assert game.scene_source.problems == ()
    assert game.sim.get(game.hero, Particles).radius.tolist() == [0.75]
    session.close()


def test_the_command_checks_and_prints_the_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = write(tmp_path, FULL)
    wrong = write(tmp_path, "[world]\nx = 1\n\n[entities.a]\nat = 3\n", "wrong.toml")
    assert main(["check", str(right)]) == 0
    assert "all right" in capsys.readouterr().out
    assert main(["check", str(right), str(wrong)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines[1:]] == [f"{wrong}:2", f"{wrong}:5"]
    assert main(["schema"]) == 0
    assert '"$schema"' in capsys.readouterr().out


def test_the_command_plays_a_scene_file(tmp_path: Path) -> None:
    from ecs_softbody.cli.games import find_game

    game = find_game(str(write(tmp_path, FULL)), {})
    session = Session(game, autopilot=True)
    for _ in range(10):
        session.frame()
    assert game.title == "Everything"
    session.close()
    assert main(["play", str(write(tmp_path, "x = 1", "wrong.toml"))]) == 2


def test_a_scene_has_clouds_of_its_own(tmp_path: Path) -> None:
    scene = scenes.open(write(tmp_path, '[theme]\nname = "snow"\nclouds = [255, 250, 240, 90]\n'))
    assert scene.theme == dataclasses.replace(themes.SNOW, clouds=(255, 250, 240, 90))
    scene.sim.close()
