"""Wrong arguments of drawing calls and of the camera: one sentence that names the argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ecs_softbody.errors import FieldError
from ecs_softbody.play.feel.effects import Effects
from ecs_softbody.rendering import Camera, Picture, palette

RED = (220, 40, 40)
LINE = [(1, 2), (3, 4), (9, 1)]
P = Picture()
C = Camera()
E = Effects()
CALLS: dict[str, list[Callable[[], Any]]] = {
    "Picture.disc.center": [
        lambda: P.disc("x", 1, RED),
        lambda: P.disc(5, 1, RED),
        lambda: P.disc((1, 2, 3), 1, RED),
    ],
    "Picture.disc.radius": [lambda: P.disc((1, 2), "x", RED)],
    "Picture.disc.fill": [lambda: P.disc((1, 2), 1, "red"), lambda: P.disc((1, 2), 1, None)],
    "Picture.disc.space": [lambda: P.disc((1, 2), 1, RED, space="scren")],
    "Picture.disc.layer": [lambda: P.disc((1, 2), 1, RED, layer="x")],
    "Picture.discs.radii": [lambda: P.discs(LINE, "x", RED)],
    "Picture.ellipse.radii": [lambda: P.ellipse((1, 2), 3, RED)],
    "Picture.rectangle.left_bottom": [lambda: P.rectangle("a", (1, 2), RED)],
    "Picture.rectangle.right_top": [lambda: P.rectangle((1, 2), 5, RED)],
    "Picture.panel.right_top": [lambda: P.panel((1, 2), None, RED)],
    "Picture.panel.corner": [lambda: P.panel((1, 2), (3, 4), RED, corner="x")],
    "Picture.polygon.points": [
        lambda: P.polygon("x", RED),
        lambda: P.polygon([1, 2, 3], RED),
        lambda: P.polygon(5, RED),
    ],
    "Picture.polygon.outline_width": [lambda: P.polygon(LINE, RED, outline=RED, outline_width="x")],
    "Picture.text.at": [
        lambda: P.text("a", "x"),
        lambda: P.text("a", None),
        lambda: P.text("a", (np.nan, 0)),
    ],
    "Picture.text.size": [lambda: P.text("a", (1, 2), size="x")],
    "Picture.text.colour": [lambda: P.text("a", (1, 2), colour="x")],
    "Picture.text_width.size": [lambda: P.text_width("a", "x")],
    "Picture.arrow.start": [lambda: P.arrow(1, (2, 3), RED)],
    "Picture.arrow.width": [lambda: P.arrow((1, 1), (9, 9), RED, width="x")],
    "Picture.stroke.points": [lambda: P.stroke([(1, 2), "x"], 1, RED)],
    "Picture.stroke.width": [lambda: P.stroke(LINE, "x", RED)],
    "Picture.segments.width": [lambda: P.segments(LINE, LINE, "x", RED)],
    "Picture.width_px": [lambda: Picture("x", 5), lambda: Picture(0, 0)],
    "Camera.fill.width": [lambda: C.fill("x", 5), lambda: C.fill(0, 5)],
    "Camera.fit_bodies.bodies": [
        lambda: C.fit_bodies(5),
        lambda: C.fit_bodies("ab"),
        lambda: C.fit_bodies(["x"]),
        lambda: C.fit_bodies([(1, 2, 3)]),
    ],
    "Camera.fit_bodies.margin": [lambda: C.fit_bodies([(1, 2)], margin="x")],
    "Camera.view.width_px": [lambda: C.view("x", 5), lambda: C.view(0, 5)],
    "Camera.world_to_screen.points": [lambda: C.world_to_screen("x"), lambda: C.world_to_screen(5)],
    "Camera.screen_to_world.points": [lambda: C.screen_to_world([1, 2, 3])],
    "Camera.aspect": [lambda: setattr(C, "aspect", "x"), lambda: setattr(C, "aspect", 0)],
    "Effects.sparks.colour": [lambda: E.sparks((1, 2), colour="red")],
    "Effects.burst.colour": [lambda: E.burst((1, 2), colour="red")],
    "Effects.trail.radius": [lambda: E.trail((1, 2), "x", RED)],
    "Effects.stain.along": [lambda: E.stain((1, 2), 5, 1, RED)],
    "palette.lighter.colour": [lambda: palette.lighter("red")],
    "palette.darker.colour": [lambda: palette.darker(5)],
    "palette.faded.colour": [lambda: palette.faded(5, 1)],
    "palette.mixed.share": [lambda: palette.mixed(RED, RED, "x")],
    "palette.rgba.colour": [lambda: palette.rgba("red")],
}


@pytest.mark.parametrize("place", CALLS)
def test_the_argument_is_named(place: str) -> None:
    for call in CALLS[place]:
        with pytest.raises(FieldError, match=rf"^{place}: .* is not allowed; expected") as caught:
            call()
        assert f"{caught.value.owner}.{caught.value.field}" == place


def test_a_call_that_does_not_fit_says_how_it_is_made() -> None:
    with pytest.raises(TypeError, match=r"center is one pair: Picture.disc\(\(1, 2\), ...\)"):
        P.disc(1, 2, 3, RED)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"'filled' \(did you mean fill\?\)"):
        P.disc((1, 2), 3, filled=RED)  # type: ignore[call-arg]


def test_what_goes_wrong_with_right_arguments_stays_as_it_is() -> None:
    picture = Picture()
    picture.view = None  # type: ignore[assignment]
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'to_pixels'"):
        picture.disc((1, 2), 3, RED)


def test_no_bodies_and_empty_ones_do_not_count() -> None:
    camera = Camera()
    camera.fit_bodies([])
    camera.fit_bodies([[], [(np.nan, 0)]])
    assert camera.center == (0.0, 0.0)
    camera.fit_bodies([[], [(3.0, 1.0), (5.0, 1.0)]])
    assert camera.center[0] == 4.0


@pytest.mark.parametrize("name", ["visible", "width", "screen_height"])
def test_what_a_camera_computes_is_only_to_be_read(name: str) -> None:
    with pytest.raises(AttributeError, match=f"^Camera.{name} is only to be read$"):
        setattr(Camera(), name, 1)
