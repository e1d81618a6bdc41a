"""Pair impact: two soft bodies that hit each other bounce as wholes, too, by the law of impact.py.

They do if both touch nothing but each other: then the law of rigid impact determines their
separation. If one of them rests on something, e.g. since others fall on it, they do so only if both
have a rest shape. In all other groups of bodies, contacts and springs alone make the bounce. u is
the approach speed of the rigid motions along the normal; gravity pulls both alike. Bodies that
approach by more than a fraction of their size in a substep are not held: bodies crushed so far need
every force that pushes them apart.
"""

import math

import numpy as np

from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows, Walls
from ecs_softbody.collision.impacts.landing import (
    BOUNCING,
    CROWDED,
    LIGHT,
    RECOVERY,
    RIGID,
    SHAPE_TUMBLING,
    STIFF_RECOVERY,
    TUMBLING,
    count_anew,
    has_separated,
    has_turned,
    shape_rate_of,
    surface_speed,
    touch_of,
)
from ecs_softbody.collision.impacts.records import BODIES, NOTHING, Impacts, Touch
from ecs_softbody.collision.impacts.restitution import ImpactPair, energy_met, fastest_of
from ecs_softbody.collision.solve.bounce import least_speed_squared
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import inline

FASTEST = 0.2
"""Bodies that approach by more than this fraction of their radius of gyration in a substep are not
held: without the limit stiff boxes and small blobs passed each other head-on at 30 to 100 m/s.
"""
SLIGHT = 0.1
"""A body that falls on another by less than this fraction of its radius of gyration is part of a
heap.
"""


@inline
def touches_only(impacts: Impacts, b: int, other: int) -> bool:
    """True if body b touches nothing but the other one, and lately neither touched several nor
    leaned on one.
    """
    is_free = impacts.crowded_time[b] == 0.0 and impacts.leaning_time[b] == 0.0
    return impacts.touched[b] in (NOTHING, BODIES + other) and is_free


@inline
def may_bounce_together(impacts: Impacts, i: int, j: int) -> bool:
    """True if bodies i and j may bounce off each other as wholes, by the rule at the top."""
    if i == j or not (impacts.takes_part[i] and impacts.takes_part[j]):
        return False
    first = touches_only(impacts, i, j)
    second = touches_only(impacts, j, i)
    return (first and second) or ((first or second) and shape_rate_of(impacts, i, j) > 0.0)


@inline
def has_met(impacts: Impacts, b: int, other: int) -> bool:
    """True if an impact of body b on the other one goes on."""
    return bool(impacts.arrival[b] > 0.0 and impacts.partner[b] == BODIES + other)


@inline
def note_pair_impact(
    contacts: ContactArrays,
    c: int,
    impacts: Impacts,
    spins: Spins,
    motion: ParticleArrays,
    walls: Walls,
    rows: Rows,
    gravity: np.ndarray,
    dt: float,
) -> bool:
    """Begin an impact of two bodies if contact c is its first one, or strikes harder; true if c
    belongs to such an impact.

    As `note_impact` of landing.py, with the relative motion of both bodies.
    """
    i = contacts.proxies[c, 0]
    j = contacts.proxies[c, 1]
    contact = contacts.records[c]
    goes_on = has_met(impacts, i, j) or has_met(impacts, j, i)
    if contact["normal_impulse"] > 0.0 or contact["impact_impulse"] != 0.0:
        return goes_on
    if contact["separation"] + contact["relative_normal_velocity"] * dt >= 0.0:
        return goes_on
    touch = touch_of(contacts, c, impacts, spins, motion, walls, rows)
    first = spins.bodies[i]
    second = spins.bodies[j]
    straight = (first["velocity_x"] - second["velocity_x"]) * touch.nx
    straight += (first["velocity_y"] - second["velocity_y"]) * touch.ny
    start = straight + first["angular_velocity"] * (touch.x * touch.ny - touch.y * touch.nx)
    start -= second["angular_velocity"] * (touch.other_x * touch.ny - touch.other_y * touch.nx)
    surface = max(surface_speed(first), surface_speed(second))
    smaller = min(first["radius_of_gyration"], second["radius_of_gyration"])
    rolling = (SHAPE_TUMBLING if shape_rate_of(impacts, i, j) > 0.0 else TUMBLING) * surface
    thickness = rows.radius[contacts.rows[c, 0]] + rows.radius[contacts.rows[c, 1]]
    strength = hypot(gravity[0], gravity[1])
    least = least_speed_squared(thickness, strength, dt) + 2.0 * SLIGHT * smaller * strength
    if max(start, straight + rolling) >= 0.0 or start * start <= least:
        return goes_on
    if -start * dt > FASTEST * smaller:
        impacts.leaning_time[i] = impacts.leaning_time[j] = CROWDED
        impacts.arrival[i] = impacts.arrival[j] = 0.0
        return False
    begin(impacts, i, j, -start, contact["restitution"], spins, motion)
    begin(impacts, j, i, -start, contact["restitution"], spins, motion)
    return has_met(impacts, i, j) or has_met(impacts, j, i)


