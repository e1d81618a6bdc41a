"""Wall motion: static colliders that move along and turn, exactly."""

from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Floats2, Uint32s1
from ecs_softbody.elementary.angles import cos_sin, sin
from ecs_softbody.parallel.compiling import entry


class WallMotion(NamedTuple):
    """Columns (S,) or (S, 2) of StaticCollider: wall s has the vertices [first[s], last[s])."""

    first: Uint32s1
    last: Uint32s1
    velocity: Floats2
    angular_velocity: Floats1
    pivot: Floats2
    angle: Floats1


@entry
def find_vertex_velocities(
    vertices: Floats2, walls: WallMotion, dt: float, vertex_velocity: Floats2
) -> None:
    """Write the velocities (V, 2) that bring the vertices to where they will be after a substep.

    These are chords of the arcs, so that a point which follows the velocity stays on the edge
    exactly.
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
    """Move and turn the vertices of every static collider.

    A vertex is pivot + R(angle) arm, so that rounding never adds up to a change of shape. Where
    that differs from the present vertex, a game has written the vertex or the pivot, and the arm is
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
