"""Joints on contacts: a particle that was pressed against something moves along it only, until the
contact ends.

Contacts are solved after the joints. A rope that ignored its peg would pull its light particles
into the peg instead of holding the loads at its ends. So where a contact pushed in the last
substep, the particle has the inverse mass W = w (1 - (1 - φ) (n + f μ t) nᵀ); φ = w_other/(w +
w_other) is the share by which the other side yields, 0 for a wall, and f μ is Coulomb friction
along t = (-n_y, n_x), f = ±1 against the slip. Where friction held it, it is held along t by
friction in proportion to its slip, until more than μ times the normal impulse N pulls at it: at the
speed CREEP both agree. How a taut chain that sticks shares its pull among its particles would be
open otherwise; like this all of them bear it in proportion to N, and slide at once. The impulses
themselves are left to the contacts, which stop the creep.

So the tension of a rope that slides or is about to slide falls by 1 + 2 μ tan(θ/2) / (1 - μ
tan(θ/2)) at a particle that turns it by θ, over a whole peg by exp(μ Σ θ): the capstan equation (L.
Euler 1769, J. Eytelwein 1808).
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Uint32s1, Uint32s2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.joints.arrays import JointMotion, PushingContacts, Supports
from ecs_softbody.parallel.compiling import entry, kernel

FREE = 0
SLIDES = 1
STICKS = 2
ALIKE = 0.5
"""Normals are alike where the cosine between them is larger."""
POSSIBLE = 1e-100
"""Strength of a contact that did not push [N·s]: it may have to."""
HOLDING = 0.999
"""Share of the most that friction can do, above which a contact slides."""
CREEP = 1e-3
"""Slip that friction answers with all that it can, while it holds a particle [m/s]: a few µm in a
substep.
"""
LEAST_YIELDING = 1e-4
"""Least φ of a disc that rolls. Contacts that yield nothing make the joints of a body on three
wheels dependent, and their impulses grow without bound: at 0 such carts reach 8 km/s, at 1e-6 those
with motors still do 32 m/s, at 1e-3 a car rolls where it should stand. Contacts stop the motion
that a support lets through; a bounce must not wait for that.
"""
JOINED_YIELDING = 0.5
"""Least φ of a support that the same joints hold: it is pulled as well, so it is no fixed support.
Without it the corners of a box between heavy discs on strings got 780 m/s; without any support by
jointed particles, rings of balls that a mouse pulls through themselves stretch twice as much.
"""
MISSED = 1e-6
"""A contact supports its particle when it would close faster than it may by this [m/s]; friction
that pushes a particle along faster than this holds it instead.
"""


class Touching(NamedTuple):
    """Particles and vertices of walls, as contacts count them: rows from `offset` on
    are vertices.
    """

    offset: int
    body: Uint32s1  # (N,): slot of the body of each particle
    inverse_mass: Floats1  # Of particles and vertices [1/kg]
    velocity: Floats2  # (N, 2) of the particles [m/s]
    vertex_velocity: Floats2  # (V, 2) of the vertices [m/s]
    separation: Floats1
    """(C,) [m] at the present positions after a search for contacts, otherwise empty: separations
    of contacts are older.
    """
    in_use: Flags1  # (N,) of bool, scratch
    group: Integers1  # (N,) of joints that hold a free particle, -1 for none
    radius: Floats1  # (R,) [m]
    surface_yield: Floats1  # (R,) [1/kg] r²/I of discs that turn by themselves, else 0
    angular_velocity: Floats1  # (N,) [rad/s] of these


class Push(NamedTuple):
    """Effect of a contact on one of its sides."""

    nx: float
    ny: float  # Normal, towards the side
    impulse: float  # Of the last substep [N·s]
    open_speed: float
    """Speed that closes the separation in one substep [m/s]; negative where the contact bounces."""
    bounces: float  # 1 or 0
    friction_impulse: float
    friction: float
    tangent_speed: float  # Of the surface [m/s]


@entry
def find_supports(
    rows: Uint32s2,
    contacts: PushingContacts,
    touching: Touching,
    used: Integers1,
    support: Supports,
    dt: float,
) -> None:
    """Write for each of the particles `used` the contacts that press it most, as one.

    rows (C, 3): point and both ends of an edge. The ends share the load on their edge: a chain on a
    round wall is pressed in the middle of its edges, and with the normal of a single edge, a
    particle between two edges would lean to one side.
    """
    offset = touching.offset
    body = touching.body
    inverse_mass = touching.inverse_mass
    in_use = touching.in_use
    for p in used:
        in_use[p] = True
        clear(support[p])
    for c in range(len(contacts)):
        contact = contacts[c]
        if not contact["active"]:
            continue
        nx = contact["normal_x"]
        ny = contact["normal_y"]
        t = contact["edge_fraction"]
        p = rows[c, 0]
        a = rows[c, 1]
        b = rows[c, 2]
        if p < offset and a < offset and body[p] == body[a]:
            continue  # neighbours in a chain touch; the joint holds them
        if not ((p < offset and in_use[p]) or (a < offset and (in_use[a] or in_use[b]))):
            continue
        least_yields = JOINED_YIELDING if a < offset and are_joined(p, a, b, touching) else 0.0
        if least_yields > 0.0 and contact["bounce_speed"] > 0.0:
            continue
        ax, ay = velocity_of(a, touching)
        bx, by = velocity_of(b, touching)
        vx, vy = velocity_of(p, touching)
        speed = (vx - (1.0 - t) * ax - t * bx) * nx + (vy - (1.0 - t) * ay - t * by) * ny
        # The separation of the contact is older by the last move, which was at this speed.
        gap = (
            touching.separation[c] / dt
            if len(touching.separation)
            else contact["separation"] / dt + speed
        )
        tangent_speed = contact["tangent_speed"] + surface_speed_of(p, touching)
        if a == b:
            tangent_speed += surface_speed_of(a, touching)
        bounces = 1.0 if contact["bounce_speed"] > 0.0 else 0.0
        open_speed = -contact["bounce_speed"] if contact["bounce_speed"] > 0.0 else max(gap, 0.0)
        impulse = contact["normal_impulse"]
        rub = contact["friction_impulse"]
        friction = contact["friction"]
        push = Push(nx, ny, impulse, open_speed, bounces, rub, friction, tangent_speed)
        if p < offset and in_use[p]:
            other = (1.0 - t) * (1.0 - t) * inverse_mass[a] + t * t * inverse_mass[b]
            yields = max(other / (inverse_mass[p] + other) if other > 0.0 else 0.0, least_yields)
            velocity = (1.0 - t) * ax + t * bx, (1.0 - t) * ay + t * by
            add_support(support[p], 1.0, yields, velocity, push, dt)
        back = Push(-nx, -ny, impulse, open_speed, bounces, rub, friction, tangent_speed)
        for q, share in ((a, 1.0 - t), (b, t)):
            if q < offset and in_use[q] and share > 0.0:
                other = inverse_mass[p]
                yields = max(
                    other / (inverse_mass[q] + other) if other > 0.0 else 0.0, least_yields
                )
                add_support(support[q], share, yields, (vx, vy), back, dt)
    for p in used:
        in_use[p] = False
        if support[p]["strength"] > 0.0:
            # Support comes from contacts, and their search has filled `surface_yield` up to this
            # row.
            finish_support(support[p], inverse_mass[p], touching.surface_yield[p])


@kernel
def are_joined(p: int, a: int, b: int, touching: Touching) -> bool:
    """Return whether joints hold both sides of a contact of particles together."""
    group = touching.group
    offset = touching.offset
    if p >= offset or group[p] == -1:
        return False
    return bool(group[p] == group[a] or group[p] == group[b])


@kernel
def surface_speed_of(row: int, touching: Touching) -> float:
    """Return how fast the surface of a row moves along t because it turns [m/s], see
    collision/solve/spin.py.
    """
    if row >= touching.offset or touching.surface_yield[row] == 0.0:
        return 0.0
    return touching.radius[row] * touching.angular_velocity[row]


@kernel
def velocity_of(row: int, touching: Touching) -> tuple[float, float]:
    """Return the velocity of a particle or of a vertex."""
    if row >= touching.offset:
        vertex = row - touching.offset
        return touching.vertex_velocity[vertex, 0], touching.vertex_velocity[vertex, 1]
    return touching.velocity[row, 0], touching.velocity[row, 1]


@kernel
def clear(support: np.ndarray) -> None:
    """Write the support of a particle that nothing presses."""
    support["normal_x"] = 0.0
    support["normal_y"] = 0.0
    support["yielding"] = 0.0
    support["least"] = 0.0
    support["strength"] = 0.0
    support["friction"] = 0.0
    support["across"] = 0.0
    support["rub"] = 0.0
    support["gives"] = 0.0
    support["parts"] = 0.0
    support["turned"] = 0.0
    support["rolls"] = 0.0


@kernel
def add_support(
    support: np.ndarray,
    share: float,
    yields: float,
    other: tuple[float, float],
    push: Push,
    dt: float,
) -> None:
    """Add the share of a contact to the support of a particle, weighted by its impulse.

    other: velocity of the other side. Contacts of unlike normals are not added up, the strongest
    counts; without any impulse the nearest one.
    """
    nx = push.nx
    ny = push.ny
    weight = share * push.impulse
    agreed = bool(support["normal_x"] * nx + support["normal_y"] * ny > ALIKE * support["strength"])
    if not weight > 0.0:
        weight = POSSIBLE / (1.0 + max(push.open_speed, 0.0) * dt)
        agreed = False
    if not agreed or support["strength"] <= POSSIBLE:
        if weight <= support["strength"]:
            return
        clear(support)
    support["normal_x"] += weight * nx
    support["normal_y"] += weight * ny
    support["yielding"] += weight * yields
    support["least"] += weight * (other[0] * nx + other[1] * ny - push.open_speed)
    support["strength"] += weight
    support["friction"] += weight * push.friction
    support["across"] += weight * (other[1] * nx - other[0] * ny + push.tangent_speed)
    support["rub"] += share * push.friction_impulse
    support["parts"] += weight * push.bounces


@kernel
def finish_support(support: np.ndarray, inverse_mass: float, surface_yield: float) -> None:
    """Turn the sums of a support into means, and its friction into a sign.

    A disc that turns by itself rolls: friction holds its surface, and takes w/(w + r²/I) of a pull
    at its centre.
    """
    strength = support["strength"]
    support["yielding"] /= strength
    support["least"] /= strength
    support["friction"] /= strength
    support["across"] /= strength
    support["parts"] /= strength
    size = hypot(float(support["normal_x"]), float(support["normal_y"]))
    support["normal_x"] /= size
    support["normal_y"] /= size
    rub = support["rub"]
    most = support["friction"] * strength
    holds = abs(rub) < HOLDING * most
    support["gives"] = CREEP / (CREEP + inverse_mass * most)
    if surface_yield > 0.0:
        support["gives"] = 1.0 - (1.0 - support["gives"]) * inverse_mass / (
            inverse_mass + surface_yield
        )
        support["rolls"] = surface_yield / inverse_mass
        if support["parts"] == 0.0:
            support["yielding"] = max(support["yielding"], LEAST_YIELDING)
    support["rub"] = 0.0 if holds else math.copysign(1.0, rub)


@kernel
def allowed_impulse(p: int, jx: float, jy: float, motion: JointMotion) -> tuple[float, float]:
    """Return the part of an impulse on a particle that its contact does not take, with the friction
    that it causes.
    """
    state = motion.contact_state[p]
    support = motion.support[p]
    if state == FREE:
        return jx, jy
    kept = support["yielding"]
    nx = support["normal_x"]
    ny = support["normal_y"]
    into = (1.0 - kept) * (jx * nx + jy * ny)
    if state == STICKS:
        rub = (1.0 - kept) * (1.0 - support["gives"]) * (jy * nx - jx * ny)
    else:
        rub = support["rub"] * support["friction"] * into
    return jx - into * nx + rub * ny, jy - into * ny - rub * nx


@kernel
def begin_supports(members: np.ndarray, motion: JointMotion) -> None:
    """Start from the contacts that pushed in the last substep."""
    for p in members:
        support = motion.support[p]
        motion.contact_state[p] = FREE
        if support["strength"] > POSSIBLE:
            motion.contact_state[p] = STICKS if support["rub"] == 0.0 else SLIDES


@kernel
def start_members(members: np.ndarray, motion: JointMotion) -> None:
    """Start from the velocities by the other forces, without the part that contacts take."""
    predicted = motion.predicted
    velocity = motion.velocity
    for p in members:
        support = motion.support[p]
        velocity[p, 0] = predicted[p, 0]
        velocity[p, 1] = predicted[p, 1]
        motion.impulse[p, 0] = 0.0
        motion.impulse[p, 1] = 0.0
        if motion.contact_state[p] != FREE:
            nx = support["normal_x"]
            ny = support["normal_y"]
            taken = 1.0 - support["yielding"]
            into = taken * (predicted[p, 0] * nx + predicted[p, 1] * ny - support["least"])
            across = support["rub"] * support["friction"] * into
            if motion.contact_state[p] == STICKS:
                across = predicted[p, 1] * nx - predicted[p, 0] * ny - support["across"]
                across *= taken * (1.0 - support["gives"])
            velocity[p, 0] -= into * nx - across * ny
            velocity[p, 1] -= into * ny + across * nx


@kernel
def change_supports(members: np.ndarray, motion: JointMotion, early: bool) -> bool:
    """Release particles that their contact would have to pull, or to hold by more than friction;
    return whether anything changed.

    Early on, add particles that would pass their contact, and hold particles that friction would
    push along.
    """
    changed = False
    contact_state = motion.contact_state
    for p in members:
        support = motion.support[p]
        state = contact_state[p]
        nx = support["normal_x"]
        ny = support["normal_y"]
        vx = motion.velocity[p, 0]
        vy = motion.velocity[p, 1]
        slip = vy * nx - vx * ny - support["across"]
        if state == FREE:
            if (
                early
                and support["strength"] > 0.0
                and vx * nx + vy * ny < support["least"] - MISSED
            ):
                contact_state[p] = SLIDES
                support["rub"] = -math.copysign(1.0, slip)
                changed = True
            continue
        w = motion.inverse_mass[p]
        ox = motion.predicted[p, 0] + w * motion.impulse[p, 0]
        oy = motion.predicted[p, 1] + w * motion.impulse[p, 1]
        away = ox * nx + oy * ny - support["least"]
        across = oy * nx - ox * ny - support["across"]
        if away > 0.0:
            contact_state[p] = FREE
            changed = True
        elif (
            state == STICKS and abs(across) * (1.0 - support["gives"]) > -support["friction"] * away
        ):
            contact_state[p] = SLIDES
            support["rub"] = -math.copysign(1.0, across)
            changed = True
        elif early and state == SLIDES and support["friction"] > 0.0:
            turned = support["rolls"] * support["friction"] * (1.0 - support["yielding"]) * -away
            if support["rub"] * slip + turned > MISSED:
                contact_state[p] = STICKS
                changed = True
    return changed


@kernel
def work_of_supports(members: np.ndarray, motion: JointMotion) -> float:
    """Return the work of contacts that push back while they separate [J]: the energy of a bounce is
    no gain of the joints.
    """
    work = 0.0
    impulse = motion.impulse
    for p in members:
        support = motion.support[p]
        if motion.contact_state[p] != FREE:
            into = impulse[p, 0] * support["normal_x"] + impulse[p, 1] * support["normal_y"]
            into *= 1.0 - support["yielding"]
            if into < 0.0 and support["least"] > 0.0:
                work -= into * support["least"]
    return work
