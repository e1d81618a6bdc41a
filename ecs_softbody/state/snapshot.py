"""WorldState: takes snapshots of a Simulation, restores them, and tells whether two states are the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.state.checkpoint import Checkpoint
from ecs_softbody.state.columns import Columns
from ecs_softbody.state.components import registered
from ecs_softbody.state.kinds import Kind
from ecs_softbody.state.structure import Structure, entity_counter, set_entity_counter
from ecs_softbody.storage import PackedBuffers

PACKAGE = "ecs_softbody"


class Snapshot:
    """A moment of one Simulation. `sim.restore(snapshot)` goes back to it, as often as wanted.

    It belongs to the simulation that it was taken of; one in a file, or in `bytes`, is for any.
    """

    def __init__(self, world: WorldState, structure: Structure) -> None:
        self.world = world
        self.structure = structure
        self.columns = Columns(structure, world.buffers, world.last)
        self.checkpoint = world.checkpoint(structure)
        self.next_entity = entity_counter()
        self.deleted = set(esper._dead_entities)
        self.frame = world.frame()
        """Frame that it was taken after."""

    @property
    def nbytes(self) -> int:
        """Bytes that it holds, without what it shares with an earlier one."""
        return self.columns.nbytes + self.checkpoint.nbytes

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a Snapshot cannot be pickled: write it with sim.save_snapshot(path), or take its bytes")

    def restore(self) -> None:
        """Put the world back; it is the current one."""
        if not (self.structure is self.world.structure and self.structure.is_current):
            self.structure.restore()
            self.world.structure = self.structure
        self.columns.restore()
        self.checkpoint.restore()
        self.world.buffers.take_as_packed()
        if entity_counter() != self.next_entity:
            set_entity_counter(self.next_entity)
        esper._dead_entities.clear()
        esper._dead_entities.update(self.deleted)


class WorldState:
    """All state of one Simulation: what its stages reach, its packed arrays, its entities and their components."""

    def __init__(self, buffers: PackedBuffers, roots: tuple[Any, ...], frame: Callable[[], int]) -> None:
        self.buffers, self._roots, self.frame = buffers, roots, frame
        self.structure: Structure | None = None
        self.last: Columns | None = None

    def take(self) -> Snapshot:
        """Return a snapshot of the current world, whose changes are packed."""
        if self.structure is None or not self.structure.is_current:
            self.structure = Structure(self.buffers)
        snapshot = Snapshot(self, self.structure)
        self.last = snapshot.columns
        return snapshot

    def checkpoint(self, structure: Structure) -> Checkpoint:
        """Keep what the stages and the components of the game's own reach."""
        own = [processor for processor in esper._processors if not type(processor).__module__.startswith(PACKAGE)]
        roots = [*self._roots, *own, *structure.own_components]
        follow = {type(one) for one in own} | {type(one) for one in structure.own_components}
        return Checkpoint(roots, lambda cls: _decide(cls, follow), structure.arrays)


def _decide(cls: type[Any], followed: set[type[Any]]) -> Kind:
    """Follow what belongs to a stage, a component or a processor; anything else of a game's is its own."""
    if cls.__module__.partition(".")[0] == PACKAGE or cls in followed:
        return Kind.OBJECT
    if dataclasses.is_dataclass(cls) or registered(cls) is not None:
        return Kind.OBJECT
    return Kind.LEAF
