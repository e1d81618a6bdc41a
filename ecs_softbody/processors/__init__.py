"""Processors: one stage of a substep each, in the order of order.py; registry.py lists the forces
and the solvers.
"""

from ecs_softbody.processors.forces.explosion import throw_bodies
from ecs_softbody.processors.frame.contact_events import ContactEvents
from ecs_softbody.processors.order import FrameEnd, FrameStart, Order
from ecs_softbody.processors.registry import FORCES, SOLVERS
from ecs_softbody.processors.sleep.finite_guard import FrozenBodyWarning
from ecs_softbody.processors.solvers.stability import StabilityWarning

__all__ = [
    "FORCES",
    "SOLVERS",
    "ContactEvents",
    "FrameEnd",
    "FrameStart",
    "FrozenBodyWarning",
    "Order",
    "StabilityWarning",
    "throw_bodies",
]
