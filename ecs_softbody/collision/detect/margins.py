"""Margins: how far ahead contacts are found, and whether a body has moved further than that since.

Speculative contacts (Catto, Box2D) are found before surfaces touch: two proxies closer than the sum of their margins
get contacts. No contact is missed while neither has moved further than its own margin since the search.

    margin = clamp(frames x frame time x speed of the fastest particle, least, most)

    shape         frames      least                most
    outline       2.5         1 cm                 2 radii
    single disc   2.5 x 2.4   1 cm or 0.2 radii    1.5 radii, or 1.25 substeps x speed
    disc set      2.5         1 cm or 0.2 radii    1 radius, or 1.25 substeps x speed

The most keeps crowds from finding far too many contacts, and points from keeping an edge that is no longer the closest.

What is faster than its margin in a substep has contacts found in every substep. Its reach, 1.25 substeps x speed, is
how far it may go until the next search: within it a point meets every edge that its path hits (edges.py).
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2, Uint32s1
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.collision.detect.wall_motion import WallMotion
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.outlines import DISCS, Shapes
from ecs_softbody.parallel.compiling import entry, inline, kernel
from ecs_softbody.parallel.stage_runner import run_job, run_stage

LEAST_MARGIN = 0.01
"""Smallest margin [m]."""
LEAST_OF_DISCS = 0.2
"""Smallest margin of discs over their radius."""
MARGIN_FRAMES = 2.5
"""Frames that a margin lasts at constant speed."""
DISC_FRAMES = 2.4
"""A single disc, which has few neighbours, gets this many times the frames."""
MOST_OF_OUTLINE = 2.0
"""Largest margin of an outline over its radius."""
MOST_OF_DISC = 1.5
"""Largest margin of a single disc over its radius, unless it is faster than `SUBSTEPS_AHEAD`."""
MOST_OF_DISCS = 1.0
"""The same of a body of several discs."""
LASTING = 1.25
"""No margin lasts longer than this many times the largest margin of the body that outruns its own first: then all
contacts are found anew."""
SUBSTEPS_AHEAD = 1.25
"""Substeps that the margin of discs, and the reach of outlines, last."""
LARGEST_SLIDE = 0.02
"""When a frame begins, an outline that has moved further than this share of its radius gets the closest edges anew:
beyond the end of an edge a contact would push aslant."""
CHUNKS = 16
"""Chunks of bodies, for several threads."""


class Bounds(NamedTuple):
    """Boxes and margins of I proxies, the first B of them bodies, as they were at the last search."""

    box: Floats2
    """(I, 4) low x, low y, high x, high y [m], grown by radius and margin. A body with a NaN has no finite box."""
    margin: Floats1  # (I,) how far a proxy may move until the next search [m]
    reach: Floats1  # (B,) how far a body may move in the coming substep, if that is more than its margin [m]
    own_margin: Floats1  # (B,) how far the particles of a body may move relative to their mean [m]
    slide: Floats1  # (B,) how far a body may have moved when a frame begins [m]


class ParticleSpans(NamedTuple):
    """Body i has the particles [particle_first[i], particle_last[i])."""

    particle_first: Uint32s1
    particle_last: Uint32s1


class Particles(NamedTuple):
    """Columns (N, 2) of the particles [m, m/s]."""

    position: Floats2
    velocity: Floats2


class LastSearch(NamedTuple):
    """What decides whether contacts have to be found anew; R rows of particles and vertices, B bodies."""

    position: Floats2  # (R, 2) at the last search [m]
    limits: Floats2  # (2, R) squared margin and slide of the row's body [m²], inf for rows that need no watch
    own_margin: Floats1  # (B,) [m]
    self_collision: Flags1  # (B,)


class Bounding(NamedTuple):
    """Input and output of `find_bounds`, for particles with `velocity` (N, 2) [m/s]."""

    shapes: Shapes
    velocity: Floats2
    spans: ParticleSpans
    seconds: float  # Time that margins should last
    least_seconds: float  # Time that the margins of discs, and the reach of outlines, last
    bounds: Bounds


@entry
def find_bounds(task: Bounding, team: Integers1, job: int, worker_index: int) -> None:
    """Job: write box, margins and slide of all bodies."""
    run_job(team, job, worker_index, lead_bounds, measure_chunk, task)


@kernel
def lead_bounds(team: np.ndarray, job: int, task: Bounding) -> None:
    """Measure all bodies, then set their margins."""
    run_stage(team, job, 0, 0, CHUNKS, measure_chunk, task)
    set_margins(task)


@inline
def measure_chunk(stage: int, chunk: int, worker_index: int, task: Bounding) -> None:
    """Write, of a chunk of the bodies, the bare box, and speeds and thickness instead of margins and slide."""
    shapes, spans, bounds, velocity = task.shapes, task.spans, task.bounds, task.velocity
    position, radius, outlines = shapes.position, shapes.radius, shapes.outlines
    points, first, last, box = outlines.points, outlines.first, outlines.last, bounds.box
    begin, end = first.shape[0] * chunk // CHUNKS, first.shape[0] * (chunk + 1) // CHUNKS
    for b in range(begin, end):
        low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
        thickest, total = 0.0, 0.0
        for k in range(first[b], last[b]):
            x, y, r = position[points[k], 0], position[points[k], 1], radius[points[k]]
            # Plain comparisons: min and max, which care for NaN, cost several times as much here.
            low_x = x - r if x - r < low_x else low_x
            low_y = y - r if y - r < low_y else low_y
            high_x = x + r if x + r > high_x else high_x
            high_y = y + r if y + r > high_y else high_y
            thickest = r if r > thickest else thickest
            total += x + y
        fastest, own = fastest_speeds(velocity, spans.particle_first[b], spans.particle_last[b])
        bounds.margin[b], bounds.own_margin[b], bounds.slide[b] = math.sqrt(fastest), math.sqrt(own), thickest
        if not math.isfinite(total):
            low_x = low_y = high_x = high_y = math.nan
        box[b, 0], box[b, 1], box[b, 2], box[b, 3] = low_x, low_y, high_x, high_y


@kernel
def set_margins(task: Bounding) -> None:
    """Write box, margins and slide of all bodies from what was measured."""
    bounds, outlines, spans, least_seconds = task.bounds, task.shapes.outlines, task.spans, task.least_seconds
    box, lasting = bounds.box, math.inf
    for b in range(outlines.first.shape[0]):
        speed, thickest, has_edges = bounds.margin[b], bounds.slide[b], outlines.kind[b] != DISCS
        is_single = spans.particle_last[b] - spans.particle_first[b] == 1
        most = MOST_OF_OUTLINE if has_edges else MOST_OF_DISC if is_single else MOST_OF_DISCS
        most = max(LEAST_MARGIN, most * thickest, 0.0 if has_edges else speed * least_seconds)
        bounds.reach[b] = most
        if outlines.first[b] < outlines.last[b] and speed * lasting > most:
            lasting = most / speed
    lasting = max(LASTING * lasting, least_seconds)
    for b in range(outlines.first.shape[0]):
        speed, thickest, has_edges = bounds.margin[b], bounds.slide[b], outlines.kind[b] != DISCS
        is_single = spans.particle_last[b] - spans.particle_first[b] == 1
        seconds = min(DISC_FRAMES * task.seconds if is_single and not has_edges else task.seconds, lasting)
        margin = min(speed * seconds, bounds.reach[b])
        margin = max(LEAST_MARGIN, margin, 0.0 if has_edges else LEAST_OF_DISCS * thickest)
        reach = max(margin, speed * least_seconds)
        bounds.margin[b], bounds.reach[b] = margin, reach
        bounds.slide[b] = LARGEST_SLIDE * thickest if has_edges else margin
        bounds.own_margin[b] = max(LEAST_MARGIN, min(bounds.own_margin[b] * seconds, margin))
        box[b, 0], box[b, 1] = box[b, 0] - reach, box[b, 1] - reach
        box[b, 2], box[b, 3] = box[b, 2] + reach, box[b, 3] + reach


@kernel
def fastest_speeds(velocity: np.ndarray, start: int, stop: int) -> tuple[float, float]:
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


@entry
def find_edge_bounds(
    walls: WallEdges, motion: WallMotion, shapes: Shapes, bounds: Bounds, travel: Floats1, offset: int,
    seconds: float,
) -> None:  # fmt: skip
    """Write box and margin of every static edge, and how far each vertex travels in that time at most, (V,) [m].

    offset: row of the first vertex in `shapes`.
    """
    position, radius, box, body_count = shapes.position, shapes.radius, bounds.box, bounds.own_margin.shape[0]
    for e in range(walls.ends.shape[0]):
        a, b, s, i = walls.ends[e, 0], walls.ends[e, 1], walls.wall[e], body_count + e
        speed, rate = hypot(motion.velocity[s, 0], motion.velocity[s, 1]), abs(motion.angular_velocity[s])
        pivot_x, pivot_y = motion.pivot[s, 0], motion.pivot[s, 1]
        travel[a - offset] = seconds * (speed + rate * hypot(position[a, 0] - pivot_x, position[a, 1] - pivot_y))
        travel[b - offset] = seconds * (speed + rate * hypot(position[b, 0] - pivot_x, position[b, 1] - pivot_y))
        bounds.margin[i] = max(travel[a - offset], travel[b - offset])
        grown = radius[a] + bounds.margin[i]
        box[i, 0], box[i, 1] = min(position[a, 0], position[b, 0]) - grown, min(position[a, 1], position[b, 1]) - grown
        box[i, 2], box[i, 3] = max(position[a, 0], position[b, 0]) + grown, max(position[a, 1], position[b, 1]) + grown


@entry
def find_limits(slots: Integers1, spans: ParticleSpans, bounds: Bounds, limits: Floats2) -> None:
    """Write the squares of margin and slide [m²] of the bodies `slots` to their rows of `limits`, see LastSearch."""
    limits[:] = math.inf
    for i in slots:
        margin, slide = bounds.margin[i], bounds.slide[i]
        for p in range(spans.particle_first[i], spans.particle_last[i]):
            limits[0, p], limits[1, p] = margin * margin, slide * slide


@entry
def exceeds_margin(
    active: Integers2, slots: Integers1, spans: ParticleSpans, particles: Particles, last: LastSearch, dt: float,
    new_frame: bool,
) -> bool:  # fmt: skip
    """True if a body has moved further than its margin since the last search, or its particles relative to each other.

    The coming substep counts as well, at the present velocity. In a new frame the slide counts instead of the margin.
    slots: the bodies that move; their particles lie in the spans of rows `active` (S, 2).
    """
    position, velocity = particles.position, particles.velocity
    now, motion, then, beyond = position.reshape(-1), velocity.reshape(-1), last.position.reshape(-1), False
    limit = last.limits[0]
    if new_frame:
        limit = last.limits[1]
    for span in range(active.shape[0]):
        first, stop = active[span, 0], active[span, 1]
        both = slice(2 * first, 2 * stop)
        beyond |= any_beyond(now[both], motion[both], then[both], limit[first:stop], dt)
    for k in range(slots.shape[0]):
        i = slots[k]
        first, stop = spans.particle_first[i], spans.particle_last[i]
        if beyond and first < stop:
            row, both = slice(first, stop), slice(2 * first, 2 * stop)
            if any_beyond(now[both], motion[both], then[both], limit[row], dt) and is_finite(position, first, stop):
                return True
        if last.self_collision[i] and has_folded(first, stop, particles, last.position, dt, last.own_margin[i]):
            return True
    return False


@kernel
def any_beyond(now: np.ndarray, motion: np.ndarray, then: np.ndarray, limit: np.ndarray, dt: float) -> bool:
    """True if a particle is, or will be after dt, further from `then` than the root of its limit (N,) [m²].

    The other arrays hold x and y in turn, (2 N,). No early exit: so several particles are compared by one instruction.
    """
    beyond = 0
    for p in range(len(limit)):
        x, y = now[2 * p] - then[2 * p], now[2 * p + 1] - then[2 * p + 1]
        next_x, next_y = x + dt * motion[2 * p], y + dt * motion[2 * p + 1]
        within = (x * x + y * y <= limit[p]) & (next_x * next_x + next_y * next_y <= limit[p])
        beyond |= 0 if within else 1
    return beyond != 0


@kernel
def is_finite(position: np.ndarray, start: int, stop: int) -> bool:
    """True if all positions of the particles [start, stop) are finite."""
    for p in range(start, stop):
        if not (math.isfinite(position[p, 0]) and math.isfinite(position[p, 1])):
            return False
    return True


@kernel
def has_folded(start: int, stop: int, particles: Particles, then: np.ndarray, dt: float, most: float) -> bool:
    """True if one of the particles [start, stop) moves further than `most` [m] relative to their mean."""
    position, velocity = particles.position, particles.velocity
    mean_x, mean_y, count = 0.0, 0.0, stop - start
    for p in range(start, stop):
        mean_x += (position[p, 0] + dt * velocity[p, 0] - then[p, 0]) / count
        mean_y += (position[p, 1] + dt * velocity[p, 1] - then[p, 1]) / count
    limit, folded = most * most, False
    for p in range(start, stop):
        x = position[p, 0] + dt * velocity[p, 0] - then[p, 0] - mean_x
        y = position[p, 1] + dt * velocity[p, 1] - then[p, 1] - mean_y
        folded |= x * x + y * y > limit
    return folded


@entry
def walls_exceed_margin(
    vertices: Floats2, vertex_velocity: Floats2, then: Floats2, travel: Floats1, offset: int, dt: float
) -> bool:
    """True if a vertex of a wall will be further from where it was than was expected; offset: its row in `then`."""
    exceeds = False
    for v in range(vertices.shape[0]):
        x = vertices[v, 0] + dt * vertex_velocity[v, 0] - then[offset + v, 0]
        y = vertices[v, 1] + dt * vertex_velocity[v, 1] - then[offset + v, 1]
        exceeds |= x * x + y * y > travel[v] * travel[v]
    return exceeds
