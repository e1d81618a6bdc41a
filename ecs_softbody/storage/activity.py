"""Activity: which bodies take part in a substep.

Sleeping bodies are at rest, frozen ones have numbers that are not finite; both are left out of all
kernels. Bodies that are mended (brought back to their rest shape) lose their elastic components for
a while.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage.packed import PackedBuffers
from ecs_softbody.storage.resource import FlagArray, Resource, Version, WholeArray
from ecs_softbody.storage.saved import Saved
from ecs_softbody.storage.table import Table

Scalar = TypeVar("Scalar", bound=np.generic)


class Activity(Resource):
    """Excludes sleeping and frozen bodies from the rows that kernels run over.

    Bodies are identified by their slot in the table of Particles. `asleep` and `frozen`, shape
    (slots,), have capacity for more slots than there are. Call `apply` after changing them: it
    restricts every table to the remaining bodies; components that join several bodies remain only
    if all of these do. Elastic components of bodies that are `mending` are left out, too.
    """

    saved = (
        FlagArray("asleep", "asleep", "Whether a body sleeps, by slot of Particles."),
        FlagArray(
            "frozen", "frozen", "Whether a body with numbers that are not finite is left out."
        ),
        FlagArray("mending", "mending", "Whether a body is mended."),
        WholeArray("entity", "known", "The entity in each slot."),
        Version("changes", "How often anything has fallen asleep, woken, or the like.", least=0),
    )

    # Both follow from the flags.
    bound = ("sleepers", "is_whole")

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self.asleep: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.frozen: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.mending: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.sleepers = np.zeros(0, np.int64)
        """The slots of the sleeping bodies."""
        self.entity: NDArray[np.int64] = np.zeros(0, np.int64)
        """The entity in each slot when the flags were applied last."""
        self.is_whole = True
        """Whether every body takes part."""
        self.changes = 0
        """Counts the changes of the set of active bodies."""

    def load(self, saved: Saved) -> None:
        """Have the flags of a file; the tables are there already."""
        super().load(saved)
        capacity = self._particles.values.capacity
        for name in ("asleep", "frozen", "mending"):
            flags = getattr(self, name)
            if len(flags) > capacity:
                saved.fail(name, f"{len(flags)} flags", f"at most {capacity}")
            setattr(self, name, grown(flags, capacity))
        self.entity = grown(self.entity[:capacity], capacity)
        self.sleepers = flatnonzero(self.asleep)
        self.is_whole = not (len(self.sleepers) or self.frozen.any())
        self._restrict()

    def notice_structure(self) -> NDArray[np.int64]:
        """Follow the tables after anything came or went; return the slots in which a sleeping or
        frozen body was that is gone. Another body may be there now.
        """
        table = self._particles
        if len(self.asleep) < table.values.capacity:
            flags = self.asleep, self.frozen, self.mending
            self.asleep, self.frozen, self.mending = (
                grown(each, table.values.capacity) for each in flags
            )
            self.entity = grown(self.entity, table.values.capacity)
        if self.is_whole:
            if self.mending.any():
                self._restrict()
            return np.zeros(0, np.int64)
        out = flatnonzero(self.asleep | self.frozen)
        now = table.values.arrays["entity"][out]
        gone: NDArray[np.int64] = out[now != self.entity[out]]
        self.frozen[gone] = False
        self._restrict()
        return gone

    def apply(self) -> None:
        """Restrict the tables to bodies that are neither asleep nor frozen."""
        self.entity[: self._particles.values.count] = self._particles.values["entity"]
        self.sleepers = flatnonzero(self.asleep)
        self.is_whole = not (len(self.sleepers) or self.frozen.any())
        self.changes = self._buffers.replaced.new_version()
        self._restrict()

    def mend(self, mending: NDArray[np.bool_]) -> None:
        """Leave out the elastic components of these bodies, shape (slots,), and of no others."""
        self.mending[: len(mending)] = mending
        self.mending[len(mending) :] = False
        self._restrict()

    def run_only(self, slots: NDArray[np.int64]) -> None:
        """Restrict the tables to these bodies until `apply`."""
        chosen = np.zeros(len(self.asleep), np.bool_)
        chosen[slots] = True
        self._restrict_to(chosen)

    @property
    def _particles(self) -> Table:
        return self._buffers[self._buffers.particles_type]

    def _restrict(self) -> None:
        # While every body takes part, each table is one span: kernels test no flag, and cost as
        # much as they would without sleep.
        if self.is_whole and not self.mending.any():
            for table in self._buffers.tables.values():
                table.restrict(None)
        else:
            self._restrict_to(~(self.asleep | self.frozen))

    def _restrict_to(self, active: NDArray[np.bool_]) -> None:
        """Restrict every table to components of the marked bodies (slots of Particles,)."""
        bound = self._particles.bound
        links = self._buffers.links_between()
        for kind, table in self._buffers.tables.items():
            if kind.needs_particles:
                bodies = self.bodies_of(table)
                chosen = active[bodies] & (table.values["particle_last"] > 0)
                # A damaged body is held by its rest shape alone: bending springs and gas have
                # knotted states of rest, which a pull beside them is too weak to undo.
                if kind.is_elastic:
                    chosen &= ~self.mending[bodies]
                # A link between bodies takes part only while all of them do.
                for component, owners in links:
                    if component.table is table:
                        chosen[component.slot] = all(active[bound[owner].slot] for owner in owners)
                table.restrict(chosen)

    def bodies_of(self, table: Table) -> NDArray[np.uint32]:
        """Return the body of each slot of a table, the first one if there are several; shape
        (slots,).
        """
        rows = self._particles.rows["body"]
        if not len(rows):
            return np.zeros(table.values.count, np.uint32)
        bodies: NDArray[np.uint32] = rows[table.values["particle_first"]]
        return bodies


def grown(array: NDArray[Scalar], length: int) -> NDArray[Scalar]:
    """Return a copy with this many rows, zeros behind the present ones."""
    longer: NDArray[Scalar] = np.zeros((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
