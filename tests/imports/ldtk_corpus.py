"""Traits of projects of LDtk, and what they become; each is one row.

Levels are 8 x 6 cells of 16 pixels.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.imports.map_corpus import COLUMNS, FLOOR, FLOOR_AREA, ROWS, Case, Expected, Raw, box

FLOOR_ENTITY = {"px": [32, 32], "width": 32, "height": 16, "__pivot": [0, 0], "defUid": 5}
HERE = ((3.0, 3.5), (2.0, 1.0))


def grid(**more: Any) -> Raw:
    plain = {
        "__identifier": "Walls",
        "__type": "IntGrid",
        "__gridSize": 16,
        "__cWid": COLUMNS,
        "__cHei": ROWS,
    }
    return {
        **plain,
        "layerDefUid": 1,
        "intGridCsv": FLOOR,
        "autoLayerTiles": [],
        "gridTiles": [],
        **more,
    }


def entities(*found: Raw) -> Raw:
    return {
        "__identifier": "Things",
        "__type": "Entities",
        "__gridSize": 16,
        "entityInstances": [*found],
    }


def entity(name: str, **more: Any) -> Raw:
    fields = more.pop("fields", {})
    given = [
        {"__identifier": key, "__value": value, "__type": "String"} for key, value in fields.items()
    ]
    return {"__identifier": name, **FLOOR_ENTITY, "fieldInstances": given, **more}


def level(name: str, *layers: Raw, **more: Any) -> Raw:
    plain = {
        "identifier": name,
        "worldX": 0,
        "worldY": 0,
        "worldDepth": 0,
        "pxWid": 128,
        "pxHei": 96,
    }
    return {**plain, "layerInstances": [*layers] or [grid()], **more}


def project(*levels: Raw, **more: Any) -> Raw:
    values = [{"value": 1, "identifier": "wall"}, {"value": 2, "identifier": "water"}]
    defs = {"layers": [{"uid": 1, "identifier": "Walls", "intGridValues": values}], "entities": []}
    plain = {"jsonVersion": "1.5.3", "worldLayout": "Free", "defs": defs, "worlds": []}
    return {**plain, "levels": [*levels] or [level("A")], **more}


def _rows() -> Iterator[tuple[str, Raw, Expected]]:
    floor = Expected(FLOOR_AREA, colliders=1)
    yield "floor", project(), floor
    for version in ("0.7.2", "0.8.0", "0.9.3", "1.0.0", "1.5.3"):
        yield f"of {version}", project(jsonVersion=version), floor
    for version in ("0.2.0", "0.5.0", "0.6.2"):
        said = (
            f"was saved by LDtk {version}, and files older than 0.7 are not read; open it in "
            "a current LDtk"
        )
        yield f"of {version}", project(jsonVersion=version), Expected(refused=said)
    old = grid(intGrid=[{"coordId": 40 + number, "v": 0} for number in range(COLUMNS)])
    del old["intGridCsv"]
    yield "cells of 0.7", project(level("A", old), jsonVersion="0.7.0"), floor
    small = {"px": [32, 32], "__identifier": "Chest", "defUid": 5, "fieldInstances": []}
    defined = {
        "layers": [],
        "entities": [{"uid": 5, "width": 32, "height": 16, "pivotX": 0.5, "pivotY": 1}],
    }
    raw = project(level("A", entities(small)), defs=defined, jsonVersion="0.7.0")
    yield "sizes of entities of 0.7", raw, Expected(places=[("Chest", "Chest", (2, 4.5), (2, 1))])
    yield (
        "an entity",
        project(level("A", entities(entity("Box")))),
        Expected(bodies=[("box", *HERE)]),
    )
    stranger = entity("Box", fields={"loot": "gold", "densty": 2.0})
    expected = Expected(
        bodies=[("box", *HERE)],
        kept={"loot": "gold", "densty": 2.0},
        notes=["'loot'", "mean density?"],
    )
    yield "strange fields of a box", project(level("A", entities(stranger))), expected
    bad = entity("Box", fields={"density": "heavy"})
    yield (
        "bad value of a field",
        project(level("A", entities(bad))),
        Expected(refused="entity 'Box'"),
    )
    yield (
        "a rope",
        project(level("A", entities(entity("Rope")))),
        Expected(
            places=[("Rope", "Rope", *HERE)], notes=["'Rope': LDtk has neither lines nor polygons"]
        ),
    )
    flat = level("A", entities(entity("Blob", width=0, height=0)))
    yield (
        "a blob of no size",
        project(flat),
        Expected(places=[("Blob", "Blob", (2, 4), (0, 0))], notes=["no area"]),
    )
    moods = entities(entity("Blob", width=16, fields={"mood": "Happy", "style": "Body"}))
    yield (
        "words as values of an enum",
        project(level("A", moods)),
        Expected(bodies=[("blob", (2.5, 3.5), (1, 1))]),
    )
    broken = level("A", grid(intGridCsv=[1, 1]))
    yield (
        "too few cells",
        project(broken),
        Expected(refused="layer 'Walls': it has 2 cells; expected 48"),
    )
    sizeless = level("A") | {"pxWid": None}
    yield (
        "a level without a width",
        project(sizeless),
        Expected(refused="pxWid is missing; expected a number"),
    )
    chest = entity("Chest", fields={"gold": 5})
    expected = Expected(places=[("Chest", "Chest", *HERE)], kept={"gold": 5})
    yield "a place", project(level("A", entities(chest))), expected
    aside = entity("Chest", __pivot=[0.5, 1], px=[48, 48])
    yield (
        "a pivot",
        project(level("A", entities(aside))),
        Expected(places=[("Chest", "Chest", *HERE)]),
    )
    pictured = entity("Chest", __tile={"x": 0, "y": 0})
    expected = Expected(places=[("Chest", "Chest", *HERE)], notes=["its picture is left out"])
    yield "a picture of an entity", project(level("A", entities(pictured))), expected
    two = [level("A"), level("B", worldX=128)]
    yield "levels beside each other", project(*two), Expected([box(0, 0, 16, 1)], colliders=1)
    row = [level("A", worldX=-1, worldY=-1), level("B", worldX=-1, worldY=-1)]
    yield (
        "levels in a row",
        project(*row, worldLayout="LinearHorizontal"),
        Expected([box(0, 0, 16, 1)]),
    )
    column = Expected([box(0, 6, 8, 7), box(0, 0, 8, 1)])
    yield "levels in a column", project(*row, worldLayout="LinearVertical"), column
    depths = [level("A"), level("B", worldDepth=1, worldY=-8), level("C", worldDepth=-1)]
    above = Expected(
        FLOOR_AREA,
        colliders=1,
        notes=["levels of depth 0 are taken; 2 of other depths are left out ('B'"],
    )
    yield "levels of several depths", project(*depths), above
    one = Expected(FLOOR_AREA, notes=["levels of depth 1 are taken; 1 of other depths"])
    yield "no level of depth 0", project(level("A", worldDepth=2), level("B", worldDepth=1)), one
    worlds = [
        {"identifier": name, "worldLayout": "Free", "levels": [level(name)]} for name in ("P", "Q")
    ]
    apart = Expected(
        [box(0, 0, 8, 1), box(12, 0, 20, 1)], notes=["2 worlds, which lie side by side"]
    )
    raw = project(worlds=worlds) | {"levels": []}
    yield "several worlds", raw, apart
    aside = {"identifier": "R", "worldLayout": "Free", "levels": [level("R", worldDepth=1)]}
    fewer = Expected(
        apart.ground,
        notes=["levels of depth 0 are taken; 1 of other", "2 worlds, which lie side by side"],
    )
    yield (
        "several worlds, one of another depth",
        project(worlds=[*worlds, aside]) | {"levels": []},
        fewer,
    )
    tiled = entity("Box", fields={"tile": {"tilesetUid": 1, "x": 0, "y": 0, "w": 16, "h": 16}})
    expected = Expected(
        bodies=[("box", *HERE)], notes=["box: the property 'tile' is none of the library's"]
    )
    yield "a field that is a tile", project(level("A", entities(tiled))), expected
    words = entity("Ground", fields={"category": "Stone", "velocity": 2.0})
    expected = Expected(
        [box(2, 3, 4, 4)],
        notes=["'category' with the value 'Stone'", "'velocity' with the value 2.0"],
    )
    yield "fields that are called as options", project(level("A", entities(words))), expected
    seen = level("A", bgRelPath="sky.png", bgColor="#102030")
    yield (
        "a background",
        project(seen),
        Expected(FLOOR_AREA, notes=["background picture", "background colour"]),
    )
    tiles = grid(autoLayerTiles=[{"px": [0, 0], "src": [0, 0], "f": 0, "t": 0}])
    yield (
        "pictures of tiles",
        project(level("A", tiles)),
        Expected(FLOOR_AREA, notes=["the pictures of its tiles"]),
    )
    moving = {"layers": [{"uid": 1, "identifier": "Walls", "parallaxFactorX": 0.5}], "entities": []}
    yield "parallax", project(defs=moving), Expected(FLOOR_AREA, notes=["its parallax is left out"])
    shifted = level("A", grid(__pxTotalOffsetX=8, __pxTotalOffsetY=-16))
    yield "a layer with an offset", project(shifted), Expected([box(0.5, 1, 8.5, 2)])
    later = level("A", grid(shimmer=1))
    newer = project() | {"shimmer": 3, "worldGridWidth": 64}
    noted = Expected(FLOOR_AREA, notes=["the project: 'shimmer', which is not known, is left out"])
    yield "a key of a later project", newer, noted
    yield (
        "a key of a later LDtk",
        project(later),
        Expected(FLOOR_AREA, notes=["'shimmer', which is not known"]),
    )
    yield (
        "a level without layers",
        project(level("A") | {"layerInstances": None}),
        Expected(notes=["level 'A' has no layers", "there is nothing in it"]),
    )
    yield "no levels", project() | {"levels": []}, Expected(notes=["has no levels"])
    yield (
        "no project",
        {"entities": []},
        Expected(refused="is no project of LDtk: it has no levels"),
    )


def ldtk_cases() -> Iterator[Case]:
    """Yield projects, those with files beside them, and levels."""
    for name, raw, expected in _rows():
        yield Case(f"{name}.ldtk", "map.ldtk", {"map.ldtk": json.dumps(raw).encode()}, expected)
    floor = Expected(FLOOR_AREA, colliders=1)
    whole = json.dumps(level("A")).encode()
    yield Case("a level of its own.ldtkl", "A.ldtkl", {"A.ldtkl": whole}, floor)
    apart = level("A") | {"layerInstances": None, "externalRelPath": "map/A.ldtkl"}
    files = {"map.ldtk": json.dumps(project(apart)).encode(), "map/A.ldtkl": whole}
    yield Case("levels in files.ldtk", "map.ldtk", files, floor)
    missing = Expected(refused="there is no file 'map/A.ldtkl'")
    yield Case("a level that is missing.ldtk", "map.ldtk", {"map.ldtk": files["map.ldtk"]}, missing)
    above = project(level("A"), apart | {"worldDepth": 1})
    taken = Expected(FLOOR_AREA, notes=["1 of other depths are left out"])
    files = {"map.ldtk": json.dumps(above).encode()}
    yield Case("a level of another depth that is missing.ldtk", "map.ldtk", files, taken)
    placed = {
        "map.ldtk": json.dumps(project(level("B"), apart, worldLayout="LinearHorizontal")).encode()
    }
    row = Expected([box(0, 0, 16, 1)], colliders=1)
    yield Case("levels in files in a row.ldtk", "map.ldtk", {**placed, "map/A.ldtkl": whole}, row)
    yield Case("ldtk as json", "map.json", {"map.json": json.dumps(project()).encode()}, floor)
