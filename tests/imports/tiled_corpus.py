"""Traits of maps of Tiled, and what they become; each is one row."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from tests.imports.map_corpus import (
    COLUMNS,
    FLIP_X,
    FLIP_Y,
    FLOOR,
    FLOOR_AREA,
    PICTURED,
    SQUARE,
    SWAP,
    Case,
    Expected,
    Raw,
    box,
    cells,
    map_of,
    objects_layer,
    packed,
    png,
    prop,
    thing,
    tile,
    tiles_layer,
    tileset,
    xml,
)
from tests.imports.tiled_objects_corpus import (
    SOLID,
    Trait,
    capsule,
    ellipse,
    objects,
    templates,
    with_objects,
)


def traits() -> Iterator[Trait]:
    """Yield name, map, files beside it and what it becomes."""
    yield from _layers()
    yield from _tiles()
    yield from objects()
    yield from templates()
    yield from _words()
    yield from _refused()


def _layers() -> Iterator[Trait]:
    floor = Expected(FLOOR_AREA, colliders=1)
    yield "layer as CSV", map_of(tiles_layer(FLOOR)), {}, floor
    for way in ("", "zlib", "gzip", "zstd"):
        layer = tiles_layer(packed(FLOOR, way), encoding="base64", compression=way)
        yield f"layer as base64 {way}", map_of(layer), {}, floor
    blocks = [
        {"x": x, "y": 0, "width": COLUMNS, "height": 6, "data": FLOOR} for x in (-8, 0)
    ]  # fmt: skip
    infinite = tiles_layer([], chunks=blocks)
    yield "infinite", map_of(infinite, infinite=True), {}, Expected([box(-8, 0, 8, 1)], colliders=1)
    apart = [{"x": x, "y": 5, "width": 1, "height": 1, "data": [1]} for x in (0, 1, 400, 401, -300)]
    expected = Expected([box(-300, 0, -299, 1), box(0, 0, 2, 1), box(400, 0, 402, 1)], colliders=3)
    yield (
        "infinite, chunks far apart",
        map_of(tiles_layer([], chunks=apart), infinite=True),
        {},
        expected,
    )
    again = [{"x": 0, "y": 5, "width": 2, "height": 1, "data": data} for data in ([1, 1], [0, 1])]
    expected = Expected([box(0, 0, 2, 1)], colliders=1)
    yield (
        "infinite, a chunk twice",
        map_of(tiles_layer([], chunks=again), infinite=True),
        {},
        expected,
    )
    for encoding in ("csv", "base64"):
        empty = tiles_layer([], name="empty", chunks=[], encoding=encoding)
        expected = Expected([box(-8, 0, 8, 1)], colliders=1)
        yield (
            f"infinite, with an empty layer as {encoding}",
            map_of(infinite, empty, infinite=True),
            {},
            expected,
        )
    far = [{"x": -64, "y": -32, "width": COLUMNS, "height": 1, "data": [1] * COLUMNS}]
    yield (
        "infinite, far away",
        map_of(tiles_layer([], chunks=far), infinite=True),
        {},
        Expected([box(-64, 37, -56, 38)]),
    )
    moved = tiles_layer(FLOOR, offsetx=8, offsety=-16)
    yield "layer with an offset", map_of(moved), {}, Expected([box(0.5, 1, 8.5, 2)])
    group: Raw = {
        "type": "group",
        "id": 7,
        "name": "g",
        "opacity": 1,
        "visible": True,
        "offsetx": 16,
        "offsety": 0,
    }
    inner = objects_layer(thing(1, x=0, y=0, width=16, height=16), offsety=16)
    nested = group | {"layers": [group | {"layers": [moved, inner]}]}
    yield (
        "groups in groups with offsets",
        map_of(nested),
        {},
        Expected([box(2.5, 1, 10.5, 2), box(2, 4, 3, 5)]),
    )
    yield from _said_of_groups()
    hidden = tiles_layer(FLOOR, visible=False)
    pictured = [tileset(tile(0, SQUARE), **PICTURED)]
    files = {"tiles.png": png()}
    yield "hidden layer", map_of(hidden, tilesets=pictured), files, Expected(FLOOR_AREA, drawn=0)
    yield "hidden layer alone", map_of(hidden), {}, Expected(FLOOR_AREA, clear=1)
    plain = objects_layer(thing(1, x=16, y=16, width=16, height=16))
    both = map_of(hidden, plain, tilesets=pictured)
    yield (
        "hidden layer and an object",
        both,
        files,
        Expected([*FLOOR_AREA, box(1, 4, 2, 5)], clear=1, drawn=0),
    )
    half = tiles_layer(cells(*((column, 5, 1) for column in range(4))), name="left")
    joined = Expected(FLOOR_AREA, colliders=1, clear=1, drawn=4)
    yield "hidden layer over a seen one", map_of(hidden, half, tilesets=pictured), files, joined
    unseen = map_of(objects_layer(thing(1, gid=1, x=16, y=16, width=16, height=16), visible=False))
    place = [("", "", (1.5, 5.5), (1, 1))]
    yield (
        "hidden tile that is an object",
        unseen,
        {},
        Expected([box(1, 5, 2, 6)], places=place, clear=1),
    )
    seen = group | {"visible": False, "offsetx": 0, "layers": [tiles_layer(FLOOR)]}
    yield "hidden group", map_of(seen, tilesets=pictured), files, Expected(FLOOR_AREA, drawn=0)
    bare = map_of(tiles_layer(FLOOR), tilesets=[tileset()])
    yield (
        "no shapes",
        bare,
        {},
        Expected(notes=["no tile of it has a collision shape", "there is nothing in it"]),
    )
    solid = map_of(tiles_layer(FLOOR, properties=SOLID), tilesets=[tileset()])
    yield "solid by property", solid, {}, floor
    yield (
        "solid by class",
        map_of(tiles_layer(FLOOR, **{"class": "solid"}), tilesets=[tileset()]),
        {},
        floor,
    )
    for text, solid_ones in (("true", FLOOR_AREA), ("True", FLOOR_AREA), ("false", [])):
        said = map_of(tiles_layer(FLOOR, properties=[prop("solid", text)]), tilesets=[tileset()])
        notes = (
            [] if solid_ones else ["no tile of it has a collision shape", "there is nothing in it"]
        )
        yield f"solid as the text {text}", said, {}, Expected(solid_ones, notes=notes)
    for value in ("yes", 1):
        said = map_of(tiles_layer(FLOOR, properties=[prop("solid", value)]))
        expected = Expected(
            refused=f"layer 'ground': solid: {value!r} is not allowed; expected true or false"
        )
        yield f"solid is {value}", said, {}, expected
    icy = map_of(tiles_layer(FLOOR, properties=[prop("friction", "icy")]))
    said_of_it = "layer 'ground': friction: 'icy' is not allowed; expected a number"
    yield "bad material of a layer", icy, {}, Expected(refused=said_of_it)
    ice = map_of(tiles_layer(FLOOR, properties=[*SOLID, prop("friction", 0.1)]))
    yield "layer with a material", ice, {}, floor
    sky: Raw = {
        "type": "imagelayer",
        "id": 3,
        "name": "sky",
        "image": "sky.png",
        "opacity": 1,
        "visible": True,
    }
    yield (
        "picture as a layer",
        map_of(sky, tiles_layer(FLOOR)),
        {},
        Expected(FLOOR_AREA, notes=["'sky' is a picture"]),
    )
    changed = tiles_layer(FLOOR, tintcolor="#ff0000", parallaxx=0.5, mode="multiply")
    notes = ["its tint is left out", "its parallax is left out", "its blend mode is left out"]
    yield "tint, parallax, blending", map_of(changed), {}, Expected(FLOOR_AREA, notes=notes)
    usual = tiles_layer(FLOOR, tintcolor="#ffffff", parallaxx=1, parallaxy=1, locked=True)
    yield "usual tint and parallax", map_of(usual), {}, Expected(FLOOR_AREA)
    later = tiles_layer(FLOOR, shimmer=3)
    yield (
        "a key of a later Tiled",
        map_of(later),
        {},
        Expected(FLOOR_AREA, notes=["'shimmer', which is not known"]),
    )
    coloured = map_of(tiles_layer(FLOOR), backgroundcolor="#204060")
    yield (
        "background colour",
        coloured,
        {},
        Expected(FLOOR_AREA, notes=["background colour is left out"]),
    )
    yield "empty map", map_of(), {}, Expected(notes=["there is nothing in it"])


def _said_of_groups() -> Iterator[Trait]:
    """What a group says counts for all in it that says nothing itself; two colliders are of two
    materials.
    """
    bare = [tileset()]
    floor = Expected(FLOOR_AREA, colliders=1)
    group: Raw = {"type": "group", "id": 7, "name": "g", "opacity": 1, "visible": True}
    solid = group | {"properties": SOLID, "layers": [group | {"layers": [tiles_layer(FLOOR)]}]}
    yield "solid by its group", map_of(solid, tilesets=bare), {}, floor
    of_class = group | {"class": "solid", "layers": [tiles_layer(FLOOR)]}
    yield "solid by the class of its group", map_of(of_class, tilesets=bare), {}, floor
    open_one = tiles_layer(FLOOR, properties=[prop("solid", False)])
    expected = Expected(notes=["no tile of it has a collision shape", "there is nothing in it"])
    yield (
        "not solid in a solid group",
        map_of(solid | {"layers": [open_one]}, tilesets=bare),
        {},
        expected,
    )
    named = objects_layer(thing(1, name="wall", x=0, y=80, width=128, height=16))
    yield "objects in a solid group", map_of(solid | {"layers": [named]}), {}, floor
    halves = [[(column, 5, 1) for column in columns] for columns in (range(4), range(4, 8))]
    left, right = (tiles_layer(cells(*half)) for half in halves)
    icy = group | {"properties": [prop("friction", 0.1)], "layers": [left]}
    as_icy = right | {"properties": [prop("friction", 0.1)]}
    yield "material of a group", map_of(icy, right), {}, Expected(FLOOR_AREA, colliders=2)
    yield "material of a group as that of a layer", map_of(icy, as_icy), {}, floor
    rough = icy | {"layers": [left | {"properties": [prop("friction", 0.9)]}, as_icy]}
    yield "material of a layer in a group", map_of(rough), {}, Expected(FLOOR_AREA, colliders=2)
    shaped = [tileset(tile(0, SQUARE), **PICTURED)]
    lies = thing(1, x=64, y=96, width=64, height=16, gid=1)
    place = [("", "", (6.0, 0.5), (4.0, 1.0))]
    for friction, count in ((0.1, 1), (0.2, 2)):
        layer = objects_layer(lies, properties=[prop("friction", friction)])
        expected = Expected(FLOOR_AREA, colliders=count, places=place, drawn=5)
        raw = map_of(icy, layer, tilesets=shaped)
        yield f"material of an object layer, {friction}", raw, {"tiles.png": png()}, expected
    bad = group | {"properties": [prop("friction", "icy")], "layers": []}
    said = Expected(refused="layer 'g': friction: 'icy' is not allowed; expected a number")
    yield "bad material of a group", map_of(bad), {}, said


def _tiles() -> Iterator[Trait]:
    for name, gid, corners in (
        ("as it is", 2, [(0, 6), (1, 5), (0, 5)]),
        ("flipped x", 2 | FLIP_X, [(1, 6), (0, 5), (1, 5)]),
        ("flipped y", 2 | FLIP_Y, [(0, 5), (1, 6), (0, 6)]),
        ("swapped", 2 | SWAP, [(0, 6), (1, 5), (1, 6)]),
        ("turned right", 2 | FLIP_X | SWAP, [(1, 6), (0, 5), (0, 6)]),
    ):
        yield (
            f"wedge {name}",
            map_of(tiles_layer(cells((0, 0, gid)))),
            {},
            Expected([corners], colliders=1),
        )
    round_one = tileset(tile(0, {"x": 0, "y": 0, "width": 16, "height": 8, "ellipse": True}))
    one = map_of(tiles_layer(cells((0, 0, 1))), tilesets=[round_one])
    yield "tile with an ellipse", one, {}, Expected([ellipse(0.5, 5.75, 1, 0.5)])
    pill = tileset(tile(0, {"x": 0, "y": 4, "width": 16, "height": 8, "capsule": True}))
    one = map_of(tiles_layer(cells((0, 0, 1))), tilesets=[pill])
    yield "tile with a capsule", one, {}, Expected([capsule(0, 5.25, 1, 5.75)])
    two = tileset(
        tile(
            0, {"x": 0, "y": 0, "width": 4, "height": 16}, {"x": 8, "y": 8, "width": 8, "height": 8}
        )
    )
    one = map_of(tiles_layer(cells((0, 0, 1))), tilesets=[two])
    yield (
        "tile with two shapes",
        one,
        {},
        Expected([box(0, 5, 0.25, 6), box(0.5, 5, 1, 5.5)], colliders=2),
    )
    leaning = tileset(tile(0, {"x": 8, "y": 0, "width": 8, "height": 8, "rotation": 90}))
    one = map_of(tiles_layer(cells((0, 0, 1))), tilesets=[leaning])
    yield "tile with a turned shape", one, {}, Expected([box(0, 5.5, 0.5, 6)])
    row = cells((0, 5, 1), (1, 5, 1), (2, 5, 3), (3, 5, 3))
    ice = tileset(tile(0, SQUARE), tile(2, SQUARE | {"properties": [prop("friction", 0.02)]}))
    seam = map_of(tiles_layer(row), tilesets=[ice])
    yield "two materials", seam, {}, Expected([box(0, 0, 4, 1)], colliders=2)
    of_tile = tileset(tile(0, SQUARE), tile(2, SQUARE, properties=[prop("restitution", 0.5)]))
    yield (
        "material of a tile",
        map_of(tiles_layer(row), tilesets=[of_tile]),
        {},
        Expected([box(0, 0, 4, 1)], colliders=2),
    )
    for of, bad in (
        ("tile 0 of 'set': ", tile(0, SQUARE, properties=[prop("friction", "icy")])),
        (
            "tile 0 of 'set', a collision shape: ",
            tile(0, SQUARE | {"properties": [prop("friction", "icy")]}),
        ),
    ):
        said = Expected(refused=f"{of}friction: 'icy' is not allowed; expected a number")
        yield f"bad material of {of}", map_of(tiles_layer(FLOOR), tilesets=[tileset(bad)]), {}, said
    for value, word in (
        ("true", ""),
        ("up", "tile 0 of 'set': one_way: 'up' is not allowed; expected true, false or"),
    ):
        one_way = tileset(tile(0, SQUARE, properties=[prop("one_way", value)]))
        expected = Expected(refused=word) if word else Expected(FLOOR_AREA)
        yield (
            f"one_way as the text {value}",
            map_of(tiles_layer(FLOOR), tilesets=[one_way]),
            {},
            expected,
        )
    of_solid = tileset(tile(0, properties=SOLID))
    yield (
        "solid tile",
        map_of(tiles_layer(FLOOR), tilesets=[of_solid]),
        {},
        Expected(FLOOR_AREA, colliders=1),
    )
    line = {"x": 0, "y": 0, "polyline": [{"x": 0, "y": 0}, {"x": 16, "y": 0}]}
    open_one = tileset(tile(0, line, SQUARE))
    expected = Expected(FLOOR_AREA, notes=["a collision shape of it is no area"])
    yield "tile with a line", map_of(tiles_layer(FLOOR), tilesets=[open_one]), {}, expected
    tall = tileset(tile(0, {"x": 0, "y": 0, "width": 16, "height": 32}), tileheight=32)
    yield (
        "tile higher than a cell",
        map_of(tiles_layer(cells((0, 5, 1))), tilesets=[tall]),
        {},
        Expected([box(0, 0, 1, 2)]),
    )
    foot = tileset(tile(0, {"x": 0, "y": 16, "width": 16, "height": 16}), tileheight=32, **PICTURED)
    pictured: dict[str, bytes] = {"tiles.png": png()}
    for way, flags, there in (
        ("swapped", SWAP, box(3, 0, 4, 1)),
        ("turned right", FLIP_X | SWAP, box(2, 0, 3, 1)),
        ("turned left", FLIP_Y | SWAP, box(3, 0, 4, 1)),
        ("mirrored", FLIP_X | FLIP_Y | SWAP, box(2, 0, 3, 1)),
    ):
        turned = map_of(tiles_layer(cells((2, 5, 1 | flags))), tilesets=[foot])
        yield f"tile higher than a cell, {way}", turned, pictured, Expected([there], drawn=1)
    shifted = tileset(tile(0, SQUARE), tileoffset={"x": 8, "y": -8})
    yield (
        "tiles with an offset",
        map_of(tiles_layer(cells((0, 5, 1))), tilesets=[shifted]),
        {},
        Expected([box(0.5, 0.5, 1.5, 1.5)]),
    )
    files = {"tiles.png": png()}
    moving = tileset(tile(0, SQUARE, animation=[{"tileid": 0, "duration": 100}]), **PICTURED)
    expected = Expected(FLOOR_AREA, notes=["its animation, but for the first picture"], drawn=8)
    yield "animated tile", map_of(tiles_layer(FLOOR), tilesets=[moving]), files, expected
    frames = [{"tileid": number, "duration": 100} for number in (2, 0)]
    other = map_of(
        tiles_layer(FLOOR), tilesets=[tileset(tile(0, SQUARE, animation=frames), **PICTURED)]
    )
    blue = Expected(
        FLOOR_AREA, notes=["but for the first picture"], drawn=8, colours=[(0, 0, 255)] * 8
    )
    yield "animated tile that begins with another", other, files, blue
    order = map_of(
        tiles_layer(cells((0, 5, 2), (1, 5, 1), (2, 5, 2))), tilesets=[tileset(**PICTURED)]
    )
    green_first = [(0, 255, 0), (255, 0, 0), (0, 255, 0)]
    nothing = ["no tile of it has a collision shape"]
    yield (
        "tiles in their order",
        order,
        files,
        Expected(notes=nothing, drawn=3, colours=green_first),
    )
    row = [
        thing(number, gid=gid, x=16 * number, y=16, width=16, height=16)
        for number, gid in ((0, 2), (1, 1), (2, 2))
    ]
    places = [("", "", (number + 0.5, 5.5), (1, 1)) for number in range(3)]
    expected = Expected(places=places, drawn=3, colours=green_first)
    yield (
        "tiles that are objects, in their order",
        map_of(objects_layer(*row), tilesets=[tileset(**PICTURED)]),
        files,
        expected,
    )
    stairs = [
        thing(number, gid=gid, x=0, y=y, width=16, height=16)
        for number, gid, y in ((1, 1, 24), (2, 2, 16))
    ]
    places = [("", "", (0.5, 5.0), (1, 1)), ("", "", (0.5, 5.5), (1, 1))]
    for way, shown in (("topdown", green_first[:2]), ("index", green_first[1:])):
        layer = objects_layer(*stairs, draworder=way)
        expected = Expected(places=places, colours=shown)
        yield (
            f"tiles that are objects, {way}",
            map_of(layer, tilesets=[tileset(**PICTURED)]),
            files,
            expected,
        )
    flat = {"gid": 1, "x": 0, "y": 16, "width": 16, "height": 8}
    foot = tileset(tile(0, flat), **PICTURED)
    yield (
        "a tile as a collision shape",
        map_of(tiles_layer(FLOOR), tilesets=[foot]),
        files,
        Expected([box(0, 0, 8, 0.5)]),
    )
    clear = tileset(tile(0, SQUARE), transparentcolor="#ff00ff", **PICTURED)
    yield (
        "colour that is clear",
        map_of(tiles_layer(FLOOR), tilesets=[clear]),
        files,
        Expected(FLOOR_AREA, drawn=8),
    )
    single = tileset(
        tile(0, SQUARE, image="tiles.png", imagewidth=32, imageheight=32), tile(7), columns=0
    )
    yield (
        "single pictures",
        map_of(tiles_layer(cells((0, 5, 1))), tilesets=[single]),
        files,
        Expected([box(0, 1, 1, 2)], drawn=1),
    )
    uncounted = {
        key: value
        for key, value in tileset(tile(0, SQUARE)).items()
        if key not in ("tilecount", "columns")
    }
    yield (
        "tileset without tilecount",
        map_of(tiles_layer(FLOOR), tilesets=[uncounted]),
        {},
        Expected(FLOOR_AREA),
    )
    empty = tileset(name="empty", firstgid=9, tilewidth=0, tileheight=0, tilecount=0, columns=0)
    two_sets = map_of(tiles_layer(FLOOR), tilesets=[tileset(tile(0, SQUARE)), empty])
    yield "an empty collection of pictures", two_sets, {}, Expected(FLOOR_AREA)
    less: Raw = {"x": 0, "y": 0, "width": 15, "height": 15}
    apart = {
        key: value for key, value in tileset(tile(3, less), **PICTURED).items() if key != "columns"
    }
    # Tiled takes off one margin: two columns
    apart |= {"margin": 2, "tilewidth": 15, "tileheight": 15}
    spaced = map_of(tiles_layer(cells((0, 5, 4))), tilesets=[apart])
    yield (
        "a margin and no columns",
        spaced,
        pictured,
        Expected([box(0, 0, 0.9375, 0.9375)], drawn=1),
    )
    hexadecimal = {
        "name": "w",
        "type": "corner",
        "tile": -1,
        "wangtiles": [{"tileid": 0, "wangid": "0x10203040"}],
    }
    old = tileset(
        tile(0, SQUARE, terrain=[0, 0, 0, 0]),
        wangsets=[hexadecimal],
        terrains=[{"name": "t", "tile": 0}],
    )
    yield (
        "wang sets and terrains",
        map_of(tiles_layer(FLOOR), tilesets=[old]),
        {},
        Expected(FLOOR_AREA),
    )
    apart = tileset(tile(0, SQUARE))
    for ending in (".tsx", ".tsj", ".json"):
        content = (
            xml(apart | {"type": "tileset"}) if ending == ".tsx" else json.dumps(apart).encode()
        )
        beside = {f"set{ending}": content}
        named = [{"firstgid": 1, "source": f"set{ending}"}]
        yield (
            f"tileset in {ending}",
            map_of(tiles_layer(FLOOR), tilesets=named),
            beside,
            Expected(FLOOR_AREA),
        )


def _words() -> Iterator[Trait]:
    at: Raw = {"x": 16, "y": 32, "width": 32, "height": 16}
    ground = [box(1, 3, 3, 4)]
    own = with_objects(thing(1, properties=[prop("biome", "ice")], **at))
    yield (
        "property of an object",
        own,
        {},
        Expected(ground, kept={"biome": "ice"}, notes=["'biome' is none"]),
    )
    twice = with_objects(
        *(thing(number, properties=[prop("biome", number)], **at) for number in (1, 2))
    )
    yield "a property twice is one note", twice, {}, Expected(ground, notes=["'biome' is none"])
    misspelt = with_objects(thing(1, type="ground", properties=[prop("fricton", 0.1)], **at))
    yield (
        "property that is misspelt",
        misspelt,
        {},
        Expected(ground, kept={"fricton": 0.1}, notes=["mean friction?"]),
    )
    taken = with_objects(
        thing(1, type="box", properties=[prop("center", 3), prop("size", 9)], **at)
    )
    expected = Expected(
        bodies=[("box", (2, 3.5), (2, 1))],
        kept={"center": 3, "size": 9},
        notes=["'center'", "'size'"],
    )
    yield "properties that are where it lies", taken, {}, expected
    bad = with_objects(thing(1, type="ground", properties=[prop("friction", "icy")], **at))
    yield "bad value of an option", bad, {}, Expected(refused="object 1: ")
    for option, value, note in (
        ("category", "grass", "the property 'category' with the value 'grass' is none"),
        ("mask", "all", "the property 'mask' with the value 'all' is none"),
        ("velocity", 2.5, "the property 'velocity' with the value 2.5 is none"),
        ("velocity", "fast", "the property 'velocity' with the value 'fast' is none"),
    ):
        given = [prop(option, value)]
        of_maker = with_objects(thing(1, type="ground", properties=given, **at))
        expected = Expected(ground, kept={option: value}, notes=[note])
        yield f"{option} of the maker's own, {value}", of_maker, {}, expected
        of_tile = map_of(tiles_layer(FLOOR), tilesets=[tileset(tile(0, SQUARE, properties=given))])
        yield (
            f"{option} of the maker's own, {value}, of a tile",
            of_tile,
            {},
            Expected(FLOOR_AREA, notes=[note]),
        )
    colour = prop("friction", "#ff00ff00", "color")
    for given, said in (
        (prop("category", -3), "-3 is not allowed; expected a whole number from 0 to 4294967295"),
        (prop("mask", 2.5), "2.5 is not allowed; expected a whole number from 0 to 4294967295"),
        (prop("one_way", 1), "1 is not allowed; expected true, false or a direction (x, y)"),
        (prop("pivot", 2.5), "2.5 is not allowed; expected two numbers (x, y)"),
        (colour, "a list of 4 numbers is not allowed; expected one number"),
        (prop("friction", -1), "-1.0 is not allowed; expected a number >= 0"),
        (prop("fill", 3), "3 is not allowed; expected a colour"),
    ):
        bad = with_objects(thing(1, type="ground", properties=[given], **at))
        expected = Expected(refused=f"object 1: {given['name']}: {said}")
        yield f"bad {given['name']}, {given['value']}", bad, {}, expected
    hung = with_objects(thing(1, type="cloth", properties=[prop("pin_top", "true")], **at))
    yield "an option as the text true", hung, {}, Expected(bodies=[("cloth", (2, 3.5), (2, 1))])
    shape = SQUARE | {"properties": [prop("unity:layer", "Default")]}
    with_shape = map_of(tiles_layer(FLOOR), tilesets=[tileset(tile(0, shape))])
    noted = Expected(FLOOR_AREA, colliders=1, notes=["'unity:layer'"])
    yield "property of a collision shape", with_shape, {}, noted
    with_tile = map_of(
        tiles_layer(FLOOR), tilesets=[tileset(tile(0, SQUARE, properties=[prop("collides", True)]))]
    )
    yield (
        "property of a tile",
        with_tile,
        {},
        Expected(FLOOR_AREA, colliders=1, notes=["tiles: the property 'collides'"]),
    )
    with_layer = map_of(tiles_layer(FLOOR, properties=[prop("depth", 3)]))
    yield (
        "property of a layer",
        with_layer,
        {},
        Expected(FLOOR_AREA, notes=["layers: the property 'depth'"]),
    )
    with_map = map_of(tiles_layer(FLOOR), properties=[prop("music", "cave.ogg", "file")])
    yield (
        "property of a map",
        with_map,
        {},
        Expected(FLOOR_AREA, notes=["the map: the property 'music'"]),
    )
    kinds = [
        prop("many", 3), prop("share", 0.5), prop("on", True), prop("words", "two\nlines"),
        prop("next", 7, "object"), prop("stats", {"hp": 3}),
        prop("drops", [prop("", 1), prop("", "key")]), prop("tint", "#80ff0000", "color"),
        prop("unset", "", "color"),
    ]  # fmt: skip
    kinds[6]["value"] = [{"type": "int", "value": 1}, {"type": "string", "value": "key"}]
    kept: Raw = {
        "many": 3,
        "share": 0.5,
        "on": True,
        "words": "two\nlines",
        "next": 7,
        "stats": {"hp": 3},
    }
    kept |= {"drops": [1, "key"], "tint": (255, 0, 0, 128)}
    yield (
        "properties of every type",
        with_objects(thing(1, name="x", type="chest", properties=kinds, **at)),
        {},
        Expected(places=[("x", "chest", (2, 3.5), (2, 1))], kept=kept),
    )


def _refused() -> Iterator[Trait]:
    for kind in ("isometric", "staggered", "hexagonal", "oblique"):
        raw = map_of(tiles_layer(FLOOR), orientation=kind)
        yield kind, raw, {}, Expected(refused=f"is '{kind}'; expected an orthogonal map")
    absent = map_of(tiles_layer(FLOOR), tilesets=[{"firstgid": 1, "source": "set.tsx"}])
    yield (
        "tileset that is missing",
        absent,
        {},
        Expected(refused="there is no file 'set.tsx', which map.tm"),
    )
    unused = [tileset(tile(0, SQUARE)), {"firstgid": 9, "source": "set.tsx"}]
    noted = Expected(FLOOR_AREA, notes=["names: a tileset of which no tile is used is left out"])
    yield (
        "tileset that is missing, and not used",
        map_of(tiles_layer(FLOOR), tilesets=unused),
        {},
        noted,
    )
    lies = objects_layer(thing(1, x=64, y=48, width=16, height=16, gid=9))
    used = map_of(tiles_layer(FLOOR), lies, tilesets=unused)
    yield (
        "tileset that is missing, of an object",
        used,
        {},
        Expected(refused="there is no file 'set.tsx'"),
    )
    beyond = map_of(
        tiles_layer(cells((0, 5, 1), (1, 5, 40))), tilesets=[tileset(tile(0, SQUARE), **PICTURED)]
    )
    outside = Expected(
        [box(0, 0, 1, 1)],
        notes=["tile 39 is not in 'tiles.png', which has 32 x 32 pixels"],
        drawn=1,
    )
    yield "tile that is not in its picture", beyond, {"tiles.png": png()}, outside
    for mode, notes in (("stretch", []), ("preserve-aspect-fit", ["keep their shape in objects"])):
        filled = map_of(tiles_layer(FLOOR), tilesets=[tileset(tile(0, SQUARE), fillmode=mode)])
        yield f"fill mode {mode}", filled, {}, Expected(FLOOR_AREA, notes=notes)
    unseen = map_of(tiles_layer(FLOOR), tilesets=[tileset(**PICTURED)])
    yield "picture that is missing", unseen, {}, Expected(refused="there is no file 'tiles.png'")
    far = map_of(objects_layer(thing(3, x=2e9, y=0, width=16, height=16)))
    yield (
        "too far away",
        far,
        {},
        Expected(refused="object 3: x is 2000000000.0; expected a number from -1000000000 to"),
    )
    sizes = {
        name: value for name, value in map_of(tiles_layer(FLOOR)).items() if name != "tilewidth"
    }
    yield (
        "without tilewidth",
        sizes,
        {},
        Expected(refused="tilewidth is missing; expected a whole number"),
    )
    short = map_of(tiles_layer([1, 1]))
    yield (
        "too few cells",
        short,
        {},
        Expected(refused="layer 'ground': it has 2 cells; expected 48: width times height"),
    )
    broken = tiles_layer("eJw!!", encoding="base64", compression="zlib")
    yield (
        "broken layer",
        map_of(broken),
        {},
        Expected(refused="layer 'ground' is broken: it cannot be unpacked"),
    )


def only_json() -> Iterator[Case]:
    """Yield what only JSON has."""
    inner = {"type": "list", "value": [{"type": "int", "value": 1}]}
    own = [
        prop("rows", [inner, inner]),
        prop("stats", {"drops": [{"type": "string", "value": "key"}]}),
    ]
    kept = {"rows": [[1], [1]], "stats": {"drops": ["key"]}}
    lists = with_objects(
        thing(1, name="x", type="chest", x=16, y=32, width=32, height=16, properties=own)
    )
    expected = Expected(places=[("x", "chest", (2, 3.5), (2, 1))], kept=kept)
    yield Case(
        "lists in lists and classes", "map.tmj", {"map.tmj": json.dumps(lists).encode()}, expected
    )
    later = map_of(tiles_layer(FLOOR), {"type": "hologram", "name": "sky"})
    expected = Expected(FLOOR_AREA, notes=["'sky' is of the type 'hologram', which is left out"])
    yield Case(
        "a layer of a later Tiled", "map.tmj", {"map.tmj": json.dumps(later).encode()}, expected
    )
    raw = map_of(tiles_layer(FLOOR))
    floor = Expected(FLOOR_AREA)
    text = json.dumps(
        map_of(tiles_layer(FLOOR), objects_layer(thing(3, type="coin", x=16, y=16, point=True)))
    )
    numbers = re.sub(r"(?<=[ \[])(\d+)(?=[,}\]])", r"\1.0", text).encode()
    assert b"[1.0" in numbers or b" 1.0," in numbers
    expected = Expected(FLOOR_AREA, places=[("", "coin", (1, 5), (0, 0))])
    yield Case("whole numbers as 4.0", "map.tmj", {"map.tmj": numbers}, expected)
    empty = {key: value for key, value in tiles_layer([], name="empty").items() if key != "data"}
    endless = json.dumps(map_of(empty, tiles_layer(FLOOR), infinite=True)).encode()
    yield Case("infinite, a layer without data", "map.tmj", {"map.tmj": endless}, floor)
    named = map_of(tiles_layer(FLOOR), tilesets=[{"firstgid": 1, "source": "a\\set.tsj"}])
    windows = {"map.tmj": json.dumps(named).encode()}
    windows["a/set.tsj"] = json.dumps(tileset(tile(0, SQUARE))).encode()
    yield Case("names as on Windows", "map.tmj", windows, floor)
    yield Case("map.json", "map.json", {"map.json": json.dumps(raw).encode()}, floor)
    numbered = tileset(tiles=5, tileproperties={"0": {"friction": 0.5}})
    raw_tiles = json.dumps(map_of(tiles_layer(FLOOR), tilesets=[numbered])).encode()
    yield Case(
        "tiles that are a number",
        "map.tmj",
        {"map.tmj": raw_tiles},
        Expected(refused="tiles is 5; expected"),
    )
    old = tileset(version=1)
    old |= {"tiles": {"0": {"objectgroup": {"objects": [thing(1, **SQUARE)]}}}}
    old |= {
        "tileproperties": {"0": {"friction": 0.5}},
        "tilepropertytypes": {"0": {"friction": "float"}},
    }
    first = map_of(tiles_layer(FLOOR), tilesets=[old], version=1)
    yield Case(
        "of Tiled 1.0, tiles as a table",
        "map.json",
        {"map.json": json.dumps(first).encode()},
        floor,
    )
    given = {"gold": 5, "lid": "#80ff0000", "gem": ""}
    chest = thing(1, name="c", type="chest", x=16, y=32, width=32, height=16, properties=given)
    raw = with_objects(
        chest | {"propertytypes": {"gold": "int", "lid": "color", "gem": "color"}}, version=1
    )
    expected = Expected(
        places=[("c", "chest", (2, 3.5), (2, 1))], kept={"gold": 5, "lid": (255, 0, 0, 128)}
    )
    yield Case(
        "of Tiled 1.0, properties as a table",
        "map.tmj",
        {"map.tmj": json.dumps(raw).encode()},
        expected,
    )
    half = json.dumps(raw).encode()[:300]
    yield Case(
        "half a file",
        "map.tmj",
        {"map.tmj": half},
        Expected(refused="map.tmj is no JSON: line 1, column"),
    )
    alone = json.dumps(tileset() | {"type": "tileset"}).encode()
    yield Case(
        "a tileset",
        "set.json",
        {"set.json": alone},
        Expected(refused="it is a tileset; expected a map"),
    )


def only_xml() -> Iterator[Case]:
    """Yield what only XML has."""
    floor = Expected(FLOOR_AREA)
    raw = map_of(tiles_layer(FLOOR, encoding="xml"))
    yield Case("tiles as elements", "map.tmx", {"map.tmx": xml(raw)}, floor)
    text = xml(map_of(tiles_layer(FLOOR))).decode()
    head, _, rest = text.partition("\n")
    doctype = f'{head}\n<!DOCTYPE map SYSTEM "http://mapeditor.org/dtd/1.0/map.dtd">\n{rest}'
    yield Case("document type", "map.tmx", {"map.tmx": doctype.encode()}, floor)
    yield Case("byte order mark", "map.tmx", {"map.tmx": b"\xef\xbb\xbf" + text.encode()}, floor)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    assert text.startswith(head)
    for encoding in ("ISO-8859-1", "UTF-16", "windows-1252"):
        named = xml(
            map_of(objects_layer(thing(1, name="gr\xfcn", type="coin", x=16, y=16, point=True)))
        ).decode()
        named = named.replace("&#252;", "\xfc").replace(head, head.replace("UTF-8", encoding))
        place = Expected(places=[("gr\xfcn", "coin", (1, 5), (0, 0))])
        yield Case(f"in {encoding}", "map.tmx", {"map.tmx": named.encode(encoding)}, place)
    yield Case("upper case", "MAP.TMX", {"MAP.TMX": text.encode()}, floor)
    endless = xml(map_of(tiles_layer(FLOOR), properties=[prop("far", math.inf)]))
    nowhere = Expected(refused="property 'far': 'inf' is not allowed; expected a number")
    yield Case("a property that is infinite", "map.tmx", {"map.tmx": endless}, nowhere)
    for value, there in (("True", FLOOR_AREA), ("1", FLOOR_AREA), ("0", [])):
        solid = xml(map_of(tiles_layer(FLOOR, properties=SOLID), tilesets=[tileset()])).decode()
        flag = solid.replace('value="true"', f'value="{value}"')
        assert flag != solid
        notes = [] if there else ["no tile of it has a collision shape", "there is nothing in it"]
        yield Case(
            f"a flag that is {value}",
            "map.tmx",
            {"map.tmx": flag.encode()},
            Expected(there, notes=notes),
        )
    trailing = text.replace("1\n</data>", "1,\n</data>")
    assert trailing != text
    yield Case("comma behind the last cell", "map.tmx", {"map.tmx": trailing.encode()}, floor)
    word = Expected(refused="a cell is 'x'; expected a whole number")
    yield Case(
        "a cell that is a word",
        "map.tmx",
        {"map.tmx": text.replace("1,1,1", "1,x,1").encode()},
        word,
    )
    for number, said in (
        ("99999999999", "a cell is 99999999999; expected"),
        ("9" * 5000, "expected a whole number"),
    ):
        large = {"map.tmx": text.replace("1,1,1", f"1,{number},1").encode()}
        yield Case(f"a cell of {len(number)} digits", "map.tmx", large, Expected(refused=said))
    wang = (
        '<wangsets><wangset name="w" tile="-1"><wangtile tileid="0" '
        'wangid="0x1020"/></wangset></wangsets></tileset>'
    )
    yield Case(
        "wang ids in hexadecimal",
        "map.tmx",
        {"map.tmx": text.replace("</tileset>", wang).encode()},
        floor,
    )
    terrain = '<terraintypes><terrain name="t" tile="0"/></terraintypes><tile '
    yield Case(
        "terrain", "map.tmx", {"map.tmx": text.replace("<tile ", terrain, 1).encode()}, floor
    )
    for old, new, said in (
        (
            'width="32" height="16" rotation',
            'width="wide" height="16" rotation',
            "object 'a' 7: width: 'wide' is not",
        ),
        (
            'points="0,0 ',
            'points="0;0 ',
            "object 8: points: '0;0' is not allowed; expected a number",
        ),
        (
            'offsetx="4"',
            'offsetx="left"',
            "layer 'things': offsetx: 'left' is not allowed; expected a number",
        ),
        (
            'columns="2"',
            'columns="two"',
            "tileset 'set': columns: 'two' is not allowed; expected a number",
        ),
        ("<map ", '<map hexsidelength="a" ', ""),
        (
            'width="8" height="6" tilewidth',
            'width="8.5" height="6" tilewidth',
            "width: '8.5' is not allowed",
        ),
    ):
        corner = thing(8, polygon=[{"x": 0, "y": 0}, {"x": 16, "y": 0}, {"x": 0, "y": 16}])
        one = objects_layer(
            thing(7, name="a", type="coin", x=0, y=16, width=32, height=16), corner, offsetx=4
        )
        whole = xml(map_of(one, tilesets=[tileset(tile(0, SQUARE))])).decode()
        assert old in whole
        coin = [("a", "coin", (1.25, 4.5), (2.0, 1.0))]
        triangle = [(0.25, 6), (1.25, 6), (0.25, 5)]
        expected = Expected(refused=said) if said else Expected([triangle], places=coin)
        yield Case(
            f"numbers: {new}", "map.tmx", {"map.tmx": whole.replace(old, new, 1).encode()}, expected
        )
    inside = '<image format="png"><data encoding="base64">aGk=</data></image><tile '
    said = Expected(refused="has its pictures inside, which is not read")
    yield Case(
        "picture in the file",
        "map.tmx",
        {"map.tmx": text.replace("<tile ", inside, 1).encode()},
        said,
    )
    yield Case(
        "another root",
        "map.tmx",
        {"map.tmx": b"<level/>"},
        Expected(refused="is no map of Tiled: it is a level"),
    )
    neither = Expected(refused="is no file of Tiled: it holds neither XML nor JSON")
    yield Case("neither XML nor JSON", "map.tmx", {"map.tmx": b"hello"}, neither)
    yield Case(
        "half of XML", "map.tmx", {"map.tmx": text[:400].encode()}, Expected(refused="is no XML")
    )
    entity = text.replace("<map", '<!DOCTYPE a [<!ENTITY b "c">]><map', 1)
    yield Case(
        "entities", "map.tmx", {"map.tmx": entity.encode()}, Expected(refused="declares entities")
    )
