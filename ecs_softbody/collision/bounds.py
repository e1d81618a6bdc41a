"""Bounds: how far things may go before contacts have to be looked for again, and whether they have gone that far.

The contacts of two items are found as far ahead as both margins together. As long as neither has gone further than its
own margin from where it was then, none is missed, however long that takes.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

LEAST_MARGIN = 0.01
"""Contacts are found this far [m] ahead at least, ..."""
LEAST_SHARE = 0.2
"""... by bodies without outlines this share of their reach, ..."""
MARGIN_FRAMES = 2.5
"""... and as far as a body goes in this many frames, ..."""
DISC_FRAMES, DISC_MARGIN = 2.4, 1.5
"""... by a single particle in so many times as many, at most this share of its reach (but see SUBSTEPS_AHEAD): it has
few neighbours, while a crowd of them that falls would have far too many, ..."""
LARGEST_MARGIN = 2.0
"""... by outlines at most this share of their reach, since a point keeps the edge that was closest, ..."""
CLOUD_MARGIN = 1.0
SUBSTEPS_AHEAD = 1.25
"""... and by other bodies of several particles this share of it, or as far as they go in so many substeps: a larger
margin would find far too many."""
LARGEST_SLIDE = 0.02
"""When a frame begins, an outline that has gone further than this share of its reach gets the edges that are closest
now: beyond the end of an edge a contact would push aslant."""


@lean
def find_bounds(
    position: np.ndarray,
    velocity: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    seconds: float,
    least_seconds: float,
    box: np.ndarray,
    margin: np.ndarray,
    own_margin: np.ndarray,
    slide: np.ndarray,
) -> None:
    """Write box (B, 4) as low x, low y, high x, high y, grown by reach and margin, and both margins (B,) [m].

    The margin is the way that the fastest particle of the body, one of [start, stop), goes in so many seconds, within
    limits. The own margin is what its particles go relative to each other, `slide` (B,) [m] how far the body may have
    gone when a frame begins. A body with a NaN has no box.
    """
    for b in range(first.shape[0]):
        low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
        thickest, total = 0.0, 0.0
        for k in range(first[b], last[b]):
            x, y, r = position[points[k], 0], position[points[k], 1], reach[points[k]]
            # Plain comparisons: min and max, which care for NaN, cost several times as much here.
            low_x = x - r if x - r < low_x else low_x
            low_y = y - r if y - r < low_y else low_y
            high_x = x + r if x + r > high_x else high_x
            high_y = y + r if y + r > high_y else high_y
            thickest = r if r > thickest else thickest
            total += x + y
        fastest, own = speeds(velocity, start[b], stop[b])
        grown = math.sqrt(fastest) * seconds
        if ringed[b]:
            grown = min(grown, LARGEST_MARGIN * thickest)
        elif stop[b] - start[b] == 1:
            grown = min(DISC_FRAMES * grown, max(DISC_MARGIN * thickest, math.sqrt(fastest) * least_seconds))
        else:
            grown = min(grown, max(CLOUD_MARGIN * thickest, math.sqrt(fastest) * least_seconds))
        grown = max(LEAST_MARGIN, grown, 0.0 if ringed[b] else LEAST_SHARE * thickest)
        margin[b] = grown
        slide[b] = LARGEST_SLIDE * thickest if ringed[b] else grown
        own_margin[b] = max(LEAST_MARGIN, min(math.sqrt(own) * seconds, grown))
        if not math.isfinite(total):
            grown = math.nan
        box[b, 0], box[b, 1] = low_x - grown, low_y - grown
        box[b, 2], box[b, 3] = high_x + grown, high_y + grown


@lean
def speeds(velocity: np.ndarray, start: int, stop: int) -> tuple[float, float]:
    """Return the largest squared speed of the particles [start, stop), and the largest one relative to their mean."""
    vx, vy, fastest, own = 0.0, 0.0, 0.0, 0.0
    for p in range(start, stop):
        vx += velocity[p, 0]
        vy += velocity[p, 1]
        squared = velocity[p, 0] * velocity[p, 0] + velocity[p, 1] * velocity[p, 1]
        fastest = squared if squared > fastest else fastest
    count = stop - start
    if count < 2:
        return fastest, 0.0
    vx, vy = vx / count, vy / count
    for p in range(start, stop):
        x, y = velocity[p, 0] - vx, velocity[p, 1] - vy
        own = x * x + y * y if x * x + y * y > own else own
    return fastest, own


@lean
def find_edge_bounds(
    edges: np.ndarray,
    slot: np.ndarray,
    place: np.ndarray,
    offset: int,
    reach: np.ndarray,
    velocity: np.ndarray,
    angular_velocity: np.ndarray,
    pivot: np.ndarray,
    seconds: float,
    body_count: int,
    box: np.ndarray,
    margin: np.ndarray,
    way: np.ndarray,
) -> None:
    """Write box and margin of every static edge, and the way (V,) [m] that each vertex goes in that time at most."""
    for e in range(edges.shape[0]):
        a, b, s, i = edges[e, 0], edges[e, 1], slot[e], body_count + e
        speed, spin = math.hypot(velocity[s, 0], velocity[s, 1]), abs(angular_velocity[s])
        way[a - offset] = seconds * (speed + spin * math.hypot(place[a, 0] - pivot[s, 0], place[a, 1] - pivot[s, 1]))
        way[b - offset] = seconds * (speed + spin * math.hypot(place[b, 0] - pivot[s, 0], place[b, 1] - pivot[s, 1]))
        margin[i] = max(way[a - offset], way[b - offset])
        grown = reach[a] + margin[i]
        box[i, 0], box[i, 1] = min(place[a, 0], place[b, 0]) - grown, min(place[a, 1], place[b, 1]) - grown
        box[i, 2], box[i, 3] = max(place[a, 0], place[b, 0]) + grown, max(place[a, 1], place[b, 1]) + grown


@lean
def spread_margins(
    slots: np.ndarray, start: np.ndarray, stop: np.ndarray, margin: np.ndarray, slide: np.ndarray, limits: np.ndarray
) -> None:
    """Write the squares of margin and slide [m²] of every body to its rows [start, stop) of `limits` (2, N).

    The rows of all others, not in `slots`, may go anywhere.
    """
    limits[:] = math.inf
    for i in slots:
        for p in range(start[i], stop[i]):
            limits[0, p], limits[1, p] = margin[i] * margin[i], slide[i] * slide[i]


@lean
def has_outrun(
    active: np.ndarray,
    slots: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    self_collision: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    place: np.ndarray,
    limits: np.ndarray,
    own_margin: np.ndarray,
    dt: float,
    new_frame: bool,
) -> bool:
    """Tell whether a body is further than its margin from where it was, or its particles from each other.

    The coming substep counts as well, at the velocity now. In a new frame the slide counts in place of the margin,
    see `spread_margins`. slots: the bodies that move; each has the particles [start, stop), which lie in the spans of
    rows `active` (S, 2).
    """
    now, motion, then, limit, outrun = position.reshape(-1), velocity.reshape(-1), place.reshape(-1), limits[0], False
    if new_frame:
        limit = limits[1]
    for span in range(active.shape[0]):
        first, last = active[span, 0], active[span, 1]
        both = slice(2 * first, 2 * last)
        outrun |= any_beyond(now[both], motion[both], then[both], limit[first:last], dt)
    for k in range(slots.shape[0]):
        i = slots[k]
        if outrun and start[i] < stop[i]:
            row, both = slice(start[i], stop[i]), slice(2 * start[i], 2 * stop[i])
            if any_beyond(now[both], motion[both], then[both], limit[row], dt) and is_finite(
                position, start[i], stop[i]
            ):
                return True
        if self_collision[i] and has_folded(start[i], stop[i], position, velocity, place, dt, own_margin[i]):
            return True
    return False


@lean
def any_beyond(now: np.ndarray, motion: np.ndarray, then: np.ndarray, limit: np.ndarray, dt: float) -> bool:
    """Tell whether a particle is, or will be after dt, further from `then` than the root of its limit (N,) [m²].

    The others hold x and y in turn, (2 N,). It does not stop at the first one: several are compared by one instruction.
    """
    beyond = 0
    for p in range(len(limit)):
        x, y = now[2 * p] - then[2 * p], now[2 * p + 1] - then[2 * p + 1]
        next_x, next_y = x + dt * motion[2 * p], y + dt * motion[2 * p + 1]
        within = (x * x + y * y <= limit[p]) & (next_x * next_x + next_y * next_y <= limit[p])
        beyond |= 0 if within else 1
    return beyond != 0


@lean
def is_finite(position: np.ndarray, start: int, stop: int) -> bool:
    """Tell whether the particles [start, stop) are anywhere."""
    for p in range(start, stop):
        if not (math.isfinite(position[p, 0]) and math.isfinite(position[p, 1])):
            return False
    return True


@lean
def has_folded(
    start: int, stop: int, position: np.ndarray, velocity: np.ndarray, place: np.ndarray, dt: float, far: float
) -> bool:
    """Tell whether one of the particles [start, stop) has gone further than `far` [m] relative to their mean."""
    mean_x, mean_y, count = 0.0, 0.0, stop - start
    for p in range(start, stop):
        mean_x += (position[p, 0] + dt * velocity[p, 0] - place[p, 0]) / count
        mean_y += (position[p, 1] + dt * velocity[p, 1] - place[p, 1]) / count
    limit, folded = far * far, False
    for p in range(start, stop):
        x = position[p, 0] + dt * velocity[p, 0] - place[p, 0] - mean_x
        y = position[p, 1] + dt * velocity[p, 1] - place[p, 1] - mean_y
        folded |= x * x + y * y > limit
    return folded


@lean
def have_walls_outrun(
    vertices: np.ndarray, vertex_velocity: np.ndarray, place: np.ndarray, offset: int, dt: float, way: np.ndarray
) -> bool:
    """Tell whether a vertex of a wall will be further from where it was than it was thought to go."""
    outrun = False
    for v in range(vertices.shape[0]):
        x = vertices[v, 0] + dt * vertex_velocity[v, 0] - place[offset + v, 0]
        y = vertices[v, 1] + dt * vertex_velocity[v, 1] - place[offset + v, 1]
        outrun |= x * x + y * y > way[v] * way[v]
    return outrun
