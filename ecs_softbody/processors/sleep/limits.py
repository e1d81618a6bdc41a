"""LimitWatch: what a game wrote beyond the limits that its column declares, as a constructor would have refused it.

Numbers of the wrong size or sign are finite, and the stages calculate with them; some take all bodies near by along.
Those are looked at in every frame. Of all other columns one is looked at in each frame, by turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import AngularSprings, Particles, Springs
from ecs_softbody.storage import Column, Component, PackedBuffers, Table, Value, declared_columns, declared_values
from ecs_softbody.storage.columns import FARTHEST

MOVING = frozenset({"position", "velocity"})
"""Columns of Particles that the guard looks at itself."""
SIGNED = frozenset({"stiffness", "damping", "rest_length"})
"""Of springs: below zero, a spring pushes more the longer it gets, and gas has no balance."""
Declared = Column[Any] | Value[Any]


class Watched(NamedTuple):
    """A column or value that a game may write, and all of it as one row of numbers."""

    table: Table
    name: str
    declared: Declared
    numbers: NDArray[Any]


class Beyond(NamedTuple):
    """A component that has a number beyond a limit."""

    kind: type[Component]
    entity: int
    message: str


class LimitWatch:
    """Looks for numbers beyond their limits at the start of a frame."""

    transient = ("_seen", "_large", "_signed", "_others")

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._seen = -1
        self._large: list[Watched] = []
        self._signed: list[Watched] = []
        self._others: list[Watched] = []
        self._turn = 0

    def find(self) -> list[Beyond]:
        """Return what is found beyond its limits in this frame."""
        self._list()
        far = FARTHEST * FARTHEST
        suspects = [one for one in self._large if not one.numbers.dot(one.numbers) <= far]
        for one in self._signed:
            if not one.numbers.item(one.numbers.argmin()) >= 0.0:
                suspects.append(one)
        if self._others:
            self._turn = (self._turn + 1) % len(self._others)
            one = self._others[self._turn]
            if one.declared.are_bad(one.numbers).any():
                suspects.append(one)
        return [beyond for one in suspects for beyond in self._beyond(one)] if suspects else []

    def find_all(self) -> list[Beyond]:
        """Return all that is beyond its limits."""
        return [beyond for one in self._watched() for beyond in self._beyond(one)]

    def _list(self) -> None:
        """List the columns and values of what there is, where that has changed."""
        if self._seen == self._buffers.replaced.count:
            return
        self._seen = self._buffers.replaced.count
        self._large, self._signed, self._others = [], [], []
        for one in self._watched():
            if one.declared.is_far:
                self._large.append(one)
            if one.name in SIGNED and one.table.component_type in (Springs, AngularSprings):
                self._signed.append(one)
            elif not one.declared.is_far:
                self._others.append(one)

    def _watched(self) -> Iterator[Watched]:
        for kind, table in self._buffers.tables.items():
            if not table.bound:
                continue
            for store, entries in ((table.rows, declared_columns(kind)), (table.values, declared_values(kind))):
                for name, declared in entries.items():
                    moves = kind is Particles and name in MOVING
                    if declared.dtype.kind == "f" and not (declared.engine or moves) and store.count:
                        yield Watched(table, name, declared, store[name].reshape(-1))

    def _beyond(self, one: Watched) -> Iterator[Beyond]:
        """Yield the components that have bad numbers in a column, by their slots."""
        values = one.table.values
        bad = one.declared.are_bad(one.numbers)
        if one.declared.unset:
            bad &= ~np.isnan(one.numbers)  # it has not been completed yet
        rows = bad.reshape(-1, one.declared.width).any(axis=1)
        if isinstance(one.declared, Column):
            before = np.concatenate(([0], np.cumsum(rows)))
            rows = before[values["last"]] > before[values["first"]]
        for slot in np.flatnonzero(rows & (values["entity"] > 0)):  # those that are gone are zero
            entity = int(values["entity"][slot])
            yield Beyond(one.table.component_type, entity, self._said(one, entity))

    @staticmethod
    def _said(one: Watched, entity: int) -> str:
        own = np.asarray(getattr(one.table.bound[entity], one.name))
        where = tuple(np.argwhere(one.declared.are_bad(own))[0])
        row = f" in row {where[0]}" if isinstance(one.declared, Column) else ""
        name = f"{one.table.component_type.__name__}.{one.name}"
        allowed = one.declared.allowed(float(own[where]))
        return f"{name} of entity {entity}: {own[where]}{row} is not allowed; expected {allowed}"
