"""Footing: what a character touches, sorted into ground, slopes that are too steep, and walls."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.collision.pipeline import CollisionSpace
from ecs_softbody.components import Particles, PointGravity, StaticCollider
from ecs_softbody.elementary.angles import cos
from ecs_softbody.elementary.exponential import power_of
from ecs_softbody.elementary.rows import length
from ecs_softbody.elementary.sums import dot
from ecs_softbody.storage import PackedBuffers

NEAR = 0.002
"""Surfaces nearer than this [m] touch, whether they push or not."""
LEAST_WEIGHT = 1e-9
SUPPORT = 0.1
"""A contact carries a character when its normal points up at least so far."""
SIDE = 0.26
"""A contact is that of a wall when its normal points up or down by no more than this: 15 degrees."""
GROUND_SHARE = 0.2
"""Share of the load on ground that is not too steep from which on a character stands."""
ROUNDING = 1e-4


@dataclass
class Touch:
    """The contacts of one character, (C,) rows; normals point to it."""

    entity: Integers
    normal: Floats
    weight: Floats
    point: Floats
    conveyor: Floats  # (C, 2) [m/s], of the surface over its body
    restitution: Floats

    def of(self, which: NDArray[np.bool_]) -> Touch:
        """Return some of them; all of them are the same object."""
        if which.all():
            return self
        if not which.any():
            return Touch.none()
        return Touch(*(getattr(self, one.name)[which] for one in fields(self)))

    @classmethod
    def none(cls) -> Touch:
        """Return no contacts."""
        pairs = np.zeros((0, 2))
        return cls(np.zeros(0, np.int64), pairs, np.zeros(0), pairs, pairs, np.zeros(0))

    def mean_normal(self) -> Floats:
        """Return the mean direction by weight."""
        normal: Floats = dot(self.weight, self.normal)
        return normal / max(length(normal), 1e-300)


@dataclass
class Footing:
    """What a character stands on or may hold on to, after a frame.

    `ground` carries it; `walkable` if that is not too steep. `sides` are walls; `hold` is all that it could stick to.
    """

    ground: Touch = field(default_factory=Touch.none)
    sides: Touch = field(default_factory=Touch.none)
    hold: Touch = field(default_factory=Touch.none)
    walkable: bool = False


def sort_touch(touch: Touch, up: Floats, slope_limit: float) -> Footing:
    """Return what is ground and what is a wall."""
    height = dot(touch.normal, up)
    least = cos(slope_limit) - ROUNDING
    below, side = height > SUPPORT, np.abs(height) <= SIDE
    walkable = below & (height >= least)
    ground = touch.of(below)
    if below.any() and dot(ground.mean_normal(), up) < least:
        share = touch.weight[walkable].sum() / ground.weight.sum()
        ground = touch.of(walkable) if share >= GROUND_SHARE else touch.of(below)
    stands = len(ground.weight) > 0 and bool(dot(ground.mean_normal(), up) >= least)
    return Footing(ground, touch.of(side), touch.of(~walkable), stands)


class TouchFinder:
    """Reads the contacts of characters from those of the last substep."""

    def __init__(self, buffers: PackedBuffers, space: CollisionSpace) -> None:
        self._buffers, self._space = buffers, space

    def find(self, collider_slot: int) -> Touch:
        """Return what the body with this slot of Collider touches."""
        space = self._space
        contacts, proxies = space.contacts, space.contacts.proxies
        mine = (proxies == collider_slot).any(axis=1) & (proxies[:, 0] != proxies[:, 1])
        records = contacts.records
        near = records["active"] & (records["separation"] < NEAR)
        chosen = np.flatnonzero(mine & (near | (records["frame_impulse"] > 0.0)))
        if not len(chosen):
            return Touch.none()
        records, rows, proxies = records[chosen], contacts.rows[chosen, 0], proxies[chosen]
        corner = rows >= space.proxies.offset
        is_point = (proxies[:, 0] == collider_slot) & ~corner
        sign = np.where(is_point, 1.0, -1.0)[:, None]
        normal = np.stack([records["normal_x"], records["normal_y"]], axis=1)
        other = np.where(proxies[:, 0] == collider_slot, proxies[:, 1], proxies[:, 0])
        weight = records["frame_impulse"] + LEAST_WEIGHT
        normal = sign * normal
        points, conveyor = self._points(rows, corner), self._conveyors(other, normal)
        return Touch(self._entities(other), normal, weight, points, conveyor, records["restitution"])

    def _conveyors(self, proxies: Integers, normal: Floats) -> Floats:
        """Return the velocity of surfaces that run while their wall stays."""
        space, velocity = self._space, np.zeros_like(normal)
        edge = proxies - space.proxies.body_count
        if not space.walls.tangent_speed.any():
            return velocity
        for row in np.flatnonzero(edge >= 0):
            if space.walls.tangent_speed[edge[row]] == 0.0:
                continue
            ends = space.walls.vertices[space.walls.edges.ends[edge[row]].astype(np.int64) - space.proxies.offset]
            way = ends[1] - ends[0] if (ends[1] != ends[0]).any() else normal[row, ::-1] * (-1.0, 1.0)
            velocity[row] = space.walls.tangent_speed[edge[row]] * way / length(way)
        return velocity

    def _entities(self, proxies: Integers) -> Integers:
        space = self._space
        bodies, walls = space.colliders.values["entity"], space.walls
        edge = proxies - space.proxies.body_count
        found: Integers = bodies[np.where(edge < 0, proxies, 0)]
        if len(walls.edges.wall):
            of_wall = walls.entities[walls.edges.wall[np.maximum(edge, 0)]]
            found = np.where(edge < 0, found, of_wall)
        return found

    def _points(self, rows: NDArray[np.uint32], corner: NDArray[np.bool_]) -> Floats:
        position: Floats = self._buffers[Particles].rows["position"][np.where(corner, 0, rows)]
        position[corner] = self._space.walls.vertices[rows[corner] - self._space.proxies.offset]
        return position


def velocity_at(buffers: PackedBuffers, touch: Touch) -> Floats:
    """Return the velocity (C, 2) of the surfaces of contacts: bodies and walls move as rigid ones [m/s]."""
    velocity = touch.conveyor.copy()
    entities = dict.fromkeys(touch.entity.tolist())
    for entity in entities:
        there = touch.entity == entity if len(entities) > 1 else slice(None)
        wall = buffers[StaticCollider].bound.get(entity)
        body = buffers[Particles].bound.get(entity)
        if isinstance(wall, StaticCollider):
            center, drift, turning = wall.pivot, wall.velocity, wall.angular_velocity
        elif isinstance(body, Particles):
            pose = body.pose()
            center, drift, turning = np.array(pose.position), np.array(pose.velocity), pose.angular_velocity
        else:
            continue
        arm = touch.point[there] - center
        velocity[there] += drift + turning * arm[:, ::-1] * (-1.0, 1.0)
    return velocity


def mean_velocity(buffers: PackedBuffers, touch: Touch) -> Floats:
    """Return the mean velocity of the surfaces by weight [m/s]."""
    if not len(touch.weight):
        return np.zeros(2)
    mean: Floats = dot(touch.weight, velocity_at(buffers, touch)) / touch.weight.sum()
    return mean


def gravity_at(buffers: PackedBuffers, gravity: Floats, body: Particles, entity: int) -> Floats:
    """Return the acceleration of gravity, that of points included, at the centre of a body [m/s²]."""
    total: Floats = gravity.copy()
    points = buffers.components(PointGravity)
    if points:
        center = body.center
        for other, point in points.items():
            away = point.position - center
            distance = length(away)
            if other != entity and 0.0 < distance <= point.reach:
                total += point.strength * away / power_of(max(distance, point.least_distance), point.exponent + 1.0)
    return float(body.gravity_scale) * total
