"""Files: snapshots as bytes, to be restored in another world, another process, at another time.

`encoded` makes the content of a file of a Snapshot; `FileContent` and `put_into` read it into a
world. A file may come from anybody: all numbers are checked before kernels, which check nothing,
run on them.

A file consists of JSON text and the bytes of arrays. It holds declared data only: the columns of
components, the `saved` data of stages, the entity ids, and the data of user-defined components and
processors. Nothing in it names code: a class is looked up among the registered classes, or taken
from the object in the same place in the world.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Protocol

from ecs_softbody.crowding import check_crowding
from ecs_softbody.state import container
from ecs_softbody.state.checkpoint import Checkpoint
from ecs_softbody.state.columns import Columns
from ecs_softbody.state.components import registered, registered_as
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.own.attributes import put_attributes
from ecs_softbody.state.own.forms import name_of
from ecs_softbody.state.own.reader import Reader, loaded
from ecs_softbody.state.own.writer import Writer
from ecs_softbody.state.saving import Arrays, fields_of
from ecs_softbody.state.structure import Structure
from ecs_softbody.state.tables import TableOfFile, read_tables, table_content
from ecs_softbody.storage import (
    Component,
    PackedBuffers,
    components_by_entity,
    mark_for_deletion,
    put_entities,
    set_entity_counter,
)
from ecs_softbody.storage.saved import Saved


class World(Protocol):
    """The world to write to a file, or to read a file into."""

    solver: str

    @property
    def buffers(self) -> PackedBuffers:
        """The packed arrays of all components."""

    @property
    def pipeline(self) -> Any:
        """The stages."""

    def own_processors(self) -> list[Any]:
        """Return the user-defined processors."""

    def begin_anew(self) -> Any:
        """Replace the current stages by new ones without any state, and return their pipeline."""

    def made_anew(self) -> None:
        """Look at all arrays again."""


class Kept(Protocol):
    """A Snapshot (snapshot.py), as far as it is written to a file."""

    structure: Structure
    pipeline: Any
    processors: list[Any]
    columns: Columns
    checkpoint: Checkpoint
    contacts: Any
    next_entity: int
    deleted: set[int]


KIND = "snapshot"
"""Kind of these files in their header (container.py)."""
LENGTHS = struct.Struct("<Q")
"""Length of the text at the start of the content: 8 bytes, little-endian."""
MOST_ENTITIES = 1_000_000
"""Number of entities that a file may have."""
LONGEST_NAME = 500
"""Letters that the name of a component in a file may have."""
MOST_NEAR = 1_000_000
"""Limit of pairs of near points, see `check_crowding`: ten times as many as for scenes, since a
game can have made them.
"""
MOST_TESTS = 400_000_000
"""Limit of tests of points against edges in one search, see `check_crowding`: four times as many as
for scenes.
"""


def encoded(snapshot: Kept, world: World, version: str) -> bytes:
    """Return the content of a file with this snapshot: the length of the JSON text, the text, and
    the bytes of all arrays (blobs), one after the other. version: of this package.
    """
    structure = snapshot.structure
    kept = snapshot.checkpoint
    arrays = Arrays()
    writer = Writer(arrays, kept)
    pipeline = snapshot.pipeline
    contacts = {
        name: arrays.add(each)
        for name, each in snapshot.contacts._asdict().items()
        if each is not None
    }
    stages = {
        name: fields_of(stage, kept, arrays) for name, stage in pipeline.saved_stages().items()
    }
    content = {
        "version": version,
        "solver": world.solver,
        "next": snapshot.next_entity,
        "deleted": sorted(int(entity) for entity in snapshot.deleted),
        "tables": table_content(structure, snapshot.columns.by_array(), arrays),
        "buffers": fields_of(world.buffers, kept, arrays),
        "entities": _entities(snapshot, writer),
        "joined": [int(owner) for owner in structure.referrers],
        "pipeline": fields_of(pipeline, kept, arrays) | {"contacts": contacts, "stages": stages},
        "processors": [[name_of(type(one)), writer.value(one)] for one in snapshot.processors],
        "nodes": writer.nodes,
        "blobs": [len(each) for each in arrays.blobs],
    }
    text = container.text_for(KIND, content)
    return b"".join([LENGTHS.pack(len(text)), text, *arrays.blobs])


def _entities(snapshot: Kept, writer: Writer) -> list[Any]:
    """Return the components of each entity; packed components are given by their rows."""
    places = {
        id(one): place
        for _, members, _, _ in snapshot.structure.placed
        for _, one, *place in members
    }
    found = []
    for entity, components in snapshot.structure.entities.items():
        listed: list[Any] = []
        for kind, component in components.items():
            if isinstance(component, Component):
                own = {name: writer.given(each) for name, each in component.own_values().items()}
                listed.append([kind.__name__, places[id(component)], own])
            else:
                value = writer.component(component)
                known = registered(kind)
                listed.append([known.name if known else "", [], value])
        found.append([int(entity), listed])
    return found


class FileContent:
    """The content of a file, not yet loaded into any world.

    Raises:
        ValueError: where it is no snapshot at all, and other exceptions of such content.
    """

    def __init__(self, content: bytes) -> None:
        (length,) = LENGTHS.unpack_from(content)
        text = container.text_of(content, LENGTHS.size, length)
        at = LENGTHS.size + length
        blobs = []
        for size in Saved("file", text).whole_numbers("blobs"):
            if not 0 <= size <= len(content) - at:
                raise SnapshotError("it is truncated")
            blobs.append(memoryview(content)[at : at + size])
            at += size
        self.arrays = Arrays(blobs)
        self.nodes = text.pop("nodes", None)
        self.saved = Saved("file", text, self.arrays.find)
        self.solver = self.saved.text("solver")


def put_into(world: World, file: FileContent, entity: Callable[[int], Any]) -> None:
    """Load a file into the current world; the caller restores the world if this raises."""
    saved = file.saved
    if file.solver != world.solver:
        raise SnapshotError(
            f"it needs Simulation(solver={file.solver!r}); this one has {world.solver!r}"
        )
    saved.version_of = world.buffers.replaced.versions_of_file()
    # All that can be read and checked without the world comes first, so that most errors leave it
    # untouched.
    reader = Reader(file.nodes, file.arrays, entity)
    own = _attributes_of_processors(world, saved, reader)
    tables = read_tables(saved, world.buffers, file.arrays)
    entities = _checked_entities(saved, tables)
    world.buffers.unpack_all()
    for kind, table in world.buffers.tables.items():
        if kind.__name__ in tables:
            tables[kind.__name__].put_into(table)
        else:
            table.begin_anew()
    _make_entities(world.buffers, entities, tables, reader)
    world.buffers.load(saved.part("buffers"), saved.whole_numbers("joined"))
    for kind, table in world.buffers.tables.items():
        for number, component in table.bound.items():
            if kind.needs_particles or type(component).check_loaded is not Component.check_loaded:
                component.check_loaded(number)
    # Crowding is checked before anything steps: the first search for contacts could take gigabytes.
    check_crowding(
        (components.values() for components in components_by_entity().values()),
        MOST_NEAR,
        MOST_TESTS,
    )
    _count_entities(saved)
    # New stages begin without any state: they find all that a file does not hold, as after a change
    # of structure.
    world.begin_anew().load(saved.part("pipeline"))
    for processor, attributes in own:
        put_attributes(processor, attributes)
    world.made_anew()


def _attributes_of_processors(
    world: World, saved: Saved, reader: Reader
) -> list[tuple[Any, dict[str, Any]]]:
    """Return the user-defined processors that occur in a file, each with its new attributes."""
    own = {name_of(type(one)): one for one in world.own_processors()}
    found = []
    for pair in saved.lists("processors", 2):
        name = pair.text(0)
        if name not in own:
            raise SnapshotError(
                f"it needs the processor {name}; add it before: sim.add_processor(...)"
            )
        found.append((own[name], reader.attributes(pair.get(1), own[name])))
    return found


def _checked_entities(saved: Saved, tables: dict[str, TableOfFile]) -> dict[int, list[Saved]]:
    """Return the components of each entity, (name, place, value); packed components have a place in
    a table.
    """
    found: dict[int, list[Saved]] = {}
    for pair in saved.lists("entities", 2):
        number = pair.whole(0, 0)
        components = []
        if number in found or len(found) >= MOST_ENTITIES:
            pair.fail(0, number, f"each entity once, and at most {MOST_ENTITIES}")
        for component in pair.lists(1, 3):
            name = component.text(0, LONGEST_NAME)
            if name in tables:
                tables[name].place(number, component.values(1, 3))
            elif registered_as(name) is None:
                raise SnapshotError(
                    f"it needs the component {name}; import it, and register it with "
                    "register_component"
                )
            components.append(component)
        if len({component.get(0) for component in components}) < len(components):
            pair.fail(1, "a component twice", "one of each class")
        found[number] = components
    for table in tables.values():
        table.finish()
    return found


def _make_entities(
    buffers: PackedBuffers,
    entities: dict[int, list[Saved]],
    tables: dict[str, TableOfFile],
    reader: Reader,
) -> None:
    """Make the entities, with new components that look at the tables."""
    mark_for_deletion([])
    made: dict[int, dict[type[Any], Any]] = {number: {} for number in entities}
    owners: dict[type[Any], set[int]] = {}
    put_entities(made, owners)  # so that joints may name entities that come later
    for number, components in entities.items():
        for saved in components:
            name = saved.text(0, LONGEST_NAME)
            value = saved.get(2)
            component = _own_component(name, value, reader) if name not in tables else None
            if component is None:
                kind = tables[name].kind
                component = buffers[kind].bind_loaded(number, *tables[name].places[number])
                component.take_own({each: reader.value(encoded) for each, encoded in value.items()})
            made[number][type(component)] = component
            owners.setdefault(type(component), set()).add(number)
    put_entities(made, owners)


def _own_component(name: str, value: Any, reader: Reader) -> Any:
    """Return a user-defined component."""
    known = registered_as(name)
    assert known is not None
    found = reader.value(value)
    if known.load is not None:
        found = loaded(known, found)
    if not isinstance(found, known.kind):
        raise SnapshotError(f"a component {name} is a {type(found).__name__}")
    return found


def _count_entities(saved: Saved) -> None:
    """Go on with the number that the next entity would have had."""
    entities = components_by_entity()
    following = saved.whole("next", max(entities, default=0) + 1)
    mark_for_deletion(number for number in saved.whole_numbers("deleted") if number in entities)
    set_entity_counter(following)
