"""Prepare: brings every contact to the present positions, before impulses are solved.

In each substep the geometry, the relative velocity with all forces and the effective masses are
written to the records (CONTACT); bounces are decided, and each contact goes to one of the lists of
ActiveContacts.
"""

import math

import numpy as np

from ecs_softbody.collision.contacts.contact import (
    ContactArrays,
    ParticleArrays,
    Rows,
    Walls,
    are_discs,
    normal_velocity,
)
from ecs_softbody.collision.impacts.landing import (
    body_of,
    lands,
    lands_on_disc,
    note_impact,
    note_touch,
    shape_rate_of,
)
from ecs_softbody.collision.impacts.pair_impact import may_bounce_together, note_pair_impact
from ecs_softbody.collision.impacts.records import Impacts
from ecs_softbody.collision.reflection.approaching import does_approach, may_reflect
from ecs_softbody.collision.seams.sides import belongs_to_neighbour, off_gap
from ecs_softbody.collision.solve.active import (
    APPROACHING,
    DISCS,
    EDGES,
    FIRM,
    IMPACTS,
    SPECULATIVE,
    ActiveContacts,
    is_active,
    list_disc,
    list_edge,
)
from ecs_softbody.collision.solve.bounce import (
    Substep,
    reflect,
    set_bounce,
    speeds_of,
    speeds_of_discs,
)
from ecs_softbody.collision.solve.correct import NEXT_TO_AN_END
from ecs_softbody.collision.solve.firm import Firmness, are_firm
from ecs_softbody.collision.solve.spin import Spins, friction_arm_of, tangent_speed_of
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import inline, kernel

LONGEST_ARM = 1.5
"""A soft edge gives no friction whose torque needs a longer arm than this times the length of the
edge: the couple on its ends, which balances the torque, would shake it.
"""
ARM_ON_WALL = 1.0
"""The torque arm of a soft edge on a wall is at most this times the length of the edge, less than
LONGEST_ARM: so short edges with a thick skin rub as well.
"""
ONE = np.uint64(1)
"""From the x of a particle to its y in the flat list, unsigned as the index."""
TWO = np.uint64(2)
"""Numbers per particle in the flat list. It is unsigned because a signed index is tested for
negative values at every access.
"""


@kernel
def predict_velocities(
    spans: np.ndarray, motion: ParticleArrays, dt: float, predicted: np.ndarray
) -> None:
    """Write to `predicted` (R, 2) [m/s] the velocities v + dt F/m that the forces so far will give.

    spans (S, 2): of rows, first and one after the last, of the particles that move. The arrays are
    read as flat lists, x and y in turn, with unsigned indices, so that the loop is vectorized.
    """
    now = motion.velocity.reshape(-1)
    push = motion.force.reshape(-1)
    then = predicted.reshape(-1)
    inverse_mass = motion.inverse_mass
    for span in range(spans.shape[0]):
        for p in range(np.uint64(spans[span, 0]), np.uint64(spans[span, 1])):
            x = TWO * p
            y = TWO * p + ONE
            share = dt * inverse_mass[p]
            then[x] = now[x] + share * push[x]
            then[y] = now[y] + share * push[y]


