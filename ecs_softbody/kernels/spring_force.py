"""Damped linear spring along the axis n = d/|d| with d = x_b - x_a:

    f = k (|d| - L) + c (v_b - v_a)·n,    F_a += f n,    F_b -= f n

k and c are the saturated values (saturation.py). Hooke's law with a dashpot along the line, as in the particle
systems of A. Witkin and D. Baraff, "Physically Based Modeling", SIGGRAPH course notes.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel

SHORTEST = 1e-12
"""Below this length [m] a spring has no direction, hence no force."""


@kernel
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
                stretching = ((velocity[b, 0] - velocity[a, 0]) * dx + (velocity[b, 1] - velocity[a, 1]) * dy) / length
                pull = (stiffness[s] * (length - rest_length[s]) + damping[s] * stretching) / length
                force[a, 0] += pull * dx
                force[a, 1] += pull * dy
                force[b, 0] -= pull * dx
                force[b, 1] -= pull * dy
