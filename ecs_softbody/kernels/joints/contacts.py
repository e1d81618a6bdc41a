"""Contacts as the solver of the joints sees them: a jointed particle that is pressed against
something moves only along it until the contact ends.

Contacts are solved after the joints. A rope that ignored the peg that it hangs over would pull its
light particles into the peg instead of holding the loads at its ends. So the joints keep a summary
of the contacts that press a particle, its *support*: one normal n, towards the particle, one
coefficient of friction μ, and the velocity of the other side. The contacts of the last substep say
which particles start supported. A supported particle answers impulses of joints with a smaller
inverse mass. While it SLIDES,

    W = w (1 - (1 - φ) (n + f μ t) nᵀ),   t = (-n_y, n_x),   φ = w_other / (w + w_other)

φ, the *yielding*, is how far the other side gives way (0: a wall). f μ is Coulomb friction, f = ±1
against the slip. While it STICKS, friction holds it along t in proportion to its slip, up to μ
times the normal impulse N, which it reaches at the slip speed CREEP. Without this creep, nothing
would say how a taut chain that sticks shares its pull among its particles; with it, each bears a
part in proportion to its N, and all start to slide together. The joints only take supports into
account; the impulses of the contacts are computed later by the contact solver, which stops the
creep.

So the tension of a rope that slides or is about to slide falls by the factor 1 + 2 μ tan(θ/2) /
(1 - μ tan(θ/2)) at a particle where the rope bends by θ, over a whole peg by exp(μ Σ θ): the
capstan equation (L. Euler 1769, J. Eytelwein 1808).
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Uint32s1, Uint32s2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.joints.arrays import JointMotion, PushingContacts, Supports
from ecs_softbody.parallel.compiling import entry, kernel

# Values of `contact_state`: what a support does to its particle in the present substep.
FREE = 0  # Nothing: no contact, or the joints pull the particle away from it.
SLIDES = 1  # Stops it along the normal, and pushes it along t with all of its friction.
STICKS = 2  # Stops it along the normal, and holds it along t.
ALIKE = 0.5
"""Two contacts of a particle are added up where the cosine between their normals is larger."""
POSSIBLE = 1e-100
"""Strength [N·s] of a contact that did not push in the last substep, but may have to in this one:
so small that any contact that did push counts more.
"""
HOLDING = 0.999
"""A contact slides where friction had more than this share of its limit μ N, else it sticks."""
CREEP = 1e-3
"""Slip speed of a particle that sticks at which friction reaches its limit μ N [m/s]: a few µm in a
substep.
"""
LEAST_YIELDING = 1e-4
"""Least φ of the support of a disc that rolls. With φ = 0, the joints of a body on three wheels
depend on each other, and their impulses grow without bound: at 0 such carts reach 8 km/s, at 1e-6
those with motors still 32 m/s, at 1e-3 a car rolls where it should stand. The contact solver stops
the motion that this φ lets through. Contacts that bounce do without it: a bounce must not wait for
that.
"""
JOINED_YIELDING = 0.5
"""Least φ where the same group of joints holds both sides of a contact: the other side is pulled as
well, so it is no fixed support. Without it the corners of a box between heavy discs on strings got
780 m/s; without any support by jointed particles, rings of balls that a mouse pulls through
themselves stretch twice as much.
"""
MISSED = 1e-6
"""Tolerance of the speeds [m/s]: a support starts to act when its particle approaches faster than
allowed by more than this, and a sliding particle sticks when friction would drive it along, with
its own direction, faster than this.
"""


class Touching(NamedTuple):
    """State of everything that contacts touch. Contacts number the N particles first, then the V
    vertices of walls, R = N + V rows in all: a row from `offset` on is a vertex.
    """

    offset: int  # N
    body: Uint32s1  # (N,): number (slot) of the body of each particle
    inverse_mass: Floats1  # (R,) of particles and vertices [1/kg]
    velocity: Floats2  # (N, 2) of the particles [m/s]
    vertex_velocity: Floats2  # (V, 2) of the vertices [m/s]
    separation: Floats1
    """(C,) [m] of each contact at the present positions, if contacts have just been searched for.
    Otherwise empty: the separation in a contact's record is from before the last move.
    """
    in_use: Flags1  # (N,) scratch: the particles that joints hold; False between calls
    group: Integers1  # (N,) connected group of joints that holds a free particle, -1 for none
    radius: Floats1  # (R,) radius of each particle or vertex [m]
    surface_yield: Floats1  # (R,) [1/kg] r²/I of discs that turn by themselves, else 0
    angular_velocity: Floats1  # (N,) [rad/s] of these


class Push(NamedTuple):
    """One contact as seen from one of its two sides."""

    nx: float
    ny: float  # Unit normal, towards this side
    impulse: float  # Normal impulse of the last substep [N·s]
    open_speed: float
    """Largest speed at which the sides may approach [m/s]: the one that closes the separation in
    one substep. Where the contact bounces, minus the speed at which they have to part.
    """
    bounces: float  # 1 or 0
    friction_impulse: float  # Along t, of the last substep [N·s]
    friction: float  # Coefficient μ
    tangent_speed: float  # Of the other side's surface along t, beside its velocity [m/s]


@entry
def find_supports(
    rows: Uint32s2,
    contacts: PushingContacts,
    touching: Touching,
    used: Integers1,
    support: Supports,
    dt: float,
) -> None:
    """Write the support of each of the particles `used` (all that joints hold), once a substep
    before the joints are solved. support: (N,), written for these only.

    rows (C, 3): of each contact, the row of its point and the rows of both ends of its edge; equal
    ends are a disc. The ends share the load on their edge, 1 - t and t: a chain on a round wall is
    pressed in the middle of its edges, and with the normal of a single edge, a particle between two
    edges would lean to one side.
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
    """Return whether the same group of joints holds both sides of a contact: particle p, and a or b
    of the edge.
    """
    group = touching.group
    offset = touching.offset
    if p >= offset or group[p] == -1:
        return False
    return bool(group[p] == group[a] or group[p] == group[b])


