"""Scenes: worlds in files. `scene = scenes.load(sim, "level.toml")`, and `scene["hero"]` is an
entity.

A file is TOML or JSON: settings of the world, materials, entities by blueprints or raw components,
links between them, looks, tags and data (docs/scenes.md). Errors are reported all at once, with
their lines, and then the world stays unchanged.
"""

from ecs_softbody.scenes.importers import add_importer
from ecs_softbody.scenes.loading import check, load, read
from ecs_softbody.scenes.loading import open_scene as open
from ecs_softbody.scenes.model.schema import schema
from ecs_softbody.scenes.problems import Problem, SceneError
from ecs_softbody.scenes.saving import save
from ecs_softbody.scenes.scene import Scene

__all__ = [
    "Problem",
    "Scene",
    "SceneError",
    "add_importer",
    "check",
    "load",
    "open",
    "read",
    "save",
    "schema",
]