@inline
def begin(
    impacts: Impacts,
    b: int,
    other: int,
    speed: float,
    restitution: float,
    spins: Spins,
    motion: ParticleArrays,
) -> None:
    """Begin the impact of body b on the other one, if it touches nothing else and no harder one
    goes on.
    """
    if has_separated(b, impacts):
        impacts.arrival[b] = 0.0
    if speed <= impacts.arrival[b] or not touches_only(impacts, b, other):
        return
    is_pressed = has_met(impacts, b, other) and impacts.restitution_steps[b] == 0.0
    impacts.arrival[b] = speed
    impacts.partner[b] = BODIES + other
    impacts.restitution[b] = restitution
    count_anew(b, speed, impacts)
    stored = impacts.energy[b] if is_pressed else 0.0
    impacts.energy[b] = max(energy_met(ImpactPair(b, other, 0.0, 0.0), impacts, spins), stored)


@inline
def limits_of_pair(
    contact: np.ndarray,
    touch: Touch,
    impacts: Impacts,
    spins: Spins,
    motion: ParticleArrays,
    rows: Rows,
    dt: float,
) -> tuple[float, float]:
    """Return the lowest and the highest speed [m/s] at which two bodies may part at a touch.

    b is the body whose impact on the other counts, the harder one. Until it turns there is no
    lowest speed; then it is e u, at most the speed that the energy at first contact allows.
    """
    i = touch.body
    j = touch.other
    restitution = float(contact["restitution"])
    b = (
        i
        if (has_met(impacts, i, j) and impacts.arrival[i] >= impacts.arrival[j])
        or not has_met(impacts, j, i)
        else j
    )
    speed = impacts.arrival[b]
    shape_rate = shape_rate_of(impacts, i, j)
    recovery = impacts.hardest[b] * (STIFF_RECOVERY if shape_rate > RIGID / (dt * dt) else RECOVERY)
    leaving = restitution * speed
    loses = impacts.loses[i] or impacts.loses[j]
    most = max(leaving, recovery) if restitution < 1.0 or loses else math.inf
    if restitution == 0.0 or not has_turned(b, impacts):
        return -math.inf, most
    if shape_rate > 0.0 and impacts.restitution_steps[b] == 0.0:
        return leaving, most
    along, yields = relative_speed(touch, impacts, spins)
    fastest = fastest_of(
        ImpactPair(i, j, 0.0, 0.0), impacts.energy[b], along, yields, impacts, spins
    )
    if shape_rate > 0.0:
        return min(leaving, fastest) if impacts.restitution_steps[b] < BOUNCING else -math.inf, max(
            fastest, recovery
        )
    inverse_mass = spins.bodies[i]["inverse_mass"] + spins.bodies[j]["inverse_mass"]
    pushed = impacts.pressing[b]["impulse"] * inverse_mass
    if not loses or pushed >= LIGHT * speed / max(impacts.compression_steps[b], 1.0):
        return -math.inf, most
    return min(leaving, fastest), most


@inline
def relative_speed(touch: Touch, impacts: Impacts, spins: Spins) -> tuple[float, float]:
    """Return the relative normal velocity of two rigid bodies at a touch [m/s], and the inverse
    effective mass there [1/kg].
    """
    i = touch.body
    j = touch.other
    nx = touch.nx
    ny = touch.ny
    one = impacts.rigid_motion[i]
    two = impacts.rigid_motion[j]
    first = spins.bodies[i]
    second = spins.bodies[j]
    speed = (one["velocity_x"] - two["velocity_x"]) * nx + (
        one["velocity_y"] - two["velocity_y"]
    ) * ny
    torque_arm = touch.x * ny - touch.y * nx
    other_torque_arm = touch.other_x * ny - touch.other_y * nx
    yields = first["inverse_mass"] + second["inverse_mass"]
    yields += (
        first["inverse_inertia"] * torque_arm * torque_arm
        + second["inverse_inertia"] * other_torque_arm * other_torque_arm
    )
    return speed + one["angular_velocity"] * torque_arm - two[
        "angular_velocity"
    ] * other_torque_arm, yields
