"""Sleep: how long bodies have been still, which of them rest on each other, and which were written
to since.

A body is still while no particle is further from its anchor than an allowance, and the root mean
square of the particles' speeds is low. The anchor follows the particle with a lag, so a body that
jitters around a point is still, and one that creeps or turns round in a slow swing is not: it keeps
away from its anchor by speed times lag.

A body s times as large falls, swings and settles √s times as slowly. So distances are measured in
sizes of the body, and times in √size: half a second of 1 m are 0.05 s of 1 cm. A body that comes to
rest from a fast motion does not have to wait for its anchor: that stays within NEAR_ANCHOR
allowances.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import (
    Flags1,
    Floats1,
    Floats2,
    Integers1,
    Integers2,
    Uint8s1,
    Uint32s1,
    Uint64s1,
)
from ecs_softbody.parallel.compiling import entry, inline, kernel
from ecs_softbody.validation import FARTHEST, HEAVIEST, LIGHTEST

NEAR_ANCHOR = 3.0
"""Largest distance of a particle from its anchor, over the distance allowed at rest: without it a
body that came to rest from a bounce of 30 cm waited 1.7 s for its anchor.
"""
LEAST_SIZE = 0.01
"""Bodies smaller than this are measured as if they had this size [m]."""
OPEN_SIZE = 1.0
"""Largest size of a body without a closed outline, e.g. a rope [m]: its parts are independent."""
SIZE = np.int64(0x7FFFFFFFFFFFFFFF)
"""The bits of a float64 without its sign: as whole numbers they are in the order of the sizes, NaN
beyond infinity.
"""
STRONGEST = 1e60
"""Forces beyond this [N] are looked at closely; the weight of the heaviest body is less."""
# Compared as whole numbers, NaN is beyond every limit, and the loop has no branch.
FARTHEST_BITS, STRONGEST_BITS = (
    np.float64(limit).view(np.int64) for limit in (FARTHEST, STRONGEST)
)


class Resting(NamedTuple):
    """Inputs of the measure of stillness, N rows of particles."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]
    angular_velocity: Floats1  # (N,) [rad/s] of discs
    radius: Floats1  # (N,) [m]
    inverse_mass: Floats1  # (N,) [1/kg]
    kept_position: Floats2  # (N, 2) [m]: the anchor, which follows with a lag


class RestingBodies(NamedTuple):
    """Values of all bodies, (B,) each; body b has the particles [first[b], last[b])."""

    first: Uint32s1
    last: Uint32s1
    still_time: Floats1  # Written [s of a body of 1 m]


class Stillness(NamedTuple):
    """How still a body of 1 m at rest is."""

    distance: float  # Of a particle from its anchor [m]
    lag: float  # Of the anchor [s]
    speed: float  # Root mean square [m/s]


@kernel
def size_of(position: np.ndarray, first: int, last: int, thickness: float) -> float:
    """Return the larger side of the box around the particles [first, last), which are so
    thick [m].
    """
    low_x = math.inf
    low_y = math.inf
    high_x = -math.inf
    high_y = -math.inf
    for p in range(first, last):
        low_x = min(low_x, position[p, 0])
        high_x = max(high_x, position[p, 0])
        low_y = min(low_y, position[p, 1])
        high_y = max(high_y, position[p, 1])
    return max(high_x - low_x, high_y - low_y) + thickness


