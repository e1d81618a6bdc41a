"""Tiled maps, LDtk projects and SVG drawings."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, StaticCollider
from ecs_softbody.imports import Imported, import_file, ldtk, svg, tiled
from ecs_softbody.rendering import Look, Skin
from tests.imports.samples import SVG, a_map, a_project, packed, write


def kinds(found: Imported) -> dict[str, int]:
    names = [one.kind for one in found.entities]
    return {name: names.count(name) for name in names}


def area(points: Any) -> float:
    x, y = np.asarray(points).T
    return 0.5 * abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()))


def grounds(found: Imported) -> list[StaticCollider]:
    return [one.components[0] for one in found.entities if one.kind == "ground"]


def test_tiles_are_merged_to_outlines(tmp_path: Path) -> None:
    found = tiled(write(tmp_path, "map.tmj", a_map()))
    closed = [wall for wall in grounds(found) if wall.closed]
    assert sorted(round(area(wall.vertices), 6) for wall in closed) == [5.0, 12.0, 42.0]
    assert found.bounds == (0.0, 0.0, 24.0, 12.0)
    valley = max(closed, key=lambda wall: area(wall.vertices))
    assert len(valley.vertices) == 8  # 4 corners, and 4 of the valley


def test_objects_become_what_their_class_says(tmp_path: Path) -> None:
    found = tiled(write(tmp_path, "map.tmj", a_map()))
    assert kinds(found) == {"ground": 4, "blob": 1, "box": 1, "body": 1, "rope": 1}
    hero = next(one for one in found.entities if one.name == "hero")
    look = next(part for part in hero.components if isinstance(part, Look))
    assert look.fill == (64, 192, 96, 255)
    np.testing.assert_allclose(
        hero.components[0].position.mean(axis=0), (3.0, 12.0 - 4.75), atol=1e-6
    )
    (coin,) = found.places
    assert (coin.name, coin.kind, coin.position) == ("c1", "coin", (6.25, 5.75))


def test_a_found_map_is_spawned_and_stands(tmp_path: Path) -> None:
    found = tiled(write(tmp_path, "map.tmj", a_map()))
    with Simulation(world="map") as sim:
        entities = found.spawn(sim)
        for _ in range(120):
            sim.step(1.0 / 60.0)
        hero = entities[[one.name for one in found.entities].index("hero")]
        assert sim.get(hero, Particles).position[:, 1].min() > 1.0


def test_chunks_csv_and_packed_layers_are_the_same(tmp_path: Path) -> None:
    plain = a_map()
    packed_map = a_map()
    layer = plain["layers"][0]
    layer["data"] = np.frombuffer(zlib.decompress(base64.b64decode(layer["data"])), "<u4").tolist()
    del layer["encoding"], layer["compression"]
    infinite = a_map()
    layer = infinite["layers"][0]
    cells = np.frombuffer(zlib.decompress(base64.b64decode(layer["data"])), "<u4").reshape(12, 24)
    layer["chunks"] = [
        {
            "x": x,
            "y": 0,
            "width": 12,
            "height": 12,
            "data": packed(cells[:, x : x + 12].ravel().tolist()),
        }
        for x in (0, 12)
    ]
    del layer["data"]
    outlines = [
        sorted(
            round(area(wall.vertices), 6)
            for wall in grounds(tiled(write(tmp_path, f"{name}.tmj", raw)))
        )
        for name, raw in (("plain", plain), ("packed", packed_map), ("infinite", infinite))
    ]
    assert outlines[0] == outlines[1] == outlines[2]


def test_tilesets_may_lie_beside_the_map(tmp_path: Path) -> None:
    raw = a_map()
    tileset = raw["tilesets"][0]
    raw["tilesets"] = [{"firstgid": 1, "source": "tiles.tsj"}]
    write(tmp_path, "tiles.tsj", tileset)
    inside = tiled(write(tmp_path, "map.tmj", raw))
    raw["tilesets"] = [{"firstgid": 1, "source": "tiles.tsx"}]
    shapes = (
        '<tile id="0"><objectgroup><object id="1" x="0" y="0" width="16" '
        'height="16"/></objectgroup></tile>'
        '<tile id="1"><objectgroup><object id="1" x="0" y="0"><polygon points="0,0 16,16 '
        '0,16"/></object></objectgroup>'
        "</tile>"
    )
    head = (
        '<tileset version="1.10" name="t" tilewidth="16" tileheight="16" tilecount="2" columns="2">'
    )
    write(tmp_path, "tiles.tsx", f"{head}{shapes}</tileset>")
    beside = tiled(write(tmp_path, "map.tmj", raw))
    assert (
        kinds(inside) == kinds(beside) == {"ground": 4, "blob": 1, "box": 1, "body": 1, "rope": 1}
    )


def test_tiles_without_shapes_are_told_or_made_solid(tmp_path: Path) -> None:
    raw = a_map()
    raw["tilesets"][0]["tiles"] = []
    assert "no tile of it has a collision shape" in tiled(write(tmp_path, "map.tmj", raw)).notes[0]
    raw["layers"][0]["properties"] = [{"name": "solid", "type": "bool", "value": True}]
    found = tiled(write(tmp_path, "map.tmj", raw))
    assert max(area(wall.vertices) for wall in grounds(found)) == pytest.approx(43.0)


def test_ldtk_grids_and_entities(tmp_path: Path) -> None:
    path = write(tmp_path, "world.ldtk", a_project())
    found = ldtk(path)
    assert kinds(found) == {"ground": 3, "blob": 1}
    assert [place.kind for place in found.places] == ["Coin"]
    assert kinds(ldtk(path, solid=("wall",))) == kinds(ldtk(path, level="First"))
    assert kinds(ldtk(path, solid=(7,))) == {"blob": 1}
    with pytest.raises(
        ValueError, match=r"ldtk\.level: 'Second' is not allowed; expected one of First"
    ):
        ldtk(path, level="Second")


def test_svg_shapes_have_curves_transforms_and_holes(tmp_path: Path) -> None:
    found = svg(write(tmp_path, "drawing.svg", SVG))
    assert kinds(found) == {"ground": 2, "body": 1, "blob": 1, "rope": 1, "box": 1}
    ring = next(one for one in found.entities if one.name == "ring")
    particles, springs = ring.components[:2]
    middle = particles.position.mean(axis=0)
    np.testing.assert_allclose(middle, (9.0, 6.3), atol=0.05)
    away = np.hypot(*(particles.position - middle).T)
    assert away.max() == pytest.approx(36 * 9 / 200, rel=0.03)
    across = particles.position[springs.pairs].mean(axis=1) - middle
    assert np.hypot(*across.T).min() > 0.8 * 14.4 * 9 / 200
    # one can see through the hole
    assert any(isinstance(part, Skin) for part in ring.components)
    arc = next(one for one in found.entities if one.name == "arc").components[0]
    assert arc.closed  # as wide as its stroke
    assert arc.vertices[:, 1].max() == pytest.approx((200 - 89.5) * 9 / 200, abs=0.02)


@pytest.mark.parametrize(("rule", "expected"), [("nonzero", 100.0), ("evenodd", 75.0)])
def test_svg_fill_rules(tmp_path: Path, rule: str, expected: float) -> None:
    path = "M0 0H10V10H0Z M2.5 2.5H7.5V7.5H2.5Z"
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><path '
        f'fill-rule="{rule}" d="{path}"/></svg>'
    )
    found = svg(write(tmp_path, "rule.svg", text), height=10.0)
    assert sum(area(wall.vertices) for wall in grounds(found)) == pytest.approx(expected)


def test_an_unknown_property_is_kept_and_a_bad_value_names_its_object(tmp_path: Path) -> None:
    raw = a_map()
    raw["layers"][1]["objects"][0]["properties"] = [
        {"name": "radiuss", "type": "float", "value": 1}
    ]
    found = tiled(write(tmp_path, "map.tmj", raw))
    hero = next(one for one in found.entities if one.name == "hero")
    assert hero.properties == {"radiuss": 1}
    assert any(
        "'radiuss'" in note and note.endswith("(did you mean radius?)") for note in found.notes
    )
    raw["layers"][1]["objects"][0]["properties"][0] |= {"name": "radius", "value": "wide"}
    with pytest.raises(ValueError, match=r"map\.tmj, object 'hero' 1: .*'wide'"):
        tiled(write(tmp_path, "map.tmj", raw))


def test_files_are_told_apart_by_their_ending(tmp_path: Path) -> None:
    assert kinds(import_file(write(tmp_path, "a.svg", SVG)))["blob"] == 1
    with pytest.raises(ValueError, match=r"expected a file that ends in \.tmx"):
        import_file("a.txt")


def test_ldtk_tells_names_that_it_does_not_have_and_pictures_that_are_left_out(
    tmp_path: Path,
) -> None:
    project = a_project()
    layer = project["levels"][0]["layerInstances"][1]
    layer |= {
        "__identifier": "Walls",
        "autoLayerTiles": [{"px": [0, 0], "src": [0, 0], "f": 0, "t": 0}],
    }
    path = write(tmp_path, "world.ldtk", project)
    assert ldtk(path).notes == ["layer 'Walls': the pictures of its tiles are left out"]
    assert ldtk(path, solid=("wall",)).entities
    with pytest.raises(
        ValueError, match=r"ldtk\.solid: 'wal' is not allowed; expected one of wall"
    ):
        ldtk(path, solid=("wal",))
