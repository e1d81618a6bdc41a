"""Each game looks as it did at one moment of its scripted player; no two of these pictures are
alike.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import thumbnails
from included import included_games
from tests.rendering.blob_garden import needs_compiled_pixels

BLOCK = 10
"""Pixels a side whose mean colours are compared: bodies may be a pixel off."""
MOST_OFF = 24.0
"""Of 255, that a block may differ."""
MOST_BLOCKS = 0.03
"""Share of the blocks that may differ by more."""
LEAST_APART = 0.25
"""Share of each picture whose colours the picture of no other game has."""


def golden(name: str) -> np.ndarray:
    path = thumbnails.golden_path(name)
    assert path.exists(), (
        f"{name} has no golden picture; make it with: {thumbnails.RENEW} --games {name}"
    )
    return np.asarray(Image.open(path).convert("RGB"))


def blocks_off(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return how far the mean colours of blocks are apart, rows from the top."""
    height, width, _ = one.shape
    shape = (height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3)
    first, second = (image.astype(float).reshape(shape).mean(axis=(1, 3)) for image in (one, other))
    return np.asarray(np.abs(first - second).max(axis=2))


def check_same(name: str, expected: np.ndarray, now: np.ndarray, folder: Path) -> None:
    """Compare a picture with the golden one; where they differ, leave both in the folder and tell
    where.
    """
    off = blocks_off(expected, now)
    share = float((off > MOST_OFF).mean())
    if share <= MOST_BLOCKS:
        return
    row, column = np.unravel_index(int(off.argmax()), off.shape)
    for what, image in (("expected", expected), ("now", now)):
        Image.fromarray(image).save(folder / f"{name}-{what}.png")
    pytest.fail(
        f"{name} looks different in {share:.0%} of its picture (allowed "
        f"{MOST_BLOCKS:.0%}), most of all around "
        f"x = {BLOCK * column}, y = {BLOCK * row} from the upper left. See "
        f"{folder}/{name}-expected.png and "
        f"{name}-now.png. Where that is meant: {thumbnails.RENEW} --games {name}"
    )


@pytest.mark.brief(10)
@needs_compiled_pixels
@pytest.mark.parametrize("name", list(included_games()))
def test_a_game_looks_as_it_did(name: str, tmp_path: Path) -> None:
    check_same(name, golden(name), thumbnails.thumbnail(name), tmp_path)


def test_what_differs_is_told_and_kept(tmp_path: Path) -> None:
    expected = golden("jelly-car")
    now = expected.copy()
    now[40:120, 100:200] = 0
    with pytest.raises(
        pytest.fail.Exception, match=r"jelly-car looks different in \d+% .* x = \d+, y = \d+"
    ):
        check_same("jelly-car", expected, now, tmp_path)
    assert (np.asarray(Image.open(tmp_path / "jelly-car-now.png")) == now).all()
    assert (np.asarray(Image.open(tmp_path / "jelly-car-expected.png")) == expected).all()


def test_a_shift_by_a_pixel_is_no_difference(tmp_path: Path) -> None:
    for name in included_games():
        check_same(name, golden(name), np.roll(golden(name), 1, axis=1), tmp_path)


def test_no_two_games_look_alike() -> None:
    apart, one, other = thumbnails.nearest_pair({name: golden(name) for name in included_games()})
    assert apart > LEAST_APART, (one, other)


def test_half_of_the_games_are_bright() -> None:
    lumas = {name: thumbnails.luma(golden(name)) for name in included_games()}
    assert 2 * sum(value > 120.0 for value in lumas.values()) >= len(lumas), lumas


def test_the_sheet_has_every_game_once(tmp_path: Path) -> None:
    images = {name: golden(name) for name in included_games()}
    made = thumbnails.sheet(images)
    height, width, _ = next(iter(images.values())).shape
    for number, name in enumerate(sorted(images)):
        row, column = divmod(number, thumbnails.COLUMNS)
        tile = made[row * height : (row + 1) * height, column * width : (column + 1) * width]
        assert (tile == images[name]).all(), name
