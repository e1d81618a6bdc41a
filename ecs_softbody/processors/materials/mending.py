"""MendingProcessor: brings damaged bodies back to their rest shape.

A body is damaged while its outline crosses itself or runs the wrong way round, an inner particle is
outside of it, or particles are behind a wall. Springs and gas have states of rest that are knotted
like this. So while a body is mended its elastic components are left out, and a critically damped
pull to the rest shape acts alone, at a limited speed, the pace (kernels/materials/mending.py).
Healing, of cuts, is something else.
"""

import numpy as np

from ecs_softbody.arrays import Integers
from ecs_softbody.components import AngularSprings, Collider, Particles, Springs
from ecs_softbody.indices import flatnonzero
from ecs_softbody.kernels.forces.shape_matching import Matched
from ecs_softbody.kernels.materials.mending import MendedBodies, mend, pace_of, rate_of, size_of
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import ALL, Force, Spawn, StageContext, have_outlines
from ecs_softbody.storage import PackedBuffers, Value, add_stage_columns
from ecs_softbody.storage.resource import Flag
from ecs_softbody.validation import FARTHEST

add_stage_columns(
    Particles,
    "MendingProcessor",
    wounded_time=Value(dtype=np.float64, unit="s", doc="how long the body has been damaged"),
    mending_time=Value(
        dtype=np.float64, unit="s", doc="how much longer the body is mended; 0 for a whole one"
    ),
    relapses=Value(
        dtype=np.float64,
        doc="how often the whole body was damaged, less what is forgiven with time",
    ),
    unmended=Value(
        dtype=np.float64,
        doc="how far a particle is from its place in the rest shape, over the size",
    ),
)
MENDED = 0.01
"""A body that is whole, with no particle further from its place than this share of its size, is
mended no longer.
"""
AFTERWARDS = 8.0
"""A body that cannot get into its rest shape because something presses on it is mended only for
size / pace and this many times 1/α, where α [1/s] is the rate of the pull.
"""
FORGIVEN = 20.0
"""Time [s] in which the count of relapses falls by one."""
MOST_RELAPSES = 10.0
"""Limit of the count n of relapses; the pace of mending goes with 1/n²
(kernels/materials/mending.py), so that a body that is damaged again and again is not thrown up.
"""


class MendingProcessor(Force):
    """Brings damaged bodies back to their rest shape; their elastic components rest meanwhile. Runs
    at Order.MENDING.

    Which ones are damaged the collision stage finds (collision/recover/damage.py).
    """

    resource = "mending"
    saved = (
        Flag("is_mending", "Whether any body is mended."),
        Flag("saw_damaged", "Whether the last frame had damaged bodies.", name="saw_wounded"),
        Flag("is_due", "Whether the next substep looks again."),
    )
    order = Order.MENDING
    components = (Collider,)
    reads = ALL
    writes = (
        "Activity",
        "Particles.force",
        "Particles.mending_time",
        "Particles.relapses",
        "Particles.unmended",
        "Particles.wounded_time",
        "Springs.tension",
    )

    def __init__(self, context: StageContext) -> None:
        self._frame = context.frame
        self._buffers = context.buffers
        self._space = context.space
        self._particles = context.buffers[Particles]
        # Whether any body is mended; whether the last look found damaged ones; whether a look is
        # due in this frame.
        self.is_mending = self.saw_damaged = self.is_due = False

    def is_idle(self, buffers: PackedBuffers) -> bool:
        """Return whether no body has an outline, and none is mended: discs are never damaged."""
        return super().is_idle(buffers) or not (
            have_outlines(buffers) or self.is_mending or self.saw_damaged
        )

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A body that was mended a moment ago."""
        spawn(Particles([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]), Collider(outline=range(3)))

    def rehearse(self, dt: float) -> None:
        """Mend every body."""
        everybody = np.ones(self._particles.values.count, np.bool_)
        self._mend(everybody, dt)
        self._times(0)

    def process(self, dt: float) -> None:
        """Once a frame choose the bodies to mend; in each substep add their forces."""
        self.is_due |= self._buffers.frame_start
        # Damaged bodies are numbered as in the last search; after a change the next substep finds
        # them again.
        if self.is_due and self._space.is_up_to_date(self._buffers.version):
            self.is_due = False
            self._choose()
        if self.is_mending:
            self._mend(self._space.activity.mending, dt)

    def _mend(self, mending: np.ndarray, dt: float) -> None:
        """Add the pull to the rest shape of the bodies marked in `mending` (slots,)."""
        table = self._particles
        bodies = table.values.group(MendedBodies)
        particles = table.rows.group(Matched)
        mend(table.active_slots, mending, bodies, table.every_row, particles, dt)

    def _choose(self) -> None:
        """Choose the bodies to mend, for a frame, and have the elastic components of others act
        again.
        """
        values = self._particles.values
        activity = self._space.activity
        relapses = values["relapses"]
        if np.count_nonzero(relapses):
            relapses[:] = np.maximum(relapses - self._frame.dt / FORGIVEN, 0.0)
        damage = self._space.interpenetrations.damage.damaged
        if not (np.count_nonzero(damage) or self.saw_damaged or self.is_mending):
            return
        damaged = flatnonzero(damage)
        # Time left [s]: over at once for a body that has got to its rest shape.
        left = values["mending_time"]
        before = activity.mending[: values.count].copy()
        left[:] = np.where(values["unmended"] < MENDED, 0.0, np.maximum(left - self._frame.dt, 0.0))
        bodies = self._space.proxies.body[damaged]
        since = values["wounded_time"][bodies] + self._frame.dt
        values["wounded_time"][:] = 0.0
        values["wounded_time"][bodies] = since
        for body, time in zip(bodies.tolist(), since.tolist(), strict=True):
            patience, duration = self._times(body)
            if time > patience or before[body]:
                left[body] = duration
        mending = left > 0.0
        if (mending != before).any():
            begun = flatnonzero(mending & ~before)
            # Being knotted around a wall is no relapse: such a body was never whole, and needs the
            # full pace.
            again = begun[values["unmended"][begun] < MENDED]
            relapses[again] = np.minimum(relapses[again] + 1.0, MOST_RELAPSES)
            self._forget_tension(begun)
            activity.mend(mending)
        self.is_mending = bool(mending.any())
        self.saw_damaged = bool(len(damaged))

    def _times(self, body: int) -> tuple[float, float]:
        """Return how long a body may be damaged before it is mended, and for how long it is mended
        from now on [s].

        In a crash bodies cross themselves for a moment; if their springs rested then, one would
        pass the other.
        """
        values = self._particles.values
        size = size_of(
            int(values["first"][body]),
            int(values["last"][body]),
            self._particles.rows["rest_offset"],
        )
        # `min` with a NaN second yields FARTHEST: a game may have written one in this frame, which
        # is checked in the next.
        size = min(FARTHEST, size)
        patience = size / pace_of(size)
        return patience, patience + AFTERWARDS / rate_of(size)

    def _forget_tension(self, bodies: Integers) -> None:
        """Have the solver `xpbd` continue without tension: the stored one belonged to the damaged
        body.
        """
        for kind, column in ((Springs, "tension"), (AngularSprings, "torque")):
            table = self._buffers[kind]
            every = self._space.activity.bodies_of(self._buffers[kind])
            for slot in flatnonzero(np.isin(every, bodies)):
                table.rows[column][table.values["first"][slot] : table.values["last"][slot]] = 0.0
