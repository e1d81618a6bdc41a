"""Bounce: restitution by Newton's law, as a speed at which a contact parts.

In the substep in which it meets, a contact is stopped at the surface. In the next one it separates
at e times the speed u at which it would have met. That impulse is one of the others, so springs and
other contacts share it, as the law of rigid impact says. A contact of a joint's particle separates
in the substep in which it would meet: a body that rotates between two impulses takes the second one
with another torque arm, and a rod of 30 cm was 4 to 8 % off. Discs on joints that have no such
links reflect (reflection/).

Symplectic Euler stores velocities half a substep behind the positions. With the relative normal
velocity v and its change k by forces in a substep h, the velocity at the time of the positions is u
= v + k/2. A free flight over Δx has

    u1² - k1²/4 = u0² - k0²/4 + (k0 + k1) Δx/h

This is its discrete conservation of energy, exact for linear forces (see E. Hairer and others,
Geometric Numerical Integration, I.1). With v and v + k0 before and after the forces of the substep,
u0² - k0²/4 = v (v + k0) is the `arrival`. So the speed of impact needs no moment of impact, a ball
that falls for minutes keeps its energy to rounding, and one that rests has u1 = k1/2 and parts at e
u1 - k1/2 < 0, that is, not at all.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, inline, kernel

NEAR = 0.25
"""A contact touches if its separation is below its slop plus this fraction of its thickness, the
sum of both radii.
"""
COARSE = 0.05
"""Loss of a bounce in squared speed, as a fraction of the squared velocity change by elastic
forces in a substep: forces that a substep does not resolve must not feed energy in. A body that
falls as a whole loses nothing.
"""
LEAST_FALL = 4e-4
"""Falls by less than this fraction of the thickness (the sum of both radii) cause no bounce."""
FEWEST_SUBSTEPS = 4.0
"""Falls of fewer substeps cause no bounce. That costs an elastic gas of discs under gravity up to
0.01 % of its energy in 10 s, at 8 substeps.
"""


class Substep(NamedTuple):
    """Numbers that a bounce of one contact needs."""

    dt: float  # [s]
    gravity: np.ndarray  # (2,) [m/s²]
    strength: float  # of gravity [m/s²]
    before: float  # separation of the contact in the substep before [m]


@inline
def set_bounce(
    contacts: ContactArrays,
    c: int,
    speeds: tuple[float, float, float],
    rows: Rows,
    substep: Substep,
) -> None:
    """Write the `bounce_speed` of an elastic contact in this substep, 0 for none, and the `arrival`
    and `kick` from which the next substep finds it.

    speeds: `start`, `fall` and `kick`, see `speeds_of`. It bounces if it pushed in the last substep
    and did not bounce then: from the stored arrival and the way since follows the squared speed u²
    with which it came (u1² in the formula above).
    """
    contact = contacts.records[c]
    dt = substep.dt
    (start, fall, kick) = speeds
    if not math.isnan(fall):
        # `bounce_ahead` has set the speed; the rotation of the joints is known only now.
        if contact["bounce_speed"] > 0.0:
            contact["bounce_speed"] = max(contact["bounce_speed"] + 0.5 * (kick - fall), 0.0)
            contact["bounce_speed"] += max(contact["separation"], 0.0) / dt
        return
    arrival = start * (start + kick)
    has_bounced = contact["bounce_speed"] > 0.0
    if has_bounced:
        # The impulses of this substep start from the load alone: with the bounce they would push
        # again; from nothing, piles that bounce would overlap by a third more.
        keep_load(contact)
    contact["bounce_speed"] = 0.0
    thickness = rows.radius[contacts.rows[c, 0]] + rows.radius[contacts.rows[c, 1]]
    # A contact that has slid on to another edge may be far away: it does not touch, and has not
    # come by the change of its separation.
    is_near = contact["separation"] < contact["slop"] + NEAR * thickness
    if contact["normal_impulse"] > 0.0 and is_near and not has_bounced:
        # Δx/h and u1² of the formula at the top; `arrival` and `kick` are those of the substep
        # before, when the contact met.
        way = (contact["separation"] - substep.before) / dt
        squared = contact["arrival"] + (contact["kick"] + kick) * way + 0.25 * kick * kick
        least = least_speed_squared(thickness, substep.strength, dt)
        if squared > least:
            # Resting contacts do not bounce: they are spared this root.
            most = math.sqrt(
                max(contact["arrival"] + 0.25 * contact["kick"] * contact["kick"], 0.0)
            )
            squared = min(squared, (most + abs(contact["kick"]) + abs(kick)) ** 2)
        if squared > least:
            elastic = max(abs(kick), abs(contact["kick"])) - dt * substep.strength
            lost = COARSE * max(elastic, 0.0) ** 2
            # e u, less the loss: u² shrinks to u⁴ / (u² + lost).
            speed = contact["restitution"] * math.sqrt(squared * squared / (squared + lost))
            contact["bounce_speed"] = max(speed + 0.5 * kick, 0.0)
            arrival = speed * speed - 0.25 * kick * kick
    contact["arrival"] = arrival
    contact["kick"] = kick


@kernel
def reflect(
    contacts: ContactArrays, c: int, motion: ParticleArrays, rows: Rows, substep: Substep
) -> None:
    """Let an elastic contact of a lossless body separate as fast as it came, in the same substep.

    With v- and v+ before the forces of a substep and after them and the contact, an impulse J
    changes the energy that symplectic Euler conserves by J (v- + v+)/2: by nothing, if v+ = -v-.
    The separation stays the same then.
    """
    contact = contacts.records[c]
    dt = substep.dt
    start, _, kick = speeds_of(contacts, c, motion, rows, dt, substep.gravity)
    forget_impulse(contact)
    contact["arrival"] = 0.0
    contact["kick"] = kick
    contact["bounce_speed"] = 0.0
    if contact["separation"] + contact["relative_normal_velocity"] * dt < 0.0:
        contact["bounce_speed"] = max(max(contact["separation"], 0.0) / dt - start, 0.0)


@inline
def keep_load(contact: np.ndarray) -> None:
    """Warm-start from the load of a contact without its bounce: the bounce does not recur."""
    load = max(contact["normal_impulse"] - contact["effective_mass"] * contact["bounce_speed"], 0.0)
    contact["normal_impulse"] = contact["previous_impulse"] = load
    contact["friction_impulse"] = 0.0


@inline
def forget_impulse(contact: np.ndarray) -> None:
    """Start without impulses: the impulse of a bounce does not recur."""
    contact["normal_impulse"] = contact["previous_impulse"] = contact["friction_impulse"] = 0.0


@entry
def bounce_ahead(
    contacts: ContactArrays,
    motion: ParticleArrays,
    rows: Rows,
    reflecting: Flags1,
    separation: Floats1,
    gravity: Floats1,
    dt: float,
) -> None:
    """Write the bounce speeds of elastic contacts of jointed particles, before joints are solved:
    these have to know which contacts part in this substep, and how fast.

    reflecting (C,), written: which contacts will reflect instead (reflection/). separation (C,)
    [m]: at the present positions, if there was a search for contacts in this substep; else empty,
    and the separation follows from the one in the substep before. gravity (2,) [m/s²].
    """
    for c in range(contacts.rows.shape[0]):
        contact = contacts.records[c]
        reflecting[c] = False
        if contact["restitution"] == 0.0:
            continue
        start, fall, flight = speeds_of(contacts, c, motion, rows, dt, gravity)
        if math.isnan(fall):
            continue
        if contact["bounce_speed"] > 0.0:
            forget_impulse(contact)
        contact["bounce_speed"] = 0.0
        gap = separation[c] if len(separation) else contact["separation"] + dt * start
        speed = start + 0.5 * flight
        if not contact["active"] or speed >= 0.0 or gap + dt * (start + flight) >= 0.0:
            continue
        # The contact bounces ahead of the surface, so gravity counts on the rest of the way.
        gained = 2.0 * fall * max(gap, 0.0) / dt  # on the way to the surface, and back
        thickness = rows.radius[contacts.rows[c, 0]] + rows.radius[contacts.rows[c, 1]]
        least = least_speed_squared(thickness, hypot(gravity[0], gravity[1]), dt)
        if contact["reflects"]:
            reflecting[c] = speed * speed > least
        elif speed * speed - gained > least:
            leaving = max(contact["restitution"] ** 2 * (speed * speed - gained) + gained, 0.0)
            contact["bounce_speed"] = max(math.sqrt(leaving) + 0.5 * fall, 0.0)


@inline
def least_speed_squared(thickness: float, strength: float, dt: float) -> float:
    """Return the square [m²/s²] of the speed below which nothing bounces.

    A fall by the height LEAST_FALL × thickness gives 2 g height; one for FEWEST_SUBSTEPS gives
    (g t)². strength: g, of gravity [m/s²]. thickness: sum of both radii [m].
    """
    return 2.0 * LEAST_FALL * thickness * strength + (FEWEST_SUBSTEPS * dt * strength) ** 2


@inline
def speeds_of(
    contacts: ContactArrays,
    c: int,
    motion: ParticleArrays,
    rows: Rows,
    dt: float,
    gravity: np.ndarray,
) -> tuple[float, float, float]:
    """Return three speeds of contact c along its normal [m/s]: the relative velocity before the
    forces of the substep, its change by gravity, and its change by all forces.

    The force of a joint contains the reaction that stops the contact. So for a particle of a joint
    only gravity and the rotation of its joints, as they were solved last, count; without joints the
    second speed is NaN, which tells this case.
    """
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    b = contacts.rows[c, 2]
    contact = contacts.records[c]
    velocity = motion.velocity
    predicted = rows.predicted
    offset = rows.offset
    nx = contact["normal_x"]
    ny = contact["normal_y"]
    t = contact["edge_fraction"]
    start = 0.0
    fall = 0.0
    turning = 0.0
    jointed = False
    for row, share in ((p, 1.0), (a, t - 1.0), (b, -t)):
        if row < offset:
            start += share * (velocity[row, 0] * nx + velocity[row, 1] * ny)
            if motion.jointed[row]:
                jointed = True
                turning += share * (motion.turning[row, 0] * nx + motion.turning[row, 1] * ny)
            if motion.inverse_mass[row] > 0.0:
                fall += share * dt * (gravity[0] * nx + gravity[1] * ny)
        else:
            start += share * (predicted[row, 0] * nx + predicted[row, 1] * ny)
    if jointed:
        return start, fall, fall + 2.0 * turning
    return start, math.nan, contact["relative_normal_velocity"] - start


@inline
def speeds_of_discs(
    contacts: ContactArrays, c: int, motion: ParticleArrays, dt: float, gravity: np.ndarray
) -> tuple[float, float, float]:
    """Return `speeds_of` of two discs, with less arithmetic: most of the work of bouncing balls."""
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    contact = contacts.records[c]
    velocity = motion.velocity
    turning = motion.turning
    nx = contact["normal_x"]
    ny = contact["normal_y"]
    start = velocity[p, 0] * nx + velocity[p, 1] * ny
    start -= velocity[a, 0] * nx + velocity[a, 1] * ny
    if not (motion.jointed[p] or motion.jointed[a]):
        return start, math.nan, contact["relative_normal_velocity"] - start
    weight = dt * (gravity[0] * nx + gravity[1] * ny)
    fall = 0.0
    turned = 0.0
    if motion.inverse_mass[p] > 0.0:
        fall += weight
    if motion.inverse_mass[a] > 0.0:
        fall -= weight
    if motion.jointed[p]:
        turned += turning[p, 0] * nx + turning[p, 1] * ny
    if motion.jointed[a]:
        turned -= turning[a, 0] * nx + turning[a, 1] * ny
    return start, fall, fall + 2.0 * turned
