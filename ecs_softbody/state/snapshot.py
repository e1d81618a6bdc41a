"""Snapshot: a moment of a Simulation in memory; WorldState: takes and restores moments of a world.

A snapshot has the structure (entities, components, places of rows), the columns (contents of the
packed arrays), the contacts, and a checkpoint of all other state. Unchanged contents are shared
with the last snapshot. `take_apart` and `put_together` are for archives, which keep many moments as
differences (archives/archive.py).
"""

from __future__ import annotations

import dataclasses
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from ecs_softbody.parallel.workers import Pending, Workers
from ecs_softbody.state import container, files
from ecs_softbody.state.archives.archive import Parts, Whole
from ecs_softbody.state.archives.images import GROWING
from ecs_softbody.state.checkpoint import Checkpoint, Decide
from ecs_softbody.state.columns import Columns
from ecs_softbody.state.components import registered
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.kinds import Kind
from ecs_softbody.state.structure import Structure, entity_counter
from ecs_softbody.storage import (
    PackedBuffers,
    mark_for_deletion,
    marked_for_deletion,
    set_entity_counter,
    world_processors,
)

PACKAGE = "ecs_softbody"
"""Name of this package: objects of its classes are followed."""
WRONG = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    struct.error,
    RecursionError,
    MemoryError,
)
"""Exceptions raised by content that is no snapshot, besides ValueErrors of invalid fields."""


