"""Springs: the force of damped linear springs between two particles a and b, along the axis n =
d/|d| with d = x_b - x_a:

    f = k (|d| - L) + c (v_b - v_a)·n,    F_a += f n,    F_b -= f n

k and c are limited for stability (motion/saturation.py), L is the rest length. Hooke's law with a
dashpot along the line, as in the particle systems of A. Witkin and D. Baraff, "Physically Based
Modeling", SIGGRAPH course notes.

Where the stiffness of a skin under the pressure of gas had to be limited, its springs get a
constant tension in addition, which keeps the skin in balance (processors/solvers/gas.py).

Two kernels compute the same law: one for springs in any order, one for batches, runs of springs
between consecutive particles (spring_batches.py), for which vector instructions compute several
springs at a time.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers2, Uint32s2
from ecs_softbody.kernels.groups import Motion, SpringLaw
from ecs_softbody.parallel.compiling import entry, kernel

SHORTEST = 1e-12
"""A spring shorter than this [m] has no direction, hence no force."""
TWO = np.uint64(2)
"""Numbers per point, x and y. Unsigned, since numba tests a signed index for negative values at
every access.
"""
CHUNK = 512
"""Springs of batches computed together, at most: the data between two passes stays in the nearest
cache. 128 are 8 % slower on a net and 18 % on rings, 1024 no faster.
"""


class BatchLaw(NamedTuple):
    """Inputs of a spring force, (M,) each, in the order of the batches, with padding springs."""

    rest_length: Floats1  # [m]
    effective_stiffness: Floats1  # [N/m]
    effective_damping: Floats1  # [N·s/m]


@entry
def accumulate_spring_force(active: Integers2, springs: SpringLaw, motion: Motion) -> None:
    """Add the forces of the springs in the spans `active` (S, 2) of awake rows to
    `motion.force`.
    """
    position = motion.position
    velocity = motion.velocity
    force = motion.force
    pairs = springs.packed_pairs
    rest_length = springs.rest_length
    stiffness = springs.effective_stiffness
    damping = springs.effective_damping
    for span in range(active.shape[0]):
        for s in range(active[span, 0], active[span, 1]):
            a = pairs[s, 0]
            b = pairs[s, 1]
            dx = position[b, 0] - position[a, 0]
            dy = position[b, 1] - position[a, 1]
            squared = dx * dx + dy * dy
            if squared > SHORTEST * SHORTEST:
                length = math.sqrt(squared)
                inverse = 1.0 / length
                along = (velocity[b, 0] - velocity[a, 0]) * dx + (
                    velocity[b, 1] - velocity[a, 1]
                ) * dy
                per_length = (
                    stiffness[s] * (length - rest_length[s]) + damping[s] * (along * inverse)
                ) * inverse
                force[a, 0] += per_length * dx
                force[a, 1] += per_length * dy
                force[b, 0] -= per_length * dx
                force[b, 1] -= per_length * dy


@entry
def accumulate_kept_tension(
    active: Integers2, tension: Floats1, pairs: Uint32s2, motion: Motion
) -> None:
    """Add the constant tension (M,) [N] of springs of skins under gas in the spans `active` (S, 2)
    of awake rows to `motion.force`; 0 where a spring has none. pairs (M, 2): rows of both ends.
    """
    position = motion.position
    force = motion.force
    for span in range(active.shape[0]):
        for s in range(active[span, 0], active[span, 1]):
            if tension[s] == 0.0:
                continue
            a = pairs[s, 0]
            b = pairs[s, 1]
            dx = position[b, 0] - position[a, 0]
            dy = position[b, 1] - position[a, 1]
            length = math.sqrt(dx * dx + dy * dy)
            if length > SHORTEST:
                x = tension[s] * dx / length
                y = tension[s] * dy / length
                force[a, 0] += x
                force[a, 1] += y
                force[b, 0] -= x
                force[b, 1] -= y


@kernel
def turn_into_forces(
    rest_length: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    moving: np.ndarray,
    apart: np.ndarray,
) -> None:
    """Turn the differences of position `apart` [m] and of velocity `moving` [m/s] between the ends
    of springs into forces [N], which replace `apart`.

    rest_length, stiffness and damping: (M,); the others hold at least 2 M numbers, x and y
    alternating.
    """
    for s in range(len(rest_length)):
        dx = apart[2 * s]
        dy = apart[2 * s + 1]
        squared = dx * dx + dy * dy
        length = math.sqrt(squared)
        inverse = 1.0 / length if squared > SHORTEST * SHORTEST else 0.0
        along = moving[2 * s] * dx + moving[2 * s + 1] * dy
        per_length = (
            stiffness[s] * (length - rest_length[s]) + damping[s] * (along * inverse)
        ) * inverse
        apart[2 * s] = per_length * dx
        apart[2 * s + 1] = per_length * dy


@entry
def accumulate_batch_force(
    batches: Uint32s2, springs: BatchLaw, motion: Motion, scratch: Floats2
) -> None:
    """Add the forces of the springs in `batches` (B, 5) to `motion.force`; scratch: (2, 2 CHUNK).

    A batch (s, a, b, n, slot) has the n springs from s on, at most CHUNK, which join the particles
    from a on with those from b on: spring s + i joins a + i and b + i. slot: the component of the
    springs, unused here. The first loop finds the differences of the ends for as many consecutive
    batches as fit into the scratch, then they are turned into forces, and the last loop adds the
    forces to the particles.
    """
    position = motion.position.reshape(-1)
    velocity = motion.velocity.reshape(-1)
    force = motion.force.reshape(-1)
    apart = scratch[0]
    moving = scratch[1]
    begin = 0
    end = 0
    count = np.int64(batches.shape[0])
    while begin < count:
        first = np.int64(batches[begin, 0])
        filled = np.int64(0)
        while (
            end < count and batches[end, 0] == first + filled and filled + batches[end, 3] <= CHUNK
        ):
            a = TWO * np.uint64(batches[end, 1])
            b = TWO * np.uint64(batches[end, 2])
            at = TWO * np.uint64(filled)
            numbers = TWO * np.uint64(batches[end, 3])
            for i in range(numbers):
                apart[at + i] = position[b + i] - position[a + i]
                moving[at + i] = velocity[b + i] - velocity[a + i]
            filled += np.int64(batches[end, 3])
            end += 1
        row = slice(first, first + filled)
        turn_into_forces(
            springs.rest_length[row],
            springs.effective_stiffness[row],
            springs.effective_damping[row],
            moving,
            apart,
        )
        for batch in range(begin, end):
            a = TWO * np.uint64(batches[batch, 1])
            b = TWO * np.uint64(batches[batch, 2])
            at = TWO * np.uint64(batches[batch, 0] - first)
            numbers = TWO * np.uint64(batches[batch, 3])
            # In a ring the second end of a spring is the first end of the next. In one loop instead
            # of two, each spring would wait for the one before.
            for i in range(numbers):
                force[a + i] += apart[at + i]
            for i in range(numbers):
                force[b + i] -= apart[at + i]
        begin = end
