"""WorldCuts: the method `cut` of a Simulation, which checks its arguments; fracture/ does the
work.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import esper
import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.errors import FieldError
from ecs_softbody.fracture import Cut, Cutter
from ecs_softbody.simulation.queries import BringUpToDate
from ecs_softbody.simulation.world import World
from ecs_softbody.storage.holding import whole
from ecs_softbody.validation import check_coordinates


class WorldCuts:
    """Cuts bodies into fragments that are entities of their own."""

    def __init__(self, world: World, cutter: Cutter, bring_up_to_date: BringUpToDate) -> None:
        self._world = world
        self._cutter = cutter
        self._bring_up_to_date = bring_up_to_date

    @whole
    def cut(
        self, start: ArrayLike, end: ArrayLike, *, entity: int | Iterable[int] | None = None
    ) -> list[Cut]:
        """Cut every body that the segment from `start` to `end` [m] crosses, or only those given,
        and return the cuts.

        A body with a closed outline is cut where the segment enters and leaves it; where it ends
        inside, it does nothing. Of any other body the springs that it crosses are gone. The
        fragments are new entities with the body's mass, rest area, momentum and angular momentum,
        and copies of all its other components; the body is deleted. For each, the event `body_cut`
        (entity, pieces) is dispatched at once.

        A cut that would leave a fragment smaller than 0.3 of the square of the outline's mean edge,
        or thinner than a quarter of that edge, does nothing. It may be made at any time, also in
        processors and event handlers.

        Args:
            start: (x, y) [m].
            end: (x, y) [m], another point.
            entity: a body, or several; None: all that the segment crosses. None of them has to be
                crossed.

        Returns:
            One `Cut` (entity, pieces) for each body that was cut; an empty list if there was none.

        Raises:
            ValueError: naming the argument, the value and the allowed values; nothing is cut then.
        """
        a = check_coordinates("Simulation.cut", "start", start)
        b = check_coordinates("Simulation.cut", "end", end)
        if a == b or not math.dist(a, b) < math.inf:
            raise FieldError("Simulation.cut", "end", end, "a point away from start")
        marked = self._bring_up_to_date()
        entities = None if entity is None else self._checked_bodies(entity, marked)
        return self._cutter.cut(np.array(a), np.array(b), entities)

    def _checked_bodies(self, entity: int | Iterable[int], marked: set[int]) -> list[int]:
        """Return the given bodies, sorted; raise ValueError for one that cannot be cut. marked: the
        entities that are about to be deleted.
        """
        entities = self._world.own_entities("Simulation.cut", "entity", entity)
        for number in entities:
            if number in marked or not esper.entity_exists(number):
                allowed = f"an entity that exists in world {self._world.name!r}"
                raise FieldError("Simulation.cut", "entity", number, allowed)
            if not self._cutter.can_cut(number):
                raise FieldError(
                    "Simulation.cut",
                    "entity",
                    number,
                    "a body with a closed outline, springs or limits",
                )
        return sorted(set(entities))