@inline
def prepare_contacts(
    contacts: ContactArrays,
    active: ActiveContacts,
    counts: np.ndarray,
    motion: ParticleArrays,
    walls: Walls,
    rows: Rows,
    spins: Spins,
    impacts: Impacts,
    firmness: Firmness,
    gravity: np.ndarray,
    dt: float,
    bounces: bool,
) -> None:
    """Bring the contacts of a batch up to the present positions, and list which are active,
    speculative, of impacts or reflecting.

    A contact is skipped if nothing in it can move. counts (6,): written, lengths of the lists, see
    ActiveContacts. bounces: false when contacts are only looked at, or prepared for a second time
    in a substep: elastic contacts decide once about their bounces.
    """
    keys = contacts.rows
    proxies = contacts.proxies
    records = contacts.records
    offset = rows.offset
    body_count = walls.body_count
    strength = hypot(gravity[0], gravity[1])
    edge_count = 0
    firm_count = 0
    impact_count = 0
    rate = 1.0 / dt
    last = keys.shape[0] - 1
    # Discs come first: the call resets the counts of the batch, which the loop below continues.
    if (
        prepare_all_discs(contacts, active, counts, motion, rows, gravity, dt, bounces)
        and not impacts.has_walls
    ):
        return
    speculative_count = counts[SPECULATIVE]
    approaching_count = counts[APPROACHING]
    for c in range(keys.shape[0]):
        if are_discs(keys, c, offset):
            if (
                bounces
                and records[c]["active"]
                and (impacts.is_wall[proxies[c, 0]] or impacts.is_wall[proxies[c, 1]])
            ):
                active.impacts[impact_count] = c
                impact_count += lands_on_disc(
                    contacts, c, impacts, spins, motion, walls, rows, gravity, dt
                )
            continue
        # The owner is the body of the edge, or its static edge; a point that is a vertex of a wall
        # has no friction arm, and then the first proxy owns the edge.
        contact = records[c]
        body = proxies[c, 0]
        friction_arm = 0.0
        owner = proxies[c, 0]
        if keys[c, 0] < offset:
            friction_arm = friction_arm_of(spins, body, rows.radius[keys[c, 0]])
            owner = proxies[c, 1]
        is_closed = owner < body_count and bool(spins.rolls[owner])
        # `prepare_edge` overwrites the separation of the substep before, which bounces need.
        before = contact["separation"]
        can_move = prepare_edge(contacts, c, motion, walls, rows, friction_arm, is_closed)
        can_move = can_move and set_masses(contacts, c, rows)
        contact["active"] = can_move
        if not can_move:
            continue
        turns = friction_arm > 0.0 and spins.rolls[body]
        contact["tangent_speed"] = (
            friction_arm * spins.bodies[body]["angular_velocity"] if turns else 0.0
        )
        if proxies[c, 1] >= body_count:
            e = proxies[c, 1] - body_count
            if walls.angular_velocity[e] != 0.0 or walls.tangent_speed[e] != 0.0:
                contact["tangent_speed"] += tangent_speed_of(contacts, c, e, walls, rows)
        if contact["normal_impulse"] > 0.0:
            note_touch(impacts, body, proxies[c, 1], body_count)
        if may_reflect(contact, bounces):
            active.approaching[approaching_count] = c
            approaching_count += does_approach(contacts, c, motion, rows, strength, dt)
        elif bounces:
            substep = Substep(dt, gravity, strength, before)
            active.impacts[impact_count] = c
            impact_count += bounce(contacts, c, impacts, spins, motion, walls, rows, substep)
        lately = contact["normal_impulse"]
        earlier = contact["previous_impulse"]
        if is_active(
            contact["separation"], contact["relative_normal_velocity"], lately, earlier, dt
        ):
            is_firm = are_firm(firmness, proxies[c, 0], proxies[c, 1])
            # Contacts of firm bodies fill the list from its end: both kinds share one array, and
            # neither loop of the iterations has a branch.
            list_edge(
                keys,
                records,
                c,
                rows,
                rate,
                active.edges,
                last - firm_count if is_firm else edge_count,
            )
            firm_count += is_firm
            edge_count += not is_firm
        else:
            active.speculative[speculative_count] = c
            speculative_count += 1
    counts[EDGES] = edge_count
    counts[SPECULATIVE] = speculative_count
    counts[IMPACTS] = impact_count
    counts[FIRM] = firm_count
    counts[APPROACHING] = approaching_count


