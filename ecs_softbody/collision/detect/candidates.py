"""Candidates: contacts that may be needed before the next search, as the narrow phase
writes them.
"""

from typing import NamedTuple

from ecs_softbody.arrays import Integers2, Integers3, Uint32s2, Uint32s3
from ecs_softbody.parallel.compiling import inline


class Candidates(NamedTuple):
    """C contacts.

    Where more are found than there is capacity for, they are counted and not written.
    """

    # (C, 3): the point and both ends of the edge, which is one row for a disc
    rows: Uint32s2
    # (C, 2) the proxies of the point and of the edge; a body comes before a static edge
    proxies: Integers2


class FoundByThreads(NamedTuple):
    """Results of T threads: the arrays of Candidates, one behind the other."""

    rows: Uint32s3  # (T, C, 3)
    proxies: Integers3  # (T, C, 2)


@inline
def append(found: Candidates, count: int, p: int, a: int, b: int, i: int, j: int) -> int:
    """Write a contact of point p and edge a-b of the proxies i and j if it fits, and return the new
    count.
    """
    if count < found.rows.shape[0]:
        found.rows[count, 0] = p
        found.rows[count, 1] = a
        found.rows[count, 2] = b
        found.proxies[count, 0] = i
        found.proxies[count, 1] = j
    return count + 1
