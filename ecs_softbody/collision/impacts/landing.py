"""Landing: when a soft body begins and ends an impact on walls, and how fast it came.

A body with a closed outline bounces as a whole (impact.py); here, preparing contacts notes which of
them belong to an impact, and after the move its substeps are counted. Impacts here are between a
body and walls, with no other body in touch; for pairs of bodies see pair_impact.py. An impact lasts
until the body has separated and had time to recover its shape, or until it touches another body. A
body without any movable particle counts as a wall: all its particles are pinned, kinematic or of
infinite mass.

A substep carries springs that stop a light body too late: its particles come through the wall and
the sweep brings them back (ccd.py). That is a push as well. While an impact goes on, the body as a
whole keeps no more of the speed Δv that the sweep gave it than restitution allows along Δv.

Restitution returns at once the energy that springs still store for a while. So the vibration of a
body that has bounced is damped: its total kinetic energy does not exceed the energy before the
impact.
"""

import math

import numpy as np

from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows, Walls
from ecs_softbody.collision.impacts.records import BODIES, NOTHING, SEVERAL, WALLS, Impacts, Touch
from ecs_softbody.collision.impacts.restitution import energy_met, fallen_since, impact_pair_of
from ecs_softbody.collision.solve.bounce import least_speed_squared
from ecs_softbody.collision.solve.rigid_motion import find_rigid_body, velocity_at
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, inline, kernel

RECOVERY = 0.1
"""Fraction of the speed of impact at which a body without restitution may stand up from its
compression: so it comes back by 1 % of its fall, the square of it.
"""
STIFF_RECOVERY = 0.06
"""As RECOVERY, for bodies that stop as rigid bodies and hardly deform: they come back by 0.4 % of
their fall.
"""
RIGID = 0.8
"""κ = k h²/m of a rest shape (stiffness k, substep h, mass of a particle m) above which a body
stops as a rigid body, see kernels/forces/shape_matching.py. With 0.4 default boxes stopped so, too.
"""
CALM = 0.002
"""The vibration of a body after an impact may always have this fraction of the energy before it: it
returns this within ten times the time of compression. Without a limit, boxes had 1.30 times their
energy.
"""
LOST = 0.5
"""A body that loses at least this fraction of its energy in an impact is not calmed: none was seen
to gain energy (e of 0.7 and less), and a hero that lands and jumps again at once should stretch.
"""
TURNED = 0.05
"""An impact turns, from compression to restitution, when less than this fraction of its speed is
left. An impulse on a contact that took less than this fraction did not stop it.
"""
BOUNCING = 2.0
"""Substeps for which restitution drives a body off after the impact has turned: more than one, as
its contacts push less while they let go.
"""
AGAIN = 0.5
"""A body that has bounced bounces again, e.g. with its other end, if its rotation makes up more
than this fraction of the approach speed. Soft jelly that swings on the ground does not rotate: it
would bounce for seconds.
"""
LIGHT = 0.1
"""Bodies without a rest shape get their restitution once the contact force drops below their weight
or below this fraction of the mean impact force.
"""
TUMBLING = 1.0
"""A body that approaches at less than this fraction of its rotational surface speed rolls; it does
not land.
"""
SHAPE_TUMBLING = 0.5
"""The same with a rest shape: a box that falls over lands on its side, and a hoop on a slope still
rolls. Where a slam was no landing, a box that fell on its corner came back by 6 %.
"""
CROWDED = 0.1
"""Time [s] for which a body that touched several others takes no part: shaking bodies in a heap
lose contact for moments. If the law acts in heaps, more blobs in shafts pass through each other.
"""


LASTING = 10.0
"""An impact lasts at most this many times as long as it took to turn: meanwhile all that is pressed
in can stand up.
"""
SEPARATION_STEPS = 4.0
"""A body has separated after as many substeps without a contact as the impact took to turn, plus
this many: soft feet may let go for a while.
"""
FORGOTTEN = 1e-3
"""[m/s] below which the hardest impact of late is forgotten."""


@inline
def is_immovable(impacts: Impacts, j: int, body_count: int) -> bool:
    """True if proxy j is a static edge, or a body that nothing can push."""
    return j >= body_count or bool(impacts.is_wall[j])


