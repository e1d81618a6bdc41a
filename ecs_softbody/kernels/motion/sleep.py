"""Sleep: bodies at rest are left out of the computation. These kernels measure how long bodies have
been still, find the islands that may fall asleep, and find the sleepers that a game has written to;
the last ones check all state for numbers beyond its limits.

A body is still while no particle is further from its anchor than a limit, and the root mean square
of the particles' speeds is low. The anchor of a particle is a point that follows it with a lag: a
body that jitters around a point is still, and a body that creeps or turns round in a slow swing is
not, since it stays away from its anchor by speed times lag.

A body s times as large falls, swings and settles √s times as slowly. So distances are measured in
sizes of the body, and times in √size: half a second of a body of 1 m is 0.05 s of a body of 1 cm. A
body that comes to rest from a fast motion does not have to wait for its anchor, which stays within
NEAR_ANCHOR limits of it.

An island is a set of bodies that touch or are joined; it sleeps and wakes as a whole. Islands are
found by union-find: parent[i] leads from each body to a root that names its island.
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
"""Largest distance of a particle from its anchor, over the limit at rest: beyond it the anchor is
dragged along. Without it a body that came to rest from a bounce of 30 cm waited 1.7 s for its
anchor.
"""
LEAST_SIZE = 0.01
"""Bodies smaller than this are measured as if they had this size [m]."""
OPEN_SIZE = 1.0
"""Largest size of a body without a closed outline, e.g. a rope [m]: its parts are independent."""
SIZE = np.int64(0x7FFFFFFFFFFFFFFF)
"""Mask of the bits of a float64 without its sign. Read as whole numbers they are in the order of
absolute values, NaN beyond infinity.
"""
STRONGEST = 1e60
"""Limit of forces in `are_near` [N]: more than the weight of the heaviest body."""
# Compared as whole numbers, NaN is beyond every limit, and the loop has no branch.
FARTHEST_BITS, STRONGEST_BITS = (
    np.float64(limit).view(np.int64) for limit in (FARTHEST, STRONGEST)
)


class Resting(NamedTuple):
    """Inputs of the measure of stillness, N rows of particles."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]
    angular_velocity: Floats1  # (N,) [rad/s] of discs that turn by themselves
    radius: Floats1  # (N,) [m]
    inverse_mass: Floats1  # (N,) [1/kg], 0 for a fixed particle
    kept_position: Floats2  # (N, 2) [m]: the anchor, which follows with a lag; written


class RestingBodies(NamedTuple):
    """Values of all bodies, (B,) each; body b has the particles [first[b], last[b])."""

    first: Uint32s1
    last: Uint32s1
    # Written: time for which the body has been still, in [s of a body of 1 m], i.e. seconds over
    # √size. Below 0: it has to be still for longer, in plain seconds.
    still_time: Floats1


class Stillness(NamedTuple):
    """Limits within which a body of 1 m counts as still."""

    distance: float  # Largest distance of a particle from its anchor [m]
    lag: float  # Time by which the anchor is behind the particle [s]
    speed: float  # Largest root mean square of the particles' speeds [m/s]


@kernel
def size_of(position: np.ndarray, first: int, last: int, thickness: float) -> float:
    """Return the larger side [m] of the box around the particles [first, last), which are
    `thickness` [m] thick.
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
    """Add dt to the still_time of the bodies `slots` that are still, set it to 0 for the others,
    and move the anchors; once a frame, of the length dt [s].

    share (B,): part of the limits that a body is allowed: 1 for a body that touches something, less
    in water or in the air. With a share of 1 the limits scale with the body's size, which counts as
    OPEN_SIZE at most unless the body is `solid` (B,): a closed outline or a single disc. `fixed`
    (B,) gets whether a particle of the body is fixed. A fixed particle that a game moves keeps its
    body awake.
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
        reach = math.inf  # largest distance from the anchor [m]
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
            away = dx * dx + dy * dy  # [m²]
            # Beyond `reach` the anchor is dragged along at that distance.
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
        # `squared` is a sum over the particles: the limit is for their root mean square.
        if furthest <= distance * distance and squared <= speed * speed * (last[b] - first[b]):
            still_time[b] += dt / slower if still_time[b] >= 0.0 else dt
        else:
            still_time[b] = min(still_time[b], 0.0)


