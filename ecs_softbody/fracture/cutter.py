"""Cutter: cuts and tears bodies: puts fragments in their place, and dispatches the events.

A body with a closed outline is cut along a segment to fragments with outlines (outlines.py). A rope
or a net loses the springs or distance limits that the segment crosses, and becomes fragments only
where it is no longer connected (net.py). A tear is a cut across one overloaded spring.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components import (
    AreaConstraint,
    Collider,
    DistanceLimits,
    Muscles,
    Particles,
    PressureBody,
    Springs,
    Tearing,
)
from ecs_softbody.elementary.rows import length
from ecs_softbody.fracture.components import Split, components_of, rest_shares
from ecs_softbody.fracture.links import links_to, move_links
from ecs_softbody.fracture.masses import Inheritance, masses_of
from ecs_softbody.fracture.net import plan_of_net, springs_across
from ecs_softbody.fracture.outlines import Outlined, plan_of_outline
from ecs_softbody.fracture.plan import Plan
from ecs_softbody.storage import PackedBuffers, entities_with, held, marked_for_deletion
from ecs_softbody.storage.declared import extremes

THINNEST_TORN = 0.6
"""Tearing leaves no fragment whose thickness, twice its area over the length of its outline, is
less than this times the mean edge.
"""
WHERE_TORN = (0.5, 0.01, 0.99)
"""Where along the spring a tear cuts the body, as fractions of it: in the middle; or, if a fragment
would be too thin then, next to one of its ends.
"""
SLACK = 1e-6
"""The boxes of a body and a cut count as overlapping up to a distance of this times the coordinates
of the cut: rounding must not hide a body from it.
"""


class Cut(NamedTuple):
    """What became of a body that was cut."""

    # The body; gone now, unless it is a net that still holds together
    entity: int
    # The new entities, or the body itself where it holds together
    pieces: tuple[int, ...]


class Cutter:
    """Cuts and tears the bodies of the current world; at any time, also in the middle of
    a substep.

    A body is given by its entity, a spring by its row in the body's Springs.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers

    def can_cut(self, entity: int) -> bool:
        """Return whether a body has a closed outline, or springs or limits of its own."""
        return esper.has_component(entity, Particles) and (
            ring_of(entity) is not None
            or springs_of_entity(entity) is not None
            or limits_of_entity(entity) is not None
        )

    def cut(self, start: Floats, end: Floats, entities: list[int] | None) -> list[Cut]:
        """Cut the bodies that the segment from `start` to `end` (2,) [m] crosses fully, then
        dispatch `body_cut` for each. entities: which bodies, None for all.
        """
        if entities is None:
            doomed = marked_for_deletion()
            entities = [
                entity for entity in sorted(entities_with(Particles)) if entity not in doomed
            ]
            entities = [entity for entity in entities if self.can_cut(entity)]
        made = [
            cut for entity in entities if (cut := self._cut_one(entity, start, end)) is not None
        ]
        # Handlers run after all cuts, since they may cut, delete and spawn.
        for cut in made:
            esper.dispatch_event("body_cut", cut.entity, cut.pieces)
        return made

    def tear(self, entity: int, row: int) -> None:
        """Tear a spring of a body, and dispatch `body_torn`, or `spring_torn` where the body holds
        together.
        """
        springs = springs_of_entity(entity)
        outlined = _outlined(entity)
        if springs is None or not _is_ready(entity):
            return
        if outlined is not None:
            plan = _plan_of_tear(outlined, springs.pairs[row])
            if plan is not None:
                fragments = self._replace(entity, plan, outlined)
                for fragment in fragments:
                    tearing = esper.component_for_entity(fragment, Tearing)
                    # The fragment does not tear until its gas and skin have settled.
                    tearing.value_arrays["last_load"][tearing.slot] = np.inf
                esper.dispatch_event("body_torn", entity, fragments)
            return
        fragments = self._sever(entity, springs, {row})
        if fragments == (entity,):
            esper.dispatch_event("spring_torn", entity, row)
        else:
            esper.dispatch_event("body_torn", entity, fragments)

    def _cut_one(self, entity: int, start: Floats, end: Floats) -> Cut | None:
        """Cut one body; return what became of it, or None if the segment cuts nothing."""
        # Boxes are compared first: a cut that met none of 60 bodies took 20 ms.
        if not _is_near(entity, start, end) or not _is_ready(entity):
            return None
        outlined = _outlined(entity)
        if outlined is not None:
            plan = plan_of_outline(outlined, start, end)
            return None if plan is None else Cut(entity, self._replace(entity, plan, outlined))
        position = esper.component_for_entity(entity, Particles).position
        springs = springs_of_entity(entity)
        if springs is not None:
            severed = springs_across(position, springs.pairs, start, end)
            return Cut(entity, self._sever(entity, springs, severed)) if severed else None
        limits = limits_of_entity(entity)
        assert limits is not None
        severed = springs_across(position, limits.pairs, start, end)
        return Cut(entity, self._part(entity, limits, severed)) if severed else None

    def _part(self, entity: int, limits: DistanceLimits, severed: set[int]) -> tuple[int, ...]:
        """Remove the limits `severed` (rows) of a rope; return its fragments, or itself if it stays
        connected.
        """
        body = esper.component_for_entity(entity, Particles)
        plan = plan_of_net(body.row_count, limits.pairs, severed)
        left = np.array([row for row in range(limits.row_count) if row not in severed], np.int64)
        if len(left):
            esper.add_component(entity, limits.copied(left))
        else:
            esper.remove_component(entity, DistanceLimits)
        return (
            self._replace(entity, Plan(plan.weights, plan.parts), None)
            if len(plan.parts) > 1
            else (entity,)
        )

    def _sever(self, entity: int, springs: Springs, severed: set[int]) -> tuple[int, ...]:
        """Remove the springs `severed` (rows) of a net, and the muscles that drive them; return its
        fragments, or itself if it stays connected.
        """
        body = esper.component_for_entity(entity, Particles)
        plan = plan_of_net(body.row_count, springs.pairs, severed)
        if len(plan.parts) > 1:
            return self._replace(entity, plan, None)
        left = np.array([row for row in range(springs.row_count) if row not in severed], np.int64)
        muscles = esper.try_component(entity, Muscles)
        if muscles is not None:
            muscles.follow(left)
            if (muscles.ends[:, 0] < 0).all():  # as a link that goes takes its drive along
                esper.remove_component(entity, Muscles)
        if len(left):
            esper.add_component(entity, springs.copied(left))
        else:
            esper.remove_component(entity, Springs)
        return (entity,)

    def _replace(self, entity: int, plan: Plan, outlined: Outlined | None) -> tuple[int, ...]:
        """Make the fragments that a plan describes, and delete the body; return their entities.

        outlined: the outline of the body, None for a net.
        """
        body = esper.component_for_entity(entity, Particles)
        components: list[Any] = list(esper.components_for_entity(entity))
        links = links_to(entity)
        own = [entry for entry in components if not any(entry is link for _, _, link, _ in links)]
        if outlined is None:
            areas: list[float] = []
            masses = [body.mass[part.points] for part in plan.parts]
        else:
            areas = rest_shares(plan, outlined.ring)
            filled = len(outlined.inner) > 0
            masses = masses_of(plan, body.mass.copy(), areas, filled=filled)
        made = components_of(Split(plan, body, outlined, areas, masses), own)
        particles = [entries[0] for entries in made]

        inheritance = Inheritance(plan, body, particles, same=outlined is None)
        fragments = tuple(esper.create_entity(*entries) for entries in made)
        move_links(entity, links, plan, fragments)
        # The rows of the body live on until the next packing: impulses until then are passed on to
        # the fragments, so that none is lost.
        self._buffers.before_packing.append(inheritance.settle)
        # The body goes at once, not with the next step: the sum of all masses is right at any
        # moment.
        esper.delete_entity(entity, immediate=True)
        return fragments


