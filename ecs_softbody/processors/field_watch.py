"""FieldWatch: where fields have changed, so that the bodies that sleep there wake."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles, PointGravity, Water, Wind
from ecs_softbody.storage import Component, PackedBuffers
from ecs_softbody.storage.columns import Floats

FIELDS: tuple[type[Component], ...] = (PointGravity, Water, Wind)
NO_BOXES = np.zeros((0, 4))
Seen = dict[tuple[type[Component], int], tuple[bytes, tuple[float, ...]]]


class FieldWatch:
    """Compares points, winds and waters with what they were a frame ago."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers, self._tables = buffers, [buffers[kind] for kind in FIELDS]
        self._seen: Seen = {}

    def find_changed(self) -> Floats:
        """Return the boxes (B, 4) low x, low y, high x, high y [m] of fields that came, went or were written to."""
        if not (self._seen or any(table.bound for table in self._tables)):
            return NO_BOXES
        now: Seen = {}
        for kind in FIELDS:
            for entity, field in self._buffers[kind].bound.items():
                now[kind, entity] = self._state_of(field, entity), _box_of(field)
        boxes: list[tuple[float, ...]] = []
        for key in now.keys() | self._seen.keys():
            before, after = self._seen.get(key), now.get(key)
            if before is None or after is None or before[0] != after[0]:
                boxes += [state[1] for state in (before, after) if state is not None]
        self._seen = now
        return np.array(sorted(boxes)).reshape(-1, 4)

    def _state_of(self, field: Component, entity: int) -> bytes:
        """Return what a game may write to; the place of a body that is a point is its own affair."""
        table = self._buffers[type(field)]
        own = isinstance(field, PointGravity) and entity in self._buffers[Particles].bound
        names = [name for name in table.written_values if not (own and name == "position")]
        return b"".join(table.values.arrays[name][field.slot].tobytes() for name in names)


def joined_by_points(buffers: PackedBuffers) -> NDArray[np.int64]:
    """Return pairs (P, 2) of bodies, by slot: each body that is a point with all that it pulls."""
    points, bodies = buffers[PointGravity], buffers[Particles]
    pairs = [np.zeros((0, 2), np.int64)]
    for entity, point in sorted(points.bound.items()):
        if entity in bodies.bound and isinstance(point, PointGravity) and point.strength != 0.0:
            away = bodies.rows["position"] - point.position
            pulled = (away**2).sum(axis=1) <= point.reach**2
            pulled &= (bodies.values["gravity_scale"][bodies.rows["body"]] != 0.0) & (bodies.rows["inverse_mass"] > 0.0)
            others = np.unique(bodies.rows["body"][pulled]).astype(np.int64)
            pairs.append(np.column_stack((np.full(len(others), bodies.bound[entity].slot), others)))
    return np.concatenate(pairs)


def _box_of(field: Component) -> tuple[float, ...]:
    if isinstance(field, Water):
        return field.left, field.bottom, field.right, field.level
    if isinstance(field, Wind):
        return *field.low.tolist(), *field.high.tolist()
    assert isinstance(field, PointGravity)
    (x, y), reach = field.position.tolist(), field.reach
    return x - reach, y - reach, x + reach, y + reach
