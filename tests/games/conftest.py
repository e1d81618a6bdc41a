"""What tests of one game share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.jelly_platformer.levels.level import Level
from tests.helpers.platformer import Make, flat_level, run


@pytest.fixture
def make() -> Iterator[Make]:
    games: list[JellyPlatformer] = []

    def build(level: Level | None = None, settle: int = 40) -> JellyPlatformer:
        games.append(JellyPlatformer(level or flat_level()))
        games[-1].start()
        run(games[-1], settle)
        return games[-1]

    yield build
    for game in games:
        game.close()
