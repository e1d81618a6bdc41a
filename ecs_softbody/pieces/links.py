"""Links to pieces: what joins a body to others goes on, at the piece that has its rows."""

from __future__ import annotations

from typing import Any

import esper
import numpy as np

from ecs_softbody.pieces.components import renumbered
from ecs_softbody.pieces.plan import Plan
from ecs_softbody.storage import Component, declared_columns, entities_with

Link = tuple[type[Component], int, Component, tuple[int, ...]]
"""(class, entity that it sits on, component, entities that its rows count)."""


def links_to(entity: int) -> list[Link]:
    """Return the components of the current world that count rows of this entity and of another one, or sit elsewhere."""
    found: list[Link] = []
    for kind in Component.types:
        if kind.row_owners is not Component.row_owners:
            for holder in sorted(entities_with(kind)):
                component = esper.component_for_entity(holder, kind)
                owners = component.row_owners(holder)
                if entity in owners and owners != (holder,):
                    found.append((kind, holder, component, owners))
    return found


def move_links(entity: int, links: list[Link], plan: Plan, pieces: tuple[int, ...]) -> None:
    """Put the links of a body that has become `pieces` on them; one whose rows part becomes several."""
    for kind, holder, component, owners in links:
        divided = _divided(component, entity, owners, plan, pieces)
        if holder == entity:
            for link, ends in divided:
                _settle(kind, link, next(end for end in ends if end in pieces))
        elif [ends for _, ends in divided] != [owners]:
            esper.add_component(holder, divided[0][0])
            for link, _ in divided[1:]:
                esper.create_entity(link)


def _settle(kind: type[Component], link: Component, piece: int) -> None:
    """Put a link that sat on the body itself on a piece, or on an entity of its own where the piece has one."""
    if esper.has_component(piece, kind):
        esper.create_entity(link)
    else:
        esper.add_component(piece, link)


def _divided(
    component: Component, entity: int, owners: tuple[int, ...], plan: Plan, pieces: tuple[int, ...]
) -> list[tuple[Component, tuple[int, ...]]]:
    """Return a link for each set of entities that its rows now join."""
    homes = plan.homes()
    names = [name for name, column in declared_columns(type(component)).items() if column.rows_of_particles]
    groups: dict[tuple[int, ...], list[int]] = {}
    for row in range(component.row_count):
        ends = list(owners)
        for name in names:
            for place, point in enumerate(np.atleast_1d(getattr(component, name)[row]).tolist()):
                if owners[place] == entity:
                    ends[place] = pieces[homes[point][0]]
        groups.setdefault(tuple(ends), []).append(row)
    made: list[tuple[Component, tuple[int, ...]]] = []
    for ends_of_group, rows in groups.items():
        link: Any = component.copied(np.array(rows))
        link.between = ends_of_group
        for name in names:
            columns = link.row_arrays[name].reshape(len(rows), -1)
            for place, end in enumerate(ends_of_group):
                if owners[place] == entity:
                    columns[:, place] = renumbered(columns[:, place], plan.parts[pieces.index(end)])
        made.append((link, ends_of_group))
    return made
