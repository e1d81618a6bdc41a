"""PackingProcessor: keeps the packed buffers equal to what the esper world holds."""

from collections.abc import Callable

from ecs_softbody.components import Particles
from ecs_softbody.kernels.motion.integration import refresh_inverse_mass
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Stage, StageContext
from ecs_softbody.storage.saved import Saved


class PackingProcessor(Stage):
    """Packs added, replaced and removed components; at the start of a frame also looks for masses that a game wrote
    and keeps the positions to interpolate from. Runs at Order.PACKING.
    """

    order = Order.PACKING
    saved = ("_version",)

    def __init__(self, context: StageContext, note_change: Callable[[], None]) -> None:
        self._buffers = context.buffers
        rows = self._buffers[Particles].rows
        columns = "mass", "pinned", "kinematic", "velocity", "angular_velocity", "inverse_mass"
        self._refresh_inverse_mass = PreparedCall(
            refresh_inverse_mass, lambda: tuple(rows[name] for name in columns), self._buffers.replaced
        )
        self._note_change, self._version = note_change, -1
        """Called after anything has come, gone or moved."""

    def load(self, saved: Saved) -> None:
        """Know which changes have been packed."""
        self._version = saved.whole("version")

    def process(self, dt: float) -> None:
        """Synchronise the buffers with the world."""
        self._buffers.synchronise()
        if self._version != self._buffers.version:
            self._version = self._buffers.version
            self._note_change()
        if self._buffers.frame_start:
            rows = self._buffers[Particles].rows
            if self._refresh_inverse_mass():
                self._buffers.changed_entities |= self._buffers[Particles].entities
            rows["frame_position"][:] = rows["position"]
