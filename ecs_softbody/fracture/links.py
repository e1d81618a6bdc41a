"""Links to fragments: joints, and springs between bodies, go on at the fragments of a cut body.

A link is a component that joins the body to others, or holds it from another entity: springs or
limits between bodies, attachments, mouse joints, motors. It goes on at the fragment that has the
particles (rows) which it refers to; a link whose rows go to several fragments becomes several.
"""

from __future__ import annotations

from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Attachment, Motor, MouseJoint, Particles
from ecs_softbody.components.anchors import EDGE
from ecs_softbody.elementary.sums import dot
from ecs_softbody.fracture.plan import Plan
from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage import UNSET, Component, declared_columns, entities_with, held

Link = tuple[type[Component], int, Component, tuple[int, ...]]
"""(class, entity that it sits on, component, entities whose particles its rows refer to: its
owners).
"""
Sides = list[tuple[int, NDArray[np.int64]]]
"""(place of an owner in the owners, its particles (rows of the link,), -1 for rows of others)."""
ANCHORED = (Attachment, MouseJoint)
"""Joints with an anchor: a mean of rows, which may lie in one fragment only."""


def links_to(entity: int) -> list[Link]:
    """Return the components of the current world that join this entity to others, or hold it from
    elsewhere.
    """
    found: list[Link] = []
    for kind in Component.types:
        if kind.row_owners is not Component.row_owners:
            for holder in sorted(entities_with(kind)):
                component = esper.component_for_entity(holder, kind)
                owners = component.row_owners(holder)
                if entity not in owners:
                    continue
                one = held(component, "entity", UNSET) is not UNSET
                joins = owners != (holder,) or one or bool(held(component, "between"))
                if joins:
                    found.append((kind, holder, component, owners))
    return found


def move_links(entity: int, links: list[Link], plan: Plan, fragments: tuple[int, ...]) -> None:
    """Let the links of a body that has become `fragments` go on at these.

    A link whose rows go to several fragments becomes several links. A joint with an anchor, a
    weighted mean of rows, stays one: it goes on at the fragment that has most of the weight. If the
    anchor lies on an edge of two rows that were separated, the link is removed, with the event
    `link_removed`. A motor goes where the attachment at its entity goes; components that drive a
    link, such as muscles, go with it.
    """
    # Which entities each attachment joins now, by its holder and its owners: motors come last, and
    # look here.
    went: dict[tuple[int, tuple[int, ...]], tuple[int, ...]] = {}
    for kind, holder, component, owners in sorted(links, key=lambda link: link[0] is Motor):
        if kind.drives is not None:
            continue  # it follows the component that it drives
        axle = went.get((holder, owners)) if kind is Motor else None
        divided = _divided(component, entity, owners, plan, fragments, axle)
        if kind is Attachment and divided:
            went[holder, owners] = divided[0][2]
        drivers = [
            type_
            for type_ in Component.types
            if type_.drives is kind and holder in entities_with(type_)
        ]
        if not divided:
            for gone in (kind, *drivers):
                if holder != entity:
                    esper.remove_component(holder, gone)
                esper.dispatch_event("link_removed", holder, gone, entity)
            continue
        driving = {type_: esper.component_for_entity(holder, type_) for type_ in drivers}
        for number, (rows, link, ends) in enumerate(divided):
            moved = {type_: one.along(rows, component, link) for type_, one in driving.items()}
            parts = [link, *(driver for driver in moved.values() if driver is not None)]
            home = holder if holder != entity else next(end for end in ends if end in fragments)
            if (number and holder != entity) or (
                holder == entity and esper.has_component(home, kind)
            ):
                esper.create_entity(*parts)
                continue
            for part in parts:
                esper.add_component(home, part)
            for type_, driver in moved.items():
                if driver is None and holder != entity:
                    esper.remove_component(holder, type_)


def _divided(
    component: Component,
    entity: int,
    owners: tuple[int, ...],
    plan: Plan,
    fragments: tuple[int, ...],
    axle: tuple[int, ...] | None = None,
) -> list[tuple[NDArray[np.int64], Component, tuple[int, ...]]]:
    """Return what becomes of a link: (its rows that go on, new link, entities that it joins now)
    for each set of entities that its rows join.

    owners: the entities that it joined so far. axle: the entities that a motor has to join now, as
    its attachment does; None for other links.
    """
    homes = plan.homes()
    sides = _sides(component, owners)
    columns = declared_columns(type(component)).values()
    together = component.is_one_anchor or any(
        getattr(column, "owned_by", None) for column in columns
    )
    # The rows of the link by the entities that they join: all of them for a motor; all for a link
    # without rows, at the largest fragment; the rows left for a link with one anchor; else row by
    # row, at the first fragment that has the particle.
    groups: dict[tuple[int, ...], list[int]] = {}
    if axle is not None:
        groups = {axle: list(range(component.row_count))}
    elif not component.row_count:
        largest = fragments[
            max(range(len(fragments)), key=lambda number: len(plan.parts[number].points))
        ]
        groups = {tuple(largest if owner == entity else owner for owner in owners): []}
    elif together:
        ends = tuple(
            _anchor_home(component, side, homes, fragments)
            if owners[index] == entity
            else owners[index]
            for index, side in sides
        )
        groups = (
            {} if -1 in ends else {ends: _rows_left(sides, entity, owners, ends, homes, fragments)}
        )
    else:
        for row in range(component.row_count):
            joined = list(owners)
            for index, points in sides:
                if owners[index] == entity:
                    joined[index] = fragments[homes[int(points[row])][0]]
            groups.setdefault(tuple(joined), []).append(row)
    return [
        (
            np.array(rows, np.int64),
            _rewritten(component, entity, rows, owners, ends, plan, fragments),
            ends,
        )
        for ends, rows in groups.items()
    ]


