"""Explosions: the method `explode` of a Simulation, which throws bodies away from a point.

It finds out which bodies feel the explosion, and which particles walls shelter;
processors/forces/explosion.py pushes them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.components import ALL, Collider, Particles
from ecs_softbody.elementary.rows import distinct, lengths
from ecs_softbody.indices import flatnonzero
from ecs_softbody.processors import throw_bodies
from ecs_softbody.simulation.pipeline import Pipeline
from ecs_softbody.simulation.queries import WorldQueries
from ecs_softbody.validation import check_coordinates, check_flag, check_number


class Explosion(NamedTuple):
    """An explosion that has happened."""

    frame: int  # of the simulation, before the step that moved the bodies
    center: tuple[float, float]  # [m]
    radius: float  # [m]


class Explosions:
    """Applies the explosions of a game; see `explode`."""

    def __init__(
        self, pipeline: Pipeline, questions: WorldQueries, explosions: deque[Explosion]
    ) -> None:
        self._buffers = pipeline.context.buffers
        self._questions = questions
        self._clock = pipeline.clock
        self._integration = pipeline.integration
        self._sleep = pipeline.sleep
        self.explosions = explosions
        """The last explosions, for drawing their effects; not part of the state."""

    def explode(
        self,
        center: ArrayLike,
        *,
        radius: float,
        impulse: float = 0.0,
        speed: float = 0.0,
        mask: int = ALL,
        ignore: int | Iterable[int] = (),
        blocked: bool = False,
    ) -> list[int]:
        """Throw all bodies with a Collider away from a point, at once, and return the entities that
        it moved, sorted.

        The effect falls off linearly to zero at the radius. Sleeping bodies wake; fixed particles
        stay; no particle gets faster than `speed_limit`. Sensors are not affected, nor is a
        particle exactly at the center.

        Args:
            center: (x, y) [m].
            radius: how far it reaches [m].
            impulse: at the center, on each metre of outline that faces it [N·s/m]: heavy bodies fly
                less far.
            speed: at the center, given to every particle of a body regardless of its mass [m/s].
            mask: bits of the categories that feel it.
            ignore: an entity, or several, that do not.
            blocked: whether walls shelter bodies behind them.
        """
        asked = "Simulation.explode"
        center = check_coordinates(asked, "center", center)
        radius = check_number(asked, "radius", radius, above=0.0)
        impulse = check_number(asked, "impulse", impulse, minimum=0.0)
        speed = check_number(asked, "speed", speed, minimum=0.0)
        sheltered = check_flag(asked, "blocked", blocked)
        wanted = self._questions.filter(asked, mask, ignore, sensors=False)
        table = self._buffers[Particles]
        values = self._buffers[Collider].values
        chosen = wanted.of(values["entity"], values["category"], values["sensor"]) & self._finite()
        open_to = (
            self._open_to(center, radius) if sheltered else np.ones(table.rows.count, np.bool_)
        )
        fastest = self._integration.speed_limit
        moved = throw_bodies(
            self._buffers, center, radius, speed, impulse, fastest, chosen, open_to
        )
        self.explosions.append(Explosion(self._clock.frame, center, radius))
        hit = sorted(
            int(entity) for entity in table.values["entity"][distinct(table.rows["body"][moved])]
        )
        for entity in hit:
            self._sleep.wake(entity)
        return hit

    def _finite(self) -> NDArray[np.bool_]:
        """Return which colliders belong to bodies all of whose numbers are finite."""
        rows = self._buffers[Particles].rows
        bodies = self._buffers[Collider].values
        broken = ~(
            np.isfinite(rows["position"]).all(axis=1) & np.isfinite(rows["velocity"]).all(axis=1)
        )
        before = np.concatenate(([0], np.cumsum(broken, dtype=np.int64)))
        fine: NDArray[np.bool_] = (
            before[bodies["particle_last"]] == before[bodies["particle_first"]]
        )
        return fine

    def _open_to(self, center: tuple[float, float], radius: float) -> NDArray[np.bool_]:
        """Return which particles (N,) are within the radius, and not hidden from the center by a
        wall.
        """
        position = self._buffers[Particles].rows["position"]
        away = lengths(position - center)
        open_to = np.zeros(len(position), np.bool_)
        for row in flatnonzero(away < radius):
            open_to[row] = away[row] == 0.0 or not self._questions.wall_between(
                center, tuple(position[row].tolist())
            )
        return open_to
