"""Traits of objects and templates of Tiled, and what they become; each is one row."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from tests.imports.map_corpus import (
    FLIP_X,
    FLOOR,
    FLOOR_AREA,
    PICTURED,
    SQUARE,
    WEDGE,
    Corners,
    Expected,
    Raw,
    box,
    map_of,
    objects_layer,
    png,
    prop,
    thing,
    tile,
    tiles_layer,
    tileset,
    xml,
)

Trait = tuple[str, Raw, dict[str, bytes], Expected]
"""Name, map, files beside it and what it becomes."""
SOLID = [prop("solid", True)]


def ellipse(x: float, y: float, width: float, height: float, count: int = 32) -> Corners:
    turns = [2.0 * math.pi * number / count for number in range(count)]
    return [(x + 0.5 * width * math.cos(turn), y + 0.5 * height * math.sin(turn)) for turn in turns]


def capsule(left: float, bottom: float, right: float, top: float) -> Corners:
    """Return one that lies, with ends of 16 edges."""
    radius = 0.5 * (top - bottom)
    found = []
    for middle, start in ((right - radius, -90.0), (left + radius, 90.0)):
        turns = [math.radians(start + 180.0 * number / 16) for number in range(17)]
        found += [
            (middle + radius * math.cos(turn), bottom + radius + radius * math.sin(turn))
            for turn in turns
        ]
    return found


def with_objects(*objects: Raw, **more: Any) -> Raw:
    return map_of(objects_layer(*objects), **more)


def objects() -> Iterator[Trait]:
    at: Raw = {"x": 16, "y": 32, "width": 32, "height": 16}
    here = ((2.0, 3.5), (2.0, 1.0))
    yield "rectangle", with_objects(thing(1, **at)), {}, Expected([box(1, 3, 3, 4)])
    yield (
        "ellipse",
        with_objects(thing(1, ellipse=True, **at)),
        {},
        Expected([ellipse(2, 3.5, 2, 1)]),
    )
    yield "capsule", with_objects(thing(1, capsule=True, **at)), {}, Expected([capsule(1, 3, 3, 4)])
    yield "turned", with_objects(thing(1, rotation=90, **at)), {}, Expected([box(0, 2, 1, 4)])
    corners = [{"x": 0, "y": 0}, {"x": 32, "y": 0}, {"x": 0, "y": -16}]
    yield (
        "polygon",
        with_objects(thing(1, x=16, y=32, polygon=corners)),
        {},
        Expected([[(1, 4), (3, 4), (1, 5)]]),
    )
    line = thing(1, x=16, y=32, polyline=corners)
    yield "polyline", with_objects(line), {}, Expected(lines=[[(1, 4), (3, 4), (1, 5)]])
    point = thing(1, name="start", x=16, y=32, point=True)
    yield "point", with_objects(point), {}, Expected(places=[("start", "", (1, 4), (0, 0))])
    hanging = thing(
        1,
        type="rope",
        x=16,
        y=16,
        polyline=[{"x": 0, "y": 0}, {"x": 32, "y": 64}, {"x": 64, "y": 0}],
    )
    yield (
        "rope with corners",
        with_objects(hanging),
        {},
        Expected(bodies=[("rope", (3, 3), (4, 4))]),
    )
    text = thing(1, text={"text": "Jump!", "wrap": True}, **at)
    expected = Expected(
        places=[("", "text", *here)], kept={"text": "Jump!"}, notes=["texts are places"]
    )
    yield "text", with_objects(text), {}, expected
    named = thing(1, name="door", **at)
    yield "a name without a class", with_objects(named), {}, Expected(places=[("door", "", *here)])
    yield (
        "a name in a solid layer",
        map_of(objects_layer(named, properties=SOLID)),
        {},
        Expected([box(1, 3, 3, 4)]),
    )
    yield (
        "a line with a name",
        with_objects(line | {"name": "path"}),
        {},
        Expected(places=[("path", "", (2, 4.5), (2, 1))]),
    )
    for key in ("type", "class"):
        boxed = thing(1, **at) | {key: "box"}
        yield f"a box by its {key}", with_objects(boxed), {}, Expected(bodies=[("box", *here)])
        coin = thing(1, **at) | {key: "coin", "properties": [prop("worth", 3)]}
        yield (
            f"a coin by its {key}",
            with_objects(coin),
            {},
            Expected(places=[("", "coin", *here)], kept={"worth": 3}),
        )
    near = Expected(places=[("", "blobb", *here)], notes=["did you mean blob?"])
    yield "a class that is misspelt", with_objects(thing(1, type="blobb", **at)), {}, near
    yield (
        "sensor",
        with_objects(thing(1, type="sensor", **at)),
        {},
        Expected(bodies=[("sensor", *here)]),
    )
    flat = thing(1, type="wall", x=16, y=16, width=32)
    yield (
        "without area",
        with_objects(flat),
        {},
        Expected(notes=["has no area", "there is nothing in it"]),
    )
    spot = thing(1, type="wall", x=16, y=16, polyline=[{"x": 0, "y": 0}, {"x": 0, "y": 0}])
    yield (
        "without length",
        with_objects(spot),
        {},
        Expected(notes=["has no length", "there is nothing in it"]),
    )
    yield (
        "rope as a rectangle",
        with_objects(thing(1, type="rope", **at)),
        {},
        Expected(places=[("", "rope", *here)], notes=["a rope is a polyline"]),
    )
    yield (
        "box as a line",
        with_objects(line | {"type": "box"}),
        {},
        Expected(places=[("", "box", (2, 4.5), (2, 1))], notes=["a box is a closed shape"]),
    )
    yield (
        "hidden object",
        with_objects(thing(1, visible=False, **at)),
        {},
        Expected([box(1, 3, 3, 4)]),
    )
    files = {"tiles.png": png()}
    alignments = {
        "unspecified": (0, 1), "bottomleft": (0, 1), "bottom": (0.5, 1), "bottomright": (1, 1),
        "left": (0, 0.5), "center": (0.5, 0.5), "right": (1, 0.5), "topleft": (0, 0),
        "top": (0.5, 0), "topright": (1, 0),
    }  # fmt: skip
    for name, (x, y) in alignments.items():
        aligned = [tileset(**PICTURED, objectalignment=name)]
        lies = thing(1, type="box", x=64, y=48, width=32, height=32, gid=2)
        expected = Expected(bodies=[("box", (4 + 2 * (0.5 - x), 3 - 2 * (0.5 - y)), (2, 2))])
        yield f"tile aligned {name}", with_objects(lies, tilesets=aligned), files, expected
    turned = thing(1, type="ground", x=64, y=48, width=32, height=16, gid=2, rotation=90)
    aligned = [tileset(**PICTURED, objectalignment="topleft")]
    yield (
        "tile aligned and turned",
        with_objects(turned, tilesets=aligned),
        files,
        Expected([box(3, 1, 4, 3)]),
    )
    # as Tiled draws it: stretched, turned
    moved = [tileset(tile(0, SQUARE), tileoffset={"x": 4, "y": -8}, **PICTURED)]
    for angle, there in ((0, box(4.5, 3.5, 6.5, 4.5)), (90, box(4.5, 0.5, 5.5, 2.5))):
        lies = thing(1, type="ground", x=64, y=48, width=32, height=16, gid=1, rotation=angle)
        yield (
            f"tile with an offset, turned by {angle}",
            with_objects(lies, tilesets=moved),
            files,
            Expected([there]),
        )
    coin = thing(1, type="coin", x=64, y=48, width=16, height=16, gid=1)
    expected = Expected(
        places=[("", "coin", (4.5, 3.5), (1, 1))],
        notes=["are not drawn: the game draws them"],
        drawn=0,
    )
    yield (
        "tile of a class of its own",
        with_objects(coin, tilesets=[tileset(**PICTURED)]),
        files,
        expected,
    )
    faint = objects_layer(thing(1, type="box", **at), opacity=0.5)
    yield "objects that are half clear", map_of(faint), {}, Expected(bodies=[("box", *here)])
    crate = tileset(tile(1, type="box", properties=[prop("density", 2.0)]), **PICTURED)
    unsized = {
        key: value
        for key, value in thing(1, x=64, y=48, gid=2).items()
        if key not in ("width", "height")
    }
    yield (
        "tile without a size",
        with_objects(unsized, tilesets=[crate]),
        files,
        Expected(bodies=[("box", (4.5, 3.5), (1, 1))]),
    )
    shaped = tileset(tile(0, WEDGE), **PICTURED)
    flipped = thing(1, x=16, y=48, width=32, height=32, gid=1 | FLIP_X)
    yield (
        "tile as an object, flipped",
        with_objects(flipped, tilesets=[shaped]),
        files,
        Expected([[(3, 5), (1, 3), (3, 3)]], places=[("", "", (2, 4), (2, 2))], drawn=1),
    )
    lies = thing(1, x=16, y=48, width=32, height=16, gid=1, rotation=90)
    turned_one = Expected([box(1, 1, 2, 3)], places=[("", "", (1.5, 2), (1, 2))], drawn=1)
    of_tile = [tileset(tile(0, properties=SOLID), **PICTURED)]
    yield "solid tile as an object", with_objects(lies, tilesets=of_tile), files, turned_one
    in_solid = map_of(objects_layer(lies, properties=SOLID), tilesets=[tileset(**PICTURED)])
    yield "tile as an object of a solid layer", in_solid, files, turned_one
    nowhere = Expected([box(1, 1, 2, 3)], places=[("", "", (1.5, 2), (1, 2))], drawn=0)
    yield "a tile of no tileset in a solid layer", in_solid | {"tilesets": []}, {}, nowhere
    coin = with_objects(thing(1, type="coin", x=16, y=48, gid=1, width=16, height=16), tilesets=[
        tileset(tile(0, image="gone.png", imagewidth=16, imageheight=16), columns=0)
    ])  # fmt: skip
    expected = Expected(places=[("", "coin", (1.5, 3.5), (1, 1))], notes=["are not drawn"])
    yield "a picture that is missing, and not drawn", coin, {}, expected


def templates() -> Iterator[Trait]:
    files = {"tiles.png": png()}
    crate: Raw = {
        "type": "template",
        "object": thing(1, name="crate", type="box", width=16, height=32),
    }
    uses = [thing(1, template="crate.tx", x=32, y=32)]
    own = {key: value for key, value in uses[0].items() if key in ("id", "template", "x", "y")}
    stands = Expected(bodies=[("box", (2.5, 3), (1, 2))])
    for ending in (".tx", ".tj"):
        content = {f"crate{ending}": xml(crate) if ending == ".tx" else json.dumps(crate).encode()}
        yield (
            f"template in {ending}",
            with_objects(own | {"template": f"crate{ending}"}),
            content,
            stands,
        )
    block: Raw = {"type": "template", "object": thing(1, width=16, height=16)}
    used = {"id": 1, "template": "block.tx", "x": 0, "y": 0}
    shaped = {"id": 0, "objectgroup": {"objects": [used]}}
    inside = map_of(tiles_layer(FLOOR), tilesets=[tileset(shaped)])
    yield "template as a collision shape", inside, {"block.tx": xml(block)}, Expected(FLOOR_AREA)
    other = tileset(tile(0, type="ball"), tile(1, type="box"), name="other", **PICTURED)
    named: Raw = {
        "type": "template", "tileset": {"firstgid": 1, "source": "other.tsx"},
        "object": thing(1, width=16, height=16, gid=2),
    }  # fmt: skip
    files |= {"other.tsx": xml(other | {"type": "tileset"}), "crate.tx": xml(named)}
    first = tileset(tile(1, type="coin"), **PICTURED)
    boxes = Expected(bodies=[("box", (2.5, 4.5), (1, 1))])
    yield "template with a tileset of its own", with_objects(own, tilesets=[first]), files, boxes
    both = [first, {"firstgid": 5, "source": "other.tsx"}]
    yield "template with a tileset of the map", with_objects(own, tilesets=both), files, boxes
    older = with_objects(own | {"type": "blob"})
    content = {
        "crate.tx": xml(crate | {"object": thing(1, width=16, height=16) | {"class": "box"}})
    }
    expected = Expected(bodies=[("blob", (2.5, 3.5), (1, 1))])
    yield "class of a template, and type of its object", older, content, expected
    skinned: Raw = {"type": "template", "object": thing(1, type="box", width=16, height=16)}
    skinned["object"]["properties"] = [
        prop("picture", "skin.png", "file"),
        prop("note", "notes/a.txt", "file"),
    ]
    content = {"parts/crate.tx": xml(skinned), "parts/skin.png": png()}
    there = {"note": "parts/notes/a.txt"}
    expected = Expected(bodies=[("box", (2.5, 3.5), (1, 1))], kept=there, notes=["'note'"])
    yield (
        "a file that a template names",
        with_objects(own | {"template": "parts/crate.tx"}),
        content,
        expected,
    )
    boxed = tileset(tile(0, type="box", properties=skinned["object"]["properties"]), type="tileset")
    content = {"parts/set.tsx": xml(boxed), "parts/skin.png": png()}
    of_set = with_objects(thing(1, gid=1, x=32, y=48, width=16, height=16), tilesets=[
        {"firstgid": 1, "source": "parts/set.tsx"}
    ])  # fmt: skip
    yield "a file that a tileset names", of_set, content, expected
    skinned["object"]["properties"] = [prop("picture", "../../../skin.png", "file")]
    outside = {"parts/crate.tx": xml(skinned)}
    refused = Expected(refused="'skin.png' is outside of the folder")
    far = with_objects(own | {"template": "parts/crate.tx"})
    yield "a file far from what a template may name", far, outside, refused
    wrong = {"crate.tx": b"<template/>"}
    yield (
        "template without an object",
        with_objects(own),
        wrong,
        Expected(refused="crate.tx is no template of Tiled"),
    )
    yield (
        "template that is missing",
        with_objects(own),
        {},
        Expected(refused="there is no file 'crate.tx'"),
    )
