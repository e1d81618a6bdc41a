"""Pictures on bodies, and maps, drawings and pictures, in scene files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ecs_softbody import Attachment, Particles, Simulation, StaticCollider, blueprints, scenes
from ecs_softbody.rendering import Look, Skin, Tiles

SKINS = """
[entities.box]
box = { center = [3, 5], size = 1 }
skin = { image = "face.png", fit = "stretch", angle = 0.3 }
[entities.cloth]
cloth = { center = [6, 5], size = 1 }
skin = "art/face.png"
[entities.wall]
StaticCollider = { vertices = [[0, 0], [3, 0], [3, -1], [0, -1]], closed = true }
skin = { image = "face.png", tile = 0.7 }
"""
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200" width="400" height="200">
<path d="M0 200 V150 C100 80 200 220 400 140 V200 Z" fill="#406030"/>
<circle id="hero" class="blob" cx="60" cy="40" r="22" fill="#c04040" data-eyes="2" data-picture="face.png"/></svg>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "art").mkdir()
    face = Image.new("RGBA", (32, 32), (250, 190, 60))
    face.save(tmp_path / "face.png")
    face.save(tmp_path / "art" / "face.png")
    return tmp_path


def test_a_skin_is_in_the_file_and_stays_there(folder: Path) -> None:
    (folder / "level.toml").write_text(SKINS)
    scene = scenes.open(folder / "level.toml")
    sim = scene.sim
    sim.step()
    assert sim.get(scene["box"], Skin).fit == "stretch"
    assert len(sim.get(scene["cloth"], Skin).uv) == sim.get(scene["cloth"], Particles).row_count
    assert sim.get(scene["wall"], Skin).repeats
    scenes.save(scene, folder / "later.toml")
    again = scenes.open(folder / "later.toml")
    for name in scene:
        here = sim.get(scene[name], Skin)
        there = again.sim.get(again[name], Skin)
        assert here.file == there.file
        assert (here.fit, here.repeats) == (there.fit, there.repeats)
    sim.close()
    again.sim.close()


def test_a_picture_on_a_deformed_body_lies_where_it_lay(folder: Path) -> None:
    sim = Simulation(world="dented")
    body = sim.spawn(*blueprints.blob((0, 2), 1.0), Skin(folder / "face.png"))
    sim.step()
    uv = sim.get(body, Skin).uv.copy()
    sim.get(body, Particles).position[3] += (0.3, 0.2)
    scenes.save(sim, folder / "dented.toml")
    sim.close()
    scene = scenes.open(folder / "dented.toml")
    scene.sim.step()
    np.testing.assert_array_equal(scene.sim.get(scene.sim.entities(Skin)[0], Skin).uv, uv)
    scene.sim.close()


def test_a_picture_that_no_file_holds_is_one_clear_error(folder: Path) -> None:
    sim = Simulation(world="painted")
    sim.spawn(*blueprints.blob((0, 2), 1.0), Skin(np.ones((4, 4))))
    with pytest.raises(ValueError, match="made by a program"):
        scenes.save(sim, folder / "painted.toml")
    assert not (folder / "painted.toml").exists()
    sim.close()


@pytest.mark.parametrize(
    ("skin", "said"),
    [
        (
            '{ image = "face.png", fit = "x" }',
            "skin.fit: 'x' is not allowed; expected one of cover, stretch",
        ),
        (
            '{ image = "face.png", tail = 2 }',
            "skin.tail: there is no such field (did you mean tile?)",
        ),
        ('{ image = "face.png", tile = -1 }', "skin.tile: -1 is not allowed"),
        ('"nope.png"', "nope.png"),
        ('"../face.png"', "expected a file in the folder of the scene"),
        ("3", "skin: 3 is not allowed"),
        ("{ tile = 1 }", "'image' is missing"),
    ],
)
def test_a_wrong_skin_is_told_at_its_line(folder: Path, skin: str, said: str) -> None:
    (folder / "bad.toml").write_text(
        f"[entities.a]\nblob = {{ center = [0, 1], radius = 1 }}\nskin = {skin}\n"
    )
    problems = scenes.check(folder / "bad.toml")
    assert len(problems) == 1
    assert problems[0].line == 3
    assert said in str(problems[0])


def test_a_drawing_and_a_picture_are_imported_and_changed_by_the_scene(folder: Path) -> None:
    ring = Image.new("RGBA", (128, 128))
    draw = ImageDraw.Draw(ring)
    draw.ellipse((4, 4, 124, 124), fill=(200, 60, 90))
    draw.ellipse((40, 40, 88, 88), fill=(0, 0, 0, 0))
    ring.save(folder / "ring.png")
    (folder / "art" / "hill.svg").write_text(DRAWING.replace("face.png", "../face.png"))
    (folder / "a.toml").write_text(
        'import = ["art/hill.svg", "ring.png"]\n[entities.hero]\nLook = { eyes = 1 '
        "}\n[entities.ring]\nat = [3, 5]\n"
    )
    assert scenes.check(folder / "a.toml") == ()
    scene = scenes.open(folder / "a.toml")
    sim = scene.sim
    sim.step()
    assert sim.get(scene["hero"], Look).eyes == 1
    assert sim.get(scene["hero"], Skin).file == folder / "face.png"
    assert sim.has(scene["ground-1"], StaticCollider)
    assert sim.get(scene["ring"], Particles).center[0] == pytest.approx(3.0, abs=0.1)
    assert len(sim.get(scene["ring"], Skin).uv) == sim.get(scene["ring"], Particles).row_count
    sim.close()


def test_places_of_a_map_are_data_of_the_scene(folder: Path) -> None:
    points = [
        {
            "id": 1,
            "name": "",
            "type": "coin",
            "point": True,
            "visible": True,
            "rotation": 0,
            "x": 16,
            "y": 16,
            "width": 0,
            "height": 0,
        }
    ]
    layer = {
        "type": "objectgroup",
        "id": 1,
        "name": "things",
        "objects": points,
        "x": 0,
        "y": 0,
        "opacity": 1,
    }
    (folder / "map.tmj").write_text(
        json.dumps(
            {
                "type": "map",
                "version": "1.10",
                "orientation": "orthogonal",
                "width": 4,
                "height": 2,
                "infinite": False,
                "tilewidth": 16,
                "tileheight": 16,
                "layers": [layer | {"visible": True, "draworder": "topdown"}],
                "tilesets": [],
                "nextlayerid": 2,
                "nextobjectid": 2,
                "renderorder": "right-down",
            }
        )
    )
    (folder / "m.toml").write_text('import = "map.tmj"\n')
    scene = scenes.open(folder / "m.toml")
    assert [(place["kind"], place["position"]) for place in scene.data["places"]] == [
        ("coin", [1.0, 1.0])
    ]
    scene.sim.close()


def test_a_broken_map_is_told_where_it_is_asked_for(folder: Path) -> None:
    (folder / "map.tmj").write_text("{")
    (folder / "m.toml").write_text('title = "x"\nimport = "map.tmj"\n')
    problems = scenes.check(folder / "m.toml")
    assert [problem.line for problem in problems] == [2]
    assert "map.tmj is no JSON" in str(problems[0])


def test_the_schema_tells_what_a_skin_takes() -> None:
    schema = json.dumps(scenes.schema()["$defs"]["Entity"]["properties"]["skin"])
    assert all(word in schema for word in ("image", "tile", "stretch"))


def test_a_fragment_stays_where_it_is_fixed(tmp_path: Path) -> None:
    """The place of a joint whose row kept its number was left out of the file, as one that the
    first places of the body give: but the fragment that the joint goes on at had moved since.
    """
    path = tmp_path / "sign.toml"
    nails = "".join(
        f'[entities.nail-{row}.Attachment]\nbetween = ["sign", "world"]\nrows = [[{row}]]\n'
        for row in range(8)
    )
    path.write_text("[entities.sign.cloth]\ncenter = [0.0, 2.0]\nsize = 1.0\n" + nails)

    def places(sim: Simulation) -> list[list[float]]:
        sim.step()
        return sorted(sim.get(nail, Attachment).at.tolist() for nail in sim.entities(Attachment))

    with scenes.open(path).sim as sim:
        sim.step()
        assert sim.cut((-3.0, 1.7), (3.0, 1.5))
        for _ in range(20):
            sim.step()
        before = places(sim)
        scenes.save(sim, path)
    with scenes.open(path).sim as sim:
        assert places(sim) == before


def test_a_world_in_the_midst_of_a_cut_is_saved(tmp_path: Path) -> None:
    sim = Simulation(world="cut")
    sim.spawn(*blueprints.blob((0, 2), 1.0))
    sim.step()
    assert sim.cut((-3, 2.1), (3, 1.9))
    sim.step()
    scenes.save(sim, tmp_path / "cut.toml")
    scene = scenes.open(tmp_path / "cut.toml")
    assert len(scene) == 2
    sim.close()
    scene.sim.close()


def a_map(folder: Path, image: str = "face.png") -> Path:
    """A map of one row of three tiles; the picture has four of them."""
    layer = {
        "type": "tilelayer",
        "id": 1,
        "name": "g",
        "width": 3,
        "height": 1,
        "data": [1, 2, 0],
        "x": 0,
        "y": 0,
    }
    tileset = {
        "firstgid": 1,
        "name": "t",
        "tilewidth": 16,
        "tileheight": 16,
        "tilecount": 4,
        "image": image,
    }
    raw = {
        "type": "map",
        "orientation": "orthogonal",
        "width": 3,
        "height": 1,
        "tilewidth": 16,
        "tileheight": 16,
        "layers": [layer],
        "tilesets": [tileset | {"columns": 2, "tiles": []}],
    }
    (folder / "map.tmj").write_text(json.dumps(raw))
    return folder / "map.tmj"


def test_a_scene_that_imports_a_map_has_its_tiles_and_is_saved_as_it_was(folder: Path) -> None:
    a_map(folder)
    (folder / "level.toml").write_text(
        '# mine\nimport = "map.tmj"\n[entities.hero]\nball = { radius = 0.2 }\nat = [1, 1]\n'
    )
    scene = scenes.open(folder / "level.toml")
    (tiles,) = scene.sim.entities(Tiles)
    assert len(scene.sim.get(tiles, Tiles).corners) == 2
    assert scene.data["bounds"] == [0.0, 0.0, 3.0, 1.0]
    before = (folder / "level.toml").read_bytes()
    scenes.save(scene)
    assert (folder / "level.toml").read_bytes() == before
    (folder / "own.toml").write_text("[entities.a]\ntiles = 3\n")
    assert "no such blueprint or component" in str(scenes.check(folder / "own.toml")[0])
    scene.sim.close()


def test_a_map_is_a_scene_by_itself(folder: Path) -> None:
    path = a_map(folder)
    scene = scenes.open(path)
    assert len(scene.sim.entities(Tiles)) == 1
    assert (folder / "face.png").resolve() in scene.files
    scenes.save(scene, folder / "level.toml")
    assert (folder / "level.toml").read_text() == 'import = "map.tmj"\n'
    scene.sim.close()


def test_missing_files_are_told_as_they_are_written_and_none_is_read_outside_of_the_folder(
    folder: Path,
) -> None:
    (folder / "level.toml").write_text(
        '[entities.a]\nball = { radius = 1, center = [0, 0] }\nskin = "art/no.png"\n'
    )
    assert [str(one) for one in scenes.check(folder / "level.toml")] == [
        "level.toml:3: entities.a.skin: there is no file 'art/no.png'; expected a picture"
    ]
    (folder / "level.toml").write_text('import = "no.tmj"\ninclude = ["art/no.toml"]\n')
    assert [str(one) for one in scenes.check(folder / "level.toml")] == [
        "level.toml:1: import: there is no file 'no.tmj'",
        "level.toml:2: include[0]: there is no file 'art/no.toml'",
    ]
    (folder / "inner").mkdir()
    path = a_map(folder / "inner", "../../face.png")
    assert "'face.png' is outside of the folder" in str(scenes.check(path)[0])
    (folder / "level.toml").write_text('import = "inner/map.tmj"\n')
    assert "'face.png' is outside of the folder" in str(scenes.check(folder / "level.toml")[0])
    path = a_map(folder / "inner", "../face.png")
    assert not scenes.check(path)
    (folder / "level.toml").write_text('import = "inner/map.tmj"\n')
    assert not scenes.check(folder / "level.toml")
