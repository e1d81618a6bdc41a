"""Links to pieces: what joins a body to others goes on, at the piece that has its rows."""

from __future__ import annotations

from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.pieces.plan import Plan
from ecs_softbody.storage import Component, declared_columns, entities_with

Link = tuple[type[Component], int, Component, tuple[int, ...]]
"""(class, entity that it sits on, component, entities that its rows count)."""


def links_to(entity: int) -> list[Link]:
    """Return the components of the current world that join this entity to others, or hold it from elsewhere."""
    found: list[Link] = []
    for kind in Component.types:
        if kind.row_owners is not Component.row_owners:
            for holder in sorted(entities_with(kind)):
                component = esper.component_for_entity(holder, kind)
                owners = component.row_owners(holder)
                joins = owners != (holder,) or hasattr(component, "entity") or bool(getattr(component, "between", None))
                if entity in owners and joins:
                    found.append((kind, holder, component, owners))
    return found


def move_links(entity: int, links: list[Link], plan: Plan, pieces: tuple[int, ...]) -> None:
    """Put the links of a body that has become `pieces` on them; one whose rows part becomes several.

    A link with an anchor whose rows part is removed, with the event `link_removed`.
    """
    for kind, holder, component, owners in links:
        if kind.drives is not None:
            continue  # it goes along with what it drives
        divided = _divided(component, entity, owners, plan, pieces)
        drivers = [type_ for type_ in Component.types if type_.drives is kind and holder in entities_with(type_)]
        if not divided:
            for gone in (kind, *drivers):
                if holder != entity:
                    esper.remove_component(holder, gone)
                esper.dispatch_event("link_removed", holder, gone, entity)
            continue
        driving = {type_: esper.component_for_entity(holder, type_) for type_ in drivers}
        for number, (rows, link, ends) in enumerate(divided):
            moved = {type_: driver.along(rows, link) for type_, driver in driving.items()}
            parts = [link, *(driver for driver in moved.values() if driver is not None)]
            home = holder if holder != entity else next(end for end in ends if end in pieces)
            if (number and holder != entity) or (holder == entity and esper.has_component(home, kind)):
                esper.create_entity(*parts)
                continue
            for part in parts:
                esper.add_component(home, part)
            for type_, driver in moved.items():
                if driver is None and holder != entity:
                    esper.remove_component(holder, type_)


def _divided(
    component: Component, entity: int, owners: tuple[int, ...], plan: Plan, pieces: tuple[int, ...]
) -> list[tuple[NDArray[np.int64], Component, tuple[int, ...]]]:
    """Return (its rows, the new link, whom it joins) for each set of entities that the rows now join."""
    homes, sides = plan.homes(), _sides(component, owners)
    columns = declared_columns(type(component)).values()
    together = component.is_one_anchor or any(getattr(column, "owned_by", None) for column in columns)
    groups: dict[tuple[int, ...], list[int]] = {}
    if not component.row_count:
        largest = pieces[max(range(len(pieces)), key=lambda number: len(plan.parts[number].points))]
        groups = {tuple(largest if owner == entity else owner for owner in owners): []}
    elif together:
        ends = tuple(
            _common_home(sides, place, homes, pieces) if owner == entity else owner
            for place, owner in enumerate(owners)
        )
        groups = {} if -1 in ends else {ends: list(range(component.row_count))}
    else:
        for row in range(component.row_count):
            joined = list(owners)
            for place, points in sides:
                if owners[place] == entity:
                    joined[place] = pieces[homes[int(points[row])][0]]
            groups.setdefault(tuple(joined), []).append(row)
    return [
        (np.array(rows, np.int64), _rewritten(component, entity, rows, owners, ends, plan, pieces), ends)
        for ends, rows in groups.items()
    ]


def _sides(component: Component, owners: tuple[int, ...]) -> list[tuple[int, NDArray[np.int64]]]:
    """Return (place of the owner, its rows) for every column of particle rows, -1 for rows of other owners."""
    found: list[tuple[int, NDArray[np.int64]]] = []
    for name, column in declared_columns(type(component)).items():
        if column.rows_of_particles:
            rows = getattr(component, name).astype(np.int64).reshape(component.row_count, -1)
            side = getattr(column, "owned_by", None)
            for place in range(len(owners)):
                if side:
                    found.append((place, np.where(getattr(component, side) == place, rows[:, 0], -1)))
                else:
                    found.append((place, rows[:, min(place, rows.shape[1] - 1)]))
    return found


def _common_home(
    sides: list[tuple[int, NDArray[np.int64]]], place: int, homes: dict[int, list[int]], pieces: tuple[int, ...]
) -> int:
    """Return the first piece that has all rows of an owner, or -1."""
    points = [int(point) for side, rows in sides if side == place for point in rows if point >= 0]
    return next((piece for number, piece in enumerate(pieces) if all(number in homes[p] for p in points)), -1)


def _rewritten(
    component: Component,
    entity: int,
    rows: list[int],
    owners: tuple[int, ...],
    ends: tuple[int, ...],
    plan: Plan,
    pieces: tuple[int, ...],
) -> Component:
    """Return a link with some rows of this one, between these entities, counting the rows of pieces."""
    link: Any = component.copied(np.array(rows, np.int64))
    link.refer_to(ends)
    for name, column in declared_columns(type(component)).items():
        if column.rows_of_particles:
            counted = link.row_arrays[name].reshape(len(rows), -1)
            side = getattr(column, "owned_by", None)
            for place, end in enumerate(ends):
                if owners[place] == entity:
                    local = plan.parts[pieces.index(end)].local
                    theirs = getattr(link, side) == place if side else np.ones(len(rows), np.bool_)
                    along = 0 if side else min(place, counted.shape[1] - 1)
                    for row in np.flatnonzero(theirs):
                        counted[row, along] = local[int(counted[row, along])]
    rewritten: Component = link
    return rewritten
