"""SleepProcessor: bodies that have come to rest are left out of all kernels until something happens
to them.

Bodies fall asleep after a frame (`settle`), and wake at the start of a substep (`process`), or in
the middle of one when another body runs into them (`wake_pushed`) or a game pushes them
(ForcedWakingProcessor). While a body sleeps, the storage keeps a copy `kept_<name>` of each column
that a game may write. At the start of each frame the copies are compared with the columns, bit by
bit: a difference wakes the body.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.collision.contacts.contact import ParticleArrays
from ecs_softbody.collision.contacts.sleeping import find_pushed
from ecs_softbody.components import Particles, StaticCollider
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.kernels.motion import sleep as kernels
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.sleep.field_watch import FieldWatch
from ecs_softbody.processors.sleep.islands import Bodies, IslandFinder
from ecs_softbody.processors.solvers.force_stages import ForceStages
from ecs_softbody.processors.stage import ALL, Stage, StageContext
from ecs_softbody.storage import Table, grown
from ecs_softbody.storage.resource import Array, Flag, FlagArray, Number, Part, Version, WholeArray
from ecs_softbody.storage.saved import Saved
from ecs_softbody.validation import LONGEST_FRAME

NEAR = 0.02
"""A wall that changed wakes the bodies within this distance [m]."""

WORD = 8
"""Bytes of a word: most columns have elements of that size, which are compared at once, not byte by
byte.
"""
Watched = tuple[Integers, Integers, Integers, int, NDArray[Any], NDArray[Any], Integers]
"""(slots, first, last, width, now, kept, body): one column of a table that a game may write to, for
the comparison with its copy.