@kernel
def prepare_all_discs(
    contacts: ContactArrays,
    active: ActiveContacts,
    counts: np.ndarray,
    motion: ParticleArrays,
    rows: Rows,
    gravity: np.ndarray,
    dt: float,
    bounces: bool,
) -> bool:
    """Prepare and list the contacts of two discs of a batch; true if it has no others.

    They have a separate loop, since most contacts are of discs and need no data of edges.
    """
    keys = contacts.rows
    records = contacts.records
    offset = rows.offset
    others = 0
    disc_count = 0
    speculative_count = 0
    approaching_count = 0
    rate = 1.0 / dt
    strength = hypot(gravity[0], gravity[1])
    for c in range(keys.shape[0]):
        if not are_discs(keys, c, offset):
            others += 1
            continue
        contact = records[c]
        before = contact["separation"]
        can_move = prepare_discs(contacts, c, motion, rows)
        if can_move and may_reflect(contact, bounces):
            active.approaching[approaching_count] = c
            approaching_count += does_approach(contacts, c, motion, rows, strength, dt)
        elif bounces and contact["restitution"] > 0.0 and can_move:
            substep = Substep(dt, gravity, strength, before)
            set_bounce(
                contacts, c, speeds_of_discs(contacts, c, motion, dt, gravity), rows, substep
            )
        lately = contact["normal_impulse"]
        earlier = contact["previous_impulse"]
        # Every disc is written, see below: the next one overwrites it unless the list grows.
        list_disc(keys, records, c, rows, rate, active.discs, disc_count)
        is_pushing = is_active(
            contact["separation"], contact["relative_normal_velocity"], lately, earlier, dt
        )
        # Which list a disc goes to is hard to predict, so both are written to and one of them
        # grows.
        active.speculative[speculative_count] = c
        disc_count += can_move & is_pushing
        speculative_count += can_move & (not is_pushing)
    counts[:] = 0
    counts[DISCS] = disc_count
    counts[SPECULATIVE] = speculative_count
    counts[APPROACHING] = approaching_count
    return others == 0


@inline
def bounce(
    contacts: ContactArrays,
    c: int,
    impacts: Impacts,
    spins: Spins,
    motion: ParticleArrays,
    walls: Walls,
    rows: Rows,
    substep: Substep,
) -> bool:
    """Decide how contact c of an edge bounces; true if it belongs to an impact of whole bodies.

    Bodies with an outline that land on walls or meet one another may bounce as wholes (impacts/):
    the contact then has no bounce of its own. Otherwise it reflects at once, if the body is
    lossless, or gets a bounce speed (bounce.py).
    """
    contact = contacts.records[c]
    i = contacts.proxies[c, 0]
    j = contacts.proxies[c, 1]
    if body_of(impacts, i, j, walls.body_count) != i:
        i, j = j, i
    is_of_impact = False
    as_whole = False
    reflects = False
    if lands(impacts, i, j, walls.body_count):
        is_of_impact = note_impact(
            contacts, c, impacts, spins, motion, walls, rows, substep.gravity, substep.dt
        )
        as_whole = impacts.shape_rate[i] > 0.0 or bool(impacts.loses[i])
        reflects = not as_whole and contact["restitution"] >= 1.0
    elif j < walls.body_count and may_bounce_together(impacts, i, j):
        is_of_impact = note_pair_impact(
            contacts, c, impacts, spins, motion, walls, rows, substep.gravity, substep.dt
        )
        as_whole = is_of_impact and (
            shape_rate_of(impacts, i, j) > 0.0 or bool(impacts.loses[i]) or bool(impacts.loses[j])
        )
    if reflects:
        reflect(contacts, c, motion, rows, substep)
    elif contact["restitution"] > 0.0 and not as_whole:
        set_bounce(
            contacts,
            c,
            speeds_of(contacts, c, motion, rows, substep.dt, substep.gravity),
            rows,
            substep,
        )
    return is_of_impact


