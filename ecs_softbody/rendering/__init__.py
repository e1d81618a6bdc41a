"""Rendering: pictures of a simulation. Importing it opens nothing; games and windows are in `ecs_softbody.play`."""

from importlib import import_module
from typing import Any

from ecs_softbody.rendering import palette, patterns, themes
from ecs_softbody.rendering.camera import Camera, View
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.plot import Plot
from ecs_softbody.rendering.scene.look import Look
from ecs_softbody.rendering.scene.scene_painter import ScenePainter
from ecs_softbody.rendering.scene.skin import Skin
from ecs_softbody.rendering.screen.kept import draw_kept
from ecs_softbody.rendering.texture import Texture
from ecs_softbody.rendering.theme import Hills, Sun, Theme
from ecs_softbody.rendering.tiles import Tiles

__all__ = [
    "Camera", "Hills", "Layer", "Look", "Picture", "Plot", "ScenePainter", "Skin", "Sun", "Texture", "Theme", "Tiles",
    "View", "draw_kept", "palette", "patterns", "themes",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Find a name that was here before it moved up to `ecs_softbody.play`."""
    play = import_module("ecs_softbody.play")
    if name not in play.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(play, name)
