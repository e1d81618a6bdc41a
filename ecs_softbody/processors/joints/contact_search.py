"""ContactSearchProcessor: finds contacts ahead of the joints."""

from ecs_softbody.components import Attachment, DistanceLimits, MouseJoint
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Stage, StageContext


class ContactSearchProcessor(Stage):
    """Finds contacts if there are joints: to a rod, a contact that closes at once is as stiff as
    any other.

    At CONTACT_SEARCH.
    """

    order = Order.CONTACT_SEARCH
    components = (Attachment, DistanceLimits, MouseJoint)
    reads = (
        "AngularMuscles",
        "AngularSprings",
        "AreaConstraint",
        "Collider",
        "CollisionSpace",
        "Muscles",
        "Particles",
        "PressureBody",
        "ShapeMatching",
        "Springs",
        "StaticCollider",
    )
    writes = ("Collider.impact_*", "CollisionSpace", "Particles.behind", "Particles.inner")

    def __init__(self, context: StageContext) -> None:
        self._context = context
        self._space = context.space

    def process(self, dt: float) -> None:
        """Find contacts as CollisionProcessor would."""
        if not self._space.is_empty:
            frame = self._context.frame
            buffers = self._context.buffers
            ahead = max(frame.dt, dt)
            self._space.find_ahead(buffers.version, ahead, dt, new_frame=buffers.frame_start)