slots (K,): which components are compared. first, last (slots of the table,): slot s has the rows
[first[s], last[s]). now, kept: the column and its copy, flat, as words of 8 bytes (or as bytes);
width: words in a row. body (slots of the table,): slot in Particles of the body of each slot, which
wakes.
"""


class SleepProcessor(Stage):
    """Wakes sleeping bodies when a game or a wall has changed anything for them. Runs at
    Order.WAKING.

    An island is a set of bodies that contacts, springs, joints or forces between them join. It
    falls asleep as a whole, in `settle`, when each body has been still for long enough and a wall
    or a fixed particle supports the island; without gravity it needs no support. It wakes as a
    whole. Arrays of bodies are indexed by their slot in Particles.
    """

    order = Order.WAKING
    reads = ALL
    writes = (
        "Activity",
        "CollisionSpace",
        "Particles.still_time",
        "StaticCollider.kept_pivot",
        "StaticCollider.kept_vertices",
    )
    resource = "sleep"
    saved = (
        Version("version", "That of the packed rows that it knows."),
        Array("seen_gravity", (2,), "Gravity a frame ago.", unit="m/s²"),
        WholeArray(
            "island", "bodies", "Slot of the body that names its island.", below="island_room"
        ),
        Array("box", ("boxes", 4), "Low x, low y, high x, high y of what sleeps.", unit="m"),
        Part("islands", "Bodies that sleep together.", IslandFinder),
        Part("fields", "Fields that may wake sleepers.", FieldWatch),
        FlagArray("changed", "walls", "Walls that have changed since the last frame began."),
        Number("frame_dt", "Length of the last frame.", least=0.0, most=LONGEST_FRAME, unit="s"),
        Flag("enabled", "Whether bodies may fall asleep."),
    )

    def __init__(self, context: StageContext, forces: ForceStages) -> None:
        buffers = context.buffers
        space = context.space
        # Version of the packed buffers (`PackedBuffers.version`) that was seen last.
        self.version = -1
        # The lists of columns below are made again when their key changes: versions of all that
        # they depend on.
        self._walls_key = (-1, -1)
        self._watched_key = (-1, -1, -1)
        self._watched: list[Watched] = []
        self._walls: list[Watched] = []
        self.changed = np.zeros(0, np.bool_)
        """Walls that have changed since the beginning of the last frame: bodies sleeping on them
        wake in the next.
        """
        self._buffers = buffers
        self._space = space
        self._forces = forces
        self._activity = space.activity
        self._gravity = context.gravity
        self.seen_gravity = context.gravity.copy()
        self.island = np.zeros(0, np.int64)
        """Of each body that sleeps: slot of the body that names its island. Others: no meaning."""
        self.box = np.zeros((0, 4))
        """Of each body that sleeps: low x, low y, high x, high y of its discs [m]."""
        self.islands = IslandFinder(buffers, space, forces)
        self.fields = FieldWatch(buffers, forces)
        self.frame_dt = 0.0
        """Length of the last frame [s]."""
        self.enabled = True
        """Whether bodies may fall asleep."""

    def load(self, saved: Saved) -> None:
        """Load the sleeping bodies and their waking conditions; the activity is loaded already."""
        capacity = len(self._activity.asleep)
        saved.lengths["island_room"] = max(capacity, 1)
        super().load(saved)
        self.island, self.box = (
            grown(self.island[:capacity], capacity),
            grown(self.box[:capacity], capacity),
        )
        self.changed = self.changed[: self._buffers[StaticCollider].values.capacity]

    @property
    def asleep_count(self) -> int:
        """Number of sleeping bodies."""
        return len(self._activity.sleepers)

    def is_asleep(self, entity: int) -> bool:
        """Return whether the body of an entity sleeps."""
        body = self._buffers[Particles].bound.get(entity)
        return (
            body is not None
            and body.slot < len(self._activity.asleep)
            and bool(self._activity.asleep[body.slot])
        )

    def wake(self, entity: int) -> None:
        """Wake the island of an entity."""
        if self.is_asleep(entity):
            self.wake_bodies(np.array([self._buffers[Particles].bound[entity].slot], np.int64))

    def process(self, dt: float) -> None:
        """Wake the bodies that something has happened to.

        In each substep: bodies whose components came or went, or whose wall did. At the start of a
        frame also: bodies that a game has written to, near walls that move or were written to, in
        the region of a field that changed, and in reach of an awake body's force.
        """
        if self.version != self._buffers.version:
            self.version = self._buffers.version
            # Slots of sleepers that were removed: the rest of their island has lost a member.
            gone = self._activity.notice_structure()
            self._reserve()
            if not self._activity.is_whole:
                self.wake_bodies(np.append(gone, self._restructured()))
            self._buffers.restructured.clear()
        if self._buffers.frame_start:
            fields = self.fields.find_changed()
            if self.asleep_count:
                self._wake_changed()
                self._wake_within(fields)
                self.wake_bodies(self._forces.stirred_bodies(self._activity.asleep))
            self.changed[:] = False
            self.seen_gravity[:] = self._gravity

    def _reserve(self) -> None:
        """Make room for as many bodies as the activity has flags."""
        capacity = len(self._activity.asleep)
        if len(self.island) < capacity:
            self.island, self.box = grown(self.island, capacity), grown(self.box, capacity)

    def _restructured(self) -> NDArray[np.int64]:
        """Return the bodies, by slot, that got or lost a component, or sleep on a wall now gone."""
        bound = self._buffers[Particles].bound
        entities = sorted(self._buffers.restructured)
        slots = [bound[entity].slot for entity in entities if entity in bound]
        walls = self._space.sleeping.bodies_off(
            self._buffers[StaticCollider].values.arrays["entity"]
        )
        return np.append(np.array(slots, np.int64), walls)

    def _wake_changed(self) -> None:
        """Wake the bodies that a game has written to, the ones near moved walls, or all if gravity
        changed.
        """
        asleep = self._activity.asleep
        if not self.enabled or not np.array_equal(self._gravity, self.seen_gravity):
            self.wake_bodies(self._activity.sleepers)
            return
        written = np.zeros(len(asleep), np.bool_)
        # Lists of columns are made again only when structure, the set of sleeping bodies or the
        # memory of a column changes.
        key = self.version, self._activity.changes, self._buffers.replaced.count
        if self._watched_key != key:
            self._watched_key = key
            self._watched = list(self._words_of_bodies(asleep))
        for column in self._watched:
            find_written(column, written)
        changed = self._changed_walls()
        if changed.any():
            written[self._space.sleeping.bodies_on(changed)] = True
            self._mark_near(changed, written)
        self.wake_bodies(flatnonzero(written))

    def _wake_within(self, boxes: Floats) -> None:
        """Wake the bodies that overlap one of the boxes (B, 4)."""
        for low_x, low_y, high_x, high_y in boxes:
            sleepers = self._activity.sleepers
            box = self.box[sleepers]
            apart = (
                (box[:, 0] > high_x)
                | (box[:, 1] > high_y)
                | (box[:, 2] < low_x)
                | (box[:, 3] < low_y)
            )
            self.wake_bodies(sleepers[~apart])

    def _changed_walls(self) -> Bodies:
        """Return which walls move or were written to since the last frame began; shape
        (capacity,).
        """
        table = self._buffers[StaticCollider]
        if len(self.changed) < table.values.capacity:
            self.changed = grown(self.changed, table.values.capacity)
        changed = self.changed
        key = self.version, self._buffers.replaced.count
        if self._walls_key != key:
            self._walls_key = key
            slots = arange(table.values.count)
            self._walls = list(words_of(table, slots, slots))
        for column in self._walls:
            find_written(column, changed)
        if changed.any():
            for column in self._walls:
                remember(column)
        values = table.values
        changed[: values.count] |= values["velocity"].any(axis=1)
        changed[: values.count] |= (values["angular_velocity"] != 0.0) | (
            values["surface_velocity"] != 0.0
        )
        return changed

    def _words_of_bodies(self, chosen: Bodies) -> Iterator[Watched]:
        """Yield the columns that a game may write to, of all components of these bodies."""
        for table in self._buffers.tables.values():
            if table.component_type.needs_particles:
                body = self._activity.bodies_of(table).astype(np.int64)
                slots = flatnonzero(chosen[body] & (table.values["particle_last"] > 0))
                if len(slots):
                    yield from words_of(table, slots, body)

    def _mark_near(self, walls: Bodies, near: Bodies) -> None:
        """Mark the sleeping bodies whose box is near the box of a wall after the frame."""
        table = self._buffers[StaticCollider]
        box = self.box
        sleepers = self._activity.sleepers
        for slot in flatnonzero(walls[: table.values.count]):
            vertices = table.rows["vertices"][
                table.values["first"][slot] : table.values["last"][slot]
            ]
            if len(vertices):
                # How far the wall gets in a frame: its drift, and its rotation at the vertex that
                # is furthest from the pivot.
                arm = lengths(vertices - table.values["pivot"][slot]).max()
                speed = np.abs(table.values["velocity"][slot]) + arm * abs(
                    table.values["angular_velocity"][slot]
                )
                margin = table.values["radius"][slot] + NEAR + speed * self.frame_dt
                low = vertices.min(axis=0) - margin
                high = vertices.max(axis=0) + margin
                apart = (box[sleepers, :2] > high).any(axis=1) | (box[sleepers, 2:] < low).any(
                    axis=1
                )
                near[sleepers[~apart]] = True

    def wake_pushed(self, dt: float) -> bool:
        """Wake the sleeping bodies that others run into in this substep; return whether there are
        any.
        """
        contacts = self._space.contacts
        asleep = self._activity.asleep
        if not (contacts.count and len(self._activity.sleepers)):
            return False
        pushed = np.zeros(len(asleep), np.bool_)
        motion = self._buffers[Particles].rows.group(ParticleArrays)
        proxies = self._space.proxies
        if not find_pushed(
            contacts.arrays, proxies.body, asleep, motion, proxies.radius, dt, pushed
        ):
            return False
        self.wake_bodies(flatnonzero(pushed), dt)
        return True

    def wake_bodies(self, bodies: NDArray[np.int64], dt: float | None = None) -> NDArray[np.int64]:
        """Wake the islands of these bodies, given by slot, and return the slots of all that woke.

        dt: given in the middle of a substep, after the force stages have run: then also compute the
        forces on the woken bodies.
        """
        asleep = self._activity.asleep
        bodies = bodies[asleep[bodies]]
        if not len(bodies):
            return bodies
        # Islands wake as a whole: body by body, a tower would wake from the bottom upwards, and
        # each sleeping box would hang in the air for a substep.
        woken = asleep & np.isin(self.island, self.island[bodies])
        asleep &= ~woken
        slots = flatnonzero(woken)
        self._buffers[Particles].values["still_time"][
            slots[slots < self._buffers[Particles].values.count]
        ] = 0.0
        self._space.sleeping.wake(woken)
        self._activity.apply()
        if dt is not None:
            # The force stages of this substep have left these bodies out: without their forces a
            # hit would give a sleeping body another momentum than an awake one.
            self._forces.run_for(slots, dt)
        return slots

    def settle(self, frame_dt: float) -> None:
        """After a frame of frame_dt seconds: let the islands that have come to rest fall asleep.

        A body is ready when it has been still long enough; it is supported by a wall, a fixed
        particle, a joint to the world, or water. An island sleeps when all of its bodies are ready
        and at least one is supported.
        """
        self.frame_dt = frame_dt
        if not self.enabled or not self._buffers[Particles].values.count:
            return
        ready, supported, pairs = self.islands.measure(frame_dt)
        ready &= ~self._activity.mending[: len(ready)]
        # This is a cheap answer for heaps that still move: all that follows is left out in most of
        # their frames.
        if not self.islands.may_some_sleep(ready, pairs, self.island):
            return
        if not self._space.is_empty:
            changed = self._changed_walls()
            if changed.any():
                ready[self.islands.stirred_by(changed)] = False
        # Under gravity only supported islands sleep: no body is caught at the top of its flight, or
        # while it sinks slowly through thick air.
        if not self._gravity.any():
            supported[:] = True
        may_sleep, island = self.islands.find_sleep_candidates(ready, supported, pairs, self.island)
        asleep = self._activity.asleep[: len(may_sleep)]
        newly = may_sleep & ~asleep
        # Each body is examined before it sleeps: awake ones are examined in turn, and damage would
        # be kept until something wakes the body.
        if newly.any() and self._is_whole(newly):
            self.island[: len(may_sleep)][may_sleep] = island[may_sleep]
            self._put_to_sleep(newly)

    def _is_whole(self, newly: Bodies) -> bool:
        """Return whether none of these bodies is damaged; damaged bodies are mended first."""
        return self._space.is_empty or self._space.interpenetrations.damage.examine(
            newly, self._space.proxies
        )

    def _put_to_sleep(self, newly: Bodies) -> None:
        """Stop these bodies, leave them out from now on, and keep copies of their columns."""
        table = self._buffers[Particles]
        rows = table.rows
        theirs = newly[rows["body"]]
        # A sleeping body is a wall for contacts: it must not move, turn, or seem to have moved.
        rows["velocity"][theirs] = 0.0
        rows["angular_velocity"][theirs] = 0.0
        rows["previous_position"][theirs] = rows["position"][theirs]
        self._activity.asleep[: len(newly)] |= newly
        self._activity.apply()
        self._space.sleeping.take_from(self._space.view, self._activity.asleep)
        for slot in flatnonzero(newly):
            position = rows["position"][table.values["first"][slot] : table.values["last"][slot]]
            margin = rows["radius"][table.values["first"][slot] : table.values["last"][slot]].max()
            self.box[slot] = *(position.min(axis=0) - margin), *(position.max(axis=0) + margin)
        # This comes last: writes of the engine above must not count as writes of a game.
        for column in self._words_of_bodies(newly):
            remember(column)

    def rehearse(self, dt: float) -> None:
        """Put every body to sleep and wake it again, which compiles the kernels."""
        self.settle(dt)
        everybody = np.ones(self._buffers[Particles].values.count, np.bool_)
        nobody = np.zeros((0, 2), np.int64)
        self.islands.may_some_sleep(everybody, nobody, self.island)
        self.islands.find_sleep_candidates(everybody, everybody, nobody, self.island)
        self._put_to_sleep(everybody)
        self.wake_pushed(dt)
        self._wake_changed()
        self.wake_bodies(flatnonzero(everybody))


def words_of(table: Table, slots: NDArray[np.int64], body: NDArray[np.int64]) -> Iterator[Watched]:
    """Yield a `Watched` for each column and value of a table that a game may write.

    slots: the components to compare; body: slot of the body of every slot of the table.
    """
    values = table.values
    every = arange(values.count)
    first, last = (values[name].astype(np.int64) for name in ("first", "last"))
    for name in table.written_columns:
        now = table.rows[name]
        kept = table.rows[f"kept_{name}"]
        if len(now):  # no component has a row: there is nothing to compare
            yield slots, first, last, width_of(now), as_words(now), as_words(kept), body
    for name in table.written_values:
        now = values[name]
        kept = values[f"kept_{name}"]
        yield slots, every, every + 1, width_of(now), as_words(now), as_words(kept), body


def as_words(array: NDArray[Any]) -> NDArray[Any]:
    """Return a flat view of an array (N,) or (N, W) as whole numbers: one of eight bytes for each
    element of that size, else single bytes. Compared as numbers of this kind, NaN equals itself.
    """
    return array.reshape(-1).view(np.uint64 if array.itemsize == WORD else np.uint8)


def width_of(array: NDArray[Any]) -> int:
    """Return how many elements of `as_words` a row of the array has."""
    elements = 1 if array.ndim == 1 else array.shape[1]
    return elements if array.itemsize == WORD else elements * array.itemsize


def find_written(column: Watched, written: Bodies) -> None:
    """Mark the bodies whose words differ from the kept ones."""
    find = kernels.find_written_words if column[4].itemsize == WORD else kernels.find_written_bytes
    find(*column, written)


def remember(column: Watched) -> None:
    """Copy the column to its kept twin, so that later writes differ from it."""
    keep = kernels.remember_words if column[4].itemsize == WORD else kernels.remember_bytes
    keep(*column)