@kernel
def surface_speed_of(row: int, touching: Touching) -> float:
    """Return r ω [m/s]: how fast the surface of a disc that turns by itself moves along t. 0 of all
    other rows. See collision/solve/spin.py.
    """
    if row >= touching.offset or touching.surface_yield[row] == 0.0:
        return 0.0
    return touching.radius[row] * touching.angular_velocity[row]


@kernel
def velocity_of(row: int, touching: Touching) -> tuple[float, float]:
    """Return the velocity (x, y) [m/s] of a row, a particle or a vertex of a wall."""
    if row >= touching.offset:
        vertex = row - touching.offset
        return touching.vertex_velocity[vertex, 0], touching.vertex_velocity[vertex, 1]
    return touching.velocity[row, 0], touching.velocity[row, 1]


@kernel
def clear(support: np.ndarray) -> None:
    """Reset a support, as for a particle that nothing presses: strength 0."""
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
    """Add a contact to the sums of the support of one of its particles.

    share, 0 to 1: part of the contact's load that this particle bears. yields: φ. other: velocity
    of the other side [m/s]. Sums are weighted by the impulse of the last substep. Contacts of
    unlike normals are not added up: the strongest one counts, without any impulse the nearest one.
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
    """Turn the sums of a support into means, and its friction impulse `rub` into the sign f.

    `gives` is the share of a pull j along t that a sticking particle follows. Friction brakes the
    slip v by μ N v / CREEP, so v = w (j - μ N v / CREEP), and v / (w j) = CREEP / (CREEP + w μ N).
    A disc that turns by itself rolls: friction holds its surface, not its centre, and takes only
    w/(w + r²/I) of a pull at its centre.
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
    """Return the part of a joint's impulse (jx, jy) on particle p [N·s] that moves the particle:
    the whole less what its support takes along the normal and by friction (W j / w at the top).
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
    """Set `contact_state` at the start of a group's solution: a particle that a contact pressed in
    the last substep STICKS or SLIDES as it did then, all others are FREE.
    """
    for p in members:
        support = motion.support[p]
        motion.contact_state[p] = FREE
        if support["strength"] > POSSIBLE:
            motion.contact_state[p] = STICKS if support["rub"] == 0.0 else SLIDES


@kernel
def start_members(members: np.ndarray, motion: JointMotion) -> None:
    """Reset the velocities of a group's particles to those by all other forces, and its impulses to
    0. From a supported particle, the part that its support takes is removed: the speed along the
    normal below `least`, the friction that this causes, or the slip of a particle that sticks.
    """
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
    """Check all supports of a group after its rows have been solved; return whether any changed, so
    that the rows have to be solved again.

    A particle becomes FREE where its contact would have to pull it, and SLIDES where it takes more
    than μ N to hold it. With `early` also the other way: a FREE particle that approaches its
    contact too fast becomes SLIDES, and one that slides STICKS where friction would drive it along.
    Late rounds only let go, so that the rounds end.
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
        # The speeds that the particle would have without its support, relative to the other side.
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
            # Surface speed of a disc by the friction that turns it [m/s].
            turned = support["rolls"] * support["friction"] * (1.0 - support["yielding"]) * -away
            if support["rub"] * slip + turned > MISSED:
                contact_state[p] = STICKS
                changed = True
    return changed


@kernel
def work_of_supports(members: np.ndarray, motion: JointMotion) -> float:
    """Return the work that supports do on a group's particles while they push them away in a bounce
    [J]. The energy guard subtracts it: this energy comes from the contact, not from the joints.
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
