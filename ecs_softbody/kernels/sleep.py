"""Sleep: how long bodies have been still, which ones rest on each other, and who wrote to them since.

A body is still while no particle is further from its anchor than an allowance, and the root mean square of the
particles' speeds is low. The anchor follows the particle with a lag, so a body that jitters around a place is still,
and one that creeps or turns round in a slow swing is not: it keeps away from its anchor by speed times lag.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel, lean

EXPONENT = np.int64(0x7FF0000000000000)
"""The bits of the exponent of a float64."""


@lean
def measure_stillness(
    slots: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    anchor: np.ndarray,
    share: np.ndarray,
    allowance: float,
    lag: float,
    fastest: float,
    dt: float,
    still_time: np.ndarray,
    held: np.ndarray,
) -> None:
    """Add dt to still_time [s] of the bodies `slots` that are still, else put it to 0; anchors follow by `lag` [s].

    Body b is allowed share[b] of the allowance [m] and of the fastest speed [m/s]. `held` says whether a
    particle of the body is fixed. One that a game moves keeps the body awake.
    """
    follow = dt / (lag + dt)
    for b in slots:
        furthest, squared = 0.0, 0.0
        held[b] = False
        for p in range(first[b], last[b]):
            dx, dy = position[p, 0] - anchor[p, 0], position[p, 1] - anchor[p, 1]
            anchor[p, 0] += follow * dx
            anchor[p, 1] += follow * dy
            furthest = max(furthest, dx * dx + dy * dy)
            squared += velocity[p, 0] * velocity[p, 0] + velocity[p, 1] * velocity[p, 1]
            if inverse_mass[p] == 0.0:
                held[b] = True
                if velocity[p, 0] != 0.0 or velocity[p, 1] != 0.0:
                    furthest = math.inf
        limit = share[b] * fastest
        if furthest <= (share[b] * allowance) ** 2 and squared <= limit * limit * (last[b] - first[b]):
            still_time[b] += dt
        else:
            still_time[b] = min(still_time[b], 0.0)


@lean
def root_of(parent: np.ndarray, i: int) -> int:
    """Return the root of i in a forest, halving the way to it."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@lean
def join(parent: np.ndarray, pairs: np.ndarray) -> None:
    """Join the trees of every pair (P, 2); the lower root stays one."""
    for k in range(pairs.shape[0]):
        i, j = root_of(parent, pairs[k, 0]), root_of(parent, pairs[k, 1])
        if i != j:
            parent[max(i, j)] = min(i, j)


@kernel
def find_islands(parent: np.ndarray, ready: np.ndarray, supported: np.ndarray, quiet: np.ndarray) -> None:
    """Write the root of every body into `parent`, and whether all bodies of its island are ready and one supported."""
    count = parent.shape[0]
    some_support = np.zeros(count, np.bool_)
    all_ready = np.ones(count, np.bool_)
    for b in range(count):
        root = root_of(parent, b)
        parent[b] = root
        some_support[root] |= supported[b]
        all_ready[root] &= ready[b]
    for b in range(count):
        quiet[b] = all_ready[parent[b]] and some_support[parent[b]]


@lean
def remember(
    slots: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    width: int,
    now: np.ndarray,
    kept: np.ndarray,
    body: np.ndarray,
) -> None:
    """Copy the rows of the slots; the arguments are those of `find_written`."""
    for slot in slots:
        for k in range(width * first[slot], width * last[slot]):
            kept[k] = now[k]


@lean
def find_written(
    slots: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    width: int,
    now: np.ndarray,
    kept: np.ndarray,
    body: np.ndarray,
    written: np.ndarray,
) -> None:
    """Mark in `written` the body of every slot whose words, `width` in a row, differ from those kept; both (N width,).

    The bits that differ are collected over all words of a slot: eight times as fast as to stop at the first one.
    """
    for slot in slots:
        begin, end = width * first[slot], width * last[slot]
        words, before = now[begin:end], kept[begin:end]
        different = now[0] ^ now[0]  # zero, of their type
        for k in range(len(words)):
            different |= words[k] ^ before[k]
        if different != 0:
            written[body[slot]] = True


@lean
def find_forced(slots: np.ndarray, first: np.ndarray, last: np.ndarray, force: np.ndarray, forced: np.ndarray) -> bool:
    """Mark the bodies among `slots` that a force (N, 2) acts on; tell whether there are any."""
    words = force.reshape(-1)
    found = False
    for b in slots:
        pushed = False
        for k in range(2 * first[b], 2 * last[b]):
            pushed |= words[k] != 0.0
        forced[b] = pushed
        found |= pushed
    return found


@lean
def all_finite(active: np.ndarray, position: np.ndarray, velocity: np.ndarray, force: np.ndarray) -> bool:
    """Tell whether all numbers in the spans of rows `active` (S, 2) are finite; all (N, 2)."""
    for span in range(active.shape[0]):
        both = slice(2 * active[span, 0], 2 * active[span, 1])
        place, motion, push = position.reshape(-1)[both], velocity.reshape(-1)[both], force.reshape(-1)[both]
        if any_infinite(place.view(np.int64), motion.view(np.int64), push.view(np.int64)):
            return False
    return True


@lean
def any_infinite(place: np.ndarray, motion: np.ndarray, push: np.ndarray) -> bool:
    """Tell whether the bits of any number, (N,) each, are those of infinity or NaN: all ones in the exponent."""
    found = False
    for k in range(len(place)):
        found |= (place[k] & EXPONENT) == EXPONENT
        found |= (motion[k] & EXPONENT) == EXPONENT
        found |= (push[k] & EXPONENT) == EXPONENT
    return found


@lean
def are_lasting(radius: np.ndarray, mass: np.ndarray) -> bool:
    """Tell whether all radii (N,) are finite and no mass (N,) is NaN."""
    bits, wrong = radius.view(np.int64), False
    for p in range(len(bits)):
        wrong |= ((bits[p] & EXPONENT) == EXPONENT) | (mass[p] != mass[p])
    return not wrong
