"""Bombs: small files that ask for much memory or time, each of a kind of its own."""

from __future__ import annotations

import io
import math
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.imports.samples import a_map, a_project, thing, tile, write

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000">'
RECT = '<rect width="5" height="5" class="c"/>'
Bomb = tuple[Callable[[Path], Path], str]
"""Writes the file into a folder; and what is said of it, as a pattern."""


def drawing(inside: str, head: str = HEAD) -> Callable[[Path], Path]:
    return lambda folder: write(folder, "drawing.svg", f"{head}{inside}</svg>")


def level(**changes: Any) -> Callable[[Path], Path]:
    return lambda folder: write(folder, "map.tmj", {**a_map(), **changes})


def objects(*things: dict[str, Any]) -> Callable[[Path], Path]:
    return level(layers=[{"type": "objectgroup", "objects": [*things]}])


def cells(side: int, numbers: Any, **changes: Any) -> Callable[[Path], Path]:
    layer = {
        "type": "tilelayer",
        "name": "",
        "width": side,
        "height": side,
        "data": np.asarray(numbers, int).ravel().tolist(),
    }
    return level(width=side, height=side, layers=[layer], **changes)


def option(name: str, value: float) -> dict[str, Any]:
    return {"name": name, "type": type(value).__name__, "value": value}


def asked(kind: str, **options: float) -> dict[str, Any]:
    line = (
        {"polyline": [{"x": 0, "y": 0}, {"x": 40, "y": 9}]}
        if kind == "rope"
        else {"width": 40, "height": 30}
    )
    return thing(
        1, type=kind, **line, properties=[option(name, value) for name, value in options.items()]
    )


def entity(kind: str, **fields: Any) -> Callable[[Path], Path]:
    raw = a_project()
    given = [{"__identifier": name, "__value": value} for name, value in fields.items()]
    raw["levels"][0]["layerInstances"][0]["entityInstances"] = [
        {
            "__identifier": kind,
            "px": [9, 9],
            "width": 40,
            "height": 30,
            "__pivot": [0, 0],
            "fieldInstances": given,
        }
    ]
    return lambda folder: write(folder, "project.ldtk", raw)