class Snapshot:
    """A moment of one Simulation. `sim.restore(snapshot)` goes back to it, as often as wanted.

    It belongs to the simulation that it was taken of; one in a file, or in `bytes`, is for any.
    """

    def __init__(self, world: WorldState, structure: Structure) -> None:
        self.world = world
        self.pipeline = world.pipeline
        self.structure = structure
        self.columns = Columns(structure, world.buffers, world.changes(), world.last, world.begin)
        before = world.last_contacts
        self.contacts = self.pipeline.contact_snapshots.keep(world.buffers.version, before)
        shared = frozenset() if before is None else frozenset(map(id, before.arrays))
        self._own_contacts = sum(
            each.nbytes for each in self.contacts.arrays if id(each) not in shared
        )
        self.processors = world.own_processors()
        """The user-defined processors."""
        self.checkpoint = world.checkpoint(structure, self.processors)
        self.next_entity = entity_counter()
        self.deleted = marked_for_deletion()
        self.frame = self.pipeline.clock.frame
        """Frame that it was taken after."""
        self.columns.finish()

    @property
    def nbytes(self) -> int:
        """Bytes held, without the bytes shared with an earlier snapshot."""
        return int(self.columns.nbytes + self._own_contacts + self.checkpoint.nbytes)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse to be copied or pickled."""
        raise TypeError(
            "a Snapshot cannot be pickled: write it with snapshot.save(path), or take its bytes"
        )

    def to_bytes(self) -> bytes:
        """Return it as a file: for any Simulation with the same solver, in any process.

        Raises:
            SnapshotError: if a user-defined component is not registered (`register_component`), or
                if a value cannot be stored in a file.
        """
        return container.pack(files.KIND, files.encoded(self, self.world, self.world.version))

    def save(self, path: Path | str) -> Path:
        """Write a file, and return its path; after a crash it is the old one or the new one.

        Raises:
            SnapshotError: if a user-defined component is not registered (`register_component`), or
                if a value cannot be stored in a file.
            OSError: where it cannot be written.
        """
        return container.write(
            path, files.KIND, files.encoded(self, self.world, self.world.version)
        )

    def take_apart(self, name: int, parts: Parts) -> None:
        """Add the contents of this snapshot to `parts`, keyed by `name`."""
        objects = parts.objects
        objects[name, "world", 0] = self.world
        objects[name, "pipeline", 0] = self.pipeline
        objects[name, "structure", 0] = self.structure
        objects[name, "processors", 0] = tuple(self.processors)
        objects[name, "numbers", 0] = self.next_entity, self.frame, *self.deleted
        self.columns.take_apart(name, parts)
        self.checkpoint.take_apart(name, parts)
        fields = self.contacts
        objects[name, "fields", 0] = tuple(each is not None for each in fields)
        parts.arrays.update(
            {(name, GROWING, at): each for at, each in enumerate(fields) if each is not None}
        )

    @classmethod
    def put_together(cls, name: int, whole: Whole) -> Snapshot:
        """Return the snapshot that `take_apart` stored under a name."""
        found = cls.__new__(cls)
        objects = whole.objects
        found.world = objects[name, "world", 0]
        found.pipeline = objects[name, "pipeline", 0]
        found.structure = objects[name, "structure", 0]
        found.processors = list(objects[name, "processors", 0])
        found.next_entity, found.frame, *deleted = objects[name, "numbers", 0]
        found.deleted = set(deleted)
        found._own_contacts = 0
        found.columns = Columns.put_together(found.structure, name, whole)
        fields = [
            whole.array((name, GROWING, at)) if has else None
            for at, has in enumerate(objects[name, "fields", 0])
        ]
        found.contacts = found.pipeline.contact_snapshots.of_fields(fields)
        found.checkpoint = Checkpoint.put_together(name, whole)
        return found

    def restore(self) -> None:
        """Put the world back; it is the current one."""
        world = self.world
        # A file read since then has put other stages in their place.
        world.use(self.pipeline)
        is_other = not (self.structure is world.structure and self.structure.is_current)
        # Where nothing came or went since, going back copies arrays and nothing else.
        if is_other:
            self.structure.restore()
            world.structure = self.structure
            # Rows of deleted components hold any values, so all columns are copied.
            world.last = None
        # Columns are copied by another thread, where there is one, while the checkpoint is
        # restored.
        pending = self.columns.restore(world.buffers, world.changes(), world.last, world.begin)
        try:
            self.checkpoint.restore()
            self.pipeline.contact_snapshots.restore(
                self.contacts, world.buffers.version, pending.result
            )
        finally:
            pending.result()
        self.world.share_with(self)
        self.world.buffers.take_as_packed()
        if entity_counter() != self.next_entity:
            set_entity_counter(self.next_entity)
        mark_for_deletion(self.deleted)
        # This is last, as the rows were put back where they were then. A view may be of a body that
        # did not exist then.
        if is_other and sum(table.move_away() for table in self.structure.tables.values()):
            world.made_anew()


@dataclass
class Stages:
    """The current stages of a world, a way to make other stages, and a way to replace the current
    ones.
    """

    pipeline: Any
    """The current Pipeline (simulation/pipeline.py)."""
    make: Callable[[], Any]
    """Returns a new Pipeline for the same world, without any state."""
    replace: Callable[[], Callable[[Any], None] | None]
    """Returns the function that replaces the stages, None if the simulation no longer exists."""


class WorldState:
    """All state of one Simulation: the state that its stages reach, its packed arrays, its entities
    and their components.
    """

    def __init__(self, stages: Stages, solver: str) -> None:
        self._stages = stages
        self.solver = solver
        # Classes of a game's own components and processors; how values of each class are kept,
        # which is found once; and the function that decides about classes of a game.
        self._followed: set[type[Any]] = set()
        self._kinds: dict[type[Any], Kind] = {}
        self._decide: Decide = partial(_decide, followed=self._followed)
        self.version = str(sys.modules[PACKAGE].__version__)
        # The parts of the last snapshot, or the restored one: the next one shares with them.
        self.structure: Structure | None = None
        self.last: Columns | None = None
        self.last_contacts: Any = None
        self._last_checkpoint: Checkpoint | None = None
        # Identities of the arrays that the structure, and the contacts, keep.
        self._apart = frozenset[int](), frozenset[int]()
        self._elsewhere = frozenset[int]()
        """Union of both sets of `_apart`: arrays kept by others."""

    @property
    def pipeline(self) -> Any:
        """The stages that the world has now."""
        return self._stages.pipeline

    @property
    def buffers(self) -> PackedBuffers:
        """The packed arrays; they stay the same when the stages are replaced."""
        found: PackedBuffers = self.pipeline.context.buffers
        return found

    def changes(self) -> int:
        """Return how many times bodies fell asleep or woke."""
        return int(self.pipeline.space.activity.changes)

    def use(self, pipeline: Any) -> None:
        """Go on with these stages."""
        if self.pipeline is not pipeline:
            self.forget()
            if (replace := self._stages.replace()) is not None:
                replace(pipeline)
            self._stages.pipeline = pipeline

    def begin_anew(self) -> Any:
        """Continue with new stages without any state, and return them."""
        self.use(self._stages.make())
        return self.pipeline

    def take(self) -> Snapshot:
        """Return a snapshot of the current world, whose changes are packed."""
        # Entities, components and rows are one object, which all snapshots share until they change.
        if self.structure is None or not self.structure.is_current:
            self.structure = Structure(self.buffers, self.solver)
        snapshot = Snapshot(self, self.structure)
        self.share_with(snapshot)
        return snapshot

    def begin(self, may_share: bool, function: Callable[..., Any], *arguments: Any) -> Pending:
        """Begin a call; another thread does it if it may (`may_share`) and there is one. The result
        of the Pending waits for it.
        """
        workers: Workers = self.pipeline.context.workers
        return workers.begin(function, *arguments) if may_share else Pending(function, *arguments)

    def share_with(self, snapshot: Snapshot) -> None:
        """Let the next snapshot share unchanged contents with `snapshot`, which holds the current
        state of the world, or its state a moment ago.
        """
        self.last = snapshot.columns
        self.last_contacts = snapshot.contacts
        self._last_checkpoint = snapshot.checkpoint

    def forget(self) -> None:
        """Let the next snapshot share nothing."""
        self.structure = self.last = self.last_contacts = self._last_checkpoint = None

    def own_processors(self) -> list[Any]:
        """Return the user-defined processors of the current world."""
        processors = world_processors()
        if _ours.issuperset(map(type, processors)):
            return []
        return [one for one in processors if not is_of_package(type(one))]

    def load(self, content: bytes, entity: Callable[[int], Any]) -> None:
        """Load a file into the current world; on errors the world stays unchanged.

        Raises:
            SnapshotError: if the file does not fit the world.
        """
        before = self.take()
        # Going back then looks at the entities, too, however far the reading gets.
        self.forget()
        try:
            files.put_into(self, files.FileContent(content), entity)
        except SnapshotError as error:
            before.restore()
            raise SnapshotError(f"{files.KIND}: {container.printable(error)}") from None
        except WRONG as error:
            before.restore()
            raise container.damaged(files.KIND, error) from None
        except BaseException:
            before.restore()
            raise

    def made_anew(self) -> None:
        """Let everything that looks at arrays look again: they are others now."""
        self.forget()
        self.buffers.take_as_packed()
        self.buffers.replaced.count += 1
        self.pipeline.look_again()

    def checkpoint(self, structure: Structure, own: list[Any]) -> Checkpoint:
        """Keep the state that the stages and the user-defined components and processors reach."""
        roots = [
            self.pipeline,
            *self.pipeline.resources,
            *structure.tables.values(),
            *own,
            *structure.own_components,
        ]
        follow = {type(one) for one in own} | {type(one) for one in structure.own_components}
        if follow != self._followed:
            self._followed = follow
            self._kinds = {}
            self._decide = partial(_decide, followed=follow)
        apart = structure.arrays, self.pipeline.contact_snapshots.kept_apart
        # The union of both sets is made again only when one changes: they hold an entry for each
        # array.
        if self._apart[0] is not apart[0] or self._apart[1] != apart[1]:
            self._apart = apart
            self._elsewhere = apart[0] | apart[1]
        elsewhere = self._elsewhere
        return Checkpoint(
            roots, self._decide, elsewhere, kinds=self._kinds, before=self._last_checkpoint
        )


_ours = set[type[Any]]()
"""Classes that are known to be of this package."""


def is_of_package(cls: type[Any]) -> bool:
    """Return whether a class is one of this package."""
    if cls.__module__.partition(".")[0] == PACKAGE:
        _ours.add(cls)
    return cls in _ours


def _decide(cls: type[Any], followed: set[type[Any]]) -> Kind:
    """Follow classes of the package, of components and of processors, dataclasses and registered
    classes; other classes of a game are not kept.
    """
    if cls in followed or hasattr(cls, "saved"):
        return Kind.OBJECT
    if is_of_package(cls):
        return Kind.LEAF
    if dataclasses.is_dataclass(cls) or registered(cls) is not None:
        return Kind.OBJECT
    return Kind.LEAF
