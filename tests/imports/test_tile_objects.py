"""Tiles that are objects: their pictures, shapes, classes; tilesets that shift their tiles; odd
maps.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ecs_softbody import Simulation, imports
from ecs_softbody.rendering import Skin
from tests.imports.samples import a_map, thing, tile, write


def objects_of(
    folder: Path, things: list[dict[str, Any]], tiles: list[dict[str, Any]], **tileset: Any
) -> Any:
    """Return a map of 4 x 4 tiles of 16 pixels with these objects; tile 1 is red on the left, blue
    on the right.
    """
    picture = Image.new("RGBA", (16, 16), (255, 0, 0, 255))
    picture.paste((0, 0, 255, 255), (8, 0, 16, 16))
    picture.save(folder / "tile.png")
    raw = a_map()
    raw |= {"width": 4, "height": 4}
    raw["layers"][0] |= {
        "width": 4,
        "height": 4,
        "data": [0] * 16,
        "encoding": "csv",
        "compression": "",
    }
    raw["layers"][1]["objects"] = things
    raw["tilesets"][0] |= {
        "image": "tile.png",
        "columns": 1,
        "tilecount": 1,
        "tiles": tiles,
        **tileset,
    }
    return raw


@pytest.mark.parametrize("gid", [1, 1 | 0x80000000, 1 | 0x40000000, 1 | 0xC0000000])
@pytest.mark.parametrize("angle", [0, 30, 90])
def test_a_tile_as_an_object_is_drawn_and_solid_where_it_lies(
    tmp_path: Path, gid: int, angle: float
) -> None:
    shapes = [thing(1, polygon=[{"x": 0, "y": 0}, {"x": 0, "y": 16}, {"x": 16, "y": 16}])]
    lies = thing(2, x=20, y=40, width=32, height=8, rotation=angle, gid=gid)
    found = imports.tiled(
        write(tmp_path, "a.tmj", objects_of(tmp_path, [lies], [tile(0, shapes)])), tile=16.0
    )
    wall = next(one for one in found.entities if one.kind == "ground")
    drawn = next(one for one in found.entities if one.kind == "tiles")
    flips = np.array([-1.0 if gid & 0x80000000 else 1.0, -1.0 if gid & 0x40000000 else 1.0])
    # of the triangle, from the lower left
    share = (np.array([(0, 1), (0, 0), (1, 0)], float) - 0.5) * flips + 0.5
    turn = np.radians(-angle)
    c = np.cos(turn)
    s = np.sin(turn)
    expected = share * (32.0, 8.0) @ np.array(((c, s), (-s, c))) + (20.0, 64.0 - 40.0)
    np.testing.assert_allclose(
        sorted(wall.components[0].vertices.round(5).tolist()),
        sorted(expected.round(5).tolist()),
        atol=2e-5,
    )
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    pictured = ((corners - 0.5) * flips + 0.5) * (32.0, 8.0) @ np.array(((c, s), (-s, c))) + (
        20.0,
        24.0,
    )
    np.testing.assert_allclose(drawn.components[0].corners[0], pictured, atol=1e-9)


def test_an_object_takes_class_properties_and_picture_of_its_tile(tmp_path: Path) -> None:
    named = [
        {"id": 0, "type": "box", "properties": [{"name": "density", "type": "float", "value": 3.0}]}
    ]
    lies = [
        thing(1, x=10, y=30, width=16, height=16, gid=1),
        thing(2, x=40, y=30, width=16, height=16, gid=1 | 2**31),
    ]
    found = imports.tiled(write(tmp_path, "a.tmj", objects_of(tmp_path, lies, named)), tile=1.0)
    assert [one.kind for one in found.entities] == ["box", "box"]
    for one, left in zip(found.entities, [(255, 0, 0, 255), (0, 0, 255, 255)], strict=True):
        assert one.components[0].mass.sum() == pytest.approx(3.0)
        skin = next(part for part in one.components if isinstance(part, Skin))
        assert tuple(skin.picture.level(0)[8, 1]) == left
    with Simulation(world="tile objects") as sim:
        found.spawn(sim)
        sim.step(1 / 60)


def test_colours_that_are_not_set_and_classes_of_properties_are_read(tmp_path: Path) -> None:
    given = [
        {"name": "c", "type": "color", "value": ""},
        {"name": "stats", "type": "class", "value": {"hp": 3}},
        {"name": "next", "type": "object", "value": 7},
    ]  # fmt: skip
    raw = objects_of(tmp_path, [thing(1, type="coin", point=True, properties=given)], [])
    (place,) = imports.tiled(write(tmp_path, "a.tmj", raw)).places
    assert place.properties == {"stats": {"hp": 3}, "next": 7}


def test_tiles_are_where_their_tileset_shifts_them(tmp_path: Path) -> None:
    full = [thing(1, width=16, height=16)]
    raw = objects_of(tmp_path, [], [tile(0, full)], tileoffset={"x": 4, "y": -8})
    raw["layers"][0]["data"] = [0] * 12 + [1, 0, 0, 0]
    wall, drawn = imports.tiled(write(tmp_path, "a.tmj", raw), tile=16.0).entities
    for points in (wall.components[0].vertices, drawn.components[0].corners[0]):
        np.testing.assert_allclose(
            (points.min(axis=0), points.max(axis=0)), ((4, 8), (20, 24)), atol=1e-6
        )


def test_a_map_without_cells_and_a_layer_that_is_a_picture(tmp_path: Path) -> None:
    raw = objects_of(tmp_path, [], [])
    raw |= {"width": 0, "height": 0}
    raw["layers"][0] |= {"width": 0, "height": 0, "data": []}
    raw["layers"].append(
        {"type": "imagelayer", "id": 9, "name": "sky", "image": "sky.png", "opacity": 1}
    )
    found = imports.tiled(write(tmp_path, "a.tmj", raw))
    assert found.entities == []
    assert "layer 'sky' is a picture, which is left out" in found.notes
    assert found.notes[-1].startswith("there is nothing in it")
