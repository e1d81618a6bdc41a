"""Pictures as cameras and programs write them: how they were held, and where they end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ecs_softbody.imports import import_file, picture
from ecs_softbody.indices import reduceat
from ecs_softbody.rendering.mesh.skin_shape import ring_shape
from ecs_softbody.rendering.texture import ORIENTATION, texture_of

SIZE = (60, 40)
HOW = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_90",
    7: "TRANSVERSE",
    8: "ROTATE_270",
}
"""What a camera that is held so does to a picture; a quarter turn of it is undone by one the other
way.
"""


def upright() -> Any:
    """Return a picture that looks another way from each side."""
    image = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 19, 9), fill="red")
    draw.rectangle((40, 20, 59, 39), fill="blue")
    return image


def held(orientation: int) -> Any:
    """Return what a camera stores that is held so."""
    return upright() if orientation == 1 else upright().transpose(Image.Transpose[HOW[orientation]])


@pytest.mark.parametrize("ending", ["jpg", "png", "webp"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_photos_stand_as_they_were_taken(tmp_path: Path, orientation: int, ending: str) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    path = tmp_path / f"photo.{ending}"
    held(orientation).save(path, exif=exif, quality=98)
    shown = texture_of("test", path).level(0)[:, :, :3].astype(np.int64)
    assert shown.shape == (SIZE[1], SIZE[0], 3)
    assert np.abs(shown - np.asarray(upright()).astype(np.int64)).mean() < 6.0


def test_an_orientation_that_is_none_changes_nothing(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 99
    upright().save(tmp_path / "photo.png", exif=exif)
    assert texture_of("test", tmp_path / "photo.png").width == SIZE[0]


@pytest.mark.parametrize(
    "size", [(16, 16), (64, 64), (200, 100), (300, 700), (1000, 333), (257, 300)]
)
def test_a_picture_that_is_opaque_to_its_edge_ends_there(size: tuple[int, int]) -> None:
    particles, *_, collider, skin = picture(Image.new("RGB", size, "red"), (3.0, 1.0), height=2.0)
    half = np.array((size[0] / size[1], 1.0))
    reach = particles.position - (3.0, 1.0)
    radius = float(particles.radius.max())
    np.testing.assert_allclose(reach.max(axis=0) + radius, half, atol=1e-9)
    np.testing.assert_allclose(reach.min(axis=0) - radius, -half, atol=1e-9)
    ring = reach[np.asarray(collider.outline)]
    to_edge = np.abs(np.abs(ring) + radius - half).min(axis=1)
    np.testing.assert_allclose(to_edge, 0.0, atol=1e-9)  # each side is straight
    np.testing.assert_allclose(skin.uv, reach / (2.0 * half) + 0.5, atol=1e-9)


def test_only_sides_that_are_opaque_are_at_the_edge() -> None:
    image = Image.new("RGBA", (100, 100))
    ImageDraw.Draw(image).rectangle((0, 40, 99, 99), fill="green")  # grass: three sides
    particles, *_ = picture(image, (0.0, 0.0), height=1.0)
    radius = float(particles.radius.max())
    low = particles.position.min(axis=0)
    high = particles.position.max(axis=0)
    np.testing.assert_allclose(low - radius, (-0.5, -0.5), atol=2e-3)
    assert high[0] + radius == pytest.approx(0.5, abs=2e-3)
    assert high[1] == pytest.approx(0.1, abs=6e-3)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK"])
def test_pictures_of_any_mode_are_described(tmp_path: Path, mode: str) -> None:
    ending = {"CMYK": "jpg"}.get(mode, "png")
    image = upright().convert("L").convert("I;16") if mode == "I;16" else upright().convert(mode)
    image.save(tmp_path / f"picture.{ending}")
    assert "body" in import_file(tmp_path / f"picture.{ending}").describe()


@pytest.mark.parametrize("size", [(60, 60), (200, 100), (30, 120), (400, 10)])
def test_bounds_are_as_wide_as_the_picture(tmp_path: Path, size: tuple[int, int]) -> None:
    Image.new("RGB", size, "red").save(tmp_path / "picture.png")
    half = size[0] / size[1]
    assert import_file(tmp_path / "picture.png").bounds == pytest.approx((-half, 1.0, half, 3.0))


@pytest.mark.parametrize("ending", ["gif", "png", "webp"])
@pytest.mark.parametrize("count", [1, 3])
def test_animations_are_noted(tmp_path: Path, ending: str, count: int) -> None:
    images = [Image.new("RGB", (20, 20), (60 * number, 90, 0)) for number in range(count)]
    images[0].save(tmp_path / f"picture.{ending}", save_all=True, append_images=images[1:])
    notes = import_file(tmp_path / f"picture.{ending}").notes
    assert [note.startswith("it does not move") for note in notes] == [True] * (count > 1)


def test_a_picture_that_is_too_large_says_how_large_it_may_be(tmp_path: Path) -> None:
    Image.new("1", (6000, 4000)).save(tmp_path / "picture.png")
    with pytest.raises(
        ValueError, match=r"picture\.png: 6000 x 4000 .*; make it smaller, such as 5016 x 3344"
    ):
        import_file(tmp_path / "picture.png")


@pytest.mark.parametrize("size", [(60, 60), (200, 100)])
@pytest.mark.parametrize("coarse", [False, True])
def test_the_picture_of_a_square_has_no_ears(size: tuple[int, int], coarse: bool) -> None:
    particles, *_, collider, _ = picture(Image.new("RGB", size, "red"), (0.0, 0.0), height=2.0)
    rest = particles.position
    ring = np.asarray(collider.outline, np.int64)
    shape = ring_shape(rest, ring, coarse=coarse)
    low = rest.min(axis=0)
    controls = rest[shape.rows] - low
    corners = reduceat(
        np.add, shape.weight[:, None] * controls[shape.control], shape.first[:-1], axis=0
    )
    assert corners.min() > -1e-5
    assert (corners - np.ptp(rest, axis=0)).max() < 1e-5


def test_parts_that_are_left_out_are_noted(tmp_path: Path) -> None:
    image = Image.new("RGBA", (200, 200))
    draw = ImageDraw.Draw(image)
    for number in range(49):
        x = 28 * (number % 7)
        y = 28 * (number // 7)
        draw.rectangle((x, y, x + 19, y + 19), fill="red")
    image.save(tmp_path / "many.png")
    found = import_file(tmp_path / "many.png")
    assert (len(found.entities), found.notes) == (32, ["17 of 49 parts are left out, the smallest"])


def test_a_picture_that_shows_nothing_is_named(tmp_path: Path) -> None:
    Image.new("RGBA", (20, 20)).save(tmp_path / "clear.png")
    with pytest.raises(
        ValueError, match=r"clear\.png: nothing in this picture is as opaque as 0\.5"
    ):
        import_file(tmp_path / "clear.png")
