"""Contacts as records, the groups of arrays that their kernels share, and the formulas of the
solver: sequential impulses (Catto 2005).

A contact is one of a point p and an edge a-b; for two discs a = b. All three are rows: particles
first, then the vertices of static colliders. The closest point of the edge lies at the fraction t
from a to b, so velocities and impulses have the coefficients 1, -(1-t), -t on p, a, b. With the
normal n from the edge to p, the separation s (negative in overlap) and the substep h:

    v_n = (v_p - (1-t) v_a - t v_b)·n,   1/M = w_p + (1-t)² w_a + t² w_b,   w: inverse mass
    normal:   λ = max(0, λ - M (v_n + max(s, 0)/h))    speculative: surfaces may meet, but not pass
    friction: λ_t = clamp(λ_t - M_t (v_t - u), ±μ λ)   u: speed of a conveyor, along (-n_y, n_x)

λ, λ_t are the impulses accumulated in the substep, M, M_t effective masses, μ is the friction.

The impulses on p, a and b sum to zero. Friction acts at p and at the closest point of the edge, s n
apart, which would turn the pair by s λ_t; a couple ± s λ_t e⊥/|e|² on a and b takes that back, so
the torque sums to zero too. Two discs have no edge that could take a couple: they rub only where
they turn by themselves, see solve/spin.py.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from ecs_softbody.arrays import (
    Flags1,
    Floats1,
    Floats2,
    Integers2,
    Integers3,
    Layout,
    Uint32s2,
    record,
)
from ecs_softbody.parallel.compiling import inline


def _fields(kind: type[np.generic], names: str) -> list[tuple[str, type[np.generic]]]:
    """Return fields of a record that have the same type; names: separated by spaces."""
    return [(name, kind) for name in names.split()]


CONTACT = record(
    *_fields(
        np.float64, "normal_x normal_y separation effective_mass normal_impulse previous_impulse"
    ),
    *_fields(np.float64, "relative_normal_velocity edge_fraction friction_impulse bounce_speed"),
    *_fields(np.float64, "restitution frame_impulse approach_speed reflected_impulse speed_left"),
    *_fields(np.bool_, "active reflects"),
    *_fields(
        np.float64,
        "arrival kick slop friction tangent_speed torque_arm_x torque_arm_y friction_mass",
    ),
    *_fields(np.float64, "impact_impulse"),
)
"""The record of a contact of point p and edge a-b, or of two discs (then a is b).

Geometry, written in each substep:
    normal_x, normal_y          unit vector from the edge to p
    separation [m]              distance of the surfaces, negative in overlap
    edge_fraction               where the closest point of the edge is, from a (0) to b (1)
    torque_arm_x, torque_arm_y  couple on a and b per unit of friction impulse
    effective_mass [kg]         along the normal
    friction_mass [kg]          along the tangent
    relative_normal_velocity    [m/s] with all forces of the substep; negative on approach
    active                      at least one side can move, and this edge is the closest to p
Materials:
    friction, restitution       of both sides together
    slop [m]                    overlap that is not corrected
    tangent_speed [m/s]         surface speed, of a conveyor or of a ring that turns
    reflects                    each side is a disc that bounces by itself, or immovable
Impulses [N·s]:
    normal_impulse              accumulated in the last substep
    friction_impulse            the same along the tangent
    previous_impulse            normal impulse of the substep before
    frame_impulse               sum of the normal impulses in this frame
    reflected_impulse           of this substep's reflection (reflection/); iterations add to it
    impact_impulse              of the last substep on both bodies as rigid bodies (impact.py)
Bounces:
    bounce_speed [m/s]          with which the contact is to part in this substep
    arrival [m²/s²], kick [m/s] kept for the next substep, see bounce.py
    speed_left                  fraction of the speed that restitution left in the reflection
    approach_speed [m/s]        highest one of the frame, without the velocity change by the
                                forces of the substep, see `note_meeting_speed`
