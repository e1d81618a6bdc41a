"""JointRows: the rows of all joints of a world, in an order in which they are solved fast.

A row is one scalar constraint C = u · d with d = Σ s_p x_p - goal: a direction u, and terms, which
are particles p with coefficients s_p. An attachment or a mouse joint has two rows, for x and y; a
distance limit has one, with the coefficients -1 and 1; two limits that meet at a free particle have
one more, a damper, called a bend (kernels/joints/bends.py). Rows that share free particles,
directly or through others, are one group: its rows are solved together, with the matrix A = J W Jᵀ
(kernels/joints/solve.py). The rows are renumbered so that A has its entries near the diagonal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.components import Attachment, DistanceLimits, MouseJoint, Particles
from ecs_softbody.elementary.angles import atan2
from ecs_softbody.elementary.rows import distinct, distinct_rows
from ecs_softbody.indices import (
    arange,
    argsort,
    bincount,
    flatnonzero,
    full,
    lexsort,
    repeat,
    searchsorted,
)
from ecs_softbody.kernels.joints.arrays import Groups, Matrix, Rows
from ecs_softbody.kernels.joints.pairs import list_shared
from ecs_softbody.kernels.joints.rows import BEND, DISTANCE, POINT, SOFT
from ecs_softbody.kernels.joints.skyline import order_rows
from ecs_softbody.storage import Component, PackedBuffers, packed_rows
from ecs_softbody.storage.resource import Array, Field, Members, Resource, WholeArray, load_fields
from ecs_softbody.storage.saved import Saved

KINDS: tuple[type[Component], ...] = (Attachment, DistanceLimits, MouseJoint)
"""Classes of joints, in the order in which their rows are listed; rows hold an index into it."""
NO_BODY = -1
"""Index where there is no second body, no partner row, or no group."""
MOST_EFFORT = 1 << 31
"""No number of iterations, and no row of a joint, that a file tells of may be as large."""


class Part(NamedTuple):
    """The rows of one component as they are listed, before they are put in order: R rows with T
    terms in all. Shapes are (R,) and, of terms, (T,).
    """

    kind: Integers  # POINT, DISTANCE, SOFT or BEND (kernels/joints/rows.py)
    axis: Integers  # 0: x, 1: y; 0 for rows without an axis
    component: Integers  # Index in KINDS; -1 for bends
    source: Integers  # Packed row of a limit, of other joints the slot: where its values are
    slot: Integers  # Slot of the component in its table
    partner: Integers  # For the x row of a pair: 1, the y row is the next one; else 0
    bodies: Integers  # Slots (R, 2) of the joined bodies, -1 for the world
    length: Integers  # Number of terms of each row
    particle: Integers  # (T,) packed row of the particle
    coefficient: Floats  # (T,) s_p; below 0 on the second side


MEETING = (
    "Rows of two limits of distances that meet, then particles: end of one, where "
    "they meet, end of the other."
)
"""Description of the column `meeting` in files."""


class JointRows(Resource):
    """The R rows of a world, with the results of the last substep: impulses, and which limits held.

    Rebuilt when joints came or went, packed rows moved, or particles were fixed or freed. Columns
    for the kernels are in `columns`, a `Rows` of kernels/joints/arrays.py, which describes each.
    """

    saved = (
        Members(
            "key",
            "Version of each table of joints, then the packed rows that they count.",
            Field(""),
            list,
        ),
        WholeArray("meeting", ("meetings", 5), MEETING, below=MOST_EFFORT),
        Array(
            "side",
            "joint_rows",
            "Which limit a row was at.",
            dtype=np.int8,
            least=-1,
            below=3,
            in_place=True,
        ),
        Array(
            "turned",
            ("joint_rows", 2),
            "Direction of each row, as far as joints have turned.",
            in_place=True,
        ),
        Array("impulse", "joint_rows", "That of the last substep.", unit="N·s", in_place=True),
        WholeArray(
            "effort",
            "groups",
            "Further iterations in the last substep.",
            below=MOST_EFFORT,
            in_place=True,
        ),
        Array(
            "bank",
            "groups",
            "Energy that a group has lost and may regain.",
            unit="J",
            in_place=True,
        ),
    )

    def __init__(self, buffers: PackedBuffers, saved: Saved | None = None) -> None:
        """saved: the rows of a file; they are listed in the same order again."""
        particles = buffers[Particles].rows
        self.key = _key_of(buffers)
        # The name is short for the rows of all joints, in the order of components; bends follow.
        limits = list_rows(buffers)
        if saved is None:
            self.meeting = find_meeting(limits, particles["inverse_mass"], particles["position"])
        else:
            self.meeting = load_meeting(saved, limits)
        bends = list_bends(limits, self.meeting)
        chain = self.meeting[:, :2]
        # Up to here a row number counts this list. `order` has, for each place in the order for
        # solving, the number in the list; `new_row` is the inverse of that.
        parts = Part(*(np.concatenate(columns) for columns in zip(limits, bends, strict=True)))
        self.count = count = len(parts.kind)
        order = self._order(parts, particles["inverse_mass"])
        self.kind = parts.kind[order]
        self.axis = parts.axis[order]
        self.bodies = parts.bodies[order]
        self.component = parts.component[order]
        self.source = parts.source[order]
        self.slot = parts.slot[order]
        new_row = np.empty_like(order)
        new_row[order] = arange(count)
        self.partner = np.where(
            parts.partner[order] > 0, new_row[np.minimum(order + 1, count - 1)], NO_BODY
        )
        first = np.append(0, np.cumsum(parts.length, dtype=np.int64))
        chosen = np.concatenate([arange(first[r], first[r + 1]) for r in order]) if count else order
        self.term_first = np.append(0, np.cumsum(parts.length[order], dtype=np.int64))
        self.particle = parts.particle[chosen]
        self.coefficient = parts.coefficient[chosen]
        # (B,) rows that are bends, and (B, 2) rows of the two limits that meet there.
        self.bend = new_row[len(limits.kind) :]
        self.chain = new_row[chain]
        # New place of each term, as `new_row` of each row.
        term = np.empty_like(chosen)
        term[chosen] = arange(len(chosen))
        self._lay_out_matrix(new_row, term)
        # Packed rows of all particles that any row holds, ascending. `np.unique` would load
        # `numpy.ma` in its first call: 20 ms in the middle of a game.
        self.used = distinct(self.particle)
        self._fixed = particles["inverse_mass"][self.used] == 0.0
        self._list_members()
        self._group_of: Integers = np.zeros(0, np.int64)
        self.offset = np.zeros((count, 2))
        self.direction = np.zeros((count, 2))
        self.reaction = np.zeros((count, 3))
        self.goal = np.zeros((count, 2))
        self.softness = np.zeros(count)
        self.bias_rate = np.zeros(count)
        self.lower = np.zeros(count)
        self.upper = np.zeros(count)
        self.max_impulse = np.full(count, np.inf)
        # These are listed once for each set of rows: each substep asks several times.
        self._of_kind = [flatnonzero(self.component == number) for number in range(len(KINDS))]
        # Results of the last substep, from which the next one starts.
        self.side = np.zeros(count, np.int8)
        self.turned = np.zeros((count, 2))
        self.initial_impulse, self.step, self.errors, self.impulse = np.zeros((4, count))
        self.effort = np.zeros(len(self.group_first) - 1, np.int64)
        """Iterations of each group in the last substep, beyond the first."""
        # (G,) energy that each group has lost and may regain [J].
        self.bank = np.zeros(len(self.group_first) - 1)
        # Which rows belong to joints of bodies that are neither asleep nor frozen.
        self.active = np.ones(count, np.bool_)
        self.seen_active: list[NDArray[np.int64]] = []
        """The active slots of each table that `active` is made from."""
        # Which of the active rows are solved: they have a free particle, and finite numbers.
        self.alive = np.ones(count, np.bool_)
        self.columns = Rows(**{name: getattr(self, name) for name in Rows._fields})
        self.matrix = Matrix(self.sky_first, self.sky_start, self.low, self.high)
        self.groups = Groups(
            self.group_first,
            self.member_first,
            self.members,
            self.shared_first,
            self.shared,
            self.bank,
            self.effort,
        )

    def load(self, saved: Saved) -> None:
        """Load the results of the last substep."""
        saved.lengths.update(joint_rows=self.count, groups=len(self.bank))
        load_fields(self, saved, self.saved[2:])

    def is_current(self, buffers: PackedBuffers, *, restructured: bool) -> bool:
        """Whether these are still the rows of the world; `restructured`: whether anything came,
        went or moved.
        """
        if restructured:
            pairs = zip(self.key, _key_of(buffers), strict=True)
            if not all(np.array_equal(old, new) for old, new in pairs):
                return False
        if restructured or buffers.frame_start:
            return np.array_equal(
                buffers[Particles].rows["inverse_mass"][self.used] == 0.0, self._fixed
            )
        return True

    def of(self, kind: type[Component]) -> Integers:
        """Return which rows belong to components of this class."""
        return self._of_kind[KINDS.index(kind)]

    def _order(self, parts: Part, inverse_mass: Floats) -> Integers:
        """Return the order (R,) in which rows are solved: entry n is the listed number of row n.

        Rows that share a free particle are near each other in it. Also keeps the shared particles
        in `_shared` (K, 5), one line per pair of terms: later row, earlier row, particle, term of
        the one, term of the other; and the group of each row in `_group`.
        """
        # Terms of free particles, sorted by particle: the terms of one particle are a run.
        row = repeat(arange(self.count), parts.length)
        terms = flatnonzero(inverse_mass[parts.particle] > 0.0)
        terms = terms[argsort(parts.particle[terms], kind="stable")]
        runs = np.append(0, flatnonzero(np.diff(parts.particle[terms])) + 1)
        runs = np.append(runs, len(terms))
        arguments = runs, row[terms], terms, parts.particle[terms]
        # The first call has no room for results and only counts them.
        shared = np.zeros((list_shared(*arguments, np.zeros((0, 5), np.int64)), 5), np.int64)
        list_shared(*arguments, shared)
        self._shared = shared
        # Each pair of different rows once, then both ways round: the neighbors of row r are
        # adjacent[adjacent_first[r]:adjacent_first[r + 1]].
        width = max(self.count, 1)
        joined = distinct(shared[:, 0] * width + shared[:, 1])
        later = joined // width
        earlier = joined % width
        apart = later != earlier
        ends = np.append(later[apart], earlier[apart])
        others = np.append(earlier[apart], later[apart])
        adjacent = others[lexsort((others, ends))]
        adjacent_first = np.append(
            0, np.cumsum(bincount(ends, minlength=self.count), dtype=np.int64)
        )
        order = np.zeros(self.count, np.int64)
        group = np.zeros(self.count, np.int64)
        # The order is reverse Cuthill-McKee: a chain becomes a band, and the cost of its
        # factorisation goes with its length.
        groups = order_rows(adjacent_first, adjacent, order, group, full(self.count, -1))
        self._group = group
        self.group_first = searchsorted(group, arange(groups + 1))
        return order

    def _lay_out_matrix(self, new_row: Integers, term: Integers) -> None:
        """Lay out the matrix A as a skyline: each row from its first entry to the diagonal.

        `sky_first` (R,) has the column of the first entry of a row, `sky_start` (R,) where the row
        starts in `low` and `high`. `low` holds A[row, column], `high` A[column, row].
        """
        ends = new_row[self._shared[:, :2]]
        count = self.count
        later = ends.max(axis=1)
        earlier = ends.min(axis=1)
        by_row = lexsort((self._shared[:, 2], earlier, later))
        terms = term[self._shared[:, 3:]]
        self.shared = np.ascontiguousarray(
            np.column_stack((later, earlier, self._shared[:, 2], terms))[by_row]
        )
        self.shared_first = searchsorted(self.shared[:, 0], self.group_first)
        self.sky_first = arange(count)
        np.minimum.at(self.sky_first, later, earlier)
        lengths = arange(count) - self.sky_first + 1
        self.sky_start = np.cumsum(lengths, dtype=np.int64) - lengths
        self.low, self.high = np.zeros((2, int(lengths.sum())))

    def group_of(self, count: int) -> Integers:
        """Return the group (count,) of each particle that rows hold and that can move, else -1."""
        if len(self._group_of) != count:
            self._group_of = group = full(count, NO_BODY)
            group[self.members] = repeat(
                arange(len(self.group_first) - 1), np.diff(self.member_first)
            )
            group[self.used[self._fixed]] = NO_BODY
        return self._group_of

    def _list_members(self) -> None:
        """List the particles of every group."""
        group = repeat(self._group, np.diff(self.term_first))
        pairs = distinct_rows(np.column_stack((group, self.particle)))
        self.members = np.ascontiguousarray(pairs[:, 1])
        self.member_first = searchsorted(pairs[:, 0], arange(len(self.group_first)))


def _key_of(buffers: PackedBuffers) -> list[Any]:
    """Return all that the list of rows depends on: for each class of joints the version of its
    table, then the packed rows of the particles that its joints hold.
    """
    tables = [buffers[kind] for kind in KINDS]
    counted = [
        table.rows[f"packed_{name}"].copy() for table in tables for name in table.index_names
    ]
    return [*(table.version for table in tables), *counted]


def are_those_of(saved: Saved, buffers: PackedBuffers) -> bool:
    """Return whether the rows of a file still match the world."""
    now = _key_of(buffers)
    then = saved.values("key", len(now))
    return all(
        then.version(place) == each
        if isinstance(each, int)
        else np.array_equal(then.array(place, each.dtype, (None,) * each.ndim), each)
        for place, each in enumerate(now)
    )


def list_rows(buffers: PackedBuffers) -> Part:
    """Return the rows of all joints of a world, in the order of their components' slots."""
    body = buffers[Particles].rows["body"]
    parts = [_empty()]
    for number, kind in enumerate(KINDS):
        for component in sorted(buffers[kind].bound.values(), key=lambda bound: bound.slot):
            rows_of = _limit_rows if kind is DistanceLimits else _anchor_rows
            parts.append(rows_of(number, component, body))
    return Part(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _empty() -> Part:
    none = np.zeros(0, np.int64)
    return Part(
        none, none, none, none, none, none, np.zeros((0, 2), np.int64), none, none, np.zeros(0)
    )


def _anchor_rows(number: int, component: Component, body: NDArray[np.uint32]) -> Part:
    """Return the x and the y row of a component with anchors; number: its index in KINDS.

    An anchor is a weighted mean of particles. The row holds the difference of both anchors, so the
    coefficients are the weights of the first anchor, and minus the weights of the second.
    """
    assert isinstance(component, Attachment | MouseJoint)
    kind = POINT if isinstance(component, Attachment) else SOFT
    rows = packed_rows(component, "rows").astype(np.int64)
    sign = np.where(component.side == 0, component.weight, -component.weight)
    second = component.side == 1
    bodies = [body[rows[0]], body[rows[second][0]] if second.any() else NO_BODY]
    whole = full(2, component.slot)
    return Part(
        full(2, kind),
        np.array([0, 1], np.int64),
        full(2, number),
        whole,
        whole,
        np.array([1, 0], np.int64),
        np.array([bodies, bodies], np.int64),
        full(2, len(rows)),
        np.tile(rows, 2),
        np.tile(sign, 2),
    )


def _limit_rows(number: int, component: Component, body: NDArray[np.uint32]) -> Part:
    """Return one row for each pair (a, b) of a DistanceLimits, with d = x_b - x_a."""
    pairs = packed_rows(component, "pairs").astype(np.int64)
    count = len(pairs)
    zeros = np.zeros(count, np.int64)
    return Part(
        full(count, DISTANCE),
        zeros,
        full(count, number),
        component.row_start + arange(count),
        full(count, component.slot),
        zeros,
        body[pairs].astype(np.int64).reshape(count, 2),
        full(count, 2),
        pairs.ravel(),
        np.tile([-1.0, 1.0], count),
    )


def find_meeting(limits: Part, inverse_mass: Floats, position: Floats) -> Integers:
    """Return which distance limits meet at a free particle, (B, 5): listed rows of both limits,
    then the particles along them: end of the first, where they meet, end of the second.

    If more than two meet, the ends are sorted by their direction [rad], and each of the first half
    is paired with the one half a round further: limits on opposite sides.
    """
    first = np.append(0, np.cumsum(limits.length, dtype=np.int64))
    meeting: dict[int, list[tuple[float, int, int]]] = {}
    for row in flatnonzero(limits.kind == DISTANCE).tolist():
        a = limits.particle[first[row]]
        b = limits.particle[first[row] + 1]
        for here, other in ((a, b), (b, a)):
            if inverse_mass[here] > 0.0:
                along = position[other] - position[here]
                meeting.setdefault(int(here), []).append(
                    (atan2(along[1], along[0]), row, int(other))
                )
    found = []
    for here, ends in meeting.items():
        half = len(ends) // 2
        around = sorted(ends)
        for (_, one, start), (_, two, end) in zip(around[:half], around[half:], strict=False):
            if start != end:
                found.append((one, two, start, here, end))
    return np.array(found, np.int64).reshape(-1, 5)


def load_meeting(saved: Saved, limits: Part) -> Integers:
    """Return the meeting limits of a file: they depend on the positions at the time."""
    meeting: Integers = JointRows.saved[1].get(saved)
    first = np.append(0, np.cumsum(limits.length, dtype=np.int64))
    one, two, start, here, end = meeting.T
    if len(meeting) and not (
        meeting[:, :2].max() < len(limits.kind) and (limits.kind[meeting[:, :2]] == DISTANCE).all()
    ):
        saved.fail("meeting", "a pair", "limits of distances")
    for row, other in ((one, start), (two, end)):
        ends = limits.particle[first[row]], limits.particle[first[row] + 1]
        joined = ((ends[0] == here) & (ends[1] == other)) | ((ends[1] == here) & (ends[0] == other))
        if not joined.all():
            saved.fail("meeting", "a pair", "limits with one end at the same particle")
    return meeting


def list_bends(limits: Part, meeting: Integers) -> Part:
    """Return a row for each two limits that meet, see `find_meeting`. Their coefficients, here 0,
    depend on the lengths and are written in every substep (kernels/joints/bends.py).
    """
    count = len(meeting)
    zeros = np.zeros(count, np.int64)
    no_body = full(count, NO_BODY)
    return Part(
        full(count, BEND),
        zeros,
        no_body,
        zeros,
        zeros,
        zeros,
        limits.bodies[meeting[:, 0]],
        full(count, 3),
        meeting[:, 2:].ravel(),
        np.zeros(3 * count),
    )
