"""Warm-up of pictures: compile every kernel of rendering before a game needs it, where the library
of compiled kernels lacks one. Each part draws something small that uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ecs_softbody import Simulation
from ecs_softbody.indices import arange
from ecs_softbody.parallel.compiling import needs_compiler
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.mesh.blades import bend_blades, shape_blades
from ecs_softbody.rendering.mesh.body_mesh import RingColours, Rings, add_bodies
from ecs_softbody.rendering.mesh.curves import smooth_line
from ecs_softbody.rendering.mesh.ground_below import find_ground_below, place_shadows
from ecs_softbody.rendering.mesh.skin_mesh import (
    SkinnedBodies,
    SkinnedParticles,
    add_skins,
    joined_shapes,
)
from ecs_softbody.rendering.mesh.skin_shape import ring_shape
from ecs_softbody.rendering.palette import rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texture import Texture

SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
"""Points for kernels that only have to be compiled."""


def warmup_pictures(*, rasterizer: bool = False) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield (name, call): each call compiles one part; the rasterizer only without OpenGL."""
    picture = Picture(32, 18)
    yield "strokes", lambda: picture.stroke(SQUARE, 2.0, palette.TEXT)
    yield "polygons", lambda: picture.polygon(SQUARE, palette.TEXT)
    yield "curves", lambda: smooth_line(SQUARE * 100.0)
    yield "shapes", lambda: _shapes(picture)
    yield "bodies", lambda: _body(picture)
    yield "skins", lambda: _skin(picture)
    yield "grass", _ground
    if rasterizer:
        yield "pixels", lambda: draw_image(picture)


def _shapes(picture: Picture) -> None:
    mesh = picture.mesh(0)
    colour = rgba(palette.TEAL)
    mesh.add_ellipses(SQUARE, SQUARE + 1.0, colour)
    mesh.add_segments(SQUARE, SQUARE + 1.0, 1.0, colour)
    mesh.add_band(SQUARE + 1.0, SQUARE, colour, colour)
    mesh.add_round_box((0.0, 0.0), (4.0, 4.0), 1.0, colour)
    box = np.ones((1, 4), np.float32)
    mesh.add_glyphs(box, box, (0.0, 0.0), np.asarray(colour, np.float32))


def _body(picture: Picture) -> None:
    rings = Rings(SQUARE, np.full(4, 0.1), arange(4), np.array([0, 4], np.int64))
    colours = RingColours(*(rgba(palette.TEAL)[None] for _ in range(4)))
    add_bodies(picture.mesh(0), rings, colours, picture.view, 2.0)


def _skin(picture: Picture) -> None:
    shapes = joined_shapes([ring_shape(SQUARE, arange(4), coarse=True)])
    none = np.zeros(1, np.int64)
    tint = np.ones((1, 5), np.float32)
    bodies = SkinnedBodies(none, none, none, np.ones((1, 2)), tint)
    particles = SkinnedParticles(SQUARE, np.full(4, 0.1), np.zeros(4), SQUARE)
    add_skins(
        picture.mesh(0, Texture(np.zeros((1, 1, 4), np.uint8))),
        shapes,
        bodies,
        particles,
        picture.view,
    )


def _ground() -> None:
    room = np.zeros((4, 3))
    points = np.zeros((3, 3, 2))
    feet, near, free, bent = np.arange(6.0).reshape(3, 2) * (0.1, 0.0), *room[:3]
    bend_blades(feet, SQUARE - (0.0, 0.1), 1, near, free, bent)
    shape_blades(feet, room[3] + 0.2, room[3], bent, 1.0, 0.03, points)
    ground = np.zeros(4)
    find_ground_below(SQUARE, np.array((2, 4), np.int64), SQUARE + 0.5, ground)
    place_shadows(np.ones((4, 8)), ground, 2.0, 4.0, 3.0, np.zeros((4, 5)))


def prepare_pictures() -> Iterator[tuple[int, int, str]]:
    """Compile the parts needed by any screen with OpenGL, if not compiled yet; yields (done, total,
    name) after each part.
    """
    parts = list(warmup_pictures()) if needs_compiler() else []
    for done, (name, call) in enumerate(parts, 1):
        call()
        yield done, len(parts), name


def prepare_everything() -> Iterator[tuple[int, int, str]]:
    """Compile the physics, all pictures and the rasterizer; yields (done, total, name) after each
    part.
    """
    simulation = Simulation(world="ecs_softbody preparation")
    yield from warmup_steps(simulation, rasterizer=True)
    simulation.close()


def warmup_steps(
    simulation: Simulation, *, rasterizer: bool = False
) -> Iterator[tuple[int, int, str]]:
    """Compile the uncompiled parts of physics and rendering; yields (done, total, name) after each
    part.
    """
    if not needs_compiler():
        return
    done = 0
    parts = list(warmup_pictures(rasterizer=rasterizer))
    for done, total, name in simulation.warmup_steps():
        yield done, total + len(parts), name
    for step, (name, call) in enumerate(parts, 1):
        call()
        yield done + step, done + len(parts), name
