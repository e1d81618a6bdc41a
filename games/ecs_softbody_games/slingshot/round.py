"""Round: what one round of the slingshot is: its shots, its grumps, and how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ecs_softbody import Particles
from ecs_softbody.elementary import cos, sin
from ecs_softbody.play import Game
from ecs_softbody_games.framing import framed
from ecs_softbody_games.slingshot.sling import Sling
from ecs_softbody_games.stars import star_words

ROUNDS = (
    "pull", "hill", "tower", "weak_spot", "bounce", "rope", "wind", "stone", "cluster", "castle",
)  # fmt: skip
STRENGTH = 2.2
"""What a grump stands: how fast something may hit it [m/s], where its round says nothing else."""
FAILURES = 2
"""After so many the game helps: it shows the whole path, and where to pull."""


class Round(Game):
    """A round from its file; `Slingshot` has the rules."""

    levels: ClassVar[Sequence[str]] = tuple(
        f"rounds/{number:02}_{name}.toml" for number, name in enumerate(ROUNDS, 1)
    )

    def __init__(self) -> None:
        super().__init__()
        self.failures = [0] * len(self.levels)

    def level_words(self, number: int) -> tuple[str, str]:
        """Return the player's stars in a round."""
        return "", star_words(self, number)

    def start(self) -> None:
        """Build a round from its file."""
        super().start()
        assert self.loaded is not None
        data = self.loaded.data
        self.shots: list[str] = data["shots"]
        self.best_shots: list[int] = data["stars"]
        self.targets = self.loaded.tagged("target")
        self.weak_spots = self.loaded.tagged("weak")
        self.strength = {
            target: self.loaded.data_of(self.loaded.name_of(target)).get("strength", STRENGTH)
            for target in self.targets
        }
        self.new: str = data.get("new", "")
        self.sling = Sling(self.sim, data["fork"])
        self.solution: list[list[float]] = data["solution"]
        self.used = 0
        self.frame = 0
        self.waited = 0
        self.calm = 0
        self.flying: list[int] = []
        self.doomed: list[int] = []
        self.trail: list[np.ndarray] = []
        self.sling.load(self.shots[0])
        self._shape = (0.0, 0.0)
        self.look()

    def look(self) -> None:
        """Show the whole round, once for a window of this shape."""
        shape = self.camera.aspect, self.camera.screen_height
        if shape != self._shape:
            assert self.loaded is not None
            self._shape = shape
            self.camera.fit(framed(tuple(self.loaded.spec.camera["view"]), self.camera))

    def place_of_new(self) -> np.ndarray | None:
        """Return where that is what is new in this round [m], None where it has gone."""
        assert self.loaded is not None
        if self.new == "shot":
            return self.sling.fork
        at = self.loaded.data_of(self.new).get("at")
        if at is not None:
            return np.asarray(at, np.float64)
        entity = self.loaded[self.new]
        return self.sim.get(entity, Particles).center if self.sim.exists(entity) else None

    @property
    def is_helped(self) -> bool:
        """Whether the player has failed so often that the game shows how."""
        return self.failures[self.level_number] >= FAILURES

    @property
    def stars(self) -> int:
        """How many stars the round is worth with the shots used so far, or with the next one."""
        return 1 + sum(max(self.used, 1) <= most for most in self.best_shots)

    def solution_of(self, number: int) -> Sequence[float]:
        """Return how its file says that a shot is won with: angle [degrees], pull [m], and the
        frame of a split.
        """
        return self.solution[number % len(self.solution)]

    def pouch_of(self, number: int, share: float = 1.0) -> np.ndarray:
        """Return where the pouch goes from the fork for a shot of the solution [m]."""
        angle, pull = self.solution_of(number)[:2]
        turn = np.radians(angle)
        return -share * pull * np.array((cos(turn), sin(turn)))
