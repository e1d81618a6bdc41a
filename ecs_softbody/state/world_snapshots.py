"""WorldSnapshots: the methods of a Simulation for snapshots: `snapshot`, `restore`, `state_hash`.

It checks that no step is running, and has new components packed first; WorldState (snapshot.py)
does the work.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ecs_softbody.errors import FieldError
from ecs_softbody.state import container
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.state.files import KIND
from ecs_softbody.state.hashes import component_hashes, state_hash
from ecs_softbody.state.snapshot import Snapshot, Stages, WorldState
from ecs_softbody.storage.holding import inside, whole

__all__ = ["Stages", "WorldSnapshots"]


class WorldSnapshots:
    """Takes snapshots of one world between its steps, restores them, and hashes its state."""

    def __init__(
        self, world: Any, stages: Stages, solver: str, ready: Callable[[], object]
    ) -> None:
        """ready: packs new components."""
        self._world = world
        self._bring_up_to_date = ready
        self._step: Callable[[float], None] = lambda dt: None
        self._is_stepping: Callable[[], bool] = lambda: False
        self._state = WorldState(stages, solver)

    def follow(self, step: Callable[[float], None], is_stepping: Callable[[], bool]) -> None:
        """Step with this, and refuse to take or restore anything while the other returns True."""
        self._step = step
        self._is_stepping = is_stepping

    @whole
    def snapshot(self) -> Snapshot:
        """Return the moment after the last step, to go back to with `restore`; the world stays as
        it is.

        It holds all bodies, joints, muscles and fields, contacts with their impulses, sleeping
        bodies, touching pairs, pending events, the entity ids, the time, and your own components
        and processors (docs/snapshots.md). Handlers of events and settings such as `threads` and
        `paused` are no part of it.

        Raises:
            RuntimeError: inside a step, and after `close`.
            ValueError: when a new component does not fit its entity.
        """
        self._check("snapshot")
        self._bring_up_to_date()
        return self._state.take()

    @whole
    def restore(self, snapshot: Snapshot | bytes | Path | str) -> None:
        """Restore a snapshot, bit for bit: the simulation then continues as it did before.

        Restoring a snapshot of this simulation keeps the component objects, and their arrays held
        by a game are live again. A snapshot from a file, or from another simulation as `bytes`,
        creates all entities again, with the same ids; nothing in a file is executed.

        Args:
            snapshot: the result of `snapshot`, the path of a file written by its `save`, or its
                `to_bytes()`.

        Raises:
            SnapshotError: when a file is damaged, foreign or of another version; the world is as it
                was.
            OSError: when there is no such file.
            ValueError: for a snapshot of another simulation, and anything else.
            RuntimeError: inside a step, and after `close`.
        """
        self._check("restore")
        content = None
        if isinstance(snapshot, bytes):
            content = container.unpack(KIND, snapshot)
        elif isinstance(snapshot, str | os.PathLike):
            content = container.read(snapshot, KIND)
        if content is not None:
            self._bring_up_to_date()
            self._state.load(content, self._world.entity)
            return
        if not isinstance(snapshot, Snapshot):
            raise FieldError(
                "Simulation.restore", "", snapshot, "what `snapshot` returned, or a file"
            )
        if snapshot.world is not self._state:
            raise ValueError(
                "Simulation.restore: this snapshot is one of another simulation; take its "
                "`to_bytes()`"
            )
        snapshot.restore()

    @inside
    def state_hash(self) -> str:
        """Return 32 letters that are the same for the same state, in every process on this machine.

        They depend on all components, contacts, sleep, time and the numbers of entities.
        """
        self._check("state_hash")
        self._bring_up_to_date()
        return state_hash(self._state.buffers, self._state.pipeline)

    @inside
    def component_hashes(self) -> dict[str, str]:
        """Return a hash for each class of components, to find the differences between two
        states.
        """
        self._check("component_hashes")
        self._bring_up_to_date()
        return component_hashes(self._state.buffers, self._state.pipeline)

    def checked_step(self, dt: float = 1.0 / 60.0) -> None:
        """Step, go back, step again and compare: finds processors and handlers with state that no
        snapshot holds.

        Handlers of events run twice.

        Raises:
            SnapshotError: naming the components that differ.
        """
        before = self.snapshot()
        self._step(dt)
        first = self.component_hashes()
        self.restore(before)
        self._step(dt)
        second = self.component_hashes()
        differing = sorted(
            name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
        )
        if differing:
            frame = self._state.pipeline.clock.frame
            raise SnapshotError(
                f"Simulation.checked_step: frame {frame} differs after a restore: "
                f"{', '.join(differing)}"
            )

    def _check(self, method: str) -> None:
        """Raise RuntimeError inside a step, or after `close`."""
        self._world.check_open()
        if self._is_stepping():
            raise RuntimeError(
                f"Simulation.{method}: a step is running; call it between steps, such as in "
                "Game.update or after_step"
            )
