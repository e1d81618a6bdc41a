"""What a game or an inspector changes in the world of a scene file is the same after saving and
opening it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    Collider,
    FieldError,
    Motor,
    Particles,
    PointGravity,
    ShapeMatching,
    Simulation,
    Springs,
    StaticCollider,
    Tearing,
    blueprints,
    scenes,
)
from ecs_softbody.errors import FieldTypeError
from ecs_softbody.rendering import Look
from tests.scenes.comparing import differences

PLACED = {
    "box": "[entities.it]\nbox = { size = 1 }\nat = [2, 1]\n",
    "turned box": "[entities.it]\nbox = { size = 1, velocity = [1, 2] }\nat = [2, 1]\nangle = 0.4\n",
    "wall": "[entities.it]\nat = [2, 1]\nangle = 0.5\n"
    "StaticCollider = { vertices = [[0, 0], [1, 0], [0, 1]], closed = true, velocity = [1, 0], "
    "angular_velocity = 1.0 }\n",
    "platform": "[entities.it]\nat = [2, 1]\n"
    "StaticCollider = { vertices = [[0, 0], [1, 0]], one_way = [0, 1] }\n",
    "raw": "[entities.it]\nat = [2, 1]\nangle = 0.5\n"
    "Particles = { position = [[0, 0], [1, 0]], velocity = [1, 0] }\n",
    "prefab": "[prefabs.crate]\nbox = { size = 1 }\nLook = { fill = [255, 0, 0] }\n"
    "[entities.it]\nprefab = 'crate'\nat = [2, 1]\n",
    "prefab with a place": "[prefabs.crate]\nbox = { size = 1 }\nat = [3, 2]\nangle = 0.2\n"
    "[entities.it]\nprefab = 'crate'\n",
}
"""Entities with a place of their own, for which `at` and `angle` move what they have."""


def of_it(sim: Simulation, kind: type[Any]) -> Any:
    """Return the component of the only entity that has one."""
    (entity,) = sim.entities(kind)
    return sim.get(entity, kind)


def bent(sim: Simulation) -> None:
    for kind, name in ((Particles, "position"), (StaticCollider, "vertices")):
        for entity in sim.entities(kind):
            getattr(sim.get(entity, kind), name)[0] += 0.1, 0.2


def fast(sim: Simulation) -> None:
    for kind in (Particles, StaticCollider):
        for entity in sim.entities(kind):
            sim.get(entity, kind).velocity[:] = 3.0, 4.0


def stepped(sim: Simulation) -> None:
    for _ in range(5):
        sim.step()


def cut(sim: Simulation) -> None:
    sim.step()
    sim.cut((-9.0, 1.0), (9.0, 1.1))


def with_a_field(sim: Simulation) -> None:
    sim.spawn(*blueprints.ball((7.0, 7.0), 0.2))


def open_again(path: Path, change: Callable[[Simulation], Any]) -> Simulation:
    """Open a scene, change it, save it, and open it; it is as it was left."""
    with scenes.open(path).sim as sim:
        change(sim)
        sim.buffers.synchronise()
        scenes.save(sim)
        again = scenes.open(path).sim
        with again:
            again.buffers.synchronise()
            assert differences(sim, again) == []
    sim.close()
    return again


@pytest.mark.brief(5)
@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize("change", [bent, fast, stepped, cut, with_a_field])
@pytest.mark.parametrize("kind", PLACED)
def test_what_has_a_place_is_where_it_was_left(
    tmp_path: Path, kind: str, change: Callable[[Simulation], None], suffix: str
) -> None:
    """Places in the world were written beside `at`, which moved them once more."""
    path = tmp_path / "scene.toml"
    path.write_text(PLACED[kind])
    if suffix == ".json":
        scenes.save(scenes.open(path), tmp_path / "scene.json")
    open_again(path.with_suffix(suffix), change).close()


@pytest.mark.parametrize(
    "text",
    [
        "at = [2, 1]\nPointGravity = { position = [0, 0], strength = 2.0 }\nWater = { level = 0.5 }",
        "at = [2, 1]\nangle = 0.5\nbox = { size = 1 }\nPointGravity = { position = [0, 0], strength = 2 }",
    ],
)
@pytest.mark.parametrize("kind", [PointGravity, Particles])
def test_a_place_goes_with_the_last_part_that_has_one(
    tmp_path: Path, text: str, kind: type[Any]
) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(f"[entities.it]\n{text}\n")

    def remove(sim: Simulation) -> None:
        for other in [Collider, ShapeMatching, Springs, kind] if kind is Particles else [kind]:
            without(other)(sim)

    open_again(path, remove).close()


def test_a_wall_of_which_only_the_pivot_moved(tmp_path: Path) -> None:
    """It was taken for a wall that had moved as a whole."""
    path = tmp_path / "wall.toml"
    path.write_text(PLACED["platform"])

    def move(sim: Simulation) -> None:
        of_it(sim, StaticCollider).pivot[:] += 0.5, 0.25

    open_again(path, move).close()


CAR = """[entities.car]
box = { center = [0, 2], size = 1 }
[entities.wheel]
wheel = { center = [0, 1.5], radius = 0.3 }
[entities.axle]
axle = { chassis = "car", wheel = "wheel", at = [0, 1.5], speed = 2.0 }
"""


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [(Motor, "speed", 5.0), (Motor, "max_torque", 3.0), (Attachment, "break_force", 9.0)],
)
def test_fields_of_an_axle_are_written_beside_it(
    tmp_path: Path, kind: type[Any], name: str, value: float
) -> None:
    path = tmp_path / "car.toml"
    path.write_text(CAR)
    sim = open_again(path, lambda sim: setattr(of_it(sim, kind), name, value))
    assert getattr(of_it(sim, kind), name) == value
    assert "axle = {" in path.read_text()
    sim.close()


TORN = (
    "[prefabs.flag]\ncloth = { size = 2, rows = 5, columns = 5 }\nTearing = { strain = 0.3 }\n"
    "tags = ['flags']\n[entities.it]\nprefab = 'flag'\nat = [0, 5]\n"
)


def tear(sim: Simulation) -> None:
    sim.step()
    of_it(sim, Particles).position[-1] += 1.0, -1.0
    for _ in range(3):
        sim.step()


def without(kind: type[Any]) -> Callable[[Simulation], None]:
    def remove(sim: Simulation) -> None:
        for entity in sim.entities(kind):
            esper.remove_component(int(entity), kind)

    return remove


@pytest.mark.parametrize(
    "change", [tear, without(Tearing), without(Look)], ids=["torn", "Tearing", "Look"]
)
def test_what_a_prefab_has_no_more_is_gone(
    tmp_path: Path, change: Callable[[Simulation], None]
) -> None:
    """The file could not be opened, or had the component of the prefab again."""
    path = tmp_path / "flag.toml"
    path.write_text(TORN.replace("tags", "Look = { fill = [255, 0, 0] }\ntags"))
    sim = open_again(path, change)
    assert [*sim.scene.tags] == ["flags"]
    sim.close()


def test_a_box_of_a_prefab_without_its_shape(tmp_path: Path) -> None:
    path = tmp_path / "crate.toml"
    path.write_text(PLACED["prefab"])
    sim = open_again(path, without(ShapeMatching))
    assert sim.entities(ShapeMatching) == []
    sim.close()


def test_a_camera_follows_nothing_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "cut.toml"
    path.write_text(
        "[camera]\nfollow = 'hero'\n[entities.hero]\nblob = { center = [0, 1], radius = 0.6 }\n"
    )
    open_again(path, cut).close()


def test_a_joint_of_a_deleted_body_is_not_written(tmp_path: Path) -> None:
    """It goes with the next step."""
    with Simulation(world="joint") as sim:
        bodies = [sim.spawn(*blueprints.box((3.0 * k, 1.0), 1.0)) for k in range(2)]
        sim.spawn(Attachment((bodies[0], bodies[1]), at=(1.5, 1.0)))
        sim.step()
        sim.despawn(bodies[1])
        scenes.save(sim, tmp_path / "joint.toml")
    with scenes.open(tmp_path / "joint.toml").sim as again:
        assert again.entities(Attachment) == []
        assert len(again.entities(Particles)) == 1


def test_a_world_that_could_not_be_opened_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(PLACED["box"])
    with scenes.open(path).sim as sim:
        sim.gravity[0] = np.nan
        with pytest.raises(ValueError, match=r"scene.toml was not written: scene.toml:.*gravity"):
            scenes.save(sim)
    assert path.read_text() == PLACED["box"]
    assert [one.name for one in tmp_path.iterdir()] == ["scene.toml"]


@dataclass
class Bag:
    """A component of a game."""

    things: Any = ()


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize(
    "value",
    [{1, 2}, [None], {"a": {3: 4}}, object(), b"x"],
    ids=["set", "None", "number as key", "object", "bytes"],
)
def test_a_value_that_no_file_has_is_named(tmp_path: Path, value: object, suffix: str) -> None:
    with Simulation(world="bag") as sim:
        sim.spawn(*blueprints.ball((0.0, 0.0), 0.1), Bag(value))
        with pytest.raises(FieldTypeError, match=r"Bag.things: .* is not allowed in a file; expec"):
            scenes.save(sim, tmp_path / f"bag{suffix}", parts=[Bag])
    assert [*tmp_path.iterdir()] == []


def test_what_an_included_file_gives_is_taken_away_there(tmp_path: Path) -> None:
    (tmp_path / "common.toml").write_text(PLACED["box"])
    path = tmp_path / "scene.toml"
    path.write_text("include = ['common.toml']\n")
    with scenes.open(path).sim as sim:
        without(ShapeMatching)(sim)
        with pytest.raises(FieldError, match=r"'it' is gone, or has lost a part; expected a chang"):
            scenes.save(sim)
