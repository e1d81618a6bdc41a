"""What each stage reads and writes, seen while worlds run: columns that it looks up, and columns and
resources that are others after it.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any
from zlib import crc32

import numpy as np

from ecs_softbody import Simulation
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Stage, StageContext
from ecs_softbody.storage import Component
from ecs_softbody.storage.resource import Field, Members, Part, Resource, Row
from ecs_softbody.storage.store import Store
from tests.helpers.internals import stages_of

SHARED = {"space": "CollisionSpace", "outlines": "FluidOutlines", "frame": "Frame"}
"""Resources that stages share, by their names in a StageContext; which bodies are awake is one of
the space.
"""
Names = defaultdict[type[Stage], set[str]]


class Watched(Store):
    """A Store that tells which of its columns are looked up."""

    tell: Callable[[str], None]

    def __getitem__(self, name: str) -> Any:
        self.tell(name)
        return super().__getitem__(name)

    def group(self, kind: Any) -> Any:
        group = super().group(kind)
        for name in inspect.signature(kind).parameters:
            self.tell(name)
        return group


def content(value: Any, field: Field | None = None) -> Any:
    """Return something that is another where a declared value is another."""
    if isinstance(field, Row):
        return tuple(content(one, part) for one, part in zip(value, field.fields, strict=True))
    if isinstance(field, Members):
        return tuple(content(one, field.field) for one in value)
    if isinstance(field, Part) and value is not None:
        return tuple(content(attrgetter(part.path)(value), part) for part in field.fields)
    if isinstance(value, np.ndarray):
        return value.shape, crc32(np.ascontiguousarray(value).view(np.uint8))
    return repr(value)


class Access:
    """What the stages of watched simulations have read and written so far."""

    def __init__(self) -> None:
        self.read: Names = defaultdict(set)
        self.written: Names = defaultdict(set)
        self._running: list[type[Stage]] = []
        self._before: dict[str, Any] = {}

    @contextmanager
    def making(self) -> Iterator[None]:
        """Note which shared resources the stages take that are made within."""

        def get(context: StageContext, name: str) -> Any:
            if name in SHARED:
                frame = inspect.currentframe().f_back  # type: ignore[union-attr]
                maker = frame.f_locals.get("self")
                if isinstance(maker, Stage):
                    self.read[type(maker)].add(SHARED[name])
            return object.__getattribute__(context, name)

        StageContext.__getattribute__ = get  # type: ignore[method-assign]
        try:
            yield
        finally:
            del StageContext.__getattribute__

    def watch(self, sim: Simulation) -> None:
        """Note from now on what the stages of a simulation read and write."""
        for kind in Component.types:
            table = sim.buffers[kind]
            for store in (table.rows, table.values):
                store.__class__ = Watched
                store.tell = lambda name, owner=kind.__name__: self._tell(f"{owner}.{name}")  # type: ignore[attr-defined]
        for stage, _ in stages_of(sim).substep:
            stage.process = self._noted(stage, stage.process, sim)

    def _tell(self, column: str) -> None:
        if self._running:
            self.read[self._running[-1]].add(column)

    def _noted(
        self, stage: Stage, process: Callable[[float], None], sim: Simulation
    ) -> Callable[[float], None]:
        def run(dt: float) -> None:
            if self._running or stage.order == Order.PACKING:
                self.note(sim)  # a game, or the stage around this one, has written since
            self._running.append(type(stage))
            sim.buffers.replaced.count += 1  # prepared calls look their columns up anew
            try:
                process(dt)
                self.note(sim)
            finally:
                self._running.pop()

        return run

    def note(self, sim: Simulation) -> None:
        """Note what has changed since the last note as written by the stage that runs."""
        now = self._state(sim)
        if self._running:
            changed = {name for name in now if now[name] != self._before.get(name)}
            self.written[self._running[-1]] |= changed
        self._before = now

    def _state(self, sim: Simulation) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for kind in Component.types:
            table = sim.buffers[kind]
            for store in (table.rows, table.values):
                for name, array in store.arrays.items() if store.count else ():
                    found[f"{kind.__name__}.{name}"] = content(array[: store.count])
        context = stages_of(sim).context
        for name, resource in SHARED.items():
            found[resource] = declared_content(getattr(context, name))
        found["Activity"] = declared_content(context.space.activity)
        return found


def declared_content(resource: Resource) -> Any:
    """Return something that is another where a field of a resource is another."""
    return tuple(content(attrgetter(field.path)(resource), field) for field in resource.saved)


def tables(names: Iterable[str]) -> set[str]:
    """Return the tables of columns, and resources."""
    return {name.partition(".")[0] for name in names}