@inline
def prepare_discs(contacts: ContactArrays, c: int, motion: ParticleArrays, rows: Rows) -> bool:
    """Write normal, separation, effective mass and relative velocity of two discs; true if one of
    them can move.
    """
    position = motion.position
    predicted = rows.predicted
    radius = rows.radius
    contact = contacts.records[c]
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    dx = position[p, 0] - position[a, 0]
    dy = position[p, 1] - position[a, 1]
    distance = math.sqrt(dx * dx + dy * dy)
    inverse_mass = rows.inverse_mass[p] + rows.inverse_mass[a]
    if distance > 1e-9:
        inverse = 1.0 / distance
        nx = inverse * dx
        ny = inverse * dy
    else:
        # Centres in one place have no direction: the last normal stays; if it is zero, up is taken.
        nx = contact["normal_x"]
        ny = contact["normal_y"]
        if nx == 0.0 and ny == 0.0:
            ny = 1.0
    can_move = inverse_mass > 0.0
    approach = (predicted[p, 0] - predicted[a, 0]) * nx + (predicted[p, 1] - predicted[a, 1]) * ny
    contact["normal_x"] = nx
    contact["normal_y"] = ny
    contact["separation"] = distance - radius[p] - radius[a]
    contact["relative_normal_velocity"] = approach
    contact["effective_mass"] = 1.0 / inverse_mass if can_move else 0.0
    contact["active"] = can_move
    return can_move


@inline
def prepare_edge(
    contacts: ContactArrays,
    c: int,
    motion: ParticleArrays,
    walls: Walls,
    rows: Rows,
    friction_arm: float,
    is_closed: bool,
) -> bool:
    """Write normal, edge fraction, separation, torque arm and relative velocity of a particle and
    an edge; false if another edge of the chain is closer.

    Each particle belongs to the one static edge of a chain that is closest, so bodies slide over
    inner vertices without a bump.

    friction_arm: distance from the centre of the particle at which friction acts [m], see spin.py;
    the edge bears the rest of the torque. An immovable particle, e.g. the vertex of a wall, takes
    any torque: then the edge bears only its own half thickness, and the edge of an open outline
    nothing: a rope bends, so friction acts on its centre line. Ropes of joints are excepted, since
    joints do not know contacts with edges and would be shaken: 117 m/s over a peg with the mass of
    500 links at an end. is_closed: whether the outline of the edge is closed.
    """
    position = motion.position
    vertices = walls.vertices
    radius = rows.radius
    offset = rows.offset
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    b = contacts.rows[c, 2]
    contact = contacts.records[c]
    if p >= offset:
        px = vertices[p - offset, 0]
        py = vertices[p - offset, 1]
    else:
        px = position[p, 0]
        py = position[p, 1]
    if a >= offset:
        ax = vertices[a - offset, 0]
        ay = vertices[a - offset, 1]
        bx = vertices[b - offset, 0]
        by = vertices[b - offset, 1]
    else:
        ax = position[a, 0]
        ay = position[a, 1]
        bx = position[b, 0]
        by = position[b, 1]
    ex = bx - ax
    ey = by - ay
    squared = ex * ex + ey * ey
    t = ((px - ax) * ex + (py - ay) * ey) / squared if squared > 0.0 else 0.0
    # The corner of a wall has no contact with the end of a soft edge: that end is a particle, and
    # has contacts with the wall's edges itself.
    is_elsewhere = p >= offset and not 0.0 < t < 1.0
    if a >= offset and squared > 0.0:
        is_elsewhere |= belongs_to_neighbour(px, py, t, a - offset, b - offset, walls)
    if is_elsewhere:
        contact["normal_impulse"] = contact["friction_impulse"] = 0.0
        contact["effective_mass"] = math.inf
        return False
    # The nearer end, and whether the point lies beyond it: there a gap to the next edge counts.
    v, end, is_beyond = (a, 0, t < 0.0) if t < 0.5 else (b, 1, t > 1.0)
    t = min(max(t, 0.0), 1.0)
    dx = px - ax - t * ex
    dy = py - ay - t * ey
    if is_beyond and a >= offset and walls.seams[v - offset, end, 0] != v - offset:
        dx, dy = off_gap(px, py, v - offset, walls.seams[v - offset, end, 0], vertices)
    distance = math.sqrt(dx * dx + dy * dy)
    if distance > 1e-9:
        contact["normal_x"] = dx / distance
        contact["normal_y"] = dy / distance
    elif contact["normal_x"] == 0.0 and contact["normal_y"] == 0.0:
        length = math.sqrt(squared)
        contact["normal_x"] = -ey / length if length > 0.0 else 0.0
        contact["normal_y"] = ex / length if length > 0.0 else 1.0
    contact["torque_arm_x"] = contact["torque_arm_y"] = 0.0
    if a < offset:
        if rows.inverse_mass[p] == 0.0 and not (motion.jointed[a] and motion.jointed[b]):
            own = (1.0 - t) * radius[a] + t * radius[b] if is_closed else 0.0
            friction_arm = distance - min(own, ARM_ON_WALL * math.sqrt(squared))
        set_torque_arm(contacts.records, c, ex, ey, squared, distance, friction_arm)
    contact["edge_fraction"] = t
    contact["separation"] = distance - radius[p] - (1.0 - t) * radius[a] - t * radius[b]
    nx = contact["normal_x"]
    ny = contact["normal_y"]
    contact["relative_normal_velocity"] = normal_velocity(rows.predicted, p, a, b, t, nx, ny)
    return True


