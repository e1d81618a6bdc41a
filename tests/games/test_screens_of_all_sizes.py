"""Start screen, help and settings of every game are within the window and can be read, in windows
of all sizes.
"""

from __future__ import annotations

import itertools

import pytest

from ecs_softbody.play import Session
from ecs_softbody.play.screens.settings_screen import SettingsScreen
from ecs_softbody.rendering import Layer, Picture
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.glyphs import lacks
from included import included_games
from tests.games.test_windows_of_all_sizes import SIZES, box_of, overlap

LEAST = 5.0
"""Size that letters are asked for [pixels]; below 6 they are drawn with 6."""
ROOM = 5.0
"""Between two lines, or a line and the pill of the call to start [points]."""


def missing_letters(text: str) -> set[str]:
    """Return the letters of a text that the bundled font lacks."""
    return {letter for letter in text if lacks(letter)}


def check_texts(picture: Picture, what: object) -> None:
    texts = [text for text in picture.texts if text.layer >= Layer.SCREEN and text.text.strip()]
    boxes = [(text.text, box_of(picture, text)) for text in texts]
    assert boxes
    for text, (left, bottom, right, top) in boxes:
        assert min(left, bottom, picture.width - right, picture.height - top) >= -0.5, (what, text)
    for text in texts:
        assert text.size * picture.point >= LEAST, (what, text)
        assert not missing_letters(text.text), (what, text)
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        assert not overlap(first, second), (what, one, other)


@pytest.mark.brief(16)
@pytest.mark.parametrize("name", list(included_games()))
def test_what_lies_over_a_game_can_be_read(name: str) -> None:
    session = Session(included_games()[name].load())
    for size in SIZES:
        session.help_shown = False
        session.settings_shown = None
        title = session.picture(*size)
        check_texts(title, (size, "title"))
        call = next(
            text for text in title.texts if "SPACE" in text.text and text.layer == Layer.SCREEN + 1
        )
        words = [
            text
            for text in title.texts
            if text.layer == Layer.SCREEN and text.place[1] > call.place[1]
        ]
        for text in words:
            assert text.place[1] > call.place[1] + 0.7 * call.size + ROOM, (size, text.text)
        session.help_shown = True
        check_texts(session.picture(*size), (size, "help"))
        session.settings_shown = SettingsScreen(session.game, session.settings)
        for row in range(0, len(session.settings_shown.rows), 5):
            session.settings_shown.selected = row
            check_texts(session.picture(*size), (size, "settings", row))
    session.close()


@pytest.mark.parametrize("name", ["springs-lab", "bouncing-balls", "muscles"])
def test_what_the_start_screen_says_stands_on_dark_ground_in_bright_games(name: str) -> None:
    session = Session(included_games()[name].load())
    picture = session.picture(640, 360)
    image = draw_image(picture)
    title = next(text for text in picture.texts if text.text == session.game.tagline)
    session.close()
    row = round(picture.height_px - title.place[1] * picture.point)
    assert image[row - 4 : row, :].mean(axis=(0, 2)).max() > 150.0  # its letters
    assert image[row - 4 : row, :20].mean() < 110.0


@pytest.mark.parametrize("size", [(450, 900), (1280, 720), (2560, 1080)])
def test_the_world_of_the_lab_is_seen_between_the_words_of_its_start_screen(
    size: tuple[int, int],
) -> None:
    session = Session(included_games()["springs-lab"].load())
    session.picture(*size)
    session.frame()
    session.frame()
    picture = session.picture(*size)
    game = session.game
    places = [(text.text, text.place[1] * picture.point) for text in picture.texts]
    tagline = next(y for text, y in places if text == game.tagline)
    left, bottom, right, top = game.page.view
    low, high = picture.to_pixels([(left, bottom), (right, top)])[:, 1]
    call = next(y for text, y in places if "SPACE" in text and len(text) > 8)
    session.close()
    assert call < low < high < tagline
