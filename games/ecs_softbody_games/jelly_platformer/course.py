"""Course: the levels of the platformer in their order, and what is kept of each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from ecs_softbody import Simulation
from ecs_softbody.play import Game, say
from ecs_softbody.rendering import themes
from ecs_softbody_games.jelly_platformer.hero import GRAVITY, Hero
from ecs_softbody_games.jelly_platformer.levels.level import Level
from ecs_softbody_games.jelly_platformer.levels.maps import can_be_read, level_of_map
from ecs_softbody_games.jelly_platformer.levels.reading import PARTS, level_of
from ecs_softbody_games.jelly_platformer.world import World

GAME_NUMBERS = itertools.count(1)
"""Each game has an esper world of its own, so that several can be played side by side."""
LEVELS = (
    ("meadow.toml", "Night meadow"),
    ("breathe.toml", "Deep breath"),
    ("grip.toml", "Hold tight"),
    ("split.toml", "Two of you"),
    ("clay.toml", "Clay keys"),
    ("ropes.toml", "Loose ends"),
    ("water.toml", "Wind and water"),
    ("boss.toml", "Hot air"),
    ("hollow.tmj", "Hollow"),
)
"""Files in the folder `levels`, in their order, and their names.

Maps need packages that may not be there.
"""
MOST_KEPT = 9999
"""Coins or gems of a level that a file may have."""


class Course(Game):
    """Opens a level from its file; `JellyPlatformer` has the rules.

    Args:
        level: the only one, instead of those of the course.

    Attributes:
        level: what is played, as data.
        world: its entities by what they are for.
        hero: the jelly.
        time: of this run [s].
    """

    parts: ClassVar[Sequence[Any]] = PARTS
    levels: ClassVar[Sequence[str]] = tuple(
        f"levels/{file}" for file, _ in LEVELS if file.endswith(".toml") or can_be_read()
    )
    level: Level
    world: World
    hero: Hero
    time: float

    def __init__(self, level: Level | None = None) -> None:
        super().__init__()
        self.given = level
        self.world_name = f"{self.name} {next(GAME_NUMBERS)}"

    def open_level(self) -> Level:
        """Return the level that is played, and make the world for it.

        Raises:
            SceneError: with everything that is wrong in its file.
            ValueError: for a level that cannot be played.
        """
        self.theme = themes.DUSK
        if self.given is None and self.current_level.endswith(".toml"):
            return level_of(self.open_scene(self.current_level))
        level = self.given or self._read_map(self.current_level)
        self.close()
        self.sim = Simulation(gravity=(0.0, -GRAVITY), world=self.world_name)
        self.loaded = None
        self.theme = themes.POND_LIFE if level.tiles else themes.DUSK
        return level

    def _read_map(self, path: str) -> Level:
        return level_of_map(Path(path).name, *self.scene_source.read(path, self.parts))

    @property
    def has_next_level(self) -> bool:
        """Whether another level follows; a level that was given is the only one."""
        return self.given is None and super().has_next_level

    def kept_as(self, what: str, number: int | None = None) -> str:
        """Return under what the best "time", "coins" or "secrets" of a level are kept; without a
        number of this one.
        """
        number = self.level_number if number is None else number
        return f"{what} {Path(self.levels[number]).stem}" if number else what

    def keep(self, time: float, coins: int, secrets: int) -> None:
        """Keep what is better than ever in this level."""
        self.saves.keep_best(self.kept_as("time"), time, better="lower", low=0.0)
        self.saves.keep_best(self.kept_as("coins"), coins, low=0, high=MOST_KEPT)
        self.saves.keep_best(self.kept_as("secrets"), secrets, low=0, high=MOST_KEPT)

    def level_words(self, number: int) -> tuple[str, str]:
        """Return the name of a level, and the player's best time, coins and gems there."""
        name = dict(LEVELS)[Path(self.levels[number]).name]
        time = self.saves.number(self.kept_as("time", number), None, low=0.0)
        coins, secrets = (
            self.saves.whole(self.kept_as(what, number), 0, 0, MOST_KEPT)
            for what in ("coins", "secrets")
        )
        return name, say(
            "platformer.reached", time=time, coins=coins, secrets=secrets
        ) if time is not None else ""
