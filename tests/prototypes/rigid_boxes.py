"""Rigid boxes of four corners by the contact law of the engine: a prototype, to see whether the law
carries them.

All of an impulse acts on the body as a whole (s = 1 of collision/solve/firm.py), and the corners,
which are its rows of particles, are written from its pose: x = X + R x0, v = V + ω × r. A row of
sequential impulses (Catto 2005) measures what it pushes: with the arm a = (c - X) × d of the point
of contact c along a direction d,

    u_d = V·d + ω a,   1/m_d = 1/M + a²/I      of both sides

A substep is `half of the kick, impacts, half of the kick, rows with a bias for overlap, move, rows
without it` (relax). An impact is a reflection of all that approach: rows stop them, and e times the
same impulses throw them back, so at e = 1 and without friction the energy is kept for any number of
contacts at once: Σ L u = 0 after the stop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ecs_softbody.arrays import Floats

SLOP, BIAS, FASTEST_BIAS = 0.0005, 0.1, 0.5
"""Overlap [m] that stays, the share of the rest that goes in a substep, and how fast [m/s] that is
at most.
"""
MARGIN = 0.05
"""Gap [m] at which a row is listed."""
LEAST_APPROACH = 2.0
"""What comes more slowly than gravity makes it in so many substeps does not bounce."""
ITERATIONS = 20
LOOKS = 50
STEADY = 1e-4
"""The second box has the face, unless that of the first one is farther away by this [m]: else they
would take turns.
"""
Pair = tuple[float, float]
Key = tuple[int, int, bool, int, int]
"""Both boxes, which of them has the face, which face and edge, and which end of the edge."""


@dataclass
class Box:
    """A rigid box; one of infinite mass stays where it is."""

    x: float
    y: float
    width: float
    height: float
    mass: float = 1.0
    angle: float = 0.0
    velocity: list[float] = field(default_factory=lambda: [0.0, 0.0])
    spin: float = 0.0
    friction: float = 0.5
    restitution: float = 0.0

    def __post_init__(self) -> None:
        self.inverse_mass = 0.0 if math.isinf(self.mass) else 1.0 / self.mass
        inertia = self.mass * (self.width**2 + self.height**2) / 12.0
        self.inverse_inertia = 0.0 if math.isinf(self.mass) else 1.0 / inertia
        half = 0.5 * self.width, 0.5 * self.height
        self.rest = np.array([(-half[0], -half[1]), (half[0], -half[1]), half, (-half[0], half[1])])

    @property
    def corners(self) -> Floats:
        """The rows of its particles [m], written from the pose."""
        c = math.cos(self.angle)
        s = math.sin(self.angle)
        return np.array([self.x, self.y]) + self.rest @ np.array([(c, s), (-s, c)])

    @property
    def corner_velocities(self) -> Floats:
        """The rows of their velocities [m/s], written from the motion of the whole."""
        arm = self.corners - (self.x, self.y)
        return np.array(self.velocity) + self.spin * np.column_stack([-arm[:, 1], arm[:, 0]])

    def push(self, jx: float, jy: float, arm_x: float, arm_y: float) -> None:
        """Give it an impulse [N·s] at an arm [m] from its centre."""
        self.velocity[0] += self.inverse_mass * jx
        self.velocity[1] += self.inverse_mass * jy
        self.spin += self.inverse_inertia * (arm_x * jy - arm_y * jx)


class Row:
    """A contact: a point of an edge of one box at a face of another one, with the normal from the
    face.
    """

    def __init__(
        self, one: Box, other: Box, point: Pair, normal: Pair, gap: float, dt: float
    ) -> None:
        self.one = one
        self.other = other
        self.gap = gap
        self.dt = dt
        self.nx, self.ny = normal
        self.arms = (point[0] - one.x, point[1] - one.y), (point[0] - other.x, point[1] - other.y)
        self.mass = self._mass_along(self.nx, self.ny)
        self.friction_mass = self._mass_along(-self.ny, self.nx)
        self.friction = math.sqrt(one.friction * other.friction)
        self.restitution = max(one.restitution, other.restitution)
        self.impulse = self.friction_impulse = 0.0

    def _mass_along(self, x: float, y: float) -> float:
        inverse = 0.0
        for box, (arm_x, arm_y) in zip((self.one, self.other), self.arms, strict=True):
            inverse += box.inverse_mass + box.inverse_inertia * (arm_x * y - arm_y * x) ** 2
        return 1.0 / inverse

    def velocity(self) -> tuple[float, float]:
        """Return how fast the corner leaves the face, and slides along it [m/s]."""
        (ax, ay), (bx, by), one, other = *self.arms, self.one, self.other
        vx = one.velocity[0] - one.spin * ay - other.velocity[0] + other.spin * by
        vy = one.velocity[1] + one.spin * ax - other.velocity[1] - other.spin * bx
        return vx * self.nx + vy * self.ny, vy * self.nx - vx * self.ny

    def push(self, along: float, across: float) -> None:
        """Push both apart by an impulse along the normal and across it [N·s]."""
        jx = along * self.nx - across * self.ny
        jy = along * self.ny + across * self.nx
        self.one.push(jx, jy, *self.arms[0])
        self.other.push(-jx, -jy, *self.arms[1])

    def solve(self, target: float) -> float:
        """Have the corner leave at `target` [m/s] at least, and rub; return by how much that has
        changed a speed.
        """
        old = self.impulse
        old_friction = self.friction_impulse
        speed, slip = self.velocity()
        self.impulse = max(old - self.mass * (speed - target), 0.0)
        limit = self.friction * self.impulse
        self.friction_impulse = min(max(old_friction - self.friction_mass * slip, -limit), limit)
        self.push(self.impulse - old, self.friction_impulse - old_friction)
        return abs(self.impulse - old) / self.mass

    def returned(self, gravity: tuple[float, float]) -> float:
        """Return the share of its speed that it gets back here, so that it gets e of that at the
        surface.
        """
        square = self.restitution**2
        pull = gravity[0] * self.nx + gravity[1] * self.ny
        speed, _ = self.velocity()
        way = 2.0 * pull * max(self.gap, 0.0) / (speed * speed)
        return math.sqrt(min(max(square + (1.0 - square) * way, 0.0), 1.0))

    @property
    def resting_target(self) -> float:
        """How fast it may close [m/s], negative, or has to leave to take back overlap."""
        if self.gap > 0.0:
            return -self.gap / self.dt
        return min(BIAS * max(-self.gap - SLOP, 0.0) / self.dt, FASTEST_BIAS)


class World:
    """Rigid boxes under gravity, by substeps of dt."""

    def __init__(
        self, *boxes: Box, gravity: tuple[float, float] = (0.0, -9.81), dt: float = 1.0 / 480.0
    ) -> None:
        self.boxes = list(boxes)
        self.gravity = gravity
        self.dt = dt
        self._impulses: dict[Key, Pair] = {}

    @property
    def energy(self) -> float:
        """The energy that symplectic Euler conserves [J]: T + V - h/2 v·∇V, see
        collision/solve/bounce.py.
        """
        found = 0.0
        (gx, gy) = self.gravity
        for box in self.boxes:
            if box.inverse_mass > 0.0:
                vx, vy = box.velocity
                found += (
                    0.5 * box.mass * (vx * vx + vy * vy) + 0.5 * box.spin**2 / box.inverse_inertia
                )
                found -= box.mass * (
                    gx * (box.x - 0.5 * self.dt * vx) + gy * (box.y - 0.5 * self.dt * vy)
                )
        return found

    @property
    def momentum(self) -> Floats:
        """Momentum [N·s] along both axes, and angular momentum about the origin [N·m·s]."""
        found = np.zeros(3)
        for box in self.boxes:
            if box.inverse_mass > 0.0:
                px = box.mass * box.velocity[0]
                py = box.mass * box.velocity[1]
                found += (px, py, box.x * py - box.y * px + box.spin / box.inverse_inertia)
        return found

    def step(self, count: int = 1) -> None:
        """Run substeps."""
        for _ in range(count):
            self._kick()
            rows = self._rows()
            self._reflect(list(rows.values()))
            self._kick()
            self._rest(rows)

    def _kick(self) -> None:
        for box in self.boxes:
            if box.inverse_mass > 0.0:
                box.velocity[0] += 0.5 * self.dt * self.gravity[0]
                box.velocity[1] += 0.5 * self.dt * self.gravity[1]

    def _reflect(self, rows: list[Row]) -> None:
        """Throw back what approaches, until nothing does."""
        least = LEAST_APPROACH * math.hypot(*self.gravity) * self.dt
        for _ in range(LOOKS):
            approaching = [
                row for row in rows if row.restitution > 0.0 and self._approaches(row, least)
            ]
            if not approaching:
                return
            returned = [row.returned(self.gravity) for row in approaching]
            for row in approaching:
                row.impulse = row.friction_impulse = 0.0
            for _ in range(1000):
                if max(row.solve(0.0) for row in approaching) < 1e-13:
                    break
            for row, share in zip(approaching, returned, strict=True):
                row.push(share * row.impulse, 0.0)

    def _approaches(self, row: Row, least: float) -> bool:
        speed, _ = row.velocity()
        return speed < -max(least, 1e-9) and row.gap + self.dt * speed < 0.0

    def _rest(self, rows: dict[Key, Row]) -> None:
        """Solve the rows with a bias, move, and solve them again without: speeds of the bias do not
        stay.
        """
        for key, row in rows.items():
            row.impulse, row.friction_impulse = self._impulses.get(key, (0.0, 0.0))
            row.push(row.impulse, row.friction_impulse)
        for _ in range(ITERATIONS):
            for row in rows.values():
                row.solve(row.resting_target)
        for box in self.boxes:
            box.x += self.dt * box.velocity[0]
            box.y += self.dt * box.velocity[1]
            box.angle += self.dt * box.spin
        for _ in range(ITERATIONS):
            for row in rows.values():
                row.solve(min(row.resting_target, 0.0))
        self._impulses = {
            key: (row.impulse, row.friction_impulse)
            for key, row in rows.items()
            if row.impulse > 0.0
        }

    def _rows(self) -> dict[Key, Row]:
        """List the points at which boxes touch, or are about to."""
        found: dict[Key, Row] = {}
        for i, one in enumerate(self.boxes):
            for j in range(i):
                other = self.boxes[j]
                reach = (
                    MARGIN
                    + 0.5 * math.hypot(one.width, one.height)
                    + 0.5 * math.hypot(other.width, other.height)
                )
                near = math.hypot(one.x - other.x, one.y - other.y) < reach
                if near and one.inverse_mass + other.inverse_mass > 0.0:
                    self._list(found, (i, j), one, other)
        return found

    def _list(self, found: dict[Key, Row], pair: tuple[int, int], one: Box, other: Box) -> None:
        """List the ends of the edge of one box that faces a face of the other, cut to the length of
        the face.
        """
        corners = one.corners.tolist()
        others = other.corners.tolist()
        own = farthest_face(corners, others)
        theirs = farthest_face(others, corners)
        if max(own[0], theirs[0]) > MARGIN:
            return
        is_own = own[0] > theirs[0] + STEADY
        face, edges, (_, k) = (corners, others, own) if is_own else (others, corners, theirs)
        (ax, ay) = face[k]
        (bx, by) = face[(k + 1) % 4]
        length = math.hypot(bx - ax, by - ay)
        tx = (bx - ax) / length
        ty = (by - ay) / length
        nx = ty
        ny = -tx
        edge = min(range(4), key=lambda e: facing(edges[e], edges[(e + 1) % 4], nx, ny))
        for end, (x, y) in enumerate(
            cut(edges[edge], edges[(edge + 1) % 4], (ax, ay), (tx, ty), length)
        ):
            gap = (x - ax) * nx + (y - ay) * ny
            if gap <= MARGIN:
                point = (x - 0.5 * gap * nx, y - 0.5 * gap * ny)
                normal = (nx, ny)
                sides = (other, one) if is_own else (one, other)
                found[*pair, is_own, 4 * k + edge, end] = Row(*sides, point, normal, gap, self.dt)


def farthest_face(corners: list[list[float]], others: list[list[float]]) -> tuple[float, int]:
    """Return how far the other box is from the face of one that it is farthest from [m], and which
    face that is.
    """
    best = -math.inf, 0
    for k in range(4):
        (ax, ay) = corners[k]
        (bx, by) = corners[(k + 1) % 4]
        length = math.hypot(bx - ax, by - ay)
        nx = (by - ay) / length
        ny = (ax - bx) / length
        best = max(best, (min((x - ax) * nx + (y - ay) * ny for x, y in others), -k))
    return best[0], -best[1]


def facing(a: list[float], b: list[float], nx: float, ny: float) -> float:
    """Return the cosine between the normal of the edge a-b and another one."""
    return ((b[1] - a[1]) * nx + (a[0] - b[0]) * ny) / math.hypot(b[0] - a[0], b[1] - a[1])


def cut(a: list[float], b: list[float], origin: Pair, along: Pair, length: float) -> list[Pair]:
    """Return the ends of the edge a-b, cut where it goes beyond a face of some length that begins
    at `origin`.
    """
    at_a, at_b = (((x - origin[0]) * along[0] + (y - origin[1]) * along[1]) for x, y in (a, b))
    ends = []
    for here in (at_a, at_b):
        wanted = min(max(here, 0.0), length)
        t = (wanted - at_a) / (at_b - at_a) if at_a != at_b else 0.0
        if 0.0 <= t <= 1.0:
            ends.append((a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
    return ends
