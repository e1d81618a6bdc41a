"""IslandFinder: which bodies have come to rest together, for SleepProcessor, after each frame.

Bodies that touch, or that springs, joints or forces join, form an island: the graph of all these
pairs is divided into connected sets by union-find, in an array `parent` (bodies,), where parent[b]
leads to the body that names the set of b. An island may sleep if each of its bodies is still and at
least one is supported.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.contacts.sleeping import find_touching
from ecs_softbody.collision.pipeline import CollisionSpace
from ecs_softbody.components import Attachment, Collider, MouseJoint, Particles
from ecs_softbody.geometry.outlines import LOOP
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.kernels.motion.sleep import (
    Resting,
    RestingBodies,
    Stillness,
    find_islands,
    join,
    may_some_sleep,
    measure_stillness,
)
from ecs_softbody.processors.solvers.force_stages import ForceStages
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.resource import FlagArray, Resource, Row, Version, Whole
from ecs_softbody.storage.saved import Saved

TIME_TO_SLEEP = 0.5
"""An island falls asleep when all of its bodies have been still for this long [s].

It is scaled by √size, the next three constants by size: the values are for a body of 1 m. The same
values for all sizes let a blob of 1 cm sleep half crushed, and one of 100 m never.
"""
STILL_DISTANCE = 0.01
"""Largest distance of a still body's particles from their anchors [m] (see IslandFinder).

