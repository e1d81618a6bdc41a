"""Warm-up of pictures: compile every kernel of this room, or load it from the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ecs_softbody import Simulation
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.body_mesh import RingColours, Rings, add_bodies
from ecs_softbody.rendering.curves import smooth_line
from ecs_softbody.rendering.palette import rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.rasterizer import draw_image

SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


def warmup_pictures(*, rasterizer: bool = False) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield (name, call): each call compiles one part; the rasterizer only where there is no OpenGL."""
    picture = Picture(32, 18)
    yield "strokes", lambda: picture.stroke(SQUARE, 2.0, palette.TEXT)
    yield "polygons", lambda: picture.polygon(SQUARE, palette.TEXT)
    yield "curves", _curve
    yield "bodies", lambda: _body(picture)
    if rasterizer:
        yield "pixels", lambda: _pixels(picture)


def _curve() -> None:
    smooth_line(SQUARE * 100.0)


def _body(picture: Picture) -> None:
    rings = Rings(np.arange(4, dtype=np.int64), np.array([0, 4], np.int64))
    colours = RingColours(*(rgba(palette.TEAL)[None] for _ in range(4)))
    add_bodies(picture.mesh(0), SQUARE, np.full(4, 0.1), rings, colours, picture.view, 2.0)


def _pixels(picture: Picture) -> None:
    draw_image(picture)


def prepare_pictures() -> Iterator[tuple[int, int, str]]:
    """Compile what any screen with OpenGL needs; yields (done, total, name) after each part."""
    parts = list(warmup_pictures())
    for done, (name, call) in enumerate(parts, 1):
        call()
        yield done, len(parts), name


def prepare_everything() -> Iterator[tuple[int, int, str]]:
    """Compile the physics, all pictures and the rasterizer; yields (done, total, name) after each part."""
    parts = list(warmup_pictures(rasterizer=True))
    done, simulation = 0, Simulation(world="ecs_softbody preparation")
    for done, total, name in simulation.warmup_steps():
        yield done, total + len(parts), name
    simulation.close()
    for step, (name, call) in enumerate(parts, 1):
        call()
        yield done + step, done + len(parts), name