"""
ACTIVE_DISC = record(
    *_fields(np.uint32, "particle other contact"),
    *_fields(np.float64, "normal_x normal_y closing_speed effective_mass normal_impulse"),
    *_fields(np.float64, "inverse_effective_mass inverse_mass inverse_mass_other"),
    *_fields(
        np.float64,
        "friction_impulse friction_mass friction arm_ratio surface_yield surface_yield_other",
    ),
    ("reflected_impulse", np.float64),
)
"""An active contact of two discs: the data of an iteration, side by side in memory.

`particle` and `other` are the rows of p and a, `contact` is the number of the contact within its
batch. `closing_speed` [m/s] is the approach speed that the contact allows: what closes the
separation within the substep, less the bounce speed. `inverse_effective_mass` [1/kg] is w_p + w_a,
`inverse_mass` w_p and `inverse_mass_other` w_a. `surface_yield` [1/kg] is r²/I of discs that turn
by themselves, else 0; `arm_ratio` is the distance of the centres over the sum of both radii, see
spin.py. Other fields are as in CONTACT.
"""
ACTIVE_EDGE = record(
    *_fields(np.uint32, "particle edge_a edge_b contact"),
    *_fields(np.float64, "normal_x normal_y closing_speed effective_mass normal_impulse"),
    *_fields(np.float64, "inverse_effective_mass inverse_mass inverse_mass_a inverse_mass_b"),
    *_fields(np.float64, "edge_fraction friction_impulse friction_mass friction"),
    *_fields(np.float64, "tangent_speed torque_arm_x torque_arm_y surface_yield reflected_impulse"),
)
"""An active contact of a particle and an edge; fields as in CONTACT and ACTIVE_DISC."""

ContactRecords = Annotated[np.ndarray, Layout(CONTACT, 1)]
ActiveDiscs = Annotated[np.ndarray, Layout(ACTIVE_DISC, 1)]
ActiveEdges = Annotated[np.ndarray, Layout(ACTIVE_EDGE, 1)]


class ContactArrays(NamedTuple):
    """C contacts. The keys (rows and proxies) are arrays of their own: sorting a new list into
    batches moves them alone.
    """

    rows: Uint32s2  # (C, 3) uint32: rows of p, a and b
    proxies: Integers2
    """(C, 2): body of p and proxy of the edge; proxies from the number of bodies on are static
    edges.
    """
    records: ContactRecords  # (C,) CONTACT


class Rows(NamedTuple):
    """R rows that can touch: particles, then from `offset` on the vertices of static edges."""

    inverse_mass: Floats1
    """(R,) [1/kg] w (1 - drag_share), the inverse mass for contact impulses; 0 for vertices and for
    particles of sleeping bodies.
    """
    radius: Floats1  # (R,) [m]
    predicted: Floats2  # (R, 2) [m/s], velocities at the end of the substep
    surface_yield: Floats1  # (R,) [1/kg] r²/I of discs that turn by themselves, else 0
    surface_speed: Floats1  # (R,) [m/s] r ω of these, see spin.py, else 0
    offset: int  # row of the first vertex


class Walls(NamedTuple):
    """V vertices and E edges of static colliders."""

    # (V, 2) [m]
    vertices: Floats2
    # (V, 2) [m/s], the mean of the substep
    vertex_velocity: Floats2
    # (V, 2, 2) edges that go on at each vertex, see seams/joining.py
    seams: Integers3
    # (E,) [rad/s] of the edge's wall
    angular_velocity: Floats1
    # (E,) [m/s] of conveyors, along the edge
    tangent_speed: Floats1
    # The proxy of static edge 0
    body_count: int


class ParticleArrays(NamedTuple):
    """N particles."""

    # (N, 2) [m]
    position: Floats2
    # (N, 2) [m/s]
    velocity: Floats2
    # (N, 2) [m], before the last move
    previous_position: Floats2
    # (N, 2) [N]
    force: Floats2
    # (N,) [1/kg], 0 for pinned and kinematic particles
    inverse_mass: Floats1
    # (N,) fraction of the velocity by an impulse that drag takes within the substep
    drag_share: Floats1
    # (N,) whether a joint acts on it
    jointed: Flags1
    # (N,) [rad/s] of discs that turn by themselves
    angular_velocity: Floats1
    # (N, 2) [m/s] half of the velocity change by the rotation of its joints in a substep
    turning: Floats2


@inline
def are_discs(rows: np.ndarray, c: int, offset: int) -> bool:
    """True if contact c is one of two discs that are particles; rows (C, 3), offset: see Rows."""
    return rows[c, 1] == rows[c, 2] and rows[c, 0] < offset and rows[c, 1] < offset


@inline
def normal_velocity(
    velocity: np.ndarray, p: int, a: int, b: int, t: float, nx: float, ny: float
) -> float:
    """Return v_n, the velocity of p relative to the edge along n [m/s]; negative on approach.

    velocity (R, 2) [m/s]; p, a, b: rows; t: fraction of the edge; (nx, ny): the normal.
    """
    vx = velocity[p, 0] - (1.0 - t) * velocity[a, 0] - t * velocity[b, 0]
    vy = velocity[p, 1] - (1.0 - t) * velocity[a, 1] - t * velocity[b, 1]
    return vx * nx + vy * ny


@inline
def note_meeting_speed(
    contact: np.ndarray,
    p: int,
    a: int,
    b: int,
    motion: ParticleArrays,
    rows: Rows,
    gravity: np.ndarray,
    dt: float,
) -> None:
    """Store the approach speed of a pushing contact if it is the highest of the frame: games read
    it as the strength of a hit.

    Velocities are taken before the forces of the substep: after them, a resting body would have
    fallen for a substep. In free fall symplectic Euler conserves u (u + f) - 2 f s / dt, with the
    velocity f that gravity adds in a substep and the gap s: so this is the speed at the surface,
    wherever in the substep they meet.
    """
    speed, falls = speed_and_fall(contact, p, motion, rows)
    of_a, falls_a = speed_and_fall(contact, a, motion, rows)
    start = speed - of_a
    falls = falls - falls_a
    if a != b:
        of_b, falls_b = speed_and_fall(contact, b, motion, rows)
        t: float = contact["edge_fraction"]  # type: ignore[assignment]
        start = start + t * (of_a - of_b)
        falls = falls + t * (falls_a - falls_b)
    pull = falls * (gravity[0] * contact["normal_x"] + gravity[1] * contact["normal_y"])
    squared = start * (start + dt * pull) - 2.0 * pull * max(contact["separation"], 0.0)
    fastest = contact["approach_speed"]
    # Most contacts rest: a single branch spares these the root.
    if (start < 0.0) & (squared > fastest * fastest):
        contact["approach_speed"] = math.sqrt(squared)


@inline
def speed_and_fall(
    contact: np.ndarray, row: int, motion: ParticleArrays, rows: Rows
) -> tuple[float, float]:
    """Return how fast a row moves along the normal before the forces of a substep [m/s], and 1 if
    gravity moves it, 0 for vertices of walls and particles of infinite mass.
    """
    nx = contact["normal_x"]
    ny = contact["normal_y"]
    if row >= rows.offset:
        return rows.predicted[row, 0] * nx + rows.predicted[row, 1] * ny, 0.0
    falls = 1.0 if motion.inverse_mass[row] > 0.0 else 0.0
    return motion.velocity[row, 0] * nx + motion.velocity[row, 1] * ny, falls


@inline
def split_impulse(
    nx: float,
    ny: float,
    t: float,
    arm_x: float,
    arm_y: float,
    normal_impulse: float,
    friction_impulse: float,
) -> tuple[float, float, float, float, float, float]:
    """Return the impulses on p, a and b, (x, y) of each [N·s], for a normal and a friction impulse.

    With the couple of friction on a and b: on p λ n + λ_t τ, τ = (-n_y, n_x); on a and b the
    opposite, by 1-t and t, plus and minus λ_t (arm_x, arm_y).
    """
    ix = normal_impulse * nx - friction_impulse * ny
    iy = normal_impulse * ny + friction_impulse * nx
    jx = friction_impulse * arm_x
    jy = friction_impulse * arm_y
    return ix, iy, jx - (1.0 - t) * ix, jy - (1.0 - t) * iy, -jx - t * ix, -jy - t * iy
