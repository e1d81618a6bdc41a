"""Particles: the point masses of one soft body."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.storage import Column, Component, Store, Value


class Particles(Component):
    """N point masses, the state of a body.

    Args:
        position: shape (N, 2) [m], y up.
        velocity: shape (N, 2), one (vx, vy) or a scalar [m/s].
        mass: shape (N,) or a scalar [kg], > 0; `inf` fixes a particle.
        radius: shape (N,) or a scalar [m]: how far a particle reaches in collisions.
        pinned: shape (N,) or a bool: True fixes a particle in place.
        can_sleep: whether the body falls asleep when it has come to rest.

    Raises:
        ValueError: naming the field, the value and what is allowed.
    """

    __slots__ = ()

    position = Column(2, dtype=np.float64, unit="m", doc="position")
    velocity = Column(2, dtype=np.float64, unit="m/s", doc="velocity")
    mass = Column(dtype=np.float64, unit="kg", above=0.0, infinite=True, doc="mass; inf fixes the particle")
    radius = Column(dtype=np.float64, unit="m", minimum=0.0, doc="reach in collisions")
    pinned = Column(dtype=np.bool_, doc="True fixes the particle in place")
    can_sleep = Value(dtype=np.bool_, doc="whether the body falls asleep when it has come to rest")
    force = Column(
        2, dtype=np.float64, unit="N", engine=True, doc="sum of the forces of this substep; integration clears it"
    )
    inverse_mass = Column(dtype=np.float64, unit="1/kg", engine=True, doc="1/mass, 0 for a fixed particle")
    previous_position = Column(2, dtype=np.float64, unit="m", engine=True, doc="position one substep ago")
    frame_position = Column(2, dtype=np.float64, unit="m", engine=True, doc="position at the start of the frame")
    rest_offset = Column(2, dtype=np.float64, unit="m", engine=True, doc="place in the rest shape, for ShapeMatching")
    body = Column(dtype=np.uint32, engine=True, doc="slot of the entity in the packed tables")
    reserved = Column(dtype=np.float64, engine=True, doc="share of the stability bound kept from springs")
    angular_valence = Column(dtype=np.float64, engine=True, doc="number of angular springs here")
    angular_budget = Column(dtype=np.float64, engine=True, doc="share that each angular spring may take here")

    still_time = Value(dtype=np.float64, unit="s", engine=True, doc="how long the body has been still")

    def __init__(
        self,
        position: ArrayLike,
        *,
        velocity: ArrayLike = 0.0,
        mass: ArrayLike = 1.0,
        radius: ArrayLike = 0.0,
        pinned: ArrayLike = False,
        can_sleep: bool = True,
    ) -> None:
        self._fill(
            "position",
            position=position,
            velocity=velocity,
            mass=mass,
            radius=radius,
            pinned=pinned,
            can_sleep=can_sleep,
        )
        if self.row_count == 0:
            raise ValueError("Particles.position: 0 rows are not allowed; expected shape (N, 2) with N >= 1")

    def complete(self, particles: Store) -> None:
        """Tell every row which slot its body has, and its inverse mass."""
        rows = slice(self.row_start, self.row_stop)
        self.row_arrays["body"][rows] = self.slot
        for name in ("previous_position", "frame_position", "kept_position"):
            self.row_arrays[name][rows] = self.position
        self.row_arrays["inverse_mass"][rows] = np.where(self.pinned, 0.0, 1.0 / self.mass)
