"""ContactSearchProcessor: searches for contacts before the joints are solved.

Without joints, CollisionProcessor searches for contacts when it solves them, after all forces. With
joints that is too late: joints treat a particle that touches something as supported, and have to
know of contacts that close in this very substep.
"""

from ecs_softbody.components import Attachment, DistanceLimits, MouseJoint
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import OF_CONTACTS, Stage, StageContext


class ContactSearchProcessor(Stage):
    """Searches for contacts in a world with joints. Runs at Order.CONTACT_SEARCH, before
    Order.JOINTS.

    A rod between two discs stops a contact that closes in this substep as hard as one that was
    closed before; found after the joints, such contacts let rods be pressed together.
    """

    order = Order.CONTACT_SEARCH
    components = (Attachment, DistanceLimits, MouseJoint)
    reads = OF_CONTACTS
    writes = ("Collider.impact_*", "CollisionSpace", "Particles.behind", "Particles.inner")

    def __init__(self, context: StageContext) -> None:
        self._context = context
        self._space = context.space

    def process(self, dt: float) -> None:
        """Search for contacts as CollisionProcessor would; that stage then finds them there."""
        if not self._space.is_empty:
            frame = self._context.frame
            buffers = self._context.buffers
            # Contacts are found as far ahead as bodies move in a frame [s], so that one search
            # serves all of its substeps.
            ahead = max(frame.dt, dt)
            self._space.find_ahead(buffers.version, ahead, dt, new_frame=buffers.frame_start)
