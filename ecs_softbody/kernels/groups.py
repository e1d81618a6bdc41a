"""Groups of arrays that kernels of several folders take as one argument. A component's arrays have
the same names as the fields: `table.rows.group(Motion)` fills a group by these names.
"""

from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Floats2, Uint32s2


class Motion(NamedTuple):
    """Inputs and output of a force, for all particles of the world, N rows."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]
    inverse_mass: Floats1  # (N,) [1/kg], 0 for a particle that no force moves
    force: Floats2  # (N, 2) [N], the sum of the forces of this substep


class SpringLaw(NamedTuple):
    """Inputs of a spring force, for all springs, M rows."""

    packed_pairs: Uint32s2  # (M, 2): rows of both ends
    rest_length: Floats1  # (M,) [m]
    effective_stiffness: Floats1  # (M,) [N/m], limited for stability
    effective_damping: Floats1  # (M,) [N·s/m], limited for stability
