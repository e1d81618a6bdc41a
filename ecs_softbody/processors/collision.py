"""CollisionProcessor: contact forces."""

import esper

from ecs_softbody.collision.space import CollisionSpace
from ecs_softbody.processors.sleep import SleepProcessor
from ecs_softbody.storage import PackedBuffers


class CollisionProcessor(esper.Processor):
    """Finds contacts and adds to Particles.force what keeps things apart. Runs at Order.COLLISION."""

    def __init__(self, buffers: PackedBuffers, space: CollisionSpace, sleep: SleepProcessor) -> None:
        self._buffers = buffers
        self._space = space
        self._sleep = sleep
        self.frame_dt = 1.0 / 60.0
        """Length of the frame now [s]: contacts are looked for that far ahead."""

    def process(self, dt: float) -> None:
        """Find the contacts, once a frame or more often, and solve them."""
        self._sleep.wake_forced(dt)
        self._sleep.guard.check_substep(dt)
        space = self._space
        if space.is_empty:
            if space.contacts.count:
                space.contacts.count = 0
            return
        ahead = max(self.frame_dt, dt)
        space.find(self._buffers.version, ahead, dt, new_frame=self._buffers.frame_start)
        while self._sleep.wake_pushed(dt):
            space.find(self._buffers.version, ahead, dt, new_frame=False)
        space.solve(dt)
