"""Scenes: loaded into a world, stepped, drawn and saved again."""

from __future__ import annotations

import contextlib
import io
import json
import tomllib
from pathlib import Path
from typing import Any, ClassVar

from PIL import Image

from ecs_softbody import Simulation, blueprints, scenes
from ecs_softbody.rendering import Picture, View, WorldPainter
from tests.fuzzing.kinds.kind import FRAME, Kind, Sample
from tests.scenes.mutations import KEYS
from tests.scenes.samples import FULL
from tests.scenes.test_skins_and_imports import DRAWING, SKINS

SEEN = View((0.0, 4.0), 10.0, 320, 180)
PARTS = (
    'include = "prefabs.toml"\nimport = "hill.svg"\n[entities.again]\nprefab = '
    '"barrel"\nat = [1, 3]\n'
)
PREFABS = """
include = ["more/loads.json"]
[prefabs.barrel]
blob = { center = [0, 0], radius = 0.4, particles = 10 }
Look = { fill = [120, 90, 60] }
tags = ["barrel"]
"""
LOADS = (
    '{"materials": {"steel": {"friction": 0.3}}, "prefabs": {"load": {"prefab": '
    '"barrel", "material": "steel"}}}'
)


def face() -> bytes:
    stream = io.BytesIO()
    Image.new("RGBA", (16, 16), (250, 190, 60)).save(stream, "PNG")
    return stream.getvalue()


class Scenes(Kind):
    """Scene files in TOML; their JSON is another kind."""

    name = "scenes-toml"
    refusals = (scenes.SceneError,)
    words: ClassVar[list[str]] = [
        *KEYS, "materials", "prefabs", "skin", "image", "tile", "fit", "theme", "camera", "solver",
        "threads", "time_scale", "sleeping", "speed_limit", "title", "name", "layers", "tilesets",
        "levels", "objects", "__class__", "open", "Tiles", "path", "file", "picture", "uv", "count",
        "importer", "Simulation", "register",
    ]  # fmt: skip
    ending = ".toml"

    def samples(self) -> list[Sample]:
        skins = {"face.png": face(), "art/face.png": face()}
        found = [
            {"level.toml": FULL.encode()},
            {"level.toml": SKINS.encode(), **skins},
            {
                "level.toml": PARTS.encode(),
                "prefabs.toml": PREFABS.encode(),
                "more/loads.json": LOADS.encode(),
                "hill.svg": DRAWING.encode(),
                **skins,
            },
        ]
        return [Sample(f"level{self.ending}", self._written(files)) for files in found]

    def _written(self, files: dict[str, bytes]) -> dict[str, bytes]:
        return files

    def take(self, sample: Sample, path: Path) -> Any:
        self.sim = Simulation(world="taker")
        self.sim.spawn(*blueprints.blob((0, 20), 0.5))
        self.sim.step(FRAME)
        self.before = self._state()
        return scenes.load(self.sim, path)

    def _state(self) -> Any:
        sim = self.sim
        settings = (
            sim.substeps,
            sim.sleeping,
            sim.threads,
            sim.speed_limit,
            sim.time_scale,
            *sim.gravity.tolist(),
        )
        return sim.state_hash(), sim.entities(), settings

    def go_on(self, taken: scenes.Scene) -> None:
        for _ in range(3):
            self.sim.step(FRAME)
        picture = Picture(320, 180, SEEN)
        WorldPainter().draw(self.sim, picture)
        picture.triangles()
        with contextlib.suppress(ValueError):  # as documented: not all can be written
            scenes.save(taken, taken.path.with_name(f"saved{self.ending}"))
        self.before = None

    def after(self) -> None:
        assert self.before is None or self._state() == self.before, "the world is another one"
        self.sim.close()


class JsonScenes(Scenes):
    """Scene files in JSON."""

    name = "scenes-json"
    ending = ".json"

    def _written(self, files: dict[str, bytes]) -> dict[str, bytes]:
        main = json.dumps(tomllib.loads(files["level.toml"].decode())).encode()
        return {"level.json": main} | {
            name: data for name, data in files.items() if name != "level.toml"
        }