@entry
def measure_stillness(
    slots: Integers1,
    particles: Resting,
    bodies: RestingBodies,
    share: Floats1,
    solid: Flags1,
    fixed: Flags1,
    limits: Stillness,
    dt: float,
) -> None:
    """Add dt to still_time [s of a body of 1 m] of the bodies `slots` that are still, else set it
    to 0; move anchors.

    Body b is allowed share[b] of the limits. Bodies that touch something have the share 1, and
    limits that scale with their size, which is at most OPEN_SIZE unless they are `solid`. `fixed`
    gets whether a particle of the body is fixed. A particle that a game moves keeps its body awake.
    """
    position = particles.position
    velocity = particles.velocity
    inverse_mass = particles.inverse_mass
    anchor = particles.kept_position
    first = bodies.first
    last = bodies.last
    still_time = bodies.still_time
    for b in slots:
        size = 1.0
        furthest = 0.0
        squared = 0.0
        reach = math.inf
        if share[b] == 1.0 and last[b] > first[b]:
            size = size_of(position, first[b], last[b], 2.0 * particles.radius[first[b]])
            size = max(size if solid[b] else min(size, OPEN_SIZE), LEAST_SIZE)
            reach = NEAR_ANCHOR * limits.distance * size
        # Times grow with √size: a small body falls by its own size in less time.
        slower = math.sqrt(size)
        follow = dt / (limits.lag * slower + dt)
        fixed[b] = False
        for p in range(first[b], last[b]):
            dx = position[p, 0] - anchor[p, 0]
            dy = position[p, 1] - anchor[p, 1]
            away = dx * dx + dy * dy
            step = follow if away <= reach * reach else max(follow, 1.0 - reach / math.sqrt(away))
            anchor[p, 0] += step * dx
            anchor[p, 1] += step * dy
            furthest = max(furthest, away)
            squared += velocity[p, 0] * velocity[p, 0] + velocity[p, 1] * velocity[p, 1]
            squared += (particles.radius[p] * particles.angular_velocity[p]) ** 2
            if inverse_mass[p] == 0.0:
                fixed[b] = True
                if (
                    velocity[p, 0] != 0.0
                    or velocity[p, 1] != 0.0
                    or particles.angular_velocity[p] != 0.0
                ):
                    furthest = math.inf
        speed = share[b] * limits.speed * slower
        distance = share[b] * limits.distance * size
        if furthest <= distance * distance and squared <= speed * speed * (last[b] - first[b]):
            still_time[b] += dt / slower if still_time[b] >= 0.0 else dt
        else:
            still_time[b] = min(still_time[b], 0.0)


