"""Forest: the springs of a world that are in no loop (ropes, strings, trees), solved together.

For the solver `xpbd`. Cutting a spring that is in no loop leaves its two ends unconnected; such
springs form trees. The equations of a tree can be eliminated from its leaves to its root and back,
which gives the exact implicit step, where sweeps would carry a load along a rope by one spring each
(kernels/xpbd/trees.py has the formulas).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles, Springs
from ecs_softbody.elementary.rows import distinct
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.xpbd.springs import LINE, ImplicitSprings
from ecs_softbody.kernels.xpbd.trees import (
    NODE,
    balance_torque,
    begin_forest,
    eliminate_forest,
    find_forest,
    list_links,
    pull_forest,
)
from ecs_softbody.storage import PackedBuffers


class Forest:
    """Finds the springs that are in no loop, after any came or went, and solves the springs of
    active bodies.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        # Version of the packed buffers, and active rows of springs, of the lists below.
        self._version = -1
        self._active: NDArray[np.int64] | None = None
        # (M, 2) of every spring in no loop, and of the active ones: its packed row, and its end
        # further from the root (the child). They are sorted: from the leaves to the roots.
        self._all = self._chosen = np.zeros((0, 2), np.int64)
        # (N,) scratch: velocity and compliance of each particle with all that hangs on it
        self._node = np.zeros(0, NODE)
        # All particles of the chosen springs; (N,) the tree of each particle, -1 for none; scratch
        # for sums over each tree. Found when `balance_torque` needs them first (`_is_numbered`).
        self._members = self._tree = np.zeros(0, np.int64)
        self._total = np.zeros((0, 6))
        # `_across`: whether a spring is loaded so heavily that its force has a part across its line
        self._across = self._is_numbered = False
        self.link_force = np.zeros((0, 3))
        """Of each packed row: the force on the first end [N], and the resistance against being
        turned [N·s/m].
        """
        self.holds: NDArray[np.bool_] = np.zeros(0, np.bool_)
        """Whether a spring is in no loop, for each packed row."""

    def find(self) -> None:
        """Update after bodies or springs came, went, fell asleep or woke."""
        springs = self._buffers[Springs]
        active = springs.active_rows
        if self._version != self._buffers.version:
            self._version = self._buffers.version
            self._active = None
            self._search()
        if self._active is not active:
            self._active = active
            takes_part = np.zeros(springs.rows.count, np.bool_)
            for first, last in active:
                takes_part[first:last] = True
            self._chosen = np.ascontiguousarray(self._all[takes_part[self._all[:, 0]]])
            self._is_numbered = False

    @property
    def holds_all(self) -> bool:
        """Whether there are no springs but these."""
        return len(self._all) == self._buffers[Springs].rows.count

    def _number_trees(self) -> None:
        """Number the trees of the springs that take part.

        Springs are gone through from the roots outwards: a parent without a number is the root of a
        new tree, and each child belongs to the tree of its parent.
        """
        ends = self._buffers[Springs].rows["packed_pairs"][self._chosen[:, 0]].astype(np.int64)
        self._members = distinct(ends)
        self._tree = np.full(self._buffers[Particles].rows.count, -1, np.int64)
        self._is_numbered = True
        count = 0
        for (a, b), child in zip(ends[::-1].tolist(), self._chosen[::-1, 1].tolist(), strict=True):
            parent = a + b - child  # the end that is not the child
            if self._tree[parent] < 0:
                self._tree[parent] = count
                count = count + 1
            self._tree[child] = self._tree[parent]
        self._total = np.zeros((count, 6))

    def _search(self) -> None:
        """Find all springs in no loop, active or not."""
        particles = self._buffers[Particles].rows
        springs = self._buffers[Springs].rows
        pairs = springs["packed_pairs"]
        first_link = np.zeros(particles.count + 1, np.int64)
        links = np.zeros(2 * len(pairs), np.int64)
        list_links(pairs, first_link, links)
        child = np.zeros((len(pairs), 2), np.int64)
        found = find_forest(
            pairs, first_link, links, np.zeros((5, particles.count), np.int64), child
        )
        self._all = child[:found]
        springs_capacity = self._buffers[Springs].rows.capacity
        self.holds = np.zeros(springs_capacity, np.bool_)
        self.holds[self._all[:, 0]] = True
        self.link_force = np.zeros((springs_capacity, 3))
        if len(self._node) < particles.count:
            self._node = np.zeros(particles.capacity, NODE)

    def solve(self, dt: float, line: NDArray[np.void]) -> None:
        """Find the forces of all active springs of the forest, and add them to Particles.force.

        line: the record of each spring, as `begin_springs` wrote it. A second call in the same
        substep replaces the forces of the first.
        """
        if not len(self._chosen):
            return
        forest = self._chosen
        node = self._node
        link_force = self.link_force
        motion = self._buffers[Particles].rows.group(Motion)
        springs = self._buffers[Springs].rows.group(ImplicitSprings)
        # Velocities by all other forces; from the leaves to the roots, what hangs on each particle;
        # and back, the force of each spring.
        begin_forest(forest, springs.packed_pairs, motion, link_force, dt, node)
        eliminate_forest(forest, springs, line, link_force, dt, node)
        self._across = pull_forest(forest, springs, line, dt, node, link_force, motion.force)

    def rehearse(self, dt: float) -> None:
        """Run every kernel, also the one for heavily loaded springs, which compiles them."""
        self.find()
        self.solve(dt, np.zeros(self._buffers[Springs].rows.capacity, LINE))
        self._across = True
        self.balance_torque()

    def balance_torque(self) -> None:
        """Cancel the torque of the forces across the lines of heavily loaded springs: each tree
        turns as a whole instead. Without such springs there is nothing to do.
        """
        if self._across and len(self._chosen):
            # Trees are numbered only where a load is heavy enough to need it.
            if not self._is_numbered:
                self._number_trees()
            motion = self._buffers[Particles].rows.group(Motion)
            pairs = self._buffers[Springs].rows["packed_pairs"]
            balance_torque(
                self._chosen, pairs, self._members, self._tree, motion, self.link_force, self._total
            )
