"""Resistance of a moving fluid, implicit: F = D (u - v') with v' = v + h (F_sum + F)/m and a symmetric D >= 0.

D (2 x 2) is summed up per particle from edges, d n nᵀ, and from all-round parts, d I; `carried` is the sum of D u with
the velocities u of the fluids. Along each axis q of D, with the eigenvalue λ and v* = v + h F_sum/m,

    F_q = (carried_q - λ v*_q) / (1 + h w λ)

so v' lies between v* and the fluid's velocity for any λ: resistance takes nothing of the stability bound, and no fluid
takes a particle past itself. Air and water act in one sum: one after the other, the product of both inverses would not
be symmetric, and a stiff body between a storm and the sea could gain energy.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

STRONGEST = 1e60
"""No part of D is larger than this [N·s/m]: sums and products stay finite."""
SMALLEST_SHARE = 1e-10
"""An eigenvalue below this share of the other one is round-off of it."""


@lean
def clear_resistance(first: int, last: int, resistance: np.ndarray, carried: np.ndarray) -> None:
    """Start again for the particles [first, last): resistance (N, 3) is xx, xy, yy; carried (N, 2)."""
    for p in range(first, last):
        resistance[p, 0], resistance[p, 1], resistance[p, 2] = 0.0, 0.0, 0.0
        carried[p, 0], carried[p, 1] = 0.0, 0.0


@lean
def resist_along(
    p: int, strength: float, nx: float, ny: float, ux: float, uy: float, resistance: np.ndarray, carried: np.ndarray
) -> None:
    """Resist motion along the unit vector n against a fluid of velocity u."""
    d = min(strength, STRONGEST)
    resistance[p, 0] += d * nx * nx
    resistance[p, 1] += d * nx * ny
    resistance[p, 2] += d * ny * ny
    along = d * (nx * ux + ny * uy)
    carried[p, 0] += along * nx
    carried[p, 1] += along * ny


@lean
def resist_all_round(
    p: int, strength: float, ux: float, uy: float, resistance: np.ndarray, carried: np.ndarray
) -> None:
    """Resist motion in every direction against a fluid of velocity u."""
    d = min(strength, STRONGEST)
    resistance[p, 0] += d
    resistance[p, 2] += d
    carried[p, 0] += d * ux
    carried[p, 1] += d * uy


@lean
def add_resistance(
    first: int,
    last: int,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    resistance: np.ndarray,
    carried: np.ndarray,
    dt: float,
    force: np.ndarray,
) -> None:
    """Add the resistance of the particles [first, last) to `force` (N, 2), which holds all forces before it."""
    for p in range(first, last):
        w = inverse_mass[p]
        xx, xy, yy = resistance[p, 0], resistance[p, 1], resistance[p, 2]
        if w == 0.0 or xx + yy <= 0.0:
            continue
        mean, half = 0.5 * (xx + yy), 0.5 * (xx - yy)
        spread = math.sqrt(half * half + xy * xy)
        qx, qy = 1.0, 0.0  # the axis of the larger eigenvalue, by the formulas of the half angle
        if spread > 0.0 and half >= 0.0:
            qx = math.sqrt(0.5 + 0.5 * half / spread)
            qy = 0.5 * xy / (spread * qx)
        elif spread > 0.0:
            qy = math.copysign(math.sqrt(0.5 - 0.5 * half / spread), xy)
            qx = 0.5 * xy / (spread * qy)
        vx, vy = velocity[p, 0] + dt * w * force[p, 0], velocity[p, 1] + dt * w * force[p, 1]
        most, least = mean + spread, max(mean - spread, 0.0)
        along = (qx * carried[p, 0] + qy * carried[p, 1] - most * (qx * vx + qy * vy)) / (1.0 + dt * w * most)
        across = 0.0
        if least > SMALLEST_SHARE * most:
            across = (qx * carried[p, 1] - qy * carried[p, 0] - least * (qx * vy - qy * vx)) / (1.0 + dt * w * least)
        force[p, 0] += qx * along - qy * across
        force[p, 1] += qy * along + qx * across
