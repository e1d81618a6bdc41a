"""Seams: bodies go over a floor of tiles of several materials as over one floor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, blueprints
from ecs_softbody.imports import tiled
from tests.imports.map_corpus import SQUARE, prop, tile, tileset

COLUMNS = 36
SECONDS = 24 / 6.0


def floor(numbers: np.ndarray) -> dict[str, Any]:
    """Return a map with these tiles: three materials that differ a little."""
    tiles = [tile(0, SQUARE)]
    tiles += [
        tile(number, SQUARE | {"properties": [prop("restitution", 0.1 * number)]})
        for number in (1, 2)
    ]
    size = {"width": COLUMNS, "height": len(numbers)}
    layer = {"type": "tilelayer", "name": "g", **size, "data": numbers.ravel().tolist()}
    return {
        "type": "map", "orientation": "orthogonal", **size, "tilewidth": 16,
        "tileheight": 16, "layers": [layer], "tilesets": [tileset(*tiles)],
    }  # fmt: skip


def floors() -> dict[str, np.ndarray]:
    one = np.ones((4, COLUMNS), np.int64)
    one[:2] = 0
    blocks = one.copy()
    blocks[2:, 10:15] = 2
    blocks[2, 20:26] = 3  # lies in a basin of the first
    blocks[3, 18:30] = 2
    turns = one.copy()
    turns[2] = 1 + np.arange(COLUMNS) % 3
    under = one.copy()
    under[3] = 3
    return {"one": one, "blocks": blocks, "tile by tile": turns, "a layer over another": under}


def went(folder: Path, numbers: np.ndarray, body: str, speed: float) -> np.ndarray:
    """Return where a body was in each frame."""
    (folder / "map.tmj").write_text(json.dumps(floor(numbers)))
    with Simulation(world="seams") as sim:
        tiled(folder / "map.tmj").spawn(sim)
        made = {
            "ball": blueprints.ball((1.5, 2.5), 0.5, velocity=(speed, 0)),
            "box": blueprints.box((1.5, 2.52), (1.0, 1.0), velocity=(speed, 0), friction=0.0),
        }
        entity = sim.spawn(*made[body])
        places = []
        for _ in range(int(60 * SECONDS * 6.0 / speed)):
            sim.step(1 / 60)
            places.append(sim.get(entity, Particles).position.mean(axis=0))
        return np.array(places)


@pytest.mark.parametrize("body", ["ball", "box"])
@pytest.mark.parametrize("speed", [3.0, 6.0, 12.0])
@pytest.mark.parametrize("name", ["blocks", "tile by tile", "a layer over another"])
def test_a_floor_of_materials_is_as_one_floor(
    tmp_path: Path, name: str, speed: float, body: str
) -> None:
    expected = went(tmp_path, floors()["one"], body, speed)
    found = went(tmp_path, floors()[name], body, speed)
    landed = 20  # frames; materials bounce differently
    np.testing.assert_allclose(found[landed:, 1], expected[landed:, 1], atol=1e-3)
    np.testing.assert_allclose(found[-1, 0] - 1.5, expected[-1, 0] - 1.5, rtol=5e-3)


def test_tiles_of_one_material_are_one_collider(tmp_path: Path) -> None:
    numbers = floors()["tile by tile"]
    (tmp_path / "map.tmj").write_text(json.dumps(floor(numbers)))
    found = tiled(tmp_path / "map.tmj")
    walls = [one.components[0] for one in found.entities]
    assert sorted(float(wall.restitution) for wall in walls) == [0.0] + [0.1] * 12 + [0.2] * 12
    below = max(walls, key=lambda wall: wall.row_count)
    ends = {(float(x), float(y)) for x, y in below.vertices.round(9)}
    assert ends >= {(float(x), 1.0) for x in range(2, COLUMNS - 1)}, (
        "it has a corner wherever another one begins"
    )
