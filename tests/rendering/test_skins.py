"""Skins: a picture that deforms with its body, in windows and in pictures without OpenGL."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from ecs_softbody import Particles, Simulation, StaticCollider, Tearing, blueprints
from ecs_softbody.rendering import Look, Picture, Skin, Texture, View, WorldPainter, patterns
from ecs_softbody.rendering.backend.rasterizer import draw_image

SIZE = (320, 180)
RED = (220, 30, 30)
BLUE = (30, 30, 220)
SKY = (255, 255, 255)


def halves() -> NDArray[np.uint8]:
    """Return a picture that is red to the left and blue to the right."""
    image = np.zeros((64, 64, 3), np.uint8)
    image[:, :32] = RED
    image[:, 32:] = BLUE
    return image


def picture_of(
    sim: Simulation, center: tuple[float, float] = (0.0, 0.0), height: float = 4.0
) -> Picture:
    picture = Picture(*SIZE, View(center, height, *SIZE))
    picture.rectangle((0, 0), (picture.width, 720), SKY, layer=0, space="screen")
    WorldPainter().draw(sim, picture, shadows=False)
    return picture


def image_of(sim: Simulation) -> NDArray[np.uint8]:
    return draw_image(picture_of(sim))


def share(image: NDArray[np.uint8], colour: tuple[int, int, int]) -> float:
    return float((np.abs(image.astype(int) - colour).max(axis=2) < 24).mean())


def at(image: NDArray[np.uint8], x: float, y: float) -> tuple[int, ...]:
    """Return the colour at a place [m]."""
    return tuple(image[int(90 - 45 * y), int(160 + 45 * x)].tolist())


def a_world(name: str, *components: object) -> tuple[Simulation, int]:
    sim = Simulation(world=f"skin {name}", gravity=(0, 0))
    entity = sim.spawn(*components)
    sim.step(1.0 / 60.0)
    return sim, entity


@pytest.mark.parametrize(
    "body",
    [
        blueprints.blob((0, 0), 1.2),
        blueprints.box((0, 0), (2.4, 2.4)),
        blueprints.polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)]),
        blueprints.cloth((0, 0), (2.4, 2.4), pin_top=False),
        blueprints.rope((-1.5, 0), (1.5, 0), thickness=0.4),
        blueprints.ball((0, 0), 1.0),
    ],
    ids=["blob", "box", "polygon", "cloth", "rope", "ball"],
)
def test_any_body_shows_its_picture(body: tuple[object, ...]) -> None:
    sim, _ = a_world("any", *body, Skin(halves()))
    image = image_of(sim)
    assert at(image, -0.5, 0.0) == RED
    assert at(image, 0.5, 0.0) == BLUE
    assert share(image, RED) == pytest.approx(share(image, BLUE), rel=0.1)
    assert share(image, RED) > 0.01


def test_the_picture_follows_a_squash_and_a_turn() -> None:
    sim, entity = a_world("squash", *blueprints.blob((0, 0), 1.0), Skin(halves()))
    body = sim.get(entity, Particles)
    before = image_of(sim)
    body.position[:] = body.position @ np.array(((1.5, 0.0), (0.0, 0.6)))
    squashed = image_of(sim)
    assert share(squashed, RED) == pytest.approx(0.9 * share(before, RED), rel=0.05)
    body.position[:] = body.position @ np.array(((0.0, 1.0), (-1.0, 0.0)))
    turned = image_of(sim)
    assert at(turned, 0.0, -0.8) == RED
    assert at(turned, 0.0, 0.8) == BLUE


@pytest.mark.parametrize(
    "body", [blueprints.blob((0, 0), 1.2), blueprints.box((0, 0), (2.4, 2.4))], ids=["blob", "box"]
)
def test_each_fragment_keeps_its_part_without_a_seam(body: tuple[object, ...]) -> None:
    sim, _ = a_world("cut", *body, Skin(halves()))
    before = image_of(sim)
    (cut,) = sim.cut((-3, -0.25), (3, 0.35))
    sim.step(1.0 / 600.0)
    after = image_of(sim)
    assert len(cut.pieces) == 2
    inside = slice(55, 125), slice(125, 195)
    assert share(after[inside], SKY) == 0.0  # no gap
    assert np.abs(after.astype(int) - before).mean() < 1.0
    assert len({id(sim.get(piece, Skin).picture) for piece in cut.pieces}) == 1
    for _ in range(20):
        sim.step(1.0 / 60.0)
    apart = image_of(sim)
    assert share(apart, RED) == pytest.approx(share(apart, BLUE), rel=0.1)
    assert share(apart, RED) > 0.95 * share(before, RED)


def test_a_net_opens_where_it_is_cut() -> None:
    sim, _ = a_world("net", *blueprints.cloth((0, 0), (2.4, 2.4), pin_top=False), Skin(halves()))
    before = image_of(sim)
    (cut,) = sim.cut((-3, 0.1), (3, 0.1))
    assert len(cut.pieces) == 2
    sim.step(1.0 / 60.0)
    assert share(image_of(sim), SKY) > share(before, SKY) + 0.01


def test_a_torn_body_keeps_its_picture_without_a_seam() -> None:
    sim, entity = a_world(
        "tear", *blueprints.blob((0, 0), 0.8), Tearing(strain=0.3), Skin(halves())
    )
    before = image_of(sim)
    for _ in range(30):
        if not sim.exists(entity):
            break
        body = sim.get(entity, Particles)
        before = image_of(sim)
        far = np.abs(body.position[:, 0]) > 0.5 * np.abs(body.position[:, 0]).max()
        body.velocity[far, 0] = 3.0 * np.sign(body.position[far, 0])
        sim.step(1.0 / 60.0)
    assert len(sim.entities(Skin)) == 2
    after = image_of(sim)
    assert share(after, RED) == pytest.approx(share(before, RED), rel=0.15)
    assert share(after, BLUE) == pytest.approx(share(before, BLUE), rel=0.15)
    assert share(after[80:100, 145:175], SKY) == 0.0  # no gap at first


def test_bodies_with_one_picture_are_one_draw_call(tmp_path: Path) -> None:
    Image.fromarray(halves()).save(tmp_path / "a.png")
    sim = Simulation(world="skins of many")
    for number in range(12):
        sim.spawn(*blueprints.blob((number % 4, number // 4), 0.4), Skin(tmp_path / "a.png"))
    sim.spawn(*blueprints.blob((0, -2), 0.4), Skin(patterns.dots(RED, BLUE)))
    sim.step(1.0 / 60.0)
    picture = picture_of(sim, (1.5, 0.5), 8.0)
    picture.triangles()
    assert sum(run.texture is not None for run in picture.runs) == 2


def test_clear_parts_show_what_is_behind_and_opacity_fades() -> None:
    clear = np.zeros((8, 8, 4), np.uint8)
    sim, entity = a_world("clear", *blueprints.blob((0, 0), 1.0), Skin(clear), Look(opacity=0.5))
    assert share(image_of(sim), SKY) == 1.0
    sim.get(entity, Skin).picture = np.zeros((8, 8, 3), np.uint8)
    assert at(image_of(sim), 0.0, 0.0) == pytest.approx((128, 128, 128), abs=2)


def test_ground_is_tiled() -> None:
    board = patterns.checker((0, 0, 0), (250, 250, 0), count=2)
    sim = Simulation(world="tiled ground")
    sim.spawn(StaticCollider([(-9, -1), (9, -1)]), Look(style="ground"), Skin(board, tile=1.0))
    sim.spawn(
        StaticCollider([(-1, 0), (1, 0), (1, 1), (-1, 1)], closed=True),
        Look(style="solid"),
        Skin(board, tile=2.0),
    )
    sim.step(1.0 / 60.0)
    image = image_of(sim)
    colours = {at(image, x + 0.25, -1.3) for x in range(-3, 3)}
    assert len(colours) == 1
    assert at(image, 0.25, -1.3) != at(image, 0.75, -1.3)
    assert at(image, -0.5, 0.5) != at(image, 0.5, 0.5)


def test_a_moving_platform_takes_its_picture_along() -> None:
    sim = Simulation(world="moving picture")
    wall = sim.spawn(
        StaticCollider([(-1, 0), (1, 0), (1, 1), (-1, 1)], closed=True),
        Skin(halves()),
        Look(style="solid"),
    )
    sim.step(1.0 / 60.0)
    sim.get(wall, StaticCollider).vertices[:] += (0.0, -1.2)
    image = image_of(sim)
    assert (at(image, -0.5, -0.7), at(image, 0.5, -0.7)) == (RED, BLUE)


def test_pictures_in_the_scene_keep_their_order() -> None:
    picture = Picture(*SIZE)
    middle = (picture.width / 2, picture.height / 2)
    picture.image(halves(), middle, height=200, space="screen")
    picture.disc(middle, 50, (0, 250, 0), space="screen")
    picture.image(halves(), middle, width=30, height=30, angle=np.pi, space="screen")
    image = draw_image(picture)
    assert tuple(image[90, 120]) == RED
    assert tuple(image[90, 155]) == BLUE  # turned
    assert tuple(image[90, 178]) == (0, 250, 0)
    with pytest.raises(ValueError, match=r"Picture\.image\.width: -1"):
        picture.image(halves(), (0, 0), width=-1)


def test_small_pictures_are_means_of_large_ones() -> None:
    board = patterns.checker((0, 0, 0), (255, 255, 255), count=64, side=256)
    picture = Picture(*SIZE)
    picture.image(board, (picture.width / 2, picture.height / 2), height=40, space="screen")
    middle = draw_image(picture)[84:96, 154:166].astype(int)
    np.testing.assert_allclose(middle, 127, atol=3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"picture": "none.png"}, r"Skin\.picture: there is no file 'none\.png'"),
        ({"picture": np.zeros((2, 2, 7))}, r"shape \(2, 2, 7\) is not allowed"),
        ({"picture": np.full((2, 2), 3.0)}, "numbers from 0 to 1"),
        ({"picture": np.zeros((2, 2)), "fit": "squeeze"}, r"Skin\.fit: 'squeeze'"),
        ({"picture": np.zeros((2, 2)), "tile": 0}, r"Skin\.tile: 0"),
    ],
)
def test_bad_skins_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Skin(**options)


def test_a_skin_needs_a_body_and_a_place_for_each_particle() -> None:
    sim = Simulation(world="skins without")
    sim.spawn(Skin(halves()))
    with pytest.raises(ValueError, match="neither Particles nor a StaticCollider"):
        sim.step(1.0 / 60.0)
    sim = Simulation(world="skins with too few")
    sim.spawn(*blueprints.blob((0, 0), 1.0), Skin(halves(), uv=np.zeros((3, 2))))
    with pytest.raises(ValueError, match="one row for each particle"):
        sim.step(1.0 / 60.0)


def test_the_same_picture_is_loaded_once(tmp_path: Path) -> None:
    Image.fromarray(halves()).save(tmp_path / "a.png")
    one = Skin(tmp_path / "a.png")
    two = Skin(str(tmp_path / "a.png"))
    assert one.picture is two.picture
    assert Skin(halves()).picture is Skin(halves()).picture
    assert isinstance(one.picture, Texture)


@pytest.mark.window
def test_a_window_shows_what_a_recording_does() -> None:
    import pyglet

    from ecs_softbody.rendering.backend.gl_backend import GLBackend

    sim, _ = a_world("window", *blueprints.blob((0, 0), 1.2), Skin(halves()))
    sim.spawn(
        StaticCollider([(-9, -1.3), (9, -1.3)]),
        Look(style="ground"),
        Skin(patterns.bricks(), tile=1.0),
    )
    sim.cut((-3, -0.25), (3, 0.35))
    sim.step(1.0 / 60.0)
    window = pyglet.window.Window(*SIZE)
    try:
        backend = GLBackend()
        picture = picture_of(sim)
        backend.draw(picture)
        shown = backend.read(*SIZE).astype(int)
    finally:
        window.close()
    assert np.abs(shown - draw_image(picture)).mean() < 2.0
