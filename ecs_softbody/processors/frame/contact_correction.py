"""ContactCorrectionProcessor: corrects the overlaps that remain after the move."""

from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Stage, StageContext


class ContactCorrectionProcessor(Stage):
    """After particles have moved: pushes out what overlaps, applies restitution, and stops
    particles that passed through a wall (continuous collision detection).

    Runs at Order.CONTACT_CORRECTION, after Order.INTEGRATION.
    """

    order = Order.CONTACT_CORRECTION
    reads = ("CollisionSpace",)
    writes = ("Collider.impact_*", "CollisionSpace", "Particles.position", "Particles.velocity")

    def __init__(self, context: StageContext) -> None:
        self._space = context.space

    def process(self, dt: float) -> None:
        """Correct positions, then velocities of bounces."""
        if not self._space.is_empty:
            self._space.correct(dt)
