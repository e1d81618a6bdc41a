"""Candidates: the narrow phase's output, pairs of a point and an edge that come near each other.

A candidate is a contact without geometry: two surfaces that are closer than the sum of their
margins, so that they may touch before the next search for contacts.
"""

from typing import NamedTuple

from ecs_softbody.arrays import Integers2, Integers3, Uint32s2, Uint32s3
from ecs_softbody.parallel.compiling import inline


class Candidates(NamedTuple):
    """Room for C contacts.

    If a search finds more, it counts them without writing them, and is repeated with more room.
    """

    # (C, 3) rows of the point p and of the edge's ends a and b; a = b for a disc. Rows are
    # particles first, then vertices of walls
    rows: Uint32s2
    # (C, 2) proxies i and j that these belong to: bodies first, then static edges. i owns the
    # point, unless that is the corner of a wall: then i is the body with the edge, j the wall's
    # edge
    proxies: Integers2


class FoundByThreads(NamedTuple):
    """The arrays of Candidates for each of T threads, with room for C contacts each."""

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
