"""Tearing: finds the overloaded springs at the end of a substep; `processors/materials/tearing.py`
removes them. The load of a spring is the larger of its stretch and its tension, each over its
limit:

    (l - L) / (L · strain)   and   k (l - L) / force

with the stiffness k of the acting force, limited for stability. A load above 1 tears, the most
loaded spring of a body first, one in a substep. For a while after a tear only a load that exceeds
the torn one by a tenth tears on: the other springs of a rope had the same load a moment ago and are
about to be relieved, while springs beside the end of a tear are loaded more.
"""

from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Floats2, Integers1
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.groups import SpringLaw
from ecs_softbody.parallel.compiling import entry

TEARS_ON = 1.1
"""Within WAIT after a tear, loads above this multiple of that tear's load tear. All springs of a
loaded rope carry the same load: without the wait the next one would tear in the next substep.
"""
WAIT = 0.25
"""How long after a tear only larger loads tear [s]."""


class Tears(NamedTuple):
    """Values of the bodies that tear, (B,) each; body b has the springs [spring_first[b],
    spring_last[b]).
    """

    spring_first: Integers1
    spring_last: Integers1
    strain: Floats1  # Stretch over rest length that tears
    force: Floats1  # Tension that tears [N]
    wait: Floats1  # Written: time left in which only larger loads tear [s]
    last_load: Floats1  # Written: load of the last tear
    load: Floats1  # Written: the largest load of a spring of the body
    torn: Integers1  # Written: row of the spring that tears now, or -1


@entry
def find_torn(
    active: Integers1, tears: Tears, springs: SpringLaw, position: Floats2, dt: float
) -> int:
    """Write load, torn and the state of waiting of each body in `active`; return how many bodies
    tear. position: (N, 2) [m].
    """
    first = tears.spring_first
    last = tears.spring_last
    strain = tears.strain
    force = tears.force
    wait = tears.wait
    last_load = tears.last_load
    load = tears.load
    torn = tears.torn
    pairs = springs.packed_pairs
    rest_length = springs.rest_length
    stiffness = springs.effective_stiffness
    count = 0
    for b in active:
        wait[b] = max(wait[b] - dt, 0.0)
        load[b] = 0.0
        torn[b] = -1
        row = -1
        for s in range(first[b], last[b]):
            i = pairs[s, 0]
            j = pairs[s, 1]
            stretch = (
                hypot(position[j, 0] - position[i, 0], position[j, 1] - position[i, 1])
                - rest_length[s]
            )
            if stretch > 0.0:
                bears = stiffness[s] * stretch / force[b]
                if rest_length[s] > 0.0:
                    bears = max(bears, stretch / (rest_length[s] * strain[b]))
                if bears > load[b]:
                    load[b] = bears
                    row = s
        if load[b] > 1.0 and (wait[b] == 0.0 or load[b] > TEARS_ON * last_load[b]):
            torn[b] = row
            last_load[b] = load[b]
            wait[b] = WAIT
            count += 1
    return count
