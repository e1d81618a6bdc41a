"""Plan: which points the fragments of a body have, before anything is made.

With N rows (particles) of the body, a point is an old row, numbered as that, or a new one on a cut,
numbered from N on. Every point is a weighted mean of old rows, `weights` (P, N), the identity for
the old ones: so every column of the body has a value at new points, too. A point on a cut belongs
to the fragments on both sides: each gets a particle there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import length
from ecs_softbody.elementary.sums import dot
from ecs_softbody.indices import arange, argmax, taken
from ecs_softbody.kernels.materials.parted import Parts

Points = list[int]
"""Numbers of points of a plan."""


@dataclass
class Part:
    """The points of one fragment, whose rows are in this order.

    `ring`: the points of its closed outline, in order around it; None for a net. `cuts`: the points
    along each of its cuts, from end to end.
    """

    points: Points
    ring: Points | None = None
    cuts: list[Points] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.local = {point: row for row, point in enumerate(self.points)}
        """The row in the fragment of each of its points."""
        self.on_cut = {point for cut in self.cuts for point in cut}
        self.numbers = np.array(self.points, np.int64)
        """(n,) the points, as an array."""
        self.is_on_cut = np.array([point in self.on_cut for point in self.points], np.bool_)
        self.inward = np.zeros((len(self.points), 2))
        """Offset (n, 2) [m] of each point from where the plan has it, see `draw_in`."""

    def draw_in(self, position: Floats, far: float) -> None:
        """Move the points along its cuts inwards by `far` [m], so that both sides of a cut do not
        coincide. position (P, 2) [m]: of all points.

        Inwards is left of the direction in which the ring, counter-clockwise, runs along the cut;
        for a ring that runs clockwise `far` is negative.
        """
        ring = self.ring
        assert ring is not None
        for cut in self.cuts:
            along = position[cut[-1]] - position[cut[0]]
            if ring[(ring.index(cut[0]) + 1) % len(ring)] != cut[1]:
                along = -along
            size = length(along)
            if size > 0.0:
                self.inward[[self.local[point] for point in cut]] = (
                    far / size * np.array((-along[1], along[0]), np.float64)
                )


@dataclass
class Plan:
    """The fragments of a body, its parts, and the springs that the cut removes."""

    weights: Floats
    """(P, N) how much of each old row each point is; the sum of each point is 1."""
    parts: list[Part]
    severed: set[int] = field(default_factory=set)
    """Rows of springs that the cut removes without replacing them."""
    position: Floats | None = None
    rest: Floats | None = None
    """(P, 2) [m] of all points, now and in the rest shape; None for a net."""

    @property
    def old_count(self) -> int:
        """Number of rows of the body."""
        return int(self.weights.shape[1])

    @cached_property
    def sources(self) -> NDArray[np.int64]:
        """(P,) the old row that has most weight in each point: it gets that row's other values."""
        return argmax(self.weights, axis=1)

    def rows_in(self, part: Part) -> NDArray[np.int64]:
        """Return the row (P,) that every point of the plan has in a part, -1 if it has none."""
        rows = np.full(len(self.weights), -1, np.int64)
        rows[part.numbers] = arange(len(part.numbers))
        return rows

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The points of all parts, one part after the other.

        It is made once, so it must not be read before all parts are known; nor must `spans`.
        """
        return np.concatenate([part.numbers for part in self.parts])

    @cached_property
    def spans(self) -> list[slice]:
        """Slice of `numbers` for the points of each part."""
        ends = np.cumsum([len(part.numbers) for part in self.parts], dtype=np.int64).tolist()
        return [slice(first, last) for first, last in zip([0, *ends], ends, strict=False)]

    @cached_property
    def listed(self) -> Parts:
        """The parts as arrays, for kernels."""
        rings = [part.ring or [] for part in self.parts]
        ends = [[(path[0], path[-1]) for path in part.cuts] for part in self.parts]
        return Parts(
            self.numbers,
            np.concatenate([part.is_on_cut for part in self.parts]),
            _starts([part.points for part in self.parts]),
            np.array([*chain(*rings)], np.int64),
            _starts(rings),
            np.array([*chain(*ends)], np.int64).reshape(-1, 2),
            _starts(ends),
        )

    def placed(self, position: Floats) -> Floats:
        """Return where the particles of all parts are [m], in the order of `numbers`: the position
        (P, 2) of their points, drawn in at cuts.
        """
        placed: Floats = taken(position, self.numbers)
        placed += np.concatenate([part.inward for part in self.parts])
        return placed

    def of(self, values: Floats) -> Floats:
        """Interpolate values of the old rows (N, ...) to all points (P, ...)."""
        result: Floats = np.concatenate((values, dot(self.weights[self.old_count :], values)))
        return result

    def homes(self) -> dict[int, list[int]]:
        """Return for each point the parts that it belongs to, by their place in `parts`."""
        homes: dict[int, list[int]] = {}
        for number, part in enumerate(self.parts):
            for point in part.points:
                homes.setdefault(point, []).append(number)
        return homes


def _starts(lists: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    """Return where each list begins if they are joined to one, and where the last one ends."""
    return np.array([0, *accumulate(map(len, lists))], np.int64)