@inline
def body_of(impacts: Impacts, i: int, j: int, body_count: int) -> int:
    """Return the proxy of a contact whose impact counts: i, unless that is an immovable body and j
    is a body.
    """
    return j if j < body_count and impacts.is_wall[i] else i


@inline
def has_turned(b: int, impacts: Impacts) -> bool:
    """True if the impact of body b turns in this substep: contacts push it, and their mean speed,
    weighted by impulse, is no approach any more (beyond TURNED).
    """
    pressing = impacts.pressing[b]
    impulse = pressing["impulse"]
    return impulse > 0.0 and pressing["moment"] >= -TURNED * impacts.arrival[b] * impulse


@inline
def has_separated(b: int, impacts: Impacts) -> bool:
    """True if nothing has pushed body b for so long that it will not come back without a new
    impact.
    """
    return bool(impacts.steps_apart[b] > SEPARATION_STEPS + impacts.compression_steps[b])


@inline
def lands(impacts: Impacts, i: int, j: int, body_count: int) -> bool:
    """True if body i lands on proxy j: it takes part in impacts, j is a wall, it touched only walls
    in the last substep, and did not touch several bodies lately.
    """
    return (
        is_immovable(impacts, j, body_count)
        and bool(impacts.takes_part[i])
        and impacts.touched[i] in (NOTHING, WALLS)
        and impacts.crowded_time[i] == 0.0
    )


@inline
def note_touch(impacts: Impacts, i: int, j: int, body_count: int) -> None:
    """Note for this substep that a contact pushes proxies i and j; several partners are SEVERAL."""
    if i == j:
        return
    for b, other in ((i, j), (j, i)):
        if b < body_count:
            partner = WALLS if is_immovable(impacts, other, body_count) else BODIES + other
            if impacts.touching[b] == NOTHING:
                impacts.touching[b] = partner
            elif impacts.touching[b] != partner:
                impacts.touching[b] = SEVERAL


@inline
def forget_touches(impacts: Impacts, first: int, last: int, dt: float) -> None:
    """Begin a substep of the bodies [first, last): take over whom they touched in the last one, and
    end the impact of a body that touched several others.
    """
    for b in range(first, last):
        if impacts.touching[b] == SEVERAL:
            impacts.crowded_time[b] = CROWDED
            impacts.arrival[b] = 0.0
        elif impacts.crowded_time[b] > 0.0:
            impacts.crowded_time[b] = max(impacts.crowded_time[b] - dt, 0.0)
        in_impact = impacts.arrival[b] > 0.0 and impacts.partner[b] == impacts.touching[b]
        leans = impacts.touching[b] >= BODIES and not in_impact
        impacts.leaning_time[b] = CROWDED if leans else max(impacts.leaning_time[b] - dt, 0.0)
        if (
            impacts.arrival[b] == 0.0
            and impacts.restitution_steps[b] == 0.0
            and impacts.hardest[b] > 0.0
        ):
            forget_hardest(impacts, b)
        # This comes last: `touching` collects the partners of this substep, `touched` keeps the
        # partners of the last one for all decisions.
        impacts.touched[b] = impacts.touching[b]
        impacts.touching[b] = NOTHING


@inline
def forget_hardest(impacts: Impacts, b: int) -> None:
    """Let the speed of the hardest impact of body b decay, over as many substeps as an impact
    lasts.
    """
    hardest = impacts.hardest[b] * (
        1.0 - 1.0 / (LASTING * impacts.compression_steps[b] + SEPARATION_STEPS)
    )
    impacts.hardest[b] = hardest if hardest > FORGOTTEN else 0.0


