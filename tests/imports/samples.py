"""Small files of every kind, and how they are broken."""

from __future__ import annotations

import base64
import io
import json
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

WIDTH = 24
HEIGHT = 12
SQUARE = [
    {
        "id": 1,
        "x": 0,
        "y": 0,
        "width": 16,
        "height": 16,
        "rotation": 0,
        "name": "",
        "type": "",
        "visible": True,
    }
]
SLOPE = [
    {
        "id": 1,
        "x": 0,
        "y": 0,
        "width": 0,
        "height": 0,
        "rotation": 0,
        "name": "",
        "type": "",
        "visible": True,
        "polygon": [{"x": 0, "y": 0}, {"x": 16, "y": 16}, {"x": 0, "y": 16}],
    }
]
SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200" width="400" height="200">
<path id="hill" d="M0 200 L0 150 C100 80 200 220 400 140 L400 200 Z" fill="#406030"/>
<g transform="translate(200 60) rotate(20) scale(1.2)">
<path id="ring" class="body" d="M-30 0 A30 30 0 1 1 30 0 A30 30 0 1 1 -30 0 Z M-12 0 A12 12 0 1 0 12 0 A12 12 0 1 0
-12 0 Z" fill="orange" data-density="2"/></g>
<circle cx="60" cy="50" r="22" class="blob" fill="#c04040" data-eyes="2"/>
<rect x="300" y="30" width="40" height="30" class="box" fill="teal"/>
<polyline points="10,40 40,100" class="rope" fill="none" stroke="black"/>
<path id="arc" d="M330 100 q 30 -20 60 0" fill="none" stroke="black"/>
</svg>
"""


def cells() -> list[int]:
    """Return ground with a valley between slopes, a platform, and a ring of tiles around a hole."""
    rows = np.zeros((HEIGHT, WIDTH), np.int64)
    rows[11] = 1
    rows[10, :8] = 1
    rows[10, 15:] = 1
    rows[6, 9:14] = 1
    rows[10, 8] = 2
    rows[10, 14] = 2 | 0x80000000
    rows[2:6, 18:22] = 1
    rows[3:5, 19:21] = 0
    found: list[int] = rows.ravel().tolist()
    return found


def packed(numbers: list[int]) -> str:
    return base64.b64encode(zlib.compress(struct.pack(f"<{len(numbers)}I", *numbers))).decode()


def tile(number: int, shapes: list[dict[str, Any]]) -> dict[str, Any]:
    group = {
        "type": "objectgroup",
        "name": "",
        "opacity": 1,
        "visible": True,
        "draworder": "index",
        "objects": shapes,
    }
    return {"id": number, "objectgroup": group}


def thing(number: int, **fields: Any) -> dict[str, Any]:
    plain = {
        "id": number,
        "x": 0,
        "y": 0,
        "width": 0,
        "height": 0,
        "rotation": 0,
        "name": "",
        "type": "",
    }
    return {**plain, "visible": True, **fields}


def a_map() -> dict[str, Any]:
    """Return a map of Tiled with all that is supported."""
    corners = [(0, 0), (30, 0), (30, 10), (10, 10), (10, 30), (0, 30)]
    objects = [
        thing(
            1,
            name="hero",
            type="blob",
            x=32,
            y=60,
            width=32,
            height=32,
            ellipse=True,
            properties=[
                {"name": "fill", "type": "color", "value": "#ff40c060"},
                {"name": "eyes", "type": "int", "value": 2},
            ],
        ),
        thing(2, type="box", x=160, y=40, width=24, height=24, rotation=20),
        thing(3, type="body", x=220, y=30, polygon=[{"x": x, "y": y} for x, y in corners]),
        thing(4, type="coin", name="c1", x=100, y=100, point=True),
        thing(5, x=0, y=140, polyline=[{"x": 0, "y": 0}, {"x": 40, "y": 10}, {"x": 60, "y": 0}]),
        thing(6, type="rope", x=260, y=30, polyline=[{"x": 0, "y": 0}, {"x": 20, "y": 20}]),
    ]
    tileset = {
        "firstgid": 1, "name": "t", "tilecount": 3, "tilewidth": 16, "tileheight": 16, "columns": 3,
        "spacing": 0, "margin": 0, "tiles": [tile(0, SQUARE), tile(1, SLOPE)],
    }  # fmt: skip
    layers = [
        {
            "type": "tilelayer",
            "id": 1,
            "name": "tiles",
            "width": WIDTH,
            "height": HEIGHT,
            "x": 0,
            "y": 0,
            "opacity": 1,
            "visible": True,
            "encoding": "base64",
            "compression": "zlib",
            "data": packed(cells()),
        },
        {
            "type": "objectgroup",
            "id": 2,
            "name": "o",
            "opacity": 1,
            "visible": True,
            "draworder": "topdown",
            "objects": objects,
        },
    ]
    return {
        "type": "map", "version": "1.10", "width": WIDTH, "height": HEIGHT, "tilewidth": 16,
        "tileheight": 16, "orientation": "orthogonal", "renderorder": "right-down",
        "infinite": False, "nextobjectid": 9, "tilesets": [tileset], "layers": layers,
    }  # fmt: skip


def a_project() -> dict[str, Any]:
    """Return a project of LDtk."""
    entities = [
        {
            "__identifier": "Blob",
            "px": [50, 60],
            "width": 32,
            "height": 32,
            "__pivot": [0.5, 0.5],
            "fieldInstances": [{"__identifier": "eyes", "__value": 2}],
        },
        {
            "__identifier": "Coin",
            "px": [90, 60],
            "width": 16,
            "height": 16,
            "__pivot": [0, 0],
            "fieldInstances": [],
        },
    ]
    grid = {
        "__type": "IntGrid", "__gridSize": 16, "__cWid": WIDTH, "__cHei": HEIGHT, "layerDefUid": 1,
        "intGridCsv": [1 if cell else 0 for cell in cells()],
    }  # fmt: skip
    level = {
        "identifier": "First", "worldX": 0, "worldY": 0, "pxWid": WIDTH * 16, "pxHei": HEIGHT * 16,
        "layerInstances": [{"__type": "Entities", "__gridSize": 16, "entityInstances": entities}, grid],
    }  # fmt: skip
    words = [{"value": 1, "identifier": "wall"}]
    return {"levels": [level], "defs": {"layers": [{"uid": 1, "intGridValues": words}]}}


def blank(side: int = 128) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    return image, ImageDraw.Draw(image)


def pictures() -> dict[str, Image.Image]:
    """Return pictures that give a body or one clear error."""
    made: dict[str, Image.Image] = {}
    font = ImageFont.load_default(120)
    for letter in ("B", "A"):
        made[f"letter {letter}"], draw = blank()
        draw.text((64, 64), letter, fill=(40, 90, 200, 255), font=font, anchor="mm", stroke_width=4)
    made["thin"], draw = blank()
    draw.line((4, 100, 60, 20, 124, 110), fill=(250, 200, 30, 255), width=5)
    made["star"], draw = blank()
    angles = np.arange(10) * np.pi / 5 + np.pi / 2
    radii = np.where(np.arange(10) % 2, 24, 62)
    points = np.column_stack((64 + radii * np.cos(angles), 64 - radii * np.sin(angles)))
    draw.polygon([(x, y) for x, y in points.tolist()], fill=(240, 200, 40, 255))
    noise = np.random.default_rng(1).integers(0, 255, (96, 96, 4)).astype(np.uint8)
    made["noise"] = Image.fromarray(noise)
    made["ring"], draw = blank()
    draw.ellipse((4, 4, 124, 124), fill=(90, 200, 120, 255))
    draw.ellipse((40, 40, 88, 88), fill=(0, 0, 0, 0))
    made["one pixel"] = Image.new("RGBA", (1, 1), (255, 0, 0, 255))
    made["whole"] = Image.new("RGB", (60, 40), (120, 40, 180))
    return made


def png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def sources() -> dict[str, bytes]:
    """Return one file of every kind, by the ending of its name."""
    star = pictures()["star"].resize((48, 48))
    return {
        ".tmj": json.dumps(a_map()).encode(), ".ldtk": json.dumps(a_project()).encode(),
        ".svg": SVG.encode(), ".png": png(star),
    }  # fmt: skip


ODD = [
    None,
    -1,
    0,
    1e308,
    10**30,
    "",
    "x",
    [],
    {},
    True,
    [[]],
    -0.5,
    2**31,
    "\x00",
    {"x": 1},
    "blob",
    "NaN",
]


def broken(ending: str, data: bytes, dice: random.Random) -> bytes:
    """Return a file with something wrong: bytes, or values of its JSON."""
    if ending in (".tmj", ".ldtk") and dice.random() < 0.6:
        tree = json.loads(data)
        for _ in range(dice.randint(1, 3)):
            _break_value(tree, dice)
        return json.dumps(tree).encode()
    if ending == ".svg" and dice.random() < 0.5:
        words = data.decode().split(" ")
        for _ in range(dice.randint(1, 4)):
            words[dice.randrange(len(words))] = dice.choice(
                ["1e30", "-7", "nan", "M", "Z", "A", "0", '"', "<", "10%"]
            )
        return " ".join(words).encode()
    changed = bytearray(data)
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(changed))
        way = dice.random()
        if way < 0.5:
            changed[at] = dice.randrange(256)
        elif way < 0.75:
            del changed[at : at + dice.randint(1, 30)]
        else:
            changed[at:at] = bytes(dice.randrange(256) for _ in range(dice.randint(1, 8)))
        if not changed:
            break
    return bytes(changed)


def _break_value(tree: Any, dice: random.Random) -> None:
    """Put something odd in a random place of a tree."""
    node = tree
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = dice.choice(keys)
        if isinstance(node[key], dict | list) and node[key] and dice.random() < 0.85:
            node = node[key]
            continue
        if isinstance(node, dict) and dice.random() < 0.2:
            del node[key]
        else:
            node[key] = dice.choice(ODD)
        return


def write(folder: Path, name: str, content: bytes | str | dict[str, Any]) -> Path:
    path = folder / name
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
