"""Impact: how much of its speed a soft body keeps when it hits something, by Newton's law for the body as a whole.

A soft body that lands is pressed together and springs back, whatever restitution e was asked. So from the moment it
meets something at a speed u until it has parted, the speed v along the normal at its points of contact, if they move
with the body as a whole, is held to

    v >= -s/h                    rest shapes as stiff as a substep can hold stop at the surface (`strike`)
    v <= max(e, RECOVERY) u      soft bodies do not spring up: what is stored goes into standing up again (`restrain`)
    v >= e u                     bodies with a rest shape bounce as asked, once they do not approach any more,
                                 with the energy that restitution leaves them (returning.py)

The first one acts ahead of the impulses of all contacts, the others after them, when it is known how they pushed. The
impulses λ that do so act on each body as a whole, as those of rigid bodies. With r from the centre of mass

    Δv = λ n/m,   Δω = λ r × n / I,   1/M = Σ 1/m + (r × n)²/I

and with friction |λ_t| <= μ λ. A negative λ takes away at most what the contact pushed with in this substep: together
they still push, and nothing is held back by what it touches. Bodies with joints, muscles or pinned particles take no
part, unless none of their particles can be pushed: then they are walls. There a bounce is a matter of contacts and
joints alone (bounce.py), as it is for what has no closed outline, and inside heaps, see landing.py.
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
from ecs_softbody.collision.impacts.meeting import limits_of_pair
from ecs_softbody.collision.impacts.records import BODIES, FACTOR, MOMENT, NOTHING, PUSH, RUBBING, Impacts, Touch
from ecs_softbody.collision.impacts.returning import WALL, fastest_of, give_back, meeting_of
from ecs_softbody.collision.solve.active import IMPACTS, ActiveContacts
from ecs_softbody.collision.solve.rolling import find_rotation
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.parallel.compiling import entry, inline

ITERATIONS = 8


@inline
def speed_along(touch: Touch, whole: np.ndarray, x: float, y: float) -> float:
    """Return the speed of the body against what it touches along (x, y), as they move as a whole [m/s]."""
    body = whole[touch.body]
    vx, vy = body[0] - body[2] * touch.y, body[1] + body[2] * touch.x
    if touch.other >= 0:
        body = whole[touch.other]
        vx, vy = vx - body[0] + body[2] * touch.other_y, vy - body[1] - body[2] * touch.other_x
    return (vx - touch.wall_x) * x + (vy - touch.wall_y) * y


@inline
def yield_along(touch: Touch, spins: Spins, x: float, y: float) -> float:
    """Return 1/M along (x, y) [1/kg]."""
    body = spins.rotation[touch.body]
    total = body[5] + body[1] * (touch.x * y - touch.y * x) ** 2
    if touch.other >= 0:
        body = spins.rotation[touch.other]
        total += body[5] + body[1] * (touch.other_x * y - touch.other_y * x) ** 2
    return float(total)


@inline
def push(touch: Touch, spins: Spins, whole: np.ndarray, ix: float, iy: float) -> None:
    """Push the body as a whole by an impulse (x, y), and another one by the opposite."""
    push_one(touch.body, touch.x, touch.y, spins, whole, ix, iy)
    if touch.other >= 0:
        push_one(touch.other, touch.other_x, touch.other_y, spins, whole, -ix, -iy)


@inline
def push_one(b: int, x: float, y: float, spins: Spins, whole: np.ndarray, ix: float, iy: float) -> None:
    """Push one body as a whole at (x, y) from its centre."""
    body, state = spins.rotation[b], whole[b]
    vx, vy, turn = body[5] * ix, body[5] * iy, body[1] * (x * iy - y * ix)
    state[0] += vx
    state[1] += vy
    state[2] += turn
    state[3] += vx
    state[4] += vy
    state[5] += turn


@entry
def strike(
    contacts: ContactArrays, active: ActiveContacts, start: Integers1, impacts: Impacts, spins: Spins,
    motion: ParticleArrays, walls: Walls, rows: Rows, gravity: Floats1, dt: float,
) -> None:  # fmt: skip
    """Stop stiff bodies that meet something in this substep as a whole, ahead of the impulses of all contacts.

    start: first contact of each batch.
    """
    whole, rotation, bodies = impacts.whole, spins.rotation, impacts.arrival.shape[0]
    for b in range(bodies):
        whole[b, :] = 0.0
        whole[b, 0], whole[b, 1] = rotation[b, 6] + dt * gravity[0], rotation[b, 7] + dt * gravity[1]
        whole[b, 2] = rotation[b, 0]
    for k in range(ITERATIONS):
        for batch in range(start.shape[0] - 1):
            for n in range(start[batch], start[batch] + active.counts[batch, IMPACTS]):
                c = start[batch] + active.impacts[n]
                contact = contacts.records[c]
                if k == 0:
                    impacts.impulse[n, :] = 0.0
                body = body_of(impacts, contacts.proxies[c, 0], contacts.proxies[c, 1], walls.body_count)
                slight = TURNED * contact["effective_mass"] * impacts.arrival[body]
                if is_met(contact, dt) and contact["normal_impulse"] <= slight:
                    touch = touch_of(contacts, c, impacts, spins, motion, walls, rows)
                    if shape_rate_of(impacts, touch.body, touch.other) > RIGID / (dt * dt):
                        least = -max(float(contact["separation"]), 0.0) / dt
                        hold(contact, touch, impacts, n, spins, least, math.inf)
    for b in range(bodies):
        move_as_whole(b, impacts, spins, motion, rows, dt)
    for batch in range(start.shape[0] - 1):
        for n in range(start[batch], start[batch] + active.counts[batch, IMPACTS]):
            contact = contacts.records[start[batch] + active.impacts[n]]
            contact["impact_impulse"] = impacts.impulse[n, 0]
            contact["frame_impulse"] += impacts.impulse[n, 0]


@entry
def restrain(
    contacts: ContactArrays, active: ActiveContacts, start: Integers1, impacts: Impacts, spins: Spins,
    motion: ParticleArrays, walls: Walls, rows: Rows, gravity: Floats1, dt: float,
) -> None:  # fmt: skip
    """Give bodies in an impact the speed that restitution asks for, after the impulses of all contacts."""
    whole, bodies = impacts.whole, impacts.arrival.shape[0]
    whole[:, :] = 0.0
    whole[:, FACTOR] = 1.0
    for k in range(ITERATIONS + 2):
        for batch in range(start.shape[0] - 1):
            for n in range(start[batch], start[batch] + active.counts[batch, IMPACTS]):
                c = start[batch] + active.impacts[n]
                contact = contacts.records[c]
                if contact["normal_impulse"] == 0.0 and contact["impact_impulse"] == 0.0:
                    continue
                touch = touch_of(contacts, c, impacts, spins, motion, walls, rows)
                if k == 0:
                    impacts.impulse[n, :] = 0.0
                    whole[touch.body, PUSH] = 1.0
                    if touch.other >= 0:
                        whole[touch.other, PUSH] = 1.0
                elif k == 1:
                    judge(contact, touch, impacts, dt)
                else:
                    if touch.other >= 0:
                        least, most = limits_of_pair(contact, touch, impacts, spins, motion, rows, dt)
                    else:
                        least, most = limits_of(contact, touch, impacts, spins, motion, rows, gravity, dt)
                    hold(contact, touch, impacts, n, spins, least, most)
        if k == 0:
            for b in range(bodies):
                if whole[b, PUSH] > 0.0:
                    look_at(b, impacts, spins, motion, rows)
    for b in range(bodies):
        if bounces_now(b, impacts):
            pair = meeting_of(b, impacts, gravity, dt)
            whole[b, FACTOR] = give_back(pair, impacts, spins, dt)
            if pair.other != WALL:
                whole[pair.other, FACTOR] = whole[b, FACTOR]
    for b in range(bodies):
        move_as_whole(b, impacts, spins, motion, rows, dt)
    for batch in range(start.shape[0] - 1):
        for n in range(start[batch], start[batch] + active.counts[batch, IMPACTS]):
            c = start[batch] + active.impacts[n]
            contact = contacts.records[c]
            if contact["normal_impulse"] != 0.0 or contact["impact_impulse"] != 0.0:
                body = body_of(impacts, contacts.proxies[c, 0], contacts.proxies[c, 1], walls.body_count)
                change = whole[body, FACTOR] * (impacts.impulse[n, 0] - impacts.impulse[n, 1])
                contact["impact_impulse"] += change
                contact["frame_impulse"] += change


@inline
def is_met(contact: np.ndarray, dt: float) -> bool:
    """True if a contact pushed lately, or will close in this substep."""
    pushed = contact["normal_impulse"] > 0.0 or contact["impact_impulse"] != 0.0
    return bool(pushed or contact["separation"] + contact["relative_normal_velocity"] * dt < 0.0)


@inline
def look_at(b: int, impacts: Impacts, spins: Spins, motion: ParticleArrays, rows: Rows) -> None:
    """Write how a body will move as a whole after the impulses of all contacts."""
    whole, found = impacts.whole[b], impacts.found
    find_rotation(spins.start[b], spins.stop[b], motion.position, rows.predicted, motion.inverse_mass, found)
    whole[0], whole[1], whole[2], whole[PUSH] = found[6], found[7], found[0], 0.0


@inline
def judge(contact: np.ndarray, touch: Touch, impacts: Impacts, dt: float) -> None:
    """Add the contact to what tells whether its body still approaches: the mean of the speeds, by impulse.

    What was struck so that it closes its gap in this substep has stopped: a corner that a quick turn takes away is no
    contact in the next one. Where one of two stands on something, that has to stop first.
    """
    weight, gap = contact["normal_impulse"] + abs(contact["impact_impulse"]), 0.0
    is_free = touch.other < 0 or (impacts.touched[touch.body] == NOTHING and impacts.touched[touch.other] == NOTHING)
    if is_free and contact["impact_impulse"] > 0.0:
        gap = max(float(contact["separation"]), 0.0)
    moment = weight * (speed_along(touch, impacts.whole, touch.nx, touch.ny) + gap / dt)
    impacts.whole[touch.body, PUSH] += weight
    impacts.whole[touch.body, MOMENT] += moment
    impacts.whole[touch.body, RUBBING] += contact["friction"]
    if touch.other >= 0:
        impacts.whole[touch.other, PUSH] += weight
        impacts.whole[touch.other, MOMENT] += moment
        impacts.whole[touch.other, RUBBING] += contact["friction"]


@inline
def bounces_now(b: int, impacts: Impacts) -> bool:
    """True if body b, which has a rest shape, turns in this substep, alone or as the one whose impact is harder."""
    speed, j = impacts.arrival[b], int(impacts.partner[b]) - BODIES
    if speed == 0.0 or impacts.restitution[b] == 0.0 or impacts.parting[b] > 0.0 or not has_turned(b, impacts):
        return False
    if shape_rate_of(impacts, b, j) == 0.0:
        return False
    if j < 0:
        return True
    is_mutual = impacts.arrival[j] > 0.0 and impacts.partner[j] == BODIES + b
    return is_mutual and (speed > impacts.arrival[j] or (speed == impacts.arrival[j] and b < j))


@inline
def limits_of(
    contact: np.ndarray, touch: Touch, impacts: Impacts, spins: Spins, motion: ParticleArrays, rows: Rows,
    gravity: np.ndarray, dt: float,
) -> tuple[float, float]:  # fmt: skip
    """Return the lowest and the highest speed at which the body may leave the wall [m/s]."""
    b, restitution = touch.body, float(contact["restitution"])
    speed, whole, shape_rate = impacts.arrival[b], impacts.whole[b], impacts.shape_rate[b]
    recovery = impacts.hardest[b] * (STIFF_RECOVERY if shape_rate > RIGID / (dt * dt) else RECOVERY)
    if restitution == 0.0:
        return -math.inf, recovery
    pull = gravity[0] * touch.nx + gravity[1] * touch.ny
    depth = (impacts.met[b, 0] - spins.rotation[b, 3]) * touch.nx  # How far the body has come on since it met
    depth += (impacts.met[b, 1] - spins.rotation[b, 4]) * touch.ny
    leaving = math.sqrt(max((restitution * speed) ** 2 - 2.0 * pull * depth, 0.0)) + 0.5 * dt * pull
    turned = has_turned(b, impacts)
    if shape_rate > 0.0 and impacts.parting[b] == 0.0:
        return leaving if turned else -math.inf, max(leaving, recovery)
    pair, along = meeting_of(b, impacts, gravity, dt), speed_along(touch, impacts.whole, touch.nx, touch.ny)
    met, yields = impacts.energy[b] - 2.0 * pull * depth, yield_along(touch, spins, touch.nx, touch.ny)
    fastest = fastest_of(pair, met, along, yields, impacts, spins)
    if shape_rate > 0.0:
        bounces = turned and impacts.parting[b] < BOUNCING
        return min(leaving, fastest) if bounces else -math.inf, max(fastest, recovery)
    most = max(leaving, recovery) if restitution < 1.0 or impacts.loses[b] else math.inf
    least_push = max(-pull * dt, LIGHT * speed / max(impacts.closing[b], 1.0))  # [m/s]
    if not turned or not impacts.loses[b] or whole[PUSH] * spins.rotation[b, 5] >= least_push:
        return -math.inf, most
    return min(leaving, fastest), most


@inline
def hold(contact: np.ndarray, touch: Touch, impacts: Impacts, n: int, spins: Spins, least: float, most: float) -> None:
    """Bring the speed of one contact between its limits, as far as the others have left it outside."""
    whole, impulse, nx, ny = impacts.whole, impacts.impulse[n], touch.nx, touch.ny
    speed, yields = speed_along(touch, whole, nx, ny), yield_along(touch, spins, nx, ny)
    pushing = max(impulse[0] - (speed - least) / yields, 0.0)
    speed += (pushing - impulse[0]) * yields
    holding = min(max(impulse[1] + (speed - most) / yields, 0.0), float(contact["normal_impulse"]))
    limit, slip = contact["friction"] * pushing, speed_along(touch, whole, -ny, nx)
    rubbing = impulse[2] - slip / yield_along(touch, spins, -ny, nx)
    rubbing = min(max(rubbing, -limit), limit)
    along, across = pushing - holding - impulse[0] + impulse[1], rubbing - impulse[2]
    impulse[0], impulse[1], impulse[2] = pushing, holding, rubbing
    push(touch, spins, whole, along * nx - across * ny, along * ny + across * nx)


@inline
def move_as_whole(b: int, impacts: Impacts, spins: Spins, motion: ParticleArrays, rows: Rows, dt: float) -> None:
    """Add what changes the motion of a body as a whole to the forces on its particles."""
    whole, body = impacts.whole[b], spins.rotation[b]
    if whole[3] == 0.0 and whole[4] == 0.0 and whole[5] == 0.0:
        return
    for p in range(spins.start[b], spins.stop[b]):
        vx = whole[3] - whole[5] * (motion.position[p, 1] - body[4])
        vy = whole[4] + whole[5] * (motion.position[p, 0] - body[3])
        rows.predicted[p, 0] += vx
        rows.predicted[p, 1] += vy
        share = 1.0 / (motion.inverse_mass[p] * dt)
        motion.force[p, 0] += share * vx
        motion.force[p, 1] += share * vy
