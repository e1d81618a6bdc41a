"""Springs of fragments: those that stay whole, those that now end at the cut, and the skin along it."""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.components import AngularSprings, Springs
from ecs_softbody.elementary.rows import angles, lengths
from ecs_softbody.fracture.outlines import Outlined
from ecs_softbody.fracture.plan import Part, Plan

Made = list[tuple[int, int, int, float | None]]
"""(point, point, row of the spring that it is like, rest length or None: the same)."""
Rows = dict[int, int]
"""Row of the body to row of the fragment."""

SHORTEST = 0.2
"""A severed spring that would be shorter than this times the mean edge at rest ends at the cut."""
NEARBY = 1.0
"""It is joined to a particle of the cut no further than this times the mean edge from where it was cut."""


class SplitSprings:
    """Finds the springs of every part of a plan."""

    def __init__(self, plan: Plan, springs: Springs, body: Outlined | None) -> None:
        self._plan, self._springs, self._body = plan, springs, body
        self._homes = {point: set(numbers) for point, numbers in plan.homes().items()}
        self._pairs = springs.pairs.astype(int)
        if body is not None:
            self._position, self._rest = plan.of(body.position), plan.of(body.rest)
            ends = body.rest[self._pairs]
            length = lengths(ends[:, 1] - ends[:, 0])
            self._ratio = np.where(length > 0.0, springs.rest_length / np.where(length > 0.0, length, 1.0), 1.0)
            self._skin, self._bend = (self._usual_row(body, step) for step in (1, 2))

    def of(self, number: int) -> tuple[Springs | None, Rows]:
        """Return the springs of a part, counting its rows, None without any; and where the body's are among them."""
        part = self._plan.parts[number]
        made: Made = [
            (a, b, row, None)
            for row, (a, b) in enumerate(self._pairs.tolist())
            if a in part.local and b in part.local and row not in self._plan.severed
        ]
        if self._body is not None:
            joined = {frozenset((a, b)) for a, b, _, _ in made}
            self._add_severed(number, part, made, joined)
            self._add_skin(part, made, joined)
        if not made:
            return None, {}
        kept = {row: index for index, (_, _, row, rest) in enumerate(made) if rest is None}
        springs = self._springs.copied(np.array([row for _, _, row, _ in made]))
        springs.row_arrays["pairs"][:] = [(part.local[a], part.local[b]) for a, b, _, _ in made]
        for index, (_, _, _, rest) in enumerate(made):
            if rest is not None:
                springs.rest_length[index] = rest
                for name in ("set_length", "play", "original_length"):
                    springs.stage_column(name)[index] = 0.0
        return springs, kept

    def _usual_row(self, body: Outlined, step: int) -> int | None:
        """Return the spring of median stiffness among those from each row of the ring to the one `step` further."""
        after = np.roll(body.ring, -step)
        ring = {frozenset(pair) for pair in zip(body.ring.tolist(), after.tolist(), strict=True)}
        rows = [row for row, pair in enumerate(self._pairs.tolist()) if frozenset(pair) in ring]
        if 2 * len({frozenset(self._pairs[row].tolist()) for row in rows}) < len(body.ring):
            return None
        return sorted(rows, key=lambda row: (self._springs.stiffness[row], row))[len(rows) // 2]

    def _rest_length(self, a: int, b: int, row: int) -> float:
        """Return the rest length of a spring like `row` between two points, in proportion to the rest shape."""
        return float(lengths(self._rest[a] - self._rest[b]) * self._ratio[row])

    def _add_severed(self, number: int, part: Part, made: Made, joined: set[frozenset[int]]) -> None:
        """Join springs whose other end is in another part to the particle of the cut nearest to where they cross it."""
        assert self._body is not None
        cut = np.array(sorted(part.on_cut))
        for row, (a, b) in enumerate(self._pairs.tolist()):
            if self._homes[a] & self._homes[b]:
                continue
            near, far = (a, b) if number in self._homes[a] else (b, a)
            if number not in self._homes[near] or near in part.on_cut:
                continue
            cut_point = self._cut_point(near, far, part)
            away = lengths(self._position[cut] - cut_point)
            point = int(cut[np.argmin(away)])
            long = lengths(self._rest[near] - self._rest[point])
            if away.min() <= NEARBY * self._body.spacing and long > SHORTEST * self._body.spacing:
                self._add(near, point, row, made, joined)

    def _cut_point(self, near: int, far: int, part: Part) -> Floats:
        """Return where a spring crosses one of the cuts that bound a part: the line through both ends of it."""
        best, start, end = 2.0, self._position[near], self._position[far]
        for path in part.cuts:
            first, last = self._position[path[0]], self._position[path[-1]]
            one, two = (
                (last[0] - first[0]) * (end_point[1] - first[1]) - (last[1] - first[1]) * (end_point[0] - first[0])
                for end_point in (start, end)
            )
            if (one > 0.0) != (two > 0.0):
                best = min(best, float(one / (one - two)))
        share = best if best <= 1.0 else 0.5
        where: Floats = (1.0 - share) * start + share * end
        return where

    def _add(self, a: int, b: int, row: int, made: Made, joined: set[frozenset[int]]) -> None:
        if a != b and frozenset((a, b)) not in joined:
            joined.add(frozenset((a, b)))
            made.append((a, b, row, self._rest_length(a, b, row)))

    def _add_skin(self, part: Part, made: Made, joined: set[frozenset[int]]) -> None:
        """Give the cut a skin like that of the outline, and its stiffness in bending where the outline has one.

        What is left of an edge that the cut crosses gets it, too, however short: gas would open a skin with a gap.
        """
        assert part.ring is not None
        count = len(part.ring)
        if self._skin is not None:
            for a, b in zip(part.ring, part.ring[1:] + part.ring[:1], strict=True):
                if part.on_cut & {a, b}:
                    self._add(a, b, self._skin, made, joined)
        if self._bend is not None and count > 4:
            for k, middle in enumerate(part.ring):
                before, after = part.ring[k - 1], part.ring[(k + 1) % count]
                if part.on_cut & {before, middle, after}:
                    self._add(before, after, self._bend, made, joined)


def angular_springs_of(
    part: Part, plan: Plan, springs: AngularSprings, body: Outlined | None
) -> tuple[AngularSprings | None, Rows]:
    """Return the angular springs whose rows stay together, and some like the outline's along the cut, as `of` does."""
    triples = springs.triples.tolist()
    made = [(points, row) for row, points in enumerate(triples) if all(point in part.local for point in points)]
    new: list[tuple[list[int], int]] = []
    if body is not None and part.ring is not None:
        ring = body.ring.tolist()
        neighbours = {row: {ring[k - 1], ring[(k + 1) % len(ring)]} for k, row in enumerate(ring)}
        around = [row for row, (i, j, k) in enumerate(triples) if neighbours.get(j) == {i, k}]
        if 2 * len(around) >= len(ring):
            usual = sorted(around, key=lambda row: (springs.stiffness[row], row))[len(around) // 2]
            held = {points[1] for points, row in made if row in around}
            count = len(part.ring)
            new = [
                ([part.ring[k - 1], point, part.ring[(k + 1) % count]], usual)
                for k, point in enumerate(part.ring)
                if point not in held
            ]
    if not made and not new:
        return None, {}
    result = springs.copied(np.array([row for _, row in made + new]))
    result.row_arrays["triples"][:] = [[part.local[point] for point in points] for points, _ in made + new]
    if new and body is not None:
        _measure_angles(result, plan.of(body.rest)[np.array([points for points, _ in new])], len(made))
    return result, {row: index for index, (_, row) in enumerate(made)}


def _measure_angles(springs: AngularSprings, corners: Floats, first: int) -> None:
    """Set the rest angles and arms of the rows from `first` on by the rest shape, corners (T, 3, 2)."""
    one, two = corners[:, 0] - corners[:, 1], corners[:, 2] - corners[:, 1]
    cross = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    springs.rest_angle[first:] = angles(cross, (one * two).sum(axis=1))
    springs.arms[first:] = np.column_stack((lengths(one), lengths(two)))
    for name in ("original_angle", "set_angle", "play"):
        springs.stage_column(name)[first:] = 0.0
