"""What maps may have besides: templates, infinite sizes, rows of levels, several worlds."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from ecs_softbody import Particles
from ecs_softbody.imports import ldtk, svg, tiled
from ecs_softbody.imports.budget import Budget
from ecs_softbody.imports.grid import outlines_of
from ecs_softbody.imports.shapes import polygons_of
from ecs_softbody.indices import argwhere, nonzero
from ecs_softbody.rendering import Look, Tiles
from tests.imports.ldtk_corpus import entities, entity, grid, level, project
from tests.imports.map_corpus import SQUARE, map_of, tile, tiles_layer, tileset
from tests.imports.samples import HEIGHT, WIDTH, a_map, a_project
from tests.imports.tiled_corpus import traits

TEMPLATE = {
    "type": "template",
    "object": {
        "id": 1,
        "name": "crate",
        "type": "box",
        "width": 16,
        "height": 32,
        "rotation": 0,
        "visible": True,
        "properties": [
            {"name": "density", "type": "float", "value": 2.0},
            {"name": "eyes", "type": "int", "value": 2},
        ],
    },
}
TEMPLATE_XML = """<?xml version="1.0" encoding="UTF-8"?>
<template><object name="crate" type="box" width="16" height="32"><properties>
<property name="density" type="float" value="2"/><property name="eyes" type="int" value="2"/>
</properties></object></template>"""
WEDGE_XML = """<template><object name="wedge" class="ground"><polygon points="0,0 32,32 0,32"/></object></template>"""


def write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def map_with(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a map with nothing but these objects."""
    raw = a_map()
    layer = next(one for one in raw["layers"] if one["type"] == "objectgroup")
    return raw | {"layers": [layer | {"objects": objects}]}


@pytest.mark.parametrize(("name", "content"), [("crate.tj", TEMPLATE), ("crate.tx", TEMPLATE_XML)])
def test_objects_of_a_template(tmp_path: Path, name: str, content: Any) -> None:
    (tmp_path / "templates").mkdir()
    write(tmp_path / "templates" / name, content)
    again = {
        "id": 4, "template": f"templates/{name}", "x": 64, "y": 32, "name": "big", "width": 32,
        "properties": [{"name": "eyes", "type": "int", "value": 1}],
    }  # fmt: skip
    raw = map_with([{"id": 3, "template": f"templates/{name}", "x": 32, "y": 32}, again])
    found = tiled(write(tmp_path / "map.tmj", raw))
    crate = found.entities[0]
    assert [(one.name, one.kind) for one in found.entities] == [("crate", "box"), ("big", "box")]
    sizes = [np.ptp(one.components[0].position, axis=0) for one in found.entities]
    assert sizes[1][0] > 1.5 * sizes[0][0], "what the object says itself lies over the template"
    assert [one.components[-1].eyes for one in found.entities] == [2, 1]
    body = next(one for one in crate.components if isinstance(one, Particles))
    assert body.mass.sum() == pytest.approx(2.0 * 1.0 * 2.0, rel=0.01)
    assert body.position[:, 0].min() >= 2.0


