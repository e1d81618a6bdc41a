"""What a player has to see is seen in narrow and in very wide windows, and nothing shines through
the help.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.play import Controls, Session
from ecs_softbody.rendering import Layer
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody_games.jelly_car import JellyCar
from ecs_softbody_games.rope_bridge import RopeBridge
from ecs_softbody_games.rope_bridge.drawing import WINCH
from ecs_softbody_games.slingshot import Slingshot
from included import included_games
from tests.games.test_windows_of_all_sizes import box_of


@pytest.mark.slow
@pytest.mark.parametrize("size", [(450, 900), (500, 690), (2560, 1080)])
def test_the_whole_car_is_seen_at_any_speed(size: tuple[int, int]) -> None:
    session = Session(JellyCar, autopilot=True)
    session.picture(*size)
    for frame in range(160):
        session.frame()
        if frame % 10 == 0:
            car = session.game.car
            parts = car.body, *(wheel.particles for wheel in car.wheels)
            bodies = np.concatenate([part.position for part in parts])
            left, _, right, _ = session.game.camera.visible
            assert left < bodies[:, 0].min(), (size, frame)
            assert bodies[:, 0].max() < right, (size, frame)
    session.close()


def test_the_cliffs_of_the_bridge_reach_the_edges_of_a_very_wide_window() -> None:
    session = Session(RopeBridge, autopilot=True)
    image = draw_image(session.picture(1280, 360)).astype(int)
    session.close()
    for row in (200, 240, 280):  # below the edge of the cliffs
        assert np.abs(image[row, 2] - image[row, 200]).max() < 40
        assert np.abs(image[row, -3] - image[row, -200]).max() < 40
        assert np.abs(image[row, 2] - image[row, 640]).max() > 60


@pytest.mark.parametrize("name", ["bouncing-balls", "little-planet", "springs-lab"])
def test_no_numbers_shine_through_the_help(name: str) -> None:
    session = Session(included_games()[name].load(), autopilot=True)
    session.frame()
    below = {
        text.text
        for text in session.picture(640, 360).texts
        if Layer.HUD <= text.layer < Layer.SCREEN
    }
    assert below
    session.help_shown = True
    seen = [
        text for text in session.picture(640, 360).texts if Layer.HUD <= text.layer < Layer.SCREEN
    ]
    session.close()
    assert not seen


@pytest.mark.brief(5)
@pytest.mark.parametrize("size", [(450, 900), (1024, 768), (1280, 720), (2560, 1080), (3840, 2160)])
@pytest.mark.parametrize(
    ("name", "places"), [("rope-bridge", [WINCH]), ("windy-pond", [(7.5, 2.0), (-7.5, 2.0)])]
)
def test_no_panel_covers_the_winch_or_a_fox(
    name: str, places: list[tuple[float, float]], size: tuple[int, int]
) -> None:
    session = Session(included_games()[name].load(), autopilot=True)
    for _ in range(2):
        session.picture(*size)
        session.frame()
    picture = session.picture(*size)
    boxes = [
        box_of(picture, text) for text in picture.texts if Layer.HUD <= text.layer < Layer.SCREEN
    ]
    for x, y in session.game.camera.world_to_screen(places):
        for left, bottom, right, top in boxes:
            beside = x < left - 16.0 or x > right + 16.0
            assert beside or y < bottom - 12.0 or y > top + 12.0, (
                size,
                (x, y),
                (left, bottom, right, top),
            )
    session.close()


@pytest.mark.parametrize("size", [(450, 900), (500, 690)])
def test_a_tall_window_of_the_slingshot_has_more_sky_than_ground(size: tuple[int, int]) -> None:
    session = Session(Slingshot, autopilot=True)
    for _ in range(2):
        session.picture(*size)
        session.frame()
    _, bottom, _, top = session.game.camera.visible
    session.close()
    assert top > 2.5 * -bottom


@pytest.mark.parametrize(
    ("name", "left", "bottom", "right", "top"),
    [
        # the jelly, the star, the net and the door
        ("cut-and-tear", -1.6, 0.0, 4.0, 5.6),
        ("little-planet", 0.0, 2.0, 3.5, 3.0),  # where the hero begins
        ("muscles", 1.9, 0.0, 5.0, 3.4),  # frog, balloon and chick
        ("rope-bridge", -6.9, 3.6, 6.9, 5.0),  # the bridge and its weights
    ],
)
def test_no_panel_lies_over_what_matters_in_the_smallest_window(
    name: str, left: float, bottom: float, right: float, top: float
) -> None:
    session = Session(included_games()[name].load(), autopilot=True)
    for _ in range(2):
        session.picture(320, 180)
        session.frame()
    picture = session.picture(320, 180)
    low, high = picture.to_pixels([(left, bottom), (right, top)]) / picture.point
    shown = [text for text in picture.texts if Layer.HUD <= text.layer < Layer.SCREEN]
    session.close()
    assert shown
    for text in shown:
        x0, y0, x1, y1 = box_of(picture, text)
        assert x1 < low[0] or x0 > high[0] or y1 < low[1] or y0 > high[1], text.text


def test_help_and_settings_do_not_move_the_world_of_the_lab() -> None:
    session = Session(included_games()["springs-lab"].load(), autopilot=True)
    session.frame()
    views = [session.picture(1280, 720).view]
    session.help_shown = True
    views.append(session.picture(1280, 720).view)
    session.close()
    assert views[0] == views[1]


@pytest.mark.parametrize("size", [(450, 900), (500, 690)])
def test_all_sliders_of_every_page_of_the_lab_are_seen_in_a_narrow_window(
    size: tuple[int, int],
) -> None:
    session = Session(included_games()["springs-lab"].load())
    session.frame(Controls(pressed={"space"}))
    for _ in session.game.pages:
        session.picture(*size)
        session.frame()
        texts = {text.text for text in session.picture(*size).texts}
        page = session.game.page
        assert {slider.name for slider in page.sliders} <= texts, page.title
        session.frame(Controls(pressed={"e"}))
    assert session.game.number == 0  # it was at every page
    session.close()


def test_a_window_that_is_made_narrow_shows_as_much_of_the_platformer_as_one_that_was() -> None:
    session = Session(included_games()["jelly-platformer"].load(), autopilot=True)
    session.picture(1280, 720)
    session.frame()
    for _ in range(90):
        session.picture(450, 900)
        session.frame()
    made_narrow = session.game.camera.width
    session.restart()
    session.picture(450, 900)
    session.frame()
    was_narrow = session.game.camera.width
    session.close()
    assert made_narrow == pytest.approx(was_narrow, rel=0.01)
    assert was_narrow > 5.0
