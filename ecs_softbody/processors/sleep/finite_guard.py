"""FiniteGuard: freezes a body with NaN, infinite or far too large numbers before it infects others.

Forces and contacts spread a NaN to all bodies that they join, within a substep. So a frozen body is
left out of all kernels. Three stages call the guard: FrameGuardProcessor at the start of a frame,
for all that a game has written, FiniteGuardProcessor before the solver XPBD, and
ForceGuardProcessor when all forces of a substep are known.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles
from ecs_softbody.indices import flatnonzero
from ecs_softbody.kernels.motion.sleep import are_lasting, are_near
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.sleep.limits import LimitWatch
from ecs_softbody.processors.solvers.force_stages import ForceStages
from ecs_softbody.processors.stage import ALL, Frame, Stage, StageContext
from ecs_softbody.storage import Activity, PackedBuffers, declared_columns
from ecs_softbody.validation import FARTHEST

LOOKED_AT = ("position", "velocity", "mass", "radius", "force")
"""The columns of Particles that the guard checks itself; the first bad one is reported. A column
that spoils others stands before them: a bad position gives bad forces.
"""


class FrozenBodyWarning(UserWarning):
    """A body holds NaN, infinity or a number beyond its limits; it is left out until all are
    allowed again.
    """


class FiniteGuard:
    """Freezes and thaws bodies; each time one freezes there is an event `body_frozen`
    (entity, message) and a warning.

    A frozen body does not move, touch or pull anything. Its numbers stay as written. It thaws at
    the start of a frame when all of them are allowed, and no invalid force has come for a whole
    frame.
    """

    def __init__(
        self, buffers: PackedBuffers, activity: Activity, forces: ForceStages, frame: Frame
    ) -> None:
        self._buffers = buffers
        self._activity = activity
        self._forces = forces
        self._frame = frame
        self._particles = buffers[Particles]
        rows = self._particles.rows
        columns = ("position", "velocity", "force")
        self._are_near = PreparedCall(
            are_near,
            lambda: (self._particles.active_rows, *(rows[name] for name in columns)),
            buffers.replaced,
        )
        self._limits = LimitWatch(buffers)
        self._beyond: dict[int, str] = {}
        """The message for each body, by its slot, that has a number beyond its limits."""
        self._are_lasting = PreparedCall(
            are_lasting, lambda: (rows["radius"], rows["mass"]), buffers.replaced
        )

    def check_frame(self) -> None:
        """Thaw and freeze bodies by all that a game may have written since the last frame.

        Raises:
            ValueError: for a number beyond its limits in a component without a body, such as a
                wall.
        """
        rows = self._particles.rows
        frozen = self._activity.frozen
        beyond = self._find_beyond()
        if not self._activity.is_whole and frozen.any():
            theirs = frozen[rows["body"]]
            bad = self._bodies_of(self._bad_rows() & theirs)
            bad[list(beyond)] = True
            rows["force"][theirs] = 0.0
            if (frozen & ~bad).any():
                frozen &= bad
                self._activity.apply()
        if beyond or not (self._are_lasting() and self._are_near()):
            bad = self._bodies_of(self._bad_rows())
            bad[list(beyond)] = True
            self._freeze(bad & ~frozen)

    def _find_beyond(self) -> dict[int, str]:
        """Return the error message for each body, by its slot, that has a number beyond its limits.

        Such a body stays frozen until that number is allowed: most columns are not checked in every
        frame.
        """
        found = (
            self._limits.find(self._frame.number) if not self._beyond else self._limits.find_all()
        )
        bodies = self._particles.bound
        self._beyond.clear()
        for kind, entity, is_finite, message in found:
            owners = [
                one for one in self._buffers[kind].bound[entity].row_owners(entity) if one in bodies
            ]
            if kind.needs_particles:
                for owner in owners:
                    self._beyond.setdefault(bodies[owner].slot, message)
            elif is_finite:
                # Only finite numbers are refused: walls and fields with NaN or infinity are left
                # out where they are used.
                raise ValueError(message)
        return self._beyond

    def check_substep(self, dt: float) -> None:
        """Check the columns that processors of this substep have written, before anything moves."""
        # One pass without branches covers all bodies: the detailed look below runs only when
        # something is wrong.
        if self._are_near():
            return
        rows = self._particles.rows
        state = _are_fine(rows, "position") & _are_fine(rows, "velocity")
        infected = self._bodies_of(~_are_fine(rows, "force")) & ~self._activity.frozen
        bad = self._bodies_of(~state) & ~self._activity.frozen
        # Bodies whose own state is wrong come first: forces of their neighbours may be wrong only
        # because of them.
        self._freeze(bad)
        if bad.any() and (infected & ~bad).any():
            # The forces on their neighbours depended on these bodies: they are recomputed.
            rows["force"][(infected & ~bad)[rows["body"]]] = 0.0
            self._forces.run_for(flatnonzero(infected & ~bad), dt)
            infected = self._bodies_of(~_are_fine(rows, "force"))
        self._freeze(infected & ~self._activity.frozen)

    def _bad_rows(self) -> NDArray[np.bool_]:
        """Return which particles (N,) have a bad number in any of the columns LOOKED_AT."""
        rows = self._buffers[Particles].rows
        fine: NDArray[np.bool_] = np.logical_and.reduce(
            [_are_fine(rows, name) for name in LOOKED_AT]
        )
        return ~fine

    def _bodies_of(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the bodies, by slot, that have one of the rows."""
        bodies: NDArray[np.bool_] = np.zeros(len(self._activity.frozen), np.bool_)
        bodies[self._buffers[Particles].rows["body"][rows]] = True
        return bodies

    def _freeze(self, bodies: NDArray[np.bool_]) -> None:
        """Leave the bodies out, and tell the game."""
        if not bodies.any():
            return
        table = self._buffers[Particles]
        self._activity.frozen |= bodies
        self._activity.apply()
        messages = []
        for slot in flatnonzero(bodies):
            entity = int(table.values["entity"][slot])
            messages.append((entity, self._message(entity)))
        table.rows["force"][bodies[table.rows["body"]]] = 0.0
        for entity, message in messages:
            warnings.warn(message, FrozenBodyWarning, stacklevel=2)
            esper.dispatch_event("body_frozen", entity, message)

    def _message(self, entity: int) -> str:
        """Return the words about the first bad number of a body."""
        body = self._buffers[Particles].bound[entity]
        own = {
            name: column[body.row_start : body.row_stop] for name, column in body.row_arrays.items()
        }
        for name in LOOKED_AT:
            rows = flatnonzero(~_are_fine(own, name))
            if len(rows):
                numbers = own[name][rows[0]]
                # `argmax` takes NaN for the largest number: NaN is named rather than infinity.
                worst = numbers.flat[np.argmax(np.abs(numbers))]
                found = (
                    f"Particles.{name} of entity {entity}: {worst} in row {rows[0]} is not allowed"
                )
                return f"{found}; expected {_allowed(name, worst)}; the body is frozen until it is"
        return f"{self._beyond[body.slot]}; the body is frozen until it is"