@inline
def set_torque_arm(
    records: np.ndarray,
    c: int,
    ex: float,
    ey: float,
    squared: float,
    distance: float,
    friction_arm: float,
) -> None:
    """Write the torque arm: the couple on a and b that balances the torque of a unit of friction.

    Friction at p and at the edge is `distance` apart [m]; p itself takes the torque on its
    `friction_arm`, so ±(distance - friction_arm) e⊥/|e|² is left, with the edge e = (ex, ey) and
    `squared` = |e|². If that arm is too long, there is no friction.
    """
    contact = records[c]
    arm = 0.0
    rest = distance - friction_arm
    if rest * rest < LONGEST_ARM * LONGEST_ARM * squared:
        arm = rest / squared
    else:
        contact["friction"] = 0.0
    contact["torque_arm_x"] = -arm * ey
    contact["torque_arm_y"] = arm * ex


@inline
def set_masses(contacts: ContactArrays, c: int, rows: Rows) -> bool:
    """Write the effective masses of normal and friction impulses; true if anything can move.

    Along the normal it is 1 / (w_p + (1-t)² w_a + t² w_b), w the inverse masses. For friction it is
    1 / (w_p + r_p²/I_p + w_a |(1-t) τ - l|² + w_b |t τ + l|²), with the tangent τ, the couple ± l
    of the torque arm and the surface yield r²/I of discs that turn by themselves, see spin.py.
    """
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    b = contacts.rows[c, 2]
    contact = contacts.records[c]
    inverse_mass = rows.inverse_mass
    wp = inverse_mass[p]
    wa = inverse_mass[a]
    wb = inverse_mass[b]
    t = contact["edge_fraction"]
    inverse = wp + (1.0 - t) * (1.0 - t) * wa + t * t * wb
    if not inverse > NEXT_TO_AN_END * max(wa, wb):
        contact["effective_mass"] = 0.0
        return False
    contact["effective_mass"] = 1.0 / inverse
    lx = contact["torque_arm_x"]
    ly = contact["torque_arm_y"]
    nx = contact["normal_x"]
    ny = contact["normal_y"]
    if lx != 0.0 or ly != 0.0:
        ax = lx + (1.0 - t) * ny
        ay = ly - (1.0 - t) * nx
        bx = lx - t * ny
        by = ly + t * nx
        inverse = wp + wa * (ax * ax + ay * ay) + wb * (bx * bx + by * by)
    inverse += rows.surface_yield[p]
    contact["friction_mass"] = 1.0 / inverse if inverse > 0.0 else 0.0
    return True
