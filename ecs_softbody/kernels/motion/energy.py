"""Energy of bodies without damping, kept constant over minutes of substeps and bounces.

With the forces F of a substep h, and v' = v + h F/m, two energies of a body matter:

    read = Σ m (|v|² + |v'|²)/4 - m g·x + U    measured by a reader of the state, as the mean of
                                               before and after: velocities lie between positions
    E    = Σ m v·v'/2 - m g·x + U_carried      conserved by symplectic Euler

U is the elastic energy of springs, angular springs, gas and areas; U_carried is the same with the
stiffness limited for stability (saturation.py). Where forces are linear in x, E is conserved
exactly, also by an elastic impact (collision/solve/bounce.py). In general they are not linear: a
skin that rotates much within a substep gains or loses a little in every impact, which adds up to
some tens of per cent in minutes, and saturated elements are damped. So the surplus or deficit of E
is taken from, or given to, the vibration of the body, by forces in proportion to the velocity u
relative to its rigid motion (velocity V of its centre, angular velocity ω):

    F_i += ε m_i u_i/h,    u_i = v_i - V - ω × d_i
    ε = (kept - ripple - E) / Σ m u²,   in small steps

The forces have no sum and no torque. `kept` is the energy that the body should have, as a reader
sees it. So the *ripple*, the mean of read - E over the time SETTLING, is subtracted before it is
compared with E. Energy that a game adds to the body is added to `kept`. `kept` is set to the
present energy while any external force but gravity acts on the body, and falls while the body
touches anything that may take energy.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Uint32s1, Uint32s2
from ecs_softbody.elementary.angles import cos_sin
from ecs_softbody.elementary.exponential import logarithm
from ecs_softbody.kernels.forces.rings import measure_ring
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry, kernel

# Values of `touched`: how contacts may have changed the energy of a body in a substep.
FREELY = 0
"""The body touched nothing, or only walls that give all energy back: its energy stays."""
LOSSY = 1
"""The body touched something that takes energy: its energy may only fall."""
OTHERS = 2
"""The body touched something that may give it energy: it keeps its present energy from now on."""
STEP = 0.5
"""Fraction of the missing energy that one substep gives back."""
SETTLING = 0.1
"""Time over which the ripple is a running mean [s]."""
LARGEST_STEP = 0.3
"""Largest |ε|: with 0.1, stiff and coarse rings were more than 2 % off in one second of six."""
OUTSIDE = 1e-7
"""A body is pushed from outside if the sum of its forces, or of their torques, is more than this
share of the sum of their sizes: a smaller sum is rounding.
"""


class SpringEnergy(NamedTuple):
    """Inputs of the energy of springs, (M,) each."""

    packed_pairs: Uint32s2  # (M, 2)
    stiffness: Floats1  # [N/m]
    rest_length: Floats1  # [m]
    effective_stiffness: Floats1  # [N/m], limited for stability
    # [N], constant tension that a skin under gas keeps where its stiffness is limited
    kept_tension: Floats1


class AngularEnergy(NamedTuple):
    """Inputs of the energy of angular springs, (T,) each."""

    packed_triples: Uint32s2  # (T, 3)
    stiffness: Floats1  # K [N/m]
    carried_stiffness: Floats1  # [N/m], limited for stability
    rest_angle: Floats1  # [rad]
    arms: Floats2  # (T, 2) lengths L1, L2 of both arms at rest [m]


class GasEnergy(NamedTuple):
    """Inputs of the energy of gas, (B,) each; ring b is outline[first[b]:last[b]]."""

    first: Uint32s1
    last: Uint32s1
    orientation: Floats1  # +1 for a ring that runs counter-clockwise at rest, else -1
    nRT: Floats1  # Pressure times area [J]
    gas_share: Floats1  # Share of the gas that a substep can carry
    ambient_pressure: Floats1  # [Pa]


class AreaEnergy(NamedTuple):
    """Inputs of the energy of areas, (B,) each; ring b is outline[first[b]:last[b]]."""

    first: Uint32s1
    last: Uint32s1
    orientation: Floats1  # +1 for a ring that runs counter-clockwise at rest, else -1
    stiffness: Floats1  # [Pa]
    effective_stiffness: Floats1  # [Pa], limited for stability
    rest_area: Floats1  # [m²]


class Accounts(NamedTuple):
    """Values of all bodies, (B,) each; body b has the particles [first[b], last[b])."""

    first: Uint32s1
    last: Uint32s1
    gravity_scale: Floats1  # Multiple of the world's gravity that acts on the body
    energy_kept: Floats1  # `kept`, the energy that the body should have [J]
    energy_ripple: Floats1  # Running mean of read - E [J]
    # Energy at the end of the last substep [J]: a difference at the start of the next one was made
    # by a game
    energy_seen: Floats1
    has_energy: Flags1  # Whether energy_kept is valid


@entry
def add_spring_energy(
    rows: Integers1, springs: SpringEnergy, motion: Motion, body: Uint32s1, energy: Floats2
) -> None:
    """Add k (l - L)²/2 of the springs `rows` to `energy` (B, 2) [J], U and U_carried of each body.
    body (N,): number (slot) of the body of each particle.
    """
    position = motion.position
    pairs = springs.packed_pairs
    for s in rows:
        a = pairs[s, 0]
        b = pairs[s, 1]
        dx = position[b, 0] - position[a, 0]
        dy = position[b, 1] - position[a, 1]
        length = math.sqrt(dx * dx + dy * dy)
        stretch = length - springs.rest_length[s]
        energy[body[a], 0] += 0.5 * springs.stiffness[s] * stretch * stretch
        energy[body[a], 1] += (
            0.5 * springs.effective_stiffness[s] * stretch * stretch
            + springs.kept_tension[s] * length
        )


@entry
def add_angular_energy(
    rows: Integers1, springs: AngularEnergy, motion: Motion, body: Uint32s1, energy: Floats2
) -> None:
    """Add K L1 L2 (1 - cos(θ - θ_rest)) of the angular springs `rows` to `energy` (B, 2) [J], U and
    U_carried of each body.
    """
    position = motion.position
    triples = springs.packed_triples
    arms = springs.arms
    for t in rows:
        i = triples[t, 0]
        j = triples[t, 1]
        k = triples[t, 2]
        ax = position[i, 0] - position[j, 0]
        ay = position[i, 1] - position[j, 1]
        bx = position[k, 0] - position[j, 0]
        by = position[k, 1] - position[j, 1]
        product = math.sqrt((ax * ax + ay * ay) * (bx * bx + by * by))
        if product > 0.0:
            rest_cosine, rest_sine = cos_sin(springs.rest_angle[t])
            cosine = (rest_cosine * (ax * bx + ay * by) + rest_sine * (ax * by - ay * bx)) / product
            shape = arms[t, 0] * arms[t, 1] * (1.0 - cosine)
            energy[body[j], 0] += springs.stiffness[t] * shape
            energy[body[j], 1] += springs.carried_stiffness[t] * shape


@entry
def add_gas_energy(
    slots: Integers1,
    gas: GasEnergy,
    outline: Uint32s1,
    motion: Motion,
    body: Uint32s1,
    energy: Floats2,
) -> None:
    """Add ambient A - nRT ln A of the rings `slots` with the area A to `energy` (B, 2) [J], U and
    U_carried of each body. Where a ring is inside out it is NaN: its energy is not kept.
    """
    for b in slots:
        if gas.last[b] > gas.first[b]:
            ring = measure_ring(motion, outline, gas.first[b], gas.last[b])
            area = ring.signed_area * gas.orientation[b]
            row = body[outline[gas.first[b]]]
            logarithm_of_area = math.nan
            if area > 0.0:
                high, low = logarithm(area)
                logarithm_of_area = high + low
            energy[row, 0] += gas.ambient_pressure[b] * area - gas.nRT[b] * logarithm_of_area
            energy[row, 1] += gas.gas_share[b] * (
                gas.ambient_pressure[b] * area - gas.nRT[b] * logarithm_of_area
            )


@entry
def add_area_energy(
    slots: Integers1,
    rings: AreaEnergy,
    outline: Uint32s1,
    motion: Motion,
    body: Uint32s1,
    energy: Floats2,
) -> None:
    """Add k (A₀ - A)²/(2 A₀) of the rings `slots` with the area A to `energy` (B, 2) [J], U and
    U_carried of each body.
    """
    for b in slots:
        if rings.last[b] > rings.first[b]:
            ring = measure_ring(motion, outline, rings.first[b], rings.last[b])
            missing = rings.rest_area[b] - ring.signed_area * rings.orientation[b]
            row = body[outline[rings.first[b]]]
            shape = 0.5 * missing * missing / rings.rest_area[b]
            energy[row, 0] += rings.stiffness[b] * shape
            energy[row, 1] += rings.effective_stiffness[b] * shape


@entry
def note_energy(
    bodies: Integers1, accounts: Accounts, motion: Motion, elastic: Floats2, gravity: Floats1
) -> None:
    """Store the energy of the bodies at the end of a substep in `energy_seen`. If it differs at the
    start of the next one, a game has changed the body, and `balance_energy` keeps the change.

    elastic: U and U_carried of all bodies (B, 2) [J]. gravity (2,) [m/s²].
    """
    for b in bodies:
        accounts.energy_seen[b] = elastic[b, 0] + moving_energy(b, accounts, motion, gravity, 0.0)


@kernel
def moving_energy(
    b: int, accounts: Accounts, motion: Motion, gravity: np.ndarray, ahead: float
) -> float:
    """Return Σ m v²/2 - m g·x [J] of body b, with the velocities after its forces have acted for
    `ahead` seconds.
    """
    total = 0.0
    scale = accounts.gravity_scale[b]
    for p in range(accounts.first[b], accounts.last[b]):
        w = motion.inverse_mass[p]
        vx = motion.velocity[p, 0] + ahead * w * motion.force[p, 0]
        vy = motion.velocity[p, 1] + ahead * w * motion.force[p, 1]
        lift = gravity[0] * motion.position[p, 0] + gravity[1] * motion.position[p, 1]
        total += (0.5 * (vx * vx + vy * vy) - scale * lift) / w
    return total


@entry
def balance_energy(
    bodies: Integers1,
    touched: Integers1,
    accounts: Accounts,
    motion: Motion,
    elastic: Floats2,
    gravity: Floats1,
    dt: float,
) -> None:
    """Add the forces that bring the bodies back to the energy they should have, once a substep,
    after all other forces.

    touched (B,): FREELY, LOSSY or OTHERS, from the contacts of the last substep. elastic: U and
    U_carried of all bodies (B, 2) [J]. gravity (2,) [m/s²].
    """
    for b in bodies:
        before = elastic[b, 0] + moving_energy(b, accounts, motion, gravity, 0.0)
        read = 0.5 * (before + elastic[b, 0] + moving_energy(b, accounts, motion, gravity, dt))
        # E: v·v' = (|v|² + |v'|² - |v' - v|²)/2, and U_carried instead of U.
        energy = (
            read - 0.5 * energy_of_kick(b, accounts, motion, dt) - elastic[b, 0] + elastic[b, 1]
        )
        goes_on = (
            accounts.has_energy[b]
            and touched[b] != OTHERS
            and not is_pushed(b, accounts, motion, gravity)
        )
        if not goes_on:
            accounts.energy_kept[b] = read
            accounts.energy_ripple[b] = read - energy
        elif before != accounts.energy_seen[b]:
            accounts.energy_kept[b] += before - accounts.energy_seen[b]
        accounts.energy_ripple[b] += min(dt / SETTLING, 1.0) * (
            read - energy - accounts.energy_ripple[b]
        )
        energy += accounts.energy_ripple[b]
        if touched[b] == LOSSY:
            # A contact may take energy and never give it: the kept energy only falls.
            accounts.energy_kept[b] = min(accounts.energy_kept[b], energy)
        accounts.has_energy[b] = math.isfinite(accounts.energy_kept[b]) and math.isfinite(energy)
        if accounts.has_energy[b] and accounts.energy_kept[b] != energy:
            scale_vibration(b, accounts.energy_kept[b] - energy, accounts, motion, dt)


@kernel
def energy_of_kick(b: int, accounts: Accounts, motion: Motion, dt: float) -> float:
    """Return Σ m |v' - v|²/2 [J] of body b, where v' - v = h F/m is the kick of this substep."""
    total = 0.0
    for p in range(accounts.first[b], accounts.last[b]):
        total += motion.inverse_mass[p] * (motion.force[p, 0] ** 2 + motion.force[p, 1] ** 2)
    return 0.5 * dt * dt * total


@kernel
def is_pushed(b: int, accounts: Accounts, motion: Motion, gravity: np.ndarray) -> bool:
    """True if anything but gravity acts on body b from outside. Internal forces have neither a sum
    nor a torque, so the sums of the forces tell.
    """
    x = 0.0
    y = 0.0
    torque = 0.0
    size = 0.0
    turn = 0.0
    scale = accounts.gravity_scale[b]
    at = accounts.first[b]
    for p in range(at, accounts.last[b]):
        m = scale / motion.inverse_mass[p]
        fx = motion.force[p, 0] - m * gravity[0]
        fy = motion.force[p, 1] - m * gravity[1]
        rx = motion.position[p, 0] - motion.position[at, 0]
        ry = motion.position[p, 1] - motion.position[at, 1]
        x = x + fx
        y = y + fy
        torque = torque + rx * fy - ry * fx
        size += abs(fx) + abs(fy) + abs(motion.force[p, 0]) + abs(motion.force[p, 1])
        turn += (abs(rx) + abs(ry)) * (abs(motion.force[p, 0]) + abs(motion.force[p, 1]))
    return abs(x) + abs(y) > OUTSIDE * size or abs(torque) > OUTSIDE * turn


@kernel
def scale_vibration(b: int, missing: float, accounts: Accounts, motion: Motion, dt: float) -> None:
    """Add the forces ε m u/h to the particles of body b, with ε = STEP · missing / Σ m u², at most
    LARGEST_STEP either way. missing [J] < 0 takes energy away.
    """
    position = motion.position
    force = motion.force
    first = accounts.first[b]
    last = accounts.last[b]
    mass = 0.0
    cx = 0.0
    cy = 0.0
    px = 0.0
    py = 0.0
    for p in range(first, last):
        vx, vy = mean_velocity(p, motion, dt)
        m = 1.0 / motion.inverse_mass[p]
        mass = mass + m
        cx = cx + m * position[p, 0]
        cy = cy + m * position[p, 1]
        px = px + m * vx
        py = py + m * vy
    cx = cx / mass
    cy = cy / mass
    px = px / mass
    py = py / mass
    inertia = 0.0
    turning = 0.0
    whole = 0.0
    for p in range(first, last):
        vx, vy = mean_velocity(p, motion, dt)
        rx = position[p, 0] - cx
        ry = position[p, 1] - cy
        m = 1.0 / motion.inverse_mass[p]
        inertia += m * (rx * rx + ry * ry)
        turning += m * (rx * (vy - py) - ry * (vx - px))
        whole += m * ((vx - px) ** 2 + (vy - py) ** 2)
    rate = turning / inertia if inertia > 0.0 else 0.0
    # Σ m u²: twice the kinetic energy about the centre, less that of the rotation.
    swinging = whole - rate * turning
    if not swinging > 1e-12 * whole:
        # A body that hardly vibrates has nothing to scale: the share would be without bound.
        return
    share = max(min(STEP * missing / swinging, LARGEST_STEP), -LARGEST_STEP) / dt
    for p in range(first, last):
        vx, vy = mean_velocity(p, motion, dt)
        rx = position[p, 0] - cx
        ry = position[p, 1] - cy
        m = share / motion.inverse_mass[p]
        force[p, 0] += m * (vx - px + rate * ry)
        force[p, 1] += m * (vy - py - rate * rx)


@kernel
def mean_velocity(p: int, motion: Motion, dt: float) -> tuple[float, float]:
    """Return v + h F/(2 m) [m/s], the velocity of a particle at the time of the positions."""
    half = 0.5 * dt * motion.inverse_mass[p]
    return motion.velocity[p, 0] + half * motion.force[p, 0], motion.velocity[
        p, 1
    ] + half * motion.force[p, 1]
