"""Returning: an impact of bodies with a rest shape gives back e² of the energy that it took, and no more.

Newton's law asks for e u at each contact. But a body that is pressed together turns meanwhile, and parts at other
points than those that it met with, where the same speed is another energy: a box with restitution 1 that met with a
corner and left with a side had 1.1 times its energy after one bounce, and 3 times after ten. W. J. Stronge (Rigid Body
Collisions with Friction, 1990) defines e² as the energy that restitution gives over that which compression took. So
Newton's law says how the impulses are shared among the contacts, and energy how large they are. With E twice the energy
of the motion as a whole over the mass, V and Ω what the impulses change velocity and angular velocity by, k the radius
of gyration:

    E(f) = E(0) + 2 f (v·V + k² ω Ω) + f² (V² + k² Ω²)  =  E(0) + e² (E_met - E(0)),     f in [0, MOST]

E_met is that when the bodies met, and what gravity gave since. Where friction acts f is at most 1: it took a part of
that, which must not come back. What vibrates is not counted: damping takes it. Two bodies are seen from their common
centre, and E is over the reduced mass.
"""

import math

import numpy as np

from ecs_softbody.collision.impacts.records import BODIES, Impacts, Touch
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.parallel.compiling import inline

MOST = 2.0
"""More than so many times what Newton's law asks for is not given: a contact that hardly pushes says little."""
WALL = -1
"""Instead of the number of a second body."""


@inline
def other_of(b: int, impacts: Impacts) -> int:
    """Return the body that b has met, or WALL."""
    return max(int(impacts.partner[b]) - BODIES, WALL)


@inline
def energy_of_motion(i: int, j: int, x: float, y: float, turn: float, other_turn: float, spins: Spins) -> float:
    """Return E of body i against a wall, or of the bodies i and j: twice the energy over the (reduced) mass [m²/s²].

    x, y: their relative velocity. turn, other_turn: their angular velocities.
    """
    body, turning = spins.rotation[i], turn * spins.rotation[i, 2]
    squared = turning * turning
    if j != WALL:
        other, turning = spins.rotation[j], other_turn * spins.rotation[j, 2]
        squared = (body[5] + other[5]) * (squared / body[5] + turning * turning / other[5])
    return float(x * x + y * y + squared)


@inline
def energy_met(i: int, j: int, spins: Spins, impacts: Impacts) -> float:
    """Return E as the bodies move before the forces of the substep."""
    body = spins.rotation[i]
    if j == WALL:
        x, y = body[6] - impacts.wall[i, 0], body[7] - impacts.wall[i, 1]
        return energy_of_motion(i, j, x, y, body[0], 0.0, spins)
    other = spins.rotation[j]
    return energy_of_motion(i, j, body[6] - other[6], body[7] - other[7], body[0], other[0], spins)


@inline
def energy_now(i: int, j: int, spins: Spins, impacts: Impacts) -> float:
    """Return E as the bodies will move after the impulses so far."""
    whole = impacts.whole[i]
    if j == WALL:
        return energy_of_motion(
            i, j, whole[0] - impacts.wall[i, 0], whole[1] - impacts.wall[i, 1], whole[2], 0.0, spins
        )
    other = impacts.whole[j]
    return energy_of_motion(i, j, whole[0] - other[0], whole[1] - other[1], whole[2], other[2], spins)


@inline
def energy_of_change(i: int, j: int, spins: Spins, impacts: Impacts) -> float:
    """Return V² + k² Ω² of what the impulses so far change."""
    whole = impacts.whole[i]
    if j == WALL:
        return energy_of_motion(i, j, whole[3], whole[4], whole[5], 0.0, spins)
    other = impacts.whole[j]
    return energy_of_motion(i, j, whole[3] - other[3], whole[4] - other[4], whole[5], other[5], spins)


@inline
def fallen_since(b: int, spins: Spins, impacts: Impacts, gravity: np.ndarray) -> float:
    """Return what gravity has added to E of body b since it met a wall [m²/s²]."""
    x, y = spins.rotation[b, 3] - impacts.met[b, 0], spins.rotation[b, 4] - impacts.met[b, 1]
    return float(2.0 * (gravity[0] * x + gravity[1] * y))


@inline
def fastest_of(touch: Touch, j: int, met: float, speed: float, yields: float, impacts: Impacts, spins: Spins) -> float:
    """Return the speed of a contact at which its bodies have the energy that they met with [m/s].

    An impulse that brings the speed of its contact from v to v' changes the energy by M (v'² - v²)/2. met: E_met. speed
    and yields: v and 1/M, see impact.py.
    """
    i = touch.body
    total = spins.rotation[i, 5] + (spins.rotation[j, 5] if j != WALL else 0.0)
    squared = speed * speed + (met - energy_now(i, j, spins, impacts)) * yields / total
    return math.sqrt(squared) if squared > 0.0 else 0.0


@inline
def give_back(i: int, j: int, met: float, impacts: Impacts, spins: Spins) -> float:
    """Return by which factor to change the motion of bodies otherwise than `impacts.whole` does; bring it up to that.

    met: E_met. What the bodies have then is noted as the energy that they met with.
    """
    whole = impacts.whole
    now, square = energy_now(i, j, spins, impacts), energy_of_change(i, j, spins, impacts)
    for b in (i, j):
        if b != WALL:
            for axis in range(3):
                whole[b, axis] -= whole[b, 3 + axis]
    before, factor = energy_now(i, j, spins, impacts), 1.0
    half = 0.5 * (now - before - square)
    if now > before:  # else the impulses hold back what springs have given already
        root = half * half + square * impacts.restitution[i] ** 2 * (met - before)
        factor = max(math.sqrt(max(root, 0.0)) - half, 0.0) / square
        factor = min(factor, 1.0 if whole[i, 8] > 0.0 else MOST)
    for b in (i, j):
        if b != WALL:
            for axis in range(3):
                whole[b, 3 + axis] *= factor
                whole[b, axis] += whole[b, 3 + axis]
    impacts.energy[i] += energy_now(i, j, spins, impacts) - met
    return factor