def springs_of_entity(entity: int) -> Springs | None:
    """Return the springs of an entity if they join its own particles, else None."""
    springs = esper.try_component(entity, Springs)
    if springs is None or not springs.row_count or springs.row_owners(entity) != (entity,):
        return None
    return springs


def limits_of_entity(entity: int) -> DistanceLimits | None:
    """Return the distance limits of an entity if they join its own particles, else None."""
    limits = esper.try_component(entity, DistanceLimits)
    if limits is None or not limits.row_count or limits.between is not None:
        return None
    return limits


def ring_of(entity: int) -> NDArray[np.int32] | None:
    """Return the closed outline (K,) of an entity, rows in order, from its collider, else from its
    gas or its area constraint; None without any.
    """
    for kind in (Collider, PressureBody, AreaConstraint):
        found: Any = esper.try_component(entity, kind)
        if found is not None and len(found.outline) and held(found, "closed", True):
            ring: NDArray[np.int32] = found.outline
            return ring
    return None


def _outlined(entity: int) -> Outlined | None:
    """Return the present shape of a body with a closed outline, None for any other."""
    ring = ring_of(entity)
    if ring is None:
        return None
    body = esper.component_for_entity(entity, Particles)
    springs = springs_of_entity(entity)
    pairs = springs.pairs.astype(np.int32) if springs is not None else np.zeros((0, 2), np.int32)
    return Outlined(body.position.copy(), body.rest_offset.copy(), ring.copy(), pairs)


def _is_near(entity: int, start: Floats, end: Floats) -> bool:
    """Return whether the bounding boxes of a body and a segment overlap: a quick test."""
    position = esper.component_for_entity(entity, Particles).position
    (x0, y0) = start.tolist()
    (x1, y1) = end.tolist()
    left = min(x0, x1)
    right = max(x0, x1)
    low = min(y0, y1)
    high = max(y0, y1)
    slack = SLACK * max(abs(left) + abs(right), abs(low) + abs(high))
    x = position[:, 0]
    y = position[:, 1]
    (least_x, most_x) = extremes(x)
    (least_y, most_y) = extremes(y)
    across = least_x <= right + slack and most_x >= left - slack
    return bool(across and least_y <= high + slack and most_y >= low - slack)


def _is_ready(entity: int) -> bool:
    """Return whether a body can be cut now: its numbers are finite, and its rest shape is known,
    which it is not yet in the substep in which the body was made.
    """
    body = esper.component_for_entity(entity, Particles)
    springs = springs_of_entity(entity)
    known = body.row_count == 1 or bool(body.rest_offset.any())
    return (
        known
        and bool(np.isfinite(body.position).all())
        and (springs is None or not np.isnan(springs.rest_length).any())
    )


def _plan_of_tear(outlined: Outlined, pair: NDArray[np.int32]) -> Plan | None:
    """Return the plan of a body torn at the spring `pair` (2,) of rows, or None if fragments would
    be too thin.

    The cut is a line across the spring, longer than the body; of its chords only the one through
    the spring counts.
    """
    one, two = outlined.position[pair]
    along = two - one
    size = length(along)
    if not size > 0.0:
        return None
    extent = 4.0 * float(np.ptp(outlined.position, axis=0).max()) + size
    across = np.array([-along[1], along[0]], np.float64) / size * extent
    for share in WHERE_TORN:
        position = one + share * along
        plan = plan_of_outline(
            outlined, position - across, position + across, through=extent, thinnest=THINNEST_TORN
        )
        if plan is not None:
            return plan
    return None
