"""IslandFinder: which bodies have come to rest together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.sleeping_contacts import find_touching
from ecs_softbody.collision.space import CollisionSpace
from ecs_softbody.components import Attachment, MouseJoint, Particles
from ecs_softbody.kernels.sleep import find_islands, join, measure_stillness
from ecs_softbody.storage import PackedBuffers

TIME_TO_SLEEP = 0.5
"""How long all bodies of an island must have been still [s]."""
STILL_DISTANCE = 0.01
LAG = 0.5
"""A still body's particles are no further than this [m] from where they were on the average of the last LAG [s] ..."""
STILL_SPEED = 0.1
"""... and their speeds have no larger root mean square than this [m/s]: resting contacts jitter by up to 0.06."""
SHARE_IN_AIR = 0.0001
"""Share of both for a body that touches nothing, such as one that swings on a rope."""

Bodies = NDArray[np.bool_]


class IslandFinder:
    """Watches how still bodies are, and finds the islands that are ready to sleep. Arrays of bodies: (slots,)."""

    def __init__(self, buffers: PackedBuffers, space: CollisionSpace) -> None:
        self._buffers, self._space, self._activity = buffers, space, space.activity
        self._pairs = np.zeros((0, 2), np.int64)

    def measure(self, frame_dt: float) -> tuple[Bodies, Bodies, NDArray[np.int64]]:
        """Watch the bodies for one frame; return who is ready to sleep, who is carried, and the pairs that touch."""
        table = self._buffers[Particles]
        rows, values = table.rows, table.values
        touching, supported, held = np.zeros((3, values.count), np.bool_)
        pair_count = 0
        if not self._space.is_empty:
            contacts = self._space.contacts
            if len(self._pairs) < contacts.count:
                self._pairs = np.zeros((contacts.capacity, 2), np.int64)
            pair_count = find_touching(
                contacts.items, contacts.data, self._space.item_body, touching, supported, self._pairs
            )
        measure_stillness(
            table.active_slots, values["first"], values["last"], rows["position"], rows["velocity"],
            rows["inverse_mass"], rows["kept_position"], touching, STILL_DISTANCE, LAG, STILL_SPEED, SHARE_IN_AIR,
            frame_dt, values["still_time"], held,
        )  # fmt: skip
        self._mark_held(held)
        ready = values["can_sleep"] & (values["still_time"] >= TIME_TO_SLEEP)
        return ready, supported | held, self._pairs[:pair_count]

    def _mark_held(self, held: Bodies) -> None:
        """Mark the bodies that joints hold to a place in the world."""
        bodies = self._buffers[Particles].rows["body"]
        for kind, chosen in ((Attachment, "to_world"), (MouseJoint, "placed")):
            table = self._buffers[kind]
            if table.bound:
                slots = table.active_slots
                held[bodies[table.values["particle_first"][slots[table.values[chosen][slots]]]]] = True

    def find_quiet(
        self, ready: Bodies, supported: Bodies, pairs: NDArray[np.int64], island: NDArray[np.int64]
    ) -> tuple[Bodies, NDArray[np.int64]]:
        """Return whose islands may sleep, sleeping bodies among them, and the island of each; island: those so far."""
        count = len(ready)
        asleep, frozen = self._activity.asleep[:count], self._activity.frozen[:count]
        ready, supported = (ready | asleep) & ~frozen, supported | asleep
        parent = np.arange(count)
        sleepers = np.flatnonzero(asleep)
        join(parent, np.column_stack((sleepers, island[sleepers])))
        join(parent, pairs)
        bound = self._buffers[Particles].bound
        for _, owners in self._buffers.links_between():
            slots = np.array([bound[owner].slot for owner in owners], np.int64)
            if not frozen[slots].any():
                join(parent, np.column_stack((slots[:-1], slots[1:])))
        quiet = np.zeros(count, np.bool_)
        find_islands(parent, ready, supported, quiet)
        return quiet, parent

    def stirred_by(self, walls: Bodies) -> NDArray[np.int64]:
        """Return the bodies that touch a wall of these, given by slot."""
        contacts, space = self._space.contacts, self._space
        edge = contacts.items[:, 1] - len(space.item_body)
        on_wall = np.flatnonzero(edge >= 0)
        stirred = on_wall[walls[space.walls.slot[edge[on_wall]]]]
        bodies: NDArray[np.int64] = space.item_body[contacts.items[stirred, 0]]
        return bodies
