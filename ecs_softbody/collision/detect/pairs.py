"""PairFinder: the pairs of proxies that are near each other, the result of the broad phase.

Proxies are bodies, then static edges; a pair is near if the boxes overlap, which are grown by the
margins. The narrow phase takes the pairs in three groups.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.collision.detect.filters import Filters
from ecs_softbody.collision.detect.grid import Grid, find_pairs, sort_pairs
from ecs_softbody.storage.resource import Resource, Whole, WholeArray
from ecs_softbody.storage.saved import Saved


class PairFinder(Resource):
    """Finds the pairs of a search, and keeps them until the next one: `pairs` (P, 2), lower proxy
    first.

    The first `disc_count` pairs are of two bodies without outlines, the last `wall_count` pairs of
    a body and a static edge; the pairs between are of two bodies, at least one with an outline.
    """

    made = ("disc_count", "wall_count")
    saved = (
        WholeArray("found", ("room", 2), "Bodies and the proxies near them, lower one first."),
        Whole("count", "How many of these pairs are in use.", least=0),
    )

    def __init__(self) -> None:
        # With room for more pairs than `count`.
        self.found = np.zeros((256, 2), np.int64)
        self._sorted = np.zeros((256, 2), np.int64)
        self._counts = np.zeros(3, np.int64)
        self._grid = new_grid(0)
        self.count = self.disc_count = self.wall_count = 0

    @property
    def pairs(self) -> Integers:
        """The pairs of the last search."""
        return self.found[: self.count]

    @property
    def disc_pairs(self) -> Integers:
        """The pairs of bodies without outlines."""
        return self.found[: self.disc_count]

    @property
    def outline_pairs(self) -> Integers:
        """The pairs of two bodies, at least one of which has an outline."""
        return self.found[self.disc_count : self.count - self.wall_count]

    @property
    def wall_pairs(self) -> Integers:
        """The pairs of a body and a static edge."""
        return self.found[self.count - self.wall_count : self.count]

    def load(self, saved: Saved) -> None:
        """Load the pairs of a file, with proxies that exist."""
        super().load(saved)
        body_count = saved.lengths["bodies"]
        proxy_count = saved.lengths["proxies"]
        found = self.found[: self.count]
        if self.count > len(self.found):
            saved.fail("count", self.count, f"at most {len(self.found)}")
        self.found = np.zeros((max(self.count, 256), 2), np.int64)
        self.found[: self.count] = found
        first, second = found.T
        if self.count and not (
            found.min() >= 0 and first.max() < body_count and second.max() < proxy_count
        ):
            saved.fail(
                "found", "a pair", f"bodies below {body_count}, and proxies below {proxy_count}"
            )

    def find(self, box: Floats, body_count: int, filters: Filters, asleep: Flags) -> None:
        """Find the pairs (body, body) and (body, edge) whose boxes (I, 4) overlap.

        asleep (B,): sleeping bodies are paired with awake bodies only. The grid counts the pairs
        that did not fit, so a second search has room for all.
        """
        if len(self._grid.cell) != len(box):
            self._grid = new_grid(len(box))
        while True:
            self.count = find_pairs(box, body_count, filters, asleep, self._grid, self.found)
            if self.count <= len(self.found):
                break
            self.found = np.zeros((self.count + self.count // 4, 2), np.int64)

    def keep(self, kept: Flags) -> None:
        """Keep some of the pairs, given by flags (P,)."""
        left = self.pairs[kept]
        self.count = len(left)
        self.found[: self.count] = left

    def sort(self, body_count: int, kind: Integers) -> None:
        """Put the pairs in groups, each in the order in which its pairs were found.

        kind (B,): DISCS, CHAIN, LOOP or FILLED, of the bodies' outlines.
        """
        if len(self._sorted) < self.count:
            self._sorted = np.zeros_like(self.found)
        sort_pairs(self.pairs, body_count, kind, self._counts, self._sorted)
        # The pairs are copied back, so that `found` keeps its room.
        self.found[: self.count] = self._sorted[: self.count]
        self.disc_count, _, self.wall_count = self._counts.tolist()


def new_grid(count: int) -> Grid:
    """Return a grid for `count` proxies: with at least as many cells, in rows of a power of two."""
    width = 4
    while width * width < count:
        width *= 2
    return Grid(
        width,
        cell=np.zeros(count, np.int64),
        start=np.zeros(width * width + 1, np.int64),
        order=np.zeros(count, np.int64),
        box=np.zeros((count, 4)),
    )
