"""Esper access: reads and writes the contents of the current esper world, where esper's own
functions are slow or missing.

esper keeps its current world in variables of its module. No other file uses its private names;
docs/decisions/0004-dependencies.md lists and explains them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import esper

from ecs_softbody.storage.component import Component, held


def entities_with(component_type: type[Component]) -> set[int]:
    """Return the entities of the current world that have a component of this class.

    esper itself only builds a list of all of them (80 ns an entity, for every class, after every
    change); its set of owners is read directly, with the public query as the fallback.
    """
    owners: dict[type[Any], set[int]] | None = getattr(esper, "_components", None)
    if owners is None:
        return {entity for entity, _ in esper.get_component(component_type)}
    return owners.get(component_type, set())


def world_that_holds(component: Component) -> str | None:
    """Return the world where an entity has this component, or None for a component that is free.

    A world whose simulation has packed the component holds it until the next packing there.
    """
    holder = held(component, "holder")
    if holder is None:
        return None
    world: str
    world, entity = holder
    before = esper.current_world
    if world == before:
        return world if _has(entity, component) else None
    if component.table is not None:
        return world
    if world not in esper.list_worlds():
        return None
    esper.switch_world(world)
    try:
        return world if _has(entity, component) else None
    finally:
        esper.switch_world(before)


def _has(entity: int, component: Component) -> bool:
    """Return whether an entity of the current world has this very component."""
    return esper.entity_exists(entity) and esper.try_component(entity, type(component)) is component


def replaced_in(
    kind: type[Component], entities: set[int], known: dict[int, Component]
) -> dict[int, Component]:
    """Return the current components of a class for the entities where they differ from the known
    ones.
    """
    of: dict[int, dict[type[Any], Any]] | None = getattr(esper, "_entities", None)
    if of is None:
        now = dict(esper.get_component(kind))
        return {entity: now[entity] for entity in entities if now[entity] is not known[entity]}
    return {
        entity: of[entity][kind] for entity in entities if of[entity][kind] is not known[entity]
    }


def replace_processors(others: dict[int, esper.Processor]) -> None:
    """Replace processors of the current world, given by their identities, by others in the same
    places.

    esper can only remove and add, which would move them behind user-defined processors of the same
    priority.
    """
    by_class = esper._processors_dict
    for place, processor in enumerate(esper._processors):
        if (other := others.get(id(processor))) is not None:
            other.priority = processor.priority
            esper._processors[place] = by_class[type(other)] = other


def forget_unknown_deletions() -> list[int]:
    """Return entities marked for deletion in the current world that do not exist, and take the
    marks away.

    esper would raise KeyError for them in this and in every later `process`.
    """
    marked: set[int] = getattr(esper, "_dead_entities", set())
    unknown = marked - set(esper.get_entities()) if marked else set()
    marked -= unknown
    return sorted(unknown)


def marked_for_deletion() -> set[int]:
    """Return the entities of the current world that the next `esper.process` will delete."""
    marked: set[int] = getattr(esper, "_dead_entities", set())
    return set(marked)


def mark_for_deletion(entities: Iterable[int]) -> None:
    """Let the next `esper.process` delete these entities of the current world, and no others."""
    esper._dead_entities.clear()
    esper._dead_entities.update(entities)


def components_by_entity() -> dict[int, dict[type[Any], Any]]:
    """Return the components of each entity of the current world, by class: esper's own dicts, which
    must not be changed.
    """
    found: dict[int, dict[type[Any], Any]] = esper._entities
    return found


def entities_by_class() -> dict[type[Any], set[int]]:
    """Return the entities of the current world that have a component of each class: esper's own, as
    above.
    """
    found: dict[type[Any], set[int]] = esper._components
    return found


def put_entities(
    entities: dict[int, dict[type[Any], Any]], owners: dict[type[Any], set[int]]
) -> None:
    """Replace all entities of the current world; `owners` has the same data by class.

    The inner dicts and sets belong to esper from then on.
    """
    esper._entities.clear()
    esper._entities.update(entities)
    esper._components.clear()
    esper._components.update(owners)
    esper.clear_cache()


def world_processors() -> list[Any]:
    """Return the processors of the current world in their order: esper's own list, which must not
    be changed.
    """
    found: list[Any] = esper._processors
    return found


def entity_numbers() -> itertools.count[int]:
    """Return the counter of entity numbers of the current world; `next` would consume a number."""
    return esper._entity_count


def set_entity_counter(number: int) -> None:
    """Give the next entity of the current world this number."""
    esper._entity_count = itertools.count(number)
    world: Any = esper.current_world
    # Switching, even to the same world, writes the counter into esper's record of the world.
    esper.switch_world(world)
