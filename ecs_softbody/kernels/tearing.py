"""Tearing: the load of a spring is what it bears over what it can bear, the larger one of

    (l - L) / (L · strain)   and   k (l - L) / force

with the saturated k, which is the force that acts. One above 1 tears, the most loaded spring of a body first. For a
while after a tear only a load that exceeds the torn one by a tenth tears on: the others of a rope had the same load a
moment ago and are about to be relieved, while those beside the end of a tear are loaded more.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

TEARS_ON = 1.1
WAIT = 0.25
"""How long after a tear only larger loads tear [s]."""


@lean
def find_torn(
    active: np.ndarray,
    position: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    pairs: np.ndarray,
    rest_length: np.ndarray,
    stiffness: np.ndarray,
    strain: np.ndarray,
    force: np.ndarray,
    dt: float,
    wait: np.ndarray,
    last_load: np.ndarray,
    load: np.ndarray,
    torn: np.ndarray,
) -> int:
    """Write the largest load of the springs [first[b], last[b]) of b in `active`, and in `torn` the row or -1.

    Return how many bodies have one that tears.
    """
    count = 0
    for b in active:
        wait[b] = max(wait[b] - dt, 0.0)
        load[b], torn[b] = 0.0, -1
        row = -1
        for s in range(first[b], last[b]):
            i, j = pairs[s, 0], pairs[s, 1]
            stretch = math.hypot(position[j, 0] - position[i, 0], position[j, 1] - position[i, 1]) - rest_length[s]
            if stretch > 0.0:
                bears = stiffness[s] * stretch / force[b]
                if rest_length[s] > 0.0:
                    bears = max(bears, stretch / (rest_length[s] * strain[b]))
                if bears > load[b]:
                    load[b], row = bears, s
        if load[b] > 1.0 and (wait[b] == 0.0 or load[b] > TEARS_ON * last_load[b]):
            torn[b], last_load[b], wait[b] = row, load[b], WAIT
            count += 1
    return count
