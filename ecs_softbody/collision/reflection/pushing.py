"""Pushing: speed, effective mass and impulse of a member of a look, a contact that reflects.

Without joints they act on both discs along the normal. With joints the particles that these hold
move, too: each gets its share g, a vector, of the impulse (responses.py), and

    speed = Σ g · v - wall speed,    1/M = Σ g² / m,    Δv = L g / m
"""

import numpy as np

from ecs_softbody.collision.contacts.contact import Rows
from ecs_softbody.collision.reflection.responses import NONE, Responses
from ecs_softbody.parallel.compiling import inline

HELD = 1e-6
"""Discs whose inverse effective mass along a normal is less with joints than this fraction of that
without are held by them, and do not move: rounding leaves 1e-9 of it.
"""


@inline
def speed_of(member: np.ndarray, middle: np.ndarray, responses: Responses) -> float:
    """Return the relative speed of a member along its normal [m/s], for velocities (R, 2)."""
    if member["first"] < member["last"]:
        return speed_with_joints(member, middle, responses)
    p = member["particle"]
    a = member["other"]
    nx = member["normal_x"]
    ny = member["normal_y"]
    speed = middle[p, 0] * nx + middle[p, 1] * ny - member["wall_speed"]
    if a != NONE:
        speed -= middle[a, 0] * nx + middle[a, 1] * ny
    return speed


@inline
def speed_with_joints(member: np.ndarray, velocity: np.ndarray, responses: Responses) -> float:
    """Return the speed [m/s] at which the impulse of a member with joints does work, Σ g · v."""
    speed = -member["wall_speed"]
    for k in range(member["first"], member["last"]):
        row = responses.particle[k]
        speed += responses.share[k, 0] * velocity[row, 0] + responses.share[k, 1] * velocity[row, 1]
    return speed  # type: ignore[return-value]


@inline
def mass_with_joints(member: np.ndarray, rows: Rows, responses: Responses) -> float:
    """Return the effective mass of a member with joints [kg]; 0 if these hold it."""
    mobility = 0.0
    for k in range(member["first"], member["last"]):
        square = responses.share[k, 0] ** 2 + responses.share[k, 1] ** 2
        mobility += rows.inverse_mass[responses.particle[k]] * square
    free = member["inverse_mass"] + member["inverse_mass_other"]
    return 1.0 / mobility if mobility > HELD * free else 0.0


@inline
def push(
    member: np.ndarray, impulse: float, velocity: np.ndarray, rows: Rows, responses: Responses
) -> None:
    """Change velocities (R, 2) by an impulse [N·s] of a member along its normal, on both discs or
    on the particles of its joints.
    """
    if member["first"] < member["last"]:
        for k in range(member["first"], member["last"]):
            row = responses.particle[k]
            share = rows.inverse_mass[row] * impulse
            velocity[row, 0] += share * responses.share[k, 0]
            velocity[row, 1] += share * responses.share[k, 1]
        return
    p = member["particle"]
    a = member["other"]
    nx = member["normal_x"]
    ny = member["normal_y"]
    share = member["inverse_mass"] * impulse
    velocity[p, 0] += share * nx
    velocity[p, 1] += share * ny
    if a != NONE:
        share = member["inverse_mass_other"] * impulse
        velocity[a, 0] -= share * nx
        velocity[a, 1] -= share * ny
