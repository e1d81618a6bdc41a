"""What page.js draws of a display list is what the rasterizer draws of it; no Python runs in the
page.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ecs_softbody.web
from ecs_softbody.play import Session
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.backend.shaders import WEBGL, shaders
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.web.backend import WebBackend
from ecs_softbody.web.making.writing import SCRIPTS
from included import included_games
from tests.helpers import chromium
from tests.helpers.pages import needs_chromium

SIZE = (960, 540)
GAMES = ("jelly-platformer", "windy-pond", "jelly-car", "little-planet")
DRAW = """<!doctype html>
<link rel="icon" href="data:,">
<body style="margin: 0; overflow: hidden"><canvas id="canvas"></canvas>
<script type="module">
import {makeBackend} from "./page.js";
const memory = {HEAPU8: new Uint8Array(await (await fetch("memory.bin" + location.search)).arrayBuffer())};
const list = await (await fetch("list.json" + location.search)).json();
const backend = makeBackend(document.getElementById("canvas"), memory, list.shaders);
for (const [name, ...values] of list.calls) backend[name](...values);
for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame);  // until it is to be seen
window.drawn = location.search;
</script>
"""


class Recorder:
    """In place of the page: keeps what it is called with, and what lies at each address."""

    def __init__(self) -> None:
        self.calls: list[list[object]] = []
        self.memory = bytearray(16)  # no address is 0

    def keep(self, address: int, length: int) -> int:
        """Copy a piece of Python's memory, and return where it lies in the copy."""
        import ctypes

        place = len(self.memory)
        self.memory += ctypes.string_at(address, length)
        self.memory += bytes(-len(self.memory) % 8)
        return place

    def loadAtlas(self, address: int, width: int, height: int) -> None:
        self.calls.append(["loadAtlas", self.keep(address, width * height), width, height])

    def loadTexture(self, number: int, address: int, levels: int, count: int) -> None:
        import ctypes

        table = np.frombuffer(ctypes.string_at(levels, 12 * count), np.int32).reshape(-1, 3)
        start, width, height = table[-1].tolist()
        pixels = self.keep(address, start + 4 * width * height)
        self.calls.append(["loadTexture", number, pixels, self.keep(levels, 12 * count), count])

    def forgetTexture(self, number: int) -> None:
        self.calls.append(["forgetTexture", number])

    def draw(
        self,
        width: int,
        height: int,
        vertices: int,
        vertex_bytes: int,
        indices: int,
        index_bytes: int,
        opaque: int,
        runs: int,
        run_count: int,
    ) -> None:
        places = (
            self.keep(vertices, vertex_bytes),
            vertex_bytes,
            self.keep(indices, index_bytes),
            index_bytes,
        )
        self.calls.append(
            ["draw", width, height, *places, opaque, self.keep(runs, 16 * run_count), run_count]
        )

    def read(self, address: int, width: int, height: int) -> None:
        raise NotImplementedError


def pictures() -> Iterator[tuple[str, Picture]]:
    for name in GAMES:
        session = Session(included_games()[name].load(), autopilot=True)
        for _ in range(100):
            session.frame()
        yield name, session.picture(*SIZE, 1.0, Picture(*SIZE))
        session.close()
    picture = Picture(*SIZE)
    noise = np.random.default_rng(3).integers(0, 256, (24, 32, 4), np.uint8)
    picture.rectangle((0, 0), (1280, 720), (40, 80, 120), space="screen")
    picture.image(noise, (300, 300), width=300, angle=0.4, space="screen")
    picture.image(noise, (800, 300), width=150, opacity=0.5, space="screen")
    picture.text("Jelly 123 äß", (500, 600), size=40)
    yield "a picture with images", picture


@needs_chromium
@pytest.mark.browser
def test_a_page_draws_what_the_rasterizer_draws(tmp_path: Path) -> None:
    for name in SCRIPTS:
        shutil.copy(Path(ecs_softbody.web.__file__).with_name(name), tmp_path)
    (tmp_path / "index.html").write_text(DRAW)
    with chromium.served(tmp_path) as address, chromium.opened(SIZE) as page:
        for number, (name, picture) in enumerate(pictures()):
            recorder = Recorder()
            WebBackend(recorder).draw(picture)
            (tmp_path / "memory.bin").write_bytes(recorder.memory)
            sources = dict(zip(("vertex", "plain", "flat", "skin"), shaders(WEBGL), strict=True))
            listed = {"shaders": sources, "calls": recorder.calls}
            (tmp_path / "list.json").write_text(json.dumps(listed))
            page.open(f"{address}?{number}")
            page.wait_for(f"window.drawn === '?{number}'")
            found = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), float)
            off = np.abs(found - draw_image(picture))
            assert off.mean() < 1.0, name
            assert (off.max(axis=2) > 8).mean() < 0.005, name
            print(name, off.mean())
        assert not [line for line in page.said if line.startswith(("error", "warning"))], page.said