@kernel
def root_of(parent: np.ndarray, i: int) -> int:
    """Return the root of body i in a union-find forest; path halving keeps later ways short."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@entry
def join(parent: Integers1, pairs: Integers2) -> None:
    """Join the islands of both bodies of every pair (P, 2). The lower of two roots stays the root,
    so that the names of islands do not depend on the order of the pairs.
    """
    for k in range(pairs.shape[0]):
        i = root_of(parent, pairs[k, 0])
        j = root_of(parent, pairs[k, 1])
        if i != j:
            parent[max(i, j)] = min(i, j)


@entry
def may_some_sleep(parent: Integers1, ready: Flags1, asleep: Flags1, waits: Flags1) -> bool:
    """Return whether any awake body is in an island, as far as `parent` joins bodies, in which all
    bodies are `ready` to sleep. If not, the full search for islands can be left out.

    ready, asleep: (B,). waits: workspace (B,); of a root: whether a body of its island is not
    ready.
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
    """Write the root of every body to `parent`, and to `may_sleep` whether its island may sleep:
    all of its bodies are `ready` and at least one is `supported`, by a wall for example.

    ready, supported: (B,), overwritten: the values of a root get the state of its whole island.
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
    """Copy the present numbers of the components `slots` from `now` to `kept`: called when their
    bodies fall asleep. `find_written_words` explains the arguments.
    """
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
    """As `remember_words`, for columns whose elements are not eight bytes wide."""
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
    """Copy the rows [first[slot], last[slot]) of each slot, `width` words in each row."""
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
    """Mark in `written` (B,) the sleeping bodies that a game has written to: those with a column
    that differs from the copy made when they fell asleep.

    now, kept: the column and its copy as words of 8 bytes, (N width,), `width` words in each of N
    rows. The component `slot` has the rows [first[slot], last[slot]), and its body is body[slot].
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
    """As `find_written_words`, for columns whose elements are not eight bytes wide."""
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
    """Mark the bodies with any word that differs. The loop collects the differing bits of all words
    of a slot: without a branch it is eight times as fast as stopping at the first difference.
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
    """Write to `forced` (B,) which of the bodies `slots` a force (N, 2) acts on, since a force
    wakes a sleeper; return whether there are any.
    """
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
    """True if all numbers are from `least` to `most`, and none is NaN: for the columns that a game
    may write to.
    """
    beyond = 0
    for k in range(numbers.shape[0]):
        beyond += 0 if least <= numbers[k] <= most else 1
    return beyond == 0


@entry
def are_near(active: Integers2, position: Floats2, velocity: Floats2, force: Floats2) -> bool:
    """Return whether all positions, velocities and forces (N, 2) in the spans `active` (S, 2) of
    awake rows are within FARTHEST and STRONGEST, and none is NaN: the check of every frame.
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
    """Return whether any number, (N,) each, given as the bits of its float64, is NaN or beyond its
    limit.
    """
    found = False
    for k in range(len(position)):
        found |= (position[k] & SIZE) > FARTHEST_BITS
        found |= (velocity[k] & SIZE) > FARTHEST_BITS
        found |= (force[k] & SIZE) > STRONGEST_BITS
    return found


@entry
def are_lasting(radius: Floats1, mass: Floats1) -> bool:
    """Return whether all radii and masses, (N,) each, are valid: within their limits, or an
    infinite mass. Both are 0 in unused rows.
    """
    bits = radius.view(np.int64)
    wrong = False
    for p in range(len(bits)):
        fine = (LIGHTEST <= mass[p] <= HEAVIEST) | (mass[p] == 0.0) | (mass[p] == math.inf)
        wrong |= ((bits[p] & SIZE) > FARTHEST_BITS) | (not fine)
    return not wrong
