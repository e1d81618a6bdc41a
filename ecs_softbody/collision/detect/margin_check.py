"""Margin check: whether contacts must be searched again, since something has outrun its margin.

It runs at the start of every substep. A search finds all pairs of surfaces that are closer than the
sum of their margins (margins.py); its contacts are complete as long as nothing has moved further
than its own margin since, or will do so in the coming substep.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2
from ecs_softbody.collision.detect.margins import Bounds, ParticleSpans
from ecs_softbody.parallel.compiling import entry, kernel


class Particles(NamedTuple):
    """Columns of N particles."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]


class LastSearch(NamedTuple):
    """Data for deciding on a new search; R rows of particles and vertices, B bodies."""

    # (R, 2) at the last search [m]
    position: Floats2
    # (R,) squared margin of the row's body [m²], inf for rows that need no watch
    limits: Floats1
    # (B,) [m] how far particles may move relative to the mean of their body
    own_margin: Floats1
    # (B,) whether a body has contacts with itself, for which `own_margin` counts
    self_collision: Flags1


@entry
def find_limits(slots: Integers1, spans: ParticleSpans, bounds: Bounds, limits: Floats1) -> None:
    """Write to `limits` (R,) the squared margin [m²] of the body of each row, after a search.

    slots: the bodies that move. Rows of other bodies and of walls get inf: nothing watches them.
    """
    limits[:] = math.inf
    for i in slots:
        margin = bounds.margin[i]
        for p in range(spans.particle_first[i], spans.particle_last[i]):
            limits[p] = margin * margin


@entry
def exceeds_margin(
    active: Integers2,
    slots: Integers1,
    spans: ParticleSpans,
    particles: Particles,
    last: LastSearch,
    dt: float,
) -> bool:
    """True if a body has moved further than its margin since the last search, or a body that
    touches itself has been deformed by more than its own margin.

    The coming substep counts as well, at the present velocity. slots: the bodies that move. active
    (S, 2): spans of rows, first and one after the last, that hold their particles.
    """
    position = particles.position
    velocity = particles.velocity
    now = position.reshape(-1)
    motion = velocity.reshape(-1)
    then = last.position.reshape(-1)
    beyond = False
    limit = last.limits
    for span in range(active.shape[0]):
        first = active[span, 0]
        stop = active[span, 1]
        both = slice(2 * first, 2 * stop)
        beyond |= any_beyond(now[both], motion[both], then[both], limit[first:stop], dt)
    # The pass above has compared all rows with vector instructions. Single bodies are tested only
    # if it found a row beyond its limit, or for folds.
    for k in range(slots.shape[0]):
        i = slots[k]
        first = spans.particle_first[i]
        stop = spans.particle_last[i]
        if beyond and first < stop:
            row = slice(first, stop)
            both = slice(2 * first, 2 * stop)
            if any_beyond(now[both], motion[both], then[both], limit[row], dt) and is_finite(
                position, first, stop
            ):
                return True
        if last.self_collision[i]:
            both = slice(2 * first, 2 * stop)
            own = 0.5 * last.own_margin[i]
            # The mean moves no further than the farthest particle: relative to it, none moves more
            # than twice as far.
            may_fold = any_further(now[both], motion[both], then[both], own, dt)
            if may_fold and has_folded(
                first, stop, particles, last.position, dt, last.own_margin[i]
            ):
                return True
    return False


@kernel
def any_beyond(
    now: np.ndarray, motion: np.ndarray, then: np.ndarray, limit: np.ndarray, dt: float
) -> bool:
    """True if a particle is, or will be after dt, further from `then` than the root of its limit
    (N,) [m²].

    now, motion, then (2 N,): position [m], velocity [m/s] and old position, x and y in turn. No
    early exit: so several particles are compared by one instruction. NaN counts as too far.
    """
    beyond = 0
    for p in range(len(limit)):
        x = now[2 * p] - then[2 * p]
        y = now[2 * p + 1] - then[2 * p + 1]
        next_x = x + dt * motion[2 * p]
        next_y = y + dt * motion[2 * p + 1]
        within = (x * x + y * y <= limit[p]) & (next_x * next_x + next_y * next_y <= limit[p])
        beyond |= 0 if within else 1
    return beyond != 0


@kernel
def any_further(
    now: np.ndarray, motion: np.ndarray, then: np.ndarray, most: float, dt: float
) -> bool:
    """True if a particle will be further from `then` than `most` [m] after dt.

    The arrays (2 N,) are as in `any_beyond`.
    """
    further = 0
    for k in range(len(now) // 2):
        x = now[2 * k] + dt * motion[2 * k] - then[2 * k]
        y = now[2 * k + 1] + dt * motion[2 * k + 1] - then[2 * k + 1]
        further |= 0 if x * x + y * y <= most * most else 1
    return further != 0


@kernel
def is_finite(position: np.ndarray, start: int, stop: int) -> bool:
    """True if all positions of the particles [start, stop) are finite."""
    for p in range(start, stop):
        if not (math.isfinite(position[p, 0]) and math.isfinite(position[p, 1])):
            return False
    return True


@kernel
def has_folded(
    start: int, stop: int, particles: Particles, then: np.ndarray, dt: float, most: float
) -> bool:
    """True if one of the particles [start, stop) has moved further than `most` [m] relative to
    their mean since the last search, or will have after dt. then (R, 2) [m]: positions at it.
    """
    position = particles.position
    velocity = particles.velocity
    mean_x = 0.0
    mean_y = 0.0
    count = stop - start
    for p in range(start, stop):
        mean_x += (position[p, 0] + dt * velocity[p, 0] - then[p, 0]) / count
        mean_y += (position[p, 1] + dt * velocity[p, 1] - then[p, 1]) / count
    limit = most * most
    folded = False
    for p in range(start, stop):
        x = position[p, 0] + dt * velocity[p, 0] - then[p, 0] - mean_x
        y = position[p, 1] + dt * velocity[p, 1] - then[p, 1] - mean_y
        folded |= x * x + y * y > limit
    return folded


@entry
def walls_exceed_margin(
    vertices: Floats2,
    vertex_velocity: Floats2,
    then: Floats2,
    travel: Floats1,
    offset: int,
    dt: float,
) -> bool:
    """True if a vertex of a wall will have moved further than `travel` (V,) [m] since the search.

    That is so if a wall has become faster, or a game has moved it. then (R, 2) [m]: positions at
    the search, in which vertices follow from row `offset` on. vertex_velocity (V, 2) [m/s]: in this
    substep.
    """
    exceeds = False
    for v in range(vertices.shape[0]):
        x = vertices[v, 0] + dt * vertex_velocity[v, 0] - then[offset + v, 0]
        y = vertices[v, 1] + dt * vertex_velocity[v, 1] - then[offset + v, 1]
        exceeds |= x * x + y * y > travel[v] * travel[v]
    return exceeds
