"""FieldWatch: the regions where fields have changed, for SleepProcessor, which wakes the bodies
there.

A field is a component that acts on all bodies in a region: a wind, water, a point of gravity. Once
a frame the bytes of its values are compared with the bytes of a frame ago.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.processors.solvers.force_stages import ForceStages
from ecs_softbody.processors.stage import Box, Force
from ecs_softbody.storage import Component, PackedBuffers
from ecs_softbody.storage.resource import Bytes, Members, Number, Resource, Row, Text, Whole
from ecs_softbody.storage.saved import Saved

NO_BOXES = np.zeros((0, 4))
Seen = dict[tuple[type[Component], int], tuple[bytes, Box]]
"""For each field, by its class and entity: the bytes of its values, and its region [m]."""


FIELD = Row("", "", Text("component"), Whole("entity"))
"""Key of a field in a file: the name of its class, and its entity."""
BOX = Row("", "", *(Number(name, infinite=True) for name in ("low x", "low y", "high x", "high y")))
"""Region of a field in a file [m]; a field without limits has an infinite one."""


class FieldWatch(Resource):
    """Compares the fields of all forces with their state a frame ago."""

    saved = (
        Members(
            "seen",
            "Fields a frame ago.",
            Row("", "", FIELD, Row("", "", Bytes("values"), BOX)),
            list,
        ),
    )

    def __init__(self, buffers: PackedBuffers, forces: ForceStages) -> None:
        self._fields = [(buffers[kind], force) for force in forces.stages for kind in force.fields]
        """Table of each class of fields, with the force stage that knows its region."""
        self.seen: Seen = {}
        """All fields as they were a frame ago."""

    def load(self, saved: Saved) -> None:
        """Have the fields of a frame ago."""
        kinds = {table.component_type.__name__: table.component_type for table, _ in self._fields}
        for (name, entity), state in self.saved[0].get(saved):
            if name not in kinds:
                saved.fail("seen", name, f"one of {', '.join(kinds)}")
            self.seen[kinds[name], entity] = state

    def find_changed(self) -> Floats:
        """Return the boxes (B, 4) low x, low y, high x, high y [m] of fields that came, went or
        were written to.
        """
        if not (self.seen or any(table.bound for table, _ in self._fields)):
            return NO_BOXES
        now: Seen = {}
        for table, force in self._fields:
            for entity, field in table.bound.items():
                now[table.component_type, entity] = (
                    _state_of(field, entity, force),
                    force.region_of(field),
                )
        boxes: list[Box] = []
        for key in now.keys() | self.seen.keys():
            before = self.seen.get(key)
            after = now.get(key)
            if before is None or after is None or before[0] != after[0]:
                boxes += [state[1] for state in (before, after) if state is not None]
        # The dict is filled anew: another one would be followed anew after each frame.
        self.seen.clear()
        self.seen.update(now)
        return np.array(sorted(boxes), np.float64).reshape(-1, 4)


def _state_of(field: Component, entity: int, force: Force) -> bytes:
    """Return the bytes of all values of a field that a game may write."""
    names = force.watched_values(field, entity)
    return b"".join(field.value_arrays[name][field.slot].tobytes() for name in names)
