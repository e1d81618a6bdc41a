"""Structure: which entities a world has, which components, and where in the packed arrays the rows
of each are.

It changes only when something comes or goes: many snapshots share one. The contents of the rows are
elsewhere (columns.py).
"""

from __future__ import annotations

import itertools
from typing import Any

import esper

from ecs_softbody.state.nodes.objects import next_of
from ecs_softbody.storage import (
    Component,
    PackedBuffers,
    components_by_entity,
    entities_by_class,
    entity_numbers,
    put_entities,
)
from ecs_softbody.storage.store import Store
from ecs_softbody.storage.table import Table

Placed = list[tuple[int, Component, int, int, int]]
"""(entity, component, first row, row after the last, slot)."""


class Unused:
    """A component class that no entity has. esper caches the list of entities of each class until
    any component comes or goes: the same (empty) list means that nothing has changed.
    """


class Structure:
    """The structure of the current esper world as it is now."""

    def __init__(self, buffers: PackedBuffers, solver: str) -> None:
        self._buffers = buffers
        self.solver = solver
        self.layout: Any = None
        """The layout of the packed arrays (columns.py), made on first use."""
        self.token = esper.get_component(Unused)
        """esper's list for `Unused`: the structure is current while it is the same object."""
        self.version = buffers.version
        self.tables = dict(buffers.tables)
        self.entities = {
            entity: dict(components) for entity, components in components_by_entity().items()
        }
        self._owners = {kind: set(owners) for kind, owners in entities_by_class().items()}
        self.referrers = {owner: set(members) for owner, members in buffers._referrers.items()}
        self.stores = [
            _StoreLayout(store)
            for table in self.tables.values()
            for store in (table.rows, table.values)
        ]
        self.placed: list[tuple[Table, Placed, int, int]] = []
        """For each table its components, its version, and the next serial number."""
        for table in self.tables.values():
            members = [
                (entity, one, one.row_start, one.row_stop, one.slot)
                for entity, one in table.bound.items()
            ]
            self.placed.append((table, members, table.version, next_of(table._serials)))
        self.own_components = [
            component
            for components in self.entities.values()
            for component in components.values()
            if not isinstance(component, Component)
        ]
        # Identities of all packed arrays.
        self.arrays = frozenset(
            id(array) for layout in self.stores for array in layout.arrays.values()
        )

    @property
    def is_current(self) -> bool:
        """Whether nothing came or went in the current esper world since."""
        return esper.get_component(Unused) is self.token and self._buffers.version == self.version

    def restore(self) -> None:
        """Have the same entities again, with the same components at the same rows."""
        buffers = self._buffers
        for table in list(buffers.tables.values()):
            kept = {id(member[1]) for member in self._members_of(table)}
            for entity, component in list(table.bound.items()):
                if id(component) not in kept:
                    _let_go(table, entity, component)
        # This follows the copies above, which were taken from rows that are about to be
        # overwritten.
        buffers.tables.clear()
        buffers.tables.update(self.tables)
        for layout in self.stores:
            layout.restore()
        for table, members, version, serial in self.placed:
            _place(table, members)
            table.version = version
            table._serials = itertools.count(serial)
        buffers._referrers = {owner: set(members) for owner, members in self.referrers.items()}
        put_entities(
            {entity: dict(components) for entity, components in self.entities.items()},
            {kind: set(owners) for kind, owners in self._owners.items()},
        )
        # A token of the world as it is now: this structure is the current one again.
        self.version = self.version
        self.token = esper.get_component(Unused)

    def _members_of(self, table: Table) -> Placed:
        """Return the components that a table had."""
        return next((members for own, members, _, _ in self.placed if own is table), [])


class _StoreLayout:
    """The places of the rows of a store, without their contents."""

    def __init__(self, store: Store) -> None:
        """Note them: the arrays, capacity, rows in use, rows free among these, and free blocks."""
        self.store = store
        self.arrays = dict(store.arrays)
        self.numbers = store.capacity, store.count, store.free_count
        self.free = {length: list(starts) for length, starts in store._free.items()}

    def restore(self) -> None:
        """Give the store its arrays and its places back."""
        store = self.store
        stop = self.store.count
        if any(store.arrays[name] is not array for name, array in self.arrays.items()):
            # Arrays that were out of use may hold any values in all of their rows.
            stop = self.numbers[0]
        store.arrays.clear()
        store.arrays.update(self.arrays)
        store.capacity, store.count, store.free_count = self.numbers
        store._free.clear()
        store._free.update({length: list(starts) for length, starts in self.free.items()})
        for array in self.arrays.values():
            # Rows beyond the count are zero for the next bodies there.
            array[store.count : max(stop, store.count)] = 0
        store.clear()


def _let_go(table: Table, entity: int, component: Component) -> None:
    """Unpack a component that the restored moment does not have: it gets copies of its rows."""
    table.take_back([component])
    component.row_arrays = table.rows.copied(
        table._column_names, component.row_start, component.row_count
    )
    component.value_arrays = table.values.copied(table._value_names, component.slot, 1)
    component.row_stop = component.row_count
    component.row_start = 0
    component.slot = 0
    component.table = None
    type(component).loose.add(component)
    del table.bound[entity]


def _place(table: Table, members: Placed) -> None:
    """Let components look at their rows in the buffers."""
    rows = table.rows.arrays
    values = table.values.arrays
    loose = table.component_type.loose
    table.bound.clear()
    table.entities.clear()
    for entity, component, first, last, slot in members:
        table.take_back([component])
        component.row_arrays = rows
        component.value_arrays = values
        component.row_start = first
        component.row_stop = last
        component.slot = slot
        component.table = table
        table.bound[entity] = component
        if loose:
            loose.discard(component)
    table.entities.update(table.bound)


def entity_counter() -> int:
    """Return the number that the next entity of the current world gets."""
    return next_of(entity_numbers())
