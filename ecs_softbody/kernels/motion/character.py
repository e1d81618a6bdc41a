"""The drive of a Character, a soft body that a player steers: the forces of a substep that make it
run, hold on to a surface, turn, stop wobbling, and get flat before a jump.
processors/characters/drive.py writes the wanted motion (`Drives`) once a frame.

The velocity along the tangent t of the ground is brought to `target` relative to the velocity v_ref
of the supports (all that the character stands on), within this substep, by at most the acceleration
a. On ground the gravity g_t along t is held back first, so that nothing creeps on a slope. With the
mass M and all forces F_sum on the character:

    v' = v + h F_sum/M,   e = target + v_ref·t - v'·t,   a_t = clamp(k e/h + g_t, ±a) - g_t

A support that is a body (mass M_s, bearing the share w of the load) takes the opposite force and
torque: the sums of both are zero. It moves by that, so the character itself has to make up only for
the share k = 1 / (1 + M Σ w² (1/M_s + ...)) of the error; the dots are the support's rotation.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Uint32s1
from ecs_softbody.elementary.angles import atan2
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.joints.motor import inertia_of
from ecs_softbody.parallel.compiling import entry, kernel

ROLL_RATE = 60.0
"""Rate at which the angular velocity of a rolling character follows its speed [1/s]."""


class Drives(NamedTuple):
    """The wanted motion of the characters in this frame, (B,) each; character b has the particles
    [particle_first[b], particle_last[b]).
    """

    particle_first: Uint32s1
    particle_last: Uint32s1
    # Whether the values below are valid
    driven: Flags1
    # (B, 2) unit vector t along the ground
    along: Floats2
    # (B, 2) unit vector against gravity
    up: Floats2
    # Wanted speed along t relative to the supports [m/s]
    target: Floats1
    # (B, 2) [m/s], the part of v_ref that walls give, or that is kept in the air
    drift: Floats2
    # a, the largest acceleration [m/s²], where the drive speeds the character up
    limit: Floats1
    # a where the drive slows it down [m/s²]
    brake: Floats1
    # 1 or -1: accelerates in this direction of t only; 0: in both
    only: Floats1
    # g_t, gravity along t that is held back [m/s²]
    held: Floats1
    # (B, 2) acceleration towards the surface that the character holds on to [m/s²]
    press: Floats2
    # Acceleration along `up` [m/s²], without a reaction on anything
    pull: Floats1
    # Largest speed of falling, against `up` [m/s]
    fall_speed: Floats1
    # Largest speed along the normal of t at which the character leaves the walls below [m/s]
    lift: Floats1
    # 0: turns freely, 1: rolls with `turn`, 2: turns to the angle `turn`
    spin: Floats1
    # Where it rolls, angular velocity over the speed along t [1/m]; else the angle [rad]
    turn: Floats1
    # Rate at which it turns to that angle, critically damped [rad/s]
    rate: Floats1
    # Largest angular acceleration [rad/s²]
    twist: Floats1
    # Damping of all motion relative to the rigid motion [1/s]
    wobble: Floats1
    # Acceleration over the distance from the centre, outwards along t and inwards across [1/s²]
    squeeze: Floats1


class Supports(NamedTuple):
    """Bodies that characters stand on, (S,) each; support s has the particles [first, last)."""

    character: Integers1  # Slot of the character that stands on it
    first: Integers1
    last: Integers1
    share: Floats1  # w, the share of the character's load that it bears
    point: Floats2  # (S, 2) [m], where the character stands on it


@kernel
def sum_body(first: int, last: int, motion: Motion, sums: np.ndarray) -> None:
    """Write `sums` (10,) of the free particles [first, last) in SI units: 0 mass, 1-2 centre of
    mass, 3-4 velocity, 5 moment of inertia, 6 angular velocity, 7-8 force, 9 whether any particle
    is fixed (1 or 0).
    """
    position = motion.position
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    force = motion.force
    for k in range(sums.shape[0]):
        sums[k] = 0.0
    x, y, inertia = inertia_of(first, last, motion)
    sums[1] = x
    sums[2] = y
    sums[5] = max(inertia, 0.0)
    turn = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            mass = 1.0 / inverse_mass[p]
            sums[0] += mass
            sums[3] += mass * velocity[p, 0]
            sums[4] += mass * velocity[p, 1]
            turn += mass * (
                (position[p, 0] - x) * velocity[p, 1] - (position[p, 1] - y) * velocity[p, 0]
            )
            sums[7] += force[p, 0]
            sums[8] += force[p, 1]
        else:
            sums[9] = 1.0
    if sums[0] > 0.0:
        sums[3], sums[4] = sums[3] / sums[0], sums[4] / sums[0]
    if inertia > 0.0:
        sums[6] = turn / inertia


@kernel
def push_body(
    first: int, last: int, motion: Motion, sums: np.ndarray, fx: float, fy: float, torque: float
) -> None:
    """Add a force [N] and a torque [N·m] to a body with these `sums`, spread over its free
    particles so that all accelerate like one rigid body. A body with a fixed particle takes no
    torque.
    """
    position = motion.position
    inverse_mass = motion.inverse_mass
    force = motion.force
    turn = torque / sums[5] if sums[5] > 0.0 and sums[9] == 0.0 else 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            mass = 1.0 / inverse_mass[p]
            force[p, 0] += mass * (fx / sums[0] - turn * (position[p, 1] - sums[2]))
            force[p, 1] += mass * (fy / sums[0] + turn * (position[p, 0] - sums[1]))


@kernel
def angle_of(
    first: int, last: int, x: float, y: float, motion: Motion, rest_offset: np.ndarray
) -> float:
    """Return the angle [rad] by which the rest shape (rest_offset, (N, 2) [m]) is turned to fit the
    particles [first, last) best; (x, y): their centre of mass.
    """
    position = motion.position
    inverse_mass = motion.inverse_mass
    total = 0.0
    rx = 0.0
    ry = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            total += 1.0 / inverse_mass[p]
            rx += rest_offset[p, 0] / inverse_mass[p]
            ry += rest_offset[p, 1] / inverse_mass[p]
    rx = rx / total
    ry = ry / total
    sine = 0.0
    cosine = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            ax = rest_offset[p, 0] - rx
            ay = rest_offset[p, 1] - ry
            bx = position[p, 0] - x
            by = position[p, 1] - y
            sine += (ax * by - ay * bx) / inverse_mass[p]
            cosine += (ax * bx + ay * by) / inverse_mass[p]
    return atan2(sine, cosine)


@kernel
def shape_body(h: int, drives: Drives, motion: Motion, sums: np.ndarray, dt: float) -> None:
    """Add the forces that damp the wobbles of character h and squeeze it; neither has a sum or a
    torque. sums: of its particles, see `sum_body`.

    At d from the centre the squeeze accelerates by squeeze (d_t t - d_n n), n the normal of t. Its
    torque, -2 squeeze Σ m d_t d_n, is cancelled by a rotation.
    """
    position = motion.position
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    force = motion.force
    first = drives.particle_first[h]
    last = drives.particle_last[h]
    tx = drives.along[h, 0]
    ty = drives.along[h, 1]
    squeeze = drives.squeeze[h]
    mixed = 0.0
    damp = min(drives.wobble[h], 0.5 / dt)
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            dx = position[p, 0] - sums[1]
            dy = position[p, 1] - sums[2]
            mixed += (dx * tx + dy * ty) * (dy * tx - dx * ty) / inverse_mass[p]
    turn = 2.0 * squeeze * mixed / sums[5] if sums[5] > 0.0 else 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            mass = 1.0 / inverse_mass[p]
            dx = position[p, 0] - sums[1]
            dy = position[p, 1] - sums[2]
            x = squeeze * (dx * tx + dy * ty)
            y = -squeeze * (dy * tx - dx * ty)
            ax = x * tx - y * ty - turn * dy - damp * (velocity[p, 0] - sums[3] + sums[6] * dy)
            ay = x * ty + y * tx + turn * dx - damp * (velocity[p, 1] - sums[4] - sums[6] * dx)
            force[p, 0] += mass * ax
            force[p, 1] += mass * ay


@kernel
def meet_supports(
    h: int,
    supports: Supports,
    motion: Motion,
    own: np.ndarray,
    other: np.ndarray,
    tx: float,
    ty: float,
) -> tuple[float, float]:
    """Return the velocity of the supports of character h along t at its feet [m/s], weighted by
    their shares; and their response to an impulse along t, Σ w² (1/M_s + arm terms) [1/kg].

    own: sums of the character, see `sum_body`; other: room for the sums of a support.
    """
    speed = 0.0
    yielding = 0.0
    for s in range(supports.character.shape[0]):
        if supports.character[s] == h:
            sum_body(supports.first[s], supports.last[s], motion, other)
            if other[0] > 0.0:
                share = supports.share[s]
                rx = supports.point[s, 0] - other[1]
                ry = supports.point[s, 1] - other[2]
                speed += share * ((other[3] - other[6] * ry) * tx + (other[4] + other[6] * rx) * ty)
                yielding += share * share / other[0]
                if other[5] > 0.0 and other[9] == 0.0:
                    arm = (own[1] - other[1]) * ty - (own[2] - other[2]) * tx
                    yielding += max(share * share * arm * (rx * ty - ry * tx) / other[5], 0.0)
    return speed, yielding


@kernel
def push_supports(
    h: int,
    supports: Supports,
    motion: Motion,
    own: np.ndarray,
    other: np.ndarray,
    fx: float,
    fy: float,
    torque: float,
) -> None:
    """Push the supports of character h with the opposite of its drive: of the force (fx, fy) [N] at
    its centre, and of the torque [N·m], each by its share.
    """
    for s in range(supports.character.shape[0]):
        if supports.character[s] == h:
            first = supports.first[s]
            last = supports.last[s]
            share = supports.share[s]
            sum_body(first, last, motion, other)
            if other[0] > 0.0:
                arm = (own[1] - other[1]) * fy - (own[2] - other[2]) * fx
                push_body(
                    first, last, motion, other, -share * fx, -share * fy, -share * (torque + arm)
                )


@entry
def drive_characters(
    active: Integers1,
    drives: Drives,
    supports: Supports,
    motion: Motion,
    rest_offset: Floats2,
    sums: Floats2,
    dt: float,
) -> None:
    """Add the forces of the characters `active` (slots), and the opposite forces on their supports,
    once a substep after the other forces. rest_offset: (N, 2) [m]. sums: scratch, (2, 10).
    """
    own = sums[0]
    other = sums[1]
    for h in active:
        first = drives.particle_first[h]
        last = drives.particle_last[h]
        if not drives.driven[h]:
            continue
        sum_body(first, last, motion, own)
        if own[0] == 0.0:
            continue
        shape_body(h, drives, motion, own, dt)
        tx = drives.along[h, 0]
        ty = drives.along[h, 1]
        ux = drives.up[h, 0]
        uy = drives.up[h, 1]
        held = drives.held[h]
        speed, yielding = meet_supports(h, supports, motion, own, other, tx, ty)
        reference = speed + drives.drift[h, 0] * tx + drives.drift[h, 1] * ty
        vx = own[3] + dt * own[7] / own[0]
        vy = own[4] + dt * own[8] / own[0]
        # k e / h [m/s²]
        need = (drives.target[h] + reference - vx * tx - vy * ty) / dt / (1.0 + own[0] * yielding)
        if drives.only[h] * need < 0.0:
            need = -held
        moving = vx * tx + vy * ty - reference
        limit = drives.brake[h] if moving * need < 0.0 else drives.limit[h]
        drive = min(max(need + held, -limit), limit) - held
        pull = drives.pull[h]
        too_fast = -(vx * ux + vy * uy) - dt * pull - drives.fall_speed[h]
        if too_fast > 0.0:
            pull += too_fast / dt
        turn = 0.0  # angular acceleration [rad/s²]
        if drives.spin[h] == 1.0:
            rate = (own[3] * tx + own[4] * ty - reference) * drives.turn[h]
            turn = min(ROLL_RATE, 0.5 / dt) * (rate - own[6])
        elif drives.spin[h] == 2.0:
            lag = drives.turn[h] - angle_of(first, last, own[1], own[2], motion, rest_offset)
            lag -= 2.0 * math.pi * math.floor(lag / (2.0 * math.pi) + 0.5)
            turn = drives.rate[h] * (drives.rate[h] * lag - 2.0 * own[6])
        # Speed along the normal (-ty, tx) beyond that at which it may leave the walls [m/s].
        lift = tx * (vy - drives.drift[h, 1]) - ty * (vx - drives.drift[h, 0]) - drives.lift[h]
        down = max(lift, 0.0) / dt
        turn = min(max(turn, -drives.twist[h]), drives.twist[h])
        fx = own[0] * (drive * tx + drives.press[h, 0] + down * ty)
        fy = own[0] * (drive * ty + drives.press[h, 1] - down * tx)
        push_supports(h, supports, motion, own, other, fx, fy, turn * own[5])
        for k in range(own.shape[0]):
            other[k] = own[k]
        other[9] = 0.0
        push_body(
            first,
            last,
            motion,
            other,
            fx + own[0] * pull * ux,
            fy + own[0] * pull * uy,
            turn * own[5],
        )
