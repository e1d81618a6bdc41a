"""Wall motion: kernels that move static colliders by their velocities, such as platforms.

A wall turns about its pivot and moves along: a vertex is pivot + R(angle) arm. Contacts read the
mean velocity of every vertex in the coming substep (`find_vertex_velocities`); after the bodies
have moved, the walls do (`move_vertices`).
"""

from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Floats2, Uint32s1
from ecs_softbody.elementary.angles import cos_sin, sin
from ecs_softbody.parallel.compiling import entry


class WallMotion(NamedTuple):
    """Columns of StaticCollider, for S walls."""

    first: Uint32s1  # (S,) wall s has the vertices [first[s], last[s])
    last: Uint32s1
    velocity: Floats2  # (S, 2) [m/s]
    angular_velocity: Floats1  # (S,) [rad/s]
    pivot: Floats2  # (S, 2) [m], the point that it turns about, moved with it
    angle: Floats1  # (S,) [rad] of the wall: turns its arms, which are stored at angle 0


@entry
def find_vertex_velocities(
    vertices: Floats2, walls: WallMotion, dt: float, vertex_velocity: Floats2
) -> None:
    """Write the velocities (V, 2) [m/s] that bring the vertices to where they will be after a
    substep.

    These are chords of the arcs, v + (R(ω dt) - 1) arm / dt, so that a point which follows the
    velocity stays on the edge exactly. cos a - 1 is -2 sin²(a/2), which loses no digits.
    """
    velocity = walls.velocity
    pivot = walls.pivot
    for s in range(walls.first.shape[0]):
        half = sin(0.5 * dt * walls.angular_velocity[s])
        ahead = -2.0 * half * half / dt
        across = sin(dt * walls.angular_velocity[s]) / dt
        for v in range(walls.first[s], walls.last[s]):
            x = vertices[v, 0] - pivot[s, 0]
            y = vertices[v, 1] - pivot[s, 1]
            vertex_velocity[v, 0] = velocity[s, 0] + ahead * x - across * y
            vertex_velocity[v, 1] = velocity[s, 1] + across * x + ahead * y


@entry
def move_vertices(vertices: Floats2, arm: Floats2, walls: WallMotion, dt: float) -> None:
    """Move and turn the vertices (V, 2) of every static collider by one substep.

    Each time, a vertex is computed as pivot + R(angle) arm, so that rounding never adds up to a
    change of shape. arm (V, 2) [m]: from the pivot to each vertex, at angle 0. Where the present
    vertex differs from that formula, a game has written the vertex or the pivot, and the arm is
    recomputed.
    """
    velocity = walls.velocity
    angular_velocity = walls.angular_velocity
    pivot = walls.pivot
    angle = walls.angle
    for s in range(walls.first.shape[0]):
        if velocity[s, 0] == 0.0 and velocity[s, 1] == 0.0 and angular_velocity[s] == 0.0:
            continue
        cosine, sine = cos_sin(angle[s])
        for v in range(walls.first[s], walls.last[s]):
            x = vertices[v, 0] - pivot[s, 0]
            y = vertices[v, 1] - pivot[s, 1]
            same_x = vertices[v, 0] == pivot[s, 0] + (cosine * arm[v, 0] - sine * arm[v, 1])
            if not same_x or vertices[v, 1] != pivot[s, 1] + (
                sine * arm[v, 0] + cosine * arm[v, 1]
            ):
                arm[v, 0] = cosine * x + sine * y
                arm[v, 1] = cosine * y - sine * x
        angle[s] += dt * angular_velocity[s]
        pivot[s, 0] += dt * velocity[s, 0]
        pivot[s, 1] += dt * velocity[s, 1]
        cosine, sine = cos_sin(angle[s])
        for v in range(walls.first[s], walls.last[s]):
            vertices[v, 0] = pivot[s, 0] + (cosine * arm[v, 0] - sine * arm[v, 1])
            vertices[v, 1] = pivot[s, 1] + (sine * arm[v, 0] + cosine * arm[v, 1])
