"""Processors: one stage of a substep each, in the order of order.py."""

from ecs_softbody.processors.angular_spring_force import AngularSpringForceProcessor
from ecs_softbody.processors.area_constraint import AreaConstraintProcessor
from ecs_softbody.processors.buoyancy import BuoyancyProcessor
from ecs_softbody.processors.collision import CollisionProcessor
from ecs_softbody.processors.contact_correction import ContactCorrectionProcessor
from ecs_softbody.processors.contact_events import ContactEvents
from ecs_softbody.processors.drag import DragProcessor
from ecs_softbody.processors.explosion import throw_bodies
from ecs_softbody.processors.finite_guard import FiniteGuardProcessor, FrozenBodyWarning
from ecs_softbody.processors.force_stages import ForceStages
from ecs_softbody.processors.gravity import GravityProcessor
from ecs_softbody.processors.healing import HealingProcessor
from ecs_softbody.processors.integration import IntegrationProcessor
from ecs_softbody.processors.joint import JointProcessor
from ecs_softbody.processors.muscles import MusclesProcessor
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.outlines import Outlines
from ecs_softbody.processors.packing import PackingProcessor
from ecs_softbody.processors.plasticity import PlasticityProcessor
from ecs_softbody.processors.point_gravity import PointGravityProcessor
from ecs_softbody.processors.pressure_force import PressureForceProcessor
from ecs_softbody.processors.saturation import SaturationProcessor
from ecs_softbody.processors.shape_matching import ShapeMatchingProcessor
from ecs_softbody.processors.sleep import SleepProcessor
from ecs_softbody.processors.spring_force import SpringForceProcessor
from ecs_softbody.processors.stability import StabilityWarning
from ecs_softbody.processors.strength import StrengthProcessor
from ecs_softbody.processors.tearing import TearingProcessor
from ecs_softbody.processors.wind import WindProcessor
from ecs_softbody.processors.xpbd import XpbdProcessor

__all__ = [
    "AngularSpringForceProcessor",
    "AreaConstraintProcessor",
    "BuoyancyProcessor",
    "CollisionProcessor",
    "ContactCorrectionProcessor",
    "ContactEvents",
    "DragProcessor",
    "FiniteGuardProcessor",
    "ForceStages",
    "FrozenBodyWarning",
    "GravityProcessor",
    "HealingProcessor",
    "IntegrationProcessor",
    "JointProcessor",
    "MusclesProcessor",
    "Order",
    "Outlines",
    "PackingProcessor",
    "PlasticityProcessor",
    "PointGravityProcessor",
    "PressureForceProcessor",
    "SaturationProcessor",
    "ShapeMatchingProcessor",
    "SleepProcessor",
    "SpringForceProcessor",
    "StabilityWarning",
    "StrengthProcessor",
    "TearingProcessor",
    "WindProcessor",
    "XpbdProcessor",
    "throw_bodies",
]
