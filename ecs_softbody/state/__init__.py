"""State: moments of a world that are kept, compared and written to files."""

from ecs_softbody.state.components import register_component
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.snapshot import Snapshot, WorldState

__all__ = ["Snapshot", "SnapshotError", "WorldState", "register_component"]
