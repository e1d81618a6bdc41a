"""CollisionProcessor: contact forces."""

import numpy as np

from ecs_softbody.components import Collider, Particles, StaticCollider
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.sleep.sleep import SleepProcessor
from ecs_softbody.processors.stage import Spawn, Stage, StageContext
from ecs_softbody.storage import Column, add_stage_columns

add_stage_columns(
    Particles,
    "CollisionProcessor",
    inner=Column(dtype=np.bool_, doc="whether the row is in no outline"),
    behind=Column(dtype=np.bool_, doc="whether the row is behind a wall"),
)


class CollisionProcessor(Stage):
    """Finds contacts and adds to Particles.force what keeps things apart. Runs at Order.COLLISION."""

    order = Order.COLLISION

    def __init__(self, context: StageContext, sleep: SleepProcessor) -> None:
        self._context, self._space, self._sleep = context, context.space, sleep

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """Bodies of all shapes and a floor that touch; one ring lies in another, across a wall."""
        square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        spawn(Particles(square, radius=0.1), Collider(outline=range(4)))
        spawn(Particles([(0.5, 1.2)], radius=0.1), Collider(restitution=0.5))
        inner = Particles([(0.4, 0.4), (0.6, 0.4), (0.5, 0.6)], radius=0.01)
        spawn(inner, Collider(outline=range(3), self_collision=True))
        spawn(Particles([(0.0, 3.0), (1.0, 3.0)], radius=0.1), Collider(outline=range(2), closed=False))
        spawn(StaticCollider([(-1.0, -0.1), (2.0, -0.1)], surface_velocity=1.0, one_way=(0, 1)))
        spawn(StaticCollider([(0.5, 0.3), (0.5, 0.9)]))
        spawn(StaticCollider([(0.5, 0.5)], radius=0.2, sensor=True))

    def process(self, dt: float) -> None:
        """Find the contacts, once a frame or more often, and solve them."""
        space, buffers = self._space, self._context.buffers
        if space.is_empty:
            if space.contacts.count:
                space.contacts.count = 0
            return
        ahead = max(self._context.frame.dt, dt)
        space.find(buffers.version, ahead, dt, new_frame=buffers.frame_start)
        # A body that is run into wakes with its island, which has contacts of its own: search until all are awake.
        while self._sleep.wake_pushed(dt):
            space.find(buffers.version, ahead, dt, new_frame=False)
        space.solve(dt)
