"""Files: snapshots as bytes, to be restored in another world, another process, at another time."""

from __future__ import annotations

import itertools
import json
import struct
from typing import Any, Protocol

import esper
import numpy as np

from ecs_softbody.state.checkpoint import Checkpoint
from ecs_softbody.state.columns import Columns
from ecs_softbody.state.components import registered, registered_as
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.decoding import Decoder
from ecs_softbody.state.encoding import Encoder, name_of, own_state, type_of
from ecs_softbody.state.kinds import slots_of
from ecs_softbody.state.structure import Structure, set_entity_counter
from ecs_softbody.storage import Component, PackedBuffers
from ecs_softbody.storage.table import Table


class World(Protocol):
    """What is written to."""

    buffers: PackedBuffers
    roots: tuple[Any, ...]
    solver: str

    def own_processors(self) -> list[Any]:
        """Return the processors of the game's own."""

    keeper: Any

    def made_anew(self) -> None:
        """Look at all arrays again."""


class Kept(Protocol):
    """A snapshot that is written."""

    structure: Structure
    processors: list[Any]
    columns: Columns
    checkpoint: Checkpoint
    contacts: Any
    next_entity: int
    deleted: set[int]
    frame: int


KIND = "snapshot"
LENGTHS = struct.Struct("<Q")


def encoded(snapshot: Kept, world: World, version: str) -> bytes:
    """Return the content of a file with this snapshot."""
    structure = snapshot.structure
    stores: dict[int, list[Any]] = {}
    for kind, table in structure.tables.items():
        for name, store in (("rows", table.rows), ("values", table.values)):
            stores[id(store)] = [kind.__name__, name]
    for layout in structure.stores:
        for name, array in layout.arrays.items():
            stores[id(array)] = [*stores[id(layout.store)], name]
    components = {
        id(one): [table.component_type.__name__, int(entity)]
        for table, members, _, _ in structure.placed
        for entity, one, *_ in members
    }
    encoder = Encoder(snapshot.checkpoint, stores, components)
    content = {
        "version": version,
        "solver": world.solver,
        "frame": snapshot.frame,
        "next": snapshot.next_entity,
        "deleted": sorted(int(entity) for entity in snapshot.deleted),
        "tables": _tables(snapshot, encoder),
        "entities": _entities(snapshot, encoder),
        "referrers": [
            [owner, [[kind.__name__, entity] for kind, entity in sorted(members, key=lambda m: (m[1], m[0].__name__))]]
            for owner, members in structure.referrers.items()
        ],
        "processors": [[name_of(type(one)), encoder.value(one)] for one in snapshot.processors],
        "roots": [encoder.value(root) for root in world.roots],
        "contacts": [_array(each, encoder) for each in snapshot.contacts],
        "nodes": encoder.nodes,
    }
    content["blobs"] = [blob.nbytes for blob in encoder.blobs]
    text = json.dumps(content, separators=(",", ":")).encode()
    return b"".join([LENGTHS.pack(len(text)), text, *(blob.tobytes() for blob in encoder.blobs)])


def _tables(snapshot: Kept, encoder: Encoder) -> list[Any]:
    """Return where the rows of each table are, and what is in them."""
    content = snapshot.columns.by_array()
    found = []
    layouts = {id(layout.store): layout for layout in snapshot.structure.stores}
    for table, _, version, serial in snapshot.structure.placed:
        parts = []
        for store in (table.rows, table.values):
            layout = layouts[id(store)]
            columns = [
                [name, type_of(array.dtype), list(array.shape[1:]), encoder.blob(content[id(array)])]
                for name, array in layout.arrays.items()
                if id(array) in content
            ]
            free = [[length, starts] for length, starts in layout.free.items() if starts]
            parts.append([*layout.numbers, free, columns])
        active = snapshot.checkpoint.attributes_of(table) or {}
        found.append([table.component_type.__name__, version, serial, *parts, encoder.value(active.get("_active"))])
    return found


def _array(array: np.ndarray[Any, Any] | None, encoder: Encoder) -> Any:
    """Return an array as (shape, type, blob)."""
    return None if array is None else [list(array.shape), array.dtype.str, encoder.blob(array)]


def _entities(snapshot: Kept, encoder: Encoder) -> list[Any]:
    """Return the components of each entity; those that are packed by their rows."""
    places = {id(one): place for _, members, _, _ in snapshot.structure.placed for _, one, *place in members}
    found = []
    for entity, components in snapshot.structure.entities.items():
        listed: list[Any] = []
        for kind, component in components.items():
            if isinstance(component, Component):
                extra = {
                    name: encoder.value(getattr(component, name))
                    for name in slots_of(kind)
                    if name not in Component.__slots__ and hasattr(component, name)
                }
                listed.append([kind.__name__, places[id(component)], extra])
            else:
                state, known = own_state(component), registered(kind)
                has_saved = known is not None and known.save is not None
                value = encoder.given(state) if has_saved else encoder.value(component)
                listed.append([known.name if known else "", value])
        found.append([int(entity), listed])
    return found


