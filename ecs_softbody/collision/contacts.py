"""Contacts: the contact list of a world, kept between substeps, and what games see of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision import response
from ecs_softbody.kernels.compiling import lean

FIRST_CAPACITY = 256


@dataclass(frozen=True)
class Contacts:
    """The contacts of the last frame, C rows; copies, in the order in which they were solved.

    `entity_a` and `entity_b` touch; b is the wall where there is one. `row_a` and `row_b` are the rows in their
    Particles that are nearest to the contact, -1 for a wall. `normal` (C, 2) points from b to a. `impulse` [N·s] is
    what pushed them apart during the frame, `point` (C, 2) [m] where, `gap` [m] the distance left (negative: overlap).
    """

    entity_a: NDArray[np.int64]
    entity_b: NDArray[np.int64]
    row_a: NDArray[np.int64]
    row_b: NDArray[np.int64]
    point: NDArray[np.float64]
    normal: NDArray[np.float64]
    impulse: NDArray[np.float64]
    gap: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.impulse)

    @classmethod
    def none(cls) -> Contacts:
        """Return no contacts."""
        whole, number, vector = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 2))
        return cls(whole, whole, whole, whole, vector, vector, number, number)

    def of(self, entity: int) -> Contacts:
        """Return the contacts of one entity, turned so that it is `entity_a` and normals point to it."""
        first, second = self.entity_a == entity, self.entity_b == entity
        chosen = np.flatnonzero(first | second)
        turn = ~first[chosen]
        sign = np.where(turn, -1.0, 1.0)
        return Contacts(
            np.where(turn, self.entity_b[chosen], self.entity_a[chosen]),
            np.where(turn, self.entity_a[chosen], self.entity_b[chosen]),
            np.where(turn, self.row_b[chosen], self.row_a[chosen]),
            np.where(turn, self.row_a[chosen], self.row_b[chosen]),
            self.point[chosen],
            self.normal[chosen] * sign[:, None],
            self.impulse[chosen],
            self.gap[chosen],
        )


class ContactList:
    """`rows` (C, 3) = point, edge start, edge end; `items` (C, 2); `data` (C, response.COLUMNS), with spare capacity.

    These three are views of the contacts in use, made when `count` is set and not when somebody looks. Their
    order is that of blocks.py.
    """

    rows: NDArray[np.uint32]
    items: NDArray[np.int64]
    data: NDArray[np.float64]

    def __init__(self) -> None:
        self._reserve(FIRST_CAPACITY)

    def _reserve(self, capacity: int) -> None:
        self._rows = np.zeros((capacity, 3), np.uint32)
        self._items = np.zeros((capacity, 2), np.int64)
        self._data = np.zeros((capacity, response.COLUMNS))
        self._other_rows, self._other_items = np.zeros_like(self._rows), np.zeros_like(self._items)
        self.count = 0

    @property
    def count(self) -> int:
        """Contacts in use."""
        return self._count

    @count.setter
    def count(self, contacts: int) -> None:
        self._count = contacts
        self.rows, self.items, self.data = self._rows[:contacts], self._items[:contacts], self._data[:contacts]

    @property
    def capacity(self) -> int:
        """Contacts there is room for."""
        return len(self._rows)

    @property
    def all_rows(self) -> NDArray[np.uint32]:
        """The rows up to the capacity."""
        return self._rows

    @property
    def all_items(self) -> NDArray[np.int64]:
        """The items up to the capacity."""
        return self._items

    def turn_over(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return rows and items, and give the list others, whose content is undefined."""
        found = self.rows, self.items
        self._rows, self._other_rows = self._other_rows, self._rows
        self._items, self._other_items = self._other_items, self._items
        self.count = self._count
        return found

    def grow(self, needed: int) -> None:
        """Make room for `needed` contacts and some more; what was there is lost."""
        self._reserve(max(needed + needed // 4, 2 * self.capacity))

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Keep some of the contacts, given by flags (C,)."""
        rows, items, data = self.rows[which], self.items[which], self.data[which]
        self.count = 0
        self.append(rows, items, data)

    def append(self, rows: NDArray[np.integer], items: NDArray[np.int64], data: NDArray[np.float64]) -> None:
        """Add contacts at the end."""
        old, added = slice(0, self.count), slice(self.count, self.count + len(rows))
        if added.stop > self.capacity:
            before = self.rows, self.items, self.data
            self.grow(added.stop)
            self._rows[old], self._items[old], self._data[old] = before
        self._rows[added], self._items[added], self._data[added] = rows, items, data
        self.count = added.stop


class Impulses:
    """Keeps the arrays that carrying impulses over needs."""

    def __init__(self) -> None:
        self._head = self._following = np.zeros(0, np.int64)

    def room(self, old: ContactList, row_count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return `head` and `following` for the kernels below."""
        if len(self._head) < row_count:
            self._head = np.zeros(row_count + row_count // 4, np.int64)
        if len(self._following) < old.count:
            self._following = np.zeros(old.capacity, np.int64)
        return self._head[:row_count], self._following


@lean
def link_contacts(old_rows: np.ndarray, old_data: np.ndarray, head: np.ndarray, following: np.ndarray) -> None:
    """Write the last old contact of every point, shape (rows,), and the one before each of them, or -1.

    Contacts that neither pushed nor overlap have nothing to carry, and are left out.
    """
    head[:] = -1
    for c in range(old_rows.shape[0]):
        pushed = (  # without branches, which would be guessed wrongly
            (old_data[c, response.IMPULSE] != 0.0)
            | (old_data[c, response.IMPULSE_BEFORE] != 0.0)
            | (old_data[c, response.FRAME_IMPULSE] != 0.0)
        )
        if pushed | (old_data[c, response.GAP] < 0.0):
            following[c] = head[old_rows[c, 0]]
            head[old_rows[c, 0]] = c


@lean
def carry_over(
    old_rows: np.ndarray,
    old_items: np.ndarray,
    old_data: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    data: np.ndarray,
    offset: int,
    head: np.ndarray,
    following: np.ndarray,
) -> None:
    """Give new contacts the impulses of the old ones: same point and edge, or same point and body.

    Items of walls are numbered after the bodies, so they shift when a body comes or goes: rows tell edges apart.
    An impulse of the frame moves over: what the old contacts still have afterwards belongs to contacts that are gone.
    head and following: see `link_contacts`.
    """
    for c in range(rows.shape[0]):
        old, found, total = head[rows[c, 0]], False, 0.0
        may_slide = rows[c, 1] != rows[c, 2] and rows[c, 1] < offset
        while old >= 0:
            same_edge = old_rows[old, 1] == rows[c, 1] and old_rows[old, 2] == rows[c, 2]
            if same_edge or (may_slide and not found and slid_on(old_rows, old_items, old, rows, items, c, offset)):
                total += old_data[old, response.FRAME_IMPULSE]
                for column in range(response.COLUMNS):
                    data[c, column] = old_data[old, column]
                data[c, response.FRAME_IMPULSE] = total
                old_data[old, response.FRAME_IMPULSE] = old_data[old, response.ACTIVE] = 0.0
                found = True
            old = -1 if same_edge else following[old]
        if not found:
            for column in range(response.COLUMNS):
                data[c, column] = 0.0


@lean
def slid_on(
    old_rows: np.ndarray,
    old_items: np.ndarray,
    old: int,
    rows: np.ndarray,
    items: np.ndarray,
    c: int,
    offset: int,
) -> bool:
    """Tell whether a point that touched a soft edge touches another edge of that body now; of its own, the next one."""
    if rows[c, 0] >= offset:
        return bool(old_items[old, 0] == items[c, 0])
    if old_items[old, 0] != items[c, 0] or old_items[old, 1] != items[c, 1]:
        return False
    return bool(items[c, 0] != items[c, 1] or old_rows[old, 1] == rows[c, 2] or old_rows[old, 2] == rows[c, 1])
