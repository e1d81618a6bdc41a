"""Rigid motion: how the particles of a body move as a whole, as a rigid body of their masses would.

Rolling, spin, firm bodies and the motor that separates bodies act on this motion. With masses m,
centre c = Σ m x / M, velocity v = Σ m v / M, I = Σ m |x - c|² and ω = Σ m (x - c) × (v - v_c) / I,
the velocity at a place x is v + ω (x - c)⊥, where (x, y)⊥ = (-y, x).
"""

import math
from typing import Annotated

import numpy as np

from ecs_softbody.arrays import Layout
from ecs_softbody.parallel.compiling import inline, kernel

RIGID_VELOCITY = np.dtype(
    [
        ("velocity_x", np.float64),  # [m/s] of the centre of mass
        ("velocity_y", np.float64),
        ("angular_velocity", np.float64),  # [rad/s]
    ]
)
"""The rigid motion of a body, or its change."""

RIGID_BODY = np.dtype(
    [
        ("centre_x", np.float64),  # [m] centre of mass
        ("centre_y", np.float64),
        ("inverse_mass", np.float64),  # [1/kg]
        ("inverse_inertia", np.float64),  # [1/(kg m²)]
        ("radius_of_gyration", np.float64),  # [m]
        ("velocity_x", np.float64),  # [m/s] of the centre
        ("velocity_y", np.float64),
        ("angular_velocity", np.float64),  # [rad/s]
    ]
)
"""A body, and how it moves as a whole; all zeros for a body with a fixed particle."""

LEAST_ARM = 1e-14
"""A body whose radius of gyration is less than this times its distance from the origin is a point
without inertia: a single particle is off its own centre by rounding, and its inertia of 1e-34 took
all impulses.
"""

RigidVelocities = Annotated[np.ndarray, Layout(RIGID_VELOCITY, 1)]
RigidBodies = Annotated[np.ndarray, Layout(RIGID_BODY, 1)]


@kernel
def find_rigid_body(
    first: int,
    last: int,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    body: np.ndarray,
) -> None:
    """Write to the record `body` (RIGID_BODY) how the particles [first, last) move as a whole;
    zeros if any of them is fixed (inverse mass 0).
    """
    mass = 0.0
    x = 0.0
    y = 0.0
    vx = 0.0
    vy = 0.0
    clear(body)
    for p in range(first, last):
        if inverse_mass[p] == 0.0:
            return
        m = 1.0 / inverse_mass[p]
        mass += m
        x += m * position[p, 0]
        y += m * position[p, 1]
        vx += m * velocity[p, 0]
        vy += m * velocity[p, 1]
    if mass == 0.0:
        return
    x = x / mass
    y = y / mass
    vx = vx / mass
    vy = vy / mass
    # The second pass is relative to the centre: in one pass both sums of a body far from the origin
    # would be small differences of large numbers.
    inertia = 0.0
    turning = 0.0
    for p in range(first, last):
        m = 1.0 / inverse_mass[p]
        rx = position[p, 0] - x
        ry = position[p, 1] - y
        inertia += m * (rx * rx + ry * ry)
        turning += m * (rx * (velocity[p, 1] - vy) - ry * (velocity[p, 0] - vx))
    body["centre_x"] = x
    body["centre_y"] = y
    body["inverse_mass"] = 1.0 / mass
    body["velocity_x"] = vx
    body["velocity_y"] = vy
    if inertia > LEAST_ARM * LEAST_ARM * mass * (x * x + y * y):
        body["inverse_inertia"] = 1.0 / inertia
        body["radius_of_gyration"] = math.sqrt(inertia / mass)
        body["angular_velocity"] = turning / inertia


@kernel
def find_free_body(
    first: int,
    last: int,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    force: np.ndarray,
    dt: float,
    body: np.ndarray,
) -> None:
    """Write to `body` how the particles [first, last) that are not fixed will move as a whole after
    this substep, with the velocities v + dt F/m.

    Its radius of gyration is left 0.
    """
    clear(body)
    mass = 0.0
    inertia = 0.0
    turning = 0.0
    x = 0.0
    y = 0.0
    mean_x = 0.0
    mean_y = 0.0
    for sweep in range(2):
        for p in range(first, last):
            if inverse_mass[p] == 0.0:
                continue
            m = 1.0 / inverse_mass[p]
            vx = velocity[p, 0] + dt * force[p, 0] / m
            vy = velocity[p, 1] + dt * force[p, 1] / m
            if sweep == 0:
                mass += m
                x += m * position[p, 0]
                y += m * position[p, 1]
                mean_x += m * vx
                mean_y += m * vy
            else:
                rx = position[p, 0] - x
                ry = position[p, 1] - y
                inertia += m * (rx * rx + ry * ry)
                turning += m * (rx * (vy - mean_y) - ry * (vx - mean_x))
        if sweep == 0 and mass > 0.0:
            x = x / mass
            y = y / mass
            mean_x = mean_x / mass
            mean_y = mean_y / mass
    if mass > 0.0:
        body["centre_x"] = x
        body["centre_y"] = y
        body["inverse_mass"] = 1.0 / mass
        body["velocity_x"] = mean_x
        body["velocity_y"] = mean_y
    if inertia > LEAST_ARM * LEAST_ARM * mass * (x * x + y * y):
        body["inverse_inertia"] = 1.0 / inertia
        body["angular_velocity"] = turning / inertia


@inline
def clear(body: np.ndarray) -> None:
    """Set a record RIGID_BODY to zeros: a body that cannot move."""
    body["centre_x"] = 0.0
    body["centre_y"] = 0.0
    body["inverse_mass"] = 0.0
    body["inverse_inertia"] = 0.0
    body["radius_of_gyration"] = 0.0
    stop(body)


@inline
def stop(motion: np.ndarray) -> None:
    """Set the velocities of a record to zero."""
    motion["velocity_x"] = 0.0
    motion["velocity_y"] = 0.0
    motion["angular_velocity"] = 0.0


@inline
def velocity_at(motion: np.ndarray, body: np.ndarray, x: float, y: float) -> tuple[float, float]:
    """Return the velocity at (x, y) of a body that moves as the record `motion` says [m/s]."""
    turn = float(motion["angular_velocity"])
    vx = float(motion["velocity_x"]) - turn * (y - float(body["centre_y"]))
    vy = float(motion["velocity_y"]) + turn * (x - float(body["centre_x"]))
    return vx, vy
