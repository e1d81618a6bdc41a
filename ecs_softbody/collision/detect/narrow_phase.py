"""NarrowPhase: finds the contacts of all pairs of proxies whose boxes overlap.

There is a kernel for each kind of pair: discs with discs (discs.py), bodies with edges and a body
with itself (edges.py), bodies with walls (walls.py). They write one behind the other into one list,
so it is always sorted by kind.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags
from ecs_softbody.collision.detect.candidates import Candidates, FoundByThreads
from ecs_softbody.collision.detect.discs import (
    CHUNKS,
    Finding,
    find_disc_contacts,
    join_chunks,
    parallel_disc_pairs,
)
from ecs_softbody.collision.detect.edges import find_contacts, find_own_contacts
from ecs_softbody.collision.detect.pairs import PairFinder
from ecs_softbody.collision.detect.proxies import Proxies
from ecs_softbody.collision.detect.static_edges import StaticEdges
from ecs_softbody.collision.detect.walls import find_wall_contacts
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.parallel.workers import Workers

LEAST_PAIRS = 256
"""Fewer pairs of discs than this are searched by one thread: sharing would take longer."""


class NarrowPhase:
    """Tests the shapes of the pairs whose boxes overlap; keeps the workspace of every thread."""

    def __init__(self, proxies: Proxies, walls: StaticEdges, pairs: PairFinder) -> None:
        self._proxies = proxies
        self._walls = walls
        self._pairs = pairs
        # Workspace of T threads, see FoundByThreads and Finding: rows and proxies of the contacts
        # that each finds, points of two bodies, and which thread has searched which chunk.
        self._rows = np.zeros((0, 0, 3), np.uint32)
        self._keys = np.zeros((0, 0, 2), np.int64)
        self._scratch = np.zeros((1, 0), np.uint32)
        self._chunks = np.zeros((CHUNKS, 3), np.int64)
        self._find_discs = PreparedCall(find_disc_contacts)
        self._find_edges = PreparedCall(find_contacts)
        self._find_walls = PreparedCall(find_wall_contacts)
        self._find_own = PreparedCall(find_own_contacts)
        self._share = PreparedCall(parallel_disc_pairs)

    def find(self, self_intersecting: Flags, workers: Workers, contacts: Candidates) -> int:
        """Write the contacts of all pairs to `contacts`; return how many there are.

        Beyond its capacity they are only counted. self_intersecting (B,): bodies that get no
        contacts with themselves.
        """
        proxies = self._proxies
        pairs = self._pairs
        shapes = proxies.shapes
        bounds = proxies.bounds
        if workers.are_used and len(pairs.disc_pairs) >= LEAST_PAIRS:
            count = self.share_discs(workers, contacts)
        else:
            count = self.find_discs(contacts) if pairs.disc_count else 0
        if len(pairs.outline_pairs):
            velocity = proxies.velocity
            count = self._find_edges.bind(pairs.outline_pairs, shapes, bounds, velocity, contacts)(
                proxies.seconds_ahead, count
            )
        if pairs.wall_count:
            count = self._find_walls.bind(
                pairs.wall_pairs, shapes, bounds, self._walls.edges, contacts
            )(count)
        if not np.count_nonzero(proxies.self_collision):
            return count
        wanted = proxies.self_collision & ~proxies.asleep & ~self_intersecting
        return self._find_own.bind(wanted, shapes, bounds, contacts)(count)

    def find_discs(self, contacts: Candidates) -> int:
        """Write the contacts of two bodies without outlines; return how many there are."""
        shapes = self._proxies.shapes
        bounds = self._proxies.bounds
        return self._find_discs.bind(
            self._pairs.disc_pairs, shapes, bounds, self._allocate_scratch(1)[0], contacts
        )(0)

    def share_discs(self, workers: Workers, contacts: Candidates) -> int:
        """Do as `find_discs` with all threads; the order of the contacts is the same."""
        threads = workers.threads
        capacity = len(contacts.rows)
        shapes = self._proxies.shapes
        if self._rows.shape[:2] != (threads, capacity):
            self._rows = np.zeros((threads, capacity, 3), np.uint32)
            self._keys = np.zeros((threads, capacity, 2), np.int64)
        counts = np.zeros(threads, np.int64)
        found = FoundByThreads(self._rows, self._keys)
        scratch = self._allocate_scratch(threads)
        pairs = self._pairs.disc_pairs
        bounds = self._proxies.bounds
        self._share.bind(Finding(pairs, shapes, bounds, scratch, found, counts, self._chunks))
        workers.run(self._share)
        total = int(counts.sum())
        if total <= capacity:
            join_chunks(self._chunks, found, contacts)
        return total

    def _allocate_scratch(self, threads: int) -> np.ndarray:
        """Return workspace (T, 2 K) in which each thread lists points of two bodies.

        K is the number of points of all outlines: no body has more.
        """
        shape = threads, 2 * max(len(self._proxies.outlines.points), 1)
        if self._scratch.shape != shape:
            self._scratch = np.zeros(shape, np.uint32)
        return self._scratch
