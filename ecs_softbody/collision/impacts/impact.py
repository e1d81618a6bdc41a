"""Impact: how much of its speed a soft body keeps when it hits something, by Newton's law for the
body as a whole.

A landing soft body is compressed and springs back, independently of its coefficient of restitution
e. So from first contact, at an approach speed u, until it has separated, the normal velocity v of
its contact points, taken as points of a rigid body, is bounded by (s separation, h substep)

    v >= -s/h                  rest shapes as stiff as a substep can hold stop there
                               (`stop_stiff_bodies`)
    v <= max(e, RECOVERY) u    soft bodies do not spring up: stored energy restores their shape
                               (`apply_restitution`)
    v >= e u                   bodies with a rest shape bounce as asked, once they approach no more,
                                 with the energy that restitution leaves them (restitution.py)

The first one acts ahead of the impulses of all contacts, the others after them, when their impulses
are known. The impulses λ that enforce the bounds act on each body as a rigid body. With r from the
centre of mass

    Δv = λ n/m,   Δω = λ r × n / I,   1/M = Σ 1/m + (r × n)²/I

and with friction |λ_t| <= μ λ. A negative λ is bounded by the contact impulse of this substep:
their sum still pushes, so no contact pulls. Bodies with joints, muscles or pinned particles take no
part, except that bodies without any movable particle count as walls. The bounce of bodies that take
no part is left to contacts and joints (bounce.py), as is the bounce of bodies without a closed
outline and inside heaps, see landing.py.
"""

import math

import numpy as np

from ecs_softbody.arrays import Floats1, Integers1
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows, Walls
from ecs_softbody.collision.impacts.landing import (
    BOUNCING,
    LIGHT,
    RECOVERY,
    RIGID,
    STIFF_RECOVERY,
    TURNED,
    body_of,
    has_turned,
    shape_rate_of,
    touch_of,
)
from ecs_softbody.collision.impacts.pair_impact import limits_of_pair
from ecs_softbody.collision.impacts.records import BODIES, NOTHING, Impacts, Touch
from ecs_softbody.collision.impacts.restitution import (
    WALL,
    energy_gained,
    fastest_of,
    impact_pair_of,
    scale_to_restitution,
)
from ecs_softbody.collision.solve.active import IMPACTS, ActiveContacts
from ecs_softbody.collision.solve.rigid_motion import find_rigid_body, stop, velocity_at
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.parallel.compiling import entry, inline

ITERATIONS = 8
"""Iterations over the contacts of impacts."""
QUICK = 0.4
"""A body that approaches by more than this fraction of its radius of gyration in a substep bounces
in the next one. The corner of a tilted box that bounces at once rotates it by half a radian a
substep, which stretches it: small crates had 2.1 times their energy, others lost a quarter.
"""


@inline
def speed_along(touch: Touch, rigid_motion: np.ndarray, x: float, y: float) -> float:
    """Return the relative speed [m/s] of the body and its partner at a touch, along the unit vector
    (x, y), as rigid bodies with the velocities `rigid_motion` (B,).
    """
    motion = rigid_motion[touch.body]
    turn = motion["angular_velocity"]
    vx = motion["velocity_x"] - turn * touch.y
    vy = motion["velocity_y"] + turn * touch.x
    if touch.other >= 0:
        motion = rigid_motion[touch.other]
        turn = motion["angular_velocity"]
        vx = vx - motion["velocity_x"] + turn * touch.other_y
        vy = vy - motion["velocity_y"] - turn * touch.other_x
    return (vx - touch.wall_x) * x + (vy - touch.wall_y) * y


@inline
def yield_along(touch: Touch, spins: Spins, x: float, y: float) -> float:
    """Return the inverse effective mass 1/M of a touch along the unit vector (x, y) [1/kg], of both
    bodies as rigid bodies.
    """
    body = spins.bodies[touch.body]
    total = body["inverse_mass"] + body["inverse_inertia"] * (touch.x * y - touch.y * x) ** 2
    if touch.other >= 0:
        body = spins.bodies[touch.other]
        total += (
            body["inverse_mass"]
            + body["inverse_inertia"] * (touch.other_x * y - touch.other_y * x) ** 2
        )
    return float(total)