def decoded(content: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Return the text and the blobs of a file."""
    (length,) = LENGTHS.unpack_from(content)
    if length > len(content) - LENGTHS.size:
        raise SnapshotError("it is truncated")
    at = LENGTHS.size + length
    text = json.loads(content[LENGTHS.size : at])
    blobs = []
    for size in text["blobs"]:
        if not isinstance(size, int) or not 0 <= size <= len(content) - at:
            raise SnapshotError("it is truncated")
        blobs.append(content[at : at + size])
        at += size
    return text, blobs


def put_into(world: World, text: dict[str, Any], blobs: list[bytes], entity: Any) -> None:
    """Make the current world what is encoded; the caller goes back where this raises."""
    if text["solver"] != world.solver:
        raise SnapshotError(f"it needs Simulation(solver={text['solver']!r}); this one has {world.solver!r}")
    own = world.own_processors()
    names = [name_of(type(one)) for one in own]
    for name, _ in text["processors"]:
        if name not in names:
            raise SnapshotError(f"it needs the processor {name}; add it before: sim.add_processor(...)")
    decoder = Decoder(text["nodes"], blobs, world.buffers, entity)
    world.buffers.unpack_all()
    for table in world.buffers.tables.values():
        _empty(table)
    kinds = {kind.__name__: kind for kind in Component.types}
    for name, version, serial, rows, values, active in text["tables"]:
        table = world.buffers[kinds[name]]
        table.version, table._serials = version, itertools.count(int(serial))
        for store, part in ((table.rows, rows), (table.values, values)):
            _fill(store, part, decoder)
        table._active = decoder.value(active)
    _make_entities(world, text, decoder, kinds)
    for root, current in zip(text["roots"], world.roots, strict=True):
        decoder.value(root, current)
    for name, value in text["processors"]:
        decoder.value(value, own[names.index(name)])
    _check_rows(world.buffers.tables)
    world.made_anew()
    arrays = [None if each is None else decoder.array(*each) for each in text["contacts"]]
    world.keeper.restore(world.keeper.checked(arrays), world.buffers.version)


def _empty(table: Table) -> None:
    """Let a table be as it was made: a file does not name those that its world had not."""
    table.version, table._serials, table._active = 0, itertools.count(1), None
    table.forget_all()  # what stages know of them is read into the arrays that they have
    for store in (table.rows, table.values):
        store.empty()


def _fill(store: Any, part: list[Any], decoder: Decoder) -> None:
    capacity, count, free_count, free, columns = part
    if not 0 <= free_count <= count <= capacity:
        raise SnapshotError(f"a table of {count} rows in {capacity} is not allowed")
    store.capacity, store.count, store.free_count = capacity, count, free_count
    store._free.clear()
    for length, starts in free:
        store._free[length] = [int(start) for start in starts]
    given = {name: (kind, shape, blob) for name, kind, shape, blob in columns}
    if count and given.keys() != store.arrays.keys():
        differ = sorted(given.keys() ^ store.arrays.keys())
        raise SnapshotError(f"its columns are others than those of this version: {', '.join(differ[:5])}")
    for name, old in list(store.arrays.items()):
        new = decoder.array([capacity, *old.shape[1:]], old.dtype.str, None)
        if count:
            kind, shape, blob = given[name]
            if kind != old.dtype.str or shape != list(old.shape[1:]):
                raise SnapshotError(f"its column {name} is of another type than that of this version")
            new[:count] = decoder.array([count, *shape], kind, blob)
        store.arrays[name] = new
    store.clear()


def _make_entities(world: World, text: dict[str, Any], decoder: Decoder, kinds: dict[str, Any]) -> None:
    esper._entities.clear()
    esper._components.clear()
    for table in world.buffers.tables.values():
        table.bound.clear()
        table.entities.clear()
    for number, listed in text["entities"]:
        components: dict[type[Any], Any] = {}
        for name, *rest in listed:
            component = _component(name, rest, number, world, decoder, kinds)
            components[type(component)] = component
            esper._components.setdefault(type(component), set()).add(number)
        esper._entities[number] = components
    world.buffers._referrers = {
        owner: {(kinds[name], entity) for name, entity in members} for owner, members in text["referrers"]
    }
    esper._dead_entities.clear()
    esper._dead_entities.update(text["deleted"])
    esper._clear_cache_now()
    set_entity_counter(int(text["next"]))


def _component(name: str, rest: list[Any], entity: int, world: World, decoder: Decoder, kinds: dict[str, Any]) -> Any:
    if name not in kinds:
        known = registered_as(name)
        if known is None:
            raise SnapshotError(f"it needs the component {name}; import it, and register it with register_component")
        value = decoder.value(rest[0])
        return known.load(value) if known.load else value
    (first, last, slot), extra = rest
    table: Table = world.buffers[kinds[name]]
    fits = 0 <= first <= last <= table.rows.count or 0 <= first == last  # rows before none may be gone
    if not (fits and 0 <= slot < table.values.count):
        raise SnapshotError(f"{name} of entity {entity} has rows {first} to {last} of {table.rows.count}")
    component = object.__new__(kinds[name])
    for attribute, value in extra.items():
        object.__setattr__(component, attribute, decoder.value(value))
    component.row_arrays, component.value_arrays, component.views = table.rows.arrays, table.values.arrays, {}
    component.row_start, component.row_stop, component.slot, component.table = first, last, slot, table
    table.bound[entity] = component
    table.entities.add(entity)
    return component


def _check_rows(tables: dict[Any, Table]) -> None:
    """Raise SnapshotError where a column counts rows that there are not: kernels would not notice."""
    particles = next(table for kind, table in tables.items() if kind.__name__ == "Particles").rows.count
    for kind, table in tables.items():
        for name in table.index_names:
            if table.rows.count and int(np.max(table.rows[f"packed_{name}"])) >= max(particles, 1):
                raise SnapshotError(f"{kind.__name__}.{name} counts rows of Particles that there are not")
        for first, last, count in (("first", "last", table.rows.count), ("particle_first", "particle_last", particles)):
            used = table.values[last][table.values[last] > table.values[first]]
            if len(used) and int(np.max(used)) > count:
                raise SnapshotError(f"{kind.__name__} has rows {first} to {last} that there are not")
