"""Iterate: the loops of sequential impulses (Catto 2005) over the active contacts of a substep.

They work on `rows.predicted`, the velocities that particles will have after the substep: the warm
start adds the impulses of the last substep, each iteration corrects the impulse of one contact
after the other, and at the end impulses / dt become forces of the particles. The formulas stand in
contacts/contact.py. Discs, edges and firm bodies (firm.py) have loops of their own.
"""

import numpy as np

from ecs_softbody.collision.contacts.contact import (
    ContactArrays,
    ParticleArrays,
    Rows,
    are_discs,
    normal_velocity,
    note_meeting_speed,
    split_impulse,
)
from ecs_softbody.collision.solve.active import (
    DISCS,
    EDGES,
    FIRM,
    SPECULATIVE,
    ActiveContacts,
    list_disc,
    list_edge,
)
from ecs_softbody.collision.solve.firm import Firmness, are_firm, note_impulse
from ecs_softbody.collision.solve.spin import Spins, add_couple
from ecs_softbody.parallel.compiling import inline, kernel

TURNS = 6
"""The list of discs is cut into this many parts; an iteration takes one disc of each part after the
other. With 2, the iterations of 1000 discs took 59 µs a substep instead of 50.
"""


@kernel
def warm_start_discs(discs: np.ndarray, rows: Rows) -> None:
    """Apply the impulses that the discs start from to the predicted velocities."""
    predicted = rows.predicted
    surface_speed = rows.surface_speed
    for k in range(discs.shape[0]):
        disc = discs[k]
        p = disc["particle"]
        a = disc["other"]
        impulse = disc["normal_impulse"]
        friction_impulse = disc["friction_impulse"]
        nx = disc["normal_x"]
        ny = disc["normal_y"]
        ix = impulse * nx - friction_impulse * ny
        iy = impulse * ny + friction_impulse * nx
        predicted[p, 0] += disc["inverse_mass"] * ix
        predicted[p, 1] += disc["inverse_mass"] * iy
        predicted[a, 0] -= disc["inverse_mass_other"] * ix
        predicted[a, 1] -= disc["inverse_mass_other"] * iy
        couple = disc["arm_ratio"] * friction_impulse
        surface_speed[p] -= disc["surface_yield"] * couple
        surface_speed[a] -= disc["surface_yield_other"] * couple


@kernel
def warm_start_edges(edges: np.ndarray, rows: Rows) -> None:
    """Apply the impulses that the edges start from to the predicted velocities."""
    for k in range(edges.shape[0]):
        if edges[k]["normal_impulse"] != 0.0:
            apply_impulse(edges, k, edges[k]["normal_impulse"], edges[k]["friction_impulse"], rows)


@inline
def apply_impulse(
    edges: np.ndarray, k: int, normal_impulse: float, friction_impulse: float, rows: Rows
) -> None:
    """Change the predicted velocities of p, a and b of edges[k] by an impulse along the normal and
    one across [N·s].
    """
    edge = edges[k]
    velocity = rows.predicted
    p = edge["particle"]
    a = edge["edge_a"]
    b = edge["edge_b"]
    # Walls need no branch: their inverse mass is 0.
    px, py, ax, ay, bx, by = split_impulse(
        edge["normal_x"],
        edge["normal_y"],
        edge["edge_fraction"],
        edge["torque_arm_x"],
        edge["torque_arm_y"],
        normal_impulse,
        friction_impulse,
    )
    velocity[p, 0] += edge["inverse_mass"] * px
    velocity[p, 1] += edge["inverse_mass"] * py
    velocity[a, 0] += edge["inverse_mass_a"] * ax
    velocity[a, 1] += edge["inverse_mass_a"] * ay
    velocity[b, 0] += edge["inverse_mass_b"] * bx
    velocity[b, 1] += edge["inverse_mass_b"] * by
    rows.surface_speed[p] -= edge["surface_yield"] * friction_impulse


@kernel
def iterate_discs(discs: np.ndarray, rows: Rows) -> float:
    """Run one iteration over the discs; return the largest change of a relative velocity [m/s].

    Neighbours in the list often share a disc, so that the processor would wait for one velocity to
    be written before it reads it for the next contact: far ones take turns instead, see TURNS.
    """
    change = 0.0
    size = discs.shape[0] // TURNS
    for k in range(size):
        for turn in range(TURNS):
            change = max(
                change, iterate_disc(discs, turn * size + k, rows.predicted, rows.surface_speed)
            )
    for k in range(TURNS * size, discs.shape[0]):
        change = max(change, iterate_disc(discs, k, rows.predicted, rows.surface_speed))
    return change


