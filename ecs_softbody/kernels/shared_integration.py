"""Integration by several threads: rows of particles in pieces."""

import numpy as np

from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.kernels.integration import integrate
from ecs_softbody.kernels.team import NONE, enter, finish, leave, take

ROWS = 1024
"""Particles in a piece."""


@kernel
def share_integration(
    team: np.ndarray,
    job: int,
    seat: int,
    active: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    kinematic: np.ndarray,
    force: np.ndarray,
    previous_position: np.ndarray,
    dt: float,
    speed_limit: float,
) -> None:
    """Move the particles in the row spans `active` (S, 2), see `integrate`; what lies between two spans is skipped."""
    pieces = (inverse_mass.shape[0] + ROWS - 1) // ROWS
    enter(team, job, seat, pieces)
    span, clipped = 0, np.zeros((1, 2), np.int64)
    piece = take(team, job, seat)
    while piece != NONE:
        start, stop = piece * ROWS, (piece + 1) * ROWS
        while span < active.shape[0] and active[span, 1] <= start:
            span += 1
        k = span
        while k < active.shape[0] and active[k, 0] < stop:
            clipped[0, 0], clipped[0, 1] = max(active[k, 0], start), min(active[k, 1], stop)
            integrate(clipped, position, velocity, inverse_mass, kinematic, force, previous_position, dt, speed_limit)
            k += 1
        finish(team, seat)
        piece = take(team, job, seat)
    leave(team, job, seat)
