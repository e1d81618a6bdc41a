"""Nets: the plan of fragments for bodies without a closed outline, such as ropes and cloth.

A cut removes the springs (or distance limits) that it crosses. The rows (particles) that are then
no longer connected become fragments; no points are added.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ecs_softbody.arrays import Floats, Indices
from ecs_softbody.elementary.rows import length
from ecs_softbody.elementary.sums import dot
from ecs_softbody.fracture.plan import Part, Plan
from ecs_softbody.indices import flatnonzero


def springs_across(position: Floats, pairs: Indices, start: Floats, end: Floats) -> set[int]:
    """Return the rows of the springs that the segment from `start` to `end` crosses; the two points
    differ. position (N, 2) [m]: of the particles; pairs (M, 2): ends of the springs.
    """
    cut = length(end - start)
    along = (end - start) / cut
    position = position - start
    side = along[0] * position[:, 1] - along[1] * position[:, 0]
    one = side[pairs[:, 0]]
    two = side[pairs[:, 1]]
    crosses_line = (one >= 0.0) != (two >= 0.0)
    between = np.where(crosses_line, one - two, 1.0)
    share = np.where(crosses_line, one / between, 0.0)[:, None]
    crossing = (1.0 - share) * position[pairs[:, 0]] + share * position[pairs[:, 1]]
    distance = dot(crossing, along)
    return set(flatnonzero(crosses_line & (distance >= 0.0) & (distance <= cut)).tolist())


def plan_of_net(count: int, pairs: Indices, severed: Iterable[int]) -> Plan:
    """Return the fragments of a body of `count` rows whose severed springs are removed.

    A body may consist of several groups that no spring connects. Groups that lose no spring stay
    together in one fragment; each other group falls into its connected parts. If there is one part
    only, the body stays whole. pairs (M, 2): ends of the springs; severed: rows of springs.
    """
    severed = set(severed)
    before = _groups(count, pairs.tolist())
    after = _groups(count, [pair for row, pair in enumerate(pairs.tolist()) if row not in severed])
    opened = {before[pairs[row, 0]] for row in severed}
    members: dict[int, list[int]] = {}
    for row in range(count):
        # -1: all groups that lose no spring, which stay together
        group = after[row] if before[row] in opened else -1
        members.setdefault(group, []).append(row)
    parts = sorted(members.values())
    # Fragments have no new points: each is one of the old rows.
    return Plan(np.eye(count), [Part(rows) for rows in parts], severed)


def _groups(count: int, pairs: list[list[int]]) -> list[int]:
    """Return for each row the smallest row of its connected group (union-find)."""
    parent = list(range(count))

    def root(row: int) -> int:
        """Return the lowest row of the group so far."""
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    for a, b in pairs:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    return [root(row) for row in range(count)]
