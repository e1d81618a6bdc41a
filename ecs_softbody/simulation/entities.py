"""WorldEntities: the methods of a Simulation that find entities, their components and their place:
`get`, `has`, `exists`, `entities`, `center`, `pick`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import esper

from ecs_softbody.arrays import Floats
from ecs_softbody.components import ALL, Particles, StaticCollider
from ecs_softbody.errors import FieldError, FieldTypeError
from ecs_softbody.simulation.queries import WorldQueries
from ecs_softbody.simulation.world import World
from ecs_softbody.storage import marked_for_deletion
from ecs_softbody.storage.holding import inside
from ecs_softbody.validation import did_you_mean

Kind = TypeVar("Kind")


class WorldEntities:
    """Finds entities and their components, always in the world of its Simulation."""

    def __init__(self, world: World, queries: WorldQueries) -> None:
        self._world = world
        self._queries = queries

    @inside
    def get(self, entity: int, kind: type[Kind]) -> Kind:
        """Return the component of a class that an entity has: `sim.get(hero, Particles).velocity`.

        Raises:
            ValueError: if the entity does not exist here, or has no such component; the message
                lists its components.
        """
        self._world.check_own("get", entity)
        self._world.check_exists("get", entity)
        _check_kind("get", kind)
        component = esper.try_component(entity, kind)
        if component is None:
            allowed = f"a component that entity {entity} has: {_has(entity)}"
            raise FieldError("Simulation.get", "kind", kind, allowed, in_words=kind.__name__)
        found: Kind = component
        return found

    @inside
    def has(self, entity: int, *kinds: type[Any]) -> bool:
        """Return whether an entity exists and has components of all these classes.

        Raises:
            ValueError: when the entity is one of another simulation.
        """
        for kind in kinds:
            _check_kind("has", kind)
        self._world.check_own("has", entity)
        return esper.entity_exists(entity) and all(
            esper.has_component(entity, kind) for kind in kinds
        )

    @inside
    def exists(self, entity: int) -> bool:
        """Return whether there is such an entity; not once it is despawned, although that happens
        in the next step.

        Raises:
            ValueError: when the entity is one of another simulation.
        """
        self._world.check_own("exists", entity)
        return bool(esper.entity_exists(entity))

    @inside
    def entities(self, *kinds: type[Any]) -> list[int]:
        """Return the entities that have components of all these classes, in the order of their
        numbers.

        Without a class: all of them. `for entity in sim.entities(Particles, Enemy): ...` may spawn
        and despawn.
        """
        for kind in kinds:
            _check_kind("entities", kind)
        found = (
            {entity for entity, _ in esper.get_components(*kinds)}
            if kinds
            else set(esper.get_entities())
        )
        return [self._world.entity(entity) for entity in sorted(found - marked_for_deletion())]

    @inside
    def center(self, entity: int) -> Floats:
        """Return the centre of mass of a body, or the mean corner of a StaticCollider, shape (2,)
        [m], a copy.

        Raises:
            ValueError: when the entity does not exist here, or has neither.
        """
        self._world.check_entity("center", entity)
        body = esper.try_component(entity, Particles)
        wall = esper.try_component(entity, StaticCollider)
        if body is not None:
            return body.center
        if wall is not None:
            middle: Floats = wall.vertices.mean(axis=0)
            return middle
        raise ValueError(
            f"Simulation.center: entity {entity} has neither Particles nor a StaticCollider; "
            f"it has {_has(entity)}"
        )

    def pick(
        self,
        point: Any,
        *,
        radius: float = 0.0,
        mask: int = ALL,
        ignore: int | Iterable[int] = (),
        sensors: bool = False,
    ) -> int | None:
        """Return the entity at a point [m], the deepest there, or the nearest within `radius` [m];
        None for none.

        `sim.pick(controls.pointer)` is the body under the mouse. The options are the same as for
        `point_query`.
        """
        hits = self._queries.point_query(
            point, radius=radius, mask=mask, ignore=ignore, sensors=sensors
        )
        return self._world.entity(hits[0].entity) if hits else None


def _has(entity: int) -> str:
    """Return the names of the components of an entity of the current world."""
    components: tuple[Any, ...] = esper.components_for_entity(entity)
    return ", ".join(sorted(type(component).__name__ for component in components)) or "nothing"


def _check_kind(method: str, kind: type[Any]) -> None:
    """Raise TypeError unless it is a class."""
    if not isinstance(kind, type):
        meant = did_you_mean(kind, ("Particles", "Springs", "Collider"))
        raise FieldTypeError(
            f"Simulation.{method}", "", kind, f"the class of a component, as Particles{meant}"
        )
