"""WorldCuts: how a game cuts the bodies of a Simulation."""

from __future__ import annotations

from collections.abc import Iterable

import esper
import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.collision.queries import checked_point
from ecs_softbody.pieces import Cut, Cutter


class WorldCuts:
    """Cuts bodies into pieces that are entities of their own."""

    world: str
    _cutter: Cutter

    def _bring_up_to_date(self) -> set[int]:
        """Pack what is new, and return the entities that are marked for deletion."""
        raise NotImplementedError

    def cut(self, start: ArrayLike, end: ArrayLike, *, entity: int | Iterable[int] | None = None) -> list[Cut]:
        """Cut every body that the segment from `start` to `end` [m] crosses, or only those given, and return the cuts.

        A body with a closed outline is cut where the segment enters and leaves it; where it ends inside, it does
        nothing. Of any other body the springs that it crosses are gone. The pieces are new entities with the body's
        mass, rest area, momentum and angular momentum, and copies of all its other components; the body is deleted. For
        each, the event `body_cut` (entity, pieces) is dispatched at once.

        A cut that would leave a piece smaller than 0.3 of the square of the outline's mean edge, or thinner than a
        quarter of that edge, does nothing. It may be made at any time, also in processors and event handlers.

        Args:
            start: (x, y) [m].
            end: (x, y) [m], another point.
            entity: a body, or several; None: all that the segment crosses. None of them has to be crossed.

        Returns:
            One `Cut` (entity, pieces) for each body that was cut; an empty list where nothing was.

        Raises:
            ValueError: naming the argument, the value and what is allowed; nothing is cut then.
        """
        a, b = checked_point("Simulation.cut", "start", start), checked_point("Simulation.cut", "end", end)
        if a == b or not np.isfinite(np.hypot(b[0] - a[0], b[1] - a[1])):
            raise ValueError(f"Simulation.cut.end: {end!r} is not allowed; expected a point away from start")
        marked = self._bring_up_to_date()
        with self:  # type: ignore[attr-defined]
            entities = None if entity is None else self._checked_bodies(entity, marked)
            return self._cutter.cut(np.array(a), np.array(b), entities)

    def _checked_bodies(self, entity: int | Iterable[int], marked: set[int]) -> list[int]:
        entities = list(entity) if isinstance(entity, Iterable) else [entity]
        for number in entities:
            if not isinstance(number, int | np.integer) or number in marked or not esper.entity_exists(int(number)):
                raise ValueError(f"Simulation.cut.entity: {number!r} does not exist in world {self.world!r}")
            if not self._cutter.can_cut(int(number)):
                raise ValueError(
                    f"Simulation.cut.entity: {number!r} is not allowed; "
                    "expected a body with a closed outline, springs or limits"
                )
        return sorted({int(number) for number in entities})
