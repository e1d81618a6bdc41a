"""PairFinder: the pairs of items that are near each other, in groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.broad_phase import find_pairs, sort_pairs


class PairFinder:
    """Finds the pairs that may touch, and keeps the arrays that this needs: `pairs` (P, 2), lower item first.

    Those of two bodies without outlines come first, `disc_count` of them; those of a body and a wall come last,
    `wall_count` of them.
    """

    def __init__(self) -> None:
        self._found, self._sorted = np.zeros((256, 2), np.int64), np.zeros((256, 2), np.int64)
        self._counts = np.zeros(3, np.int64)
        self._cell = self._order = np.zeros(0, np.int64)
        self._start, self._box = np.zeros(0, np.int64), np.zeros((0, 4))
        self.count = self.disc_count = self.wall_count = 0

    @property
    def pairs(self) -> NDArray[np.int64]:
        """The pairs of the last search."""
        return self._found[: self.count]

    @property
    def disc_pairs(self) -> NDArray[np.int64]:
        """The pairs of bodies without outlines."""
        return self._found[: self.disc_count]

    @property
    def outline_pairs(self) -> NDArray[np.int64]:
        """The other pairs of bodies."""
        return self._found[self.disc_count : self.count - self.wall_count]

    @property
    def wall_pairs(self) -> NDArray[np.int64]:
        """The pairs of a body and a static edge."""
        return self._found[self.count - self.wall_count : self.count]

    def find(
        self,
        box: NDArray[np.float64],
        body_count: int,
        category: NDArray[np.uint32],
        mask: NDArray[np.uint32],
        still: NDArray[np.bool_],
    ) -> None:
        """Find the pairs (body, body) and (body, edge) whose boxes (I, 4) overlap, see `find_pairs`."""
        width = 4
        while width * width < len(box):
            width *= 2
        if len(self._start) != width * width + 1:
            self._start = np.zeros(width * width + 1, np.int64)
        if len(self._order) != len(box):
            self._cell, self._order = np.zeros(len(box), np.int64), np.zeros(len(box), np.int64)
            self._box = np.zeros((len(box), 4))
        while True:
            self.count = find_pairs(
                box, body_count, category, mask, still, width, self._cell, self._start, self._order, self._box,
                self._found,
            )  # fmt: skip
            if self.count <= len(self._found):
                break
            self._found = np.zeros((self.count + self.count // 4, 2), np.int64)

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Keep some of the pairs, given by flags (P,)."""
        left = self.pairs[kept]
        self.count = len(left)
        self._found[: self.count] = left

    def sort(self, body_count: int, ringed: NDArray[np.bool_]) -> None:
        """Put the pairs in groups, each in the order in which its pairs were found."""
        if len(self._sorted) < self.count:
            self._sorted = np.zeros_like(self._found)
        sort_pairs(self.pairs, body_count, ringed, self._counts, self._sorted)
        self._found, self._sorted = self._sorted, self._found
        self.disc_count, _, self.wall_count = self._counts.tolist()
