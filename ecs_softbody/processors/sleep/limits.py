"""LimitWatch: checks values that a game wrote against the limits of their columns, as a constructor
would.

Numbers of the wrong size or sign are finite, so the stages calculate with them; some disturb all
bodies near by. Such columns are checked in every frame, all others in every TURNS-th. Columns
without views in a game are not checked, since they cannot have been written to.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import AngularSprings, Particles, Springs
from ecs_softbody.indices import argwhere, flatnonzero
from ecs_softbody.kernels.motion.sleep import are_within
from ecs_softbody.parallel.compiling import bind
from ecs_softbody.storage import (
    Column,
    Component,
    PackedBuffers,
    Table,
    Value,
    declared_columns,
    declared_values,
)

MOVING = frozenset({"position", "velocity", "force"})
"""Columns of Particles that the guard checks itself, also without any view of them."""
SIGNED = frozenset({"stiffness", "damping", "rest_length"})
"""Of springs: below zero, a spring pushes more the longer it gets, and gas has no balance."""
TURNS = 16
"""Frames between two looks at a column. Worlds of everything have some 60 columns that a game may
have written: about four of them are checked in a frame, and a bad number is found within 0.3 s.
"""
Declared = Column[Any] | Value[Any]


class Watched(NamedTuple):
    """A column that is checked."""

    is_fine: Callable[[], bool]
    """Returns whether all of its numbers are from the smallest to the largest that is allowed."""
    table: Table
    declared: Declared


class Beyond(NamedTuple):
    """A component that has a number beyond a limit."""

    kind: type[Component]
    entity: int
    is_finite: bool  # False if the number is NaN or infinite
    message: str  # Names the column, the number and the allowed ones


class LimitWatch:
    """Looks for numbers beyond their limits at the start of a frame."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._seen = -1, -1
        """How often arrays were replaced, and columns exposed to a game, when the columns were
        listed.
        """
        self._always: list[Watched] = []
        """Columns that are checked in every frame."""
        self._by_turns: list[list[Watched]] = []
        """Entry t: the columns that are checked in the frames t, t + TURNS, t + 2 TURNS, ..."""

    def find(self, frame: int) -> list[Beyond]:
        """Check the columns whose turn is in the frame of this number; if one has a number beyond
        its limits, return all such numbers of all columns, else nothing.
        """
        replaced = self._buffers.replaced
        if self._seen != (replaced.count, replaced.exposed):
            self._seen = replaced.count, replaced.exposed
            self._list()
        for is_fine, table, declared in (*self._always, *self._by_turns[frame % TURNS]):
            # Removed bodies leave zeros behind, which may be below a minimum.
            if not is_fine() and any(_beyond(table, declared)):
                return self.find_all()
        return []

    def find_all(self) -> list[Beyond]:
        """Return all that is beyond its limits."""
        return [
            beyond for table, declared in self._watched() for beyond in _beyond(table, declared)
        ]

    def _list(self) -> None:
        """List the columns and values to check, each for every frame or for its turn."""
        self._always = []
        self._by_turns = [[] for _ in range(TURNS)]
        for table, declared in self._watched():
            is_signed = declared.name in SIGNED and table.component_type in (
                Springs,
                AngularSprings,
            )
            # Numbers that would take other bodies along within a frame are checked in every frame.
            listed = (
                self._always
                if declared.is_far or is_signed
                else self._by_turns[_turn_of(table, declared)]
            )
            least, most = declared.span
            if declared.unset:
                least = declared.lowest
            listed.append(
                Watched(bind(are_within, _numbers(table, declared), least, most), table, declared)
            )

    def _watched(self) -> Iterator[tuple[Table, Declared]]:
        """Yield all columns and values that a game may have written to, each with its table."""
        for kind, table in self._buffers.tables.items():
            if table.bound:
                for declared in _written(kind):
                    if table.is_exposed(declared.name) and len(_numbers(table, declared)):
                        yield table, declared


def _turn_of(table: Table, declared: Declared) -> int:
    """Return the turn of a column. It follows from names alone: a world that goes on from a file
    looks at the same columns in the same frames, whichever of them a game has read before.
    """
    return crc32(f"{table.component_type.__name__}.{declared.name}".encode()) % TURNS


@functools.cache
def _written(kind: type[Component]) -> tuple[Declared, ...]:
    """Return the columns and values of a class that a game may write, and that are no flags or
    whole numbers.
    """
    entries: tuple[Declared, ...] = (
        *declared_columns(kind).values(),
        *declared_values(kind).values(),
    )
    return tuple(
        entry
        for entry in entries
        if entry.dtype.kind == "f"
        and not entry.is_read_only
        and not (kind is Particles and entry.name in MOVING)
    )


def _numbers(table: Table, declared: Declared) -> NDArray[Any]:
    """Return all numbers of a column or value in one row."""
    store = table.rows if isinstance(declared, Column) else table.values
    numbers: NDArray[Any] = store[declared.name].reshape(-1)
    return numbers


def _beyond(table: Table, declared: Declared) -> Iterator[Beyond]:
    """Yield the components that have bad numbers in a column, by their slots."""
    values = table.values
    numbers = _numbers(table, declared)
    bad = declared.are_bad(numbers)
    if declared.unset:
        # The value has not been completed yet, or is the lowest one: a ring may have no area.
        bad &= ~(np.isnan(numbers) | (numbers == declared.lowest))
    rows = bad.reshape(-1, declared.width).any(axis=1)
    if isinstance(declared, Column):
        before = np.concatenate(([0], np.cumsum(rows, dtype=np.int64)))
        rows = before[values["last"]] > before[values["first"]]
    # Rows of removed components are zero.
    for slot in flatnonzero(rows & (values["entity"] > 0)):
        entity = int(values["entity"][slot])
        yield _beyond_of(table, declared, entity)


def _beyond_of(table: Table, declared: Declared, entity: int) -> Beyond:
    """Return the description of the first bad number of an entity in a column."""
    own = np.asarray(getattr(table.bound[entity], declared.name))
    where = tuple(argwhere(declared.are_bad(own))[0])
    row = f" in row {where[0]}" if isinstance(declared, Column) else ""
    found = (
        f"{table.component_type.__name__}.{declared.name} of entity {entity}: "
        f"{own[where]}{row} is not allowed"
    )
    message = f"{found}; expected {declared.allowed(float(own[where]))}"
    return Beyond(table.component_type, entity, bool(np.isfinite(own[where])), message)
