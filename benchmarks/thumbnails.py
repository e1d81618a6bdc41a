"""Thumbnails of all games: `python benchmarks/thumbnails.py sheet.png` writes a sheet of them and
says how they differ.

With `--renew` the golden pictures of `tests/games/golden` are written anew. A golden picture is one
moment of a game's own scripted player, drawn without OpenGL.
"""

from __future__ import annotations

import argparse
import itertools
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ecs_softbody.play import Session
from ecs_softbody.rendering.backend.rasterizer import draw_image
from included import included_games

GOLDEN = Path(__file__).parents[1] / "tests" / "games" / "golden"
RENEW = "python benchmarks/thumbnails.py --renew"
SIZE = (320, 180)
FRAME = 90
"""Of the scripted player, from 0 on."""
LUMA = np.array((0.2126, 0.7152, 0.0722))
LEVELS = 6
"""Shades of each channel that are told apart where colours are counted."""
SPREAD = 2
"""How many shades away a colour still counts, less and less."""
COLUMNS = 4
Image8 = NDArray[np.uint8]


def thumbnail(name: str) -> Image8:
    """Return what a game looks like at its golden moment, shape (180, 320, 3)."""
    session = Session(included_games()[name].load(), autopilot=True)
    try:
        session.picture(*SIZE)  # the camera of a window of this size
        for _ in range(FRAME):
            session.frame()
        return draw_image(session.picture(*SIZE))
    finally:
        session.close()


def luma(image: Image8) -> float:
    """Return the mean luma, 0 to 255."""
    return float((image @ LUMA).mean())


def colours_of(image: Image8) -> NDArray[np.float64]:
    """Return how often each colour occurs, as shares; neighbours in shade get a part of it."""
    bins = (image.reshape(-1, 3).astype(np.int64) * LEVELS) // 256
    counts = np.bincount(bins @ (LEVELS * LEVELS, LEVELS, 1), minlength=LEVELS**3).reshape(
        (LEVELS,) * 3
    )
    shares = counts / counts.sum()
    away = np.abs(np.subtract.outer(np.arange(LEVELS), np.arange(LEVELS)))
    near = np.maximum(1.0 - away / SPREAD, 0.0)
    near /= near.sum(axis=0)
    for axis in range(3):
        shares = np.moveaxis(np.tensordot(near, shares, (1, axis)), 0, axis)
    return np.asarray(shares)


def colour_distance(one: Image8, other: Image8) -> float:
    """Return the share of one picture, 0 to 1, whose colours the other one does not have."""
    return float(1.0 - np.minimum(colours_of(one), colours_of(other)).sum())


def nearest_pair(images: dict[str, Image8]) -> tuple[float, str, str]:
    """Return the smallest distance of colours between two pictures, and which two they are."""
    return min(
        (colour_distance(images[a], images[b]), a, b) for a, b in itertools.combinations(images, 2)
    )


def golden_path(name: str) -> Path:
    """Return the file of a game's golden picture."""
    return GOLDEN / f"{name}.png"


def sheet(images: dict[str, Image8]) -> Image8:
    """Return all pictures beside and below each other, in the order of their names."""
    tiles = [images[name] for name in sorted(images)]
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % COLUMNS)
    rows = [
        np.concatenate(tiles[at : at + COLUMNS], axis=1) for at in range(0, len(tiles), COLUMNS)
    ]
    return np.concatenate(rows)


def main() -> None:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "sheet", nargs="?", type=Path, help="the file to write the sheet to, such as sheet.png"
    )
    parser.add_argument("--renew", action="store_true", help="write the golden pictures anew")
    parser.add_argument("--games", nargs="+", default=list(included_games()), help="only these")
    asked = parser.parse_args()
    os.environ["ECS_SOFTBODY_LANGUAGE"] = "en"
    images = {name: thumbnail(name) for name in asked.games}
    for name, image in images.items():
        print(f"{name:<18} mean luma {luma(image):3.0f}")
        if asked.renew:
            golden_path(name).parent.mkdir(exist_ok=True)
            Image.fromarray(image).save(golden_path(name), optimize=True)
    if len(images) > 1:
        print("nearest in colour: {1} and {2}, {0:.2f}".format(*nearest_pair(images)))
    if asked.sheet is not None:
        Image.fromarray(sheet(images)).save(asked.sheet)
        print(f"wrote {asked.sheet}")


if __name__ == "__main__":
    main()
