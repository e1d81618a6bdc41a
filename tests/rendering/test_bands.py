"""A gradient shows no bands in a window, however slow it is, and a flat colour stays what it is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody.play.window import GameWindow
from ecs_softbody.rendering import Picture

pytestmark = pytest.mark.window

LOW = (20, 24, 40)
HIGH = (27, 30, 52)
WIDTH = 256
HEIGHT = 720


class Gradient:
    """A screen with a gradient over black, and nothing else."""

    exit_requested = False
    is_still = True

    def __init__(self, low: tuple[int, ...], high: tuple[int, ...]) -> None:
        self.low = low
        self.high = high

    def frame(self, controls: object) -> None:
        """Stay as it is."""

    def picture(self, width_px: int, height_px: int, alpha: float, into: Picture | None) -> Picture:
        picture = into or Picture(width_px, height_px)
        picture.clear(width_px, height_px)
        corner = (picture.width, picture.height)
        picture.rectangle((0, 0), corner, (0, 0, 0), space="screen")
        picture.rectangle((0, 0), corner, self.low, fill_top=self.high, space="screen")
        return picture


@pytest.fixture(scope="module")
def window() -> Iterator[GameWindow]:
    made = GameWindow(size=(WIDTH, HEIGHT))
    yield made
    made.close()


def drawn(window: GameWindow, low: tuple[int, ...], high: tuple[int, ...]) -> np.ndarray:
    window.draw(Gradient(low, high))
    return np.asarray(window.pixels(), int)


@pytest.mark.parametrize("opacity", [255, 180, 80])
def test_a_slow_gradient_has_no_bands(window: GameWindow, opacity: int) -> None:
    image = drawn(window, (*LOW, opacity), (*HIGH, opacity))
    assert image.shape == (HEIGHT, WIDTH, 3)
    shares = (np.arange(HEIGHT) + 0.5)[::-1, None] / HEIGHT
    wanted = (np.array(LOW) + shares * (np.array(HIGH) - np.array(LOW))) * opacity / 255
    # a driver may blend whole numbers
    one, small = (1.01, 0.2) if opacity == 255 else (1.6, 0.45)
    assert np.abs(image - wanted[:, None]).max() < one
    # The mean over a small square follows the gradient much closer than one step: no edge is left
    # to be seen.
    squares = image.reshape(HEIGHT // 16, 16, WIDTH // 16, 16, 3).mean(axis=(1, 3))
    assert np.abs(squares - wanted.reshape(-1, 1, 16, 3).mean(axis=2)).max() < small
    runs = [len(list(rows)) for _, rows in itertools.groupby(map(tuple, image[:, WIDTH // 3]))]
    assert opacity < 255 or max(runs) < 40
    # steps are spread over rows
    assert (image != image[:, :1]).any(axis=(1, 2)).mean() > 0.5


@pytest.mark.parametrize("colour", [(0, 0, 0), (255, 255, 255), (7, 128, 200)])
def test_a_flat_colour_stays_flat(window: GameWindow, colour: tuple[int, int, int]) -> None:
    assert (drawn(window, colour, colour) == colour).all()
