"""Springs of fragments: those that stay whole, those that now end at the cut, and the skin along it."""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags, Floats, Indices, Integers
from ecs_softbody.components import AngularSprings, Springs
from ecs_softbody.elementary.rows import angles, lengths
from ecs_softbody.fracture.outlines import Outlined
from ecs_softbody.fracture.plan import Part, Plan
from ecs_softbody.kernels.materials.severed import join_severed

New = list[tuple[int, int, int]]
"""(point, point, row of the spring that it is like): a spring that the body has not."""
NO_ROWS = np.zeros(0, np.int64)

SHORTEST = 0.2
"""A severed spring that would be shorter than this times the mean edge at rest ends at the cut."""
NEARBY = 1.0
"""It is joined to a particle of the cut no further than this times the mean edge from where it was cut."""


class SplitSprings:
    """Finds the springs of every part of a plan."""

    def __init__(self, plan: Plan, springs: Springs, body: Outlined | None) -> None:
        self._plan, self._springs, self._body = plan, springs, body
        self._pairs = springs.pairs.astype(np.int64)
        self._within = np.zeros((len(plan.parts), len(plan.weights)), np.bool_)
        for within, part in zip(self._within, plan.parts, strict=True):
            within[part.numbers] = True
        self._both = self._within[:, self._pairs[:, 0]] & self._within[:, self._pairs[:, 1]]
        self._crossing = np.flatnonzero(~self._both.any(axis=0))
        self._both[:, sorted(plan.severed)] = False
        if body is not None:
            assert plan.position is not None
            assert plan.rest is not None
            self._position, self._rest = plan.position, plan.rest
            ends = body.rest[self._pairs]
            length = lengths(ends[:, 1] - ends[:, 0])
            self._ratio = np.where(length > 0.0, springs.rest_length / np.where(length > 0.0, length, 1.0), 1.0)
            self._all_keys = self._keys(self._pairs)
            keys = self._all_keys.tolist()
            self._skin, self._bend = (self._usual_row(body, step, keys) for step in (1, 2))

    def of(self, number: int) -> tuple[Springs | None, Integers]:
        """Return the springs of a part, counting its rows, None without any; and which of the body's come first."""
        part, rows = self._plan.parts[number], np.flatnonzero(self._both[number])
        new: New = []
        if self._body is not None:
            joined = set(self._all_keys[rows].tolist())
            self._add_severed(number, part, new, joined)
            self._add_skin(part, new, joined)
        added = np.array(new, np.int64).reshape(-1, 3)
        if not len(rows) + len(added):
            return None, NO_ROWS
        springs = self._springs.copied(np.concatenate((rows, added[:, 2])))
        springs.row_arrays["pairs"][:] = self._plan.rows_in(part)[np.concatenate((self._pairs[rows], added[:, :2]))]
        if len(added):
            ends = self._rest[added[:, 0]] - self._rest[added[:, 1]]  # at rest as long as the body's are there
            springs.rest_length[len(rows) :] = lengths(ends) * self._ratio[added[:, 2]]
            for name in ("set_length", "play", "original_length"):
                springs.stage_column(name)[len(rows) :] = 0.0
        return springs, rows

    def _keys(self, pairs: Integers) -> Integers:
        """Return one number for each pair of points (M, 2), the same either way round."""
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        keys: Integers = low * len(self._plan.weights) + high
        return keys

    def _usual_row(self, body: Outlined, step: int, keys: list[int]) -> int | None:
        """Return the spring of median stiffness among those from each row of the ring to the one `step` further."""
        ring, one, two = body.ring, self._pairs[:, 0], self._pairs[:, 1]
        further = np.full(len(body.position), -1, np.int64)
        further[ring] = np.concatenate((ring[step:], ring[:step]))
        rows = np.flatnonzero((further[one] == two) | (further[two] == one))
        if 2 * len({keys[row] for row in rows.tolist()}) < len(ring):
            return None
        return _usual(rows, self._springs.stiffness)

    def _add_severed(self, number: int, part: Part, new: New, joined: set[int]) -> None:
        """Join springs whose other end is in another part to the particle of the cut nearest to where they cross it."""
        assert self._body is not None
        if not len(self._crossing):
            return
        cut = np.array(sorted(part.on_cut), np.int64)
        ends = np.array([(path[0], path[-1]) for path in part.cuts], np.int64).reshape(-1, 2)
        found = np.empty((len(self._crossing), 3), np.int64)
        reach = np.array((NEARBY * self._body.spacing, SHORTEST * self._body.spacing))
        count = join_severed(
            self._pairs, self._crossing, self._within[number], part.is_cut(len(self._within[number])), cut, ends,
            self._position, self._rest, reach, found,
        )  # fmt: skip
        for a, b, row in found[:count].tolist():
            self._add(a, b, row, new, joined)

    def _add(self, a: int, b: int, row: int, new: New, joined: set[int]) -> None:
        key = min(a, b) * len(self._plan.weights) + max(a, b)
        if a != b and key not in joined:
            joined.add(key)
            new.append((a, b, row))

    def _add_skin(self, part: Part, new: New, joined: set[int]) -> None:
        """Give the cut a skin like that of the outline, and its stiffness in bending where the outline has one.

        What is left of an edge that the cut crosses gets it, too, however short: gas would open a skin with a gap.
        """
        assert part.ring is not None
        count, on_cut = len(part.ring), part.on_cut
        if self._skin is not None:
            for a, b in zip(part.ring, part.ring[1:] + part.ring[:1], strict=True):
                if a in on_cut or b in on_cut:
                    self._add(a, b, self._skin, new, joined)
        if self._bend is not None and count > 4:
            for k, middle in enumerate(part.ring):
                before, after = part.ring[k - 1], part.ring[(k + 1) % count]
                if before in on_cut or middle in on_cut or after in on_cut:
                    self._add(before, after, self._bend, new, joined)


