"""How much slow tests try, and games from shifted starts: two, or ten where `ECS_SOFTBODY_WHOLE=1`
says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np

from ecs_softbody import Particles
from ecs_softbody.play import Game
from tests.helpers.games import play

WHOLE = os.environ.get("ECS_SOFTBODY_WHOLE") == "1"
"""Whether all cases of all slow tests run, which takes hours; CI runs samples."""
STARTS = 10 if WHOLE else 2
AnyGame = TypeVar("AnyGame", bound=Game)


def ended_from_shifted_starts(
    kind: type[AnyGame],
    moved: Callable[[AnyGame], Iterable[int]],
    *,
    by: float,
    late: int,
    frames: int,
) -> Iterator[AnyGame]:
    """Yield one game for each start as its scripted player has left it.

    Args:
        kind: the game.
        moved: the entities that stand elsewhere at first.
        by: how far, at most, along each axis [m].
        late: frames, less than so many, in which nobody does anything.
        frames: the player has at most so many.
    """
    for seed in range(STARTS):
        game = kind()
        rng = np.random.default_rng(seed)
        game.begin()
        for entity in moved(game):
            game.get(entity, Particles).position += rng.uniform(-by, by, 2)
        play(game, int(rng.integers(0, late)))
        for _ in range(frames):
            if game.outcome is None:
                game.advance(game.autopilot())
        yield game
        game.close()
