"""Spin: friction acts on the surface of a body, which turns with the body, and not on the centres
of its particles. So balls and wheels roll, instead of sliding without friction at their centres.

Below, p is the particle of a contact and a the other disc, n the normal from a to p,
τ = (-n_y, n_x) the tangent, v velocity, r radius, m mass, I moment of inertia, and s the speed of a
surface along τ.

A disc that nothing but collisions and joints holds turns by itself. Its surface moves at s = r ω,
and an impulse λ of friction along τ on it changes s at once, as it changes velocities:

    slip = (v_p - v_a)·τ - s_p - s_a,     Δs = -λ r²/I
    1 / effective mass of friction = 1/m_p + 1/m_a + r_p²/I_p + r_a²/I_a

Two discs that are a little apart, or overlap, share the torque arm of their distance d: s counts d
/ (r_p + r_a) times, in both formulas. So discs roll on each other, on walls and on soft bodies by
Coulomb's law, and angular momentum is exact.

A particle of a soft body does not turn by itself. On a closed outline it turns with its body, so
its surface moves along τ at

    v_p·τ - ω r          r: its radius,  ω = Σ m_i d_i × (v_i - v_c) / I,  d_i = x_i - x_c

ω depends on the velocities of the whole body. By the principle of virtual work an impulse λ of
friction therefore comes with the angular impulse -r λ on the whole body: m_i Δv_i = m_i (-r λ / I)
× d_i. Their sum is zero, and their torque is the difference between friction at the surface and at
the centre. So a wheel rolls on its surface, and momentum and angular momentum stay exact. Drag
takes its share of the impulse on a particle, as of every impulse.

The iterations use ω at the end of the last substep, when forces and contacts had found their
balance. r is at most the radius of gyration: with a longer arm that delay would be unstable. A
particle larger than that rolls on a smaller circle; momentum stays exact. The
velocities that the iterations start from already have the angular impulse of the last substep (warm
start).
"""

import math
from typing import NamedTuple

from ecs_softbody.arrays import Flags1, Floats2, Uint32s1
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows, Walls
from ecs_softbody.collision.solve.rigid_motion import RigidBodies, find_rigid_body
from ecs_softbody.parallel.compiling import inline

LARGEST_START = 100.0
"""Upper bound of the velocity change by the warm start at the radius of gyration [m/s]: resting
bodies need a thousandth. Where springs at their limit push with alternating sign, the impulse of
one substep would feed the next.
"""


class Spins(NamedTuple):
    """How B bodies turn, and what friction gives them."""

    # (B,) whether the surface of a body turns with it: closed outlines that are awake
    rolls: Flags1
    # (B,) whether the particles of a body are discs that turn by themselves
    discs: Flags1
    # (B,) first particle
    start: Uint32s1
    # (B,) row after the last particle
    stop: Uint32s1
    # (B,) rigid motion at the start of the substep
    bodies: RigidBodies
    # (B, 2) [N·m·s] angular impulses of friction: column 0 sums this substep's, column 1 is that of
    # the substep before
    impulse: Floats2


@inline
def find_spins(spins: Spins, first: int, last: int, motion: ParticleArrays, rows: Rows) -> None:
    """Find the rigid motion of the bodies [first, last), and the surface speed of discs; add the
    angular impulse of the last substep to the predicted velocities (warm start).
    """
    position = motion.position
    impulse = spins.impulse
    predicted = rows.predicted
    for i in range(first, last):
        if spins.discs[i]:
            for p in range(spins.start[i], spins.stop[i]):
                rows.surface_speed[p] = rows.radius[p] * motion.angular_velocity[p]
        if not spins.rolls[i]:
            continue
        start = spins.start[i]
        stop = spins.stop[i]
        body = spins.bodies[i]
        find_rigid_body(start, stop, position, motion.velocity, motion.inverse_mass, body)
        radius = body["radius_of_gyration"]
        most = LARGEST_START / radius if radius > 0.0 else 0.0
        # Warm start: this substep's friction turns the body only in apply_spins. Without the
        # angular impulse of the last substep, wheels at rest would turn back and forth in every
        # substep, and a parked car would never fall asleep.
        change = min(max(impulse[i, 1] * body["inverse_inertia"], -most), most)
        if change != 0.0:
            for p in range(start, stop):
                taken = change * (1.0 - motion.drag_share[p])
                predicted[p, 0] -= taken * (position[p, 1] - body["centre_y"])
                predicted[p, 1] += taken * (position[p, 0] - body["centre_x"])


@inline
def friction_arm_of(spins: Spins, body: int, radius: float) -> float:
    """Return how far from its centre friction acts on a particle of this radius [m]; 0 where no
    surface turns.
    """
    if spins.discs[body]:
        return radius
    return min(radius, spins.bodies[body]["radius_of_gyration"]) if spins.rolls[body] else 0.0


@inline
def add_couple(
    spins: Spins, body: int, p: int, friction_impulse: float, motion: ParticleArrays, rows: Rows
) -> None:
    """Note the rotation that friction at the surface of particle p gives.

    A disc has its new surface speed already, so its angular velocity follows from that. The body of
    any other particle gets an angular impulse, which `apply_spins` turns into forces.
    """
    if spins.discs[body]:
        if rows.surface_yield[p] > 0.0:  # else it does not turn by itself
            motion.angular_velocity[p] = rows.surface_speed[p] / rows.radius[p]
    else:
        spins.impulse[body, 0] -= friction_arm_of(spins, body, rows.radius[p]) * friction_impulse


@inline
def apply_spins(spins: Spins, first: int, last: int, motion: ParticleArrays, dt: float) -> None:
    """Turn the angular impulses L of this substep into forces m (L / I dt) × d on the particles of
    the bodies [first, last), and keep them for the next warm start.
    """
    position = motion.position
    force = motion.force
    inverse_mass = motion.inverse_mass
    impulse = spins.impulse
    for i in range(first, last):
        if not spins.rolls[i]:
            continue
        body = spins.bodies[i]
        rate = impulse[i, 0] * body["inverse_inertia"] / dt
        impulse[i, 1] = impulse[i, 0]
        impulse[i, 0] = 0.0
        if rate != 0.0:
            for p in range(spins.start[i], spins.stop[i]):
                share = rate * (1.0 - motion.drag_share[p]) / inverse_mass[p]
                force[p, 0] -= share * (position[p, 1] - body["centre_y"])
                force[p, 1] += share * (position[p, 0] - body["centre_x"])


@inline
def tangent_speed_of(contacts: ContactArrays, c: int, e: int, walls: Walls, rows: Rows) -> float:
    """Return the speed [m/s] of the surface of static edge e along (-n_y, n_x), relative to its
    vertices.

    The surface of a thick edge is its radius away from it, and moves more when the wall turns.
    Conveyors add their tangent_speed.
    """
    vertices = walls.vertices
    offset = rows.offset
    contact = contacts.records[c]
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    b = contacts.rows[c, 2]
    if p >= offset:  # a vertex of the wall touches, not its edge
        return walls.angular_velocity[e] * rows.radius[p]
    along = 1.0
    ex = vertices[b - offset, 0] - vertices[a - offset, 0]
    ey = vertices[b - offset, 1] - vertices[a - offset, 1]
    length = math.sqrt(ex * ex + ey * ey)
    if length > 0.0:
        along = (ey * contact["normal_x"] - ex * contact["normal_y"]) / length
    return walls.angular_velocity[e] * rows.radius[a] + walls.tangent_speed[e] * along
