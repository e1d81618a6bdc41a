"""Cached drawing: a part of a picture that seldom changes is drawn once, and added as it was
until it does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from ecs_softbody.rendering.layers import Space
from ecs_softbody.rendering.picture import Picture


def draw_cached(
    picture: Picture,
    name: Hashable,
    key: Hashable,
    draw: Callable[[], None],
    *,
    space: Space = "screen",
    at_once: bool = False,
) -> None:
    """Add the output of `draw`: if the key is unchanged, repeat the last triangles and texts
    without calling it.

    Args:
        picture: to draw on.
        name: of this part; a part has one name in every picture, and no other has it.
        key: all that it shows: numbers, texts, colours.
        draw: adds it to the picture, without pictures of files.
        space: "screen" where it does not move with the camera, else "world"; `draw` leaves nothing
            out there because it is not seen now: triangles without texts are moved along with the
            camera as long as it does not zoom.
        at_once: keep it when it is drawn for the first time, since it will be the same for long.
    """
    screen = (picture.width_px, picture.height_px, picture.point, picture.atlas.version)
    zoom = None
    at = (0.0, 0.0)
    if space == "world":
        x, y = picture.view.to_pixels((0.0, 0.0)).tolist()
        zoom = picture.view.height
        at = (x, y)
    picture.meshes.again(
        name, (key, screen, zoom, picture.theme), draw, picture.texts, at, at_once=at_once
    )
