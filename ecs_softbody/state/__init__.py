"""State: snapshots of a world, taken, restored, compared, written to files, and archived by the
thousand.

A snapshot in memory has three parts. `Structure` has the entities, components and the places of
their rows; `Columns` the contents of the packed arrays; `Checkpoint` all other state, which the
stages and a game's components and processors refer to. A file has declared data only (`files`).
"""

from ecs_softbody.state.components import register_component
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.snapshot import Snapshot, WorldState

__all__ = ["Snapshot", "SnapshotError", "WorldState", "register_component"]
