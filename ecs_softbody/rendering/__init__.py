"""Rendering: pictures of a simulation.

Importing it opens nothing; games and windows are in `ecs_softbody.play`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ecs_softbody.validation import unknown_attribute

if TYPE_CHECKING:
    from ecs_softbody.rendering import palette, patterns, themes
    from ecs_softbody.rendering.camera import Camera
    from ecs_softbody.rendering.layers import Layer
    from ecs_softbody.rendering.picture import Picture
    from ecs_softbody.rendering.plot import Plot
    from ecs_softbody.rendering.screen.cached import draw_cached
    from ecs_softbody.rendering.screen.view import View
    from ecs_softbody.rendering.system_fonts import LettersWarning
    from ecs_softbody.rendering.texture import Texture
    from ecs_softbody.rendering.theme import Hills, Sun, Theme
    from ecs_softbody.rendering.tiles import Tiles
    from ecs_softbody.rendering.world.look import Look
    from ecs_softbody.rendering.world.skin import Skin
    from ecs_softbody.rendering.world.world_painter import WorldPainter

__all__ = [
    "Camera", "Hills", "Layer", "LettersWarning", "Look", "Picture", "Plot", "Skin", "Sun",
    "Texture", "Theme", "Tiles", "View", "WorldPainter", "draw_cached", "palette", "patterns",
    "themes",
]  # fmt: skip


WHERE = {
    "Camera": "camera", "Hills": "theme", "Layer": "layers", "LettersWarning": "system_fonts",
    "Look": "world.look", "Picture": "picture", "Plot": "plot",
    "WorldPainter": "world.world_painter", "Skin": "world.skin", "Sun": "theme",
    "Texture": "texture", "Theme": "theme", "Tiles": "tiles", "View": "screen.view",
    "draw_cached": "screen.cached",
}  # fmt: skip
"""The module of each name: the build of the kernels imports this room, and has no Pillow."""


def __getattr__(name: str) -> Any:
    """Import a name or module on first access."""
    if name in WHERE:
        return getattr(import_module(f"{__name__}.{WHERE[name]}"), name)
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise unknown_attribute(f"module {__name__!r}", name, __all__)
