"""Footing: the contacts of a character after a frame, sorted into ground, walls beside it, and
surfaces that it could hold on to.

A contact is sorted by its height, the component of its normal along the character's up axis: 1 for
flat ground, 0 for an upright wall, -1 for a ceiling.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.collision.contacts.touches import (
    CONVEYOR,
    GROUND,
    NORMAL,
    NUMBERS,
    POINT,
    RESTITUTION,
    STEEP,
    WALL,
    WEIGHT,
    find_touches,
    mean_normal,
    sort_touches,
)
from ecs_softbody.collision.pipeline import CollisionSpace
from ecs_softbody.components import Particles, PointGravity, StaticCollider
from ecs_softbody.elementary.angles import cos
from ecs_softbody.elementary.exponential import power_of
from ecs_softbody.elementary.rows import length
from ecs_softbody.elementary.sums import dot
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.resource import Array, WholeArray

SUPPORT = 0.1
"""A contact carries a character (it is ground) if its height is above this."""
SIDE = 0.26
"""A contact is a wall if its height is between minus this and this: sin 15 degrees."""
GROUND_SHARE = 0.2
"""If the mean of all ground is too steep, but at least this share of the load rests on ground that
is not, only the latter counts as ground: a character stands on a floor while it leans on a slope.
"""
LIMITS = np.array([SUPPORT, SIDE, GROUND_SHARE], np.float64)
"""The three limits above, in the order in which `sort_touches` reads them."""
ROUNDING = 1e-4
"""Tolerance of the cosine of a slope: ground at exactly `slope_limit` still carries a character."""


TOUCH = (
    WholeArray("entity", "touches", "What it touches."),
    Array(
        "numbers",
        ("touches", NUMBERS),
        "Normal, load, point, and more, see collision/contacts/touches.py.",
    ),
)
"""Fields of a `Touch` in a file."""


class Touch(NamedTuple):
    """C contacts of one character; read-only, so that it can be shared."""

    entity: Integers  # (C,) the body or wall that it touches
    numbers: Floats  # (C, NUMBERS) with the columns below (collision/contacts/touches.py)

    @classmethod
    def fixed(cls, entity: Integers, numbers: Floats) -> Touch:
        """Return contacts whose arrays are made read-only."""
        entity.flags.writeable = numbers.flags.writeable = False
        return cls(entity, numbers)

    @property
    def normal(self) -> Floats:
        """Normals (C, 2), which point to the character."""
        return self.numbers[:, NORMAL]

    @property
    def weight(self) -> Floats:
        """Load (C,): impulse of the frame [N·s], which weights the means."""
        return self.numbers[:, WEIGHT]

    @property
    def point(self) -> Floats:
        """Where it touches (C, 2) [m]."""
        return self.numbers[:, POINT]

    @property
    def conveyor(self) -> Floats:
        """Velocity (C, 2) of the surface over its body [m/s]."""
        return self.numbers[:, CONVEYOR]

    @property
    def restitution(self) -> Floats:
        """Restitution (C,) of the contacts, 0 to 1."""
        return self.numbers[:, RESTITUTION]

    def of(self, which: list[int]) -> Touch:
        """Return the contacts with these numbers."""
        if not which:
            return NO_TOUCH
        return (
            self
            if len(which) == len(self.entity)
            else Touch.fixed(self.entity[which], self.numbers[which])
        )

    def mean_normal(self) -> Floats:
        """Return the mean direction by weight."""
        normal = np.empty(2)
        mean_normal(self.numbers, normal)
        return normal


NO_TOUCH = Touch.fixed(np.zeros(0, np.int64), np.zeros((0, NUMBERS)))


class Footing(NamedTuple):
    """The contacts that a character stands on or may hold on to, after a frame.

    `ground` carries it; `walkable` if that is not too steep. `sides` are walls; `hold` is all that
    is no ground to walk on, which it could stick to. A contact may be in several of them.
    """

    ground: Touch
    sides: Touch
    hold: Touch
    walkable: bool


NO_FOOTING = Footing(NO_TOUCH, NO_TOUCH, NO_TOUCH, False)
"""Footing of a character in the air."""


class FootingFinder:
    """Reads the touching contacts of characters from the last substep, and sorts them."""

    def __init__(self, buffers: PackedBuffers, space: CollisionSpace) -> None:
        self._buffers = buffers
        self._space = space
        # Workspace, a row for each contact found: whom it touches, its numbers, its flags GROUND,
        # WALL, STEEP. Then for each character: the end of its contacts, and whether it stands.
        self._entity = np.zeros(0, np.int64)
        self._numbers = np.zeros((0, NUMBERS))
        self._place = np.zeros(0, np.int64)
        self._ends = np.zeros((2, 0), np.int64)

    def find(self, slots: Integers, up: Floats, slope_limit: Sequence[float]) -> list[Footing]:
        """Return the footing of the bodies with these slots (K,) of Collider.

        up (K, 2), slope_limit: the up axis of each, and the maximum slope of its ground [rad].
        """
        space = self._space
        # A contact between two characters is one of each.
        count = 2 * self._space.contacts.count
        if len(self._entity) < count:
            self._entity = np.zeros(2 * count, np.int64)
            self._numbers = np.zeros((2 * count, NUMBERS))
            self._place = np.zeros(2 * count, np.int64)
        if self._ends.shape[1] < len(slots):
            self._ends = np.zeros((2, len(slots)), np.int64)
        entity = self._entity
        numbers = self._numbers
        place = self._place
        stop, stands = self._ends[:, : len(slots)]
        walls = space.walls
        position = self._buffers[Particles].rows["position"]
        find_touches(
            slots,
            space.contacts.arrays,
            position,
            space.colliders.values["entity"],
            walls.vertices,
            walls.edges,
            walls.entities,
            walls.tangent_speed,
            space.proxies.offset,
            entity,
            numbers,
            stop,
        )
        # The least height of ground that is not too steep.
        least = np.array([cos(limit) - ROUNDING for limit in slope_limit], np.float64)
        sort_touches(stop, numbers, up, least, LIMITS, place, stands)
        found = []
        first = 0
        for last, walkable in zip(stop.tolist(), stands.tolist(), strict=True):
            if last == first:
                found.append(NO_FOOTING)
                continue
            touch = Touch.fixed(entity[first:last].copy(), numbers[first:last].copy())
            kinds = place[first:last].tolist()
            ground, sides, hold = (
                touch.of([n for n, kind in enumerate(kinds) if kind & part])
                for part in (GROUND, WALL, STEEP)
            )
            found.append(Footing(ground, sides, hold, bool(walkable)))
            first = last
        return found


def velocity_at(buffers: PackedBuffers, touch: Touch) -> Floats:
    """Return the velocity (C, 2) [m/s] of what each contact touches, at the contact: of its rigid
    motion, and of a conveyor on its surface.
    """
    velocity = touch.conveyor.copy()
    walls = buffers[StaticCollider].bound
    bodies = buffers[Particles].bound
    for entity in dict.fromkeys(touch.entity.tolist()):
        wall = walls.get(entity)
        body = bodies.get(entity)
        if isinstance(wall, StaticCollider):
            drift = wall.velocity
            turning = wall.angular_velocity
            if turning == 0.0 and not np.count_nonzero(drift):
                continue
            center = wall.pivot
        elif isinstance(body, Particles):
            pose = body.pose()
            center = np.array(pose.position)
            drift = np.array(pose.velocity)
            turning = pose.angular_velocity
        else:
            continue
        there = touch.entity == entity
        arm = touch.point[there] - center
        velocity[there] += drift + turning * arm[:, ::-1] * (-1.0, 1.0)
    return velocity


def mean_velocity(buffers: PackedBuffers, touch: Touch) -> Floats:
    """Return the mean velocity of the surfaces by weight [m/s]."""
    if not len(touch.entity):
        return np.zeros(2)
    velocity = velocity_at(buffers, touch)
    if not np.count_nonzero(velocity):
        return np.zeros(2)
    mean: Floats = dot(touch.weight, velocity) / touch.weight.sum()
    return mean


def gravity_at(buffers: PackedBuffers, gravity: Floats, body: Particles, entity: int) -> Floats:
    """Return the acceleration of gravity at the centre of a body, including point gravity
    [m/s²]: S d / |d|^(n+1) towards each point, with its strength S and exponent n, and |d| no less
    than `least_distance`.
    """
    total: Floats = gravity.copy()
    points = buffers.components(PointGravity)
    if points:
        center = body.center
        for other, point in points.items():
            away = point.position - center
            distance = length(away)
            if other != entity and 0.0 < distance <= point.reach:
                total += (
                    point.strength
                    * away
                    / power_of(max(distance, point.least_distance), point.exponent + 1.0)
                )
    return float(body.gravity_scale) * total
