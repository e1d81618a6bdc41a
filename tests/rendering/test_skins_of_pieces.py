"""Skins of pieces: after cuts and tears each particle has its place of the picture; windows show
what recordings do.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ecs_softbody import Collider, Particles, Simulation, Tearing, blueprints, imports
from ecs_softbody.fracture.outlines import GAP
from ecs_softbody.geometry.polygon import mean_edge
from ecs_softbody.rendering import Picture, Skin, View, WorldPainter
from ecs_softbody.rendering.backend.rasterizer import draw_image

SIZE = (480, 360)
CELLS = 8


def chequered(side: int = 128) -> NDArray[np.uint8]:
    """Return a picture whose colours tell every place of it."""
    y, x = np.mgrid[:side, :side]
    dark = (x * CELLS // side + y * CELLS // side) % 2
    return np.dstack([x * 255 // side, y * 255 // side, np.where(dark, 220.0, 40.0)]).astype(
        np.uint8
    )


def a_ring() -> Image.Image:
    image = Image.new("RGBA", (96, 96))
    draw = ImageDraw.Draw(image)
    draw.ellipse((2, 2, 94, 94), fill=(200, 60, 90))
    draw.ellipse((32, 32, 64, 64), fill=(0, 0, 0, 0))
    return image


BODIES = {
    "blob": lambda: (*blueprints.blob((0, 0), 1.2), Skin(chequered())),
    "box": lambda: (
        *blueprints.box((0, 0), (2.4, 2.0)),
        Skin(chequered(), fit="stretch", angle=0.4),
    ),
    "polygon": lambda: (
        *blueprints.polygon([(-1, -1), (1.2, -1), (1, 1), (-1, 0.8)]),
        Skin(chequered(), tile=0.7),
    ),
    "cloth": lambda: (*blueprints.cloth((0, 0), (2.4, 2.0), pin_top=False), Skin(chequered())),
    "picture": lambda: imports.picture(a_ring(), (0, 0), height=2.4),
}


def places_of(sim: Simulation) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.float64]]]:
    """Yield every body with a skin, where its particles are (N, 2), and their places in the picture
    (N, 2).
    """
    for entity in sim.entities(Skin):
        yield (
            entity,
            np.array(sim.get(entity, Particles).position),
            np.array(sim.get(entity, Skin).uv),
        )


def law_of(points: NDArray[np.float64], uv: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the affine law (3, 2) from places to places in the picture, which holds for a body at
    rest.
    """
    law, *_ = np.linalg.lstsq(np.column_stack((points, np.ones(len(points)))), uv, rcond=None)
    return law


def error_of(
    law: NDArray[np.float64], points: NDArray[np.float64], uv: NDArray[np.float64]
) -> float:
    return float(np.abs(np.column_stack((points, np.ones(len(points)))) @ law - uv).max())


@pytest.mark.brief(10)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", BODIES)
def test_pieces_of_cuts_keep_their_part_of_the_picture(name: str, seed: int) -> None:
    dice = np.random.default_rng(seed)
    sim = Simulation(world=f"pieces of {name}", gravity=(0, 0))
    entity = sim.spawn(*BODIES[name]())
    sim.step(1.0 / 60.0)
    law = law_of(sim.get(entity, Particles).position, sim.get(entity, Skin).uv)
    tolerance = 1e-6 + error_of(law, sim.get(entity, Particles).position, sim.get(entity, Skin).uv)
    if name != "cloth":
        ring = sim.get(entity, Particles).position[sim.get(entity, Collider).outline]
        # each of three cuts draws its sides in by so much
        gaps = 3 * GAP * mean_edge(ring)
        tolerance += gaps * float(np.hypot(*law[:2]).max())
    pieces = 1
    for _ in range(3):
        angle = dice.uniform(0.0, np.pi)
        shift = dice.uniform(-0.4, 0.4, 2)
        along = 4.0 * np.array((np.cos(angle), np.sin(angle)))
        sim.cut(shift - along, shift + along)
        found = list(places_of(sim))
        assert len(found) >= pieces
        pieces = len(found)
        for _, points, uv in found:
            # what lies together shows what lay together
            assert error_of(law, points, uv) <= tolerance
    assert pieces >= 3
    assert len({id(sim.get(piece, Skin).picture) for piece, _, _ in places_of(sim)}) == 1
    sim.close()


@pytest.mark.brief(2)
@pytest.mark.parametrize("name", ["polygon", "cloth"])
def test_what_tears_keeps_its_part_of_the_picture(name: str) -> None:
    sim = Simulation(world=f"tears of {name}", gravity=(0, 0))
    entity = sim.spawn(*BODIES[name](), Tearing(strain=0.3))
    sim.step(1.0 / 60.0)
    known = {tuple(uv) for uv in np.round(sim.get(entity, Skin).uv, 6).tolist()}
    low = sim.get(entity, Skin).uv.min(axis=0)
    high = sim.get(entity, Skin).uv.max(axis=0)
    for _ in range(40):
        for one, points, _ in places_of(sim):
            sim.get(one, Particles).velocity[:, 0] = 20.0 * (points[:, 0] - points[:, 0].mean())
        sim.step(1.0 / 60.0)
    found = list(places_of(sim))
    assert len(found) >= 2
    for one, points, uv in found:
        assert len(uv) == len(points)
        assert (uv >= low - 1e-6).all()
        assert (uv <= high + 1e-6).all()
        assert sim.get(one, Skin).picture.width > 1
    kept = sum(tuple(place) in known for _, _, uv in found for place in np.round(uv, 6).tolist())
    # particles of the body as it was; new ones lie on its cracks
    assert kept >= 0.95 * len(known)
    sim.close()


def picture_of(sim: Simulation) -> Picture:
    picture = Picture(*SIZE, View((0.0, 0.0), 4.5, *SIZE))
    picture.rectangle((0, 0), (picture.width, 720), (255, 255, 255), layer=0, space="screen")
    WorldPainter().draw(sim, picture, shadows=False)
    return picture


@pytest.mark.window
@pytest.mark.parametrize("name", BODIES)
def test_a_window_shows_a_squash_a_cut_and_a_tear_as_a_recording_does(name: str) -> None:
    import pyglet

    from ecs_softbody.rendering.backend.gl_backend import GLBackend

    sim = Simulation(world=f"shown {name}", gravity=(0, 0))
    entity = sim.spawn(*BODIES[name](), Tearing(strain=0.8))
    sim.step(1.0 / 60.0)
    pictures = []
    sim.get(entity, Particles).position[:] *= (1.25, 0.7)
    pictures.append(picture_of(sim))
    sim.get(entity, Particles).position[:] /= (1.25, 0.7)
    sim.cut((-3.0, -0.35), (3.0, 0.5))
    pictures.append(picture_of(sim))
    for _ in range(12):
        for one, points, _ in places_of(sim):
            sim.get(one, Particles).velocity[:, 0] = 4.0 * (points[:, 0] - points[:, 0].mean())
        sim.step(1.0 / 60.0)
    pictures.append(picture_of(sim))
    window = pyglet.window.Window(*SIZE)
    try:
        backend = GLBackend()
        for picture in pictures:
            backend.draw(picture)
            shown = backend.read(*SIZE).astype(np.int64)
            drawn = draw_image(picture).astype(np.int64)
            assert (drawn.min(axis=2) < 250).mean() > 0.02, "nothing is drawn"
            assert np.abs(shown - drawn).mean() < 2.0
            assert (np.abs(shown - drawn).max(axis=2) > 100).mean() < 0.004
    finally:
        window.close()
    sim.close()
