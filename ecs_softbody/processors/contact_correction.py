"""ContactCorrectionProcessor: what is left to mend after the move."""

import esper

from ecs_softbody.collision.space import CollisionSpace


class ContactCorrectionProcessor(esper.Processor):
    """Pushes overlaps apart, lets things bounce and stops what passed a wall. Runs at Order.CONTACT_CORRECTION."""

    def __init__(self, space: CollisionSpace) -> None:
        self._space = space

    def process(self, dt: float) -> None:
        """Correct positions, then velocities of bounces."""
        if not self._space.is_empty:
            self._space.correct(dt)
