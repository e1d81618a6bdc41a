"""Groups of columns that kernels of several rooms share; `table.rows.group(Motion)` fills one by its field names."""

from typing import NamedTuple

import numpy as np


class Motion(NamedTuple):
    """What a force reads and writes of all particles, N rows."""

    position: np.ndarray  # (N, 2) [m]
    velocity: np.ndarray  # (N, 2) [m/s]
    inverse_mass: np.ndarray  # (N,) [1/kg], 0 for a particle that no force moves
    force: np.ndarray  # (N, 2) [N], the sum of the forces of this substep


class SpringLaw(NamedTuple):
    """What a spring force reads of all springs, M rows."""

    packed_pairs: np.ndarray  # (M, 2): rows of both ends
    rest_length: np.ndarray  # (M,) [m]
    effective_stiffness: np.ndarray  # (M,) [N/m], what a substep can carry
    effective_damping: np.ndarray  # (M,) [N·s/m], what a substep can carry
