"""WorldQueries: the queries of a Simulation: by rays, at points, in boxes, for the nearest
particle.

It checks the arguments, and has new entities packed first; collision/query does the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from numpy.typing import ArrayLike

from ecs_softbody.collision.query.queries import Filter, Hit, Queries, checked_filter
from ecs_softbody.components import ALL
from ecs_softbody.errors import FieldError
from ecs_softbody.simulation.world import World
from ecs_softbody.validation import check_coordinates, check_distance, check_number

BringUpToDate = Callable[[], set[int]]
"""Packs new entities, and returns the entities that are marked for deletion."""


class WorldQueries:
    """Rays, points and boxes against the present bodies and walls.

    Queries see the current positions, and entities that were just spawned; inside a step, in a
    processor, they see the entities packed at the beginning of the substep. Entities marked for
    deletion are not found. Surfaces are the same as for contacts: particles as discs of their
    radius, outlines and walls as thick edges. Colliders of category 0 are never found.

    In every method, `mask` has the bits of the categories to include, `ignore` is an entity or
    several to leave out, and `sensors` includes sensors. A bad argument raises ValueError naming
    it, the value and the allowed values.
    """

    def __init__(self, world: World, queries: Queries, bring_up_to_date: BringUpToDate) -> None:
        self._world = world
        self._queries = queries
        self._bring_up_to_date = bring_up_to_date

    def raycast(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        mask: int = ALL,
        radius: float = 0.0,
        ignore: int | Iterable[int] = (),
        sensors: bool = False,
    ) -> Hit | None:
        """Return the first thing that a ray, or a disc of `radius` [m], meets on its way from
        `start` to `end` [m].

        `Hit.distance` is the distance travelled by its center. A ray that starts inside the
        thickness of a surface hits it at once, distance 0. If it starts in the hollow of an
        outline, it hits the skin from inside, and the normal points in.
        """
        hits = self._cast(
            "Simulation.raycast", start, end, mask, radius, ignore, sensors, nearest_only=True
        )
        return hits[0] if hits else None

    def raycast_all(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        mask: int = ALL,
        radius: float = 0.0,
        ignore: int | Iterable[int] = (),
        sensors: bool = False,
    ) -> list[Hit]:
        """Return everything that `raycast` could meet, each entity once where it is met first, by
        distance.
        """
        return self._cast(
            "Simulation.raycast_all", start, end, mask, radius, ignore, sensors, nearest_only=False
        )

    def _cast(
        self,
        asked: str,
        start: ArrayLike,
        end: ArrayLike,
        mask: int,
        radius: float,
        ignore: int | Iterable[int],
        sensors: bool,
        *,
        nearest_only: bool,
    ) -> list[Hit]:
        """Check the arguments of a ray and cast it; asked: the method that was called."""
        a = check_coordinates(asked, "start", start)
        b = check_coordinates(asked, "end", end)
        if not 0.0 < math.dist(a, b) < math.inf:
            raise FieldError(asked, "end", end, f"a point other than start, {start!r}")
        radius = check_number(asked, "radius", radius, minimum=0.0)
        wanted = self.filter(asked, mask, ignore, sensors)
        return self._queries.cast(a, b, radius, wanted, nearest_only=nearest_only)

    def point_query(
        self,
        point: ArrayLike,
        *,
        mask: int = ALL,
        radius: float = 0.0,
        ignore: int | Iterable[int] = (),
        sensors: bool = False,
    ) -> list[Hit]:
        """Return the shapes that contain a point [m], or come within `radius` [m] of it, the
        deepest or nearest first.

        A point is within an outline if inside it, within a disc if within its radius, and within a
        wall if inside its thickness. A closed wall may be solid or hollow, so its inside counts
        only if it is a sensor. `Hit.distance` is the distance of the surface, negative inside, and
        the normal points out.
        """
        asked = "Simulation.point_query"
        position = check_coordinates(asked, "point", point)
        radius = check_distance(asked, "radius", radius)
        return self._queries.near(position, radius, self.filter(asked, mask, ignore, sensors))

    def region_query(
        self,
        low: ArrayLike,
        high: ArrayLike,
        *,
        mask: int = ALL,
        ignore: int | Iterable[int] = (),
        sensors: bool = False,
    ) -> list[int]:
        """Return the entities that overlap the box from its lower left to its upper right corner
        [m], sorted.

        Their actual shapes count, not their bounding boxes; the inside of an outline is part of it.
        """
        asked = "Simulation.region_query"
        a = check_coordinates(asked, "low", low)
        b = check_coordinates(asked, "high", high)
        if a[0] > b[0] or a[1] > b[1]:
            raise FieldError(asked, "high", high, f"no less than low, {low!r}")
        return self._queries.in_region(a, b, self.filter(asked, mask, ignore, sensors))

    def nearest_particle(
        self,
        point: ArrayLike,
        *,
        max_distance: float = math.inf,
        mask: int = ALL,
        ignore: int | Iterable[int] = (),
        sensors: bool = False,
    ) -> Hit | None:
        """Return the particle whose middle is closest to a point [m], or None within `max_distance`
        [m].

        All particles count, including the inner ones; a body without Collider is of category 1.
        `Hit.point` is the center of the particle, and the normal points from there to the point.
        """
        asked = "Simulation.nearest_particle"
        position = check_coordinates(asked, "point", point)
        limit = check_distance(asked, "max_distance", max_distance)
        return self._queries.nearest_particle(
            position, limit, self.filter(asked, mask, ignore, sensors)
        )

    def wall_between(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Return whether a wall stands between two points."""
        return self._queries.wall_between(start, end)

    def filter(self, asked: str, mask: int, ignore: int | Iterable[int], sensors: bool) -> Filter:
        """Pack new entities, and return the checked filter of a query, which also leaves out
        entities marked for deletion. asked: the method that was called, for errors.
        """
        ignored = self._world.own_entities(asked, "ignore", ignore)
        wanted = checked_filter(asked, mask, ignored, sensors)
        leaving = self._bring_up_to_date()
        return replace(wanted, ignored=wanted.ignored | leaving) if leaving else wanted
