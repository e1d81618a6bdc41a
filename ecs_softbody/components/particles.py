"""Particles: the point masses of one soft body."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.elementary.angles import atan2
from ecs_softbody.elementary.sums import dot
from ecs_softbody.errors import FieldError
from ecs_softbody.storage import Column, Component, Store, Value
from ecs_softbody.validation import FARTHEST, HEAVIEST, LIGHTEST


class Pose(NamedTuple):
    """Position and motion of a soft body as a whole."""

    # Centre of mass [m]
    position: tuple[float, float]
    # By which the rest shape has turned, the best fit, -π to π [rad]
    angle: float
    # Momentum over mass [m/s]
    velocity: tuple[float, float]
    # Angular momentum over moment of inertia, about the centre of mass [rad/s]
    angular_velocity: float


class Particles(Component):
    """N point masses, the state of a body.

    Args:
        position: shape (N, 2) [m], y up.
        velocity: shape (N, 2), one (vx, vy) or a scalar [m/s].
        mass: shape (N,) or a scalar [kg], 1e-50 to 1e50; `inf` fixes a particle.
        radius: shape (N,) or a scalar [m]: of the disc in collisions.
        angle: shape (N,) or a scalar [rad], counter-clockwise: how far each disc has turned.
        angular_velocity: shape (N,) or a scalar [rad/s]. Discs rotate on their own if only
            collisions and joints hold them: on an entity with a Collider, and without an outline,
            springs or another shape.
        pinned: shape (N,) or a bool: True fixes a particle in place.
        kinematic: shape (N,) or a bool: True moves a particle with its `velocity`, regardless of
            forces. Set free again it keeps that velocity. A particle that is also pinned stays in
            place.
        can_sleep: whether the body falls asleep when it has come to rest.
        gravity_scale: factor of gravity for this body: 1 is usual, 0 floats, below 0 rises.
        inertia_factor: the moment of inertia of a disc over m r²: 1/2 full, 1 a hoop, 2/5 a sphere;
            nothing turns one of `inf`.
    """

    __slots__ = ()

    position = Column(2, dtype=np.float64, unit="m", doc="position")
    velocity = Column(2, dtype=np.float64, unit="m/s", doc="velocity")
    mass = Column(
        dtype=np.float64,
        unit="kg",
        minimum=LIGHTEST,
        maximum=HEAVIEST,
        infinite=True,
        doc="mass; inf fixes the particle",
    )
    radius = Column(dtype=np.float64, unit="m", minimum=0.0, doc="radius in collisions")
    angle = Column(
        dtype=np.float64,
        unit="rad",
        minimum=-FARTHEST,
        maximum=FARTHEST,
        doc="how far a disc that spins has turned",
    )
    angular_velocity = Column(
        dtype=np.float64,
        unit="rad/s",
        minimum=-FARTHEST,
        maximum=FARTHEST,
        doc="angular velocity of a disc that spins",
    )
    pinned = Column(dtype=np.bool_, doc="True fixes the particle in place")
    kinematic = Column(
        dtype=np.bool_, doc="True moves the particle with its velocity, whatever pushes it"
    )
    can_sleep = Value(dtype=np.bool_, doc="whether the body falls asleep when it has come to rest")
    gravity_scale = Value(
        dtype=np.float64,
        minimum=-FARTHEST,
        maximum=FARTHEST,
        doc="what gravity counts for this body; 0 floats, below 0 rises",
    )
    inertia_factor = Value(
        dtype=np.float64,
        minimum=0.01,
        maximum=100.0,
        infinite=True,
        doc="moment of inertia of a disc over m r²",
    )
    force = Column(
        2,
        dtype=np.float64,
        unit="N",
        engine=True,
        shared=True,
        doc="sum of the substep's forces; integration clears it",
    )
    inverse_mass = Column(
        dtype=np.float64,
        unit="1/kg",
        engine=True,
        doc="1/mass, 0 for a particle that nothing can push",
    )
    previous_position = Column(
        2, dtype=np.float64, unit="m", engine=True, doc="position one substep ago"
    )
    frame_position = Column(
        2,
        dtype=np.float64,
        unit="m",
        engine=True,
        shared=True,
        doc="position at the start of the frame",
    )
    rest_offset = Column(
        2, dtype=np.float64, unit="m", engine=True, shared=True, doc="position in the rest shape"
    )
    body = Column(dtype=np.uint32, engine=True, doc="slot of the entity in the packed tables")

    still_time = Value(
        dtype=np.float64, unit="s", engine=True, doc="how long the body has been still"
    )

    def __init__(
        self,
        position: ArrayLike,
        *,
        velocity: ArrayLike = 0.0,
        mass: ArrayLike = 1.0,
        radius: ArrayLike = 0.0,
        angle: ArrayLike = 0.0,
        angular_velocity: ArrayLike = 0.0,
        pinned: ArrayLike = False,
        kinematic: ArrayLike = False,
        can_sleep: bool = True,
        gravity_scale: float = 1.0,
        inertia_factor: float = 0.5,
    ) -> None:
        self._fill(
            "position",
            position=position,
            velocity=velocity,
            mass=mass,
            radius=radius,
            angle=angle,
            angular_velocity=angular_velocity,
            pinned=pinned,
            kinematic=kinematic,
            can_sleep=can_sleep,
            gravity_scale=gravity_scale,
            inertia_factor=inertia_factor,
        )
        if self.row_count == 0:
            raise FieldError("Particles", "position", position, "1 or more", in_words="0 rows")

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which particles can be pushed: neither pinned nor kinematic nor of infinite mass, shape
        (N,).
        """
        return np.isfinite(self.mass) & ~(self.pinned | self.kinematic)

    @property
    def center(self) -> NDArray[np.float64]:
        """Centre of mass, shape (2,) [m], a copy; an infinite mass counts as the mean of the
        others.
        """
        centre: NDArray[np.float64] = dot(self._mass_shares(), self.position)
        return centre

    def _mass_shares(self) -> NDArray[np.float64]:
        mass = self.mass
        total = np.add.reduce(mass)
        if not math.isfinite(total):
            finite = np.isfinite(mass)
            mass = np.where(finite, mass, mass[finite].mean() if finite.any() else 1.0)
            total = mass.sum()
        shares: NDArray[np.float64] = mass / total
        return shares

    def complete(self, particles: Store) -> None:
        """Write the slot of the body, the inverse mass and the rest shape of every row."""
        rows = slice(self.row_start, self.row_stop)
        arrays = self.row_arrays
        position = self.position
        rest = self.rest_offset
        arrays["body"][rows] = self.slot
        for name in ("previous_position", "frame_position", "kept_position"):
            arrays[name][rows] = position
        if not np.count_nonzero(rest):
            np.subtract(position, np.add.reduce(position) / len(position), out=rest)
        arrays["inverse_mass"][rows] = np.where(self.free, 1.0 / self.mass, 0.0)

    def pose(self) -> Pose:
        """Return position and motion of the body as a whole; the angle counts from the shape when
        first packed.

        A single disc has its own angle and angular velocity. An infinite mass counts as the mean of
        the others.
        """
        share = self._mass_shares()
        position = dot(share, self.position)
        velocity = dot(share, self.velocity)
        offset = self.position - position
        motion = self.velocity - velocity
        rest = self.rest_offset - dot(share, self.rest_offset)
        if len(share) == 1:
            angle = float(self.angle[0]) % math.tau
            angle -= math.tau if angle > math.pi else 0.0
            turning = float(self.angular_velocity[0])
            return Pose(
                (float(position[0]), float(position[1])),
                angle,
                (float(velocity[0]), float(velocity[1])),
                turning,
            )
        inertia = float(dot(share, (offset**2).sum(axis=1)))
        angular_velocity = (
            float(dot(share, _cross(offset, motion))) / inertia if inertia > 0.0 else 0.0
        )
        angle = atan2(
            float(dot(share, _cross(rest, offset))), float(dot(share, (rest * offset).sum(axis=1)))
        )
        return Pose(
            (float(position[0]), float(position[1])),
            angle,
            (float(velocity[0]), float(velocity[1])),
            angular_velocity,
        )


def _cross(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    product: NDArray[np.float64] = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    return product