@kernel
def root_of(parent: np.ndarray, i: int) -> int:
    """Return the root of i in a forest, halving the way to it."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@entry
def join(parent: Integers1, pairs: Integers2) -> None:
    """Join the trees of every pair (P, 2); the lower root stays one."""
    for k in range(pairs.shape[0]):
        i = root_of(parent, pairs[k, 0])
        j = root_of(parent, pairs[k, 1])
        if i != j:
            parent[max(i, j)] = min(i, j)


@entry
def may_some_sleep(parent: Integers1, ready: Flags1, asleep: Flags1, waits: Flags1) -> bool:
    """Return whether an awake body is in an island of ready ones only, as far as `parent` joins
    them.

    waits: workspace (B,), which gets whether the island of a root waits for one of its bodies.
    """
    waits[:] = False
    for b in range(parent.shape[0]):
        if not ready[b]:
            waits[root_of(parent, b)] = True
    for b in range(parent.shape[0]):
        if ready[b] and not asleep[b] and not waits[root_of(parent, b)]:
            return True
    return False


@entry
def find_islands(parent: Integers1, ready: Flags1, supported: Flags1, may_sleep: Flags1) -> None:
    """Write the root of every body into `parent`, and whether all bodies of its island are ready
    and one supported.

    `ready` and `supported` of a root get the state of its whole island.
    """
    count = parent.shape[0]
    for b in range(count):
        root = root_of(parent, b)
        parent[b] = root
        supported[root] |= supported[b]
        ready[root] &= ready[b]
    for b in range(count):
        may_sleep[b] = ready[parent[b]] and supported[parent[b]]


@entry
def remember_words(
    slots: Integers1,
    first: Integers1,
    last: Integers1,
    width: int,
    now: Uint64s1,
    kept: Uint64s1,
    body: Integers1,
) -> None:
    """Copy the rows of the slots; the arguments are as in `find_written_words`."""
    copy_rows(slots, first, last, width, now, kept)


@entry
def remember_bytes(
    slots: Integers1,
    first: Integers1,
    last: Integers1,
    width: int,
    now: Uint8s1,
    kept: Uint8s1,
    body: Integers1,
) -> None:
    """Copy the rows of the slots, of columns whose elements are not eight bytes wide."""
    copy_rows(slots, first, last, width, now, kept)


@inline
def copy_rows(
    slots: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    width: int,
    now: np.ndarray,
    kept: np.ndarray,
) -> None:
    """Copy `width` words in each row of the slots."""
    for slot in slots:
        for k in range(width * first[slot], width * last[slot]):
            kept[k] = now[k]


@entry
def find_written_words(
    slots: Integers1,
    first: Integers1,
    last: Integers1,
    width: int,
    now: Uint64s1,
    kept: Uint64s1,
    body: Integers1,
    written: Flags1,
) -> None:
    """Mark the body of every slot whose words, `width` in a row, differ from the kept words; both
    arrays are (N width,).
    """
    mark_written(slots, first, last, width, now, kept, body, written)


@entry
def find_written_bytes(
    slots: Integers1,
    first: Integers1,
    last: Integers1,
    width: int,
    now: Uint8s1,
    kept: Uint8s1,
    body: Integers1,
    written: Flags1,
) -> None:
    """Do as `find_written_words`, for columns whose elements are not eight bytes wide."""
    mark_written(slots, first, last, width, now, kept, body, written)


@inline
def mark_written(
    slots: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    width: int,
    now: np.ndarray,
    kept: np.ndarray,
    body: np.ndarray,
    written: np.ndarray,
) -> None:
    """Collect the bits that differ over all words of a slot: that is eight times as fast as
    stopping at the first.
    """
    for slot in slots:
        begin = width * first[slot]
        end = width * last[slot]
        words = now[begin:end]
        before = kept[begin:end]
        different = now[0] ^ now[0]  # zero, of their type
        for k in range(len(words)):
            different |= words[k] ^ before[k]
        if different != 0:
            written[body[slot]] = True


@entry
def find_forced(
    slots: Integers1, first: Uint32s1, last: Uint32s1, force: Floats2, forced: Flags1
) -> bool:
    """Mark the bodies among `slots` that a force (N, 2) acts on; return whether there are any."""
    words = force.reshape(-1)
    found = False
    for b in slots:
        pushed = False
        for k in range(2 * first[b], 2 * last[b]):
            pushed |= words[k] != 0.0
        forced[b] = pushed
        found |= pushed
    return found


@entry
def are_within(numbers: Floats1, least: float, most: float) -> bool:
    """True if all numbers are from `least` to `most`, and none is NaN."""
    beyond = 0
    for k in range(numbers.shape[0]):
        beyond += 0 if least <= numbers[k] <= most else 1
    return beyond == 0


@entry
def are_near(active: Integers2, position: Floats2, velocity: Floats2, force: Floats2) -> bool:
    """Return whether no number in the row spans `active` (S, 2) is NaN or beyond its limit; arrays
    (N, 2).
    """
    for span in range(active.shape[0]):
        both = slice(2 * active[span, 0], 2 * active[span, 1])
        x = position.reshape(-1)[both]
        v = velocity.reshape(-1)[both]
        f = force.reshape(-1)[both]
        if any_far(x.view(np.int64), v.view(np.int64), f.view(np.int64)):
            return False
    return True


@kernel
def any_far(position: np.ndarray, velocity: np.ndarray, force: np.ndarray) -> bool:
    """Return whether any number, (N,) each, is NaN or beyond its limit, by its bits."""
    found = False
    for k in range(len(position)):
        found |= (position[k] & SIZE) > FARTHEST_BITS
        found |= (velocity[k] & SIZE) > FARTHEST_BITS
        found |= (force[k] & SIZE) > STRONGEST_BITS
    return found


@entry
def are_lasting(radius: Floats1, mass: Floats1) -> bool:
    """Return whether radii and masses, (N,) each, are valid; both are zero in unused rows."""
    bits = radius.view(np.int64)
    wrong = False
    for p in range(len(bits)):
        fine = (LIGHTEST <= mass[p] <= HEAVIEST) | (mass[p] == 0.0) | (mass[p] == math.inf)
        wrong |= ((bits[p] & SIZE) > FARTHEST_BITS) | (not fine)
    return not wrong