@inline
def push(touch: Touch, spins: Spins, impacts: Impacts, ix: float, iy: float) -> None:
    """Apply the impulse (ix, iy) [N·s] at a touch to the rigid motion of the body, and its opposite
    to the motion of the other body.
    """
    push_one(touch.body, touch.x, touch.y, spins, impacts, ix, iy)
    if touch.other >= 0:
        push_one(touch.other, touch.other_x, touch.other_y, spins, impacts, -ix, -iy)


@inline
def push_one(
    b: int, x: float, y: float, spins: Spins, impacts: Impacts, ix: float, iy: float
) -> None:
    """Apply an impulse to the rigid motion of one body, at (x, y) from its centre."""
    body = spins.bodies[b]
    vx = body["inverse_mass"] * ix
    vy = body["inverse_mass"] * iy
    turn = body["inverse_inertia"] * (x * iy - y * ix)
    for motion in (impacts.rigid_motion[b], impacts.change[b]):
        motion["velocity_x"] += vx
        motion["velocity_y"] += vy
        motion["angular_velocity"] += turn


@entry
def stop_stiff_bodies(
    contacts: ContactArrays,
    active: ActiveContacts,
    start: Integers1,
    impacts: Impacts,
    spins: Spins,
    motion: ParticleArrays,
    walls: Walls,
    rows: Rows,
    gravity: Floats1,
    dt: float,
) -> None:
    """Stop the rigid motion of stiff bodies that hit something now, before contact impulses: their
    contacts get v >= -s/h, by ITERATIONS of sequential impulses on rigid bodies.

    start (B + 1,): first contact of each batch, see ActiveContacts. The change goes to the forces
    of all particles of a body.
    """
    body_count = impacts.arrival.shape[0]
    for b in range(body_count):
        body = spins.bodies[b]
        rigid_motion = impacts.rigid_motion[b]
        rigid_motion["velocity_x"] = body["velocity_x"] + dt * gravity[0]
        rigid_motion["velocity_y"] = body["velocity_y"] + dt * gravity[1]
        rigid_motion["angular_velocity"] = body["angular_velocity"]
        begin_change(b, impacts)
    for k in range(ITERATIONS):
        for batch in range(start.shape[0] - 1):
            for n in range(start[batch], start[batch] + active.counts[batch, IMPACTS]):
                c = start[batch] + active.impacts[n]
                contact = contacts.records[c]
                if k == 0:
                    forget(impacts.reactions[n])
                body = body_of(
                    impacts, contacts.proxies[c, 0], contacts.proxies[c, 1], walls.body_count
                )
                # A contact that already stopped the body is left to `apply_restitution`.
                slight = TURNED * contact["effective_mass"] * impacts.arrival[body]
                if is_met(contact, dt) and contact["normal_impulse"] <= slight:
                    touch = touch_of(contacts, c, impacts, spins, motion, walls, rows)
                    if shape_rate_of(impacts, touch.body, touch.other) > RIGID / (dt * dt):
                        least = -max(float(contact["separation"]), 0.0) / dt
                        clamp_speed(contact, touch, impacts, n, spins, least, math.inf)
    note_energy_given(impacts, spins, gravity, dt)
    for b in range(body_count):
        move_rigidly(b, impacts, spins, motion, rows, dt)
    for batch in range(start.shape[0] - 1):
        for n in range(start[batch], start[batch] + active.counts[batch, IMPACTS]):
            contact = contacts.records[start[batch] + active.impacts[n]]
            contact["impact_impulse"] = impacts.reactions[n]["pushing"]
            contact["frame_impulse"] += impacts.reactions[n]["pushing"]


