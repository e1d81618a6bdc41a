from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.play import Effects
from ecs_softbody.rendering import Layer, Look, Picture, View, palette
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.glyphs import MOST_LAYOUTS, GlyphAtlas
from ecs_softbody.rendering.land.ground import draw_static
from ecs_softbody.rendering.world.lines import disc_tints, draw_discs
from tests.helpers.internals import places_of_drops, remembered_layouts
from tests.rendering.blob_garden import needs_compiled_pixels


def fill_image(picture: Picture) -> np.ndarray:
    return draw_image(picture).astype(int)


def test_layers_are_drawn_from_far_to_near() -> None:
    picture = Picture(64, 36)
    picture.disc((0, 0), 1.0, palette.CORAL, layer=Layer.HUD)
    picture.disc((0, 0), 1.0, palette.TEAL, layer=Layer.BACKGROUND)
    vertices, indices = picture.triangles()
    colours = vertices[indices, 6:9]
    np.testing.assert_allclose(colours[0], palette.rgba(palette.TEAL)[:3])
    np.testing.assert_allclose(colours[-1], palette.rgba(palette.CORAL)[:3])


def test_a_cleared_picture_is_empty_and_says_so() -> None:
    picture = Picture(64, 36)
    picture.text("hello", (0, 0))
    picture.clear(64, 36)
    vertices, indices = picture.triangles()
    assert (len(vertices), len(indices), picture.texts) == (0, 0, [])


def test_texts_can_be_read_back() -> None:
    picture = Picture(1280, 720)
    width = picture.text("Hello", (100, 200), size=30)
    assert [(text.text, text.place, text.size) for text in picture.texts] == [
        ("Hello", (100.0, 200.0), 30)
    ]
    assert width == pytest.approx(picture.text_width("Hello", 30))


def test_a_colour_with_two_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="expected"):
        palette.rgba((1, 2))


def test_nothing_is_drawn_of_an_empty_list() -> None:
    """The coins of a game, once all are collected."""
    picture = Picture(320, 180)
    picture.discs([], 0.2, palette.GOLD)
    picture.discs([], [], palette.GOLD)
    picture.segments([], [], 3.0, palette.GOLD)
    picture.polygon([], palette.GOLD)
    picture.stroke([], 3.0, palette.GOLD)
    assert len(picture.triangles()[1]) == 0


def test_where_a_text_cannot_stand_is_told() -> None:
    with pytest.raises(
        ValueError,
        match=r"^text.align: 'middle' is not allowed; expected one of left, center, right$",
    ):
        Picture(320, 180).text("a", (0, 0), align="middle")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"^text.vertical: 'center' is not allowed; expected one of top, middle, "
    ):
        Picture(320, 180).text("a", (0, 0), vertical="center")  # type: ignore[arg-type]


def test_a_large_mesh_grows() -> None:
    picture = Picture(64, 36)
    centers = np.zeros((5000, 2))
    picture.discs(centers, 0.1, palette.GOLD)
    assert picture.triangles()[0].shape == (20000, 10)


@needs_compiled_pixels
def test_a_disc_covers_its_area() -> None:
    picture = Picture(200, 200, View((0.0, 0.0), 2.0, 200, 200))
    picture.disc((0, 0), 0.5, (255, 255, 255))
    covered = fill_image(picture)[:, :, 0].sum() / 255.0
    assert covered == pytest.approx(np.pi * 50.0**2, rel=0.01)


@needs_compiled_pixels
def test_neighbouring_triangles_neither_gap_nor_overlap() -> None:
    picture = Picture(60, 60)
    corners = np.random.default_rng(1).uniform(5, 55, (8, 2))
    middle = np.array((30.0, 30.0))
    corners = corners[np.argsort(np.arctan2(*(corners - middle).T))]
    fan = np.array([(8, k, (k + 1) % 8) for k in range(8)])
    picture.mesh(0).add_fill(np.vstack((corners, middle)), fan, (1.0, 1.0, 1.0, 0.5))
    shades = np.unique(fill_image(picture)[:, :, 0])
    assert set(shades.tolist()) <= {0, 127, 128}


