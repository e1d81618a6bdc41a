"""What the current esper world holds, where esper itself answers slowly or not at all."""

from __future__ import annotations

from typing import Any

import esper

from ecs_softbody.storage.component import Component


def entities_with(component_type: type[Component]) -> set[int]:
    """Return the entities of the current world that have a component of this class.

    esper answers this only by building a list of all of them (80 ns an entity, for every class, after every
    change); its set of owners is read directly, with the public query as the fallback.
    """
    owners: dict[type[Any], set[int]] | None = getattr(esper, "_components", None)
    if owners is None:
        return {entity for entity, _ in esper.get_component(component_type)}
    return owners.get(component_type, set())


def replaced_in(kind: type[Component], entities: set[int], known: dict[int, Component]) -> dict[int, Component]:
    """Return what these entities of the current world have of a class instead of what is known."""
    of: dict[int, dict[type[Any], Any]] | None = getattr(esper, "_entities", None)
    if of is None:
        now = dict(esper.get_component(kind))
        return {entity: now[entity] for entity in entities if now[entity] is not known[entity]}
    return {entity: of[entity][kind] for entity in entities if of[entity][kind] is not known[entity]}


def replace_processors(others: dict[int, esper.Processor]) -> None:
    """Put processors in the places of others in the current world, given by the identities of those.

    esper can remove and add, which would move them behind the game's own of the same priority.
    """
    by_class: dict[type[Any], esper.Processor] = getattr(esper, "_processors_dict", {})
    for place, processor in enumerate(esper._processors):
        if (other := others.get(id(processor))) is not None:
            other.priority = processor.priority
            esper._processors[place] = by_class[type(other)] = other


def forget_unknown_deletions() -> list[int]:
    """Return entities marked for deletion in the current world that do not exist, and take the marks away.

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
