"""PackedBuffers: the tables of a world, with all rows of all entities of a component class in one
contiguous array per column.

Games add, replace and remove components in esper at any time. `synchronise`, called first in each
substep, finds the differences and packs them. A component on one entity may count particles of
others (springs or joints between bodies): it is called a link here, its entity the holder, and the
entities with the particles its owners. When an owner is gone, the link is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.errors import FieldError
from ecs_softbody.indices import argwhere
from ecs_softbody.storage.changes import Changes, by_type
from ecs_softbody.storage.columns import declared_columns, owned
from ecs_softbody.storage.component import Component, held
from ecs_softbody.storage.esper_access import entities_with, replaced_in, world_that_holds
from ecs_softbody.storage.resource import Members, Resource, Version, Whole
from ecs_softbody.storage.saved import Saved
from ecs_softbody.storage.store import Replaced, rows_of
from ecs_softbody.storage.table import UINT, Table

Bound = TypeVar("Bound", bound=Component)


class _Unused:
    """A component class that no entity has. esper caches the list of entities of each class until
    any component comes or goes: the same (empty) list means that nothing has changed.
    """


class PackedBuffers(Resource):
    """The tables of one world, kept in sync with esper: `buffers[Springs]` is a Table.

    Caches of the stages carry the number of the state that they were made from: `version` changes
    with the structure (components came, went or moved), `strength_version` when any effective
    stiffness or damping was written, `replaced.count` when any view of a column was replaced.
    `frame_start` is True in the first substep of a frame: values that a game has written are looked
    for there.
    """

    made = ("replaced",)
    saved = (
        Version("version", "Counts changes of structure.", least=0),
        Version(
            "strength_version", "Counts changes of the strength that a substep carries.", least=0
        ),
        Members("changed_entities", "Entities whose strength has changed.", Whole(""), set),
        Members("restructured", "Entities whose components came or went.", Whole(""), set),
    )

    def __init__(self, particles: type[Component]) -> None:
        self.particles_type = particles
        self.replaced = Replaced()
        self.tables: dict[type[Component], Table] = {particles: Table(particles, self.replaced)}
        self.version = 0
        self.strength_version = 0
        self.frame_start = True
        self.changed_entities: set[int] = set()
        """Entities whose springs or masses changed: the stage at Order.SATURATION computes their
        strengths and clears the set.
        """
        self.restructured: set[int] = set()
        """Entities with added or removed components: the stage at Order.WAKING wakes them and
        clears the set.
        """
        self.before_packing: list[Callable[[], None]] = []
        """Calls to make once, before changes are packed: removed bodies pass on their events."""
        self._seen: list[Any] | None = None
        """esper's list for `_Unused` at the last packing."""
        self._referrers: dict[int, set[tuple[type[Component], int]]] = {}
        """For each owner the links to it, as (component class, holder)."""

    def __getitem__(self, component_type: type[Component]) -> Table:
        if component_type not in self.tables:
            self.tables[component_type] = Table(component_type, self.replaced)
        return self.tables[component_type]

    def expose(self) -> None:
        """Note that the packed arrays themselves were handed out, and any of them may be written to
        from now on.
        """
        if not self.replaced.are_all_exposed:
            self.replaced.are_all_exposed = True
            self.replaced.exposed += 1

    def components(self, component_type: type[Bound]) -> dict[int, Bound]:
        """Return the components of a class by entity, as of the last `synchronise`."""
        return cast("dict[int, Bound]", self[component_type].bound)

    @property
    def is_current(self) -> bool:
        """Whether nothing was added or removed in the current esper world since the last
        `synchronise`.
        """
        # One test of identity is enough in a substep: esper replaces the empty list of an unused
        # class whenever anything came or went.
        return esper.get_component(_Unused) is self._seen

    def take_as_packed(self) -> None:
        """Treat the current contents of the esper world as packed: they were restored together with
        the buffers.
        """
        self._seen = esper.get_component(_Unused)

    def load(self, saved: Saved, order: Iterable[int] = ()) -> None:
        """Link the components of a file, which have their places already, and recompute the columns
        derived from these places.

        order: the owners of links, in the order in which they became known; dicts keep it.

        Raises:
            ValueError: if a component counts rows that do not exist.
        """
        super().load(saved)
        self._referrers = {owner: set() for owner in order}
        for kind, table in self.tables.items():
            slots = [component.slot for component in table.bound.values()]
            table.values.arrays["entity"][slots] = list(table.bound)
            table.values.arrays["first"][slots] = [
                component.row_start for component in table.bound.values()
            ]
            table.values.arrays["last"][slots] = [
                component.row_stop for component in table.bound.values()
            ]
            for entity, component in table.bound.items():
                self.check_rows(entity, component)
                for owner in component.row_owners(entity) if kind.needs_particles else ():
                    if owner != entity:
                        self._referrers.setdefault(owner, set()).add((kind, entity))
        for body in self.tables[self.particles_type].bound.values():
            body.row_arrays["body"][body.row_start : body.row_stop] = body.slot
        self._link(
            {(kind, entity) for kind, table in self.tables.items() for entity in table.bound}
        )

    def synchronise(self) -> bool:
        """Pack all changes in the current esper world since the last call; True if there were any.

        Raises ValueError, and changes nothing, where a new component does not fit its entity.
        """
        if self.is_current:
            return False
        # Rows of a replaced body still exist: changes of it in this substep are handed to its
        # fragments.
        while self.before_packing:
            self.before_packing.pop(0)()
        # Dead links go before the search for changes: a link that goes is one of them.
        self._drop_dead_links()
        changes = self._find_changes()
        if changes.added or changes.removed:
            try:
                # All is checked before anything is packed: an error leaves the world as it was.
                self._check(changes)
            except ValueError as error:
                entity = error.place.entity if isinstance(error, FieldError) else None
                error.add_note(
                    "Every step says so until you replace the component, or "
                    f"sim.despawn({'entity' if entity is None else entity})"
                )
                raise
            self._apply(changes)
        self._seen = esper.get_component(_Unused)
        return bool(changes.added or changes.removed)

    def links(self, component_type: type[Component], entity: int) -> list[tuple[Component, int]]:
        """Components of this class on other entities that refer to `entity`, each with the entity
        it sits on.
        """
        return [
            (self.tables[kind].bound[holder], holder)
            for kind, holder in sorted(self._referrers.get(entity, ()), key=lambda entry: entry[1])
            if kind is component_type
        ]

    def links_between(self) -> list[tuple[Component, tuple[int, ...]]]:
        """Return the components that refer to Particles of other entities, each with all the
        entities it refers to.
        """
        members = {member for members in self._referrers.values() for member in members}
        return [
            (self.tables[kind].bound[holder], self.tables[kind].bound[holder].row_owners(holder))
            for kind, holder in sorted(members, key=lambda member: (member[1], member[0].__name__))
        ]

    def unpack_all(self) -> None:
        """Give every component its own arrays back; none of them is `loose`, for which other worlds
        would pay.
        """
        for table in self.tables.values():
            if table.bound:
                table.unbind(list(table.bound))
        self._referrers.clear()
        self._seen = None

    def _find_changes(self) -> Changes:
        """Return the components that came into the esper world, or left it, since the last packing;
        a replaced one did both. Links to entities that do not exist are removed from esper at once.
        """
        changes = Changes()
        for component_type in Component.types:
            # This is the set of esper itself: its public query builds a list of all entities for
            # each class after each change, 80 ns an entity.
            owners = entities_with(component_type)
            table = self.tables.get(component_type)
            known = table.entities if table else frozenset()
            new = owners - known
            if table and len(owners) - len(new) < len(known):
                gone_entities = sorted(known - owners)
                changes.removed += [
                    (component_type, entity, table.bound[entity]) for entity in gone_entities
                ]
            # Entities are sorted, as sets have no order of their own, on which rows would depend.
            # They are plain numbers from here on: esper has kept what the game gave to it.
            for entity in sorted(map(int, new)):
                component = esper.component_for_entity(entity, component_type)
                gone = [
                    owner
                    for owner in component.row_owners(entity)
                    if not esper.entity_exists(owner)
                ]
                if gone:
                    self._remove_link(component_type, entity, gone[0])
                else:
                    changes.added.append((component_type, entity, component))
            # Finding replaced components takes a look at every entity: this runs only where
            # unpacked ones exist.
            if table and component_type.loose:
                added = {id(component) for _, _, component in changes.added}
                if any(id(component) not in added for component in component_type.loose):
                    self._find_replaced(table, owners & known, changes)
        return changes

    def _find_replaced(self, table: Table, entities: set[int], changes: Changes) -> None:
        """Add to `changes` the components of these entities that esper has another object for."""
        kind = table.component_type
        for given, component in sorted(replaced_in(kind, entities, table.bound).items()):
            entity = int(given)
            changes.removed.append((kind, entity, table.bound[entity]))
            gone = [
                owner for owner in component.row_owners(entity) if not esper.entity_exists(owner)
            ]
            if gone:
                self._remove_link(kind, entity, gone[0])
            else:
                changes.added.append((kind, entity, component))

    def _drop_dead_links(self) -> None:
        """Remove the links to entities that are gone, with an event `link_removed` for each."""
        alive = entities_with(self.particles_type)
        for gone in [entity for entity in self._referrers if entity not in alive]:
            for component_type, entity in sorted(
                self._referrers.pop(gone), key=lambda entry: entry[1]
            ):
                if entity in entities_with(component_type):
                    link = esper.component_for_entity(entity, component_type)
                    # The link may have been replaced by one to another entity.
                    if gone in link.row_owners(entity):
                        self._remove_link(component_type, entity, gone)

    @staticmethod
    def _remove_link(component_type: type[Component], entity: int, gone: int) -> None:
        """Remove a link from its holder, and what drives it, such as the Muscles of Springs."""
        esper.remove_component(entity, component_type)
        esper.dispatch_event("link_removed", entity, component_type, gone)
        for kind in Component.types:
            if kind.drives is component_type and entity in entities_with(kind):
                esper.remove_component(entity, kind)
                esper.dispatch_event("link_removed", entity, kind, gone)

    def _check(self, changes: Changes) -> None:
        """Raise ValueError where a new component is on two entities, does not fit its entity, or
        counts particles that are not there; also where new Particles lack rows that others count.
        """
        gone = {id(component) for _, _, component in changes.removed}
        claimed: dict[int, int] = {}
        for component_type, entity, component in changes.added:
            name = component_type.__name__
            is_packed = component.table is not None and id(component) not in gone
            if is_packed or id(component) in claimed or _is_elsewhere(component):
                raise FieldError(
                    name,
                    "",
                    component,
                    f"one {name} per entity, or a copy: copy.copy(component)",
                    in_words="an instance that belongs to another entity already",
                    entity=entity,
                )
            claimed[id(component)] = entity
            component.check_fit(entity)
            self.check_rows(entity, component)
        for entity in changes.replaced(self.particles_type):
            for dependent_type, dependent in self._dependents(entity):
                bound = self.tables[dependent_type].bound.get(dependent)
                if bound is not None and id(bound) not in gone:
                    self.check_rows(dependent, bound)
        for component_type, entity, _ in changes.removed:
            if component_type is self.particles_type:
                self._check_not_needed(entity)

    def _check_not_needed(self, entity: int) -> None:
        """Raise ValueError if an entity has lost its Particles, but not a component that needs
        them.
        """
        if entity not in entities_with(self.particles_type):
            for component_type in Component.types:
                component = esper.try_component(entity, component_type)
                if component is not None:
                    self.check_rows(entity, component)

    def check_rows(self, entity: int, component: Component) -> None:
        """Raise ValueError unless every owner has Particles and every row counted is one
        of theirs.
        """
        kind = type(component)
        if not kind.needs_particles:
            return
        counts = []
        for owner in component.row_owners(entity):
            if owner not in entities_with(self.particles_type):
                raise FieldError(
                    kind.__name__,
                    "",
                    owner,
                    "them on the same entity" if owner == entity else "them there",
                    wrong="there are no Particles"
                    if owner == entity
                    else f"entity {owner} has no Particles",
                    entity=entity,
                )
            counts.append(esper.component_for_entity(owner, self.particles_type).row_count)
        for name, column in declared_columns(kind).items():
            if column.rows_of_particles:
                rows = component.row_arrays[name][component.row_start : component.row_stop]
                if not rows.size or (rows.max() < min(counts) and rows.min() >= 0):
                    continue
                limits = np.broadcast_to(
                    owned(component, column.owned_by, np.array(counts, np.int64)), rows.shape
                )
                bad = argwhere((rows < 0) | (rows >= limits))
                if len(bad):
                    limit = limits[tuple(bad[0])]
                    raise FieldError(
                        kind.__name__,
                        name,
                        rows[tuple(bad[0])],
                        f"rows of Particles, 0 to {limit - 1}",
                        entity=entity,
                        row=int(bad[0][0]),
                    )

    def _dependents(self, entity: int) -> set[tuple[type[Component], int]]:
        """Return the components that count particles of an entity, as (class, entity): its own, and
        links.
        """
        own = {
            (kind, entity)
            for kind, table in self.tables.items()
            if entity in table.bound and kind.needs_particles
        }
        return own | self._referrers.get(entity, set())

    def _apply(self, changes: Changes) -> None:
        """Move rows out of the tables and into them, then write the packed rows of everything that
        refers to a body that moved.
        """
        relink: set[tuple[type[Component], int]] = set()
        # Removed components go before the new ones come: a block that becomes free serves a new
        # component of the same size.
        for component_type, members in by_type(changes.removed):
            component_type.loose.update(
                self.tables[component_type].unbind([entity for entity, _ in members])
            )
        # All components of a class are bound at once: spawning a blob takes 110 µs this way, 160
        # one by one.
        for component_type, members in by_type(changes.added):
            self[component_type].bind(members)
        for component_type, entity, component in changes.removed:
            for owner in map(int, component.row_owners(entity)):
                self._referrers.get(owner, set()).discard((component_type, entity))
                self.changed_entities.add(owner)
                self.restructured.add(owner)
        for component_type, entity, component in changes.added:
            relink.add((component_type, entity))
            owners = component.row_owners(entity) if component_type.needs_particles else ()
            for owner in map(int, owners):  # a game may have written `between` itself
                self.changed_entities.add(owner)
                self.restructured.add(owner)
                if owner != entity:
                    self._referrers.setdefault(owner, set()).add((component_type, entity))
        for entity in changes.replaced(self.particles_type):
            relink |= self._dependents(entity)
        # Tables are compacted before links are written: these count packed rows, which compaction
        # moves.
        moved = [table.compact() for table in self.tables.values()]
        if any(moved):
            self._link(
                {(kind, entity) for kind, table in self.tables.items() for entity in table.bound}
            )
        else:
            self._link(relink)
        for kind, entity in sorted(relink, key=lambda member: (member[1], member[0].__name__)):
            if entity in self.tables[kind].bound:
                self.tables[kind].bound[entity].complete(self.tables[self.particles_type].rows)
        self.version = self.replaced.new_version()

    def _link(self, members: Iterable[tuple[type[Component], int]]) -> None:
        """Write the packed rows of components, given as (class, entity), that count particles."""
        entities: dict[type[Component], list[int]] = {}
        for component_type, entity in members:
            if component_type.needs_particles and entity in self.tables[component_type].bound:
                entities.setdefault(component_type, []).append(entity)
        for component_type, holders in entities.items():
            self._link_rows(self.tables[component_type], holders)

    def _link_rows(self, table: Table, entities: list[int]) -> None:
        """Write, for components of one class, where the particles of the first owner are, and each
        `packed_` column: packed row = local row + first row of its owner.
        """
        particles = self.tables[self.particles_type].bound
        components = [table.bound[entity] for entity in entities]
        owners = [
            [particles[owner] for owner in table.bound[entity].row_owners(entity)]
            for entity in entities
        ]
        slots = rows_of([component.slot for component in components], [1] * len(components))
        table.values.arrays["particle_first"][slots] = [
            bodies[0].row_start if bodies else 0 for bodies in owners
        ]
        table.values.arrays["particle_last"][slots] = [
            bodies[0].row_stop if bodies else 0 for bodies in owners
        ]
        for name in table.index_names:
            owned_by = declared_columns(table.component_type)[name].owned_by
            local = table.rows.arrays[name]
            packed = table.rows.arrays[f"packed_{name}"]
            for component, bodies in zip(components, owners, strict=True):
                span = slice(component.row_start, component.row_stop)
                if len(bodies) == 1:
                    np.add(local[span], bodies[0].row_start, out=packed[span], casting="unsafe")
                else:
                    offsets = np.array([body.row_start for body in bodies], UINT)
                    packed[span] = local[span] + owned(component, owned_by, offsets)


def _is_elsewhere(component: Component) -> bool:
    """Return whether an entity of another world has a component."""
    holder = held(component, "holder")
    if holder is None or holder[0] == esper.current_world:
        return False
    return world_that_holds(component) is not None


def rows_beside(
    buffers: PackedBuffers,
    component_type: type[Component],
    other: type[Component],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> None:
    """Write, for each slot of a class, the rows [first, last) of the entity's own component of
    another class.

    No rows, [0, 0), if there is no such component, or if it also counts rows of other entities.
    """
    first[:] = last[:] = 0
    for entity, component in buffers[component_type].bound.items():
        beside = buffers[other].bound.get(entity)
        if beside is not None and beside.row_owners(entity) == (entity,):
            first[component.slot] = beside.row_start
            last[component.slot] = beside.row_stop
