"""Firm bodies: rest shapes too stiff for a substep pass a share of each contact impulse on to the
whole body at once, as a rigid body does.

A substep pulls a particle back to its place in the rest shape with κ = k h²/m (stiffness k, substep
h, mass m) of at most STIFFEST (shape matching). So under load a stiffer body yielded like one of
that stiffness, and a tower of them buckled as a column does. A stiffer body therefore passes on the
share s of an impulse J on one of its particles, and the velocities change by

    Δv = (1 - s) J/m                            for the particle
    s times the response of a rigid body to J   for all particles of the body

s = 1 - STIFFEST/κ, since with a share s passed on, the particle yields under load as with the
stiffness κ/(1 - s). s is at most FIRMEST: effective masses grow with s, and sequential impulses
converge more slowly.

All contact impulses on a firm body act so, friction included. The response is symmetric, so
contacts are solved as usual. The changes of momentum and angular momentum are exactly those by J.
The rigid motion that the impulses have added so far is stored per body, and iterations add it to
the velocities of particles: `pending`, until `spread_pending` writes it to the particles.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1
from ecs_softbody.collision.contacts.contact import (
    ActiveEdges,
    ContactArrays,
    ParticleArrays,
    Rows,
    note_meeting_speed,
    split_impulse,
)
from ecs_softbody.collision.impacts.landing import CROWDED
from ecs_softbody.collision.impacts.records import BODIES, SEVERAL, Impacts
from ecs_softbody.collision.solve.rigid_motion import RigidVelocities, stop, velocity_at
from ecs_softbody.collision.solve.spin import Spins, add_couple
from ecs_softbody.parallel.compiling import inline, kernel

STIFFEST = 1.6
"""The largest κ that shape matching carries, see kernels/forces/shape_matching.py."""
FIRMEST = 0.85
"""Largest share s of an impulse that is passed on. With 0.75 twenty crates of 8 x 8 particles fall;
with 0.9 stacks that are kept awake tremble ten times as much.
"""


class Firmness(NamedTuple):
    """Firmness of B bodies in a substep."""

    # (B,) [s] how long the body still counts as touching another body
    bearing_time: Floats1
    # (B,) s, the share of an impulse that is passed on; 0: the body is not firm now
    share: Floats1
    # (B,) rigid motion added by the impulses that particles do not have yet
    pending: RigidVelocities
    # (B,) rigid motion that particles have already
    applied: RigidVelocities


@inline
def are_firm(firmness: Firmness, i: int, j: int) -> bool:
    """True if proxy i or j is a firm body, and they are not the same body."""
    share = firmness.share
    return i != j and bool(share[i] > 0.0 or (j < share.shape[0] and share[j] > 0.0))


@inline
def bears_others(firmness: Firmness, b: int, touched: int, dt: float) -> bool:
    """True if body b touches another body, or did so within the last CROWDED seconds.

    touched: what pushes it, see `Impacts.touched`.
    """
    is_now = touched == SEVERAL or touched >= BODIES
    firmness.bearing_time[b] = CROWDED if is_now else max(firmness.bearing_time[b] - dt, 0.0)
    return bool(firmness.bearing_time[b] > 0.0)


@inline
def find_shares(
    firmness: Firmness, first: int, last: int, spins: Spins, impacts: Impacts, dt: float
) -> None:
    """Begin a substep of the bodies [first, last): write which share of impulses each passes on."""
    for b in range(first, last):
        # Only loads of other bodies are passed on: on walls alone a hoop of 48 particles would roll
        # as a rigid polygon, 7 % slow, and a crate on its corner would bounce by 5 % more.
        bears = bears_others(firmness, b, impacts.touched[b], dt)
        firmness.share[b] = 0.0
        kappa = impacts.shape_rate[b] * dt * dt
        if (
            kappa > STIFFEST
            and spins.rolls[b]
            and spins.bodies[b]["inverse_inertia"] > 0.0
            and bears
        ):
            firmness.share[b] = min(1.0 - STIFFEST / kappa, FIRMEST)
            stop(firmness.pending[b])
            stop(firmness.applied[b])


@inline
def spread_pending(
    firmness: Firmness,
    first: int,
    last: int,
    spins: Spins,
    position: np.ndarray,
    predicted: np.ndarray,
) -> None:
    """Add the pending rigid motion of the bodies [first, last) to the predicted velocities of their
    particles, after the iterations; from then on it counts as applied.
    """
    for b in range(first, last):
        if firmness.share[b] == 0.0:
            continue
        given = firmness.pending[b]
        applied = firmness.applied[b]
        body = spins.bodies[b]
        for p in range(spins.start[b], spins.stop[b]):
            vx, vy = velocity_at(given, body, position[p, 0], position[p, 1])
            predicted[p, 0] += vx
            predicted[p, 1] += vy
        applied["velocity_x"] += given["velocity_x"]
        applied["velocity_y"] += given["velocity_y"]
        applied["angular_velocity"] += given["angular_velocity"]
        stop(given)


@inline
def apply_firmness(
    firmness: Firmness, first: int, last: int, spins: Spins, motion: ParticleArrays, dt: float
) -> None:
    """Add to the forces [N] what gives the bodies [first, last) their rigid motion in this substep:
    m v / dt for each particle.
    """
    position = motion.position
    force = motion.force
    inverse_mass = motion.inverse_mass
    for b in range(first, last):
        if firmness.share[b] == 0.0:
            continue
        applied = firmness.applied[b]
        body = spins.bodies[b]
        for p in range(spins.start[b], spins.stop[b]):
            share = 1.0 / (inverse_mass[p] * dt)
            vx, vy = velocity_at(applied, body, position[p, 0], position[p, 1])
            force[p, 0] += share * vx
            force[p, 1] += share * vy


class FirmContacts(NamedTuple):
    """Contacts of a batch, the active ones of firm bodies among them (`edges`), and the arrays that
    their impulses change.
    """

    contacts: ContactArrays
    edges: ActiveEdges
    firmness: Firmness
    spins: Spins
    motion: ParticleArrays
    rows: Rows


@inline
def owners_of(firm: FirmContacts, k: int) -> tuple[int, int]:
    """Return the firm body of the particle and the firm body of the edge of edges[k], or -1."""
    edge = firm.edges[k]
    share = firm.firmness.share
    i = firm.contacts.proxies[edge["contact"], 0]
    j = firm.contacts.proxies[edge["contact"], 1]
    if edge["particle"] >= firm.rows.offset:  # a corner of a wall
        j = i
        i = -1
    elif edge["edge_a"] >= firm.rows.offset:
        j = -1
    return i if i >= 0 and share[i] > 0.0 else -1, j if j >= 0 and share[j] > 0.0 else -1


@inline
def yield_of(firm: FirmContacts, b: int, p: int, fx: float, fy: float, turning: float) -> float:
    """Return the part of an inverse effective mass [1/kg] that the rigid motion of body b adds.

    s (|f|²/M + torque²/I), for the force (fx, fy) and the torque `turning` on the body that a unit
    impulse gives. p: one of its particles, whose drag takes its share.
    """
    body = firm.spins.bodies[b]
    share = firm.firmness.share[b] * (1.0 - firm.motion.drag_share[p])
    return share * (
        body["inverse_mass"] * (fx * fx + fy * fy) + body["inverse_inertia"] * turning * turning
    )


@inline
def torque_of(firm: FirmContacts, b: int, p: int, fx: float, fy: float) -> float:
    """Return the torque on body b of a force (fx, fy) on its particle p, about its centre."""
    position = firm.motion.position
    body = firm.spins.bodies[b]
    return (position[p, 0] - body["centre_x"]) * fy - (position[p, 1] - body["centre_y"]) * fx


@kernel
def set_firm_masses(firm: FirmContacts, k: int) -> None:
    """Write to edges[k] the masses that its impulses move: the inverse masses of its particles
    without the shares that are passed on, and the effective masses with the rigid motions.
    """
    edge = firm.edges[k]
    (i, j) = owners_of(firm, k)
    p = edge["particle"]
    a = edge["edge_a"]
    b = edge["edge_b"]
    if i >= 0:
        edge["inverse_mass"] *= 1.0 - firm.firmness.share[i]
    if j >= 0:
        edge["inverse_mass_a"] *= 1.0 - firm.firmness.share[j]
        edge["inverse_mass_b"] *= 1.0 - firm.firmness.share[j]
    for across in range(2):
        px, py, ax, ay, bx, by = split_impulse(
            edge["normal_x"],
            edge["normal_y"],
            edge["edge_fraction"],
            edge["torque_arm_x"],
            edge["torque_arm_y"],
            1.0 - across,
            1.0 * across,
        )
        inverse = edge["inverse_mass"] * (px * px + py * py)
        inverse += edge["inverse_mass_a"] * (ax * ax + ay * ay) + edge["inverse_mass_b"] * (
            bx * bx + by * by
        )
        if i >= 0:
            inverse += yield_of(firm, i, p, px, py, torque_of(firm, i, p, px, py))
        if j >= 0:
            turning = torque_of(firm, j, a, ax, ay) + torque_of(firm, j, b, bx, by)
            inverse += yield_of(firm, j, a, ax + bx, ay + by, turning)
        if across == 0:
            edge["effective_mass"] = 1.0 / inverse
            edge["inverse_effective_mass"] = inverse
        else:
            edge["friction_mass"] = 1.0 / (inverse + edge["surface_yield"])


@inline
def push_firm(
    firm: FirmContacts, k: int, i: int, j: int, normal_impulse: float, friction_impulse: float
) -> None:
    """Change velocities by an impulse of edges[k] along the normal and one across [N·s].

    i, j: the firm bodies of its particle and of its edge, or -1, see `owners_of`.
    """
    edge = firm.edges[k]
    predicted = firm.rows.predicted
    p = edge["particle"]
    a = edge["edge_a"]
    b = edge["edge_b"]
    px, py, ax, ay, bx, by = split_impulse(
        edge["normal_x"],
        edge["normal_y"],
        edge["edge_fraction"],
        edge["torque_arm_x"],
        edge["torque_arm_y"],
        normal_impulse,
        friction_impulse,
    )
    predicted[p, 0] += edge["inverse_mass"] * px
    predicted[p, 1] += edge["inverse_mass"] * py
    predicted[a, 0] += edge["inverse_mass_a"] * ax
    predicted[a, 1] += edge["inverse_mass_a"] * ay
    predicted[b, 0] += edge["inverse_mass_b"] * bx
    predicted[b, 1] += edge["inverse_mass_b"] * by
    firm.rows.surface_speed[p] -= edge["surface_yield"] * friction_impulse
    if i >= 0:
        pass_on(firm, i, p, px, py)
    if j >= 0:
        pass_on(firm, j, a, ax, ay)
        pass_on(firm, j, b, bx, by)


@inline
def pass_on(firm: FirmContacts, b: int, p: int, ix: float, iy: float) -> None:
    """Add to the pending motion of body b its share of an impulse (ix, iy) on its particle p."""
    body = firm.spins.bodies[b]
    pending = firm.firmness.pending[b]
    share = firm.firmness.share[b] * (1.0 - firm.motion.drag_share[p])
    pending["velocity_x"] += share * body["inverse_mass"] * ix
    pending["velocity_y"] += share * body["inverse_mass"] * iy
    pending["angular_velocity"] += share * body["inverse_inertia"] * torque_of(firm, b, p, ix, iy)


@inline
def velocity_of(firm: FirmContacts, b: int, p: int) -> tuple[float, float]:
    """Return the velocity [m/s] of particle p, with the pending motion of firm body b; -1: none."""
    vx = firm.rows.predicted[p, 0]
    vy = firm.rows.predicted[p, 1]
    if b >= 0:
        position = firm.motion.position
        x, y = velocity_at(
            firm.firmness.pending[b], firm.spins.bodies[b], position[p, 0], position[p, 1]
        )
        vx += x
        vy += y
    return vx, vy


@kernel
def warm_start_firm(firm: FirmContacts) -> None:
    """Find the masses of contacts of firm bodies, and apply the impulses that they start from."""
    for k in range(firm.edges.shape[0]):
        set_firm_masses(firm, k)
        if firm.edges[k]["normal_impulse"] != 0.0:
            i, j = owners_of(firm, k)
            push_firm(
                firm, k, i, j, firm.edges[k]["normal_impulse"], firm.edges[k]["friction_impulse"]
            )


@kernel
def iterate_firm(firm: FirmContacts) -> float:
    """Run one iteration over the contacts of firm bodies; return the largest change of a relative
    velocity [m/s].
    """
    change = 0.0
    for k in range(firm.edges.shape[0]):
        edge = firm.edges[k]
        (i, j) = owners_of(firm, k)
        nx = edge["normal_x"]
        ny = edge["normal_y"]
        t = edge["edge_fraction"]
        px, py = velocity_of(firm, i, edge["particle"])
        ax, ay = velocity_of(firm, j, edge["edge_a"])
        bx, by = velocity_of(firm, j, edge["edge_b"])
        vx = px - (1.0 - t) * ax - t * bx
        vy = py - (1.0 - t) * ay - t * by
        old = edge["normal_impulse"]
        old_friction = edge["friction_impulse"]
        new = max(old - edge["effective_mass"] * (vx * nx + vy * ny + edge["closing_speed"]), 0.0)
        if new == 0.0 and old == 0.0 and old_friction == 0.0:
            continue
        slip = vy * nx - vx * ny - edge["tangent_speed"] - firm.rows.surface_speed[edge["particle"]]
        slip += edge["torque_arm_x"] * (ax - bx) + edge["torque_arm_y"] * (ay - by)
        limit = edge["friction"] * new
        new_friction = min(max(old_friction - edge["friction_mass"] * slip, -limit), limit)
        edge["normal_impulse"] = new
        edge["friction_impulse"] = new_friction
        impulse = new - old
        friction_impulse = new_friction - old_friction
        change = max(
            change, (abs(impulse) + abs(friction_impulse)) * edge["inverse_effective_mass"]
        )
        push_firm(firm, k, i, j, impulse, friction_impulse)
    return change


@inline
def note_impulse(contact: np.ndarray, impulse: float, friction_impulse: float) -> None:
    """Store the impulses of a contact in its record, and add to its frame impulse."""
    contact["previous_impulse"] = contact["normal_impulse"]
    contact["normal_impulse"] = impulse
    contact["friction_impulse"] = friction_impulse
    contact["frame_impulse"] += impulse


@kernel
def store_firm_impulses(firm: FirmContacts, gravity: np.ndarray, dt: float) -> None:
    """Store the impulses as `store_edge_impulses` does: in records and, over dt, as forces.

    Particles get the share that is not passed on; `apply_firmness` gives bodies the rest.
    """
    records = firm.contacts.records
    offset = firm.rows.offset
    force = firm.motion.force
    spins = firm.spins
    drag_share = firm.motion.drag_share
    share = firm.firmness.share
    for k in range(firm.edges.shape[0]):
        edge = firm.edges[k]
        (i, j) = owners_of(firm, k)
        p = edge["particle"]
        a = edge["edge_a"]
        b = edge["edge_b"]
        impulse = edge["normal_impulse"]
        friction_impulse = edge["friction_impulse"]
        contact = records[edge["contact"]]
        note_impulse(contact, impulse, friction_impulse)
        if impulse > 0.0:
            note_meeting_speed(contact, p, a, b, firm.motion, firm.rows, gravity, dt)
        px, py, ax, ay, bx, by = split_impulse(
            edge["normal_x"],
            edge["normal_y"],
            edge["edge_fraction"],
            edge["torque_arm_x"],
            edge["torque_arm_y"],
            impulse / dt,
            friction_impulse / dt,
        )
        kept_i = 1.0 - share[i] if i >= 0 else 1.0
        kept_j = 1.0 - share[j] if j >= 0 else 1.0
        if p < offset:
            on_p = kept_i * (1.0 - drag_share[p])
            force[p, 0] += on_p * px
            force[p, 1] += on_p * py
            body = firm.contacts.proxies[edge["contact"], 0]
            add_couple(spins, body, p, friction_impulse, firm.motion, firm.rows)
        if a < offset:
            on_a = kept_j * (1.0 - drag_share[a])
            on_b = kept_j * (1.0 - drag_share[b])
            force[a, 0] += on_a * ax
            force[a, 1] += on_a * ay
            force[b, 0] += on_b * bx
            force[b, 1] += on_b * by
