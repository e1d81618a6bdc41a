"""What a player has to see is seen in narrow and in very wide windows, and nothing shines through the help."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.cli.games import find_games
from ecs_softbody.play import Session
from ecs_softbody.rendering import Layer
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody_games.jelly_car import JellyCar
from ecs_softbody_games.rope_bridge import RopeBridge
from ecs_softbody_games.rope_bridge.drawing import WINCH
from ecs_softbody_games.slingshot import Slingshot
from tests.games.test_windows_of_all_sizes import box_of


@pytest.mark.brief(3)
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
    session = Session(find_games()[name].load(), autopilot=True)
    session.frame()
    below = {text.text for text in session.picture(640, 360).texts if Layer.HUD <= text.layer < Layer.SCREEN}
    assert below
    session.help_shown = True
    seen = [text for text in session.picture(640, 360).texts if Layer.HUD <= text.layer < Layer.SCREEN]
    session.close()
    assert not seen


@pytest.mark.parametrize("size", [(450, 900), (1024, 768), (1280, 720), (2560, 1080), (3840, 2160)])
@pytest.mark.parametrize(("name", "places"), [("rope-bridge", [WINCH]), ("windy-pond", [(7.5, 2.0), (-7.5, 2.0)])])
def test_no_panel_covers_the_winch_or_a_fox(
    name: str, places: list[tuple[float, float]], size: tuple[int, int]
) -> None:
    session = Session(find_games()[name].load(), autopilot=True)
    for _ in range(2):
        session.picture(*size)
        session.frame()
    picture = session.picture(*size)
    boxes = [box_of(picture, text) for text in picture.texts if Layer.HUD <= text.layer < Layer.SCREEN]
    for x, y in session.game.camera.world_to_screen(places):
        for left, bottom, right, top in boxes:
            beside = x < left - 16.0 or x > right + 16.0
            assert beside or y < bottom - 12.0 or y > top + 12.0, (size, (x, y), (left, bottom, right, top))
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
