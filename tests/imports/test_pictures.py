"""Soft bodies of pictures."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ecs_softbody import Particles, Simulation, Springs, StaticCollider
from ecs_softbody.imports import mesh_of, picture, picture_parts
from ecs_softbody.rendering import Skin
from tests.imports.samples import blank, pictures, write


def test_a_body_covers_its_picture() -> None:
    particles, springs, *_, skin = picture(pictures()["star"], (3.0, 2.0), height=2.0)
    assert isinstance(particles, Particles)
    assert isinstance(springs, Springs)
    assert isinstance(skin, Skin)
    low = particles.position.min(axis=0)
    high = particles.position.max(axis=0)
    np.testing.assert_allclose(high - low, 2.0 * 118.0 / 128.0, rtol=0.05)
    np.testing.assert_allclose(0.5 * (low + high), (3.0, 2.0), atol=0.1)
    np.testing.assert_allclose(skin.uv, (particles.position - (2.0, 1.0)) / 2.0)


def test_a_hole_has_no_springs_across_it() -> None:
    particles, springs, *_ = picture(pictures()["ring"], (0.0, 0.0), height=2.0)
    middles = particles.position[springs.pairs].mean(axis=1)
    assert np.hypot(*middles.T).min() > 0.3


def test_parts_are_bodies_of_their_own() -> None:
    image, draw = blank()
    draw.ellipse((10, 10, 60, 60), fill=(255, 0, 0, 255))
    draw.ellipse((70, 70, 110, 110), fill=(0, 0, 255, 255))
    parts = picture_parts(image, (0.0, 0.0))
    assert [part[0].position.mean(axis=0)[0] < 0 for part in parts] == [True, False]
    assert len(picture(image, (0.0, 0.0))[0].position) == len(parts[0][0].position)


@pytest.mark.slow
@pytest.mark.parametrize("hold", ["shape", "springs"])
def test_bodies_of_odd_pictures_hold_their_shape(hold: str) -> None:
    sim = Simulation(world=f"pictures {hold}")
    sim.spawn(StaticCollider([(-1, 20), (-1, 0), (30, 0), (30, 20)]))
    bodies = {}
    for number, (name, image) in enumerate(pictures().items()):
        if hold == "shape" or name in ("ring", "whole", "letter B"):
            bodies[name] = sim.spawn(
                *picture(image, (1.0 + 2.2 * number, 1.5), height=1.6, hold=hold)
            )
    for _ in range(600):
        sim.step(1.0 / 60.0)
    for name, entity in bodies.items():
        body = sim.get(entity, Particles)
        rest = body.rest_offset - body.rest_offset.mean(axis=0)
        now = body.position - body.position.mean(axis=0)
        u, _, v = np.linalg.svd(rest.T @ now)
        away = np.hypot(*(rest @ u @ v - now).T)
        assert np.sqrt((away**2).mean()) < 0.03 * np.ptp(rest, axis=0).max(), name
    sim.close()


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (Image.new("RGBA", (64, 64), (0, 0, 0, 0)), "nothing in this picture is as opaque"),
        (Image.new("L", (5000, 4000)), "5000 x 4000 pixels are not allowed"),
        (np.zeros((0, 4, 4), np.uint8), "0 pixels are not allowed|4 x 0 pixels"),
        ("missing.png", "there is no file 'missing.png'"),
        (7, "expected a file, an image, or an array"),
    ],
)
def test_what_shows_no_body_is_one_clear_error(image: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        picture(image, (0.0, 0.0))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 6, 0, 0, 0))
    bomb = (
        b"\x89PNG\r\n\x1a\n"
        + header
        + chunk(b"IDAT", zlib.compress(bytes(1000)))
        + chunk(b"IEND", b"")
    )
    with pytest.raises(ValueError, match="too many pixels"):
        picture(write(tmp_path, "bomb.png", bomb), (0.0, 0.0))


def test_bad_options_are_named() -> None:
    star = pictures()["star"]
    with pytest.raises(ValueError, match=r"picture\.height: -1"):
        picture(star, (0, 0), height=-1)
    with pytest.raises(ValueError, match=r"picture\.threshold: 0"):
        picture(star, (0, 0), threshold=0)
    with pytest.raises(ValueError, match=r"picture\.hold: 'glue'"):
        picture(star, (0, 0), hold="glue")
    with pytest.raises(ValueError, match="gives more than 4000 particles"):
        picture(star, (0, 0), spacing=0.001)
    with pytest.raises(TypeError, match="there is no argument 'sizes'"):
        picture(star, (0, 0), sizes=3)


def test_a_mesh_leaves_holes_free_and_covers_the_rest() -> None:
    square = [(0, 0), (4, 0), (4, 4), (0, 4)]
    hole = [(1.5, 1.5), (2.5, 1.5), (2.5, 2.5), (1.5, 2.5)]
    mesh = mesh_of(square, [hole], spacing=0.4)
    a, b, c = (mesh.points[mesh.triangles[:, corner]] for corner in range(3))
    areas = 0.5 * (
        (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    )
    assert areas.min() > 0.0
    assert areas.sum() == pytest.approx(15.0, rel=0.03)
    with pytest.raises(ValueError, match="without area"):
        mesh_of([(0, 0), (1, 1), (2, 2)])
