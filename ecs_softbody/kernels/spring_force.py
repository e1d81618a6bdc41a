"""Damped linear spring along the axis n = d/|d| with d = x_b - x_a:

    f = k (|d| - L) + c (v_b - v_a)·n,    F_a += f n,    F_b -= f n

k and c are the saturated values (saturation.py). Hooke's law with a dashpot along the line, as in the particle
systems of A. Witkin and D. Baraff, "Physically Based Modeling", SIGGRAPH course notes.

Two kernels, one law: any springs in any order, and springs in runs (spring_runs.py), several of which are computed
by one instruction.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

SHORTEST = 1e-12
"""Below this length [m] a spring has no direction, hence no force."""
TWO = np.uint64(2)
"""Numbers of a point; unsigned, or every access would be tested for negative rows."""
CHUNK = 512
"""Springs of runs that are computed together: what lies between two passes over them stays in the nearest cache."""


@lean
def accumulate_spring_force(
    active: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    pairs: np.ndarray,
    rest_length: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    force: np.ndarray,
) -> None:
    """Add the force of the springs in the spans of rows `active` (S, 2) to `force` (N, 2); pairs (M, 2)."""
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
                along = (velocity[b, 0] - velocity[a, 0]) * dx + (velocity[b, 1] - velocity[a, 1]) * dy
                pull = (stiffness[s] * (length - rest_length[s]) + damping[s] * (along * inverse)) * inverse
                force[a, 0] += pull * dx
                force[a, 1] += pull * dy
                force[b, 0] -= pull * dx
                force[b, 1] -= pull * dy


@lean
def turn_into_forces(
    rest_length: np.ndarray, stiffness: np.ndarray, damping: np.ndarray, moving: np.ndarray, apart: np.ndarray
) -> None:
    """Turn the differences `apart` [m] and `moving` [m/s] of the ends of springs, x and y in turn, into forces [N].

    `apart` is overwritten. rest_length, stiffness and damping: (M,); the others have 2 M numbers or more.
    """
    for s in range(len(rest_length)):
        dx, dy = apart[2 * s], apart[2 * s + 1]
        squared = dx * dx + dy * dy
        length = math.sqrt(squared)
        inverse = 1.0 / length if squared > SHORTEST * SHORTEST else 0.0
        along = moving[2 * s] * dx + moving[2 * s + 1] * dy
        pull = (stiffness[s] * (length - rest_length[s]) + damping[s] * (along * inverse)) * inverse
        apart[2 * s] = pull * dx
        apart[2 * s + 1] = pull * dy


@lean
def accumulate_run_force(
    runs: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    rest_length: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    room: np.ndarray,
    force: np.ndarray,
) -> None:
    """Add the force of the springs in `runs` (R, 5) to `force` (N, 2); room: (2, 2 CHUNK), to work in.

    A run (s, a, b, n, ...) has the springs s to s + n, which join particles a to a + n with b to b + n, in
    rest_length, stiffness and damping (M,). None is longer than CHUNK. Loops go along rows: the first one finds the
    differences of the ends of as many runs as lie one behind the other, the second one the forces, the last adds them.
    """
    place, motion, total = position.reshape(-1), velocity.reshape(-1), force.reshape(-1)
    apart, moving = room[0], room[1]
    begin, end, count = 0, 0, np.int64(runs.shape[0])
    while begin < count:
        first, springs = np.int64(runs[begin, 0]), np.int64(0)
        while end < count and runs[end, 0] == first + springs and springs + runs[end, 3] <= CHUNK:
            a, b = TWO * np.uint64(runs[end, 1]), TWO * np.uint64(runs[end, 2])
            at, numbers = TWO * np.uint64(springs), TWO * np.uint64(runs[end, 3])
            for i in range(numbers):
                apart[at + i] = place[b + i] - place[a + i]
                moving[at + i] = motion[b + i] - motion[a + i]
            springs += np.int64(runs[end, 3])
            end += 1
        row = slice(first, first + springs)
        turn_into_forces(rest_length[row], stiffness[row], damping[row], moving, apart)
        for run in range(begin, end):
            a, b = TWO * np.uint64(runs[run, 1]), TWO * np.uint64(runs[run, 2])
            at, numbers = TWO * np.uint64(runs[run, 0] - first), TWO * np.uint64(runs[run, 3])
            for i in range(numbers):
                total[a + i] += apart[at + i]
            for i in range(numbers):
                total[b + i] -= apart[at + i]
        begin = end
