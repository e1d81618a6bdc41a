"""Numbers and words of every game are within the window, and none lies on another, in windows of
all sizes.
"""

from __future__ import annotations

import itertools

import pytest

from ecs_softbody.play import Session
from ecs_softbody.rendering import Layer, Picture
from ecs_softbody.rendering.layers import Text
from included import included_games

SIZES = [(320, 180), (450, 900), (1280, 720), (2560, 1080), (3840, 2160)]
Box = tuple[float, float, float, float]


def box_of(picture: Picture, text: Text) -> Box:
    """Return left, bottom, right, top of the capitals of a text [points]."""
    left, bottom = text.place
    return left, bottom, left + picture.text_width(text.text, text.size), bottom + 0.7 * text.size


def overlap(one: Box, other: Box) -> bool:
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return across > 2.0 and up > 2.0


@pytest.mark.brief(12)
@pytest.mark.parametrize("name", list(included_games()))
def test_what_is_written_fits_and_can_be_read(name: str) -> None:
    session = Session(included_games()[name].load(), autopilot=True)
    for size in SIZES:
        picture = session.picture(*size)
        for _ in range(3):
            session.frame()  # with the camera of this window
        for autopilot in (True, False):  # without and with the keys at the bottom
            session.autopilot = autopilot
            picture = session.picture(*size)
            texts = [
                text for text in picture.texts if text.layer >= Layer.HUD and text.text.strip()
            ]
            boxes = [(text.text, box_of(picture, text)) for text in texts]
            for text, (left, bottom, right, top) in boxes:
                assert left >= -0.5, (size, text)
                assert right <= picture.width + 0.5, (size, text)
                assert bottom >= -0.5, (size, text)
                assert top <= picture.height + 0.5, (size, text)
            for (one, first), (other, second) in itertools.combinations(boxes, 2):
                assert not overlap(first, second), (size, one, other)
    session.close()
