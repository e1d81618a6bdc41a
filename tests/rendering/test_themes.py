"""Themes: each draws a sky of its own, whatever the window; what is misspelt is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider
from ecs_softbody.rendering import (
    Hills,
    Layer,
    Picture,
    Sun,
    Theme,
    View,
    WorldPainter,
    palette,
    themes,
)
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.land.backdrop import crest_of, draw_backdrop
from ecs_softbody.rendering.land.clouds import Carried
from ecs_softbody.rendering.land.strata import gentle_runs
from ecs_softbody.rendering.land.weather import draw_weather
from ecs_softbody.rendering.theme import RIDGES, WEATHERS
from tests.rendering.blob_garden import needs_compiled_pixels


def drawn(
    theme: Theme, size: tuple[int, int] = (320, 180), time: float = 0.0, x: float = 0.0
) -> np.ndarray:
    """Return the pixels of a theme with nothing in its world."""
    picture = Picture(*size)
    picture.clear(*size, View((x, 0.0), 9.0, *size))
    picture.theme = theme
    draw_backdrop(picture, time)
    draw_weather(picture, time)
    return draw_image(picture)


@pytest.mark.brief(24)
@needs_compiled_pixels
@pytest.mark.parametrize("name", list(themes.THEMES))
@pytest.mark.parametrize("size", [(320, 180), (90, 180), (512, 96)])
def test_every_theme_fills_every_window(name: str, size: tuple[int, int]) -> None:
    image = drawn(themes.THEMES[name], size)
    assert image.shape == (size[1], size[0], 3)
    assert (image.max(axis=2) > 0).all()
    assert np.unique(image.reshape(-1, 3), axis=0).shape[0] > 5


@needs_compiled_pixels
@pytest.mark.parametrize("weather", WEATHERS)
def test_weather_moves_and_nothing_else_does(weather: str) -> None:
    theme = Theme(weather=weather, weather_colour=(255, 255, 255, 255))  # type: ignore[arg-type]
    first = drawn(theme, time=0.0)
    later = drawn(theme, time=1.3)
    assert (first == drawn(theme, time=0.0)).all()
    assert (first != later).any() == (weather != "none")
    assert (first != later).any(axis=2).mean() < 0.25


def test_wind_carries_clouds_and_makes_them_lean() -> None:
    theme = Theme(sky=((0, 0, 0), (0, 0, 0)), clouds=(255, 255, 255, 255), hills=())

    def corners(carried: Carried) -> np.ndarray:
        picture = Picture(1280, 720)
        picture.theme = theme
        draw_backdrop(picture, 0.0, carried)
        return picture.mesh(Layer.BACKGROUND + 2).vertices[:, :2].astype(np.float64)

    still = corners(Carried())
    carried = corners(Carried(away=3.0))
    leaning = corners(Carried(lean=0.7))
    for moved in (carried - still, leaning - still):
        assert (moved[:, 1] == 0.0).all()
        assert (moved[:, 0] > -1e-3).all()
    far = (carried - still)[:, 0]
    assert 2.0 < far.min() <= far.max() < 6.0
    bent = (leaning - still)[:, 0]
    assert bent.min() < 0.2 * bent.max()
    assert 10.0 < bent.max() < 80.0


@needs_compiled_pixels
@pytest.mark.parametrize("ridge", RIDGES)
def test_hills_move_slower_than_the_world(ridge: str) -> None:
    hills = Hills((0, 0, 0), ridge, height=0.5, size=0.2, parallax=0.25, haze=0.0)  # type: ignore[arg-type]
    theme = Theme(sky=((255, 255, 255), (255, 255, 255)), hills=(hills,))
    still = drawn(theme)
    moved = drawn(theme, x=0.9)
    shift = round(0.25 * 4.0 * 0.9 / 9.0 * 180)  # pixels
    assert (still != moved).any()
    assert (np.abs(still[:, shift:].astype(int) - moved[:, :-shift]) > 40).mean() < 0.02
    crest = crest_of(hills, np.linspace(-50.0, 50.0, 4001), 1)
    assert np.isfinite(crest).all()
    assert np.abs(crest).max() < 2.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Theme(sky=((0, 0, 0),)), r"Theme\.sky: .* expected two colours"),
        (lambda: Theme(sky=((0, 0, 0), "blue")), r"Theme\.sky: 'blue'"),  # type: ignore[arg-type]
        (
            lambda: Theme(ground=(0.5, 0.5, 0.5)),
            r"Theme\.ground: .* that would be \(128, 128, 128\)",
        ),  # type: ignore[arg-type]
        (lambda: Theme(strata=(1, 2)), r"Theme\.strata"),
        (
            lambda: Theme(weather="hail"),
            (
                r"Theme\.weather: 'hail' .* pollen, "
                r"snow"
            ),
        ),  # type: ignore[arg-type]
        (
            lambda: Hills((1, 2, 3), "alps"),
            (
                r"Hills\.ridge: 'alps' .* waves, "
                r"peaks"
            ),
        ),  # type: ignore[arg-type]
        (lambda: Sun((0.5, 0.5), colour=(300, 0, 0)), r"Sun\.colour: \(300, 0, 0\)"),
    ],
)
def test_what_is_no_colour_or_word_is_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


@needs_compiled_pixels
def test_ground_takes_the_colours_of_the_theme() -> None:
    with Simulation(world="themed") as sim:
        sim.spawn(StaticCollider([(-20, 0), (20, 0)]))
        sim.step()
        colours = []
        for theme in (themes.SNOW, themes.VOLCANO):
            picture = Picture(160, 90)
            picture.theme = dataclasses.replace(theme, strata=None)
            WorldPainter().draw(sim, picture)
            colours.append(draw_image(picture)[60, 80].astype(float))
        plain = draw_image(picture)
        picture.clear(160, 90)
        picture.theme = themes.VOLCANO
        WorldPainter().draw(sim, picture)
        assert (draw_image(picture) != plain).any()
    sim.close()
    assert colours[0].mean() > 150
    assert colours[1].mean() < 80


def test_cliffs_show_no_layers() -> None:
    chain = np.array([(0, 0), (2, 0), (2, -5), (4, -5), (4.1, 3), (6, 3), (8, 4.0)], float)
    runs = gentle_runs(chain)
    assert [chain[run].tolist() for run in runs] == [
        chain[0:2].tolist(),
        chain[2:4].tolist(),
        chain[4:7].tolist(),
    ]


def test_panels_and_keys_have_the_shade_of_the_theme_and_letters_on_them_can_be_read() -> None:
    def light(colour: tuple[float, ...]) -> float:
        linear = [
            (c / 255.0 / 12.92 if c <= 10.0 else ((c / 255.0 + 0.055) / 1.055) ** 2.4)
            for c in colour[:3]
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(letters: palette.Colour, panel: palette.Colour) -> float:
        share = panel[3] / 255.0
        over_white = tuple(share * part + (1.0 - share) * 255.0 for part in panel[:3])
        return (light(letters) + 0.05) / (light(over_white) + 0.05)

    for theme in themes.THEMES.values():
        assert contrast(palette.TEXT, theme.panel) > 7.0
        assert contrast(palette.TEXT_DIM, theme.panel) > 4.5
        assert contrast(palette.TEXT, theme.key_cap) > 4.5
        picture = Picture(64, 36)
        picture.theme = theme
        picture.panel((0, 0), (picture.width, picture.height), corner=0.0)
        assert picture.triangles()[0][:, 6:9].max(axis=0) == pytest.approx(
            np.array(theme.shade) / 255.0, abs=1e-6
        )
    assert len({theme.panel for theme in themes.THEMES.values()}) == len(themes.THEMES)
    assert themes.WORKSHOP.panel[0] > 2 * themes.WORKSHOP.panel[2]


@needs_compiled_pixels
@pytest.mark.parametrize("size", [(320, 180), (90, 180), (512, 96)])
def test_clouds_drift_through_the_upper_sky_only(size: tuple[int, int]) -> None:
    bare = Theme(sky=((60, 60, 60), (40, 60, 90)), hills=())
    theme = dataclasses.replace(bare, clouds=(255, 255, 255))
    sky = drawn(bare, size).astype(int)
    first = drawn(theme, size)
    assert (first == drawn(theme, size)).all()
    for time in (0.0, 7.0, 400.0):
        clouds = np.abs(drawn(theme, size, time=time) - sky).max(axis=2) > 90
        assert 0.01 < clouds.mean() < 0.35
        assert not clouds[round(0.5 * size[1]) :].any()
    assert (first != drawn(theme, size, time=4.0)).any()
    other = dataclasses.replace(theme, sky=((60, 60, 60), (40, 61, 90)))
    # a sky has clouds of its own
    assert (np.abs(first.astype(int) - drawn(other, size)).max(axis=2) > 90).any()
