"""How a test plays the jelly platformer, and the flat level that it plays in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ecs_softbody.play import FRAME, Controls
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.jelly_platformer.levels.level import Level
from tests.helpers.games import play_frame

Make = Callable[..., JellyPlatformer]
FLAT = ((-30.0, 12.0), (-6.0, 12.0), (-6.0, 0.0), (30.0, 0.0), (30.0, -20.0))


def flat_level(**changes: object) -> Level:
    values: dict[str, object] = {
        "name": "test", "start": (0.0, 0.6), "flag": (-10.0, 12.0), "bottom": -6.0,
        "view": (-20.0, -8.0, 60.0, 20.0), "terrain": (FLAT,),
    }  # fmt: skip
    return Level(**(values | changes))  # type: ignore[arg-type]


def frame(game: JellyPlatformer, *keys: str, pressed: bool = False) -> None:
    play_frame(game, Controls(held=set(keys), pressed=set(keys) if pressed else set()))


def run(game: JellyPlatformer, frames: int, *keys: str) -> None:
    for _ in range(frames):
        frame(game, *keys)


def heights(game: JellyPlatformer, frames: int, *keys: str) -> np.ndarray:
    seen = []
    for _ in range(frames):
        frame(game, *keys)
        seen.append(game.hero.position[1])
    return np.array(seen)


def run_off_the_edge(game: JellyPlatformer) -> None:
    """Roll right until the ground ends."""
    for _ in range(400):
        frame(game, "right")
        if game.hero.position[0] > 29.0 and not game.hero.grounded:
            return
    raise AssertionError("the hero never left the ground")


def play(game: JellyPlatformer, seconds: float) -> list[np.ndarray]:
    path = []
    for _ in range(round(seconds / FRAME)):
        play_frame(game, game.autopilot())
        path.append(game.hero.position)
        if game.outcome:
            break
    return path
