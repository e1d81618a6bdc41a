"""Every mistake is told at once, with its line, and nothing changes; no file reaches outside or
costs too much.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from ecs_softbody import Simulation, blueprints, components, scenes
from ecs_softbody.scenes.model.parts import all_blueprints
from ecs_softbody.storage import Column, Component
from tests.scenes.comparing import state
from tests.scenes.samples import FULL

WRONG = """\
title = 3
[world]
gravty = [0, 1]
solver = "xpdb"
substeps = 0
[entities.hero.blob]
center = [0, 1]
radius = -0.6
frequency = -3
particels = 3
particles = 2
[entities.crate]
material = "rubbr"
Box = { size = 3 }
box = { size = 2 }
[entities.pin]
Attachment = { between = ["hro", "world"] }
[entities.big]
box = { center = [0, 0], size = 1, rows = 100000, columns = 100000 }
[entities.rod]
Particles = { position = [[0, 0], [1, 0]] }
Springs = { pairs = [[0, 1],
   [1, 2]], stiffness = 10 }
Muscles = { rows = [4] }
"""
PLACES = [
    (1, "title"), (3, "world.gravty"), (4, "world.solver"), (5, "world.substeps"),
    (8, "entities.hero.blob.radius"), (9, "entities.hero.blob.frequency"),
    (10, "entities.hero.blob.particels"), (11, "entities.hero.blob.particles"),
    (13, "entities.crate.material"), (14, "entities.crate.Box"), (15, "entities.crate.box"),
    (17, "entities.pin.Attachment.between"), (19, "entities.big.box"),
    (22, "entities.rod.Springs.pairs"), (24, "entities.rod.Muscles.rows"),
]  # fmt: skip


def told(path: Path) -> list[str]:
    return [str(problem) for problem in scenes.check(path)]


def test_all_mistakes_are_told_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(WRONG)
    problems = scenes.check(path)
    assert [(problem.line, problem.path) for problem in problems] == PLACES
    said = "\n".join(map(str, problems))
    for part in (
        "did you mean gravity?",
        "expected one of saturated, xpbd",
        "did you mean hero?",
        "did you mean box?",
        "-0.6 is not allowed; expected finite numbers >= 0 [m]",
        "expected rows of Particles, 0 to 1",
    ):
        assert part in said


def test_the_same_in_json_and_in_the_quick_pass(tmp_path: Path) -> None:
    import tomllib

    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(tomllib.loads(WRONG), indent=1))
    assert {problem.path for problem in scenes.check(path)} == {place for _, place in PLACES}
    text = path.read_text().split("\n")
    for problem in scenes.check(path):
        assert problem.path.split(".")[-1] in text[problem.line - 1]
    with pytest.raises(scenes.SceneError) as caught:
        scenes.open(path)
    assert caught.value.problems == scenes.check(path)


def test_a_scene_with_a_mistake_changes_nothing(tmp_path: Path) -> None:
    sim = Simulation(world="kept", substeps=5)
    sim.spawn(*blueprints.blob((0, 3), 0.5))
    sim.step()
    before = state(sim)
    path = tmp_path / "wrong.toml"
    path.write_text(
        "[world]\nsubsteps = 9\n[entities.a]\nball = { center = [0, 1], radius = 1 "
        "}\n[entities.b]\nball = {}\n"
    )
    with pytest.raises(
        scenes.SceneError, match=r"wrong\.toml:6: entities\.b\.ball: 'center' is missing"
    ):
        scenes.load(sim, path)
    assert state(sim) == before
    assert sim.substeps == 5
    sim.close()


def test_mistakes_in_other_files_are_told_there(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "stuff.toml").write_text(
        "[materials.ice]\n\nfriction = -1\n[prefabs.p]\nbox = { size = 'x' }\n"
    )
    path = tmp_path / "level.toml"
    path.write_text(
        'include = "parts/stuff.toml"\n[entities.a]\nprefab = "p"\nat = [0, '
        '1]\n[entities.b]\nprefab = "q"\n'
    )
    assert [(problem.file, problem.line) for problem in scenes.check(path)] == [
        ("level.toml", 6), ("parts/stuff.toml", 3), ("parts/stuff.toml", 5),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "asked",
    [
        "../secret.toml",
        "/etc/passwd",
        "link.toml",
        "folder/../../secret.toml",
        "",
        "level.toml",
        "no.toml",
        "a.txt",
    ],
)
def test_includes_stay_in_the_folder(tmp_path: Path, asked: str) -> None:
    folder = tmp_path / "scene"
    folder.mkdir()
    (tmp_path / "secret.toml").write_text("[entities.secret]\n")
    (folder / "a.txt").write_text("x")
    os.symlink(tmp_path / "secret.toml", folder / "link.toml")
    path = folder / "level.toml"
    path.write_text(f"include = [{json.dumps(asked)}]\n")
    problems = scenes.check(path)
    assert len(problems) == 1
    assert (problems[0].line, problems[0].file) == (1, "level.toml")


@pytest.mark.brief(4)
@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 100_000,
        "a." * 400_000 + "b = 1",
        "a = " + "9" * 100_000,
        "x = " + "{a=" * 50_000,
        "[entities.a]\nblob = { center = [0, 0], radius = 1, particles = 2000000000 }",
        "[entities.a]\npolygon = { vertices = [[0, 0], [1, 0], [0, 1]], spacing = 1e-9 }",
        "[entities.a]\nrope = { start = [0, 0], end = [1, 0], segments = 999999999999 }",
        "[entities.a]\nbox = { center = [0, 0], size = 1, rows = 99999, columns = 99999 }",
        "#" * 5_000_000,
        '"' + "a" * 1_000_000 + '" = 1',
    ],
    ids=range(10),
)
def test_absurd_files_are_refused_at_once(tmp_path: Path, text: str) -> None:
    path = tmp_path / "absurd.toml"
    path.write_text(text)
    begun = time.process_time()
    assert scenes.check(path)
    assert time.process_time() - begun < 3.0


def test_a_sparse_giant_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "giant.toml"
    with path.open("wb") as file:
        file.truncate(10**12)
    assert "at most" in told(path)[0]


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "bytes.toml").write_bytes(b"a = 1\n\xff\n")
    for name in ("pipe.toml", "folder.toml", "bytes.toml", "none.toml", "scene.yaml"):
        assert len(told(tmp_path / name)) == 1


def test_the_schema_has_every_component_and_blueprint_and_takes_the_sample() -> None:
    import tomllib

    made = scenes.schema()
    for name in [*components.__all__, *blueprints.__all__, "Look"]:
        if name not in ("ALL", "radius_of", "Material", "MATERIALS"):
            assert f"#/$defs/{name}" in made["$defs"]["Entity"]["properties"][name]["$ref"]
    assert made["$defs"]["blob"]["properties"]["friction"]["description"] == "Coulomb's coefficient"
    for entity in tomllib.loads(FULL)["entities"].values():
        assert entity.keys() <= made["$defs"]["Entity"]["properties"].keys()
    assert json.loads(json.dumps(made)) == made


def test_the_schema_describes_every_argument_of_every_blueprint() -> None:
    made = scenes.schema()["$defs"]
    for name in all_blueprints():
        for argument, kind in made[name]["properties"].items():
            assert kind.get("description"), f"{name}.{argument}"
        if "mass" in made[name]["properties"]:
            assert "of the whole body" in made[name]["properties"]["mass"]["description"]


@pytest.mark.parametrize("name", ["ball", "blob", "box", "polygon", "wheel"])
def test_a_velocity_is_a_pair_of_numbers(name: str, tmp_path: Path) -> None:
    assert scenes.schema()["$defs"][name]["properties"]["velocity"]["minItems"] == 2
    path = tmp_path / "scene.toml"
    path.write_text(f"[entities.a.{name}]\nvelocity = 5\n")
    assert any("5 is not allowed; expected two numbers [x, y]" in line for line in told(path))


class Battery(Component):
    """A component of a game's own."""

    __slots__ = ()
    charge = Column(dtype=float, unit="J", minimum=0.0, doc="what is in each cell")

    def __init__(self, charge: object, *, cells: int = 1) -> None:
        self._fill("charge", charge=charge)


def test_a_new_component_needs_no_second_list(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        "[entities.a]\nball = { center = [0, 1], radius = 1 }\nBattery = { charge = [1, 2] }\n"
    )
    scene = scenes.open(path)
    assert scene.sim.get(scene["a"], Battery).charge.tolist() == [1.0, 2.0]
    assert "Battery" in scenes.schema()["$defs"]
    scene.sim.close()
    path.write_text("[entities.a]\nBattery = { charge = [-1, 2] }\n")
    assert "expected finite numbers >= 0 [J]" in told(path)[0]


@pytest.mark.parametrize("place", ["", "[entities.a]\nball = { center = [0, 0], radius = 1 }\n"])
def test_data_is_a_table(tmp_path: Path, place: str) -> None:
    (tmp_path / "level.toml").write_text(f"{place}data = 3\n")
    (problem,) = scenes.check(tmp_path / "level.toml")
    assert problem.message == "3 is not allowed; expected a table of plain data"
