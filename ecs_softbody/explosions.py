"""Explosions: the verb of a Simulation that throws bodies away from a point."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.collision.queries import Filter, Queries, checked_point
from ecs_softbody.components import ALL, Collider, Particles
from ecs_softbody.processors import throw_bodies
from ecs_softbody.storage import PackedBuffers, check_number


class Explosions:
    """Blows up what a game asks for; see `explode`."""

    buffers: PackedBuffers
    speed_limit: float
    _queries: Queries

    def _prepare(self, asked: str, mask: int, ignore: int | Iterable[int], sensors: bool) -> Filter:
        """Bring the world up to date and return the filter."""
        raise NotImplementedError

    def wake(self, entity: int) -> None:
        """Wake the body of an entity."""
        raise NotImplementedError

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
        """Throw all bodies with a Collider away from a point, at once, and return the entities that it moved, sorted.

        The blow gets less in a straight line, to nothing at the radius. Sleeping bodies wake; what is fixed stays; no
        particle gets faster than `speed_limit`. Sensors feel nothing. A particle just at the center has no way to go.

        Args:
            center: (x, y) [m].
            radius: how far it reaches [m].
            impulse: at the center, on each metre of outline that faces it [N·s/m]: heavy bodies fly less far.
            speed: at the center, given to every particle of a body whatever its mass [m/s].
            mask: bits of the categories that feel it.
            ignore: an entity, or several, that do not.
            blocked: whether walls shelter what is behind them.

        Raises:
            ValueError: naming the argument, the value and what is allowed.
        """
        asked = "Simulation.explode"
        place = checked_point(asked, "center", center)
        radius = check_number(asked, "radius", radius, above=0.0)
        impulse = check_number(asked, "impulse", impulse, minimum=0.0)
        speed = check_number(asked, "speed", speed, minimum=0.0)
        if not isinstance(blocked, bool | np.bool_):
            raise ValueError(f"{asked}.blocked: {blocked!r} is not allowed; expected True or False")
        wanted = self._prepare(asked, mask, ignore, sensors=False)
        table, values = self.buffers[Particles], self.buffers[Collider].values
        chosen = wanted.of(values["entity"], values["category"], values["sensor"]) & self._finite()
        open_to = self._open_to(place, radius) if blocked else np.ones(table.rows.count, np.bool_)
        moved = throw_bodies(self.buffers, place, radius, speed, impulse, self.speed_limit, chosen, open_to)
        hit = sorted(int(entity) for entity in table.values["entity"][np.unique(table.rows["body"][moved])])
        for entity in hit:
            self.wake(entity)
        return hit

    def _finite(self) -> NDArray[np.bool_]:
        """Return which colliders belong to bodies all of whose numbers are finite."""
        rows, bodies = self.buffers[Particles].rows, self.buffers[Collider].values
        broken = ~(np.isfinite(rows["position"]).all(axis=1) & np.isfinite(rows["velocity"]).all(axis=1))
        before = np.concatenate(([0], np.cumsum(broken)))
        fine: NDArray[np.bool_] = before[bodies["particle_last"]] == before[bodies["particle_first"]]
        return fine

    def _open_to(self, place: tuple[float, float], radius: float) -> NDArray[np.bool_]:
        """Return the particles within the radius that no wall hides from a place."""
        position = self.buffers[Particles].rows["position"]
        away = np.hypot(*(position - place).T)
        open_to = np.zeros(len(position), np.bool_)
        for row in np.flatnonzero(away < radius):
            open_to[row] = away[row] == 0.0 or not self._queries.wall_between(place, tuple(position[row].tolist()))
        return open_to