def angular_springs_of(
    part: Part, plan: Plan, springs: AngularSprings, body: Outlined | None
) -> tuple[AngularSprings | None, Integers]:
    """Return the angular springs whose rows stay together, and some like the outline's along the cut, as `of` does."""
    triples, local = springs.triples.astype(np.int64), plan.rows_in(part)
    made = np.flatnonzero((local[triples] >= 0).all(axis=1))
    new, usual = np.zeros((0, 3), np.int64), 0
    if body is not None and part.ring is not None:
        around = _around(triples, body.ring, plan.old_count)
        rows = np.flatnonzero(around)
        if 2 * len(rows) >= len(body.ring):
            usual = _usual(rows, springs.stiffness)
            held = set(triples[made[around[made]], 1].tolist())
            corners = zip([part.ring[-1], *part.ring], part.ring, [*part.ring[1:], part.ring[0]], strict=False)
            new = np.array([corner for corner in corners if corner[1] not in held], np.int64).reshape(-1, 3)
    if not len(made) and not len(new):
        return None, NO_ROWS
    result = springs.copied(np.concatenate((made, np.full(len(new), usual))))
    result.row_arrays["triples"][:] = local[np.concatenate((triples[made], new))]
    if len(new):
        assert plan.rest is not None
        _measure_angles(result, plan.rest[new], len(made))
    return result, made


def _usual(rows: Integers, stiffness: Floats) -> int:
    """Return the row of median stiffness among some."""
    return int(rows[np.lexsort((rows, stiffness[rows]))[len(rows) // 2]])


def _around(triples: Integers, ring: Indices, count: int) -> Flags:
    """Return which triples go from a row of a ring to both of its neighbours, among `count` rows."""
    before, after = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    before[ring] = np.concatenate((ring[-1:], ring[:-1]))
    after[ring] = np.concatenate((ring[1:], ring[:1]))
    one, middle, two = triples.T
    along = (before[middle] == one) & (after[middle] == two)
    against = (before[middle] == two) & (after[middle] == one)
    found: Flags = along | against
    return found


def _measure_angles(springs: AngularSprings, corners: Floats, first: int) -> None:
    """Set the rest angles and arms of the rows from `first` on by the rest shape, corners (T, 3, 2)."""
    one, two = corners[:, 0] - corners[:, 1], corners[:, 2] - corners[:, 1]
    cross = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    springs.rest_angle[first:] = angles(cross, (one * two).sum(axis=1))
    springs.arms[first:] = np.column_stack((lengths(one), lengths(two)))
    for name in ("original_angle", "set_angle", "play"):
        springs.stage_column(name)[first:] = 0.0
