"""Returning: an impact of bodies with a rest shape gives back e² of the energy that it took, and no
more.

Newton's law asks for e u at each contact. But a body that is pressed together turns meanwhile, and
parts at other points than those that it met with, where the same speed is another energy: a box
with restitution 1 that met with a corner and left with a side had 1.1 times its energy after one
bounce, and 3 times after ten. W. J. Stronge (Rigid Body Collisions with Friction, 1990) defines e²
as the energy that restitution gives over that which compression took. So Newton's law says how the
impulses are shared among the contacts, and energy how large they are. With E twice the energy of
the motion as a whole over the mass, V and Ω what the impulses change velocity and angular velocity
by, k the radius of gyration:

    E(f) = E(0) + 2 f H + f² S,     H = v·V + k² ω Ω,     S = V² + k² Ω²
    E(f) = E_met + E_fallen - (1 - e²) (E_met - E_least),     E_least = E(-H/S)

E_met is that when the bodies met, E_fallen what gravity gave since, and has to give for the way
back. E_least is left at the end of the compression. f is at most MOST, and where friction acts 1:
it took a part of that, which must not come back. What vibrates is not counted: damping takes it,
and `calm` in landing.py. Two bodies are seen from their common centre, and E is over the reduced
mass. Symplectic Euler conserves v·(v + h g) before the kick h g of a substep, and v·(v - h g) after
it: these stand for v².
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.collision.impacts.records import BODIES, Impacts
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.parallel.compiling import inline

MOST = 2.0
"""More than so many times what Newton's law asks for is not given: a contact that hardly pushes
says little.
"""
LEAST = 1e-18
"""Changes with less than this S [m²/s²] are not scaled: half H² of them over S is no number."""
WALL = -1
"""Instead of the number of a second body."""


class Meeting(NamedTuple):
    """A body and what it has met."""

    body: int
    other: int  # A second body, or WALL
    kick_x: float  # What gravity changes their relative velocity by in a substep [m/s]
    kick_y: float


@inline
def meeting_of(b: int, impacts: Impacts, gravity: np.ndarray, dt: float) -> Meeting:
    """Return body b with what it has met; gravity pulls both of two bodies alike."""
    other = max(int(impacts.partner[b]) - BODIES, WALL)
    kick = dt if other == WALL else 0.0
    return Meeting(b, other, kick * gravity[0], kick * gravity[1])


@inline
def fallen_since(pair: Meeting, impacts: Impacts, spins: Spins, dt: float) -> float:
    """Return what gravity has added to E since the bodies met [m²/s²]."""
    b = pair.body
    x = spins.bodies[b]["centre_x"] - impacts.met[b, 0]
    y = spins.bodies[b]["centre_y"] - impacts.met[b, 1]
    return float(2.0 * (pair.kick_x * x + pair.kick_y * y) / dt)


@inline
def energy_of_motion(
    pair: Meeting, motions: np.ndarray, kicks: float, impacts: Impacts, spins: Spins
) -> float:
    """Return E [m²/s²] of bodies that move as the velocities of the records `motions` say (B,).

    kicks: 1 before the kick of the substep, -1 after it; 0 for a change, which knows no wall.
    """
    i = pair.body
    j = pair.other
    body = spins.bodies[i]
    motion = motions[i]
    turning = motion["angular_velocity"] * body["radius_of_gyration"]
    vx = motion["velocity_x"]
    vy = motion["velocity_y"]
    squared = turning * turning
    if j != WALL:
        other = spins.bodies[j]
        motion = motions[j]
        turning = motion["angular_velocity"] * other["radius_of_gyration"]
        vx -= motion["velocity_x"]
        vy -= motion["velocity_y"]
        first = body["inverse_mass"]
        second = other["inverse_mass"]
        squared = (first + second) * (squared / first + turning * turning / second)
    elif kicks != 0.0:
        vx = vx - impacts.wall[i, 0]
        vy = vy - impacts.wall[i, 1]
    return float(vx * (vx + kicks * pair.kick_x) + vy * (vy + kicks * pair.kick_y) + squared)


@inline
def energy_met(pair: Meeting, impacts: Impacts, spins: Spins) -> float:
    """Return E before the forces of the substep."""
    return energy_of_motion(pair, spins.bodies, 1.0, impacts, spins)


@inline
def energy_now(pair: Meeting, impacts: Impacts, spins: Spins) -> float:
    """Return E after the forces of the substep and the impulses so far."""
    return energy_of_motion(pair, impacts.whole, -1.0, impacts, spins)


@inline
def energy_of_change(pair: Meeting, impacts: Impacts, spins: Spins) -> float:
    """Return S of what the impulses so far change."""
    return energy_of_motion(pair, impacts.change, 0.0, impacts, spins)


@inline
def energy_gained(pair: Meeting, impacts: Impacts, spins: Spins) -> float:
    """Return the energy that the change of the motion has given the bodies [J]."""
    after = energy_now(pair, impacts, spins)
    add_change(pair, -1.0, impacts)
    gained = after - energy_now(pair, impacts, spins)
    add_change(pair, 1.0, impacts)
    total = spins.bodies[pair.body]["inverse_mass"]
    if pair.other != WALL:
        total += spins.bodies[pair.other]["inverse_mass"]
    return 0.5 * gained / total


@inline
def fastest_of(
    pair: Meeting, met: float, speed: float, yields: float, impacts: Impacts, spins: Spins
) -> float:
    """Return the speed of a contact at which its bodies have the energy that they met with [m/s].

    An impulse that brings the speed of its contact from v to v' changes the energy by M (v'² -
    v²)/2. met: E_met. speed and yields: v and 1/M, see impact.py.
    """
    total = spins.bodies[pair.body]["inverse_mass"]
    if pair.other != WALL:
        total += spins.bodies[pair.other]["inverse_mass"]
    squared = speed * speed + (met - energy_now(pair, impacts, spins)) * yields / total
    return math.sqrt(squared) if squared > 0.0 else 0.0


@inline
def give_back(pair: Meeting, impacts: Impacts, spins: Spins, dt: float) -> float:
    """Multiply `impacts.change`, so that restitution is that of energy; return the factor.

    What the bodies are to have then is noted as the energy that they met with.
    """
    met = impacts.energy[pair.body]
    fallen = fallen_since(pair, impacts, spins, dt)
    e = impacts.restitution[pair.body]
    now = energy_now(pair, impacts, spins)
    square = energy_of_change(pair, impacts, spins)
    add_change(pair, -1.0, impacts)
    before = energy_now(pair, impacts, spins)
    factor = 1.0
    wanted = now
    # Else the impulses hold back what springs have given already, or hardly do anything.
    if now > before and square > LEAST:
        half = 0.5 * (now - before - square)
        least = before - half * half / square
        wanted = met + fallen - (1.0 - e * e) * max(met - least, 0.0)
        factor = max(math.sqrt(square * max(wanted - least, 0.0)) - half, 0.0) / square
        factor = min(factor, 1.0 if impacts.pressing[pair.body]["friction"] > 0.0 else MOST)
    scale_change(pair, factor, impacts)
    add_change(pair, 1.0, impacts)
    impacts.energy[pair.body] = wanted - fallen
    return factor


@inline
def add_change(pair: Meeting, share: float, impacts: Impacts) -> None:
    """Add a share of their change to the motion of the bodies."""
    for b in (pair.body, pair.other):
        if b != WALL:
            whole = impacts.whole[b]
            change = impacts.change[b]
            whole["velocity_x"] += share * change["velocity_x"]
            whole["velocity_y"] += share * change["velocity_y"]
            whole["angular_velocity"] += share * change["angular_velocity"]


@inline
def scale_change(pair: Meeting, factor: float, impacts: Impacts) -> None:
    """Multiply the change of the motion of the bodies."""
    for b in (pair.body, pair.other):
        if b != WALL:
            change = impacts.change[b]
            change["velocity_x"] *= factor
            change["velocity_y"] *= factor
            change["angular_velocity"] *= factor