@entry
def apply_restitution(  # noqa: C901 - one loop sums up, judges, iterates
    contacts: ContactArrays,
    active: ActiveContacts,
    start: Integers1,
    impacts: Impacts,
    spins: Spins,
    motion: ParticleArrays,
    walls: Walls,
    rows: Rows,
    gravity: Floats1,
    dt: float,
) -> None:
    """Give bodies in an impact the speed that restitution asks for, after the impulses of all
    contacts: the second and the third bound at the top. start: see `stop_stiff_bodies`.
    """
    body_count = impacts.arrival.shape[0]
    pressing = impacts.pressing
    for b in range(body_count):
        stop(impacts.rigid_motion[b])
        begin_change(b, impacts)
    # Two passes precede the iterations. The first finds the bodies that are pressed, and their
    # rigid motion; the second how fast their contacts approach, which the limits depend on.
    for k in range(ITERATIONS + 2):
        for batch in range(start.shape[0] - 1):
            for n in range(start[batch], start[batch] + active.counts[batch, IMPACTS]):
                c = start[batch] + active.impacts[n]
                contact = contacts.records[c]
                if contact["normal_impulse"] == 0.0 and contact["impact_impulse"] == 0.0:
                    continue
                touch = touch_of(contacts, c, impacts, spins, motion, walls, rows)
                if k == 0:
                    forget(impacts.reactions[n])
                    pressing[touch.body]["impulse"] = 1.0
                    if touch.other >= 0:
                        pressing[touch.other]["impulse"] = 1.0
                elif k == 1:
                    add_approach_speed(contact, touch, impacts, spins, dt)
                else:
                    if touch.other >= 0:
                        least, most = limits_of_pair(
                            contact, touch, impacts, spins, motion, rows, dt
                        )
                    else:
                        least, most = limits_of(
                            contact, touch, impacts, spins, motion, rows, gravity, dt
                        )
                    clamp_speed(contact, touch, impacts, n, spins, least, most)
        if k == 0:
            for b in range(body_count):
                if pressing[b]["impulse"] > 0.0:
                    update_rigid_motion(b, impacts, spins, motion, rows)
    # Newton's law distributes the impulses; energy scales them, before `note_energy_given` and
    # `move_rigidly` read the change. Unscaled, boxes had three times their energy after ten
    # bounces.
    for b in range(body_count):
        if bounces_now(b, impacts):
            pair = impact_pair_of(b, impacts, gravity, dt)
            pressing[b]["factor"] = scale_to_restitution(pair, impacts, spins, dt)
            if pair.other != WALL:
                pressing[pair.other]["factor"] = pressing[b]["factor"]
    note_energy_given(impacts, spins, gravity, dt)
    for b in range(body_count):
        move_rigidly(b, impacts, spins, motion, rows, dt)
    for batch in range(start.shape[0] - 1):
        for n in range(start[batch], start[batch] + active.counts[batch, IMPACTS]):
            c = start[batch] + active.impacts[n]
            contact = contacts.records[c]
            if contact["normal_impulse"] != 0.0 or contact["impact_impulse"] != 0.0:
                body = body_of(
                    impacts, contacts.proxies[c, 0], contacts.proxies[c, 1], walls.body_count
                )
                reaction = impacts.reactions[n]
                change = pressing[body]["factor"] * (reaction["pushing"] - reaction["holding"])
                contact["impact_impulse"] += change
                contact["frame_impulse"] += change


@inline
def begin_change(b: int, impacts: Impacts) -> None:
    """Reset the sums over the contacts of body b, and the change of its motion by impacts."""
    pressing = impacts.pressing[b]
    stop(impacts.change[b])
    pressing["impulse"] = 0.0
    pressing["moment"] = 0.0
    pressing["friction"] = 0.0
    pressing["factor"] = 1.0


@inline
def forget(reaction: np.ndarray) -> None:
    """Reset the impulses that an impact adds to a contact."""
    reaction["pushing"] = 0.0
    reaction["holding"] = 0.0
    reaction["rubbing"] = 0.0


@inline
def is_met(contact: np.ndarray, dt: float) -> bool:
    """True if a contact pushed lately, or will close in this substep."""
    pushed = contact["normal_impulse"] > 0.0 or contact["impact_impulse"] != 0.0
    return bool(pushed or contact["separation"] + contact["relative_normal_velocity"] * dt < 0.0)


@inline
def update_rigid_motion(
    b: int, impacts: Impacts, spins: Spins, motion: ParticleArrays, rows: Rows
) -> None:
    """Write the rigid motion of a body after the impulses of all contacts."""
    rigid_motion = impacts.rigid_motion[b]
    body = impacts.found[0]
    find_rigid_body(
        spins.start[b], spins.stop[b], motion.position, rows.predicted, motion.inverse_mass, body
    )
    rigid_motion["velocity_x"] = body["velocity_x"]
    rigid_motion["velocity_y"] = body["velocity_y"]
    rigid_motion["angular_velocity"] = body["angular_velocity"]
    impacts.pressing[b]["impulse"] = 0.0


