"""CollisionSpace: the arrays that the collision kernels share, and the order in which they are called."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision import refresh, response, rounds
from ecs_softbody.collision.attached import attached_bodies, is_attached
from ecs_softbody.collision.broad_phase import find_bounds, find_pairs
from ecs_softbody.collision.busy import Busy
from ecs_softbody.collision.contacts import ContactList, Contacts, carry_over
from ecs_softbody.collision.correction import LEAST_SLOP, SELF_SLOP, correct_contacts
from ecs_softbody.collision.narrow_phase import find_contacts
from ecs_softbody.collision.one_way import OneWayStates
from ecs_softbody.collision.report import describe
from ecs_softbody.collision.rolling import resist_rolling
from ecs_softbody.collision.sensors import Sensors
from ecs_softbody.collision.shapes import LEAST_REACH, list_points
from ecs_softbody.collision.sleeping_contacts import SleepingContacts, joined
from ecs_softbody.collision.static_edges import StaticEdges
from ecs_softbody.collision.sweep import sweep_bodies, sweep_contacts
from ecs_softbody.collision.tangled_pairs import TangledPairs
from ecs_softbody.collision.touching import (
    PAIR,
    Owners,
    Pairs,
    TouchingPairs,
    pairs_of_contacts,
    pairs_of_entities,
    pairs_of_tangles,
)
from ecs_softbody.storage import Activity, Table

LEAST_MARGIN = 0.01
"""Contacts are found this far [m] ahead at least."""
MARGIN_FRAMES = 1.25
"""... and as far as a body goes in this many frames."""


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
        self._attachments = attachments
        self.walls = StaticEdges(static_colliders)
        self.one_way = OneWayStates()
        self.speed_limit = math.inf
        self.iterations = 4
        """Rounds of sequential impulses in a substep."""
        self.contacts = ContactList()
        self._spare = ContactList()
        self._busy, self._spins = Busy(), np.zeros((2, 5))
        self.touching = TouchingPairs()
        self._tracking = False
        self.sensors = Sensors(particles, colliders, static_colliders)
        self.still = np.zeros(0, np.bool_)
        """Sleeping bodies, by slot of their Collider: no contacts are looked for between them, they go on touching."""
        self._owners = self._find_owners()
        self.tangles = TangledPairs(colliders.values, self.particles, self.walls)
        self._travelled = np.inf
        self._last_share = 0.0
        self._last_dt = 0.0
        self._version = self._changes = -1
        self._pairs = np.zeros((256, 2), np.int64)
        self.pair_count = 0
        self._offset = 0
        self._weight = self._reach = np.zeros(0)
        self._predicted = np.zeros((0, 2))
        self.item_body = np.zeros(0, np.int64)
        """Slot in the table of Particles of every item that is a body."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing that takes part can touch anything."""
        return not self.colliders.bound or not len(self.colliders.active_slots)

    @property
    def offset(self) -> int:
        """The row of the first static vertex: rows below are particles."""
        return self._offset

    @property
    def weight(self) -> NDArray[np.float64]:
        """The inverse mass of every row when contacts were last looked for, 0 for walls and sleepers."""
        return self._weight

    def is_up_to_date(self, version: int) -> bool:
        """Whether the rows of contacts still count the packed rows."""
        return self._version == version and self._changes == self.activity.changes and not self.is_empty

    @property
    def reach(self) -> NDArray[np.float64]:
        """Reach of every row, particles and vertices of walls [m]."""
        return self._reach

    def find(self, version: int, frame_dt: float, *, new_frame: bool) -> None:
        """Find the contacts anew when a frame begins, structure changed, or something has gone far."""
        unchanged = self._version == version and self._changes == self.activity.changes
        settled = unchanged and not new_frame and not self.walls.motion_changed
        if settled and self._travelled + self._last_share < 1.0:
            return
        self.prepare(version, frame_dt)
        self.find_pairs()
        self.find_contacts(new_frame=new_frame)

    def prepare(self, version: int, frame_dt: float) -> None:
        """Bring the arrays of bodies and walls up to date."""
        if self._version != version or self._changes != self.activity.changes:
            self._points, self._first, self._last, self._ringed = list_points(self.colliders)
            self._closed = self.colliders.values["closed"]
            self._version, self._changes = version, self.activity.changes
            self.item_body = self.activity.bodies_of(self.colliders).astype(np.int64)
            self.still = self.activity.asleep[self.item_body]
            # A frozen body has no points: its box is empty, and nothing finds it.
            self._last = np.where(self.activity.frozen[self.item_body], self._first, self._last)
            self._predicted[:] = 0.0  # who falls asleep stands still
        self._travelled = self._last_share = 0.0
        self._collect_arrays(frame_dt)

    def _collect_arrays(self, frame_dt: float) -> None:
        """Join particles and static vertices in common arrays, bodies and static edges as items."""
        particles, walls, values = self.particles, self.walls, self.colliders.values
        if self._offset != particles.capacity:
            walls_of = self.contacts.rows >= self._offset
            self.contacts.rows[walls_of] += np.uint32(particles.capacity) - np.uint32(self._offset)
            self._offset = particles.capacity
        walls.refresh(self._offset)
        size, count = self._offset + walls.vertex_count, particles.count
        if len(self._weight) != size:
            self._place, self._predicted = np.zeros((size, 2)), np.zeros((size, 2))
            self._weight, self._reach = np.zeros(size), np.zeros(size)
        self._place[:count] = particles["position"]
        self._place[self._offset :] = walls.vertices
        self._weight[:count] = particles["inverse_mass"]
        if not self.activity.is_whole:
            self._weight[:count][(self.activity.asleep | self.activity.frozen)[particles["body"]]] = 0.0
        self._reach[:count] = np.maximum(particles["radius"], LEAST_REACH)
        self._reach[self._offset :] = walls.reach
        body_count = values.count
        item_count = body_count + walls.edge_count
        self._box, self._margin = np.empty((item_count, 4)), np.empty(item_count)
        self._own_margin = np.empty(body_count)
        find_bounds(
            particles["position"], particles["velocity"], self._reach, self._points, self._first, self._last,
            self._ringed, MARGIN_FRAMES * frame_dt, LEAST_MARGIN, self._box, self._margin,
            self._own_margin,
        )  # fmt: skip
        self._margin[body_count:], self._box[body_count:] = walls.boxes(MARGIN_FRAMES * frame_dt)
        solid = ~np.concatenate([values["sensor"], walls.sensor])
        self._category = np.concatenate([values["category"], walls.category]) * solid
        self._mask = np.concatenate([values["mask"], walls.mask]) * solid
        self._self_collision = values["self_collision"] & solid[:body_count]
        self._friction = np.concatenate([values["friction"], walls.friction])
        self._restitution = np.concatenate([values["restitution"], walls.restitution])

    def find_pairs(self) -> None:
        """List the pairs of items whose boxes overlap, without the one-way walls that are open to a body."""
        body_count = self.colliders.values.count
        found = find_pairs(self._box, body_count, self._pairs)
        if found > len(self._pairs):
            self._pairs = np.zeros((found + found // 4, 2), np.int64)
            find_pairs(self._box, body_count, self._pairs)
        self.pair_count = self.one_way.remove_open_pairs(
            self._pairs, found, self.colliders.values["entity"], self.walls, self._category, self._mask,
            (self._points, self._first, self._last, self._ringed, self._closed), self._place,
            self.particles["position"] - self._last_dt * self.particles["velocity"], self._reach,
        )  # fmt: skip
        if self._attachments.bound and self.pair_count:
            apart = attached_bodies(self._attachments, self.particles["body"])
            self._keep_pairs(~is_attached(self._pairs[: self.pair_count], self.item_body, apart))
        if self.still.any():
            awake = np.append(~self.still, np.zeros(self.walls.edge_count, np.bool_))
            first, second = self._pairs[: self.pair_count].T
            self._keep_pairs(awake[first] | awake[second])
        self.tangles.find(
            self._pairs[: self.pair_count], self._category, self._mask, self._place, self._points,
            self._first, self._last, self._ringed, self._closed, self._box,
        )  # fmt: skip
        if self.tangles.marks.any():  # no contacts, and no sweep either
            self._keep_pairs(~self.tangles.marks)

    def _keep_pairs(self, kept: NDArray[np.bool_]) -> None:
        pairs = self._pairs[: self.pair_count][kept]
        self.pair_count = len(pairs)
        self._pairs[: self.pair_count] = pairs

    def _find_owners(self) -> Owners:
        bodies, walls = self.colliders.values, self.static_colliders.values
        return Owners(
            bodies.count,
            np.concatenate([bodies["serial"], walls["serial"]]),
            np.concatenate([bodies["entity"], walls["entity"]]),
            np.concatenate([np.arange(bodies.count), bodies.count + self.walls.slot]),
        )

    def find_contacts(self, *, new_frame: bool) -> None:
        """List the contacts of all pairs, with the impulses that the old ones had."""
        old, new = self.contacts, self._spare
        self.sleeping.give_to(old, self)
        needed = self._fill(new)
        if needed > new.capacity:
            new.grow(needed)
            self._fill(new)
        new.count = needed
        carry_over(
            old.rows, old.items, old.data, new.rows, new.items, new.data, self._offset,
            self._offset + self.walls.vertex_capacity,
        )  # fmt: skip
        first, second = new.items[:, 0], new.items[:, 1]
        data = new.data
        discs = (new.rows[:, 1] == new.rows[:, 2]) & (second < self.colliders.values.count)
        data[:, response.FRICTION] = np.where(discs, 0.0, np.sqrt(self._friction[first] * self._friction[second]))
        data[:, response.SLOP], data[:, response.SURFACE] = LEAST_SLOP, 0.0
        if (folded := np.flatnonzero(first == second)).size:
            thickness = self._reach[new.rows[folded, 0]] + self._reach[new.rows[folded, 1]]
            data[folded, response.SLOP] = np.maximum(SELF_SLOP * thickness, LEAST_SLOP)
        data[:, response.RESTITUTION] = np.maximum(self._restitution[first], self._restitution[second])
        if new_frame:
            data[:, response.FRAME_IMPULSE] = 0.0
        elif self._tracking:
            self.touching.note_lost(self._pairs_of(old))
        self._owners = self._find_owners()
        self.contacts, self._spare = new, old

    def _pairs_of(self, contacts: ContactList) -> Pairs:
        return pairs_of_contacts(
            contacts, self._owners, self.particles["position"], self.walls.vertices, self._reach, self._offset
        )

    def start_tracking(self) -> None:
        """From now on follow which pairs of entities touch; nobody is told of those that touch already."""
        if self._tracking:
            return
        self._tracking = True
        owners = self._find_owners()
        asleep = pairs_of_entities(self.sleeping.contacts, owners)
        self.touching.update(np.concatenate([self._touching_now(owners), asleep]), owners)

    def track(self) -> None:
        """After the last substep of a frame: find out which pairs of entities began and ended to touch."""
        if self._tracking:
            owners = self._find_owners()
            asleep = self.activity.asleep[self.activity.bodies_of(self.colliders)]
            self.touching.update(self._touching_now(owners), owners, asleep)

    def _touching_now(self, owners: Owners) -> Pairs:
        found = [np.zeros(0, PAIR)]
        if not self.is_empty and self._version >= 0:
            found.append(self._pairs_of(self.contacts))
            if len(self.tangles):
                found.append(pairs_of_tangles(self.tangles.pairs, self.tangles.ways, owners))
        if len(sensed := self.sensors.find(owners)):
            found.append(sensed)
        return found[1] if len(found) == 2 else np.concatenate(found)

    def _fill(self, contacts: ContactList) -> int:
        walls = self.walls
        return find_contacts(
            self._pairs[: self.pair_count], self.colliders.values.count, self._place, self._reach, self._points,
            self._first, self._last, self._ringed, self._closed,
            self._self_collision & ~self.still & ~self.tangles.knotted, self._box, self._margin,
            self._own_margin,
            self._category, self._mask, walls.edges, walls.corner,
            contacts.all_rows, contacts.all_items,
        )  # fmt: skip

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
        self._predicted[self._offset :] = walls.vertex_velocity
        response.predict_velocities(
            self.bodies.active_rows, particles["velocity"], particles["inverse_mass"], particles["force"], dt,
            self._predicted,
        )  # fmt: skip
        busy = self._busy
        if busy.capacity < contacts.count:
            busy.reserve(contacts.capacity)
        refresh.refresh_contacts(
            contacts.rows, contacts.items, contacts.data, particles["position"], walls.vertices, walls.before,
            walls.after, walls.spin, walls.belt, self.colliders.values.count, self._offset, particles["velocity"],
            self._predicted, self._weight, self._reach, dt, busy.disc_rows, busy.discs, busy.edge_rows, busy.edges,
            busy.idle, busy.counts,
        )  # fmt: skip

    def push(self, dt: float) -> None:
        """Solve the impulses of all contacts and add them to the particles' force."""
        contacts, busy = self.contacts, self._busy
        rounds.solve_contacts(
            contacts.rows, contacts.data, self._predicted, self._weight, self._offset, dt, self.iterations,
            busy.disc_rows, busy.discs, busy.edge_rows, busy.edges, busy.idle, busy.counts,
        )  # fmt: skip
        rounds.share_impulses(
            contacts.data, busy.disc_rows, busy.discs, busy.edge_rows, busy.edges, busy.counts, self._offset, dt,
            self.particles["force"],
        )  # fmt: skip

    def correct(self, dt: float) -> None:
        """After the move: push out, bounce, and bring back what passed a wall."""
        contacts, particles, walls = self.contacts, self.particles, self.walls
        position, velocity, previous = particles["position"], particles["velocity"], particles["previous_position"]
        if contacts.count:
            busy = self._busy
            correct_contacts(
                busy.disc_rows, busy.discs, busy.edge_rows, busy.counts, contacts.data, position, velocity,
                walls.vertices, walls.vertex_velocity, self._reach, self._weight, self._offset, dt,
                0.5 * dt * self._gravity[0], 0.5 * dt * self._gravity[1], self.speed_limit,
            )  # fmt: skip
            sweep_contacts(
                contacts.rows, contacts.data, self._offset, walls.vertices, walls.vertex_velocity, self._reach,
                self._weight, dt, position, velocity, previous,
            )  # fmt: skip
        bodies = self.colliders.values
        self._last_share = sweep_bodies(
            self._pairs[: self.pair_count], self._points, self._first, self._last, self._ringed, self._closed,
            bodies["particle_first"], bodies["particle_last"], self._margin, self._box, self._category, self._mask,
            walls.edges, walls.corner, walls.one_way, walls.slot, walls.chain, walls.outward, self.one_way.keys,
            self.one_way.states, self._offset, walls.vertices, walls.vertex_velocity, self._reach, self._weight, dt,
            position, velocity, previous,
        )  # fmt: skip
        self._travelled += self._last_share
        self._last_dt = dt

    def resist_rolling(self) -> None:
        """After the last substep of a frame: slow down what rolls."""
        bodies, particles = self.colliders.values, self.particles
        if self.contacts.count and bodies["rolling_resistance"].any():
            resist_rolling(
                self.contacts.items, self.contacts.data, bodies.count, self._ringed & self._closed & ~self.still,
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
