"""CollisionSpace: the arrays that the collision kernels share, and the order in which they are called."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision import response
from ecs_softbody.collision.attached import AttachedBodies
from ecs_softbody.collision.block_carrying import carry_blocks
from ecs_softbody.collision.block_passes import correct_blocks, refresh_blocks
from ecs_softbody.collision.block_rounds import solve_blocks
from ecs_softbody.collision.blocks import Blocks
from ecs_softbody.collision.bounds import has_outrun, have_walls_outrun
from ecs_softbody.collision.busy import Busy
from ecs_softbody.collision.contacts import ContactList, Contacts, Impulses
from ecs_softbody.collision.disc_contacts import find_disc_contacts
from ecs_softbody.collision.items import Items
from ecs_softbody.collision.materials import begin_frame
from ecs_softbody.collision.narrow_phase import find_contacts, find_own_contacts
from ecs_softbody.collision.one_way import OneWayStates
from ecs_softbody.collision.pair_finder import PairFinder
from ecs_softbody.collision.report import describe
from ecs_softbody.collision.rolling import resist_rolling
from ecs_softbody.collision.sensors import Sensors
from ecs_softbody.collision.shared_finding import LEAST_PAIRS, SharedFinding
from ecs_softbody.collision.shared_sweep import share_sweep
from ecs_softbody.collision.sleeping_contacts import SleepingContacts, joined
from ecs_softbody.collision.static_edges import StaticEdges
from ecs_softbody.collision.sweep import sweep_bodies
from ecs_softbody.collision.tangled_pairs import TangledPairs
from ecs_softbody.collision.touch_tracker import TouchTracker
from ecs_softbody.collision.wall_contacts import find_wall_contacts
from ecs_softbody.kernels.workers import Workers
from ecs_softbody.storage import Activity, Table


class CollisionSpace:
    """Finds contacts, solves their impulses, and corrects what is left after the move."""

    def __init__(
        self,
        particles: Table,
        colliders: Table,
        static_colliders: Table,
        attachments: Table,
        gravity: NDArray[np.float64],
        activity: Activity,
    ) -> None:
        self.bodies = particles
        self._gravity = gravity
        self.activity = activity
        self.sleeping = SleepingContacts()
        self.particles = particles.rows
        self.colliders = colliders
        self.static_colliders = static_colliders
        self._attached = AttachedBodies(attachments, particles)
        self.walls = StaticEdges(static_colliders)
        self.items = Items(particles, colliders, self.walls, activity)
        self.one_way = OneWayStates()
        self.speed_limit = math.inf
        self.iterations = 4
        """Rounds of sequential impulses in a substep."""
        self.contacts = ContactList()
        self._spare = ContactList()
        self.blocks = Blocks()
        self.workers, self._shared = Workers(), SharedFinding()
        self._busy, self._spins = Busy(), np.zeros((2, 5))
        self.sensors = Sensors(particles, colliders, static_colliders)
        self.tracker = TouchTracker(self)
        self.tangles = TangledPairs(colliders.values, self.particles, self.walls)
        self._last_dt = 0.0
        self._version = self._changes = -1
        self._pairs, self._impulses = PairFinder(), Impulses()
        self._near, self._fast = np.zeros(0, np.uint32), np.zeros(0, np.bool_)
        self._predicted = np.zeros((0, 2))
        self._has_outrun: Callable[[float, bool], bool]
        self.searches = 0
        """How often contacts have been looked for."""
        self._corrected = -1
        self._correcting: tuple[Any, ...] = ()
        self._sweeping: tuple[Any, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing that takes part can touch anything."""
        return not self.colliders.bound or not len(self.colliders.active_slots)

    @property
    def offset(self) -> int:
        """The row of the first static vertex: rows below are particles."""
        return self.items.offset

    @property
    def weight(self) -> NDArray[np.float64]:
        """The inverse mass of every row when the frame began or later, 0 for walls and sleepers."""
        return self.items.weight

    @property
    def reach(self) -> NDArray[np.float64]:
        """Reach of every row, particles and vertices of walls [m]."""
        return self.items.reach

    @property
    def item_body(self) -> NDArray[np.int64]:
        """Slot in the table of Particles of every item that is a body."""
        return self.items.body

    @property
    def pair_count(self) -> int:
        """Number of pairs of bodies, or of a body and a static edge, that are near each other."""
        return self._pairs.count

    def is_up_to_date(self, version: int) -> bool:
        """Whether the rows of contacts still count the packed rows."""
        return self._is_same(version) and not self.is_empty

    @property
    def has_searched(self) -> bool:
        """Whether contacts have ever been looked for."""
        return self._version >= 0

    def _is_same(self, version: int) -> bool:
        return self._version == version and self._changes == self.activity.changes

    def find(self, version: int, frame_dt: float, dt: float, *, new_frame: bool) -> None:
        """Find the contacts anew if structure changed, something has gone far, or the old ones will not do."""
        if not self.is_settled(version, dt, new_frame=new_frame):
            self.prepare(version, frame_dt, dt)
            self.find_pairs()
            self.find_contacts(new_frame=new_frame)
        elif new_frame:
            contacts, items = self.contacts, self.items
            begin_frame(contacts.rows, contacts.items, contacts.data, items.body_count, items.friction)

    def is_settled(self, version: int, dt: float, *, new_frame: bool) -> bool:
        """Whether the contacts that were found last will do for another substep."""
        items, walls = self.items, self.walls
        if not self._is_same(version) or walls.has_changed():
            return False
        if new_frame and (items.collect() or self._must_look()):
            return False
        if self._has_outrun(dt, new_frame):
            return False
        return not have_walls_outrun(
            walls.vertices, walls.vertex_velocity, items.place, items.offset, dt, walls.way
        )  # fmt: skip

    def _must_look(self) -> bool:
        """Tell whether there is something that has to be judged anew in every frame."""
        if self.one_way.is_watching or self._attached.has_changed():
            return True
        return self.tangles.is_busy or self.tangles.look(self._pairs.pairs, self.items)

    def prepare(self, version: int, frame_dt: float, dt: float) -> None:
        """Bring the arrays of bodies and walls up to date."""
        items, before = self.items, self.items.offset
        if not self._is_same(version):
            items.restructure()
            self._version, self._changes = version, self.activity.changes
            walls_of = self.contacts.rows >= before
            self.contacts.rows[walls_of] += np.uint32(items.offset) - np.uint32(before)
            self._predicted = np.zeros((len(items.place), 2))
            self._near = np.zeros(2 * int((items.last - items.first).max(initial=1)), np.uint32)
            self._fast = np.zeros(items.body_count, np.bool_)
            bodies, particles = self.colliders.values, self.particles
            self._has_outrun = partial(
                has_outrun, self.bodies.active_rows, self.colliders.active_slots, bodies["particle_first"],
                bodies["particle_last"], items.self_collision, particles["position"], particles["velocity"],
                items.place, items.limits, items.own_margin,
            )  # fmt: skip
        items.collect()
        items.bound(frame_dt, dt, self.workers)

    def find_pairs(self) -> None:
        """List the pairs of items whose boxes overlap, without the one-way walls that are open to a body."""
        items, pairs = self.items, self._pairs
        pairs.find(items.box, items.body_count, items.category, items.mask, items.still)
        if self.one_way.is_needed(self.walls):
            before = self.particles["position"] - self._last_dt * self.particles["velocity"]
            pairs.keep(self.one_way.find_solid(pairs.pairs, self.colliders.values["entity"], self.walls, items, before))
        if self._attached.are_any and pairs.count:
            pairs.keep(~self._attached.holds(pairs.pairs, items.body))
        self.tangles.find(pairs.pairs, items)
        if self.tangles.marks.any():  # no contacts, and no sweep either
            pairs.keep(~self.tangles.marks)
        pairs.sort(items.body_count, items.ringed)

    def find_contacts(self, *, new_frame: bool) -> None:
        """List the contacts of all pairs, with the impulses that the old ones had."""
        old, new, items = self.contacts, self._spare, self.items
        self.sleeping.give_to(old, self)
        bodies = self.colliders.values
        self.blocks.divide(items.box, self.colliders.active_slots, bodies["particle_first"], bodies["particle_last"])
        needed = self._fill(new.all_rows, new.all_items)
        if needed > new.capacity:
            new.grow(needed)
            self._fill(new.all_rows, new.all_items)
        new.count = needed
        self.blocks.sort(new, self.workers)
        self._share(
            carry_blocks, self.blocks.start, old.rows, old.items, old.data, new.rows, new.items, new.data,
            *self._impulses.room(old, items.offset + self.walls.vertex_capacity), items.offset, items.body_count,
            items.friction, items.restitution, items.reach,
        )  # fmt: skip
        if new_frame:
            new.data[:, response.FRAME_IMPULSE] = 0.0
        self.tracker.note_search(old, new_frame=new_frame)
        self.contacts, self._spare = new, old
        self.searches += 1

    def _fill(self, rows: NDArray[np.uint32], found: NDArray[np.int64]) -> int:
        """Write the rows and the items of contacts that there is room for; return how many there are."""
        items, walls, pairs = self.items, self.walls, self._pairs
        outlines = items.points, items.first, items.last
        if self.workers.are_used and len(pairs.disc_pairs) >= LEAST_PAIRS:
            count = self.share_discs(rows, found, self.workers)
        else:
            count = find_disc_contacts(
                pairs.disc_pairs, items.place, items.reach, *outlines, items.box, items.margin, self._near,
                rows, found, 0,
            )  # fmt: skip
        count = find_contacts(
            pairs.outline_pairs, items.place, items.reach, *outlines, items.ringed, items.closed, items.box,
            items.margin, rows, found, count,
        )  # fmt: skip
        count = find_wall_contacts(
            pairs.wall_pairs, items.body_count, items.place, items.reach, *outlines, items.ringed, items.closed,
            items.box, items.margin, walls.edges, walls.corner, rows, found, count,
        )  # fmt: skip
        return find_own_contacts(
            items.self_collision, items.still, self.tangles.knotted, items.place, items.reach, *outlines,
            items.ringed, items.closed, items.box, items.margin, items.own_margin, rows,
            found, count,
        )  # fmt: skip

    def share_discs(self, rows: NDArray[np.uint32], found: NDArray[np.int64], workers: Workers) -> int:
        """Write the contacts of two bodies without outlines, found by all threads, as `_fill` does."""
        items = self.items
        arrays = items.place, items.reach, items.points, items.first, items.last, items.box, items.margin
        return self._shared.find_disc_contacts(workers, self._pairs.disc_pairs, arrays, len(self._near), rows, found)

    def solve(self, dt: float) -> None:
        """Add the contact forces of a substep to the particles' force."""
        if self.walls.is_moving:
            self.walls.find_velocities(dt)
        self.tangles.drive_apart(dt)
        if self.contacts.count:
            self.refresh(dt)
            self.push(dt)

    def refresh(self, dt: float) -> None:
        """Bring all contacts up to the present positions."""
        contacts, particles, walls = self.contacts, self.particles, self.walls
        self._predicted[self.offset :] = walls.vertex_velocity
        busy = self._busy
        if busy.capacity < contacts.count:
            busy.reserve(contacts.capacity)
        blocks = self.blocks
        self._share(
            refresh_blocks, blocks.start, blocks.spans, blocks.span_start, blocks.span_stop, contacts.rows,
            contacts.items, contacts.data, particles["position"],
            particles["velocity"], particles["inverse_mass"], particles["force"],
            (walls.vertices, walls.before, walls.after, walls.spin, walls.belt), self.colliders.values.count,
            self.offset, self._predicted, self.weight, self.reach, dt,
            (busy.disc_rows, busy.discs, busy.edge_rows, busy.edges, busy.idle), busy.counts,
        )  # fmt: skip

    def _share(self, kernel: Callable[..., None], *args: object) -> None:
        """Run a job over the blocks, with other threads where it pays."""
        together = self.workers.are_used and self.blocks.strips > 1
        (self.workers.run if together else self.workers.run_alone)(kernel, *args)

    def push(self, dt: float) -> None:
        """Solve the impulses of all contacts and add them to the particles' force."""
        contacts, busy = self.contacts, self._busy
        self._share(
            solve_blocks, self.blocks.start, contacts.rows, contacts.data, self._predicted, self.weight, self.offset,
            dt, self.iterations, busy.disc_rows, busy.discs, busy.edge_rows, busy.edges, busy.idle, busy.counts,
            busy.change, self.particles["force"],
        )  # fmt: skip

    def correct(self, dt: float) -> None:
        """After the move: push out, bounce, and bring back what passed a wall."""
        if self._corrected != self.searches:
            self._corrected = self.searches
            self._gather_for_correction()
        if self.contacts.count:
            fall_x, fall_y = 0.5 * dt * self._gravity.item(0), 0.5 * dt * self._gravity.item(1)
            self._share(correct_blocks, *self._correcting, dt, fall_x, fall_y, self.speed_limit)
        if self.walls.edge_count:
            arguments = (*self._sweeping, dt)
            if self.workers.are_used:
                self.workers.run(share_sweep, *arguments)
            else:
                sweep_bodies(0, self.items.body_count, *arguments)
        self._last_dt = dt

    def _gather_for_correction(self) -> None:
        """Look up all arrays that `correct` needs: they stay until contacts are found anew."""
        contacts, particles, walls, busy = self.contacts, self.particles, self.walls, self._busy
        position, velocity, previous = particles["position"], particles["velocity"], particles["previous_position"]
        bodies, items = self.colliders.values, self.items
        self._correcting = (
            self.blocks.start, contacts.rows, contacts.data, busy.disc_rows, busy.discs, busy.edge_rows, busy.counts,
            position, velocity, previous, walls.vertices, walls.vertex_velocity, self.reach, self.weight, self.offset,
        )  # fmt: skip
        self._sweeping = (
            self.colliders.active_slots, self._pairs.wall_pairs, items.points, items.first, items.last,
            items.ringed, items.closed, bodies["particle_first"], bodies["particle_last"], items.box, items.category,
            items.mask, walls.edges, walls.corner, walls.one_way, walls.slot, walls.chain, walls.outward,
            self.one_way.keys, self.one_way.states, items.offset, walls.vertices, walls.vertex_velocity, items.reach,
            items.weight, position, velocity, previous, self._fast,
        )  # fmt: skip

    def resist_rolling(self) -> None:
        """After the last substep of a frame: slow down what rolls."""
        bodies, particles = self.colliders.values, self.particles
        if self.contacts.count and self.items.has_outlines and np.count_nonzero(bodies["rolling_resistance"]):
            resist_rolling(
                self.contacts.items, self.contacts.data, bodies.count, self.items.rolls,
                bodies["rolling_resistance"], self.walls.spin, bodies["particle_first"], bodies["particle_last"],
                particles["position"], particles["inverse_mass"], particles["velocity"], self._spins, self.speed_limit,
            )  # fmt: skip

    def report(self) -> Contacts:
        """Return the contacts that pushed in this frame or overlap now; of sleeping bodies, in their last one awake."""
        data = self.contacts.data
        overlapping = (data[:, response.ACTIVE] > 0.0) & (data[:, response.GAP] < 0.0)
        awake = describe(self, np.flatnonzero(overlapping | (data[:, response.FRAME_IMPULSE] > 0.0)))
        asleep = self.sleeping.reported()
        return joined(awake, asleep) if len(asleep) else awake