@inline
def add_approach_speed(
    contact: np.ndarray, touch: Touch, impacts: Impacts, spins: Spins, dt: float
) -> None:
    """Add the contact to its bodies' sums of impulse and of impulse × speed, whose quotient is
    their mean approach speed, and by which an impact turns.

    A struck contact that closes its gap within this substep counts as stopped. Exceptions are quick
    bodies, whose rotation may remove the corner before the next substep, and pairs of which one
    rests on something: that has to stop first.
    """
    impulse = contact["normal_impulse"] + abs(contact["impact_impulse"])
    gap = 0.0
    is_free = touch.other < 0 or (
        impacts.touched[touch.body] == NOTHING and impacts.touched[touch.other] == NOTHING
    )
    is_slow = (
        impacts.arrival[touch.body] * dt < QUICK * spins.bodies[touch.body]["radius_of_gyration"]
    )
    if is_free and is_slow and contact["impact_impulse"] > 0.0:
        gap = max(float(contact["separation"]), 0.0)
    moment = impulse * (speed_along(touch, impacts.rigid_motion, touch.nx, touch.ny) + gap / dt)
    for b in (touch.body, touch.other):
        if b >= 0:
            pressing = impacts.pressing[b]
            pressing["impulse"] += impulse
            pressing["moment"] += moment
            pressing["friction"] += contact["friction"]


@inline
def bounces_now(b: int, impacts: Impacts) -> bool:
    """True if the impact of body b, which has a rest shape, turns in this substep, so that
    restitution is due. Of two bodies that hit each other, it is true for the one with the harder
    impact.
    """
    speed = impacts.arrival[b]
    j = int(impacts.partner[b]) - BODIES
    if (
        speed == 0.0
        or impacts.restitution[b] == 0.0
        or impacts.restitution_steps[b] > 0.0
        or not has_turned(b, impacts)
    ):
        return False
    if shape_rate_of(impacts, b, j) == 0.0:
        return False
    if j < 0:
        return True
    is_mutual = impacts.arrival[j] > 0.0 and impacts.partner[j] == BODIES + b
    return is_mutual and (speed > impacts.arrival[j] or (speed == impacts.arrival[j] and b < j))


@inline
def limits_of(
    contact: np.ndarray,
    touch: Touch,
    impacts: Impacts,
    spins: Spins,
    motion: ParticleArrays,
    rows: Rows,
    gravity: np.ndarray,
    dt: float,
) -> tuple[float, float]:
    """Return the lowest and the highest speed [m/s] at which the body may leave the wall.

    Until the impact turns there is no lowest speed. Then it is the speed that leaves e u after the
    way back, against gravity, from the depth to which the body has sunk; for a body that has turned
    before, at most the speed that the energy at first contact allows.
    """
    b = touch.body
    restitution = float(contact["restitution"])
    speed = impacts.arrival[b]
    shape_rate = impacts.shape_rate[b]
    body = spins.bodies[b]
    recovery = impacts.hardest[b] * (STIFF_RECOVERY if shape_rate > RIGID / (dt * dt) else RECOVERY)
    if restitution == 0.0:
        return -math.inf, recovery
    pull = gravity[0] * touch.nx + gravity[1] * touch.ny
    # The depth is how far the body has moved towards the wall since it met it.
    depth = (impacts.met[b, 0] - body["centre_x"]) * touch.nx
    depth += (impacts.met[b, 1] - body["centre_y"]) * touch.ny
    leaving = math.sqrt(max((restitution * speed) ** 2 - 2.0 * pull * depth, 0.0)) + 0.5 * dt * pull
    turned = has_turned(b, impacts)
    if shape_rate > 0.0 and impacts.restitution_steps[b] == 0.0:
        return leaving if turned else -math.inf, max(leaving, recovery)
    pair = impact_pair_of(b, impacts, gravity, dt)
    along = speed_along(touch, impacts.rigid_motion, touch.nx, touch.ny)
    met = impacts.energy[b] - 2.0 * pull * depth
    yields = yield_along(touch, spins, touch.nx, touch.ny)
    fastest = fastest_of(pair, met, along, yields, impacts, spins)
    if shape_rate > 0.0:
        bounces = turned and impacts.restitution_steps[b] < BOUNCING
        return min(leaving, fastest) if bounces else -math.inf, max(fastest, recovery)
    most = max(leaving, recovery) if restitution < 1.0 or impacts.loses[b] else math.inf
    least_push = max(-pull * dt, LIGHT * speed / max(impacts.compression_steps[b], 1.0))  # [m/s]
    pushed = impacts.pressing[b]["impulse"] * body["inverse_mass"]
    if not turned or not impacts.loses[b] or pushed >= least_push:
        return -math.inf, most
    return min(leaving, fastest), most