def _rows_left(
    sides: Sides,
    entity: int,
    owners: tuple[int, ...],
    ends: tuple[int, ...],
    homes: dict[int, list[int]],
    fragments: tuple[int, ...],
) -> list[int]:
    """Return the rows of a link with one anchor whose particles are at its new ends.

    ends: the entities that it joins now, in the order of `owners`. homes: the parts of each point.
    """
    left: list[int] = []
    for index, points in sides:
        for row in flatnonzero(points >= 0).tolist():
            if owners[index] != entity or fragments.index(ends[index]) in homes[int(points[row])]:
                left.append(row)
    return sorted(left)


def _sides(component: Component, owners: tuple[int, ...]) -> Sides:
    """Return for every column of a link that refers to particles whose they are, see Sides."""
    found: Sides = []
    for name, column in declared_columns(type(component)).items():
        if column.rows_of_particles:
            rows = getattr(component, name).astype(np.int64).reshape(component.row_count, -1)
            side = getattr(column, "owned_by", None)
            for index in range(len(owners)):
                if side:
                    found.append(
                        (index, np.where(getattr(component, side) == index, rows[:, 0], -1))
                    )
                else:
                    found.append((index, rows[:, min(index, rows.shape[1] - 1)]))
    return found


def _anchor_home(
    component: Component,
    points: NDArray[np.int64],
    homes: dict[int, list[int]],
    fragments: tuple[int, ...],
) -> int:
    """Return the first fragment that has all particles of an anchor, else the one with most of its
    weight; -1 for an anchor of at most two particles that are separated, or a link without one.

    points (rows,): the anchor's particles, -1 for rows of the other side. homes: see `_rows_left`.
    """
    rows = flatnonzero(points >= 0).tolist()
    share = [0.0] * len(fragments)
    for number, fragment in enumerate(fragments):
        here = [row for row in rows if number in homes[int(points[row])]]
        if len(here) == len(rows):
            return fragment
        share[number] = (
            float(sum(component.weight[row] for row in here))
            if isinstance(component, ANCHORED)
            else 0.0
        )
    if len(rows) <= EDGE or not isinstance(component, ANCHORED):
        return -1
    return fragments[int(np.argmax(share))]


def _place_anew(
    link: Any, component: Attachment | MouseJoint, entity: int, owners: tuple[int, ...]
) -> None:
    """Let the weights of an anchor that has lost rows be found again, for its present position."""
    link.value_arrays["placed"][:] = False
    if (
        not isinstance(component, Attachment)
        or not component.value_arrays["to_world"][component.slot]
    ):
        theirs = component.side == owners.index(entity)
        position = esper.component_for_entity(entity, Particles).position[component.rows[theirs]]
        link.value_arrays["at"][:] = dot(component.weight[theirs], position)


def _rewritten(
    component: Component,
    entity: int,
    rows: list[int],
    owners: tuple[int, ...],
    ends: tuple[int, ...],
    plan: Plan,
    fragments: tuple[int, ...],
) -> Component:
    """Return a copy of a link with some of its `rows`, between the entities `ends`, in which
    particles are counted as the fragments count them.
    """
    link: Any = component.copied(np.array(rows, np.int64))
    link.refer_to(ends)
    if isinstance(component, ANCHORED) and len(rows) < component.row_count:
        _place_anew(link, component, entity, owners)
    for name, column in declared_columns(type(component)).items():
        if column.rows_of_particles:
            counted = link.row_arrays[name].reshape(len(rows), -1)
            side = getattr(column, "owned_by", None)
            for index, end in enumerate(ends):
                if owners[index] == entity:
                    local = plan.parts[fragments.index(end)].local
                    theirs = getattr(link, side) == index if side else np.ones(len(rows), np.bool_)
                    along = 0 if side else min(index, counted.shape[1] - 1)
                    for row in flatnonzero(theirs):
                        counted[row, along] = local.get(int(counted[row, along]), 0)
    rewritten: Component = link
    return rewritten
