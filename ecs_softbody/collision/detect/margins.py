"""Margins: how far ahead of touching a search finds contacts, so that it need not run every
substep.

Speculative contacts (Catto, Box2D) are found before surfaces touch: two proxies (bodies or static
edges) closer than the sum of their margins get contacts. No contact is missed while neither has
moved further than its own margin since the search; margin_check.py watches this. A search calls
`find_bounds` for boxes of the largest size, the broad phase for pairs of them, and `set_margins`,
which knows from the pairs which bodies have others near.

    margin = clamp(time x speed of the fastest particle, least, most)

    (a margin lasts for `time` at the present speed; a radius is the body's thickest one)

    shape         time              least                most
    outline       2.5 frames        1 cm or 1 radius     2 radii; no other body near: half its width
    single disc   2.5 x 2.4 frames  1 cm or 0.2 radii    1.5 radii, or 1.25 substeps x speed
    disc set      2.5 frames        1 cm or 0.2 radii    1 radius, or 1.25 substeps x speed

The most keeps crowds from finding far too many contacts, and points from keeping an edge that is no
longer the closest. As soon as one body outruns its margin, all contacts are searched again: so no
margin lasts much longer than the first one to be outrun, and a crowd has no more contacts than it
needs until then.

For bodies that outrun their margin within a substep, contacts are searched in every substep. Its
reach, 1.25 substeps x speed, is how far it may go until the next search: within it a point meets
every edge that its path hits (edges.py).
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2, Uint32s1
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.collision.detect.wall_motion import WallMotion
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.box import overlaps
from ecs_softbody.geometry.outlines import DISCS, Shapes
from ecs_softbody.parallel.compiling import entry, inline, kernel
from ecs_softbody.parallel.stage_runner import run_chunks

LEAST_MARGIN = 0.01
"""Smallest margin [m]."""
LEAST_OF_DISCS = 0.2
"""Smallest margin of discs, over the radius."""
LEAST_OF_OUTLINE = 1.0
"""Smallest margin of an outline, over the radius: resting bodies tremble, and have few neighbours
to gain.
"""
MARGIN_FRAMES = 2.5
"""Frames that a margin lasts at constant speed. Wider ones find more contacts, narrower ones are
outrun sooner.
"""
DISC_FRAMES = 2.4
"""A single disc, which has few neighbours, gets this many times the frames."""
MOST_OF_OUTLINE = 2.0
"""Largest margin of an outline over its radius: a point keeps the edge that was closest at the
search, and further on another one may be.
"""
MOST_OF_LONELY = 0.5
"""Largest margin of an outline with no other body near, over its width: walls need no
closest edge.
"""
MOST_OF_DISC = 1.5
"""Largest margin of a single disc over its radius, unless it is faster than `SUBSTEPS_AHEAD`."""
MOST_OF_DISCS = 1.0
"""Largest margin of a body of several discs over its thickest radius, with the same exception."""
LASTING = 1.25
"""No margin lasts longer than this multiple of the time after which the first body outruns its
largest margin: then all contacts are searched again. Without the limit one body that fell into a
heap of 1000 blobs caused 25,000 contacts where 15,000 were enough, and frames took 1.4 times as
long.
"""
SUBSTEPS_AHEAD = 1.25
"""Substeps that the margin of discs, and the reach of outlines, last at constant speed."""
CHUNKS = 16
"""Parts into which the bodies are divided for threads, which take one after the other."""


class Bounds(NamedTuple):
    """Boxes and margins of I proxies, the first B of them bodies, as they were at the
    last search.
    """

    box: Floats2
    """(I, 4) low x, low y, high x, high y [m], grown by radius and margin.

    A body with a NaN has no finite box.
    """
    # (I,) how far a proxy may move until the next search [m]
    margin: Floats1
    # (B,) how far a body may move in the coming substep, if that is more than its margin [m]
    reach: Floats1
    # (B,) how far the particles of a body may move relative to their mean [m]
    own_margin: Floats1
    # (B,) largest radius of its points [m]
    thickness: Floats1
    # (B,) whether another body is near, one of them with edges
    crowded: Flags1


class ParticleSpans(NamedTuple):
    """Body i has the particles [particle_first[i], particle_last[i]); for B bodies."""

    particle_first: Uint32s1
    particle_last: Uint32s1


class Bounding(NamedTuple):
    """Input and output of `find_bounds`, for particles with `velocity` (N, 2) [m/s]."""

    shapes: Shapes
    velocity: Floats2
    spans: ParticleSpans
    # [s] time that margins should last
    seconds: float
    # [s] time that the margins of discs, and the reach of outlines, last
    least_seconds: float
    bounds: Bounds


@entry
def find_bounds(task: Bounding, team: Integers1, job: int, worker_index: int) -> None:
    """Job: write the boxes of all bodies at their largest size, and the inputs of `set_margins`.

    Until `set_margins` runs, three arrays of Bounds hold other things: `margin` the largest speed
    of a particle [m/s], `own_margin` the largest one relative to their mean [m/s], and `reach` by
    how much the boxes were grown [m].
    """
    run_chunks(team, job, worker_index, CHUNKS, bound_chunk, task)


@inline
def bound_chunk(stage: int, chunk: int, worker_index: int, task: Bounding) -> None:
    """Do the work of `find_bounds` for one chunk of the bodies."""
    shapes = task.shapes
    spans = task.spans
    bounds = task.bounds
    velocity = task.velocity
    position = shapes.position
    radius = shapes.radius
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first
    last = outlines.last
    box = bounds.box
    begin = first.shape[0] * chunk // CHUNKS
    end = first.shape[0] * (chunk + 1) // CHUNKS
    for b in range(begin, end):
        low_x = math.inf
        low_y = math.inf
        high_x = -math.inf
        high_y = -math.inf
        thickest = 0.0
        total = 0.0
        for k in range(first[b], last[b]):
            x = position[points[k], 0]
            y = position[points[k], 1]
            r = radius[points[k]]
            # min and max, which care for NaN, would cost several times as much here.
            low_x = x - r if x - r < low_x else low_x
            low_y = y - r if y - r < low_y else low_y
            high_x = x + r if x + r > high_x else high_x
            high_y = y + r if y + r > high_y else high_y
            thickest = r if r > thickest else thickest
            total += x + y
        fastest, own = fastest_speeds(velocity, spans.particle_first[b], spans.particle_last[b])
        speed = math.sqrt(fastest)
        is_single = spans.particle_last[b] - spans.particle_first[b] == 1
        if outlines.kind[b] != DISCS:
            most = max(
                MOST_OF_OUTLINE * thickest, MOST_OF_LONELY * max(high_x - low_x, high_y - low_y)
            )
            reach = max(min(speed * task.seconds, most), speed * task.least_seconds)
        else:
            most = max(
                (MOST_OF_DISC if is_single else MOST_OF_DISCS) * thickest,
                speed * task.least_seconds,
            )
            reach = min((DISC_FRAMES if is_single else 1.0) * (speed * task.seconds), most)
        reach = max(reach, least_margin(thickest, outlines.kind[b]))
        bounds.margin[b] = speed
        bounds.own_margin[b] = math.sqrt(own)
        bounds.thickness[b] = thickest
        bounds.reach[b] = reach
        # The comparisons above pass over NaN. A box with NaN overlaps none, so the body is found by
        # no pair.
        if not math.isfinite(total):
            reach = math.nan
        box[b, 0] = low_x - reach
        box[b, 1] = low_y - reach
        box[b, 2] = high_x + reach
        box[b, 3] = high_y + reach


@kernel
def fastest_speeds(velocity: np.ndarray, start: int, stop: int) -> tuple[float, float]:
    """Return the largest squared speed [m²/s²] of the particles [start, stop), and the largest
    squared speed relative to their mean.
    """
    vx = 0.0
    vy = 0.0
    fastest = 0.0
    own = 0.0
    for p in range(start, stop):
        vx += velocity[p, 0]
        vy += velocity[p, 1]
        squared = velocity[p, 0] * velocity[p, 0] + velocity[p, 1] * velocity[p, 1]
        fastest = squared if squared > fastest else fastest
    count = stop - start
    if count < 2:
        return fastest, 0.0
    vx = vx / count
    vy = vy / count
    for p in range(start, stop):
        x = velocity[p, 0] - vx
        y = velocity[p, 1] - vy
        own = x * x + y * y if x * x + y * y > own else own
    return fastest, own


@entry
def set_margins(pairs: Integers2, task: Bounding) -> int:
    """Write the margins of all bodies, shrink the boxes to them, and keep overlapping pairs.

    pairs (P, 2): pairs of overlapping boxes of the largest size. Return the number of pairs kept.
    The steps: see which bodies have another body near, one of them with edges (`crowded`); find the
    time after which the first body outruns its largest margin; give all bodies margins for at most
    LASTING times that; shrink the boxes.
    """
    bounds = task.bounds
    outlines = task.shapes.outlines
    least_seconds = task.least_seconds
    lasting = math.inf
    box = bounds.box
    kind = outlines.kind
    body_count = outlines.first.shape[0]
    bounds.crowded[:] = False
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        j = pairs[k, 1]
        if j < body_count and (kind[i] != DISCS or kind[j] != DISCS):
            bounds.crowded[i] = bounds.crowded[j] = True
    for b in range(body_count):
        most = largest_margin(bounds, kind, b)
        speed = bounds.margin[b]
        if outlines.first[b] < outlines.last[b] and most < lasting * speed:
            lasting = most / speed
    lasting = max(LASTING * lasting, least_seconds)
    for b in range(body_count):
        speed = bounds.margin[b]
        most = largest_margin(bounds, kind, b)
        thickness = bounds.thickness[b]
        is_single = task.spans.particle_last[b] - task.spans.particle_first[b] == 1
        seconds = min(
            DISC_FRAMES * task.seconds if is_single and kind[b] == DISCS else task.seconds, lasting
        )
        margin = max(min(speed * seconds, most), least_margin(thickness, kind[b]))
        reach = max(margin, speed * least_seconds)
        # Boxes were as large as margins may be, since these depend on which bodies are near.
        spare = bounds.reach[b] - reach
        bounds.margin[b] = margin
        bounds.reach[b] = reach
        bounds.own_margin[b] = max(LEAST_MARGIN, min(bounds.own_margin[b] * seconds, margin))
        box[b, 0], box[b, 1] = box[b, 0] + spare, box[b, 1] + spare
        box[b, 2], box[b, 3] = box[b, 2] - spare, box[b, 3] - spare
    kept: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        j = pairs[k, 1]
        if overlaps(box, i, j):
            pairs[kept, 0] = i
            pairs[kept, 1] = j
            kept += 1
    return kept


@inline
def least_margin(thickness: float, kind: int) -> float:
    """Return the smallest margin of a body [m]."""
    return max(LEAST_MARGIN, (LEAST_OF_DISCS if kind == DISCS else LEAST_OF_OUTLINE) * thickness)


@inline
def largest_margin(bounds: Bounds, kind: np.ndarray, b: int) -> float:
    """Return the largest margin that body b may have [m].

    That is by how much `find_bounds` has grown its box; less for an outline near another body,
    where a point needs the edge that is closest to it.
    """
    if kind[b] != DISCS and bounds.crowded[b]:
        return min(bounds.reach[b], max(LEAST_MARGIN, MOST_OF_OUTLINE * bounds.thickness[b]))
    return bounds.reach[b]


@entry
def find_edge_bounds(
    walls: WallEdges,
    motion: WallMotion,
    shapes: Shapes,
    bounds: Bounds,
    travel: Floats1,
    offset: int,
    seconds: float,
) -> None:
    """Write box and margin of every static edge, and to `travel` (V,) how far each vertex moves in
    the given seconds at most [m].

    That is seconds (|v| + |ω| r), r from the wall's pivot; an edge's margin is the greater one of
    its ends. offset: row of the first vertex in `shapes`.
    """
    position = shapes.position
    radius = shapes.radius
    box = bounds.box
    body_count = bounds.own_margin.shape[0]
    for e in range(walls.ends.shape[0]):
        a = walls.ends[e, 0]
        b = walls.ends[e, 1]
        s = walls.wall[e]
        i = body_count + e
        speed = hypot(motion.velocity[s, 0], motion.velocity[s, 1])
        rate = abs(motion.angular_velocity[s])
        pivot_x = motion.pivot[s, 0]
        pivot_y = motion.pivot[s, 1]
        travel[a - offset] = seconds * (
            speed + rate * hypot(position[a, 0] - pivot_x, position[a, 1] - pivot_y)
        )
        travel[b - offset] = seconds * (
            speed + rate * hypot(position[b, 0] - pivot_x, position[b, 1] - pivot_y)
        )
        bounds.margin[i] = max(travel[a - offset], travel[b - offset])
        grown = radius[a] + bounds.margin[i]
        box[i, 0] = min(position[a, 0], position[b, 0]) - grown
        box[i, 1] = min(position[a, 1], position[b, 1]) - grown
        box[i, 2] = max(position[a, 0], position[b, 0]) + grown
        box[i, 3] = max(position[a, 1], position[b, 1]) + grown
