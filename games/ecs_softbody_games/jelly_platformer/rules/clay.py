"""Clay: beds of clay keep what the hero presses into them;
a dent that is deep enough opens a gate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles
from ecs_softbody.indices import flatnonzero
from ecs_softbody.rendering import Layer, Picture, palette
from ecs_softbody_games.jelly_platformer.course import Course
from ecs_softbody_games.jelly_platformer.rules.gates import Gates
from ecs_softbody_games.jelly_platformer.seen import is_seen

TOP = 0.05
"""Particles that lie this far below the highest one at most make the surface [m]."""
DASHES = 9


@dataclass(slots=True)
class Bed:
    """A bed: its body, the rows of its surface, how high they were [m], and how deep a dent its
    gate wants [m].
    """

    body: Particles
    rows: NDArray[np.int64]
    height: float
    depth: float
    gate: str
    dent: float = 0.0


class Clay(Gates):
    """A bed has the tag "clay" and data `gate` and `depth` [m]; several beds may have one gate."""

    def __init__(self, game: Course) -> None:
        super().__init__(game)
        scene = game.loaded
        assert scene is not None
        self.beds = []
        for entity in scene.tagged("clay"):
            body = game.sim.get(entity, Particles)
            data = scene.data_of(scene.name_of(entity))
            height = float(body.position[:, 1].max())
            rows = flatnonzero(body.position[:, 1] > height - TOP)
            self.beds.append(Bed(body, rows, height, float(data["depth"]), data["gate"]))

    def after_step(self, dt: float) -> None:
        """Measure the dents."""
        for bed in self.beds:
            dent = bed.height - float(bed.body.position[bed.rows, 1].min())
            if dent > bed.depth > bed.dent:
                x = float(bed.body.position[:, 0].mean())
                self.game.sounds.play("pop", pitch=1.2, at=(x, bed.height))
                self.game.effects.ring((x, bed.height), colour=palette.GOLD, radius=1.0)
            bed.dent = max(bed.dent, dent)
        super().after_step(dt)

    def is_due(self, name: str) -> bool:
        """Return whether all dents for a gate are deep enough."""
        beds = [bed.dent >= bed.depth for bed in self.beds if bed.gate == name]
        return all(beds) if beds else super().is_due(name)

    def draw(self, picture: Picture, time: float) -> None:
        """Draw how deep each dent has to be: a dashed line, gold where it is."""
        super().draw(picture, time)
        for bed in self.beds:
            left = float(bed.body.position[:, 0].min())
            right = float(bed.body.position[:, 0].max())
            if not is_seen(picture, left, right):
                continue
            done = bed.dent >= bed.depth
            x = np.linspace(left + 0.2, right - 0.2, DASHES)
            half = 0.3 * (right - left) / DASHES
            y = bed.height - bed.depth
            feet = np.column_stack((x - half, np.full(DASHES, y, np.float64)))
            colour = palette.GOLD if done else palette.TEXT
            tips = np.column_stack((x + half, np.full(DASHES, y, np.float64)))
            picture.segments(feet, tips, 4.0, colour, layer=Layer.BODIES + 2)