@inline
def iterate_disc(
    discs: np.ndarray, k: int, predicted: np.ndarray, surface_speed: np.ndarray
) -> float:
    """Update the impulses of discs[k]; return the change of their relative velocity [m/s]."""
    disc = discs[k]
    p = disc["particle"]
    a = disc["other"]
    nx = disc["normal_x"]
    ny = disc["normal_y"]
    px = predicted[p, 0]
    py = predicted[p, 1]
    ax = predicted[a, 0]
    ay = predicted[a, 1]
    vx = px - ax
    vy = py - ay
    old = disc["normal_impulse"]
    old_friction = disc["friction_impulse"]
    # The sum of the impulses is clamped, not the change: later iterations may take back impulses
    # that proved too large. Friction follows the normal impulse, which is its limit.
    new = max(old - disc["effective_mass"] * (vx * nx + vy * ny + disc["closing_speed"]), 0.0)
    limit = disc["friction"] * (new + disc["reflected_impulse"])
    arm_ratio = disc["arm_ratio"]
    slip = vy * nx - vx * ny
    if arm_ratio > 0.0:  # else neither surface turns, see list_disc
        slip -= arm_ratio * (surface_speed[p] + surface_speed[a])
    new_friction = min(max(old_friction - disc["friction_mass"] * slip, -limit), limit)
    impulse = new - old
    friction_impulse = new_friction - old_friction
    disc["normal_impulse"] = new
    disc["friction_impulse"] = new_friction
    ix = impulse * nx - friction_impulse * ny
    iy = impulse * ny + friction_impulse * nx
    on_p = disc["inverse_mass"]
    on_a = disc["inverse_mass_other"]
    predicted[p, 0] = px + on_p * ix
    predicted[p, 1] = py + on_p * iy
    predicted[a, 0] = ax - on_a * ix
    predicted[a, 1] = ay - on_a * iy
    if arm_ratio > 0.0:
        surface_speed[p] -= disc["surface_yield"] * arm_ratio * friction_impulse
        surface_speed[a] -= disc["surface_yield_other"] * arm_ratio * friction_impulse
    return (abs(impulse) + abs(friction_impulse)) * disc["inverse_effective_mass"]


@kernel
def iterate_edges(edges: np.ndarray, rows: Rows) -> float:
    """Run one iteration over the edges; return the largest change of a relative velocity [m/s]."""
    change = 0.0
    predicted = rows.predicted
    for k in range(edges.shape[0]):
        edge = edges[k]
        p = edge["particle"]
        a = edge["edge_a"]
        b = edge["edge_b"]
        nx = edge["normal_x"]
        ny = edge["normal_y"]
        t = edge["edge_fraction"]
        vx = predicted[p, 0] - (1.0 - t) * predicted[a, 0] - t * predicted[b, 0]
        vy = predicted[p, 1] - (1.0 - t) * predicted[a, 1] - t * predicted[b, 1]
        old = edge["normal_impulse"]
        old_friction = edge["friction_impulse"]
        new = max(old - edge["effective_mass"] * (vx * nx + vy * ny + edge["closing_speed"]), 0.0)
        pressed = new + edge["reflected_impulse"]
        if pressed == 0.0 and old == 0.0 and old_friction == 0.0:
            continue
        slip = vy * nx - vx * ny - edge["tangent_speed"] - rows.surface_speed[p]
        slip += edge["torque_arm_x"] * (predicted[a, 0] - predicted[b, 0])
        slip += edge["torque_arm_y"] * (predicted[a, 1] - predicted[b, 1])
        limit = edge["friction"] * pressed
        new_friction = min(max(old_friction - edge["friction_mass"] * slip, -limit), limit)
        edge["normal_impulse"] = new
        edge["friction_impulse"] = new_friction
        impulse = new - old
        friction_impulse = new_friction - old_friction
        change = max(
            change, (abs(impulse) + abs(friction_impulse)) * edge["inverse_effective_mass"]
        )
        apply_impulse(edges, k, impulse, friction_impulse, rows)
    return change


@kernel
def is_one_missed(
    contacts: ContactArrays, speculative: np.ndarray, predicted: np.ndarray, dt: float
) -> bool:
    """True if a speculative contact would overlap at the end of the substep, with the velocities
    that the iterations have found: then it must be solved, too.
    """
    rows = contacts.rows
    for k in range(speculative.shape[0]):
        c = speculative[k]
        contact = contacts.records[c]
        speed = normal_velocity(
            predicted,
            rows[c, 0],
            rows[c, 1],
            rows[c, 2],
            contact["edge_fraction"],
            contact["normal_x"],
            contact["normal_y"],
        )
        if speed * dt + max(contact["separation"], 0.0) < 0.0:
            return True
    return False


