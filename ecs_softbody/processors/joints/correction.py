"""JointCorrectionProcessor: corrects the remaining errors of joints after the move."""

from ecs_softbody.components import Attachment, DistanceLimits, MouseJoint
from ecs_softbody.processors.joints.joints import JointProcessor
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Stage


class JointCorrectionProcessor(Stage):
    """Moves what joints hold towards where they hold it, on positions alone.

    Runs at Order.JOINT_CORRECTION.
    """

    order = Order.JOINT_CORRECTION
    components = (Attachment, DistanceLimits, MouseJoint)

    def __init__(self, joints: JointProcessor) -> None:
        self._joints = joints

    def process(self, dt: float) -> None:
        """Correct the positions."""
        self._joints.correct()