@inline
def clamp_speed(
    contact: np.ndarray,
    touch: Touch,
    impacts: Impacts,
    n: int,
    spins: Spins,
    least: float,
    most: float,
) -> None:
    """One update of sequential impulses: bring the normal speed of the contact with reactions[n]
    between `least` and `most` [m/s], and bound its friction by its pushing impulse.
    """
    rigid_motion = impacts.rigid_motion
    reaction = impacts.reactions[n]
    nx = touch.nx
    ny = touch.ny
    speed = speed_along(touch, rigid_motion, nx, ny)
    yields = yield_along(touch, spins, nx, ny)
    # The accumulated impulses are clamped, as in the contact solver: `pushing` lifts the speed to
    # `least`, `holding` lowers it to `most` by no more than the contact pushes.
    pushing = max(reaction["pushing"] - (speed - least) / yields, 0.0)
    speed += (pushing - reaction["pushing"]) * yields
    holding = min(
        max(reaction["holding"] + (speed - most) / yields, 0.0), float(contact["normal_impulse"])
    )
    limit = contact["friction"] * pushing
    slip = speed_along(touch, rigid_motion, -ny, nx)
    rubbing = reaction["rubbing"] - slip / yield_along(touch, spins, -ny, nx)
    rubbing = min(max(rubbing, -limit), limit)
    along = pushing - holding - reaction["pushing"] + reaction["holding"]
    across = rubbing - reaction["rubbing"]
    reaction["pushing"] = pushing
    reaction["holding"] = holding
    reaction["rubbing"] = rubbing
    push(touch, spins, impacts, along * nx - across * ny, along * ny + across * nx)


@inline
def note_energy_given(impacts: Impacts, spins: Spins, gravity: np.ndarray, dt: float) -> None:
    """Add to `energy_given` [J] the energy that the impulses of this substep gave to the rigid
    motion of bodies in an impact, negative where they took energy.
    """
    for b in range(impacts.arrival.shape[0]):
        if impacts.arrival[b] == 0.0:
            continue
        pair = impact_pair_of(b, impacts, gravity, dt)
        other = pair.other
        is_mutual = (
            other != WALL and impacts.arrival[other] > 0.0 and impacts.partner[other] == BODIES + b
        )
        if is_mutual and other < b:
            continue
        gained = energy_gained(pair, impacts, spins)
        impacts.energy_given[b] += gained
        if is_mutual:
            impacts.energy_given[other] += gained


@inline
def move_rigidly(
    b: int, impacts: Impacts, spins: Spins, motion: ParticleArrays, rows: Rows, dt: float
) -> None:
    """Add the change of a body's rigid motion to the predicted velocities of its particles, and
    m Δv / dt to their forces.
    """
    change = impacts.change[b]
    body = spins.bodies[b]
    if (
        change["velocity_x"] == 0.0
        and change["velocity_y"] == 0.0
        and change["angular_velocity"] == 0.0
    ):
        return
    for p in range(spins.start[b], spins.stop[b]):
        vx, vy = velocity_at(change, body, motion.position[p, 0], motion.position[p, 1])
        rows.predicted[p, 0] += vx
        rows.predicted[p, 1] += vy
        share = 1.0 / (motion.inverse_mass[p] * dt)
        motion.force[p, 0] += share * vx
        motion.force[p, 1] += share * vy
