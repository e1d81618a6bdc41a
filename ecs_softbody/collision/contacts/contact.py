"""Contacts as records, the groups that their kernels share, and the formulas of sequential impulses
(Catto 2005).

For a contact with coefficients 1, -(1-t), -t on p, a, b, normal n and separation s (negative when
they overlap):

    v_n = (v_p - (1-t) v_a - t v_b)·n,   1/M = w_p + (1-t)² w_a + t² w_b,   w: inverse mass
    normal:   λ = max(0, λ - M (v_n + max(s, 0)/h))    speculative: surfaces may meet, but not pass
    friction: λ_t = clamp(λ_t - M_t (v_t - u), ±μ λ)   u: speed of a conveyor, along (-n_y, n_x)

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
"""A contact of particle p and edge a-b, or of two discs (then a is b).

`normal` points from the edge to p; `separation` [m] is the distance of the surfaces, negative in
overlap. `effective_mass` [kg] and `friction_mass` [kg] are the effective masses along the normal
and the tangent. `normal_impulse` and `friction_impulse` [N·s] are the accumulated impulses of the
last substep, `previous_impulse` is the normal impulse of the substep before, and `frame_impulse`
the sum of normal impulses in the frame. `relative_normal_velocity` [m/s] is negative on approach;
`slop` [m] is the overlap that is not corrected. `edge_fraction` is the position of the closest
point on the edge, from a (0) to b (1). `tangent_speed` [m/s] is the surface speed of a conveyor.
`torque_arm` is the couple on a and b per unit of friction impulse. `bounce_speed` [m/s] is the
separation speed of a bounce in this substep; `arrival` [m²/s²] and `kick` [m/s] are for the next
one, see bounce.py. `approach_speed` [m/s] is the highest approach speed of the frame, without the
velocity change by the forces of the substep, see `note_meeting_speed`. `impact_impulse` [N·s] is
the impulse of the last substep on both bodies as rigid bodies, see impact.py. `active`: at least
one side can move, and this edge is the closest to p. `reflects`: each side is a disc that bounces
by itself, or immovable. `reflected_impulse` [N·s] is the impulse of the reflection in this substep,
see reflection/; the iterations add to it. `speed_left` is the fraction of the speed that
restitution left in the reflection.
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
"""An active contact of two discs: the data of an iteration, contiguous in memory.

`contact` is its number within the batch; `closing_speed` [m/s] is the approach speed that closes
the separation within the substep, less the bounce speed. `surface_yield` [1/kg] is r²/I of discs
that turn by themselves; `arm_ratio`: the distance over both radii, see spin.py.
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
    """C contacts. The keys are arrays of their own: sorting into batches moves them alone."""

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
    offset: int


class Walls(NamedTuple):
    """V vertices and E static edges."""

    # (V, 2) [m]
    vertices: Floats2
    # (V, 2) [m/s], the mean of the substep
    vertex_velocity: Floats2
    # (V, 2, 2) edges that go on at each vertex, see seams/joining.py
    seams: Integers3
    # (E,) [rad/s]
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
    # (N,) [1/kg]
    inverse_mass: Floats1
    # (N,): share of the velocity by an impulse that drag takes
    drag_share: Floats1
    # (N,) whether a joint acts on it
    jointed: Flags1
    # (N,) [rad/s] of discs that turn by themselves
    angular_velocity: Floats1
    # (N, 2) [m/s] half of the velocity change by the rotation of its joints in a substep
    turning: Floats2


@inline
def are_discs(rows: np.ndarray, c: int, offset: int) -> bool:
    """True if contact c is one of two discs that are particles."""
    return rows[c, 1] == rows[c, 2] and rows[c, 0] < offset and rows[c, 1] < offset


@inline
def normal_velocity(
    velocity: np.ndarray, p: int, a: int, b: int, t: float, nx: float, ny: float
) -> float:
    """Return the velocity of p relative to the edge along n [m/s]; negative on approach."""
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
    """Store the approach speed of a pushing contact if it is the highest of the frame.

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
    it falls, else 0.
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
    """Return the impulses (x, y) on p, a and b of one along and across the normal, with the couple
    of friction.
    """
    ix = normal_impulse * nx - friction_impulse * ny
    iy = normal_impulse * ny + friction_impulse * nx
    jx = friction_impulse * arm_x
    jy = friction_impulse * arm_y
    return ix, iy, jx - (1.0 - t) * ix, jy - (1.0 - t) * iy, -jx - t * ix, -jy - t * iy
