"""Twins in plain numpy that tests of several kernels compare with."""

from __future__ import annotations

import numpy as np


def spring_forces(
    pairs: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    rest_length: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
) -> np.ndarray:
    """Return the forces (N, 2) of springs between pairs (S, 2) of rows: k (l - l0) + c dl/dt along
    each.
    """
    a, b = pairs.astype(int).T
    along = position[b] - position[a]
    length = np.linalg.norm(along, axis=1)
    n = np.divide(along, length[:, None], out=np.zeros_like(along), where=length[:, None] > 1e-12)
    pull = stiffness * (length - rest_length) + damping * ((velocity[b] - velocity[a]) * n).sum(
        axis=1
    )
    force = np.zeros_like(position)
    np.add.at(force, a, pull[:, None] * n)
    np.add.at(force, b, -pull[:, None] * n)
    return force