A tower at rest trembles by 1.3 mm; a body that creeps with the speed v is v × `LAG` ahead of its
anchors. So a creep below 2 cm/s counts as rest, and a box that begins to slide at 28 degrees does
not.
"""
LAG = 0.5
"""The anchor of a particle follows its position with this time constant [s]."""
STILL_SPEED = 0.1
"""Largest root mean square speed of a still body's particles [m/s]; towers of ten boxes at rest
tremble at 0.03 to 0.06. Alone it would also stop bodies that creep: hence the distance.
"""
SHARE_IN_AIR = 0.0001
"""Factor of both limits for a body without contacts, for example one that swings on a rope: nothing
trembles in the air, and a hung mass comes within 1e-6 m of its closed form before it sleeps.
"""
SHARE_AFLOAT = 0.005
"""Factor of both limits for a body in water that touches nothing else: 50 µm. Its waves decay
slowly, and it has to keep its exact draught.
"""

Bodies = NDArray[np.bool_]


class IslandFinder(Resource):
    """Measures how still bodies are, and finds the islands that are ready to sleep. Arrays of
    bodies: (slots,).

    The anchor of a particle is its column `kept_position`: while the body is awake it follows the
    position with a lag; when the body falls asleep it is set to the position, so that later writes
    by a game differ from it.
    """

    saved = (
        Row(
            "solid_key",
            "Version of the packed rows, and bodies then.",
            Version("version"),
            Whole("bodies"),
        ),
        FlagArray("solid_bodies", "bodies", "Whether a body was solid then."),
    )

    def __init__(self, buffers: PackedBuffers, space: CollisionSpace, forces: ForceStages) -> None:
        self._buffers = buffers
        self._space = space
        self._forces = forces
        self._activity = space.activity
        self._pairs = np.zeros((0, 2), np.int64)
        """Workspace: pairs of bodies that touch, by slot."""
        self.solid_key = (-1, -1)
        """Version of the packed buffers, and count of bodies, for which `solid_bodies` holds."""
        self.solid_bodies = np.zeros(0, np.bool_)
        """Whether a body has a closed outline or is a single disc."""

    def load(self, saved: Saved) -> None:
        """Load which bodies were solid when bodies last came or went."""
        key, solid = self.saved
        key.load(self, saved)
        saved.lengths["bodies"] = max(self.solid_key[1], 0)
        solid.load(self, saved)

    def measure(self, frame_dt: float) -> tuple[Bodies, Bodies, NDArray[np.int64]]:
        """Measure how still each body was in a frame of frame_dt seconds.

        Return which bodies (slots,) are ready to sleep, which are supported, and the pairs (P, 2)
        of bodies that touch, by slot.
        """
        table = self._buffers[Particles]
        rows = table.rows
        values = table.values
        # For each body: whether it touches anything; whether a wall pushes it;
        # whether it has a fixed particle, or a joint to the world.
        touching, supported, held = np.zeros((3, values.count), np.bool_)
        pair_count = 0
        if not self._space.is_empty:
            contacts = self._space.contacts
            if len(self._pairs) < contacts.count:
                self._pairs = np.zeros((contacts.capacity, 2), np.int64)
            pair_count = find_touching(
                contacts.arrays, self._space.proxies.body, touching, supported, self._pairs
            )
        afloat = self._afloat(values.count)
        # Factor of the limits of distance and speed, for each body.
        share = np.where(touching, 1.0, np.where(afloat, SHARE_AFLOAT, SHARE_IN_AIR))
        limits = Stillness(STILL_DISTANCE, LAG, STILL_SPEED)
        bodies = values.group(RestingBodies)
        solid = self._solid(values.count)
        measure_stillness(
            table.active_slots, rows.group(Resting), bodies, share, solid, held, limits, frame_dt
        )
        self._mark_held(held)
        ready = values["can_sleep"] & (values["still_time"] >= TIME_TO_SLEEP)
        supported |= held | afloat | (values["gravity_scale"] == 0.0)
        return ready, supported, self._pairs[:pair_count]

    def _solid(self, count: int) -> Bodies:
        """Return which bodies have a closed outline or are a single disc; shape (count,)."""
        if self.solid_key != (self._buffers.version, count):
            self.solid_key = (self._buffers.version, count)
            particles = self._buffers[Particles].values
            self.solid_bodies = particles["last"][:count] - particles["first"][:count] == 1
            if not self._space.is_empty:
                proxies = self._space.proxies
                self.solid_bodies[proxies.body[proxies.outlines.kind >= LOOP]] = True
        return self.solid_bodies

    def _afloat(self, count: int) -> Bodies:
        """Return which bodies water supports; shape (count,)."""
        colliders = self._buffers[Collider]
        afloat = np.zeros(count, np.bool_)
        wet = colliders.values["submerged_area"] > 0.0
        if wet.any():
            afloat[self._activity.bodies_of(colliders)[wet]] = True
        return afloat

    def _mark_held(self, held: Bodies) -> None:
        """Mark the bodies that joints attach to the world."""
        bodies = self._buffers[Particles].rows["body"]
        for kind, chosen in ((Attachment, "to_world"), (MouseJoint, "placed")):
            table = self._buffers[kind]
            if table.bound:
                slots = table.active_slots
                held[bodies[table.values["particle_first"][slots[table.values[chosen][slots]]]]] = (
                    True
                )

    def may_some_sleep(
        self, ready: Bodies, pairs: NDArray[np.int64], island: NDArray[np.int64]
    ) -> bool:
        """Return whether contacts alone leave any body that could fall asleep, with arguments as
        for `find_sleep_candidates`.

        In a heap that still moves, some body is ready in most frames, and nearly always touches one
        that is not.
        """
        asleep = self._activity.asleep[: len(ready)]
        if not (ready & ~asleep).any():
            return False
        parent, ready = self._joined_by_contacts(ready, pairs, island)
        return may_some_sleep(parent, ready, asleep, np.zeros(len(ready), np.bool_))

    def _joined_by_contacts(
        self, ready: Bodies, pairs: NDArray[np.int64], island: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], Bodies]:
        """Return `parent` after joining bodies that touch and islands that sleep already, and which
        bodies are ready or asleep, and not frozen.
        """
        count = len(ready)
        asleep = self._activity.asleep[:count]
        frozen = self._activity.frozen[:count]
        parent = arange(count)
        sleepers = flatnonzero(asleep)
        join(parent, np.column_stack((sleepers, island[sleepers])))
        join(parent, pairs)
        return parent, (ready | asleep) & ~frozen

    def find_sleep_candidates(
        self, ready: Bodies, supported: Bodies, pairs: NDArray[np.int64], island: NDArray[np.int64]
    ) -> tuple[Bodies, NDArray[np.int64]]:
        """Return which bodies may sleep or do so already, and the island of each: the slot of the
        body that names it.

        ready, supported, pairs: as `measure` returns them; island: of the bodies asleep so far.
        """
        count = len(ready)
        frozen = self._activity.frozen[:count]
        supported = supported | self._activity.asleep[:count]
        parent, ready = self._joined_by_contacts(ready, pairs, island)
        join(parent, self._forces.joined_bodies())
        bound = self._buffers[Particles].bound
        for _, owners in self._buffers.links_between():
            slots = np.array([bound[owner].slot for owner in owners], np.int64)
            if not frozen[slots].any():
                join(parent, np.column_stack((slots[:-1], slots[1:])))
        may_sleep = np.zeros(count, np.bool_)
        find_islands(parent, ready, supported, may_sleep)
        return may_sleep, parent

    def stirred_by(self, walls: Bodies) -> NDArray[np.int64]:
        """Return the bodies that touch one of the walls marked in `walls` (slots,)."""
        contacts = self._space.contacts
        space = self._space
        # A contact has a body in column 0 of `proxies`; in column 1 it has another body, or, from
        # the number of bodies on, an edge of a wall.
        edge = contacts.proxies[:, 1] - len(space.proxies.body)
        on_wall = flatnonzero(edge >= 0)
        stirred = on_wall[walls[space.walls.edges.wall[edge[on_wall]]]]
        bodies: NDArray[np.int64] = space.proxies.body[contacts.proxies[stirred, 0]]
        return bodies
