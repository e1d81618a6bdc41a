"""Start and end screens: the world is seen between words and keys, and a win is celebrated before
the last screen.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.play import Controls, Session
from ecs_softbody.play.screens.keybar import EDGE, fitting
from ecs_softbody.play.screens.over_game import BELOW_MAP, HIGH, LOW, start_view
from ecs_softbody.rendering import Layer, Picture, Theme, themes
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.themes import THEMES
from included import included_games
from tests.play.jumper import Jumper

LUMA = np.array((0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize("size", [(320, 180), (450, 900), (1280, 720), (2560, 1080)])
@pytest.mark.parametrize("levels", [False, True])
def test_a_start_view_has_its_rectangle_where_nothing_is_written(
    size: tuple[int, int], *, levels: bool
) -> None:
    rectangle = (-3.0, 0.5, 5.0, 2.5)
    low, high = (
        start_view(rectangle, *size, levels=levels).to_pixels([rectangle[:2], rectangle[2:]]) / size
    )
    room = BELOW_MAP if levels else HIGH
    assert low[0] >= -1e-9
    assert high[0] <= 1.0 + 1e-9
    assert LOW - 1e-9 <= low[1] < high[1] <= room + 1e-9
    across = high[0] - low[0]
    up = (high[1] - low[1]) / (room - LOW)
    assert max(across, up) == pytest.approx(1.0)  # as large as it goes


@pytest.mark.parametrize("name", sorted(THEMES))
def test_a_shade_is_dark_and_never_brighter_than_its_sky(name: str) -> None:
    theme = THEMES[name]
    shade = np.dot(theme.shade, LUMA)
    sky = np.dot(theme.sky[-1][:3], LUMA)
    assert shade < 30.0
    assert shade <= sky + 1.0


def test_a_grey_sky_has_the_shade_of_its_ground() -> None:
    blue = Theme(sky=((250, 250, 250), (240, 240, 240)), ground_edge=(40, 60, 160)).shade
    assert blue[2] > 2 * blue[0]
    assert themes.SUMMER.shade[2] > 2 * themes.SUMMER.shade[0]


@pytest.mark.brief(3)
@pytest.mark.parametrize("name", ["slingshot", "muscles", "bouncing-balls"])
def test_the_world_of_a_start_screen_is_as_bright_as_in_play(name: str) -> None:
    session = Session(included_games()[name].load())
    session.picture(640, 360)
    session.frame()
    image = draw_image(session.picture(640, 360))
    session.close()
    assert (image[200:250] @ LUMA).mean() > 120.0


def test_a_win_is_seen_as_confetti_before_the_last_screen_and_nothing_of_a_loss() -> None:
    counts = {}
    for outcome in ("won", "lost"):
        session = Session(Jumper())
        session.frame(Controls(pressed={"space"}))
        session.game.outcome = outcome  # type: ignore[assignment]
        for frame in range(70):
            session.frame()
            if frame in (30, 62):
                picture = session.picture(640, 360)
                counts[outcome, frame] = len(picture.mesh(Layer.SCREEN - 1).vertices)
        session.close()
    assert counts["lost", 30] == 0
    assert counts["won", 30] > 4 * 150  # four corners each
    assert counts["won", 62] > counts["won", 30]


def test_a_game_goes_on_behind_its_last_screen_and_then_stands() -> None:
    session = Session(Jumper())
    session.frame(Controls(pressed={"space"}))
    session.game.outcome = "won"
    times = []
    for _ in range(240):
        session.frame()
        times.append(session.game.sim.time)
    session.close()
    assert times[120] > times[60] > times[5]
    assert times[-1] == times[-40]


def test_the_numbers_of_a_game_make_room_for_its_end() -> None:
    session = Session(included_games()["windy-pond"].load(), autopilot=True)
    session.frame()
    session.game.outcome = "lost"
    session.frame()
    picture: Picture = session.picture(640, 360)
    session.close()
    assert not [text.text for text in picture.texts if Layer.HUD <= text.layer < Layer.SCREEN]


@pytest.mark.parametrize("size", [(320, 180), (450, 900), (500, 690), (1280, 720), (2560, 1080)])
def test_a_text_that_is_made_to_fit_leaves_its_edges_free(size: tuple[int, int]) -> None:
    """Letters have whole pixels: a size that is rounded up to the next one was
    up to 6 % too wide.
    """
    picture = Picture(*size)
    for count in range(2, 40):
        text = ("31.1 seconds · 39 of 47 coins · 0 of 2 secrets " * 2)[: 2 * count]
        for asked in (24.0, 36.0, 63.0, 96.0):
            points = fitting(picture, text, asked)
            smallest = round(points * picture.point) == 6
            assert points <= asked
            assert smallest or picture.text_width(text, points) <= picture.width - 2.0 * EDGE