def test_a_shape_of_a_template_in_xml(tmp_path: Path) -> None:
    write(tmp_path / "wedge.tx", WEDGE_XML)
    found = tiled(
        write(tmp_path / "map.tmj", map_with([{"id": 1, "template": "wedge.tx", "x": 16, "y": 0}]))
    )
    (wedge,) = found.entities
    assert wedge.kind == "ground"
    high = HEIGHT * 1.0
    assert sorted(map(tuple, wedge.components[0].vertices.tolist())) == [
        (1.0, high - 2.0),
        (1.0, high),
        (3.0, high - 2.0),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no file 'x.tx'"),
        ("<template/>", "x.tx is no template of Tiled: it has no object"),
        ("<template><object", "x.tx is no XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><template><object/></template>', "x.tx declares entities"),
        (
            '<template><object width="wide"/></template>',
            "x.tx, object: width: 'wide' is not allowed",
        ),
        ('<template><object><polygon points="1 2"/></object></template>', "expected a number"),
        ("[1]", "x.tx holds list; expected a JSON object"),
    ],
)
def test_a_template_that_is_wrong(tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        write(tmp_path / "x.tx", content)
    with pytest.raises(ValueError, match=said.replace("[", r"\[")):
        tiled(
            write(tmp_path / "map.tmj", map_with([{"id": 1, "template": "x.tx", "x": 0, "y": 0}]))
        )


def test_the_bounds_of_an_infinite_map_are_where_its_tiles_are(tmp_path: Path) -> None:
    raw = a_map()
    layer = next(one for one in raw["layers"] if one["type"] == "tilelayer")
    block = {"x": -16, "y": 0, "width": 16, "height": 16, "data": [0] * 240 + [1] * 16}
    raw |= {
        "infinite": True,
        "layers": [{**layer, "data": None, "chunks": [block], "encoding": "csv"}],
    }
    raw["layers"][0].pop("data")
    found = tiled(write(tmp_path / "map.tmj", raw))
    assert found.bounds == (-16.0, HEIGHT - 16.0, 0.0, HEIGHT - 15.0)


def test_the_bounds_of_an_infinite_map_are_where_its_objects_are_too(tmp_path: Path) -> None:
    far = {"id": 1, "x": -160, "y": 16 * HEIGHT, "width": 64, "height": 32}
    found = tiled(write(tmp_path / "map.tmj", map_with([far]) | {"infinite": True}))
    assert found.bounds == (-10.0, -2.0, -6.0, 0.0)


def test_the_picture_of_a_turned_tile_is_where_its_shape_is(tmp_path: Path) -> None:
    """A tile of 16 x 32 pixels, turned by a quarter, lies from the lower left corner of its cell to
    the right.
    """
    trait = next(one for one in traits() if one[0] == "tile higher than a cell, turned right")
    (tmp_path / "tiles.png").write_bytes(trait[2]["tiles.png"])
    found = tiled(write(tmp_path / "map.tmj", trait[1]))
    (tiles,) = (
        part for one in found.entities for part in one.components if isinstance(part, Tiles)
    )
    (corners,) = tiles.corners
    np.testing.assert_allclose(corners[[0, 1, 2, 3]], [(2, 1), (2, 0), (4, 0), (4, 1)], atol=1e-9)


def levels_of(count: int) -> list[dict[str, Any]]:
    (level,) = a_project()["levels"]
    return [
        {**copy.deepcopy(level), "identifier": f"L{number}", "worldX": -1, "worldY": -1}
        for number in range(count)
    ]


@pytest.mark.parametrize(
    ("layout", "times"), [("LinearHorizontal", (3, 1)), ("LinearVertical", (1, 3))]
)
def test_levels_in_a_row_do_not_lie_over_one_another(
    tmp_path: Path, layout: str, times: tuple[int, int]
) -> None:
    """LDtk writes -1 for the place of each of them."""
    raw = a_project() | {"levels": levels_of(3), "worldLayout": layout}
    found = ldtk(write(tmp_path / "world.ldtk", raw))
    assert found.bounds == (0.0, 0.0, times[0] * WIDTH, times[1] * HEIGHT)
    places = {place.position for place in found.places}
    assert len(places) == len(found.places) == 3


@pytest.mark.parametrize(
    ("said", "opacity"),
    [({"visible": False}, 0.0), ({"__opacity": 0.25}, 0.25), ({"visible": True}, None)],
)
def test_ground_of_a_layer_of_ldtk_is_as_clear_as_the_layer(
    tmp_path: Path, said: dict[str, Any], opacity: float | None
) -> None:
    found = ldtk(
        write(tmp_path / "a.ldtk", project(level("A", grid(**said), entities(entity("Box")))))
    )
    looks = [
        part.opacity
        for one in found.entities[:1]
        for part in one.components
        if isinstance(part, Look)
    ]
    assert looks == [1.0 if opacity is None else opacity]
    hidden = ldtk(write(tmp_path / "b.ldtk", project(level("A", entities(entity("Box")) | said))))
    looks = [
        part.opacity for one in hidden.entities for part in one.components if isinstance(part, Look)
    ]
    assert looks == ([] if opacity is None else [opacity])


def test_a_rope_lies_along_its_line(tmp_path: Path) -> None:
    corners = [{"x": 0, "y": 0}, {"x": 48, "y": 64}, {"x": 96, "y": 0}]
    found = tiled(
        write(
            tmp_path / "map.tmj",
            map_with([{"id": 1, "type": "rope", "x": 0, "y": 0, "polyline": corners}]),
        )
    )
    particles, springs = found.entities[0].components[:2]
    count = len(particles.position)
    np.testing.assert_allclose(particles.position[0], (0, HEIGHT))
    np.testing.assert_allclose(particles.position[(count - 1) // 2], (3, HEIGHT - 4))
    np.testing.assert_allclose(particles.position[-1], (6, HEIGHT))
    assert np.sum(springs.rest_length) == pytest.approx(10.0)


def test_several_worlds_lie_side_by_side(tmp_path: Path) -> None:
    one = {"identifier": "A", "worldLayout": "Free", "levels": a_project()["levels"]}
    raw = a_project() | {
        "levels": [],
        "worlds": [one, {**one, "identifier": "B", "worldLayout": "LinearVertical"}],
    }
    found = ldtk(write(tmp_path / "world.ldtk", raw))
    assert found.bounds == (0.0, 0.0, 2 * WIDTH + 4.0, HEIGHT)
    left, right = sorted(place.position for place in found.places)
    assert right[0] - left[0] == pytest.approx(WIDTH + 4.0)


def test_levels_in_files_of_their_own(tmp_path: Path) -> None:
    raw = a_project()
    (level,) = raw["levels"]
    (tmp_path / "world").mkdir()
    write(tmp_path / "world" / "First.ldtkl", level)
    raw["levels"] = [{**level, "layerInstances": None, "externalRelPath": "world/First.ldtkl"}]
    together = ldtk(write(tmp_path / "a.ldtk", a_project()))
    apart = ldtk(write(tmp_path / "b.ldtk", raw))
    assert [one.kind for one in apart.entities] == [one.kind for one in together.entities]
    assert apart.bounds == together.bounds


def test_symbols_of_a_drawing_are_shown_by_use_only(tmp_path: Path) -> None:
    drawing = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 90 90">
    <symbol id="s"><rect class="box" width="10" height="10"/></symbol><g><symbol><circle r="9"/></symbol></g>
    <use href="#s" x="40" y="40"/><use xlink:href="#s" x="60" y="40"/><rect y="80" width="90" height="10"/></svg>"""
    found = svg(write(tmp_path / "s.svg", drawing))
    assert [one.kind for one in found.entities] == ["box", "box", "ground"]
    lefts = [one.components[0].position[:, 0].min() for one in found.entities[:2]]
    assert lefts == pytest.approx([4.0, 6.0], abs=0.2)


def caves(columns: int, rows: int) -> NDArray[np.bool_]:
    """Return cells, about half of them full, in lumps some cells wide as those of caves that people
    paint.
    """
    noise = np.random.default_rng(7).random((rows, columns))
    for _ in range(4):
        noise = (
            sum(
                np.roll(noise, shift, (0, 1))
                for shift in ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))
            )
            / 5.0
        )
    return noise > 0.5


def in_chunks(full: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Return the cells of a layer of an infinite map, as Tiled writes them."""
    corners = [(x, y) for y in range(0, len(full), 16) for x in range(0, full.shape[1], 16)]
    blocks = [
        np.pad(full[y : y + 16, x : x + 16], ((0, 16), (0, 16)))[:16, :16] for x, y in corners
    ]
    return [
        {"x": x, "y": y, "width": 16, "height": 16, "data": block.astype(np.int64).ravel().tolist()}
        for (x, y), block in zip(corners, blocks, strict=True)
    ]


@pytest.mark.parametrize("infinite", [False, True])
def test_a_large_ordinary_map_is_read(tmp_path: Path, infinite: bool) -> None:
    """What is asked of shapely is few shapes: its union of as many rectangles as rows have runs
    takes far longer.
    """
    full = caves(400, 200)
    layer = tiles_layer(full.astype(np.int64).ravel().tolist(), width=400, height=200)
    if infinite:
        layer = tiles_layer([], chunks=in_chunks(full))
    raw = map_of(
        layer, tilesets=[tileset(tile(0, SQUARE))], width=400, height=200, infinite=infinite
    )
    found = tiled(write(tmp_path / "map.tmj", raw))
    polygons = [
        shapely.Polygon(part.vertices) for one in found.entities for part in one.components[:1]
    ]
    assert sum(one.area for one in polygons) == pytest.approx(full.sum())


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.8, 1.0])
def test_outlines_of_cells_cover_these_and_nothing_else(share: float) -> None:
    full = np.random.default_rng(3).random((23, 31)) < share
    rows, columns = nonzero(full)
    cells = shapely.union_all(shapely.box(1 + 2 * columns, rows, 3 + 2 * columns, rows + 1))
    (made,) = outlines_of(
        argwhere(full), np.array((1.0, 0.0)), np.array((2.0, 1.0)), Budget("test")
    )
    assert made.is_valid
    assert made.symmetric_difference(cells).area == 0.0
    assert len(polygons_of(made)) == len(polygons_of(cells))
    assert not outlines_of(argwhere(full & False), np.zeros(2), np.ones(2), Budget("test"))