@inline
def note_impact(
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
    """Begin an impact of a body on walls if contact c is its first one, or strikes harder; true if
    c belongs to an impact.

    It begins if the contact has not pushed, will close in this substep, and is fast enough at the
    surface to bounce, without counting as rolling. The squared speed there follows as in
    `note_meeting_speed` (contacts/contact.py), for the rigid motion of the body.
    """
    contact = contacts.records[c]
    i = body_of(impacts, contacts.proxies[c, 0], contacts.proxies[c, 1], walls.body_count)
    goes_on = impacts.arrival[i] > 0.0 and impacts.partner[i] == WALLS
    if contact["normal_impulse"] > 0.0 or contact["impact_impulse"] != 0.0:
        return goes_on
    if contact["separation"] + contact["relative_normal_velocity"] * dt >= 0.0:
        return goes_on
    touch = touch_of(contacts, c, impacts, spins, motion, walls, rows)
    # The speed of the touch along the normal, negative on approach: by translation and by rotation.
    body = spins.bodies[i]
    straight = body["velocity_x"] * touch.nx + body["velocity_y"] * touch.ny
    straight -= touch.wall_x * touch.nx + touch.wall_y * touch.ny
    turning = body["angular_velocity"] * (touch.x * touch.ny - touch.y * touch.nx)
    start = turning + straight
    has_shape = impacts.shape_rate[i] > 0.0
    # A body that tumbles bounces with each corner that comes down, and never rolls.
    tumbles = has_shape and contact["restitution"] > 0.0
    rolling = (SHAPE_TUMBLING if has_shape else TUMBLING) * surface_speed(body)
    rolls = not tumbles and straight + rolling >= 0.0
    fall = gravity[0] * touch.nx + gravity[1] * touch.ny
    squared = start * (start + dt * fall) - 2.0 * fall * max(contact["separation"], 0.0)
    thickness = rows.radius[contacts.rows[c, 0]] + rows.radius[contacts.rows[c, 1]]
    least = least_speed_squared(thickness, hypot(gravity[0], gravity[1]), dt)
    if start >= 0.0 or rolls or squared <= least:
        return goes_on
    # A body that has bounced already slams if it strikes mainly by its rotation: it bounces again.
    speed = math.sqrt(squared)
    slams = tumbles and impacts.restitution_steps[i] >= BOUNCING and turning < AGAIN * start
    if has_separated(i, impacts):
        impacts.arrival[i] = 0.0
    if speed > impacts.arrival[i] or slams:
        # Springs store the energy absorbed in a continuing impact: counting only kinetic energy
        # lost a quarter in some bounces.
        is_pressed = goes_on and impacts.arrival[i] > 0.0 and impacts.restitution_steps[i] == 0.0
        impacts.arrival[i] = speed
        count_anew(i, speed, impacts)
        impacts.restitution[i] = contact["restitution"]
        impacts.partner[i] = WALLS
        impacts.wall[i, 0] = touch.wall_x
        impacts.wall[i, 1] = touch.wall_y
        ahead = max(float(contact["separation"]), 0.0)
        pair = impact_pair_of(i, impacts, gravity, dt)
        stored = impacts.energy[i] + fallen_since(pair, impacts, spins, dt) if is_pressed else 0.0
        impacts.met[i, 0] = body["centre_x"] - ahead * touch.nx
        impacts.met[i, 1] = body["centre_y"] - ahead * touch.ny
        brought = max(energy_met(pair, impacts, spins), stored)
        impacts.energy[i] = brought - fallen_since(pair, impacts, spins, dt)
    return True


@inline
def surface_speed(body: np.ndarray) -> float:
    """Return |ω| times the radius of gyration of a body [m/s]."""
    return float(abs(body["angular_velocity"]) * body["radius_of_gyration"])


@kernel
def lands_on_disc(
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
    """Note a contact of two discs, one of which counts as a wall, like a contact with an edge; true
    if it belongs to an impact.
    """
    i = contacts.proxies[c, 0]
    j = contacts.proxies[c, 1]
    if contacts.records[c]["normal_impulse"] > 0.0:
        note_touch(impacts, i, j, walls.body_count)
    if body_of(impacts, i, j, walls.body_count) != i:
        i, j = j, i
    if not lands(impacts, i, j, walls.body_count):
        return False
    return note_impact(contacts, c, impacts, spins, motion, walls, rows, gravity, dt)


@inline
def shape_rate_of(impacts: Impacts, i: int, j: int) -> float:
    """Return the rate of the softer rest shape of two bodies [1/s²]; j is -1 for a wall."""
    return float(
        impacts.shape_rate[i] if j < 0 else min(impacts.shape_rate[i], impacts.shape_rate[j])
    )


@inline
def touch_of(
    contacts: ContactArrays,
    c: int,
    impacts: Impacts,
    spins: Spins,
    motion: ParticleArrays,
    walls: Walls,
    rows: Rows,
) -> Touch:
    """Return where contact c acts on its body, and on the other body or the wall."""
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    b = contacts.rows[c, 2]
    contact = contacts.records[c]
    first = contacts.proxies[c, 0]
    j = contacts.proxies[c, 1]
    i = body_of(impacts, first, j, walls.body_count)
    nx = contact["normal_x"]
    ny = contact["normal_y"]
    t = contact["edge_fraction"]
    body = spins.bodies[i]
    if p < rows.offset:
        x = motion.position[p, 0]
        y = motion.position[p, 1]
    else:
        x = walls.vertices[p - rows.offset, 0]
        y = walls.vertices[p - rows.offset, 1]
    if p < rows.offset and i == first:
        sign = 1.0
        velocity_x = (1.0 - t) * rows.predicted[a, 0] + t * rows.predicted[b, 0]
        velocity_y = (1.0 - t) * rows.predicted[a, 1] + t * rows.predicted[b, 1]
    else:
        sign = -1.0
        velocity_x = rows.predicted[p, 0]
        velocity_y = rows.predicted[p, 1]
    x = x - rows.radius[p] * nx
    y = y - rows.radius[p] * ny
    other = -1
    other_x = 0.0
    other_y = 0.0
    if i == first and not is_immovable(impacts, j, walls.body_count):
        other = j
        other_x = x - spins.bodies[j]["centre_x"]
        other_y = y - spins.bodies[j]["centre_y"]
        velocity_x = 0.0
        velocity_y = 0.0
    x = x - body["centre_x"]
    y = y - body["centre_y"]
    return Touch(i, x, y, other, other_x, other_y, sign * nx, sign * ny, velocity_x, velocity_y)


@entry
def note_speeds(impacts: Impacts, spins: Spins, motion: ParticleArrays) -> None:
    """Note the velocities of bodies in an impact ahead of the sweep, so that `slow_down` knows the
    change by the sweep.
    """
    body = impacts.found[0]
    for b in range(impacts.arrival.shape[0]):
        if impacts.arrival[b] > 0.0:
            find_rigid_body(
                spins.start[b],
                spins.stop[b],
                motion.position,
                motion.velocity,
                motion.inverse_mass,
                body,
            )
            impacts.rigid_motion[b]["velocity_x"] = body["velocity_x"]
            impacts.rigid_motion[b]["velocity_y"] = body["velocity_y"]


@entry
def follow_impacts(impacts: Impacts, spins: Spins, motion: ParticleArrays, dt: float) -> None:
    """After the sweep: count the substep of every impact, end impacts that are over, and slow down
    bodies that are too fast.

    An impact is over once the body has separated or had time to recover its shape, and hardly
    vibrates.
    """
    for b in range(impacts.arrival.shape[0]):
        if impacts.arrival[b] == 0.0 and impacts.restitution_steps[b] == 0.0:
            continue
        # The pushes of this substep are counted first: the end of the impact depends on the counts.
        count_substep(b, impacts)
        # The way of a body is measured from the wall: on a floor that sank, bodies came back too
        # high.
        impacts.met[b, 0] += dt * impacts.wall[b, 0]
        impacts.met[b, 1] += dt * impacts.wall[b, 1]
        body = impacts.found[0]
        find_rigid_body(
            spins.start[b],
            spins.stop[b],
            motion.position,
            motion.velocity,
            motion.inverse_mass,
            body,
        )
        swings = impacts.restitution_steps[b] > 0.0 and calm(b, body, impacts, spins, motion)
        is_over = (
            has_separated(b, impacts)
            or impacts.restitution_steps[b]
            > LASTING * impacts.compression_steps[b] + SEPARATION_STEPS
        )
        if is_over and not swings:
            impacts.arrival[b] = impacts.restitution_steps[b] = impacts.energy_given[b] = 0.0
        elif (
            impacts.arrival[b] > 0.0
            and impacts.partner[b] == WALLS
            and impacts.touching[b] <= WALLS
        ):
            slow_down(b, body, impacts, spins, motion.velocity)


@inline
def count_anew(b: int, speed: float, impacts: Impacts) -> None:
    """Restart the counts of body b for an impact at this speed [m/s].

    The substeps of compression are kept if it is weaker than the last impacts, and the body has not
    separated since.
    """
    if speed > impacts.hardest[b] or has_separated(b, impacts):
        impacts.hardest[b] = max(speed, impacts.hardest[b])
        impacts.compression_steps[b] = 0.0
    impacts.restitution_steps[b] = impacts.steps_apart[b] = 0.0
    impacts.energy_given[b] = max(impacts.energy_given[b], 0.0)


@inline
def count_substep(b: int, impacts: Impacts) -> None:
    """Count a substep of an impact: of compression until it has turned, then of restitution; and
    the substeps since a contact pushed.
    """
    pushes = impacts.pressing[b]["impulse"] > 0.0
    impacts.steps_apart[b] = 0.0 if pushes else impacts.steps_apart[b] + 1.0
    if impacts.restitution_steps[b] > 0.0 or has_turned(b, impacts):
        impacts.restitution_steps[b] += 1.0
    elif pushes or impacts.compression_steps[b] == 0.0:
        impacts.compression_steps[b] += 1.0
    # Nothing else resets this for a body without contacts.
    impacts.pressing[b]["impulse"] = 0.0


@inline
def calm(b: int, body: np.ndarray, impacts: Impacts, spins: Spins, motion: ParticleArrays) -> bool:
    """Damp the vibration of a body that has bounced to the energy that the impact absorbed, or to
    CALM of the energy before it; true if it had more.

    Restitution gave the rigid motion the energy that its springs still store: both together would
    exceed the energy before the impact. At most the energy given is taken: otherwise blows, muscles
    and forces of a game were swallowed, and crushed bodies stayed flat.
    """
    lost = 1.0 - impacts.restitution[b] * impacts.restitution[b]
    if lost >= LOST or impacts.energy_given[b] <= 0.0 or body["inverse_mass"] == 0.0:
        return False
    position = motion.position
    velocity = motion.velocity
    twice = 0.0
    for p in range(spins.start[b], spins.stop[b]):
        vx, vy = velocity_at(body, body, position[p, 0], position[p, 1])
        twice += ((velocity[p, 0] - vx) ** 2 + (velocity[p, 1] - vy) ** 2) / motion.inverse_mass[p]
    most = max(lost * impacts.hardest[b] * impacts.hardest[b], CALM * impacts.energy[b])
    most /= body["inverse_mass"]
    if twice <= most:
        return False
    # Only the motion relative to the rigid motion shrinks: momentum and angular momentum stay.
    taken = min(0.5 * (twice - most), impacts.energy_given[b])
    kept = math.sqrt(1.0 - 2.0 * taken / twice)
    impacts.energy_given[b] -= taken
    other = int(impacts.partner[b]) - BODIES
    if 0 <= other < impacts.partner.shape[0] and impacts.partner[other] == BODIES + b:
        impacts.energy_given[other] -= taken  # one of two bodies pays for both
    for p in range(spins.start[b], spins.stop[b]):
        vx, vy = velocity_at(body, body, position[p, 0], position[p, 1])
        velocity[p, 0] = vx + kept * (velocity[p, 0] - vx)
        velocity[p, 1] = vy + kept * (velocity[p, 1] - vy)
    return True


@inline
def slow_down(
    b: int, body: np.ndarray, impacts: Impacts, spins: Spins, velocity: np.ndarray
) -> None:
    """Take from body b the speed that the sweep gave it beyond restitution, along that change.

    body: its rigid motion after the sweep; `rigid_motion` has the velocity before.
    """
    rigid_motion = impacts.rigid_motion[b]
    nx = body["velocity_x"] - rigid_motion["velocity_x"]
    ny = body["velocity_y"] - rigid_motion["velocity_y"]
    gain = hypot(nx, ny)
    if gain == 0.0:
        return
    nx = nx / gain
    ny = ny / gain
    most = max(impacts.restitution[b] * impacts.arrival[b], RECOVERY * impacts.hardest[b])
    speed = (body["velocity_x"] - impacts.wall[b, 0]) * nx + (
        body["velocity_y"] - impacts.wall[b, 1]
    ) * ny
    taken = min(max(speed - most, 0.0), gain)
    for p in range(spins.start[b], spins.stop[b]):
        velocity[p, 0] -= taken * nx
        velocity[p, 1] -= taken * ny
