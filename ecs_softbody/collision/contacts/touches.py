"""Touches: what single bodies touch, by the contacts of the last substep; characters ask for it.

A touch is a contact seen from one body, with the normal towards that body. Another kernel marks the
particles that contacts pushed.
"""

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1
from ecs_softbody.collision.contacts.contact import ContactArrays
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, kernel

NEAR = 0.002
"""Surfaces nearer than this [m] touch, whether they push or not."""
LEAST_WEIGHT = 1e-9
"""Added to the impulse [N·s] that weights a touch: touches that do not push have a mean, too."""
NORMAL, WEIGHT, POINT, CONVEYOR, RESTITUTION = slice(0, 2), 2, slice(3, 5), slice(5, 7), 7
"""Columns of the numbers of a touch: the normal points to the body, the weight is the impulse of
the frame [N·s], the point [m] is where it touches, the conveyor the velocity of the surface over
its body [m/s].
"""
NUMBERS = 8
"""Number of these columns."""
GROUND = 1
"""Flag of a touch of a character: the surface carries the character."""
WALL = 2
"""Flag of a touch of a character: the surface is beside the character."""
STEEP = 4
"""Flag of a touch of a character: the surface is too steep to walk on."""


@entry
def find_touches(
    slots: Integers1,
    contacts: ContactArrays,
    position: Floats2,
    entities: Integers1,
    vertices: Floats2,
    edges: WallEdges,
    walls: Integers1,
    tangent_speed: Floats1,
    offset: int,
    found: Integers1,
    numbers: Floats2,
    stop: Integers1,
) -> None:
    """Write the touches of the bodies `slots` (K,), one body after the other; body k ends at
    stop[k].

    Written: found (T,), the entity that is touched, and numbers (T, NUMBERS). Room for T = 2 C
    touches is enough for C contacts. entities (B,), walls (S,): entities of the slots of bodies and
    of walls. tangent_speed (E,) [m/s]: of conveyors. offset: row of the first of the `vertices`.
    """
    proxies = contacts.proxies
    rows = contacts.rows
    body_count = entities.shape[0]
    n = 0
    for k in range(slots.shape[0]):
        slot = slots[k]
        for c in range(proxies.shape[0]):
            first = proxies[c, 0]
            second = proxies[c, 1]
            contact = contacts.records[c]
            if first == second or slot not in (first, second):
                continue
            if contact["frame_impulse"] <= 0.0 and not (
                contact["active"] and contact["separation"] < NEAR
            ):
                continue
            row: int = np.int64(rows[c, 0])  # type: ignore[assignment]  # a point, or the corner of a wall
            sign = 1.0 if first == slot and row < offset else -1.0
            other = second if first == slot else first
            found[n] = (
                entities[other] if other < body_count else walls[edges.wall[other - body_count]]
            )
            numbers[n, 0] = sign * contact["normal_x"]
            numbers[n, 1] = sign * contact["normal_y"]
            numbers[n, WEIGHT] = contact["frame_impulse"] + LEAST_WEIGHT
            numbers[n, RESTITUTION] = contact["restitution"]
            for axis in range(2):
                numbers[n, 3 + axis] = (
                    position[row, axis] if row < offset else vertices[row - offset, axis]
                )
                numbers[n, 5 + axis] = 0.0
            if other >= body_count and tangent_speed[other - body_count] != 0.0:
                run_along(other - body_count, vertices, edges, tangent_speed, offset, numbers[n])
            n += 1
        stop[k] = n


@kernel
def run_along(
    e: int,
    vertices: np.ndarray,
    edges: WallEdges,
    tangent_speed: np.ndarray,
    offset: int,
    touch: np.ndarray,
) -> None:
    """Write the velocity of a conveyor: along its edge, or where that is a point, across the
    normal.
    """
    a: int = np.int64(edges.ends[e, 0]) - offset  # type: ignore[assignment]
    b: int = np.int64(edges.ends[e, 1]) - offset  # type: ignore[assignment]
    x = vertices[b, 0] - vertices[a, 0]
    y = vertices[b, 1] - vertices[a, 1]
    if x == 0.0 and y == 0.0:
        x = -touch[1]
        y = touch[0]
    length = hypot(x, y)
    touch[5] = tangent_speed[e] * x / length
    touch[6] = tangent_speed[e] * y / length


@entry
def sort_touches(
    stop: Integers1,
    numbers: Floats2,
    up: Floats2,
    least: Floats1,
    limits: Floats1,
    place: Integers1,
    stands: Integers1,
) -> None:
    """Write to `place` (T,) which of GROUND, WALL and STEEP each touch of a character is.

    The height of a normal is its component along `up` (K, 2), the cosine of the slope. limits (3,):
    least height of ground; greatest height of walls, up or down; and the fraction of the load from
    which on the surfaces that are not too steep are ground alone. least (K,): least height of
    ground that is not too steep for each body. stop (K,): see `find_touches`. stands (K,): 1 for a
    body whose ground is not too steep in the mean, weighted by load.
    """
    support = limits[0]
    side = limits[1]
    enough = limits[2]
    first = 0
    for k in range(stop.shape[0]):
        below = 0.0
        walkable = 0.0
        for n in range(first, stop[k]):
            height = numbers[n, 0] * up[k, 0] + numbers[n, 1] * up[k, 1]
            place[n] = WALL if abs(height) <= side else 0
            if height > support:
                place[n] += GROUND
                below += numbers[n, WEIGHT]
            if height > support and height >= least[k]:
                walkable += numbers[n, WEIGHT]
            else:
                place[n] += STEEP
        height = mean_height(first, stop[k], numbers, place, up[k])
        if below > 0.0 and height < least[k] and walkable / below >= enough:
            for n in range(first, stop[k]):
                place[n] -= GROUND if place[n] & GROUND and place[n] & STEEP else 0
            height = mean_height(first, stop[k], numbers, place, up[k])
        stands[k] = 1 if below > 0.0 and height >= least[k] else 0
        first = stop[k]


@kernel
def mean_height(
    first: int, last: int, numbers: np.ndarray, place: np.ndarray, up: np.ndarray
) -> float:
    """Return the height of the mean normal, weighted by load, of the ground among the touches
    [first, last): its component along `up` (2,).
    """
    x = 0.0
    y = 0.0
    for n in range(first, last):
        if place[n] & GROUND:
            x += numbers[n, WEIGHT] * numbers[n, 0]
            y += numbers[n, WEIGHT] * numbers[n, 1]
    length = max(hypot(x, y), 1e-300)
    return x / length * up[0] + y / length * up[1]


@entry
def mean_normal(numbers: Floats2, normal: Floats1) -> None:
    """Write to `normal` (2,) the mean direction of touches (T, NUMBERS), weighted by load."""
    x = 0.0
    y = 0.0
    for n in range(numbers.shape[0]):
        x += numbers[n, WEIGHT] * numbers[n, 0]
        y += numbers[n, WEIGHT] * numbers[n, 1]
    length = max(hypot(x, y), 1e-300)
    normal[0] = x / length
    normal[1] = y / length


@entry
def mark_pushed(contacts: ContactArrays, pushed: Flags1, offset: int) -> None:
    """Mark in `pushed` (N,) the particles that a contact pushed in the last substep, as point or as
    an end of the edge; rows from `offset` on are vertices of walls.
    """
    for c in range(contacts.rows.shape[0]):
        if contacts.records[c]["normal_impulse"] > 0.0:
            for k in range(3):
                if contacts.rows[c, k] < offset:
                    pushed[contacts.rows[c, k]] = True