def beside(name: str, content: Any, then: Callable[[Path], Path]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        write(folder, name, content)
        return then(folder)

    return make


def pictures(count: int, side: int, then: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """Write a picture under many names."""

    def make(folder: Path) -> Path:
        Image.new("RGBA", (side, side), (200, 0, 0, 255)).save(folder / "0.png")
        for number in range(1, count):
            os.link(folder / "0.png", folder / f"{number}.png")
        return then(folder)

    return make


def ring(count: int) -> str:
    angles = [2.0 * math.pi * number / count for number in range(count)]
    return " ".join(f"{500 + 400 * math.cos(a):.2f},{500 + 400 * math.sin(a):.2f}" for a in angles)


def polygon(count: int) -> list[dict[str, float]]:
    return [
        {"x": 8 + 7 * math.cos(0.001 * n), "y": 8 + 7 * math.sin(0.001 * n)} for n in range(count)
    ]


def scene(**tables: Any) -> Callable[[Path], Path]:
    return lambda folder: write(folder, "scene.json", tables)


def toml(text: str) -> Callable[[Path], Path]:
    return lambda folder: write(folder, "scene.toml", text)


def prefabs(prefab: dict[str, Any], count: int = 15_000, depth: int = 1) -> Callable[[Path], Path]:
    known = {
        f"p{n}": prefab | ({"prefab": f"p{n + 1}"} if n + 1 < depth else {}) for n in range(depth)
    }
    return scene(
        prefabs=known, entities={f"e{number}": {"prefab": "p0"} for number in range(count)}
    )


def jpeg(segments: bytes) -> Callable[[Path], Path]:
    stream = io.BytesIO()
    Image.new("RGB", (8, 8)).save(stream, "JPEG")
    data = stream.getvalue()
    return lambda folder: write(folder, "picture.jpg", data[:2] + segments + data[2:])


def png(chunks: bytes) -> Callable[[Path], Path]:
    stream = io.BytesIO()
    Image.new("RGB", (8, 8)).save(stream, "PNG")
    data = stream.getvalue()
    return lambda folder: write(folder, "picture.png", data[:33] + chunks + data[33:])


def segment(mark: int, data: bytes) -> bytes:
    return bytes((0xFF, mark)) + struct.pack(">H", len(data) + 2) + data


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def levels(folder: Path) -> Path:
    return write(
        folder, "p.ldtk", {"levels": [{"layerInstances": None, "externalRelPath": "l.ldtkl"}] * 150}
    )


TOO_MUCH = "asks for too much"
PARTICLES = "more than 200000 particles in all are not allowed"
BALL = {"ball": {"center": [0, 0], "radius": 1}}


def few() -> dict[str, Bomb]:
    """Return some that are small and answered at once."""
    return {
        "blob": (objects(asked("blob", particles=10**7)), PARTICLES),
        "cloth": (objects(asked("cloth", rows=3000, columns=3000)), PARTICLES),
        "rope": (objects(asked("rope", segments=10**7)), PARTICLES),
        "ldtk blob": (entity("Blob", particles=10**18), PARTICLES),
        "ldtk box": (entity("Box", rows=3000, columns=3000), PARTICLES),
        "svg blob": (drawing('<circle r="30" class="blob" data-particles="10000000"/>'), PARTICLES),
        "svg cloth": (
            drawing(
                '<rect width="9" height="9" class="cloth" data-rows="3000" data-columns="3000"/>'
            ),
            PARTICLES,
        ),
        "spacing": (objects(asked("body", spacing=1e-9)), "expected a larger one"),
        "gid": (objects(thing(1, gid="7")), "gid is '7'; expected a whole number"),
        "numbers": (level(width=10**400), "map.tmj"),
    }


def maps() -> dict[str, Bomb]:
    """Return maps."""
    with_tsj = level(tilesets=[{"firstgid": 1, "source": "t.tsj"}] * 9999)
    with_tsx = level(tilesets=[{"firstgid": 1, "source": "t.tsx"}])
    tsx = '<tileset tilewidth="16" tileheight="16">{}</tileset>'
    slopes = np.where(np.random.default_rng(0).random((160, 160)) < 0.8, 2, 0)
    templates = objects(*({"x": number, "y": 0, "template": "t.tj"} for number in range(15_000)))
    with_corners = {**a_map()["tilesets"][0], "tiles": [tile(0, [thing(1, polygon=polygon(900))])]}
    chunks = [
        {"x": number, "y": 0, "width": 1, "height": 1, "data": [1]} for number in range(99_000)
    ]
    random = np.random.default_rng(0).random((420, 16 * 16)) < 0.7
    islands = [
        {
            "x": number % 20 * 64,
            "y": number // 20 * 64,
            "width": 16,
            "height": 16,
            "data": one.astype(int).tolist(),
        }
        for number, one in enumerate(random)
    ]
    void = [
        {"x": number * 999, "y": number * 7, "width": 1, "height": 1, "data": [0]}
        for number in range(70_000)
    ]
    return {
        "chunks far apart": (
            level(infinite=True, layers=[{"type": "tilelayer", "chunks": islands}]),
            ".*",
        ),
        "empty chunks": (
            level(infinite=True, layers=[{"type": "tilelayer", "chunks": void}]),
            ".*",
        ),
        "many blobs": (objects(*([asked("blob", particles=1000)] * 4900)), PARTICLES),
        "slopes": (cells(160, slopes), TOO_MUCH),
        "checks": (cells(190, np.indices((190, 190)).sum(axis=0) % 2), "more than 5000 entities"),
        "numbers of tiles": (cells(900, np.arange(900 * 900)), TOO_MUCH),
        "corners": (cells(100, np.ones((100, 100)), tilesets=[with_corners]), TOO_MUCH),
        "chunks": (level(layers=[{"type": "tilelayer", "chunks": chunks}]), TOO_MUCH),
        "template with a name": (
            beside("t.tj", {"object": {"name": "x" * 10**5}}, templates),
            TOO_MUCH,
        ),
        "template with corners": (
            beside("t.tj", {"object": {"polygon": polygon(5000)}}, templates),
            TOO_MUCH,
        ),
        "tilesets": (
            beside("t.tsj", {"name": "x" * 10**6, "tilewidth": 9, "tileheight": 9}, with_tsj),
            TOO_MUCH,
        ),
        "tileset in xml": (
            beside("t.tsx", tsx.format("<tile id='1'/>" * 900_000), with_tsx),
            "more than 300000 elements",
        ),
        "deep": (lambda folder: write(folder, "map.tmj", '{"a":' * 99_999), "nested too deeply"),
        "digits": (
            lambda folder: write(folder, "map.tmj", f'{{"layers": {"9" * 99_999}}}'),
            "is no JSON",
        ),
        "levels": (beside("l.ldtkl", {"layerInstances": [], "pad": "x" * 10**7}, levels), TOO_MUCH),
    }


def drawings() -> dict[str, Bomb]:
    """Return drawings and pictures; those with nothing to say are taken."""
    long_path = f'<defs><path id="p" d="M{ring(20_000)}Z"/></defs>' + '<use href="#p"/>' * 1000
    return {
        "deep xml": (drawing("<g>" * 900_000), "more than 5000 elements"),
        "numbers of a path": (
            drawing(f'<path d="M0-0{"-1-2" * 400_000}Z"/>'),
            "more than 200000 numbers",
        ),
        "corners of a polygon": (
            drawing(f'<polygon points="{ring(300_000)}"/>'),
            "more than 200000 numbers",
        ),
        "used paths": (drawing(long_path), TOO_MUCH),
        "closings": (drawing(f'<path d="M0 0{"l1 1" * 9000}{"z" * 20_000}"/>'), TOO_MUCH),
        "transforms": (
            drawing('<g transform="translate(1) rotate(3)">' * 90 + RECT * 4800 + "</g>" * 90),
            ".*",
        ),
        "attributes": (
            drawing(
                "<g {}>".format(" ".join(f'a{n}="1"' for n in range(9000))) + RECT * 4900 + "</g>"
            ),
            TOO_MUCH,
        ),
        "words": (
            drawing(
                "".join(
                    f'<rect data-word{n}="1" data-dens{n}="1" width="1" height="1"/>'
                    for n in range(2500)
                )
            ),
            "",
        ),
        "attributes of one": (
            drawing("<g {}/>".format(" ".join(f'a{n}="1"' for n in range(900_000)))),
            "too many attributes",
        ),
        "style of blanks": (drawing(f"<style>a{' ' * 99_999}b</style>{RECT}"), ""),
        "style of remarks": (drawing(f"<style>{'/*' * 200_000}</style>{RECT}"), ""),
        "style of letters": (drawing(f"<style>{'a' * 200_000}</style>{RECT}"), ""),
        "rules": (drawing(f"<style>{'.c{fill:red}' * 200_000}</style>{RECT}"), TOO_MUCH),
        "colours": (drawing(f'<g fill="rgb({"1" * 5000}">{RECT * 1000}</g>'), ""),
        "parts of a jpeg": (jpeg(segment(0xE5, b"") * 2_000_000), "is no picture"),
        "exif of a jpeg": (jpeg(segment(0xE1, b"Exif\0\0" + b"x" * 65_000) * 900), "is no picture"),
        "parts of a png": (png(chunk(b"tEXt", b"k\0v") * 900_000), "is no picture"),
    }


def zigzag(height: int) -> str:
    """Return a path of 19 000 lines, up and down."""
    return "M0 100" + "".join(f"L{n / 19:.2f} {100 + height * (n % 2)}" for n in range(19_000))


def slow() -> dict[str, Bomb]:
    """Return files of which more is to be found out before they can be answered."""
    pictured = [{"id": number, "image": f"{number}.png"} for number in range(36)]
    in_pictures = {"firstgid": 1, "tilewidth": 16, "tileheight": 16, "tiles": pictured}
    circles = "".join(
        f'<circle cx="{number % 70 * 14}" cy="{number // 70 * 14}" r="6"/>'
        for number in range(2000)
    )
    turned = '<defs><circle id="c" r="9"/></defs>' + "".join(
        f'<use href="#c" transform="translate({n % 30 * 9} {n // 30 * 9}) rotate({n})"/>'
        for n in range(1000)
    )
    thick = 'fill="none" stroke="red" stroke-width="40" stroke-linejoin="round"'
    nested = "".join(f"M{n / 8} {n / 8}H{999 - n / 8}V{999 - n / 8}H{n / 8}z" for n in range(3900))
    near = "".join(f"M0 {n / 20:.2f}L1000 {n / 20 + 0.4:.2f}" for n in range(9000))
    blobs = "".join(f"M{n % 30 * 30} {n // 30 * 30}{'q9 0 9 9t-9 9-9-9 9-9z'}" for n in range(600))
    twice = "{" + ",".join(f'"{number}":1' for number in [*range(250_000), 9]) + "}"
    large = {
        **a_map(),
        "layers": [{"type": "objectgroup", "objects": [asked("box", rows=400, columns=499)]}],
    }
    return {
        "circles": (drawing(circles), ""),
        "one circle turned": (drawing(turned), ""),
        "rings in rings": (drawing(f'<path fill-rule="evenodd" d="{nested}"/>'), TOO_MUCH),
        "a long zigzag": (
            drawing(f'<path d="{zigzag(50)}L1000 160L0 160z"/>'),
            "at most 5000; break the path",
        ),
        "a thick zigzag": (drawing(f'<path d="{zigzag(3)}" {thick}/>'), ".*"),
        "a thin zigzag": (drawing(f'<path fill="none" stroke="red" d="{zigzag(300)}"/>'), ".*"),
        "near lines": (drawing(f'<path fill="none" stroke="red" d="{near}"/>'), ".*"),
        "traced": (drawing(f'<path d="{blobs}"/>'), ""),
        "circles without a page": (
            drawing(circles, '<svg xmlns="http://www.w3.org/2000/svg">'),
            ".*",
        ),
        "soft circles": (drawing(circles.replace("/>", ' class="body"/>')), TOO_MUCH),
        "fine bodies": (
            drawing('<rect width="500" height="500" class="body" data-spacing="0.075"/>' * 300),
            TOO_MUCH,
        ),
        "random tiles": (cells(200, np.random.default_rng(0).random((200, 200)) < 0.6), ".*"),
        "holes": (cells(140, ~(np.indices((140, 140)) % 2 == 1).all(axis=0)), ".*"),
        "pictures of tiles": (
            pictures(36, 4096, cells(6, np.arange(1, 37), tilesets=[in_pictures])),
            "more than 40000000 pixels in all",
        ),
        "skins": (
            pictures(
                36, 4096, scene(entities={f"e{n}": {"skin": f"{n}.png", **BALL} for n in range(36)})
            ),
            "more than 40000000 pixels in all",
        ),
        "prefabs": (prefabs({**BALL, "data": {"a": 1}}, depth=15), ".*"),
        "prefab with a list": (prefabs({"data": {"list": [1] * 300_000}}), TOO_MUCH),
        "prefab with springs": (prefabs({"Springs": {"pairs": [[0, 1]] * 99_999}}), TOO_MUCH),
        "balls": (scene(entities={f"e{number}": BALL for number in range(20_000)}), ".*"),
        "mistakes": (
            scene(entities={f"e{n}": {"blob": {f"radus{n}": 1}} for n in range(19_000)}),
            "no such field",
        ),
        "mistakes in one": (
            scene(entities={"e": {"blob": {f"f{n}": 1 for n in range(200_000)}}}),
            "no such field",
        ),
        "names": (
            scene(materials={f"n{n}": {} for n in range(9000)}, entities={"e": {"material": "m"}}),
            "and 8960 more",
        ),
        "twice": (lambda folder: write(folder, "scene.json", twice), "'9' twice"),
        "scene of a large box": (beside("map.tmj", large, toml('import = "map.tmj"')), ""),
        "imports": (
            beside("d.svg", HEAD + RECT * 3000 + "</svg>", toml(f"import = {['d.svg'] * 60}")),
            TOO_MUCH,
        ),
        "keys": (
            toml("[data]\n" + "".join(f"a{n}.b.c.d.e.f.g=1\n" for n in range(90_000))),
            "more than 100000 dots",
        ),
        "tables": (toml("[data]\n" + "".join(f"k{number}=1\n" for number in range(180_000))), ""),
    }
