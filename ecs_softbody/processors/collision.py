"""CollisionProcessor: contact forces."""

import esper

from ecs_softbody.collision.space import CollisionSpace
from ecs_softbody.storage import PackedBuffers


class CollisionProcessor(esper.Processor):
    """Finds contacts and adds to Particles.force what keeps things apart. Runs at Order.COLLISION."""

    def __init__(self, buffers: PackedBuffers, space: CollisionSpace) -> None:
        self._buffers = buffers
        self._space = space
        self.frame_dt = 1.0 / 60.0
        """Length of the frame now [s]: contacts are looked for that far ahead."""

    def process(self, dt: float) -> None:
        """Find the contacts, once a frame or more often, and solve them."""
        if not self._space.is_empty:
            self._space.find(self._buffers.version, max(self.frame_dt, dt), new_frame=self._buffers.frame_start)
            self._space.solve(dt)