def _are_fine(columns: Mapping[str, NDArray[Any]], name: str) -> NDArray[np.bool_]:
    """Return which particles (N,) have numbers in this column that can be calculated with."""
    numbers = columns[name]
    if name == "force":
        # Forces too large to calculate with are bad, too: one of 1e200 made NaN of its neighbours.
        # The limit is on the acceleration F/m.
        with np.errstate(over="ignore", invalid="ignore"):
            bad = ~(np.abs(numbers * columns["inverse_mass"][:, None]) <= FARTHEST)
    else:
        bad = declared_columns(Particles)[name].are_bad(numbers)
    if name == "mass":
        bad &= numbers != 0.0  # unused rows
    fine: NDArray[np.bool_] = ~bad.reshape(len(bad), -1).any(axis=1)
    return fine


def _allowed(name: str, bad: float) -> str:
    """Return the allowed values of a column of Particles, in words."""
    if name == "force":
        return f"finite numbers [N] that speed it up by at most {FARTHEST:g} m/s²"
    return declared_columns(Particles)[name].allowed(bad)


class FrameGuardProcessor(Stage):
    """Freezes and thaws bodies by the values written between two frames.

    Runs at Order.FRAME_GUARD.
    """

    order = Order.FRAME_GUARD
    reads = ALL
    writes = ("Activity", "Particles.force")

    def __init__(self, context: StageContext, guard: FiniteGuard) -> None:
        self._buffers = context.buffers
        self._guard = guard

    def process(self, dt: float) -> None:
        """Check all numbers of all bodies at the start of a frame."""
        if self._buffers.frame_start:
            self._guard.check_frame()


class FiniteGuardProcessor(Stage):
    """Freezes bodies with forces that are not finite before the solver XPBD passes them on.

    Runs at Order.GUARD.
    """

    order = Order.GUARD
    reads = ALL
    writes = ("Activity", "Particles.force")

    def __init__(self, guard: FiniteGuard) -> None:
        self._guard = guard

    def process(self, dt: float) -> None:
        """Check the columns that processors of this substep have written so far."""
        self._guard.check_substep(dt)


class ForceGuardProcessor(FiniteGuardProcessor):
    """Freezes bodies with forces that are not finite before anything moves by them.

    Runs at Order.FORCE_GUARD.
    """

    order = Order.FORCE_GUARD