@kernel
def activate_speculative(
    contacts: ContactArrays,
    active: ActiveContacts,
    counts: np.ndarray,
    rows: Rows,
    dt: float,
    firmness: Firmness,
) -> None:
    """Add all speculative contacts of a batch to the active ones.

    counts (6,): the batch's row of `ActiveContacts.counts`.
    """
    keys = contacts.rows
    records = contacts.records
    for k in range(counts[SPECULATIVE]):
        c = active.speculative[k]
        if are_discs(keys, c, rows.offset):
            list_disc(keys, records, c, rows, 1.0 / dt, active.discs, counts[DISCS])
            counts[DISCS] += 1
        elif are_firm(firmness, contacts.proxies[c, 0], contacts.proxies[c, 1]):
            list_edge(
                keys, records, c, rows, 1.0 / dt, active.edges, keys.shape[0] - 1 - counts[FIRM]
            )
            counts[FIRM] += 1
        else:
            list_edge(keys, records, c, rows, 1.0 / dt, active.edges, counts[EDGES])
            counts[EDGES] += 1
    counts[SPECULATIVE] = 0


@kernel
def forget_speculative(records: np.ndarray, speculative: np.ndarray) -> None:
    """Write to the records (CONTACT) that the speculative contacts, by number, did not push."""
    for k in range(speculative.shape[0]):
        contact = records[speculative[k]]
        contact["previous_impulse"] = contact["normal_impulse"]
        contact["normal_impulse"] = contact["friction_impulse"] = 0.0


@kernel
def store_disc_impulses(
    records: np.ndarray,
    discs: np.ndarray,
    rows: Rows,
    dt: float,
    motion: ParticleArrays,
    gravity: np.ndarray,
) -> None:
    """Store the impulses of the active discs: in their records, for the warm start and the frame's
    sum, and as forces impulse / dt on the particles, less the fraction that drag takes.

    Friction has turned the discs already; their angular velocities are written from it.
    """
    force = motion.force
    drag_share = motion.drag_share
    for k in range(discs.shape[0]):
        disc = discs[k]
        p = disc["particle"]
        a = disc["other"]
        contact = records[disc["contact"]]
        impulse = disc["normal_impulse"]
        contact["previous_impulse"] = contact["normal_impulse"]
        friction_impulse = disc["friction_impulse"]
        contact["normal_impulse"] = impulse
        contact["friction_impulse"] = friction_impulse
        if impulse == 0.0 and friction_impulse == 0.0:
            continue
        contact["frame_impulse"] += impulse
        note_meeting_speed(contact, p, a, a, motion, rows, gravity, dt)
        nx = disc["normal_x"]
        ny = disc["normal_y"]
        fx = (impulse * nx - friction_impulse * ny) / dt
        fy = (impulse * ny + friction_impulse * nx) / dt
        on_p = 1.0 - drag_share[p]
        on_a = 1.0 - drag_share[a]
        force[p, 0] += on_p * fx
        force[p, 1] += on_p * fy
        force[a, 0] -= on_a * fx
        force[a, 1] -= on_a * fy
        if friction_impulse != 0.0:
            if disc["surface_yield"] > 0.0:
                motion.angular_velocity[p] = rows.surface_speed[p] / rows.radius[p]
            if disc["surface_yield_other"] > 0.0:
                motion.angular_velocity[a] = rows.surface_speed[a] / rows.radius[a]


@kernel
def store_edge_impulses(
    contacts: ContactArrays,
    edges: np.ndarray,
    rows: Rows,
    spins: Spins,
    dt: float,
    motion: ParticleArrays,
    gravity: np.ndarray,
) -> None:
    """Store the impulses of the active edges as `store_disc_impulses` does; walls feel no force.

    Friction also gives the angular impulses by which rings turn as wholes, see spin.py.
    """
    records = contacts.records
    offset = rows.offset
    force = motion.force
    drag_share = motion.drag_share
    for k in range(edges.shape[0]):
        edge = edges[k]
        p = edge["particle"]
        a = edge["edge_a"]
        b = edge["edge_b"]
        contact = records[edge["contact"]]
        impulse = edge["normal_impulse"]
        friction_impulse = edge["friction_impulse"]
        note_impulse(contact, impulse, friction_impulse)
        if impulse == 0.0 and friction_impulse == 0.0:
            continue
        if impulse > 0.0:
            note_meeting_speed(contact, p, a, b, motion, rows, gravity, dt)
        px, py, ax, ay, bx, by = split_impulse(
            edge["normal_x"],
            edge["normal_y"],
            edge["edge_fraction"],
            edge["torque_arm_x"],
            edge["torque_arm_y"],
            impulse / dt,
            friction_impulse / dt,
        )
        if p < offset:
            on_p = 1.0 - drag_share[p]
            force[p, 0] += on_p * px
            force[p, 1] += on_p * py
            body = contacts.proxies[edge["contact"], 0]
            add_couple(spins, body, p, friction_impulse, motion, rows)
        if a < offset:
            on_a = 1.0 - drag_share[a]
            on_b = 1.0 - drag_share[b]
            force[a, 0] += on_a * ax
            force[a, 1] += on_a * ay
            force[b, 0] += on_b * bx
            force[b, 1] += on_b * by
