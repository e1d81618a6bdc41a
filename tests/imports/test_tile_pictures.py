"""The pictures of a map's tiles: each tile where it is, turned as the map says, in windows and
recordings alike.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ecs_softbody import Simulation
from ecs_softbody.imports import tiled
from ecs_softbody.rendering import Layer, Picture, Tiles, View, WorldPainter
from ecs_softbody.rendering.backend.rasterizer import draw_image

RED = (255, 0, 0)
GREEN = (0, 255, 0)
BLUE = (0, 0, 255)
WHITE = (255, 255, 255)
FLIP_X = 0x80000000
FLIP_Y = 0x40000000
SWAP = 0x20000000


def sheet(folder: Path) -> None:
    """A picture of two tiles: one of four colours, and one that is green."""
    image = np.zeros((16, 32, 4), np.uint8)
    image[..., 3] = 255
    image[:8, :8, :3] = RED
    image[:8, 8:16, :3] = GREEN
    image[8:, :8, :3] = BLUE
    image[8:, 8:16, :3] = WHITE
    image[:, 16:, :3] = GREEN
    Image.fromarray(image).save(folder / "tiles.png")


def a_map(data: list[int], **changes: Any) -> dict[str, Any]:
    layer = {
        "type": "tilelayer",
        "id": 1,
        "name": "ground",
        "width": 3,
        "height": 2,
        "data": data,
        "x": 0,
        "y": 0,
    }
    tileset = {
        "firstgid": 1, "name": "t", "tilewidth": 16, "tileheight": 16, "tilecount": 2, "columns": 2,
        "image": "tiles.png", "tiles": [],
    }  # fmt: skip
    return {
        "type": "map", "orientation": "orthogonal", "width": 3, "height": 2, "tilewidth": 16,
        "tileheight": 16, "layers": [layer | changes], "tilesets": [tileset],
    }  # fmt: skip


def saved(folder: Path, raw: dict[str, Any]) -> Path:
    (folder / "map.tmj").write_text(json.dumps(raw))
    return folder / "map.tmj"


def picture_of(path: Path) -> np.ndarray:
    """Return the map as it is drawn, 20 pixels a metre, rows from the top."""
    with Simulation(world="tiles") as sim:
        tiled(path).spawn(sim)
        picture = Picture(60, 40, View((1.5, 1.0), 2.0, 60, 40))
        WorldPainter().draw(sim, picture)
        return draw_image(picture)[:, :, :3]


def corners_of(image: np.ndarray, column: int, row: int) -> list[tuple[int, ...]]:
    """Return the colours of a tile: upper left, upper right, lower left, lower right."""
    x = 20 * column
    y = 20 * row
    return [tuple(image[y + b, x + a].tolist()) for b in (5, 15) for a in (5, 15)]


def test_a_tile_is_where_the_map_has_it_and_turned_as_it_says(tmp_path: Path) -> None:
    sheet(tmp_path)
    image = picture_of(saved(tmp_path, a_map([1, 1 | FLIP_X, 1 | FLIP_Y, 1 | SWAP, 0, 2])))
    assert corners_of(image, 0, 0) == [RED, GREEN, BLUE, WHITE]
    assert corners_of(image, 1, 0) == [GREEN, RED, WHITE, BLUE]
    assert corners_of(image, 2, 0) == [BLUE, WHITE, RED, GREEN]
    assert corners_of(image, 0, 1) == [RED, BLUE, GREEN, WHITE]
    assert corners_of(image, 2, 1) == [GREEN] * 4


def test_tiles_of_one_map_are_one_mesh_and_have_no_seam(tmp_path: Path) -> None:
    sheet(tmp_path)
    image = picture_of(saved(tmp_path, a_map([2] * 6)))
    assert (image == GREEN).all()
    found = tiled(tmp_path / "map.tmj")
    (tiles,) = [
        part for one in found.entities for part in one.components if isinstance(part, Tiles)
    ]
    assert len(tiles.corners) == 6
    assert tiles.layer < Layer.BODIES


def test_layers_above_objects_are_in_front_of_bodies_and_hidden_ones_are_not_drawn(
    tmp_path: Path,
) -> None:
    sheet(tmp_path)
    raw = a_map([2] * 6)
    thing = {"id": 1, "name": "", "type": "coin", "x": 3, "y": 3, "point": True, "visible": True}
    raw["layers"].append({"type": "objectgroup", "id": 2, "name": "things", "objects": [thing]})
    raw["layers"].append(raw["layers"][0] | {"id": 3, "name": "in front", "opacity": 0.5})
    raw["layers"].append(raw["layers"][0] | {"id": 4, "name": "hidden", "visible": False})
    found = tiled(saved(tmp_path, raw))
    tiles = {one.name: one.components[0] for one in found.entities if one.kind == "tiles"}
    assert list(tiles) == ["ground", "in front"]
    assert tiles["in front"].layer > Layer.BODIES > tiles["ground"].layer
    assert tiles["in front"].opacity == 0.5


def test_a_tileset_beside_the_map_names_its_own_picture(tmp_path: Path) -> None:
    (tmp_path / "sets").mkdir()
    sheet(tmp_path / "sets")
    raw = a_map([1, 2, 2, 2, 2, 2])
    (tmp_path / "sets" / "t.tsx").write_text(
        '<tileset version="1.10" name="t" tilewidth="16" tileheight="16" tilecount="2" columns="2">'
        '<image source="tiles.png" width="32" height="16"/></tileset>'
    )
    raw["tilesets"] = [{"firstgid": 1, "source": "sets/t.tsx"}]
    assert corners_of(picture_of(saved(tmp_path, raw)), 0, 0) == [RED, GREEN, BLUE, WHITE]


def test_a_collection_of_single_pictures(tmp_path: Path) -> None:
    Image.new("RGBA", (16, 16), BLUE).save(tmp_path / "one.png")
    raw = a_map([1] * 6)
    raw["tilesets"][0] |= {"image": "", "tiles": [{"id": 0, "image": "one.png"}]}
    assert (picture_of(saved(tmp_path, raw)) == BLUE).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"image": "nope.png"}, "tiled: map.tmj, tileset 't': there is no file 'nope.png'"),
        ({"image": "/etc/passwd"}, "names a file: '/etc/passwd' is not allowed"),
        ({"image": 3}, "image of a tileset is 3"),
        ({"columns": -1}, "columns of a tileset is -1"),
    ],
)
def test_a_picture_that_is_missing_or_wrong_is_one_clear_error(
    tmp_path: Path, change: Any, said: str
) -> None:
    sheet(tmp_path)
    raw = a_map([1] * 6)
    raw["tilesets"][0] |= change
    with pytest.raises(ValueError, match=said):
        tiled(saved(tmp_path, raw))


def test_a_world_with_tiles_is_kept_and_restored(tmp_path: Path) -> None:
    sheet(tmp_path)
    with Simulation(world="kept tiles") as sim:
        (entity,) = tiled(saved(tmp_path, a_map([2] * 6))).spawn(sim)
        kept = sim.snapshot()
        sim.step()
        sim.restore(kept)
        assert len(sim.get(entity, Tiles).corners) == 6