@needs_compiled_pixels
def test_a_stroke_is_as_wide_as_asked_for() -> None:
    picture = Picture(720, 720)
    picture.stroke([(100, 300), (600, 300)], 8.0, (255, 255, 255), space="screen")
    column = fill_image(picture)[:, 350, 0]
    assert column.sum() / 255.0 == pytest.approx(8.0, abs=0.2)


@needs_compiled_pixels
def test_letters_and_arrows_are_drawn() -> None:
    picture = Picture(400, 100)
    picture.text(
        "A", (7 / picture.point, 28 / picture.point), size=42 / picture.point, shadow=False
    )
    picture.text(
        "→", (250 / picture.point, 28 / picture.point), size=42 / picture.point, shadow=False
    )
    image = fill_image(picture)[:, :, 0]
    assert image[:, :100].sum() > 255 * 50
    assert image[:, 230:].sum() > 255 * 50


@needs_compiled_pixels
@pytest.mark.parametrize("bottom", [20.0, 20.5, 21.25])
def test_a_panel_has_no_gap_between_its_parts(bottom: float) -> None:
    picture = Picture(60, 60)
    picture.panel(
        (12 * 10.3, 12 * bottom), (12 * 50.7, 12 * (bottom + 5)), (255, 255, 255), corner=12 * 2.5
    )
    image = fill_image(picture)[:, :, 0]
    rows = np.flatnonzero(image[:, 30] == 255)
    assert len(rows) >= 3
    assert (image[rows, 13] == 255).all()


def test_a_text_is_laid_out_the_same_every_time_and_only_some_are_remembered() -> None:
    atlas = GlyphAtlas()
    boxes, sources, width = atlas.layout("AVAVA 12.5 →", 20)
    for number in range(2 * MOST_LAYOUTS):
        atlas.layout(str(number), 20)
    assert len(remembered_layouts(atlas)) <= MOST_LAYOUTS
    again = atlas.layout("AVAVA 12.5 →", 20)
    np.testing.assert_array_equal(boxes, again[0])
    np.testing.assert_array_equal(sources, again[1])
    assert width == again[2]


def test_each_disc_lies_whole_over_the_one_before() -> None:
    picture = Picture(64, 36)
    fills = palette.table_of([palette.CORAL, palette.TEAL])
    edges = palette.table_of([(0, 0, 0)] * 2)
    tints = disc_tints(fills, edges)
    draw_discs(picture, np.zeros((2, 2)), np.array((1.0, 1.0)), np.zeros(2), tints, Layer.BODIES)
    vertices, _ = picture.triangles()
    colours = vertices.reshape(2, 5, 4, 10)[:, :, 0, 6:]
    np.testing.assert_array_equal(colours, tints)


@pytest.mark.parametrize("gravity", [(0.0, -9.81), (0.0, 22.0), (9.81, 0.0), (0.0, 0.0)])
def test_drops_fall_where_gravity_points(gravity: tuple[float, float]) -> None:
    effects = Effects()
    still = Effects()
    for each, pull in ((effects, gravity), (still, (0.0, 0.0))):
        each.splash((0.0, 0.0), count=20)
        for _ in range(12):
            each.advance(1 / 60, pull)
    fallen = places_of_drops(effects)[:20].mean(axis=0) - places_of_drops(still)[:20].mean(axis=0)
    along = np.sign(gravity)
    assert np.all(fallen[along != 0] * along[along != 0] > 0.1)
    np.testing.assert_allclose(fallen[along == 0], 0.0, atol=1e-12)


def test_the_edge_of_the_ground_lies_inside_of_it_at_a_cliff() -> None:
    picture = Picture(640, 360, View((0.0, 0.0), 9.0, 640, 360))
    chain = np.array([(-9.0, -2.0), (0.0, -2.0), (0.0, 0.0), (0.0, 2.0), (9.0, 2.0)])
    draw_static(picture, chain, 0.0, "ground", Look())
    places = picture.mesh(Layer.GROUND).vertices[:, :2]
    beside = places[(places[:, 1] > 120.0) & (places[:, 1] < 240.0), 0]
    assert beside.min() > 320.0 - 2.5
