"""Restitution: an impact of bodies with a rest shape gives back e² of the energy that it took, and
no more.

Newton's law asks for the speed e u at each contact. But a compressed body turns meanwhile, and
separates at other points than at first contact, where the same speed means another energy: a box
with restitution 1 that landed on a corner and left from a side had 1.1 times its energy after one
bounce, and 3 times after ten. W. J. Stronge (Rigid Body Collisions with Friction, 1990) defines e²
as the energy released in restitution over the energy absorbed in compression. So Newton's law
determines how the impulses are distributed among the contacts, and energy determines their
magnitude. With E twice the energy of the rigid motion over the mass, V and Ω the changes of
velocity and angular velocity by the impulses, and k the radius of gyration:

    E(f) = E(0) + 2 f H + f² S,     H = v·V + k² ω Ω,     S = V² + k² Ω²
    E(f) = E_met + E_fallen - (1 - e²) (E_met - E_least),     E_least = E(-H/S)

E_met is the energy at first contact, E_fallen the work of gravity since, which the way back takes
again. E_least remains at the end of the compression. f is at most MOST, and at most 1 with
friction: energy dissipated by friction must not come back. Vibration is not counted: damping takes
it, and `calm` in landing.py. Pairs of bodies are seen from their common centre of mass, and E is
over the reduced mass. Symplectic Euler conserves v·(v + h g) before the kick h g of a substep, and
v·(v - h g) after it: these stand for v².
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.collision.impacts.records import BODIES, Impacts
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.parallel.compiling import inline

MOST = 2.0
"""Upper bound of f, the factor on Newton's impulses: contacts that hardly push say little."""
LEAST = 1e-18
"""Changes with less than this S [m²/s²] are not scaled: half H² of them over S is no number."""
WALL = -1
"""Instead of the number of a second body."""


class ImpactPair(NamedTuple):
    """A body and its impact partner, a wall or a second body."""

    body: int
    other: int  # the second body, or WALL
    kick_x: float  # change of their relative velocity by gravity in a substep [m/s]
    kick_y: float


@inline
def impact_pair_of(b: int, impacts: Impacts, gravity: np.ndarray, dt: float) -> ImpactPair:
    """Return body b with its impact partner; gravity accelerates both of two bodies alike."""
    other = max(int(impacts.partner[b]) - BODIES, WALL)
    kick = dt if other == WALL else 0.0
    return ImpactPair(b, other, kick * gravity[0], kick * gravity[1])


@inline
def fallen_since(pair: ImpactPair, impacts: Impacts, spins: Spins, dt: float) -> float:
    """Return E_fallen, the work of gravity since the body met its wall, as 2 g·d [m²/s²]."""
    b = pair.body
    x = spins.bodies[b]["centre_x"] - impacts.met[b, 0]
    y = spins.bodies[b]["centre_y"] - impacts.met[b, 1]
    return float(2.0 * (pair.kick_x * x + pair.kick_y * y) / dt)


@inline
def energy_of_motion(
    pair: ImpactPair, motions: np.ndarray, kicks: float, impacts: Impacts, spins: Spins
) -> float:
    """Return E [m²/s²] of bodies with the velocities of the records `motions` (B,).

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
def energy_met(pair: ImpactPair, impacts: Impacts, spins: Spins) -> float:
    """Return E before the forces of the substep [m²/s²]."""
    return energy_of_motion(pair, spins.bodies, 1.0, impacts, spins)


@inline
def energy_now(pair: ImpactPair, impacts: Impacts, spins: Spins) -> float:
    """Return E after the forces of the substep and the impulses so far [m²/s²]."""
    return energy_of_motion(pair, impacts.rigid_motion, -1.0, impacts, spins)


@inline
def energy_of_change(pair: ImpactPair, impacts: Impacts, spins: Spins) -> float:
    """Return S of the change of motion by the impulses of the impact so far [m²/s²]."""
    return energy_of_motion(pair, impacts.change, 0.0, impacts, spins)


@inline
def energy_gained(pair: ImpactPair, impacts: Impacts, spins: Spins) -> float:
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
    pair: ImpactPair, met: float, speed: float, yields: float, impacts: Impacts, spins: Spins
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
def scale_to_restitution(pair: ImpactPair, impacts: Impacts, spins: Spins, dt: float) -> float:
    """Scale `impacts.change` to the energetic coefficient of restitution; return the factor.

    The energy that the bodies are to have then becomes their E_met.
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
    # Impulses that hold back energy which springs have already returned, or that hardly act, are
    # not scaled.
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
def add_change(pair: ImpactPair, share: float, impacts: Impacts) -> None:
    """Add `share` times the change by the impulses to the motion of the bodies; -1 undoes it."""
    for b in (pair.body, pair.other):
        if b != WALL:
            rigid_motion = impacts.rigid_motion[b]
            change = impacts.change[b]
            rigid_motion["velocity_x"] += share * change["velocity_x"]
            rigid_motion["velocity_y"] += share * change["velocity_y"]
            rigid_motion["angular_velocity"] += share * change["angular_velocity"]


@inline
def scale_change(pair: ImpactPair, factor: float, impacts: Impacts) -> None:
    """Multiply the change of the motion of the bodies by a factor."""
    for b in (pair.body, pair.other):
        if b != WALL:
            change = impacts.change[b]
            change["velocity_x"] *= factor
            change["velocity_y"] *= factor
            change["angular_velocity"] *= factor
