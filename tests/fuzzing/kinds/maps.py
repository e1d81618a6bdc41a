"""Maps and drawings: imported alone or by a scene, spawned, stepped and drawn."""

from __future__ import annotations

import base64
import gzip
import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any, ClassVar

from PIL import Image

from ecs_softbody import Simulation, blueprints, scenes
from ecs_softbody.imports import import_file
from ecs_softbody.rendering import Picture, View, WorldPainter
from tests.fuzzing.kinds.kind import FRAME, Kind, Sample
from tests.imports import map_corpus
from tests.imports.samples import (
    HEIGHT,
    SLOPE,
    SQUARE,
    SVG,
    WIDTH,
    a_map,
    a_project,
    cells,
    thing,
    tile,
)
from tests.imports.test_map_features import TEMPLATE, TEMPLATE_XML, WEDGE_XML

SEEN = View((12.0, 6.0), 14.0, 320, 180)
SET_XML = """<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" name="x" tilewidth="16" tileheight="16" tilecount="4" columns="2" margin="0" spacing="0">
<tileoffset x="1" y="-2"/><image source="tiles.png" width="32" height="32"/>
<tile id="0" type="wall"><properties><property name="friction" type="float" value="0.7"/></properties>
<objectgroup draworder="index"><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile>
<tile id="1"><objectgroup><object id="1" x="0" y="0"><polygon points="0,0 16,16 0,16"/></object></objectgroup></tile>
<tile id="2"><objectgroup><object id="1" x="2" y="2" width="9"
height="9"><ellipse/></object></objectgroup></tile></tileset>
"""
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 400 200"
width="40mm" height="50%" preserveAspectRatio="xMidYMid meet"><style>.body { fill: #c04040; stroke: none } #a { fill:
red }</style>
<defs><symbol id="s" viewBox="0 0 10 10"><rect class="box" width="10" height="10" data-density="3"/></symbol>
<g id="g"><ellipse class="blob" cx="5" cy="5" rx="9" ry="5" style="fill:blue;opacity:0.5"/></g>
<linearGradient id="l"><stop offset="0" stop-color="#fff"/></linearGradient><clipPath id="c"><rect width="9"
height="9"/></clipPath>
</defs><use href="#s" x="40" y="40" width="20" height="20"/><use xlink:href="#g" transform="matrix(1 .2 0 1 80 20)"
class="body"/>
<svg x="100" y="10" width="60" height="60" viewBox="0 0 6 6"><polygon class="cloth" points="0,0 5,0 5,5 0,5"/></svg>
<path class="sensor" d="m10 10h20v20h-20zM15 15l5 0 0 5z" fill-rule="evenodd" fill="url(#l)" clip-path="url(#c)"/>
<path class="body" id="a" d="M200 100c10 -30 40 -30 50 0s-20 40 -50 0t9 9Q1 2 3 4A5 6 30 0 1 220 130z"
data-stiffness="50"
data-eyes="2" data-spacing="0.3" data-picture="face.png"/><line class="rope" x1="10" y1="20" x2="90" y2="20"
stroke="#000"
data-segments="8"/><g transform="rotate(10 20 20) skewX(3) translate(3,4) scale(1 2)" display="inline"><circle
class="ball" r="6"/>
<text x="3" y="3">words</text><image href="face.png" width="3" height="3"/></g><rect y="190" width="400" height="10"
rx="2"/></svg>"""

PAINTED = """<?xml version="1.0" encoding="utf-8"?><!DOCTYPE svg [<!ENTITY pen "stroke:#123;stroke-width:3">]>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="10em"><style>:root { --ink: #1234 }
g > .pen, circle[r="9"] { stroke-linejoin: miter; stroke-miterlimit: 9 } @media print { path { fill: none } }</style>
<clipPath id="c" clip-path="url(#d)"><circle cx="50" cy="50" r="45" clip-rule="evenodd"/><use href="#p"/></clipPath>
<clipPath id="d" clipPathUnits="objectBoundingBox"><rect width=".9" height=".9"/></clipPath>
<g clip-path="url(#c)" style="transform:rotate(10deg);transform-origin:50% 50%" opacity=".9">
<path id="p" class="pen" style="&pen;" fill="none" d="M10 10L90 90 10 80zM50 50h0" stroke-linecap="round"/>
<polyline class="pen" points="5,5 50,60 95,5" fill="none" stroke="var(--ink)" stroke-width="2mm"
stroke-dasharray="2 1"/></g><circle cx="80" cy="20" r="9" fill="rgba(0,0,0,.5)" stroke="currentColor" mask="url(#m)"/>
<switch><g requiredExtensions="x"/><rect x="5%" y="80%" rx="2" width="3em" height="10pt" fill="inherit"/></switch>
<svg x="50" y="50" width="40" height="40" viewBox="0 0 9 9" preserveAspectRatio="xMaxYMin slice" overflow="visible">
<ellipse cx="4" cy="4" rx="9" ry="3" fill="url(#none) #40a" display="inline" visibility="visible"/></svg></svg>"""


def png(side: int) -> bytes:
    image = Image.new("RGBA", (side, side), (200, 120, 60, 255))
    image.paste((0, 0, 255, 0), (0, 0, side // 2, side // 2))
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


class Imports(Kind):
    """What `import_file` reads, and scenes by `import`."""

    refusals = (ValueError,)
    reach = 1

    def take(self, sample: Sample, path: Path) -> Simulation:
        self.sim = Simulation(world="taker")
        self.sim.spawn(*blueprints.blob((0, 20), 0.5))
        self.sim.step(FRAME)
        self.before: Any = self.sim.state_hash(), self.sim.entities()
        with path.open("rb") as file:
            # not all of it: parts that are doubled twice make a gigabyte
            beginning = file.read(1 << 20)
        if zlib.crc32(beginning) % 4 == 0:
            (path.parent / "level.toml").write_text(f"import = {json.dumps(path.name)}\n")
            scenes.load(self.sim, path.parent / "level.toml")
        else:
            found = import_file(path)
            found.describe()
            found.spawn(self.sim)
        return self.sim

    def go_on(self, taken: Simulation) -> None:
        taken.step(FRAME)
        taken.step(FRAME)
        picture = Picture(320, 180, SEEN)
        WorldPainter().draw(taken, picture)
        picture.triangles()
        self.before = None

    def after(self) -> None:
        now = self.sim.state_hash(), self.sim.entities()
        assert self.before is None or now == self.before, "the world is another one"
        self.sim.close()


class Tiled(Imports):
    """Maps of Tiled, with their tilesets, templates and pictures."""

    name = "tiled"
    words: ClassVar[list[str]] = [
        "layers", "tilesets", "objects", "data", "chunks", "encoding", "compression", "gid",
        "firstgid", "source", "template", "properties", "polygon", "polyline", "ellipse", "point",
        "text", "tiles", "objectgroup", "image", "width", "height", "tilewidth", "tileheight",
        "columns", "margin", "spacing", "tileoffset", "infinite", "type", "class", "value", "name",
        "particles", "segments", "rows", "columns", "radius", "density", "frequency", "spacing",
        "picture", "fill", "eyes", "tile", "fit", "one_way", "velocity", "hold", "center", "angle",
        "mass", "offsetx", "parallaxx", "wangsets", "animation",
    ]  # fmt: skip

    def samples(self) -> list[Sample]:
        plain = self._plain()
        return [
            plain,
            Sample("level.json", {"level.json": plain.files["level.tmj"]}),
            self._rich(),
            self._infinite(),
        ]

    def _plain(self) -> Sample:
        return Sample("level.tmj", {"level.tmj": json.dumps(a_map()).encode()})

    def _rich(self) -> Sample:
        """Tilesets beside the map, templates, tile objects, layers packed in each way."""
        raw = a_map()
        ground = cells()
        whole = struct.pack(f"<{len(ground)}I", *ground)
        packings = {"zlib": zlib.compress(whole), "gzip": gzip.compress(whole, mtime=0), "": whole}
        layer = raw["layers"][0]
        layers = [
            layer
            | {
                "id": 10 + number,
                "name": f"tiles {kind}",
                "compression": kind,
                "data": base64.b64encode(data).decode(),
                "offsetx": 8 * number,
                "properties": [{"name": "solid", "type": "bool", "value": True}],
            }
            for number, (kind, data) in enumerate(packings.items())
        ]
        objects = raw["layers"][1]["objects"] + [
            {"id": 20, "template": "crate.tx", "x": 32, "y": 32},
            {"id": 21, "template": "sub/crate.tj", "x": 90, "y": 32},
            {"id": 22, "template": "wedge.tx", "x": 130, "y": 32},
            thing(23, x=20, y=60, width=16, height=16, gid=1 | 0x80000000),
            thing(24, type="box", x=60, y=60, width=20, height=20, gid=3, rotation=15),
            thing(
                25, type="text", x=1, y=1, width=9, height=9, text={"text": "words", "wrap": True}
            ),
            thing(
                26,
                type="cloth",
                x=180,
                y=80,
                width=30,
                height=20,
                properties=[
                    {"name": "rows", "type": "int", "value": 4},
                    {"name": "columns", "type": "int", "value": 5},
                    {"name": "picture", "type": "file", "value": "tiles.png"},
                ],
            ),
            thing(27, type="ball", x=120, y=20, width=12, height=12, ellipse=True),
            thing(28, type="sensor", x=0, y=0, width=40, height=40),
        ]
        group = {
            "type": "group",
            "id": 30,
            "name": "g",
            "opacity": 1,
            "visible": True,
            "layers": [
                raw["layers"][1] | {"id": 31, "objects": objects},
                {
                    "type": "imagelayer",
                    "id": 32,
                    "name": "sky",
                    "image": "tiles.png",
                    "opacity": 0.5,
                    "visible": True,
                },
            ],
        }
        inside = raw["tilesets"][0] | {
            "image": "tiles.png",
            "imagewidth": 32,
            "imageheight": 32,
            "columns": 2,
        }
        raw |= {"layers": [*layers, group], "tilesets": [
            {"firstgid": 1, "source": "set.tsj"}, {"firstgid": 100, "source": "sub/set.tsx"},
            inside | {"firstgid": 200},
        ]}  # fmt: skip
        singles = {
            "name": "single",
            "tilecount": 3,
            "tilewidth": 16,
            "tileheight": 16,
            "tiles": [
                tile(0, SQUARE) | {"image": "tiles.png"},
                tile(1, SLOPE),
                {"id": 2, "image": "tiles.png", "type": "box"},
            ],
        }
        files = {
            "level.tmj": json.dumps(raw).encode(), "set.tsj": json.dumps(singles).encode(),
            "sub/set.tsx": SET_XML.encode(),
            "tiles.png": png(32), "sub/tiles.png": png(32), "crate.tx": TEMPLATE_XML.encode(),
            "wedge.tx": WEDGE_XML.encode(),
            "sub/crate.tj": json.dumps(TEMPLATE).encode(),
        }  # fmt: skip
        return Sample("level.tmj", files)

    def _infinite(self) -> Sample:
        raw = a_map()
        block = {
            "x": -16,
            "y": 0,
            "width": 16,
            "height": 16,
            "data": [0] * 200 + [1] * 16 + [2] * 40,
        }
        packed = base64.b64encode(zlib.compress(struct.pack("<256I", *block["data"]))).decode()  # type: ignore[misc]
        plain = {
            "type": "tilelayer",
            "id": 1,
            "name": "t",
            "opacity": 1,
            "visible": True,
            "x": 0,
            "y": 0,
            "width": 16,
            "height": 16,
        }
        raw |= {
            "infinite": True,
            "layers": [
                plain | {"chunks": [block]},
                plain
                | {
                    "id": 2,
                    "encoding": "base64",
                    "compression": "zlib",
                    "chunks": [block | {"data": packed, "x": 0}],
                },
            ],
        }
        return Sample("level.tmj", {"level.tmj": json.dumps(raw).encode()})

    def tree(self, name: str, data: bytes) -> Any:
        return json.loads(data)


class Tmx(Imports):
    """Maps of Tiled in XML, with tilesets and templates: a few maps of the corpus, each with many
    traits.
    """

    name = "tmx"
    words: ClassVar[list[str]] = [
        "map", "layer", "objectgroup", "imagelayer", "group", "tileset", "tile", "data", "chunk",
        "object", "properties", "property", "item", "ellipse", "point", "capsule", "text",
        "polygon", "polyline", "image", "tileoffset", "animation", "template", "wangsets",
        "encoding", "compression", "gid", "firstgid", "source", "points", "trans",
        "objectalignment", "width", "height", "tilewidth", "tileheight", "columns", "margin",
        "spacing", "infinite", "orientation", "visible", "opacity", "offsetx", "rotation", "type",
        "class", "value", "name", "tintcolor", "parallaxx", "solid", "friction", "density",
        "radius", "picture", "fill", "particles", "rows", "list",
    ]  # fmt: skip

    def samples(self) -> list[Sample]:
        ground = cells()
        files = {"tiles.png": png(32), "sub/tiles.png": png(32), "sub/set.tsx": SET_XML.encode()}
        files |= {"crate.tx": TEMPLATE_XML.encode(), "wedge.tx": WEDGE_XML.encode()}
        named: dict[str, Any] = {
            "type": "template",
            "tileset": {"firstgid": 1, "source": "sub/set.tsx"},
        }
        files["own.tx"] = map_corpus.xml(named | {"object": thing(1, width=16, height=16, gid=3)})
        layers = [
            map_corpus.tiles_layer(
                data,
                width=WIDTH,
                height=HEIGHT,
                name=way,
                encoding=encoding,
                compression=way,
                properties=[map_corpus.prop("solid", True), map_corpus.prop("friction", 0.3)],
            )
            for data, encoding, way in (
                (ground, "csv", ""),
                (ground, "xml", ""),
                (map_corpus.packed(ground, "zlib"), "base64", "zlib"),
                (map_corpus.packed(ground, "zstd"), "base64", "zstd"),
            )
        ]
        turned = [cell | (0xA0000000 if cell else 0) for cell in ground]
        layers.append(
            map_corpus.tiles_layer(
                turned, width=WIDTH, height=HEIGHT, tintcolor="#ff0000", parallaxx=0.5
            )
        )
        at = {"x": 60, "y": 60, "width": 24, "height": 12}
        kept = [
            map_corpus.prop("stats", {"hp": 3}),
            map_corpus.prop("loot", "gold"),
            map_corpus.prop("n", 3),
        ]
        kept.append({"name": "drops", "type": "list", "value": [{"type": "int", "value": 1}]})
        objects = [
            thing(1, capsule=True, **at), thing(2, ellipse=True, type="blob", **at),
            thing(3, point=True, **at), thing(4, text={"text": "words"}, **at),
            thing(5, type="box", rotation=30, properties=kept, **at),
            thing(6, x=9, y=9, polyline=[{"x": 0, "y": 0}, {"x": 30, "y": 4}]),
            thing(7, gid=1 | 0x80000000, **at),
            thing(8, x=9, y=9, polygon=[{"x": 0, "y": 0}, {"x": 30, "y": 4}, {"x": 9, "y": 40}]),
            {"id": 9, "template": "crate.tx", "x": 30, "y": 30},
            {"id": 10, "template": "own.tx", "x": 90, "y": 30},
            {"id": 11, "template": "wedge.tx", "x": 130, "y": 32},
        ]  # fmt: skip
        tilesets = [
            map_corpus.tileset(
                tile(0, SQUARE),
                tile(1, SLOPE) | {"animation": []},
                objectalignment="top",
                **map_corpus.PICTURED,
            ),
            {"firstgid": 9, "source": "sub/set.tsx"},
        ]
        inner = map_corpus.objects_layer(*objects, offsetx=4)
        group = {
            "type": "group",
            "id": 7,
            "name": "g",
            "opacity": 0.5,
            "visible": True,
            "layers": [inner],
        }
        rich = map_corpus.map_of(*layers, group, tilesets=tilesets, properties=kept) | {
            "width": WIDTH,
            "height": HEIGHT,
        }
        blocks = [
            {"x": x, "y": 0, "width": 8, "height": 6, "data": map_corpus.FLOOR}
            for x in (-8, 0, 400)
        ]
        endless = map_corpus.map_of(map_corpus.tiles_layer([], chunks=blocks), infinite=True)
        return [
            Sample("level.tmx", {"level.tmx": map_corpus.xml(rich), **files}),
            Sample("level.tmx", {"level.tmx": map_corpus.xml(endless)}),
        ]


class Ldtk(Imports):
    """Projects of LDtk, with levels of their own files."""

    name = "ldtk"
    words: ClassVar[list[str]] = [
        "levels", "worlds", "defs", "layerInstances", "entityInstances", "fieldInstances",
        "__identifier", "__value", "__pivot", "px", "width", "height", "intGridCsv", "__cWid",
        "__cHei", "__gridSize", "__type", "externalRelPath", "worldLayout", "worldX", "worldY",
        "pxWid", "pxHei", "uid", "value", "identifier", "particles", "rows", "columns", "segments",
        "radius", "spacing", "density", "picture", "fill", "eyes", "hold", "angle", "gridTiles",
        "autoLayerTiles", "__pxTotalOffsetX",
    ]  # fmt: skip

    def samples(self) -> list[Sample]:
        plain = a_project()
        apart = a_project()
        (level,) = apart["levels"]
        entity = {"px": [150, 60], "width": 32, "height": 24, "__pivot": [0, 1]}
        fields = [
            {"__identifier": "density", "__value": 2.0},
            {"__identifier": "rows", "__value": 4},
            {"__identifier": "picture", "__value": "tiles.png"},
            {"__identifier": "fill", "__value": "#ff8800"},
        ]
        level["layerInstances"][0]["entityInstances"] += [
            entity | {"__identifier": kind, "fieldInstances": chosen}
            for kind, chosen in (
                ("Ground", fields[3:]),
                ("Sensor", []),
                ("Ball", fields[2:3]),
                ("box", fields[:2]),
                ("body", fields[:1]),
                ("Cloth", fields[1:2]),
                ("Chest", fields),
            )
        ]
        third = level | {
            "identifier": "Third",
            "layerInstances": None,
            "externalRelPath": "world/Third.ldtkl",
        }
        apart |= {
            "levels": [level, third, {**level, "worldX": -1}],
            "worldLayout": "LinearHorizontal",
        }
        apart["worlds"] = [{"identifier": "B", "worldLayout": "Free", "levels": [level]}]
        files = {
            "level.ldtk": json.dumps(apart).encode(),
            "world/Third.ldtkl": json.dumps(level).encode(), "tiles.png": png(32),
        }  # fmt: skip
        deep = level | {"identifier": "Deep", "worldDepth": 1, "bgRelPath": "tiles.png"}
        old = a_project() | {"jsonVersion": "0.7.2"}
        del (grid := old["levels"][0]["layerInstances"][1])["intGridCsv"]
        grid["intGrid"] = [{"coordId": 3, "v": 0}, {"coordId": 20, "v": 1}]
        deeper = {"levels": [level, deep], "worlds": [], "jsonVersion": "1.5.3"}
        return [
            Sample("level.ldtk", {"level.ldtk": json.dumps(plain).encode()}),
            Sample("level.ldtk", files),
            Sample("level.ldtk", {"level.ldtk": json.dumps(deeper).encode(), "tiles.png": png(32)}),
            Sample("level.ldtk", {"level.ldtk": json.dumps(old).encode()}),
        ]  # fmt: skip

    def tree(self, name: str, data: bytes) -> Any:
        return json.loads(data)


class Svg(Imports):
    """Drawings."""

    name = "svg"
    words: ClassVar[list[str]] = [
        "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "g", "use", "symbol",
        "defs", "svg", "style", "text", "clipPath", "mask", "marker", "image", "switch", "a", "d",
        "points", "transform", "class", "id", "fill", "stroke", "fill-rule", "viewBox", "width",
        "height", "preserveAspectRatio", "x", "y", "r", "rx", "ry", "cx", "cy", "href",
        "data-density", "data-particles", "data-segments", "data-rows", "data-columns",
        "data-spacing", "data-picture", "data-radius", "data-stiffness", "data-eyes", "data-hold",
        "data-frequency", "data-mass", "data-angle", "display", "visibility", "opacity",
        "stroke-width", "font-size", "stroke-linejoin", "stroke-miterlimit", "stroke-linecap",
        "clip-path", "clip-rule", "clipPathUnits", "transform-origin", "fill-opacity", "color",
        "overflow", "stop-color", "none", "inherit", "currentColor", "transparent", "url(#c)",
        "url(#d)", "objectBoundingBox", "evenodd", "x1", "y1", "x2", "y2",
        "{http://www.w3.org/1999/xlink}href",
    ]  # fmt: skip

    def samples(self) -> list[Sample]:
        return [
            Sample("level.svg", {"level.svg": SVG.encode()}),
            Sample("level.svg", {"level.svg": DRAWING.encode(), "face.png": png(16)}),
            Sample("level.svg", {"level.svg": PAINTED.encode()}),
        ]
